"""One metric in an arm beside the control: difference, relative difference and p, each kind by its own formula."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from rankgauge.judged import FloatArray
from rankgauge.statistics.confidence_sequences import FEWEST, anytime_p, reach, tuning
from rankgauge.statistics.results import Interval
from rankgauge.statistics.two_means import (
    FEW,
    Adjusted,
    Estimated,
    degenerate,
    difference_of_means,
    error,
    relative_difference,
    welch_p,
    within,
)
from rankgauge.statistics.two_proportions import (
    Counted,
    ProportionMethod,
    difference_of_proportions,
    ratio_of_proportions,
    score_p,
)

SEQUENCE = "asymptotic confidence sequence"


class Contrast(Protocol):
    """What can be asked of two arms under one metric."""

    def difference(self, confidence: float) -> Interval:
        """Arm minus control."""

    def relative(self, confidence: float) -> Interval:
        """Arm by control, less 1."""

    def p(self) -> float | None:
        """Two-sided, of no difference."""

    def one_sided(self, alpha: float) -> float:
        """Confidence of an interval whose ends each miss the truth with chance α at most."""


@dataclass(frozen=True)
class Proportions:
    """Shares of units, at a horizon that was fixed."""

    arm: Counted
    control: Counted
    method: ProportionMethod = "miettinen-nurminen"

    def difference(self, confidence: float) -> Interval:
        """Score interval."""
        return difference_of_proportions(self.arm, self.control, confidence=confidence, method=self.method)

    def relative(self, confidence: float) -> Interval:
        """Score interval of the ratio, less 1."""
        found = ratio_of_proportions(self.arm, self.control, confidence=confidence)
        seen, low, high = (None if x is None else x - 1 for x in (found.estimate, found.low, found.high))
        return Interval(seen, low, high, confidence, found.method, found.n, found.outcome)

    def p(self) -> float | None:
        """Score test."""
        return score_p(self.arm, self.control)

    def one_sided(self, alpha: float) -> float:
        """1 - 2α."""
        return 1 - 2 * alpha


@dataclass(frozen=True)
class Means:
    """Means or ratios, at a horizon that was fixed: Welch and Fieller."""

    arm: Estimated
    control: Estimated

    def difference(self, confidence: float) -> Interval:
        """Welch's interval."""
        return difference_of_means(self.arm, self.control, confidence=confidence)

    def relative(self, confidence: float) -> Interval:
        """Fieller's interval."""
        size = 0.0 if degenerate(self.arm, self.control) else t_reach(self.arm, self.control, confidence)
        return relative_difference(self.arm, self.control, reach=size, confidence=confidence, method="Welch")

    def p(self) -> float | None:
        """Welch's test."""
        return welch_p(self.arm, self.control)

    def one_sided(self, alpha: float) -> float:
        """1 - 2α."""
        return 1 - 2 * alpha


@dataclass(frozen=True)
class AnyTime:
    """Any estimates, looked at as often as one likes; `tightest_at` units of both arms."""

    arm: Estimated
    control: Estimated
    tightest_at: int
    alpha: float

    @property
    def outcome(self) -> str:
        """What keeps the sequence from saying anything, or nothing."""
        few = f"fewer than {FEWEST} units in one of the two: a sequence begins there"
        return few if min(self.arm.n, self.control.n) < FEWEST else degenerate(self.arm, self.control)

    def _reach(self, confidence: float) -> float:
        return reach(self.arm.n + self.control.n, rho2=self._rho2, alpha=1 - confidence)

    @property
    def _rho2(self) -> float:
        return tuning(self.tightest_at, alpha=self.alpha)

    def difference(self, confidence: float) -> Interval:
        """Estimate ± the sequence's reach."""
        if self.outcome:
            seen, n = self.arm.value - self.control.value, self.arm.n + self.control.n
            return Interval(seen, None, None, confidence, SEQUENCE, n, self.outcome)
        return within(self.arm, self.control, self._reach(confidence), confidence=confidence, method=SEQUENCE)

    def relative(self, confidence: float) -> Interval:
        """Fieller's interval at the sequence's reach."""
        if self.outcome:
            n = self.arm.n + self.control.n
            return Interval(None, None, None, confidence, SEQUENCE, n, self.outcome)
        size = self._reach(confidence)
        return relative_difference(self.arm, self.control, reach=size, confidence=confidence, method=SEQUENCE)

    def p(self) -> float | None:
        """Valid whenever one stops."""
        if self.outcome:
            return None
        z = (self.arm.value - self.control.value) / error(self.arm, self.control)
        return anytime_p(z, self.arm.n + self.control.n, rho2=self._rho2)

    def one_sided(self, alpha: float) -> float:
        """1 - α: the two ends of a sequence do not share α evenly at every stopping rule."""
        return 1 - alpha


