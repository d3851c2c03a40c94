"""The gate: may a change of ranking pass, from a comparison with what is in production."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from rankgauge.comparison.comparing import compare, largest_difference, mean_of
from rankgauge.comparison.comparison import Comparison
from rankgauge.comparison.decision import show, show_p
from rankgauge.comparison.pairs import Pair
from rankgauge.comparison.verdict import Thresholds
from rankgauge.engines.memory import AnyQrels, AnyRun, as_runs
from rankgauge.errors import ParameterError
from rankgauge.judged import FloatArray
from rankgauge.measures import Measure, parse
from rankgauge.statistics.corrections import holm
from rankgauge.statistics.equivalence import equivalence
from rankgauge.statistics.paired import paired_tests

Outcome = Literal["pass", "worse", "inconclusive"]

EXIT_CODES: dict[Outcome, int] = {"pass": 0, "worse": 1, "inconclusive": 3}


@dataclass(frozen=True)
class Check:
    """What the gate says under one measure.

    Attributes
    ----------
    measure, run : names
    outcome : of this measure alone
    difference : mean of run - baseline; None where undefined
    lowest : one-sided lower confidence bound of it; None where there is none
    p_worse : chance of such a drop by luck, corrected for the number of measures; None where there is none
    sentence : what was found, enough to act on
    do : what would settle the matter, where it is not settled
    """

    measure: str
    run: str
    outcome: Outcome
    difference: float | None
    lowest: float | None
    p_worse: float | None
    sentence: str
    do: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Gate:
    """The gate's answer, with the comparison it rests on.

    Attributes
    ----------
    checks : one per measure and run
    max_drop, max_unjudged : what was allowed
    comparison : all of its numbers
    """

    checks: tuple[Check, ...]
    max_drop: float
    max_unjudged: float
    comparison: Comparison = field(repr=False)

    @property
    def outcome(self) -> Outcome:
        """Worse if any measure is worse, pass if all pass, else inconclusive."""
        found = {check.outcome for check in self.checks}
        return "worse" if "worse" in found else "pass" if found == {"pass"} else "inconclusive"

    @property
    def exit_code(self) -> int:
        """0 pass, 1 worse, 3 inconclusive."""
        return EXIT_CODES[self.outcome]


def gate(
    qrels: AnyQrels,
    baseline: AnyRun,
    run: AnyRun,
    measures: str | Measure | Sequence[str | Measure] = "nDCG@10",
    *,
    max_drop: float = 0.01,
    max_unjudged: float = 0.05,
    alpha: float = 0.05,
    **options: Any,
) -> Gate:
    """Let a run pass if it is shown to be no more than `max_drop` below the baseline under every measure.

    pass: the one-sided lower bound of the mean difference is above -max_drop (non-inferiority; Schuirmann 1987), or
    no query changed.
    worse: the mean is down by more than `max_drop`, and a one-sided test says that it fell (Holm over measures).
    inconclusive: neither, or more than `max_unjudged` of what either run shows was never judged and the unjudged
    documents could change the answer.

    Parameters
    ----------
    max_drop : largest drop that is allowed, in units of the measure
    max_unjudged : largest share of unjudged documents that is allowed, of each run
    alpha : chance of a false alarm that is accepted
    options : as of `compare`

    Raises
    ------
    InputError, MeasureError, ParameterError
        As `compare`.
    """
    if not max_drop >= 0:
        raise ParameterError(f"max_drop: expected 0 or more, got {max_drop!r}")
    if not 0 <= max_unjudged <= 1:
        raise ParameterError(f"max_unjudged: expected a share from 0 to 1, got {max_unjudged!r}")
    given = options.pop("thresholds", None) or Thresholds()
    t = replace(given, alpha=alpha, margin=max_drop or given.margin)
    pair = [as_runs(one)[0] for one in (baseline, run)]
    if pair[0].name == pair[1].name:
        pair = [pair[0].named("baseline"), pair[1].named("run")]
    made = compare(qrels, pair, measures, thresholds=t, **options)
    return of_comparison(made, max_drop=max_drop, max_unjudged=max_unjudged)


def of_comparison(comparison: Comparison, *, max_drop: float, max_unjudged: float) -> Gate:
    """Take the gate's answer from a comparison that was made; every run in it must pass."""
    worse = [_p_worse(pair.differences, comparison) for pair in comparison.pairs]
    corrected = [None if np.isnan(p) else float(p) for p in holm(worse)]
    checks = [
        _check(pair, p, comparison, max_drop, max_unjudged) for pair, p in zip(comparison.pairs, corrected, strict=True)
    ]
    return Gate(tuple(checks), max_drop, max_unjudged, comparison)


