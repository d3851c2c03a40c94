"""Scoring ways of fusing on queries that they did not learn from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from rankgauge.conventions import convention
from rankgauge.engines.memory import as_measures, judge, judgments, placed
from rankgauge.engines.ranking import Matches, match, query_numbers
from rankgauge.errors import MethodError
from rankgauge.fusion._collect import collect
from rankgauge.fusion._lists import Lists
from rankgauge.fusion._recipe import Recipe
from rankgauge.fusion._training import Training
from rankgauge.judged import FloatArray, IntArray, Judgments
from rankgauge.measures import Measure
from rankgauge.records import Qrels, Run

NONE = -1
"""Fold of a query that is in none: the measure is undefined for it, or nobody judged it."""


@dataclass(frozen=True, eq=False)
class Values:
    """Values of one way of fusing; queries are those of the qrels, Q of them.

    Attributes
    ----------
    apart : float64[Q], learned without the query's fold
    without : float64[folds, Q], learned without that fold and without the query's own
    """

    apart: FloatArray
    without: FloatArray


@dataclass(frozen=True, eq=False)
class Trials:
    """What stays the same while ways of fusing are tried.

    Attributes
    ----------
    lists, training : the runs, with their relevant documents marked
    qrels, known, measure : what values are made of
    singles : float64[M, Q], each run's own values
    fold : int64[Q], each judged query's fold, -1 for none
    folds : how many there are
    """

    lists: Lists
    training: Training
    qrels: Qrels
    known: Judgments
    measure: Measure
    singles: FloatArray
    fold: IntArray
    folds: int
    _prepared: dict[str | None, Lists] = field(default_factory=dict)

    @classmethod
    def of(
        cls, qrels: Qrels, runs: Sequence[Run], measure: str | Measure, *, level: float, folds: int, seed: int
    ) -> Trials:
        """Deal the queries with a defined value into folds.

        Raises MethodError for fewer than two folds or fewer such queries than folds.
        """
        (asked,) = as_measures(measure, convention("default"))
        lists, known = collect(runs), judgments(qrels)
        training = Training.of(lists, qrels, level=level)
        singles = np.stack([asked.of(judge(qrels, run, known=known)) for run in runs])
        fold = _dealt(np.flatnonzero(~np.isnan(singles).any(axis=0)), singles.shape[1], folds, seed)
        return cls(lists, training, qrels, known, asked, singles, fold, folds)

    @cached_property
    def list_fold(self) -> IntArray:
        """Fold of each query of the lists, -1 for none."""
        known = dict(zip(self.qrels.flat.queries, self.fold.tolist(), strict=True))
        return np.array([known.get(query, NONE) for query in self.lists.queries], dtype=np.int64)

    def prepared(self, recipe: Recipe) -> Lists:
        """Normalise the lists, once for all ways that share a normalisation."""
        key = None if recipe.norm is None else recipe.norm.name
        if key not in self._prepared:
            self._prepared[key] = recipe.prepared(self.lists)
        return self._prepared[key]

    def learned(self, recipe: Recipe, *left_out: int) -> FloatArray | None:
        """Learn from all queries but those of some folds."""
        return recipe.learned(self.training.on(~np.isin(self.list_fold, left_out)))

    def scores(self, recipe: Recipe, *left_out: int) -> FloatArray:
        """Score the candidates with what was learned without some folds, float64[C]."""
        return recipe.scores(self.prepared(recipe), self.learned(recipe, *left_out))

    def value(self, scores: FloatArray) -> FloatArray:
        """Measure a fused run, float64[Q]."""
        run = self.lists.to_run(scores, "fused")
        numbers, found = self._matched
        how = convention("default")
        return self.measure.of(placed(self.qrels, run, how, known=self.known, numbers=numbers, found=found))

    @cached_property
    def _matched(self) -> tuple[IntArray, Matches]:
        """Numbers of the lists' queries in the qrels, and the judged candidates: the same for all ways."""
        run = self.lists.to_run(np.zeros(self.lists.C), "candidates")
        numbers = query_numbers(self.qrels.flat, run)
        return numbers, match(self.qrels.flat, run, numbers)

    def values(self, recipe: Recipe) -> Values:
        """Values without each query's fold, and without that and one more."""
        if recipe.method.train is None:
            same = self.value(self.scores(recipe))
            return Values(same, np.broadcast_to(same, (self.folds, len(same))))
        apart = np.full(len(self.fold), np.nan)
        without = np.full((self.folds, len(self.fold)), np.nan)
        for one in range(self.folds):
            mine = self.fold == one
            apart[mine] = self.value(self.scores(recipe, one))[mine]
            for other in range(one):
                both = self.value(self.scores(recipe, one, other))
                without[other, mine] = both[mine]
                without[one, self.fold == other] = both[self.fold == other]
        return Values(apart, without)

    def by_fold(self, values: FloatArray) -> tuple[float, ...]:
        """Mean value of each fold's queries."""
        return tuple(mean(values[self.fold == number]) for number in range(self.folds))

    def best_without(self, fold: int, values: Sequence[Values]) -> int:
        """Number of the way that does best on all folds but one, the first among equals."""
        others = (self.fold != NONE) & (self.fold != fold)
        return int(np.argmax([mean(found.without[fold, others]) for found in values]))


def mean(values: FloatArray) -> float:
    """Mean of the values that are defined; -inf where none is, so that it is never the best."""
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else -np.inf


def _dealt(queries: IntArray, Q: int, folds: int, seed: int) -> IntArray:
    if folds < 2 or len(queries) < folds:
        raise MethodError(
            f"expected 2 to {len(queries)} folds for {len(queries)} judged queries with a value, got {folds}"
        )
    fold = np.full(Q, NONE, dtype=np.int64)
    fold[np.random.default_rng(seed).permutation(queries)] = np.arange(len(queries)) % folds
    return fold
