"""One run judged under many rules: what the rules share is joined, placed and computed once."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from rankgauge.conventions import Convention
from rankgauge.engines import closed_forms
from rankgauge.engines import ties as ties_
from rankgauge.engines.memory import counted, finished, judge, judgments, rejudged, without_self
from rankgauge.judged import BoolArray, FloatArray, IntArray, JudgedRun
from rankgauge.measures import Measure
from rankgauge.reconciliation.space import Axis, Space
from rankgauge.records import Qrels, Run
from rankgauge.records.scores import average

FEW_TIED = 200
"""Judged documents in ties, up to which all their orders are gone through for measures without a closed form."""
JUDGED_BY = ("drop_self", "order", "score_type", "ties", "negative", "ideal")


@dataclass(frozen=True)
class Outcome:
    """One measure under one convention.

    Attributes
    ----------
    values : float64[Q], NaN where undefined
    counted : bool[Q], which queries the mean is over
    mean : None where no value is defined
    """

    values: FloatArray
    counted: BoolArray
    mean: float | None

    @property
    def n(self) -> int:
        """How many queries the mean is over."""
        return int((self.counted & ~np.isnan(self.values)).sum())


class Judging:
    """The judged forms of one run; rules that lead to the same ranking share one.

    Parameters
    ----------
    by_rank : the run as read by its rank column, where that is known
    """

    def __init__(self, qrels: Qrels, run: Run, by_rank: Run | None = None) -> None:
        self.qrels = qrels
        self.name = run.name
        self.known = judgments(qrels)
        self._orders = {"score": run, "input": run, "rank": run if by_rank is None else by_rank}
        self._bare: dict[tuple[str, bool], Run] = {}
        self._placed: dict[Any, tuple[bytes, JudgedRun]] = {}
        self._forms: dict[Any, tuple[int, JudgedRun, bool]] = {}
        self._numbers: dict[Any, int] = {}
        self._spread: dict[tuple[int, bool], JudgedRun] = {}
        self._vectors: dict[tuple[int, Measure], FloatArray] = {}
        self._means: dict[Any, Outcome] = {}

    def run(self, rules: Convention) -> Run:
        """The run that the rules look at: by its score or its ranks, with or without the queries' own documents."""
        key = rules.order, rules.drop_self
        if key not in self._bare:
            run = self._orders[rules.order]
            self._bare[key] = without_self(run)[0] if rules.drop_self else run
        return self._bare[key]

    def form(self, rules: Convention) -> tuple[int, JudgedRun, bool]:
        """Number of the judged run, the run itself, and whether its values are means over orders of ties."""
        key = tuple(getattr(rules, name) for name in JUDGED_BY)
        if key not in self._forms:
            digest, placed = self._place(rules)
            expected = rules.ties == "expected" and bool((placed.last > placed.first).any())
            spread = _digest(placed.first, placed.last) if expected else b""
            whole = digest, spread, self._ideal(placed, rules), self._negative(rules)
            number = self._numbers.setdefault(whole, len(self._numbers))
            self._forms[key] = number, rejudged(placed, rules), expected
        return self._forms[key]

    def _place(self, rules: Convention) -> tuple[bytes, JudgedRun]:
        run = self.run(rules)
        how = replace(rules, ties="docid-desc") if rules.ties == "expected" else rules
        if rules.order == "input" or run.ranks is not None:
            how = replace(how, ties="docid-desc", score_type="float64")
        by_rank = rules.order == "rank" and self._orders["rank"] is not self._orders["score"]
        key = rules.drop_self, by_rank, rules.order == "input", how.ties, how.score_type
        if key not in self._placed:
            judged = judge(self.qrels, run, how, known=self.known)
            self._placed[key] = _digest(judged.query, judged.grade, judged.rank, judged.depth), judged
        return self._placed[key]

    def _ideal(self, placed: JudgedRun, rules: Convention) -> bool:
        """Whether the ideal is made of fewer documents than all that were judged."""
        return rules.ideal == "retrieved" and len(placed.grade) < len(self.known.grade)

    def _negative(self, rules: Convention) -> str:
        return rules.negative if (self.known.grade < 0).any() else ""

    def key(self, measure: Measure, rules: Convention) -> tuple[int, Measure]:
        """What the values depend on."""
        return self.form(rules)[0], measure

    def values(self, measure: Measure, rules: Convention) -> FloatArray:
        """Each query's value before the convention says what an undefined one becomes, float64[Q]."""
        number, judged, expected = self.form(rules)
        if (number, measure) not in self._vectors:
            found = self._expected(number, measure, judged) if expected else measure.of(judged)
            self._vectors[number, measure] = found
        return self._vectors[number, measure]

    def _expected(self, number: int, measure: Measure, judged: JudgedRun) -> FloatArray:
        """Means over the orders of ties; linear measures share the ranking whose ties are spread."""
        if not measure.declared.linear:
            return ties_.expected(measure, judged).values
        key = number, bool(measure.parameters["judged_only"])
        if key not in self._spread:
            self._spread[key] = ties_.spread(judged.condensed() if key[1] else judged)
        return measure(judged_only=False).of(self._spread[key])

    def can_average_ties(self, measure: Measure) -> bool:
        """Whether means over the orders of ties are had without going through many orders."""
        if measure.declared.linear or closed_forms.known(measure) is not None:
            return True
        _, judged, _ = self.form(Convention("", ""))
        return int((judged.last > judged.first).sum()) <= FEW_TIED

    def outcome(self, measure: Measure, rules: Convention) -> Outcome:
        """Each query's value under the convention, and their mean."""
        values = self.values(measure, rules)
        _, judged, _ = self.form(rules)
        mask = counted(judged.at(rules.level), rules)
        key = values.tobytes(), mask.tobytes(), rules.undefined, rules.decimals, measure.declared.average
        if key not in self._means:
            final = finished(values, rules)
            kept = final[mask]
            self._means[key] = Outcome(final, mask, average(kept[~np.isnan(kept)], measure.declared.average))
        return self._means[key]

    def merged(self, space: Space) -> Space:
        """Merge the options of the judging axes that lead to the same judged runs whatever the others are."""
        judging = [axis for axis in space.axes if axis.name in JUDGED_BY]
        forms = {
            options: self.form(
                Convention("", "", **dict(axis.options[o][0] for axis, o in zip(judging, options, strict=True)))
            )[0]
            for options in product(*(range(len(axis.options)) for axis in judging))
        }
        return Space(space.measure, tuple(_merged(axis, judging, forms) for axis in space.axes))


def _merged(axis: Axis, judging: list[Axis], forms: dict[tuple[int, ...], int]) -> Axis:
    if axis not in judging:
        return axis
    at = judging.index(axis)
    seen: dict[tuple[int, ...], int] = {}
    column: Callable[[int], tuple[int, ...]] = lambda o: tuple(n for key, n in forms.items() if key[at] == o)  # noqa: E731
    return axis.merged([seen.setdefault(column(option), option) for option in range(len(axis.options))])


def _digest(*arrays: IntArray | FloatArray) -> bytes:
    found = hashlib.blake2b(digest_size=16)
    for part in arrays:
        found.update(part.tobytes())
    return found.digest()
