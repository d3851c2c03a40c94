"""Work that requests must not wait for: a thread, and a bounded queue before it."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

Item = TypeVar("Item")

CLOSING = 30.0


class Background(Generic[Item]):
    """Does work on blocks of items, in order, in a thread of its own. What does not fit in the queue is dropped.

    Parameters
    ----------
    work : told each block, from the thread; what it raises costs the block, not the thread
    waiting : items that may wait
    every : seconds from a block's first item until it is worked on
    many : items after which it is worked on at once
    """

    def __init__(
        self, name: str, work: Callable[[list[Item]], None], *, waiting: int = 10_000, every: float = 0.0,
        many: int = 1000,
    ) -> None:  # fmt: skip
        self.work, self.every, self.many = work, every, many
        self.dropped = self.failed = 0
        self.fault = ""
        self._queue: queue.Queue[Item | None] = queue.Queue(waiting)
        self._lock, self._closed = threading.Lock(), False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    @property
    def alive(self) -> bool:
        """Whether the thread is there."""
        return self._thread.is_alive()

    def __len__(self) -> int:
        return self._queue.qsize()

    def put(self, item: Item) -> bool:
        """Leave an item, if there is room; never waits."""
        with self._lock:
            if not self._closed and not self._queue.full():
                self._queue.put_nowait(item)
                return True
            self.dropped += 1
            return False

    def close(self) -> None:
        """Finish what waits, and end."""
        with self._lock:
            first, self._closed = not self._closed, True
        if first:
            self._queue.put(None)
        self._thread.join(CLOSING)

    def _run(self) -> None:
        more = True
        while more:
            block, more = self._block()
            if not block:
                continue
            try:
                self.work(block)
            except Exception as error:
                # A full disk, a closed pipe: the next block may be luckier.
                self.failed += len(block)
                self.fault = f"{type(error).__name__}: {error}"

    def _block(self) -> tuple[list[Item], bool]:
        """The next items, and whether there will be more."""
        first = self._queue.get()
        if first is None:
            return [], False
        block, until = [first], time.monotonic() + self.every
        while len(block) < self.many:
            try:
                left = until - time.monotonic()
                item = self._queue.get(timeout=left) if left > 0 else self._queue.get_nowait()
            except queue.Empty:
                break
            if item is None:
                return block, False
            block.append(item)
        return block, True
