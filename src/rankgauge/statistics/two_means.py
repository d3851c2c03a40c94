"""Two independent means, or ratios of means, beside each other: Welch's test, Fieller's relative difference, CUPED."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from rankgauge.judged import FloatArray
from rankgauge.statistics._samples import ROUNDING
from rankgauge.statistics.results import Interval

FEW = "fewer than two units in one of the two"
STILL = "all values of both are equal"
NOT_ABOVE_0 = "what it would be relative to is not clearly above 0"


@dataclass(frozen=True)
class Estimated:
    """A mean or ratio over n independent units, and the variance of one unit's influence on it."""

    n: int
    value: float
    variance: float

    @property
    def square_error(self) -> float:
        """Variance of the estimate."""
        return self.variance / self.n


def influences(numerators: FloatArray, denominators: FloatArray | None = None) -> tuple[float, FloatArray]:
    """Mean, or Σy / Σx, of units, and how far each unit moves it: float[n] with mean 0.

    y_i - ȳ of a mean; (y_i - R x_i) / x̄ of a ratio R, the delta method: units, not rows, are the sample.

    Source: Deng, Knoblich & Lu (2018), doi:10.1145/3219819.3219919, section 3.1.
    """
    if denominators is None:
        mean = float(numerators.mean())
        return mean, numerators - mean
    per_unit = float(denominators.mean())
    ratio = float(numerators.mean()) / per_unit
    return ratio, (numerators - ratio * denominators) / per_unit


def estimated(value: float, moves: FloatArray) -> Estimated:
    """An estimate from its units' influences, of which there are two or more."""
    return Estimated(len(moves), value, float(moves @ moves) / (len(moves) - 1))


def difference_of_means(a: Estimated, b: Estimated, *, confidence: float = 0.95) -> Interval:
    """Value of a minus value of b: ± t(ν) √(v_a / n_a + v_b / n_b), ν by Welch and Satterthwaite.

    Source: Welch (1947), doi:10.1093/biomet/34.1-2.28. Agrees with scipy's ttest_ind(equal_var=False).
    """
    outcome = degenerate(a, b)
    if outcome:
        return Interval(a.value - b.value, None, None, confidence, "Welch", a.n + b.n, outcome)
    reach = -float(special.stdtrit(freedom(a, b), (1 - confidence) / 2))
    return within(a, b, reach, confidence=confidence, method="Welch")


def welch_p(a: Estimated, b: Estimated) -> float | None:
    """Two-sided p of equal values; None where there is no spread."""
    if degenerate(a, b):
        return None
    return 2 * float(special.stdtr(freedom(a, b), -abs(a.value - b.value) / error(a, b)))


def relative_difference(a: Estimated, b: Estimated, *, reach: float, confidence: float, method: str) -> Interval:
    """(Value of a) / (value of b) - 1 with Fieller's interval, at so many standard errors.

    All ρ with (a - ρ b)² ≤ reach² (v_a / n_a + ρ² v_b / n_b). There is none where b is within reach of 0.

    Source: Fieller (1954), doi:10.1111/j.2517-6161.1954.tb00159.x.
    """
    named, n = f"Fieller, {method}", a.n + b.n
    if outcome := degenerate(a, b):
        return Interval(None, None, None, confidence, named, n, outcome)
    square = b.value**2 - reach**2 * b.square_error
    if b.value <= 0 or square <= 0:
        return Interval(None, None, None, confidence, named, n, NOT_ABOVE_0)
    middle = a.value * b.value
    half = math.sqrt(max(0.0, middle**2 - square * (a.value**2 - reach**2 * a.square_error)))
    low, high = ((middle + sign * half) / square - 1 for sign in (-1, 1))
    return Interval(a.value / b.value - 1, low, high, confidence, named, n)


def within(a: Estimated, b: Estimated, reach: float, *, confidence: float, method: str) -> Interval:
    """Difference ± so many standard errors."""
    seen, half = a.value - b.value, reach * error(a, b)
    return Interval(seen, seen - half, seen + half, confidence, method, a.n + b.n)


def error(a: Estimated, b: Estimated) -> float:
    """Standard error of the difference."""
    return math.sqrt(a.square_error + b.square_error)


def freedom(a: Estimated, b: Estimated) -> float:
    """Degrees of freedom (v_a/n_a + v_b/n_b)² / ((v_a/n_a)² / (n_a - 1) + (v_b/n_b)² / (n_b - 1))."""
    parts = (a.square_error, b.square_error)
    largest = max(parts)
    scaled = [part / largest for part in parts]
    return sum(scaled) ** 2 / sum(part**2 / (x.n - 1) for part, x in zip(scaled, (a, b), strict=True))


def degenerate(a: Estimated, b: Estimated) -> str:
    """What keeps two estimates from being compared, or nothing."""
    if min(a.n, b.n) < 2:
        return FEW
    scale = max(1.0, abs(a.value), abs(b.value)) * ROUNDING
    return STILL if error(a, b) <= scale * 1e-4 else ""


@dataclass(frozen=True)
class Adjusted:
    """Estimates after the part that a value of before the experiment foretold was taken out.

    Attributes
    ----------
    theta : taken out per unit of the earlier value
    correlation : ρ of the earlier value with the metric within arms; ρ² is what could be saved
    reduction : share by which the variance of the difference fell
    """

    a: Estimated
    b: Estimated
    theta: float
    correlation: float
    reduction: float


def cuped(a: tuple[float, FloatArray], b: tuple[float, FloatArray], before: tuple[FloatArray, FloatArray]) -> Adjusted:
    """Adjust two estimates by what their units did before the experiment.

    Y - θ (X - mean of X), θ = cov(Y, X) / var(X) within arms; the variance falls by ρ².

    Parameters
    ----------
    a, b : value and influences (`influences`) of the units of each arm
    before : float[n] of each arm

    Source: Deng, Xu, Kohavi & Walker (2013), doi:10.1145/2433396.2433413, eq. 4 and 5.
    """
    centred = [x - x.mean() for x in before]
    square = sum(float(x @ x) for x in centred)
    product = sum(float(moves @ x) for (_, moves), x in zip((a, b), centred, strict=True))
    total = sum(float(moves @ moves) for _, moves in (a, b))
    theta = product / square if square else 0.0
    correlation = product / math.sqrt(square * total) if square and total else 0.0
    overall = float(np.concatenate(before).mean())
    plain = [estimated(value, moves) for value, moves in (a, b)]
    new = [
        estimated(value - theta * (float(x.mean()) - overall), moves - theta * x0)
        for (value, moves), x, x0 in zip((a, b), before, centred, strict=True)
    ]
    old = plain[0].square_error + plain[1].square_error
    reduction = 1 - (new[0].square_error + new[1].square_error) / old if old else 0.0
    return Adjusted(new[0], new[1], theta, correlation, reduction)