def _p_worse(differences: FloatArray, comparison: Comparison) -> float | None:
    test = paired_tests(
        differences[None, :], method="randomization", alternative="less", resamples=comparison.resamples,
        rng=comparison.rng(),
    )  # fmt: skip
    return test[0].p


def _check(pair: Pair, p: float | None, comparison: Comparison, max_drop: float, max_unjudged: float) -> Check:
    known = pair.coverage.bounds
    ends = (pair.differences,) * 2 if known is None else (known.low[pair.query], known.high[pair.query])
    judged = max(pair.unjudged) <= max_unjudged or pair.evidence.identical
    found = _outcome(pair.differences, pair, p, comparison, max_drop)
    if not judged:
        safe = known is not None and _outcome(ends[0], pair, p, comparison, max_drop) == "pass"
        doomed = known is not None and _outcome(
            ends[1], pair, _p_worse(ends[1], comparison), comparison, max_drop) == "worse"  # fmt: skip
        found = "pass" if safe else "worse" if doomed else "inconclusive"
    if pair.verdict.rule == "no results":
        found = "inconclusive"
    lowest = _lowest(pair.differences, pair, comparison, max_drop)
    said, do = _words(pair, found, judged, lowest, p, max_drop, max_unjudged)
    return Check(pair.measure, pair.run, found, pair.difference.estimate, lowest, p, said, do)


def _outcome(differences: FloatArray, pair: Pair, p: float | None, comparison: Comparison, max_drop: float) -> Outcome:
    """What the differences say, taken as they are."""
    if pair.evidence.identical or (len(differences) and not differences.any()):
        return "pass"
    lowest, mean = _lowest(differences, pair, comparison, max_drop), mean_of(differences)
    if lowest is not None and lowest >= -max_drop:
        return "pass"
    if p is not None and p < comparison.thresholds.alpha and mean is not None and mean < -max_drop:
        return "worse"
    return "inconclusive"


def _lowest(differences: FloatArray, pair: Pair, comparison: Comparison, max_drop: float) -> float | None:
    """One-sided lower confidence bound of the mean difference."""
    if not len(differences):
        return None
    margin = max_drop or comparison.thresholds.margin  # the bound is the same with any
    confidence, largest = 1 - comparison.thresholds.alpha, largest_difference(parse(pair.measure))
    return equivalence(differences, margin=margin, confidence=confidence, largest=largest).low


def _words(
    pair: Pair, found: Outcome, judged: bool, lowest: float | None, p: float | None, max_drop: float, most: float
) -> tuple[str, tuple[str, ...]]:
    drop = show(pair.difference.estimate)
    bound = "no lower bound" if lowest is None else f"no lower than {show(lowest)} with confidence"
    if pair.evidence.identical:
        return f"{pair.measure}: both return the same documents in the same order", ()
    if found == "pass" and not pair.differences.any():
        return f"{pair.measure}: none of the {pair.n} queries changed", ()
    if found == "pass":
        return f"{pair.measure} {drop}, {bound}: within the allowed drop of {max_drop:g}", ()
    if found == "worse":
        return f"{pair.measure} {drop}, more than the allowed drop of {max_drop:g} (p = {show_p(p)})", ()
    if pair.verdict.rule == "no results":
        return f"{pair.measure}: {pair.verdict.sentence}", pair.verdict.do
    if not judged:
        base, run = (f"{100 * share:.1f}%" for share in pair.unjudged)
        text = f"{pair.measure}: {base} of what {pair.baseline} shows and {run} of {pair.run} was never judged"
        return f"{text}, {most:.0%} is allowed", ("judge the documents that `rankgauge holes` lists",)
    more = () if pair.needed is None else (f"judge about {pair.needed:,} queries to see a drop of {max_drop:g}",)
    return f"{pair.measure} {drop}, {bound}: {pair.n} queries cannot rule out a drop of {max_drop:g}", more
