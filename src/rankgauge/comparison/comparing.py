"""Comparing: scores, intervals, tests and coverage of every run beside a baseline, and the verdicts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
import polars as pl

from rankgauge import conventions
from rankgauge.comparison.advice import with_advice
from rankgauge.comparison.comparison import Comparison, Everyone
from rankgauge.comparison.coverage import Bounds, Coverage, coverages
from rankgauge.comparison.decision import Evidence, decide
from rankgauge.comparison.pairs import Pair
from rankgauge.comparison.verdict import Thresholds, Verdict, Word
from rankgauge.conventions import Convention
from rankgauge.engines.memory import AnyQrels, AnyRun, as_measures, as_qrels, as_runs, evaluate
from rankgauge.errors import Fault, InputError, MeasureError, ParameterError, did_you_mean
from rankgauge.judged import BoolArray, FloatArray, IntArray
from rankgauge.measures import Measure
from rankgauge.records import Note, Qrels, Run
from rankgauge.records.scores import Scores
from rankgauge.statistics.corrections import benjamini_hochberg, bonferroni, holm, randomized_tukey
from rankgauge.statistics.effects import effect, wins_ties_losses
from rankgauge.statistics.equivalence import equivalence
from rankgauge.statistics.intervals import IntervalMethod, intervals
from rankgauge.statistics.paired import TestMethod, paired_tests
from rankgauge.statistics.power import sensitivity
from rankgauge.statistics.results import Interval, PairedTest

Correction = Literal["holm", "bh", "bonferroni", "none"]
Advance = Callable[[str], None]

METHODS: tuple[TestMethod, ...] = get_args(TestMethod)
CORRECTIONS: Mapping[Correction, Callable[[Sequence[float | None]], FloatArray]] = {
    "holm": holm,
    "bh": benjamini_hochberg,
    "bonferroni": bonferroni,
    "none": lambda p: np.array(p, dtype=np.float64),
}


@dataclass(frozen=True)
class Plan:
    """How runs are compared: the choices of one call."""

    how: Convention
    thresholds: Thresholds
    test: TestMethod
    correction: Correction
    interval: IntervalMethod
    resamples: int
    seed: int

    def rng(self) -> np.random.Generator:
        """A new generator from the seed: a result depends on no other result."""
        return np.random.default_rng(self.seed)


def compare(
    qrels: AnyQrels,
    runs: Mapping[str, AnyRun] | Sequence[Run],
    measures: str | Measure | Sequence[str | Measure] = "nDCG@10",
    *,
    baseline: str | None = None,
    convention: Convention | str = "default",
    test: TestMethod = "randomization",
    correction: Correction = "holm",
    interval: IntervalMethod = "t",
    margin: float | None = None,
    thresholds: Thresholds | None = None,
    resamples: int = 10_000,
    seed: int = 0,
    progress: Advance | None = None,
) -> Comparison:
    """Compare runs with a baseline: may this one be shipped?

    Parameters
    ----------
    qrels : Qrels, or {query: {doc: grade}}
    runs : two or more runs; the first is the baseline unless `baseline` names another
    measures : names or measures; the verdicts are under the first
    test : the paired test whose p decides; the others are reported beside it
    correction : of p for the number of runs compared under one measure
    interval : of the mean differences, with the confidence 1 - alpha; "t" covers best for differences of which many
        are 0 (docs/statistics.md), "bca" and "percentile" are bootstraps. Means of single runs have BCa intervals.
    margin : differences up to this size do not matter; short for a field of `thresholds`
    resamples, seed : of bootstrap and randomization; the same seed gives the same result
    progress : called with the name of each step

    Raises
    ------
    InputError
        For fewer than two runs, a baseline that is not there, and inputs that cannot be read for sure.
    MeasureError
        For a measure whose queries are not averaged as a mean (GMAP, NumRet).

    >>> qrels = {f"q{i}": {"a": 1, "b": 0} for i in range(8)}
    >>> best, worst = ({f"q{i}": {"a": s, "b": -s} for i in range(8)} for s in (1.0, -1.0))
    >>> compare(qrels, {"old": worst, "new": best}, "RR@2").verdicts[0].verdict.word
    'better'
    """
    chosen = replace(thresholds or Thresholds(), **({} if margin is None else {"margin": margin}))
    plan = Plan(conventions.convention(convention), chosen, test, correction, interval, resamples, seed)
    _check(plan)
    judged, named = as_qrels(qrels), as_runs(runs)
    listed = as_measures(measures, plan.how)
    _check_measures(listed)
    base = _baseline(named, baseline)
    say = progress or (lambda step: None)
    say("scores")
    scores = evaluate(judged, named, listed, convention=plan.how)
    pairs, everyone = _compared(judged, named, base, listed, scores, plan, say)
    return Comparison(
        scores=scores,
        baseline=named[base].name,
        pairs=tuple(pairs),
        everyone=tuple(everyone),
        means=tuple(_means_of(scores, number, plan) for number in range(len(listed))),
        thresholds=chosen,
        correction=correction,
        resamples=resamples,
        seed=seed,
        convention=plan.how,
        notes=tuple(_disagreements(pairs, str(listed[0]))),
    )


def _means_of(scores: Scores, measure: int, plan: Plan) -> tuple[Interval, ...]:
    """Mean of each run under one measure, with a BCa interval."""
    values = np.where(scores.counted, scores.values[:, measure], np.nan)
    return tuple(intervals(values, confidence=1 - plan.thresholds.alpha, resamples=plan.resamples, rng=plan.rng()))


def _compared(
    qrels: Qrels,
    runs: Sequence[Run],
    base: int,
    measures: Sequence[Measure],
    scores: Scores,
    plan: Plan,
    say: Advance,
) -> tuple[list[Pair], list[Everyone]]:
    others = [run for at, run in enumerate(runs) if at != base]
    say("unjudged documents")
    covered = coverages(qrels, runs[base], others, measures, how=plan.how, rng=plan.rng())  # run by run
    pairs, everyone = [], []
    for number, measure in enumerate(measures):
        say(str(measure))
        seen = covered[number :: len(measures)]
        table = _table(measure, np.where(scores.counted, scores.values[:, number], np.nan), base, seen, plan)
        pairs += [_pair(table, row, qrels, runs, scores, plan) for row in range(len(table.others))]
        if len(runs) > 2:
            everyone.append(_everyone(str(measure), table.values, plan))
    return pairs, everyone


def _check(plan: Plan) -> None:
    for name, value, known in (("test", plan.test, METHODS), ("correction", plan.correction, CORRECTIONS)):
        if value not in known:
            hint = did_you_mean(value, known)
            raise ParameterError(f"{name}: expected one of {', '.join(known)}, got {value!r}{hint}")
    if plan.resamples < 100:
        raise ParameterError(f"resamples: expected 100 or more, got {plan.resamples}")


def _check_measures(measures: Sequence[Measure]) -> None:
    for measure in measures:
        if measure.declared.average != "mean":
            how = {"sum": "a sum", "geometric": "a geometric mean"}[measure.declared.average]
            raise MeasureError(f"{measure}: expected a measure that is a mean over queries, got {how}; compare another")


def _baseline(runs: Sequence[Run], wanted: str | None) -> int:
    names = [run.name for run in runs]
    if len(names) < 2:
        raise InputError(Fault("runs", "two or more runs", f"{len(names)}", "name the baseline and the run to compare"))
    if wanted is None:
        return 0
    if wanted not in names:
        raise InputError(Fault("baseline", f"one of the runs {', '.join(names)}", repr(wanted)))
    return names.index(wanted)


@dataclass(frozen=True, eq=False)
class _Table:
    """What all runs have under one measure: float64[runs, Q], NaN where undefined or not counted."""

    measure: Measure
    values: FloatArray
    base: int
    others: tuple[int, ...]
    intervals: list[Interval]
    tests: Mapping[TestMethod, list[PairedTest]]
    corrected: list[float | None]
    coverage: list[Coverage]


def _table(measure: Measure, values: FloatArray, base: int, seen: list[Coverage], plan: Plan) -> _Table:
    others = tuple(at for at in range(len(values)) if at != base)
    rows = values[list(others)] - values[base]
    confidence = 1 - plan.thresholds.alpha
    found = intervals(rows, confidence=confidence, method=plan.interval, resamples=plan.resamples, rng=plan.rng())
    tests = {name: paired_tests(rows, method=name, resamples=plan.resamples, rng=plan.rng()) for name in METHODS}
    corrected = CORRECTIONS[plan.correction]([one.p for one in tests[plan.test]])
    p = [None if np.isnan(one) else float(one) for one in corrected]
    return _Table(measure, values, base, others, found, tests, p, seen)


def _pair(table: _Table, row: int, qrels: Qrels, runs: Sequence[Run], scores: Scores, plan: Plan) -> Pair:
    at = table.others[row]
    seen = table.coverage[row]
    a, b = table.values[table.base], table.values[at]
    query = np.flatnonzero(~np.isnan(a) & ~np.isnan(b))
    missing = [len(scores.counts[side].missing) for side in (table.base, at)]
    counted: BoolArray = scores.counted[table.base] & scores.counted[at]
    evidence = _evidence(table, row, query, counted, runs, [n / len(scores.queries) for n in missing], plan)
    evidence = replace(evidence, identical=_identical(evidence, runs[table.base], runs[at], table.measure, plan, qrels))
    counts = wins_ties_losses(b[query] - a[query])
    return Pair(
        query=query,
        baseline_values=a[query],
        run_values=b[query],
        left_out=int((np.isnan(a) != np.isnan(b)).sum()),
        baseline_missing=missing[0],
        run_missing=missing[1],
        test=table.tests[plan.test][row],
        others=tuple(table.tests[name][row] for name in METHODS if name != plan.test),
        effect_size=effect(b[query] - a[query]).d,
        wins=counts.wins,
        ties=counts.ties,
        losses=counts.losses,
        coverage=seen,
        evidence=evidence,
        verdict=_verdict(evidence, qrels, runs[table.base], runs[at], table.measure, plan),
    )


def _verdict(e: Evidence, qrels: Qrels, baseline: Run, run: Run, measure: Measure, plan: Plan) -> Verdict:
    verdict = decide(e, plan.thresholds)
    if verdict.rule != "holes":
        return verdict
    return with_advice(verdict, qrels, baseline, run, measure, how=plan.how, t=plan.thresholds)


def _evidence(
    table: _Table,
    row: int,
    query: IntArray,
    counted: BoolArray,
    runs: Sequence[Run],
    missing: Sequence[float],
    plan: Plan,
) -> Evidence:
    seen = table.coverage[row]
    a, b = table.values[table.base][query], table.values[table.others[row]][query]
    t = plan.thresholds
    policies = {name: values[query] for name, values in seen.policies.items()}
    bounds = None if seen.bounds is None else (seen.bounds.low[query], seen.bounds.high[query])
    sight = sensitivity(b - a, wanted=t.margin or 1.0, power=t.power, alpha=t.alpha)
    test = table.tests[plan.test][row]
    return Evidence(
        measure=str(table.measure),
        baseline=runs[table.base].name,
        run=runs[table.others[row]].name,
        n=len(query),
        difference=table.intervals[row],
        p=table.corrected[row],
        outcome=test.outcome,
        equivalent=_equivalent(b - a, table.measure, plan),
        unjudged=(mean_of(seen.unjudged_baseline[counted]) or 0.0, mean_of(seen.unjudged_run[counted]) or 0.0),
        missing=(missing[0], missing[1]),
        bounds=None if seen.bounds is None else _mean_bounds(seen.bounds, counted),
        sure=None if bounds is None else _sure(*bounds, len(table.others), table.measure, plan),
        policies={name: mean_of(values) for name, values in policies.items()},
        policies_equivalent=bool(policies)
        and all(_equivalent(values, table.measure, plan) for values in policies.values()),
        detectable=sight.detectable,
        needed=sight.needed if t.margin else None,
    )


def mean_of(values: FloatArray) -> float | None:
    """Mean of what is defined; None where nothing is."""
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else None


def _mean_bounds(bounds: Bounds, counted: BoolArray) -> tuple[float, float] | None:
    low, high = bounds.mean(counted)
    return None if np.isnan(low) or np.isnan(high) else (low, high)


def _sure(low: FloatArray, high: FloatArray, family: int, measure: Measure, plan: Plan) -> Word | None:
    """What holds at both ends of the bounds: a sign that is significant at the end nearer 0, or equivalence."""
    for word, end, sign in (("better", low, 1.0), ("worse", high, -1.0)):
        if np.isnan(end).any() or (mean_of(end) or 0.0) * sign <= 0:
            continue
        p = paired_tests(end[None, :], method=plan.test, resamples=plan.resamples, rng=plan.rng())[0].p
        if p is not None and p * family < plan.thresholds.alpha:
            return word  # type: ignore[return-value]  # a literal of the two above
    inside = _equivalent(low, measure, plan) and _equivalent(high, measure, plan)
    return "equivalent" if inside else None


def _equivalent(differences: FloatArray, measure: Measure, plan: Plan) -> bool:
    """Whether a difference above the margin is ruled out."""
    t = plan.thresholds
    if not len(differences) or np.isnan(differences).any() or not t.margin:
        return False
    largest = largest_difference(measure)
    return equivalence(differences, margin=t.margin, confidence=1 - t.alpha, largest=largest).equivalent


def largest_difference(measure: Measure) -> float:
    """Width of the measure's range."""
    low, high = measure.range
    return high - low


