"""One request's head, scored in chunks by a worker, as far as its time goes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from rankgauge.records._columns import FloatArray
from rankgauge.retrieval.breaker import Clock, Permit
from rankgauge.retrieval.limits import Limits, Reason
from rankgauge.retrieval.protocols import Hits
from rankgauge.retrieval.rerank import Candidates, SecondStage, Texts
from rankgauge.retrieval.workers import WorkerAway, WorkerLost, lacks_memory

OnFault = Callable[[Reason, BaseException], None]

ALPHA = 0.2
"""Weight of the newest chunk in the estimate of what a pair takes."""
SMALL = 4
"""Pairs below which a chunk is not worth its while, unless it is the first."""
RESERVE = 1.2
"""How much more than estimated a chunk may take and still be in time."""
FRESH = 0.1
"""Share of a request's time that it may have waited, to have its first chunk scored whatever the estimate says."""
DRAGGING = 0.5
"""Share of the budget from which one chunk that missed the deadline counts as a failure."""


class NotScores(Exception):
    """What came back is not one finite score per pair."""


@dataclass(eq=False)
class Job:
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
    tried: bool = False
    chunk_began: float | None = None
    left: bool = False
    reason: Reason | Literal[""] = ""

    def in_chunk(self, now: float) -> float:
        """Seconds that the chunk which is being scored has taken so far."""
        return 0.0 if self.chunk_began is None else now - self.chunk_began


class Pace:
    """What a pair takes, by what pairs took: an average in which older chunks fade."""

    def __init__(self, most: float) -> None:
        self.most, self.pair = most, None
        self._lock = threading.Lock()

    pair: float | None

    def learn(self, seconds: float, pairs: int) -> None:
        """A chunk took so long. Beyond the whole budget for one pair, how much longer says nothing."""
        with self._lock:
            pair = min(seconds / pairs, self.most)
            self.pair = pair if self.pair is None else (1 - ALPHA) * self.pair + ALPHA * pair

    def fits(self, seconds: float, most: int) -> int:
        """How many pairs, up to `most`, will be done in this time."""
        if not self.pair:
            return most
        return min(most, int(seconds / (RESERVE * self.pair)))


class Scoring:
    """What a worker does with a job."""

    def __init__(self, limits: Limits, clock: Clock, on_fault: OnFault) -> None:
        self.limits, self.clock = limits, clock
        self.pace = Pace(limits.budget)
        self.cut = 0
        self._on_fault = on_fault
        self._lock = threading.Lock()

    def run(self, job: Job) -> None:
        """Score as much as can be, and tell the breaker how it went. A fault of the second stage is not raised."""
        job.began = self.clock()
        try:
            self._score(job)
        except BaseException as error:  # some libraries' panics are no Exception
            job.chunk_began = None
            job.reason = reason_of(error)
            if isinstance(error, WorkerAway):
                job.permit.dropped()  # it took no time, and its keeper lets it rest already
            else:
                job.permit.failed()
            self._on_fault(job.reason, error)
        else:
            if job.tried:
                job.permit.succeeded(self.clock() - job.began)

    def late(self, job: Job) -> None:
        """The deadline passed while the job ran: if one chunk took most of the budget, that is a failure."""
        if job.in_chunk(self.clock()) >= DRAGGING * self.limits.budget:
            job.permit.failed()

    def _score(self, job: Job) -> None:
        low = 0
        while low < len(job.head):
            pairs = self._next(job, len(job.head) - low)
            if not pairs:
                return
            job.tried, job.chunk_began = True, self.clock()
            begun = job.chunk_began
            scores = self._chunk(job, low, low + pairs)
            job.chunk_began = None
            self.pace.learn(self.clock() - begun, pairs)
            if job.left:
                return
            job.scores.append(scores)
            low += pairs

    def _next(self, job: Job, rest: int) -> int:
        """How many pairs to score next, 0 where no more will be done in time, by what pairs took so far.

        The first chunk of a request that hardly waited is always tried: a wrong estimate would never be mended
        otherwise. After a wait it is not, so that a flood does not fill the workers with what comes too late.
        """
        now = self.clock()
        if job.left or now >= job.until:
            job.reason = "timeout"
            return 0
        most = min(self.limits.chunk, rest)
        fits = self.pace.fits(job.until - now, most)
        if not job.scores and now - job.asked <= FRESH * (job.until - job.asked):
            return max(1, fits)
        if fits >= min(SMALL, most):
            return fits
        job.reason = "budget" if job.scores else "timeout"
        return 0

    def _chunk(self, job: Job, low: int, high: int) -> FloatArray:
        hits = Hits(job.head.docs[low:high], job.head.scores[low:high])
        texts = tuple(job.texts(hits.docs))
        long = sum(len(text) > self.limits.text for text in texts)
        if long:
            texts = tuple(text[: self.limits.text] for text in texts)
            with self._lock:
                self.cut += long
        scores = np.asarray(job.stage.score(Candidates(job.query, hits, texts)), dtype=np.float64)
        if scores.shape != (high - low,) or not np.isfinite(scores).all():
            raise NotScores(f"{job.stage.name}: expected {high - low} finite scores, got {scores!r:.200}")
        return scores


def reason_of(error: BaseException) -> Reason:
    """Put an error under one of the reasons."""
    if isinstance(error, NotScores):
        return "not_scores"
    if isinstance(error, WorkerLost):
        return "worker_lost"
    return "out_of_memory" if lacks_memory(error) else "error"
