"""How much of the second stage one request may have, and the words for why it got less."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rankgauge.errors import MethodError

Reason = Literal[
    "over_limit", "breaker_open", "queue_full", "hanging", "timeout", "budget", "error", "out_of_memory",
    "worker_lost", "not_scores", "closed",
]  # fmt: skip
"""Why an answer is not full. `over_limit`: more candidates, or a longer query, than one request may bring;
`breaker_open`: the second stage failed or dragged too often; `queue_full`: too many requests wait; `hanging`: every
worker is in a call that does not come back; `timeout`: the deadline passed before or while it ran; `budget`: the rest
would not have been done in time; `error`, `out_of_memory`, `worker_lost` (its process died or is being started),
`not_scores` (NaN, infinite, too few): its fault; `closed`: the guard is shut down."""


@dataclass(frozen=True)
class Limits:
    """What one request may ask for, and how many may be on their way.

    Attributes
    ----------
    pairs : candidates per request; a request with more is not reranked at all
    query : characters of a query; a longer one is not reranked
    text : characters of a text; what is longer is cut, and the cut ones are counted
    chunk : candidates that are scored at a time: what a deadline can wait for, and what memory must hold
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
