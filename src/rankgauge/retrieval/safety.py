"""The second stage under guard: whatever becomes of it, the answer goes out in time, and says what it is.

A guard has its own few threads. A request waits for one in a short queue, or goes without; its head is scored in small
chunks, as many as fit before the deadline. Errors, hangs and floods cost the second stage, never the answer.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import CancelledError, Future
from concurrent.futures import TimeoutError as NotInTime
from dataclasses import dataclass

import numpy as np

from rankgauge.retrieval._chunks import Job, OnFault, Scoring
from rankgauge.retrieval._threads import Threads
from rankgauge.retrieval.breaker import Breaker, BreakerRules, Clock, Permit, State
from rankgauge.retrieval.limits import Limits, Reason
from rankgauge.retrieval.protocols import Hits
from rankgauge.retrieval.rerank import Candidates, Reranked, SecondStage, Texts, checked_depth, merged

__all__ = ["Guard", "Limits", "Reason", "Standing"]

WARM = "warm up " * 64
SAID = 300
"""Characters of a fault that are kept to be told."""


@dataclass(frozen=True)
class Standing:
    """How a guard stands: for metrics and health checks.

    Attributes
    ----------
    state : of the breaker
    busy, waiting : requests that are being reranked, and that wait for it
    pair : estimated seconds of a pair, None before the first
    answers : how many answers there were by status and reason
    cut : texts that were cut
    hanging : busy workers whose answer has long gone out without them
    fault : what the second stage last raised, empty where it never did
    """

    state: State
    busy: int
    waiting: int
    pair: float | None
    answers: Mapping[tuple[str, str], int]
    cut: int
    hanging: int = 0
    fault: str = ""


class Guard:
    """Runs a second stage within limits, in threads of its own; a `Rerank` for `TwoStage`.

    It never raises for what the second stage does. Memory is bounded by limits times workers, since texts are
    fetched and cut chunk by chunk. Each second stage wants a guard of its own: what a pair takes, and what fails, is
    counted for one.

    Parameters
    ----------
    breaker : where none is given, one that takes a call for slow if it took longer than the budget
    on_fault : told what the second stage raised, by a worker: for logs
    """

    def __init__(
        self, limits: Limits | None = None, breaker: Breaker | None = None, *, clock: Clock = time.monotonic,
        on_fault: OnFault | None = None,
    ) -> None:  # fmt: skip
        self.limits, self.clock = limits or Limits(), clock
        self.breaker = breaker or Breaker(BreakerRules(slow_after=self.limits.budget), clock=clock)
        self._scoring = Scoring(self.limits, clock, self._faulted)
        self._pool = Threads(self.limits.workers, "rerank")
        self._places = threading.Semaphore(self.limits.workers + self.limits.waiting)
        self._lock = threading.Lock()
        self._answers: Counter[tuple[str, str]] = Counter()
        self._running: set[Job] = set()
        self._held, self._fault, self._on_fault = 0, "", on_fault
        self._closed = False

    def __call__(
        self, stage: SecondStage, query: str, hits: Hits, texts: Texts, *, depth: int, until: float | None = None
    ) -> Reranked:
        """Rerank the head, or as much of it as can be; `until` is a moment on the guard's clock."""
        job = self._admitted(stage, query, hits, texts, depth, until)
        if isinstance(job, Reranked):
            return self._counted(job)
        future = self._sent(job)
        try:
            future.result(timeout=max(0.0, job.until - self.clock()))
        except (NotInTime, CancelledError):
            pass
        except BaseException:
            self._abandoned(job, future)
            raise
        return self._counted(self._collected(job, future, hits))

    async def aanswer(
        self, stage: SecondStage, query: str, hits: Hits, texts: Texts, *, depth: int, until: float | None = None
    ) -> Reranked:
        """Do the same without blocking the event loop; a task that is cancelled says nothing to the breaker."""
        job = self._admitted(stage, query, hits, texts, depth, until)
        if isinstance(job, Reranked):
            return self._counted(job)
        future = self._sent(job)
        waited = asyncio.wrap_future(future)
        try:
            await asyncio.wait({waited}, timeout=max(0.0, job.until - self.clock()))
        except BaseException:
            self._abandoned(job, future)
            raise
        finally:
            waited.cancel()  # a worker that comes back when the loop is gone has nobody to tell
        return self._counted(self._collected(job, future, hits))

    def warm(self, stage: SecondStage, text: str = WARM, *, texts: Sequence[str] = ()) -> None:
        """Score one chunk, so that the first request's estimate is not a guess; what it raises is raised.

        Parameters
        ----------
        text : stands for query and texts; as long as texts usually are
        texts : some of the real ones instead
        """
        said = (list(texts) or [text])[: self.limits.chunk]
        said = (said * self.limits.chunk)[: self.limits.chunk]
        candidates = Candidates(text[:64], Hits(("",) * len(said), np.zeros(len(said))), tuple(said))
        stage.score(candidates)
        begun = self.clock()
        stage.score(candidates)
        self._scoring.pace.learn(self.clock() - begun, len(said))

    def standing(self) -> Standing:
        """Say how it stands."""
        with self._lock:
            busy = len(self._running)
            return Standing(
                self.breaker.state, busy, max(0, self._held - busy), self._scoring.pace.pair, dict(self._answers),
                self._scoring.cut, self._hanging(), self._fault,
            )  # fmt: skip

    def close(self) -> None:
        """Let nothing more in; who waits is answered without the second stage, and what runs may end."""
        self._closed = True
        self._pool.close()

    def _admitted(
        self, stage: SecondStage, query: str, hits: Hits, texts: Texts, depth: int, until: float | None
    ) -> Job | Reranked:
        head, now = hits.top(checked_depth(depth)), self.clock()
        if not len(head):
            return merged(hits, np.zeros(0))
        found = self._permit(len(head), query)
        if isinstance(found, str):
            return _skipped(hits, found)
        latest = now + self.limits.budget
        return Job(stage, query, head, texts, now, latest if until is None else min(until, latest), found)

    def _permit(self, pairs: int, query: str) -> Permit | Reason:
        if pairs > self.limits.pairs or len(query) > self.limits.query:
            return "over_limit"
        if self._closed:
            return "closed"
        permit = self.breaker.ask()
        if permit is None:
            return "breaker_open"
        with self._lock:
            hanging = self._hanging() >= self.limits.workers
        if hanging:
            permit.failed()
            return "hanging"
        if not self._places.acquire(blocking=False):
            permit.dropped()
            return "queue_full"
        return permit

    def _sent(self, job: Job) -> Future[None]:
        with self._lock:
            self._held += 1
        future = self._pool.submit(lambda: self._run(job))
        future.add_done_callback(lambda _: self._out(job))
        return future

    def _run(self, job: Job) -> None:
        with self._lock:
            self._running.add(job)
        try:
            self._scoring.run(job)
        finally:
            with self._lock:
                self._running.discard(job)

    def _out(self, job: Job) -> None:
        """Give the place back, once the worker is out, or was never in."""
        job.permit.dropped()
        with self._lock:
            self._held -= 1
        self._places.release()

    def _abandoned(self, job: Job, future: Future[None]) -> None:
        """Nobody waits for it any more: the worker is to stop at the next chunk."""
        job.left = True
        job.permit.dropped()
        future.cancel()

    def _collected(self, job: Job, future: Future[None], hits: Hits) -> Reranked:
        if not future.done():
            job.left = True
            if not future.cancel():
                self._scoring.late(job)
        elif not future.cancelled():
            future.result()  # a fault of ours, or of `on_fault`
        done = list(job.scores)
        scores = np.concatenate(done) if done else np.zeros(0)
        if len(scores) == len(job.head):
            return merged(hits, scores)
        reason = job.reason or ("closed" if self._closed else "timeout")
        if not len(scores):
            return _skipped(hits, reason)
        return merged(hits, scores, status="partial", reason=reason)

    def _hanging(self) -> int:
        """How many workers are in a chunk that takes longer than a whole budget, their answers sent without it."""
        now = self.clock()
        return sum(job.left and job.in_chunk(now) >= self.limits.budget for job in self._running)

    def _faulted(self, reason: Reason, error: BaseException) -> None:
        with self._lock:
            self._fault = f"{type(error).__name__}: {error}"[:SAID]
        if self._on_fault is not None:
            self._on_fault(reason, error)

    def _counted(self, found: Reranked) -> Reranked:
        with self._lock:
            self._answers[found.status, found.reason] += 1
        return found


def _skipped(hits: Hits, reason: Reason) -> Reranked:
    return merged(hits, np.zeros(0), status="skipped", reason=reason)
