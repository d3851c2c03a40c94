"""The gate: may a change of ranking pass, from a comparison with what is in production."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from rankgauge.comparison.comparing import compare, largest_difference, mean_of
from rankgauge.comparison.comparison import Comparison
from rankgauge.comparison.decision import percent, show, show_p
from rankgauge.comparison.pairs import Pair
from rankgauge.comparison.verdict import Thresholds
from rankgauge.engines.memory import AnyQrels, AnyRun, as_runs
from rankgauge.errors import ParameterError
from rankgauge.judged import FloatArray
from rankgauge.measures import Measure, parse
from rankgauge.statistics.corrections import holm
from rankgauge.statistics.equivalence import equivalence
from rankgauge.statistics.paired import paired_test

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
    rule = _Rule(comparison, max_drop, max_unjudged)
    corrected = holm([rule.p_worse(pair.differences) for pair in comparison.pairs])
    p_worse = [None if np.isnan(p) else float(p) for p in corrected]
    checks = tuple(rule.check(pair, p) for pair, p in zip(comparison.pairs, p_worse, strict=True))
    return Gate(checks, max_drop, max_unjudged, comparison)


@dataclass(frozen=True, eq=False)
class _Rule:
    """What the gate allows, applied to a pair."""

    comparison: Comparison
    max_drop: float
    max_unjudged: float

    @property
    def alpha(self) -> float:
        return self.comparison.thresholds.alpha

    def check(self, pair: Pair, p: float | None) -> Check:
        """Say what one measure says; `p` is that of a drop by luck, corrected for the number of measures."""
        outcome, lowest = self._outcome(pair, p), self._lowest(pair, pair.differences)
        sentence, do = self._words(pair, outcome, lowest, p)
        return Check(pair.measure, pair.run, outcome, pair.difference.estimate, lowest, p, sentence, do)

    def p_worse(self, differences: FloatArray) -> float | None:
        """Chance of such a drop by luck."""
        resamples, rng = self.comparison.resamples, self.comparison.rng()
        return paired_test(differences, alternative="less", resamples=resamples, rng=rng).p

    def _judged(self, pair: Pair) -> bool:
        return max(pair.unjudged) <= self.max_unjudged or pair.evidence.identical

    def _outcome(self, pair: Pair, p: float | None) -> Outcome:
        if pair.verdict.rule == "no results":
            return "inconclusive"
        if self._judged(pair):
            return self._as_it_is(pair, pair.differences, p)
        bounds = pair.coverage.bounds
        if bounds is None:
            return "inconclusive"
        worst, best = bounds.low[pair.query], bounds.high[pair.query]
        if self._as_it_is(pair, worst, p) == "pass":
            return "pass"
        at_best = self.p_worse(best)
        family = None if at_best is None else at_best * len(self.comparison.pairs)
        return "worse" if self._as_it_is(pair, best, family) == "worse" else "inconclusive"

    def _as_it_is(self, pair: Pair, differences: FloatArray, p: float | None) -> Outcome:
        """What these differences say if they are the true ones."""
        if pair.evidence.identical or not differences.any():
            return "pass"
        lowest, mean = self._lowest(pair, differences), mean_of(differences)
        if lowest is not None and lowest >= -self.max_drop:
            return "pass"
        fell = p is not None and p < self.alpha and mean is not None and mean < -self.max_drop
        return "worse" if fell else "inconclusive"

    def _lowest(self, pair: Pair, differences: FloatArray) -> float | None:
        """One-sided lower confidence bound of the mean difference."""
        margin = self.max_drop or 1.0  # the bound is the same with any
        largest = largest_difference(parse(pair.measure))
        return equivalence(differences, margin=margin, confidence=1 - self.alpha, largest=largest).low

    def _words(
        self, pair: Pair, outcome: Outcome, lowest: float | None, p: float | None
    ) -> tuple[str, tuple[str, ...]]:
        """A sentence that is enough to act on, and what to do where nothing is settled."""
        drop, allowed = f"{pair.measure} {show(pair.difference.estimate)}", f"the allowed drop of {self.max_drop:g}"
        bound = "no lower bound" if lowest is None else f"no lower than {show(lowest)} with confidence"
        if pair.verdict.rule == "no results":
            return f"{pair.measure}: {pair.verdict.sentence}", pair.verdict.do
        if pair.evidence.identical:
            return f"{pair.measure}: both return the same documents in the same order", ()
        if outcome == "pass" and not pair.differences.any():
            return f"{pair.measure}: none of the {pair.n} queries changed", ()
        if outcome == "pass":
            return f"{drop}, {bound}: within {allowed}", ()
        if outcome == "worse":
            return f"{drop}, more than {allowed} (p = {show_p(p)})", ()
        if not self._judged(pair):
            base, run = map(percent, pair.unjudged)
            text = f"{pair.measure}: {base} of what {pair.baseline} shows and {run} of {pair.run} was never judged"
            return f"{text}, {self.max_unjudged:.0%} is allowed", ("judge the documents that `rankgauge holes` lists",)
        more = (
            ()
            if pair.needed is None
            else (f"judge about {pair.needed:,} queries to see {self.comparison.thresholds.margin:g}",)
        )
        return f"{drop}, {bound}: {pair.n} queries cannot rule out a drop of {self.max_drop:g}", more
