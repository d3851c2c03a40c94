"""The waist: a ranking whose documents have been replaced by their judgments.

Measures see this and nothing else. Its rows grow with the judgments, not with the run.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.float64] | npt.NDArray[np.int64] | npt.NDArray[np.bool_]

KEPT_CUTS = 4
"""How many cuts of a ranking are kept for the next measure: enough for @5, @10, @20, and bounded."""


@dataclass(frozen=True, eq=False)
class Subtopics:
    """Judged (document, subtopic) pairs; one row each, by query, document and subtopic.

    Attributes
    ----------
    query : int64[S]
    doc : int64[S], a number for each document of a query; a larger id has a larger number
    subtopic : int64[S], a number for each subtopic; no two queries share one
    grade : float64[S]
    judgment : int64[S], the document's row in the flat qrels
    rank : int64[S], 0 where the document was not retrieved
    ideals : places in ideal rankings that were worked out before, shared by all runs
    """

    query: IntArray
    doc: IntArray
    subtopic: IntArray
    grade: FloatArray
    judgment: IntArray
    rank: IntArray
    ideals: dict[tuple[float, float], IntArray] = field(default_factory=dict, repr=False)

    def placed(self, ranks: IntArray) -> Subtopics:
        """Return the same pairs with other ranks; `ranks` holds one for each row of the flat qrels, 0 for none."""
        return replace(self, rank=ranks[self.judgment])

    def moved(self, query: IntArray, old: IntArray, new: IntArray) -> Subtopics:
        """Return the same pairs after documents moved from `old` ranks, ascending within a query, to `new` ones.

        A document whose rank is not among the old ones is gone from the ranking.
        """
        if not len(old):
            return replace(self, rank=np.zeros_like(self.rank))
        stride = max(old.max(), self.rank.max()) + 1
        known, mine = query * stride + old, self.query * stride + self.rank
        at = np.minimum(np.searchsorted(known, mine), len(known) - 1)
        return replace(self, rank=np.where(known[at] == mine, new[at], 0))


@dataclass(frozen=True, eq=False)
class Judgments:
    """What is known of each query before any run is seen: its grades, best first.

    Attributes
    ----------
    query : int64[J], the number of each judgment's query, ascending
    grade : float64[J], descending within a query
    Q : number of queries
    top_grade : highest grade of the collection, at least 1
    subtopics : the judgments by subtopic, not placed in any ranking, where the qrels have subtopics
    """

    query: IntArray
    grade: FloatArray
    Q: int
    top_grade: float
    subtopics: Subtopics | None = field(default=None, repr=False)

    @cached_property
    def place(self) -> IntArray:
        """Place of each judgment within its query, from 1, int64[J]."""
        return places(self.query, self.Q)

    @cached_property
    def size(self) -> IntArray:
        """Number of judgments of each query, int64[Q]."""
        return np.bincount(self.query, minlength=self.Q).astype(np.int64, copy=False)

    def count(self, mask: BoolArray) -> IntArray:
        """Count the judgments that the mask picks, per query, int64[Q]."""
        return np.bincount(self.query[mask], minlength=self.Q).astype(np.int64)

    @cached_property
    def best_grade(self) -> FloatArray:
        """Highest grade of each query, float64[Q], 0 where it has none."""
        best = np.zeros(self.Q)
        np.maximum.at(best, self.query, self.grade)
        return best


@dataclass(frozen=True, eq=False)
class JudgedRun:
    """The judged documents of a run with their ranks: the language of formulas.

    One row per judged document that was retrieved, sorted by query and rank:
    `query` int64[H], `grade` float64[H], `rank` int64[H] from 1, `known` bool[H] (False for a grade that
    the convention takes as "pooled, not judged"), and the ranks `first` to `last` int64[H] over which the
    document's tie spreads. Per query: `depth` int64[Q], how many documents were retrieved. `candidates`
    holds what an ideal ranking may use where that isn't all judgments; `drop_negative` says that a
    condensed ranking has no place for negative grades.

    A formula uses these words: `grade rank rel nonrel` (per row), `R N depth` (per query), `sum(x)`,
    `cumsum(x)`, `each(q)`, `top(k)`, `ideal(gain)`. It never mentions a cutoff or a relevance level:
    `top(k)` and `at(level)` have been applied before.
    """

    query: IntArray
    grade: FloatArray
    rank: IntArray
    first: IntArray
    last: IntArray
    known: BoolArray
    depth: IntArray
    judgments: Judgments
    subtopics: Subtopics | None = None
    level: float = 1.0
    cutoff: int | None = None
    candidates: Judgments | None = None
    negative: Literal["pooled", "unjudged", "judged"] = "pooled"
    share: FloatArray | None = field(default=None, repr=False)

    @property
    def Q(self) -> int:
        """Number of queries."""
        return self.judgments.Q

    @cached_property
    def rel(self) -> BoolArray:
        """Whether each row's grade reaches the relevance level, bool[H]."""
        return self.grade >= self.level

    @cached_property
    def nonrel(self) -> BoolArray:
        """Whether each row was judged and does not reach the level, bool[H]; negative grades do not count."""
        return (self.grade >= 0) & ~self.rel

    @cached_property
    def R(self) -> IntArray:
        """Number of relevant documents in the judgments, int64[Q]."""
        return self.judgments.count(self.judgments.grade >= self.level)

    @cached_property
    def N(self) -> IntArray:
        """Number of documents judged non-relevant, int64[Q]; negative grades do not count."""
        grade = self.judgments.grade
        return self.judgments.count((grade >= 0) & (grade < self.level))

    @cached_property
    def seen(self) -> IntArray:
        """Number of retrieved documents within the cutoff, int64[Q]."""
        return self.depth if self.cutoff is None else np.minimum(self.depth, self.cutoff)

    @cached_property
    def unjudged(self) -> FloatArray:
        """Number of retrieved documents within the cutoff that nobody judged, float64[Q]."""
        return self.seen - self.sum(self.known)

    def sum(self, values: Numbers) -> FloatArray:
        """Add up the rows of each query, in rank order, float64[Q]; 0 for a query without rows.

        Additions run one after the other in rank order, as in trec_eval: the last bit agrees, and a query
        has the same sum alone and in any batch.
        """
        weights = values if self.share is None else values * self.share
        return np.bincount(self.query, weights=weights, minlength=self.Q).astype(np.float64, copy=False)

    def cumsum(self, values: Numbers) -> Numbers:
        """Running total within each query, restarted per query, one number per row."""
        assert self.share is None, "a running total has no meaning over spread ties"
        if values.dtype == np.bool_ or values.dtype.kind == "i":
            total = np.cumsum(values, dtype=np.int64)
            counted: IntArray = total - np.append(0, total)[self._starts][self.query]
            return counted
        return running(values.astype(np.float64), self.query, self.Q)

    def product_before(self, values: FloatArray) -> FloatArray:
        """Running product of the rows above each row, 1 for the first, one number per row."""
        assert self.share is None, "a running product has no meaning over spread ties"
        above = np.roll(running(values, self.query, self.Q, multiply=True), 1)
        above[self._starts[self._starts < len(above)]] = 1.0
        return above

    def until(self, other: JudgedRun, totals: Numbers) -> FloatArray:
        """Look up this ranking's running total at the rank of each row of another, float64[rows of other].

        Below its last row the total stays what it was; above its first row it is 0.
        """
        at = np.minimum(other.rank, self.depth[other.query])
        found = totals[np.maximum(self._starts[other.query] + at - 1, 0)] if len(totals) else np.zeros(len(at))
        return np.where(at > 0, found, 0.0)

    def each(self, per_query: Numbers) -> Numbers:
        """Repeat a number per query on each of its rows."""
        picked: Numbers = per_query[self.query]
        return picked

    def first_rank(self, mask: BoolArray) -> FloatArray:
        """Rank of each query's first row that the mask picks, float64[Q]; infinite where there is none."""
        found = np.full(self.Q, np.inf)
        rows = np.flatnonzero(mask)[::-1]
        found[self.query[rows]] = self.rank[rows]
        return found

    def top(self, cutoff: int | None) -> JudgedRun:
        """Return the ranking cut after its first `cutoff` documents; the last few cuts are kept for other measures."""
        if cutoff is None:
            return self
        if cutoff not in self._cuts:
            if len(self._cuts) == KEPT_CUTS:
                self._cuts.pop(next(iter(self._cuts)))
            inside = np.flatnonzero(self.rank <= cutoff)
            kept = self if len(inside) == len(self.rank) else self.rows(inside)
            self._cuts[cutoff] = replace(kept, cutoff=cutoff)
        return self._cuts[cutoff]

    def at(self, level: float) -> JudgedRun:
        """Return the same ranking with another grade from which documents are relevant."""
        return self if level == self.level else replace(self, level=level)

    def condensed(self) -> JudgedRun:
        """Return the ranking without its unjudged documents: what is judged moves up, ties stay ties.

        Any line of the qrels keeps its document, unless the convention takes negative grades as unjudged
        (trec_eval -J).
        """
        return self._condensed

    @cached_property
    def _condensed(self) -> JudgedRun:
        assert self.share is None, "condense first, then spread"
        kept = self.rows(self.grade >= 0) if self.negative == "unjudged" else self
        rank = places(kept.query, self.Q)
        new = np.ones(len(rank) + 1, dtype=np.bool_)
        new[1:-1] = (kept.query[1:] != kept.query[:-1]) | (kept.first[1:] != kept.first[:-1])
        heads = np.flatnonzero(new)
        tie = np.cumsum(new[:-1]) - 1
        depth = np.bincount(kept.query, minlength=self.Q).astype(np.int64)
        first, last = rank[heads[tie]], rank[heads[tie + 1] - 1]
        subtopics = self.subtopics and self.subtopics.moved(kept.query, kept.rank, rank)
        return replace(kept, rank=rank, first=first, last=last, depth=depth, subtopics=subtopics)

    @property
    def pool(self) -> Judgments:
        """What the ideal ranking is made of: all judgments, or those of `candidates` where they are given."""
        return self.judgments if self.candidates is None else self.candidates

    def ideal(self, gains: FloatArray) -> JudgedRun:
        """Return the best possible ranking of the pool: its documents by falling gain, cut where this one is.

        `gains` holds one gain for each row of `pool`.
        """
        source = self.pool
        order, rank = _falling(gains, source.query), source.place
        inside = slice(None) if self.cutoff is None else np.flatnonzero(rank <= self.cutoff)
        rank = rank[inside]
        return replace(
            self,
            query=source.query[inside],
            grade=source.grade[inside if isinstance(order, slice) else order[inside]],
            rank=rank,
            first=rank,
            last=rank,
            known=np.ones(len(rank), dtype=np.bool_),
            depth=source.size,
            share=None,
        )

    def rows(self, which: BoolArray | IntArray) -> JudgedRun:
        """Return the ranking with these of its rows, in this order."""
        return replace(
            self,
            query=self.query[which],
            grade=self.grade[which],
            rank=self.rank[which],
            first=self.first[which],
            last=self.last[which],
            known=self.known[which],
            share=None if self.share is None else self.share[which],
        )

    @cached_property
    def has_ties(self) -> bool:
        """Whether any row shares its score with another document."""
        return bool((self.last > self.first).any())

    @cached_property
    def orders(self) -> dict[bool, JudgedRun]:
        """The rankings with ties in their best (True) and worst order, kept for other measures by who makes them."""
        return {}

    @cached_property
    def _cuts(self) -> dict[int, JudgedRun]:
        return {}

    @cached_property
    def _starts(self) -> IntArray:
        return np.searchsorted(self.query, np.arange(self.Q))


