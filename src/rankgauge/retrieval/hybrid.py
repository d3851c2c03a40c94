"""Several first stages as one: their candidates, fused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rankgauge.errors import MethodError
from rankgauge.fusion import fuse
from rankgauge.retrieval.protocols import Hits, Retriever
from rankgauge.retrieval.running import run_of


class HybridRetriever:
    """Searches with each retriever, and fuses what they find.

    Each is asked for `depth` candidates, or for k where that is more: what a document gets depends on its ranks in
    lists of this length, and not on how many hits are wanted.
    """

    def __init__(
        self,
        retrievers: Sequence[Retriever],
        *,
        method: str = "rrf",
        depth: int = 1000,
        weights: Sequence[float] | None = None,
        norm: str | None = None,
        name: str | None = None,
        **parameters: Any,
    ) -> None:
        if len(retrievers) < 2:
            raise MethodError(f"hybrid: expected two or more retrievers, got {len(retrievers)}")
        if depth < 1:
            raise MethodError(f"hybrid: expected a depth of 1 or more, got {depth}")
        self.retrievers, self.depth = tuple(retrievers), depth
        self.how: dict[str, Any] = {"method": method, "weights": weights, "norm": norm, **parameters}
        self.name = name or f"{method}({','.join(retriever.name for retriever in retrievers)})"

    def __len__(self) -> int:
        return max(len(retriever) for retriever in self.retrievers)

    def search(self, query: str, k: int, *, allowed: frozenset[str] | None = None) -> Hits:
        """At most k hits of the fused list; ties by id, from high to low, as fusion has them."""
        if k < 1:
            raise MethodError(f"k: expected 1 or more, got {k}")
        return self.fused(self.candidates(query, k, allowed=allowed), k)

    def candidates(self, query: str, k: int, *, allowed: frozenset[str] | None = None) -> list[Hits]:
        """What each retriever finds."""
        return [retriever.search(query, max(k, self.depth), allowed=allowed) for retriever in self.retrievers]

    def placed(self, query: str, k: int) -> dict[str, dict[str, int]]:
        """Rank of each candidate in each retriever's list."""
        lists = zip(self.retrievers, self.candidates(query, k), strict=True)
        return {retriever.name: {doc: rank for rank, doc in enumerate(hits.docs, 1)} for retriever, hits in lists}

    def fused(self, lists: Sequence[Hits], k: int) -> Hits:
        """Fuse one query's lists, one per retriever."""
        if not any(len(hits) for hits in lists):
            return Hits((), np.zeros(0))
        runs = [run_of({"q": hits}, name=str(number)) for number, hits in enumerate(lists)]
        run = fuse(runs, **self.how)
        return Hits(tuple(run.docs[:k].to_list()), run.scores[:k])
