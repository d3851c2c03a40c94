"""What unjudged documents could change: their share, bounds of a difference, and what other policies say."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from rankgauge.comparison import policies as policies_
from rankgauge.comparison._world import Frame, unjudged, value, world
from rankgauge.comparison.bounds import Bounds, bounds_of
from rankgauge.conventions import Convention
from rankgauge.engines.memory import finished, judge, judgments, without_self
from rankgauge.judged import FloatArray, JudgedRun, ratio
from rankgauge.measures import Measure
from rankgauge.records import Qrels, Run

__all__ = ["SAMPLES", "Bounds", "Coverage", "Policy", "coverage", "coverages", "naive_bounds"]

Policy = Literal["unjudged=0", "condensed", "bootstrapped"]

SAMPLES = 100
"""Draws of the bootstrapped policy: the standard error of a query's mean is a tenth of its spread."""


@dataclass(frozen=True, eq=False)
class Coverage:
    """How far the judgments cover one pair of runs under one measure, query by query (Q as in the scores).

    Attributes
    ----------
    measure, baseline, run : names
    unjudged_baseline, unjudged_run : float64[Q], share of the documents seen that nobody judged; NaN without any
    bounds : of the difference run - baseline, None where no bound is known
    policies : per policy float64[Q], the difference run - baseline under it
    """

    measure: str
    baseline: str
    run: str
    unjudged_baseline: FloatArray = field(repr=False)
    unjudged_run: FloatArray = field(repr=False)
    bounds: Bounds | None = field(repr=False)
    policies: Mapping[Policy, FloatArray] = field(repr=False)


def coverage(
    qrels: Qrels,
    baseline: Run,
    run: Run,
    measure: Measure,
    *,
    how: Convention,
    rng: np.random.Generator,
    samples: int = SAMPLES,
) -> Coverage:
    """Say of one pair of runs how much of it was judged, and what the unjudged could change.

    Parameters
    ----------
    measure : with the convention's defaults, as `engines.as_measures` gives it; of one that drops the unjudged
        documents first (judged_only), what is said is said of the whole rankings
    samples : draws of the bootstrapped policy

    Raises
    ------
    MeasureError
        For a measure that does not fit the qrels.
    """
    return coverages(qrels, baseline, [run], [measure], how=how, rng=rng, samples=samples)[0]


def coverages(
    qrels: Qrels,
    baseline: Run,
    runs: Sequence[Run],
    measures: Sequence[Measure],
    *,
    how: Convention,
    rng: np.random.Generator,
    samples: int = SAMPLES,
) -> list[Coverage]:
    """Coverage of each run against the baseline under each measure, run by run; what they share is joined once.

    One seed is taken from `rng`: what comes out for a pair does not depend on which other pairs are asked for.
    """
    seed = int(rng.integers(1 << 62))
    joined = _Joined.of(qrels, [run for run in (baseline, *runs)], how)
    return [
        _cover(joined, number, measure, np.random.default_rng(seed), samples)
        for number in range(1, len(runs) + 1)
        for measure in measures
    ]


def naive_bounds(qrels: Qrels, run: Run, measure: Measure, *, how: Convention) -> tuple[FloatArray, FloatArray]:
    """Smallest and largest value of a run, whatever grades its unjudged documents have, float64[Q] each.

    Where a better document never lowers the measure these are the values with all unjudged documents as 0 and as
    the top grade; where the ideal or R move with them, the extremes of all cases. NaN where no bound is known.
    """
    joined = _Joined.of(qrels, [run], how)
    rules = how.of(str(measure))
    found = bounds_of(world(qrels, [joined.judged(0, rules)], [joined.shown(0, rules, measure.cutoff)]), measure, rules)
    nothing = np.full(len(qrels.flat.queries), np.nan)
    return (nothing, nothing) if found is None else (found.low, found.high)


@dataclass(frozen=True)
class _Joined:
    """Runs joined with the judgments, each once under the same rules."""

    qrels: Qrels
    runs: Sequence[Run]
    how: Convention
    judged: Callable[[int, Convention], JudgedRun]
    shown: Callable[[int, Convention, int | None], Frame]

    @classmethod
    def of(cls, qrels: Qrels, runs: Sequence[Run], how: Convention) -> _Joined:
        runs = [without_self(run)[0] for run in runs] if how.drop_self else runs
        known = judgments(qrels)
        return cls(
            qrels,
            runs,
            how,
            functools.cache(lambda number, rules: judge(qrels, runs[number], rules, known=known)),
            functools.cache(lambda number, rules, depth: unjudged(qrels, runs[number], rules, depth)),
        )


def _cover(joined: _Joined, number: int, measure: Measure, rng: np.random.Generator, samples: int) -> Coverage:
    rules = joined.how.of(str(measure))
    pair = [joined.judged(n, rules) for n in (number, 0)]
    shown = [joined.shown(n, rules, measure.cutoff) for n in (number, 0)]
    both = world(joined.qrels, pair, shown)
    whole = measure(judged_only=False)
    run, baseline = (finished(value(whole, judged, rules), rules) for judged in pair)
    left, right = (policies_.condensed(measure, judged, rules) for judged in pair)
    drawn = policies_.bootstrapped(both, measure, rules, rng=rng, samples=samples)
    return Coverage(
        measure=str(measure),
        baseline=joined.runs[0].name,
        run=joined.runs[number].name,
        unjudged_run=_share_unjudged(whole, pair[0]),
        unjudged_baseline=_share_unjudged(whole, pair[1]),
        bounds=bounds_of(both, measure, rules),
        policies={
            "unjudged=0": run - baseline,
            "condensed": finished(left, rules) - finished(right, rules),
            "bootstrapped": drawn if rules.undefined == "skip" else np.nan_to_num(drawn),
        },
    )


def _share_unjudged(measure: Measure, judged: JudgedRun) -> FloatArray:
    view = measure.view(judged)
    return ratio(view.unjudged, view.seen)
