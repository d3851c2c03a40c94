"""The second stage under guard: whatever becomes of it, the answer goes out in time, and says what it is.

A guard has its own few threads. A request waits for one in a short queue, or goes without; its head is scored in small
chunks, as many as fit before the deadline. Errors, hangs and floods cost the second stage, never the answer.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotInTime
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from rankgauge.errors import MethodError
from rankgauge.records._columns import FloatArray
from rankgauge.retrieval.breaker import Breaker, Clock, Permit, State
from rankgauge.retrieval.protocols import Hits
from rankgauge.retrieval.rerank import Candidates, Reranked, SecondStage, Texts, merged

Reason = Literal[
    "over_limit", "breaker_open", "queue_full", "timeout", "budget", "error", "out_of_memory", "not_scores", "closed"
]
"""Why an answer is not full. `over_limit`: more candidates, or a longer query, than one request may bring;
`breaker_open`: the second stage failed or dragged too often; `queue_full`: too many requests wait; `timeout`: the
deadline passed before or while it ran; `budget`: the rest would not have been done in time; `error`,
`out_of_memory`, `not_scores` (NaN, infinite, too few): its fault; `closed`: the guard is shut down."""

ALPHA = 0.2
"""Weight of the newest chunk in the estimate of what a pair takes."""
HANGING = 0.5
"""Share of a request's time after which a worker that has not scored one chunk counts as a failure."""
FRESH = 0.1
"""Share of a request's time that it may have waited, to have its first chunk scored whatever the estimate says."""
WARM = "warm up"


@dataclass(frozen=True)
class Limits:
    """What one request may ask for, and how many may be on their way.

    Attributes
    ----------
    pairs : candidates per request; a request with more is not reranked at all
    query : characters of a query; a longer one is not reranked
    text : characters of a text; what is longer is cut, and the cut ones are counted
    chunk : candidates that are scored at a time: what a deadline can wait for
    workers : requests that are reranked at a time
    waiting : requests that wait for that
    budget : seconds that reranking may take, waiting included, where the request has no earlier deadline
    """

    pairs: int = 200
    query: int = 2000
    text: int = 8000
    chunk: int = 8
    workers: int = 1
    waiting: int = 4
    budget: float = 0.3

    def __post_init__(self) -> None:
        if min(self.pairs, self.query, self.text, self.chunk, self.workers) < 1 or self.waiting < 0 or self.budget <= 0:
            raise MethodError(f"limits: expected numbers of 1 or more, and a budget above 0, got {self}")


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
    """

    state: State
    busy: int
    waiting: int
    pair: float | None
    answers: Mapping[tuple[str, str], int]
    cut: int


@dataclass(eq=False)
class _Job:
    """One request's scores as they come; shared by the caller and a worker."""

    stage: SecondStage
    query: str
    head: Hits
    texts: Texts
    asked: float
    until: float
    permit: Permit
    scores: list[FloatArray] = field(default_factory=list)
    began: float | None = None
    left: bool = False
    reason: Reason | Literal[""] = ""