@dataclass(frozen=True)
class NoContrast:
    """Nothing can be asked: `outcome` says why."""

    outcome: str = FEW
    n: int = 0

    def difference(self, confidence: float) -> Interval:
        """No number."""
        return Interval(None, None, None, confidence, "none", self.n, self.outcome)

    relative = difference

    def p(self) -> float | None:
        """No number."""
        return None

    def one_sided(self, alpha: float) -> float:
        """1 - 2α."""
        return 1 - 2 * alpha


def t_reach(arm: Estimated, control: Estimated, confidence: float) -> float:
    """Standard errors on either side by Student's t with Welch's degrees of freedom."""
    from_t = difference_of_means(arm, control, confidence=confidence)
    assert from_t.high is not None and from_t.estimate is not None
    return (from_t.high - from_t.estimate) / error(arm, control)


def bootstrap(
    arm: FloatArray, control: FloatArray, *, rng: np.random.Generator, resamples: int, confidence: float
) -> Interval:
    """Percentiles of Σy / Σx of the arm less that of the control over resamples of units.

    Parameters
    ----------
    arm, control : float[n, 2], y and x of each unit

    Units with the same y and x are drawn together, by a multinomial: a million users with few different pairs of
    clicks and impressions take as long as these few.

    Source: Davison & Hinkley (1997), Bootstrap Methods and their Application, section 3.8, on clusters.
    """
    drawn = [_resampled(rows, rng, resamples) for rows in (arm, control)]
    method, n = f"percentile bootstrap of units, {resamples:,} resamples", len(arm) + len(control)
    seen = arm[:, 0].sum() / arm[:, 1].sum() - control[:, 0].sum() / control[:, 1].sum()
    low, high = np.quantile(drawn[0] - drawn[1], [(1 - confidence) / 2, (1 + confidence) / 2])
    return Interval(float(seen), float(low), float(high), confidence, method, n)


def _resampled(rows: FloatArray, rng: np.random.Generator, resamples: int) -> FloatArray:
    """float[resamples] of Σy / Σx."""
    cells, counts = np.unique(rows, axis=0, return_counts=True)
    found, n = np.empty(resamples), len(rows)
    few = len(cells) * 4 < n
    at_once = max(1, 2**21 // len(cells if few else rows))
    for start in range(0, resamples, at_once):
        size = min(at_once, resamples - start)
        if few:
            sums = rng.multinomial(n, counts / n, size=size) @ cells
        else:
            sums = rows[rng.integers(0, n, size=(size, n))].sum(axis=1)
        found[start : start + size] = sums[:, 0] / sums[:, 1]
    return found


@dataclass(frozen=True)
class Cuped:
    """What a value of before the experiment took out of the noise.

    Attributes
    ----------
    column : of the value
    reduction : share by which the variance of the difference fell; correlation : ρ, whose square that is
    missing : units without the value, which are not adjusted
    """

    column: str
    theta: float
    correlation: float
    reduction: float
    missing: int

    @classmethod
    def of(cls, column: str, found: Adjusted, missing: int) -> Cuped:
        """Keep the numbers of an adjustment."""
        return cls(column, found.theta, found.correlation, found.reduction, missing)