def places(query: IntArray, Q: int) -> IntArray:
    """Count the rows of each query from 1, int64[H]; rows of a query lie together."""
    starts = np.searchsorted(query, np.arange(Q))
    return np.arange(1, len(query) + 1) - starts[query]


def _falling(gains: FloatArray, query: IntArray) -> IntArray | slice:
    """Order that makes gains fall within each query; nothing to do where they fall already."""
    rises = (gains[1:] > gains[:-1]) & (query[1:] == query[:-1])
    return np.lexsort((-gains, query)) if rises.any() else slice(None)


def running(values: FloatArray, query: IntArray, Q: int, *, multiply: bool = False) -> FloatArray:
    """Running total (or product) within each query, in row order, without a trace of other queries."""
    place = places(query, Q)
    order = np.argsort(place, kind="stable")
    borders = np.searchsorted(place[order], np.arange(1, (place.max() if len(place) else 0) + 2))
    total = np.ones(Q) if multiply else np.zeros(Q)
    result = np.empty(len(values))
    for low, high in itertools.pairwise(borders):
        rows = order[low:high]
        at = query[rows]
        total[at] = total[at] * values[rows] if multiply else total[at] + values[rows]
        result[rows] = total[at]
    return result


def ratio(part: Numbers, whole: Numbers) -> FloatArray:
    """Divide per query; where `whole` is 0 the value is undefined, written NaN."""
    safe = np.where(whole == 0, 1, whole)
    return np.where(whole == 0, np.nan, part / safe)
