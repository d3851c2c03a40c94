"""Two stages as one: candidates, then the head of them reranked, with what each stage took."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from rankgauge.errors import MethodError
from rankgauge.records._columns import FloatArray
from rankgauge.retrieval.protocols import Hits, Retriever
from rankgauge.retrieval.rerank import DEPTH, Reranked, SecondStage, Texts, checked_depth, merged, rerank

CANDIDATES = 1000

Seconds = Mapping[str, float]


@dataclass(frozen=True, eq=False)
class Answer:
    """What a query got.

    Attributes
    ----------
    query : its text
    first : the first stage's hits, all of them
    final : the list to show; its head is reranked
    seconds : what each stage took (`first`, `second`), in seconds of the clock
    """

    query: str
    first: Hits
    final: Reranked
    seconds: Seconds = field(default_factory=dict)

    @property
    def degraded(self) -> bool:
        """Whether this is less than what was asked for."""
        return self.final.degraded


class Rerank(Protocol):
    """How a pipeline has its second stage run: at once, or guarded by limits, a deadline and a breaker."""

    def __call__(
        self, stage: SecondStage, query: str, hits: Hits, texts: Texts, *, depth: int, until: float | None
    ) -> Reranked:
        """Rerank; `until` is when the answer must be there, on the clock of `time.monotonic`."""
        ...


@dataclass(frozen=True, eq=False)
class TwoStage:
    """A first stage, and a second one on the head of its list.

    Attributes
    ----------
    retriever : the first stage
    texts : texts of documents by id
    stage : the second stage; without one, the list stays as it is, and that is a full answer
    depth : how many candidates are reranked
    candidates : how many the first stage is asked for
    """

    retriever: Retriever
    texts: Texts
    stage: SecondStage | None = None
    depth: int = DEPTH
    candidates: int = CANDIDATES
    how: Rerank | None = None
    clock: Callable[[], float] = time.monotonic

    def __post_init__(self) -> None:
        checked_depth(self.depth)
        if self.candidates < 1:
            raise MethodError(f"candidates: expected 1 or more, got {self.candidates}")

    def answer(
        self, query: str, *, allowed: frozenset[str] | None = None, depth: int | None = None, until: float | None = None
    ) -> Answer:
        """Search and rerank; `until` is passed on to the second stage, if that is guarded."""
        depth = self.depth if depth is None else checked_depth(depth)
        begun = self.clock()
        hits = self.retriever.search(query, self.candidates, allowed=allowed)
        found = self.clock()
        final = self._reranked(query, hits, depth, until)
        return Answer(query, hits, final, {"first": found - begun, "second": self.clock() - found})

    def _reranked(self, query: str, hits: Hits, depth: int, until: float | None) -> Reranked:
        nothing: FloatArray = np.zeros(0)
        if self.stage is None or not depth or not len(hits):
            return merged(hits, nothing)
        if self.how is None:
            return rerank(self.stage, query, hits, self.texts, depth=depth)
        return self.how(self.stage, query, hits, self.texts, depth=depth, until=until)
