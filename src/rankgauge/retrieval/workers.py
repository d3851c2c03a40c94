"""A second stage in a process of its own: what kills it, or eats its memory, does not end the service."""

from __future__ import annotations

import atexit
import contextlib
import multiprocessing
import resource
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

import numpy as np

from rankgauge.errors import EngineError, Fault
from rankgauge.records._columns import FloatArray
from rankgauge.retrieval.breaker import Clock
from rankgauge.retrieval.rerank import Candidates, SecondStage

Factory = Callable[[], SecondStage]
"""Makes the second stage in the child: a function that can be pickled, as `functools.partial(load_stage, name)`."""

STARTING = 60.0
HELD = 5.0
FIRST_WAIT, LONGEST_WAIT = 0.5, 30.0
NO_MEMORY = ("bad_alloc", "bad allocation", "failed to allocate", "out of memory", "cannot allocate memory")


class WorkerError(EngineError):
    """The second stage in the child process raised something."""


class WorkerLost(WorkerError):
    """The child process died in a call, or hung until it was killed."""


class WorkerAway(WorkerLost):
    """There is no child process at the moment; one is being started, or waits to be."""


def lacks_memory(error: BaseException) -> bool:
    """Whether memory is what was lacking; native libraries say so in an error of their own."""
    return isinstance(error, MemoryError) or any(words in str(error).lower() for words in NO_MEMORY)


@dataclass(frozen=True)
class _Raised:
    """What was raised in the child, as text: exceptions of libraries do not all survive the way."""

    kind: str
    said: str
    memory: bool

    @classmethod
    def of(cls, error: BaseException) -> _Raised:
        return cls(type(error).__name__, str(error), lacks_memory(error))

    def again(self, name: str, expected: str) -> Exception:
        """The error to raise here."""
        if self.memory:
            return MemoryError(f"{name}: {self.said}")
        return WorkerError(Fault(name, expected, f"{self.kind}: {self.said}"))


Answer = FloatArray | _Raised | None


@dataclass(frozen=True)
class _Child:
    process: BaseProcess
    pipe: Connection