def _identical(e: Evidence, a: Run, b: Run, measure: Measure, plan: Plan, qrels: Qrels) -> bool:
    """Whether both runs return the same documents in the same order as deep as the measure looks."""
    if e.difference.estimate != 0:
        return False
    order = plan.how.ties if plan.how.ties != "expected" else "docid-desc"
    seen = []
    for run in (a, b):
        frame = run.ranked(ties=order).to_polars().filter(pl.col("query").is_in(qrels.queries.implode()))
        top = frame if measure.cutoff is None else frame.group_by("query", maintain_order=True).head(measure.cutoff)
        seen.append(top.select("query", "doc").sort("query", maintain_order=True))
    return seen[0].equals(seen[1])


def _everyone(measure: str, values: FloatArray, plan: Plan) -> Everyone:
    """All runs against each other, on the queries where every run has a value."""
    return Everyone(measure, randomized_tukey(values, resamples=plan.resamples, rng=plan.rng()))


def _disagreements(pairs: Sequence[Pair], first: str) -> list[Note]:
    """Say where another measure contradicts the verdict under the first."""
    said = []
    opposite = {"better": "worse", "worse": "better"}
    for pair in pairs:
        if pair.measure != first:
            continue
        word = opposite.get(pair.verdict.word)
        against = [p.measure for p in pairs if p.run == pair.run and p.verdict.word == word]
        if against:
            text = f"{pair.run} is {pair.verdict.word} under {first}, but {word} under {', '.join(against)}"
            said.append(Note("measures disagree", len(against), text))
    return said