class Guard:
    """Runs a second stage within limits, in threads of its own; a `Rerank` for `TwoStage`.

    It never raises for what the second stage does; memory is bounded by limits times workers, since texts are
    fetched and cut chunk by chunk.
    """

    def __init__(
        self, limits: Limits | None = None, breaker: Breaker | None = None, *, clock: Clock = time.monotonic
    ) -> None:
        self.limits, self.breaker, self.clock = limits or Limits(), breaker or Breaker(clock=clock), clock
        self._pool = ThreadPoolExecutor(self.limits.workers, "rerank")
        self._places = threading.Semaphore(self.limits.workers + self.limits.waiting)
        self._lock = threading.Lock()
        self._answers: Counter[tuple[str, str]] = Counter()
        self._pair: float | None = None
        self._busy = self._held = self._cut = 0
        self._closed = False

    def __call__(
        self, stage: SecondStage, query: str, hits: Hits, texts: Texts, *, depth: int, until: float | None = None
    ) -> Reranked:
        """Rerank the head, or as much of it as can be; `until` is a moment on the guard's clock."""
        found = self._answer(stage, query, hits.top(depth), hits, texts, until)
        with self._lock:
            self._answers[found.status, found.reason] += 1
        return found

    def warm(self, stage: SecondStage, text: str = WARM) -> None:
        """Score one chunk, so that the first request's estimate is not a guess; what it raises is raised."""
        count = self.limits.chunk
        candidates = Candidates(text, Hits((WARM,) * count, np.zeros(count)), (text,) * count)
        stage.score(candidates)
        begun = self.clock()
        stage.score(candidates)
        self._learn((self.clock() - begun) / count)

    def standing(self) -> Standing:
        """Say how it stands."""
        with self._lock:
            waiting = max(0, self._held - self._busy)
            return Standing(self.breaker.state, self._busy, waiting, self._pair, dict(self._answers), self._cut)

    def close(self) -> None:
        """Let nothing more in; what runs may end."""
        self._closed = True
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _answer(
        self, stage: SecondStage, query: str, head: Hits, hits: Hits, texts: Texts, until: float | None
    ) -> Reranked:
        now = self.clock()
        latest = now + self.limits.budget
        until = latest if until is None else min(until, latest)
        if len(head) > self.limits.pairs or len(query) > self.limits.query:
            return _skipped(hits, "over_limit")
        if self._closed:
            return _skipped(hits, "closed")
        if not self._places.acquire(blocking=False):
            return _skipped(hits, "queue_full")
        permit = self.breaker.ask()
        if permit is None:
            self._places.release()
            return _skipped(hits, "breaker_open")
        job = _Job(stage, query, head, texts, now, until, permit)
        return self._waited(job, hits)

    def _waited(self, job: _Job, hits: Hits) -> Reranked:
        with self._lock:
            self._held += 1
        try:
            future = self._pool.submit(self._run, job)
        except RuntimeError:  # shut down since
            self._leave(job)
            return _skipped(hits, "closed")
        future.add_done_callback(lambda _: self._leave(job))
        try:
            future.result(timeout=max(0.0, job.until - self.clock()))
        except NotInTime:
            self._late(job, taken_back=future.cancel())
        except BaseException:
            # The caller is being stopped (by a signal): the worker is to stop at the next chunk.
            job.left = True
            raise
        return self._collected(job, hits)

    def _late(self, job: _Job, *, taken_back: bool) -> None:
        """The deadline has passed: leave the worker alone. One that took most of the time for nothing hangs."""
        job.left = True
        job.reason = job.reason or "timeout"
        if not taken_back and job.began is not None and not job.scores:
            if self.clock() - job.began >= HANGING * (job.until - job.asked):
                job.permit.failed()

    def _collected(self, job: _Job, hits: Hits) -> Reranked:
        done = list(job.scores)
        scores = np.concatenate(done) if done else np.zeros(0)
        if len(scores) == len(job.head):
            return merged(hits, scores)
        if not len(scores):
            return _skipped(hits, job.reason or "timeout")
        return merged(hits, scores, status="partial", reason=job.reason or "timeout")

    def _leave(self, job: _Job) -> None:
        """Give the place back, once the worker is out, or was never in."""
        job.permit.dropped()
        with self._lock:
            self._held -= 1
        self._places.release()

    def _run(self, job: _Job) -> None:
        with self._lock:
            self._busy += 1
        job.began = self.clock()
        try:
            self._score(job)
        except MemoryError:
            job.reason = "out_of_memory"
            job.permit.failed()
        except Exception:
            # Whatever a model, a driver or an API raises: the answer goes out without it.
            job.reason = job.reason or "error"
            job.permit.failed()
        else:
            if job.scores:
                job.permit.succeeded(self.clock() - job.began)
        finally:
            with self._lock:
                self._busy -= 1

    def _score(self, job: _Job) -> None:
        low = 0
        while low < len(job.head):
            high = min(low + self.limits.chunk, len(job.head))
            if not self._may_go_on(job, high - low):
                return
            begun = self.clock()
            scores = self._chunk(job, low, high)
            if job.left:
                return
            job.scores.append(scores)
            self._learn((self.clock() - begun) / (high - low))
            low = high

    def _may_go_on(self, job: _Job, pairs: int) -> bool:
        """Whether the next chunk will be done in time, by what pairs took so far.

        The first chunk of a request that hardly waited is always tried: a wrong estimate would never be mended
        otherwise. After a wait it is not, so that a flood does not fill the workers with what comes too late.
        """
        now = self.clock()
        fresh = not job.scores and now - job.asked <= FRESH * (job.until - job.asked)
        if job.left or now >= job.until:
            job.reason = "timeout"
        elif not fresh and now + pairs * (self._pair or 0.0) > job.until:
            job.reason = "budget" if job.scores else "timeout"
        return not job.reason

    def _chunk(self, job: _Job, low: int, high: int) -> FloatArray:
        hits = Hits(job.head.docs[low:high], job.head.scores[low:high])
        texts = tuple(job.texts(hits.docs))
        long = [len(text) > self.limits.text for text in texts]
        if any(long):
            texts = tuple(text[: self.limits.text] for text in texts)
            with self._lock:
                self._cut += sum(long)
        scores = np.asarray(job.stage.score(Candidates(job.query, hits, texts)), dtype=np.float64)
        if scores.shape != (high - low,) or not np.isfinite(scores).all():
            job.reason = "not_scores"
            raise ValueError(job.reason)
        return scores

    def _learn(self, pair: float) -> None:
        with self._lock:
            self._pair = pair if self._pair is None else (1 - ALPHA) * self._pair + ALPHA * pair


def _skipped(hits: Hits, reason: Reason) -> Reranked:
    return merged(hits, np.zeros(0), status="skipped", reason=reason)
