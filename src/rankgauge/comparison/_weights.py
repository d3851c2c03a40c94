"""What a document of a grade at a rank adds to a measure, found out by asking the measure itself.

Rankings with one judged document are measured: one for each grade and rank. Further rankings show whether what
a document adds depends on other documents.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankgauge.comparison._world import Side, World
from rankgauge.conventions import Convention
from rankgauge.errors import ParameterError
from rankgauge.judged import FloatArray, IntArray, JudgedRun, Judgments
from rankgauge.measures import Measure

SAME = 1e-12


@dataclass(frozen=True, eq=False)
class Weights:
    """What one document adds.

    Attributes
    ----------
    grades : float64[G], ascending, the first is 0
    added : float64[G, K], by grade and rank from 1 to K; nothing below
    """

    grades: FloatArray
    added: FloatArray

    def of_holes(self, world: World, how: Convention) -> FloatArray:
        """What each hole adds to the difference (or to the value of the one side) at each grade, float64[G, U]."""
        total = np.zeros((len(self.grades), len(world.query)))
        for side in world.sides:
            total[:, side.hole] += side.sign * self._at(side, averaged=how.ties == "expected")
        return total

    def _at(self, side: Side, *, averaged: bool) -> FloatArray:
        """What each hole of a side adds, float64[G, S]: at its rank, or on average over those of its tie."""
        K = self.added.shape[1]
        low, high = (side.first, side.last) if averaged else (side.rank, side.rank)
        summed = np.concatenate([np.zeros((len(self.grades), 1)), np.cumsum(self.added, axis=1)], axis=1)
        if not averaged:
            padded = np.concatenate([self.added, np.zeros((len(self.grades), 1))], axis=1)
            return padded[:, np.minimum(side.rank - 1, K)]
        spread: FloatArray = (summed[:, np.minimum(high, K)] - summed[:, np.minimum(low - 1, K)]) / (high - low + 1)
        return spread


def takes(measure: Measure, grades: FloatArray) -> bool:
    """Whether the measure has a value for documents of these grades; a table of gains or a top grade may forbid it."""
    query, one = np.arange(len(grades)), np.ones(len(grades), dtype=np.int64)
    known = Judgments(query, grades, len(grades), float(grades.max()))
    try:
        measure.of(_ranking(query, grades, one, known, 1))
    except ParameterError:
        return False
    return True


def fixed_weights(measure: Measure, grades: FloatArray, deepest: int, top_grade: float) -> Weights | None:
    """Weights of a measure that adds up documents, each by its grade and rank alone; None for any other measure."""
    if not measure.declared.linear or measure.declared.subtopics:
        return None
    K = deepest if measure.cutoff is None else min(measure.cutoff, deepest)
    K = max(K, 2)
    ask = _Question(measure, K, top_grade)
    added = ask.singles(grades)
    if not np.isfinite(added).all() or not _same(added[0], 0.0):
        return None
    top = added[np.searchsorted(grades, top_grade)]
    others = (ask.singles(grades, further=1), ask.singles(grades, longer=1))
    alone = all(_same(other, added) for other in others) and _same(ask.pairs(), top[:-1] + top[1:])
    return Weights(grades, added) if alone else None


def shared_weights(measure: Measure, deepest: int, most: int, top_grade: float) -> tuple[Weights, FloatArray] | None:
    """Weights by rank of a measure that divides them by a number that depends on R alone; and that number.

    Returns weights (grades 0 and relevant) and divisors float64[most + 1], NaN for R = 0; None for other measures.
    """
    if not (measure.declared.linear and measure.declared.binary) or measure.declared.subtopics:
        return None
    K = max(deepest if measure.cutoff is None else min(measure.cutoff, deepest), 2)
    ask = _Question(measure, K, top_grade)
    grades = np.array([0.0, max(top_grade, measure.parameters["rel"])])
    added = ask.singles(grades, further=1)
    if not np.isfinite(added).all() or not _same(added[0], 0.0) or added[1, 0] <= 0:
        return None
    share = ask.at_the_top(most)
    for further in {0, 2, max(most // 2, 1), max(most - 1, 1)}:
        found = ask.singles(grades[1:], further=further)[0]
        if not _same(found * added[1, 0], added[1] * found[0]):
            return None
    alike = _same(ask.pairs(further=1), _pairwise(ask.singles(grades, further=2)[1]))
    alike = alike and _same(ask.singles(grades, further=1, longer=1), added)
    with np.errstate(divide="ignore", invalid="ignore"):
        return (Weights(grades, added / added[1, 0]), np.append(np.nan, 1 / share)) if alike else None


def _pairwise(single: FloatArray) -> FloatArray:
    total: FloatArray = single[:-1] + single[1:]
    return total


def _same(one: FloatArray, other: FloatArray | float) -> bool:
    return bool(np.allclose(one, other, rtol=SAME, atol=SAME))


@dataclass(frozen=True)
class _Question:
    """Small rankings put to a measure."""

    measure: Measure
    K: int
    top_grade: float

    def singles(self, grades: FloatArray, *, further: int = 0, longer: int = 0) -> FloatArray:
        """What one document of each grade at each rank adds, float64[G, K].

        `further` documents of the top grade were judged and not retrieved; the ranking has `longer` · K more places.
        """
        n = len(grades) * self.K
        grade, rank = np.repeat(grades, self.K), np.tile(np.arange(1, self.K + 1), len(grades))
        return self._added(np.arange(n), grade, rank, n, further, longer).reshape(len(grades), self.K)

    def pairs(self, *, further: int = 0) -> FloatArray:
        """What two documents of the top grade at ranks i and i+1 add, float64[K-1]."""
        n = self.K - 1
        query, rank = np.repeat(np.arange(n), 2), np.arange(1, n + 1)[:, None] + np.arange(2)
        return self._added(query, np.full(2 * n, self.top_grade), rank.ravel(), n, further, 0)

    def at_the_top(self, most: int) -> FloatArray:
        """What one relevant document at rank 1 adds where R is 1 to `most`, float64[most]."""
        R = np.arange(1, most + 1)
        known = Judgments(np.repeat(np.arange(most), R), np.full(int(R.sum()), self.top_grade), most, self.top_grade)
        rank = np.ones(most, dtype=np.int64)
        return self._more(_ranking(np.arange(most), np.full(most, self.top_grade), rank, known, self.K))

    def _added(
        self, query: IntArray, grade: FloatArray, rank: IntArray, n: int, further: int, longer: int
    ) -> FloatArray:
        judged = np.concatenate([query, np.repeat(np.arange(n), further)])
        grades = np.concatenate([grade, np.full(n * further, self.top_grade)])
        order = np.lexsort((-grades, judged))
        known = Judgments(judged[order], grades[order], n, self.top_grade)
        return self._more(_ranking(query, grade, rank, known, self.K * (1 + longer)))

    def _more(self, judged: JudgedRun) -> FloatArray:
        """How much more a ranking is worth than one that shows nothing judged, with the same judgments."""
        return self.measure.of(judged) - self.measure.of(judged.rows(np.zeros(0, dtype=np.int64)))


def _ranking(query: IntArray, grade: FloatArray, rank: IntArray, known: Judgments, depth: int) -> JudgedRun:
    return JudgedRun(
        query=query,
        grade=grade.astype(np.float64),
        rank=rank,
        first=rank,
        last=rank,
        known=np.ones(len(query), dtype=np.bool_),
        depth=np.full(known.Q, depth),
        judgments=known,
    )
