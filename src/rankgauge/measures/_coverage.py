"""Which subtopics a ranking covers, how often before, and the ranking that covers them best."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankgauge.judged import BoolArray, FloatArray, IntArray, JudgedRun, Numbers, Subtopics, places

SAME = 1 - 1e-12


@dataclass(frozen=True, eq=False)
class Coverage:
    """Relevant (document, subtopic) pairs of a ranking, by query, rank and subtopic.

    Formulas use these words: `rank` int64[C] of each pair's document, `again` int64[C] how many documents
    above cover the same subtopic, `sum(x)` per query.
    """

    query: IntArray
    subtopic: IntArray
    rank: IntArray
    Q: int

    @cached_property
    def again(self) -> IntArray:
        """Number of documents above that cover the same subtopic, int64[C]."""
        order = np.argsort(self.subtopic, kind="stable")
        count = np.empty(len(order), dtype=np.int64)
        count[order] = places(self.subtopic[order], int(self.subtopic.max(initial=-1)) + 1) - 1
        return count

    def novelty(self, alpha: float) -> FloatArray:
        """Gain of each pair, (1-α)^again, float64[C]."""
        factors = np.full(self.again.max(initial=0) + 1, 1 - alpha)
        factors[0] = 1.0
        powers: FloatArray = np.multiply.accumulate(factors)[self.again]
        return powers

    def sum(self, values: Numbers) -> FloatArray:
        """Add up the pairs of each query, in rank order, float64[Q]."""
        return np.bincount(self.query, weights=values, minlength=self.Q).astype(np.float64, copy=False)


def covered(j: JudgedRun) -> Coverage:
    """Return what the ranking covers within its cutoff."""
    assert j.share is None, "what is new has no meaning over spread ties"
    return _coverage(j, _pairs(j).rank)


def greedy(j: JudgedRun, alpha: float) -> Coverage:
    """Return what the greedy ideal ranking covers within the cutoff."""
    pairs = _pairs(j)
    relevant = pairs.grade >= j.level
    if j.candidates is not None:
        return _coverage(j, greedy_ranks(pairs, relevant & (pairs.rank > 0), alpha))
    key = (j.level, alpha)
    if key not in pairs.ideals:
        pairs.ideals[key] = greedy_ranks(pairs, relevant, alpha)
    return _coverage(j, pairs.ideals[key])


def subtopics(j: JudgedRun) -> IntArray:
    """Number of subtopics with a relevant document, int64[Q]."""
    pairs = _pairs(j)
    relevant = pairs.grade >= j.level
    one_of_each = np.unique(pairs.subtopic[relevant], return_index=True)[1]
    return np.bincount(pairs.query[relevant][one_of_each], minlength=j.Q).astype(np.int64)


def relevant_of_each(j: JudgedRun, rows: Coverage) -> IntArray:
    """Number of relevant documents of each row's subtopic, int64[C]."""
    pairs = _pairs(j)
    counts = np.bincount(pairs.subtopic[pairs.grade >= j.level], minlength=int(pairs.subtopic.max()) + 1)
    return counts.astype(np.int64)[rows.subtopic]


def greedy_ranks(pairs: Subtopics, usable: BoolArray, alpha: float) -> IntArray:
    """Rank of each pair's document in the greedy ideal of the usable pairs, int64[S], 0 for the others.

    Next comes the document with the largest gain after those before it; of several the one with the largest
    id, as in ndeval. All queries take their next document at once.
    """
    rows = np.flatnonzero(usable)
    weight = np.ones(int(pairs.subtopic.max(initial=-1)) + 1)
    rank_of = np.zeros(int(pairs.doc.max(initial=-1)) + 1, dtype=np.int64)
    rank = 0
    while len(rows):
        rank += 1
        chosen = _next_documents(pairs.query[rows], pairs.doc[rows], weight[pairs.subtopic[rows]])
        rank_of[chosen] = rank
        taken = rank_of[pairs.doc[rows]] > 0
        weight[pairs.subtopic[rows[taken]]] *= 1 - alpha
        rows = rows[~taken]
    return rank_of[pairs.doc]


def _next_documents(query: IntArray, doc: IntArray, weight: FloatArray) -> IntArray:
    """Of each query the document with the largest sum of weights; of equals, up to rounding, the last."""
    new = np.append(True, doc[1:] != doc[:-1])
    heads = np.flatnonzero(new)
    gain = np.bincount(np.cumsum(new) - 1, weights=weight)
    query = query[heads]
    starts = np.flatnonzero(np.append(True, query[1:] != query[:-1]))
    best = np.repeat(np.maximum.reduceat(gain, starts), np.diff(np.append(starts, len(query))))
    last = np.maximum.reduceat(np.where(gain >= best * SAME, np.arange(len(gain)), -1), starts)
    return doc[heads[last]]


def _pairs(j: JudgedRun) -> Subtopics:
    assert j.subtopics is not None, "measures with subtopics=True are asked of subtopic qrels only"
    return j.subtopics


def _coverage(j: JudgedRun, rank: IntArray) -> Coverage:
    pairs = _pairs(j)
    seen = (rank > 0) & (pairs.grade >= j.level)
    rows = np.flatnonzero(seen if j.cutoff is None else seen & (rank <= j.cutoff))
    rows = rows[np.lexsort((rank[rows], pairs.query[rows]))]
    return Coverage(pairs.query[rows], pairs.subtopic[rows], rank[rows], j.Q)
