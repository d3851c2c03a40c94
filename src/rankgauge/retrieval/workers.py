"""A second stage in a process of its own: what kills it, or eats its memory, does not end the service."""

from __future__ import annotations

import multiprocessing
import resource
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

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


class WorkerError(EngineError):
    """The child process died, hung, failed, or has not come back yet."""


@dataclass(frozen=True)
class _Raised:
    """What was raised in the child, as text: exceptions of libraries do not all survive the way."""

    kind: str
    said: str
    memory: bool

    @classmethod
    def of(cls, error: Exception) -> _Raised:
        return cls(type(error).__name__, str(error), isinstance(error, MemoryError))

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

    A child that died is started again by a later call, after a wait that doubles each time it dies without having
    answered. One that does not answer within `patience` is killed.

    Parameters
    ----------
    make : makes the second stage in the child
    name : what it is called
    memory : bytes of address space that the child may have (RLIMIT_AS); beyond it, allocations in it fail
    patience : seconds that a call may take
    """

    def __init__(
        self, make: Factory, name: str, *, memory: int | None = None, patience: float = 30.0,
        clock: Clock = time.monotonic,
    ) -> None:  # fmt: skip
        self.make, self.memory, self.patience, self.clock = make, memory, patience, clock
        self._name, self._lock = name, threading.Lock()
        self._child: _Child | None = None
        self._wait, self._not_before = 0.0, 0.0
        self.starts = 0

    @property
    def name(self) -> str:
        """What it is called in runs and logs."""
        return self._name

    @property
    def pid(self) -> int | None:
        """Number of the child process, None where there is none."""
        return None if self._child is None else self._child.process.pid

    def score(self, candidates: Candidates) -> FloatArray:
        """Have the child score.

        Raises
        ------
        WorkerError
            Where the child is dead, hangs, or is not to be started yet, and for what the second stage raises.
        MemoryError
            Where the child had no memory for it; it is still there.
        """
        if not self._lock.acquire(timeout=self.patience):
            raise WorkerError(Fault(self.name, "a turn", f"none within {self.patience:g} s"))
        try:
            child = self._started()
            found = self._asked(child, candidates, "an answer of the worker process")
        finally:
            self._lock.release()
        if isinstance(found, _Raised):
            raise found.again(self.name, "scores")
        assert found is not None
        self._wait = 0.0
        return found

    def close(self) -> None:
        """End the child."""
        with self._lock:
            self._kill()

    def _started(self) -> _Child:
        if self._child is not None and self._child.process.is_alive():
            return self._child
        if self._child is not None:
            self._died()
        if self.clock() < self._not_before:
            left = self._not_before - self.clock()
            raise WorkerError(Fault(self.name, "a worker process", f"none; one is started in {left:.1f} s"))
        self._start()
        assert self._child is not None
        return self._child

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(theirs, self.make, self.memory), name=self.name, daemon=True)
        process.start()
        theirs.close()
        self.starts += 1
        self._child = _Child(process, ours)
        ready = self._asked(self._child, None, "a worker process that starts")
        if isinstance(ready, _Raised):
            self._died()
            raise ready.again(self.name, "a second stage")

    def _asked(self, child: _Child, candidates: Candidates | None, expected: str) -> Answer:
        """Send, and take the answer; a child that lets one wait too long is killed."""
        watch = threading.Timer(self.patience if candidates is not None else STARTING, child.process.kill)
        watch.daemon = True
        watch.start()
        try:
            if candidates is not None:
                child.pipe.send(candidates)
            found: Answer = child.pipe.recv()
        except (EOFError, OSError) as error:
            self._died()
            raise WorkerError(Fault(self.name, expected, "its death")) from error
        finally:
            watch.cancel()
        return found

    def _died(self) -> None:
        self._kill()
        self._wait = min(LONGEST_WAIT, 2 * self._wait or FIRST_WAIT)
        self._not_before = self.clock() + self._wait

    def _kill(self) -> None:
        if self._child is not None:
            self._child.process.kill()
            self._child.process.join(HELD)
            self._child.pipe.close()
            self._child = None


def _serve(pipe: Connection, make: Factory, memory: int | None) -> None:
    """Answer calls until the pipe is closed: scores, or what was raised."""
    if memory is not None:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    try:
        stage = make()
    except Exception as error:
        pipe.send(_Raised.of(error))
        return
    pipe.send(None)
    while True:
        try:
            candidates = pipe.recv()
        except EOFError:
            return
        try:
            found: FloatArray | _Raised = np.asarray(stage.score(candidates), dtype=np.float64)
        except Exception as error:
            found = _Raised.of(error)
        pipe.send(found)
