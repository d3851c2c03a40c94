"""A few threads for work that may never end: unlike an executor's, they do not keep the program from ending."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future

Work = Callable[[], None]


class Threads:
    """A fixed number of daemon threads that take work in the order in which it came."""

    def __init__(self, count: int, name: str) -> None:
        self._waiting: deque[tuple[Future[None], Work]] = deque()
        self._change = threading.Condition()
        self._closed = False
        self._threads = [
            threading.Thread(target=self._serve, name=f"{name}-{number}", daemon=True) for number in range(count)
        ]
        self._started = False

    def submit(self, work: Work) -> Future[None]:
        """Have it done; once the threads are closed, the future is cancelled from the start."""
        future: Future[None] = Future()
        with self._change:
            if not self._closed:
                self._start()
                self._waiting.append((future, work))
                self._change.notify()
                return future
        future.cancel()
        return future

    def close(self) -> None:
        """Cancel what waits and let the threads go, each after what it is at; nobody waits for them."""
        with self._change:
            self._closed = True
            waiting = list(self._waiting)
            self._waiting.clear()
            self._change.notify_all()
        for future, _ in waiting:
            future.cancel()

    def _start(self) -> None:
        if not self._started:
            self._started = True
            for thread in self._threads:
                thread.start()

    def _serve(self) -> None:
        while True:
            with self._change:
                self._change.wait_for(lambda: self._waiting or self._closed)
                if not self._waiting:
                    return
                future, work = self._waiting.popleft()
            if future.set_running_or_notify_cancel():
                _done(future, work)
            del future, work  # what they hold must not live until the next work comes


def _done(future: Future[None], work: Work) -> None:
    try:
        work()
    except BaseException as error:
        future.set_exception(error)
    else:
        future.set_result(None)