class Apart:
    """Runs a second stage in a child process; calls take turns.

    Its own thread starts the child, and starts it again whenever it died, after a wait that doubles each time it did
    not live for long. No call waits for that but the first: in between, they are refused at once. A child that does not
    answer within `patience` is killed.

    Parameters
    ----------
    make : makes the second stage in the child
    name : what it is called
    memory : bytes of address space that the child may have (RLIMIT_AS); beyond it, allocations in it fail
    patience : seconds that a call may take
    waits : seconds before it is started again: at first, and at most
    """

    def __init__(
        self, make: Factory, name: str, *, memory: int | None = None, patience: float = 30.0,
        waits: tuple[float, float] = (FIRST_WAIT, LONGEST_WAIT), clock: Clock = time.monotonic,
    ) -> None:  # fmt: skip
        self.make, self.memory, self.patience, self.waits, self.clock = make, memory, patience, waits, clock
        self._name = name
        self._turn, self._lock = threading.Lock(), threading.Lock()
        self._process: BaseProcess | None = None
        self._child: _Child | None = None
        self._why: Exception | None = None
        self._keeper: threading.Thread | None = None
        self._settled, self._closing = threading.Event(), threading.Event()
        self.starts = 0

    @property
    def name(self) -> str:
        """What it is called in runs and logs."""
        return self._name

    @property
    def pid(self) -> int | None:
        """Number of the child process, None where none is ready."""
        child = self._child
        return None if child is None else child.process.pid

    def start(self) -> None:
        """Start the child, and wait until it can score; a call does it where nobody did before.

        Raises
        ------
        WorkerError
            Where it cannot be started; it is tried again, later and later.
        """
        with self._lock:
            if self._keeper is None:
                self._keeper = threading.Thread(target=self._keep, name=f"{self.name} keeper", daemon=True)
                atexit.register(self.close)  # runs before multiprocessing waits for its children, old and new
                self._keeper.start()
        self._settled.wait()
        if self._child is None and self._why is not None:
            raise self._why

    def score(self, candidates: Candidates) -> FloatArray:
        """Have the child score.

        Raises
        ------
        WorkerLost
            Where the child dies or hangs, and as WorkerAway where there is none.
        WorkerError
            For what the second stage raises.
        MemoryError
            Where the child had no memory for it; it is still there.
        """
        if self._keeper is None:
            self.start()
        if not self._turn.acquire(timeout=self.patience):
            raise WorkerLost(Fault(self.name, "a turn", f"none within {self.patience:g} s"))
        child = self._child
        try:
            if child is None:
                got = "none" if self._why is None else f"none: {self._why}"
                raise WorkerAway(Fault(self.name, "a worker process", got, "it is started again"))
            found = _asked(child, candidates, self.patience)
        except (EOFError, OSError) as error:
            assert child is not None
            self._child = None
            child.process.kill()
            raise WorkerLost(Fault(self.name, "an answer of the worker process", "its death")) from error
        finally:
            self._turn.release()
        if isinstance(found, _Raised):
            raise found.again(self.name, "scores")
        assert found is not None
        return found

    def close(self) -> None:
        """End the child; it does not come back."""
        self._closing.set()
        _kill(self._process)
        if self._keeper is not None:
            self._keeper.join(HELD)
        atexit.unregister(self.close)

    def _keep(self) -> None:
        """Have a child, until closed."""
        first, longest = self.waits
        wait = first
        while not self._closing.is_set():
            begun = self.clock()
            self._live()
            if self.clock() - begun >= longest:
                wait = first
            self._closing.wait(wait)
            wait = min(longest, 2 * wait)

    def _live(self) -> None:
        """One child's life."""
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(theirs, self.make, self.memory), name=self.name, daemon=True)
        child = _Child(process, ours)
        try:
            self._process = process
            with theirs:
                process.start()
            self.starts += 1
            if self._closing.is_set():
                return
            self._why = self._ready(child)
            if self._why is None and not self._closing.is_set():
                self._child = child
                self._settled.set()
                process.join()
        except Exception as error:
            self._why = error
        finally:
            self._child = self._process = None
            self._settled.set()
            self._bury(child)

    def _ready(self, child: _Child) -> Exception | None:
        """Wait for the second stage to be made; what kept it from that."""
        try:
            found = _asked(child, None, STARTING)
        except (EOFError, OSError):
            return WorkerLost(Fault(self.name, "a worker process that starts", "its death"))
        return found.again(self.name, "a second stage") if isinstance(found, _Raised) else None

    def _bury(self, child: _Child) -> None:
        _kill(child.process)
        with self._turn:  # who waits for its answer has seen the end of the pipe by then
            child.pipe.close()


def _kill(process: BaseProcess | None) -> None:
    """Kill a process if it was ever started."""
    if process is not None and process.pid is not None:
        process.kill()
        process.join(HELD)


def _asked(child: _Child, candidates: Candidates | None, patience: float) -> Answer:
    """Send, and take the answer; a child that lets one wait too long is killed."""
    watch = threading.Timer(patience, child.process.kill)
    watch.daemon = True
    watch.start()
    try:
        if candidates is not None:
            child.pipe.send(candidates)
        found: Answer = child.pipe.recv()
    finally:
        watch.cancel()
    return found


def _serve(pipe: Connection, make: Factory, memory: int | None) -> None:
    """Answer calls until the pipe is closed: scores, or what was raised."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever stops the service by the keyboard stops the parent
    with contextlib.suppress(OSError):  # the kernel, out of memory, is to take the child and not the service
        Path("/proc/self/oom_score_adj").write_text("800")
    if memory is not None:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    with contextlib.suppress(OSError, EOFError):  # the parent is gone
        try:
            stage = make()
        except BaseException as error:
            pipe.send(_Raised.of(error))
            return
        pipe.send(None)
        while True:
            candidates = pipe.recv()
            try:
                found: FloatArray | _Raised = np.asarray(stage.score(candidates), dtype=np.float64)
            except BaseException as error:
                found = _Raised.of(error)
            pipe.send(found)
