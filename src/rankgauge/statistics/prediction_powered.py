"""Prediction-powered means: few labels of people correct many of a judge, and the interval is narrower than theirs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy import special

from rankgauge.errors import Fault, InputError, ParameterError
from rankgauge.judged import FloatArray
from rankgauge.statistics._samples import ROUNDING, Draws, as_row, draws, one_of, share
from rankgauge.statistics.results import Alternative, Interval

PoweredMethod = Literal["t", "bootstrap"]
FEWEST = 4
"""Labelled items below which nothing is said: the tuning and the mean take two, and a spread needs two more."""


@dataclass(frozen=True)
class PredictionPowered:
    """A mean that people's labels and a judge's give together, beside what each would give alone.

    Attributes
    ----------
    interval : of the mean that people would give to all; `n` counts all items
    people, judge : from people's labels alone (t) and from the judge's alone, as if it never erred (t)
    tuning : λ, how much the judge counts: 0 not at all, 1 as much as its labels
    labelled, unlabelled : items with both labels, and with the judge's only
    left_out : items without a label of the judge
    """

    interval: Interval
    people: Interval
    judge: Interval
    tuning: float | None
    labelled: int
    unlabelled: int
    left_out: int


def prediction_powered(
    people: npt.ArrayLike,
    judge: npt.ArrayLike,
    *,
    confidence: float = 0.95,
    alternative: Alternative = "two-sided",
    tuning: float | None = None,
    method: PoweredMethod = "t",
    rng: np.random.Generator | None = None,
    resamples: int = 2000,
) -> PredictionPowered:
    """Mean of values that people gave to some items, and a judge to all; of differences too.

    mean_n(y) + λ (mean_N(f) - mean_n(f)),  λ = cov(y, f) / ((1 + n/N) var(f)) within 0 and 1; n labelled, N not

    Parameters
    ----------
    people : float[Q], NaN where people gave no label; those with one must be a random sample of all
    judge : float[Q], NaN where the judge failed; such items are left out and counted
    alternative : "two-sided"; "greater" has a low end only, "less" a high end only
    tuning : λ; None: the one above, from the labelled items
    method : "t" as below, or "bootstrap" (percentile; labelled and unlabelled items drawn apart, λ anew each time)

    The t interval has the variance var(y - λf)/n + λ² var(f)/N of the paper. It gives normal quantiles; as λ comes
    from the same few items, here the first part is that of a regression, Σ(residual²)/(n - 2) · (1/n + (mean_N(f) -
    mean_n(f))² / Σ(f - mean)²), and the quantile t(n - 2): docs/judges.md says what that gains with few labels.
    Without unlabelled items it is people's interval.

    Source: Angelopoulos, Duchi & Zrnic (2023), PPI++, arXiv:2311.01453; Cochran (1977), Sampling Techniques, eq. 7.29.

    >>> truth = [0.1, 0.4, -0.2, 0.3, 0.0, 0.5, -0.1, 0.2, 0.3, -0.3]
    >>> people = [*truth[:5], *[np.nan] * 5]
    >>> found = prediction_powered(people, [x + 0.3 for x in truth])
    >>> round(found.people.estimate, 3), round(found.judge.estimate, 3), round(found.interval.estimate, 3)
    (0.12, 0.42, 0.12)
    """
    share("confidence", confidence)
    one_of("alternative", alternative, get_args(Alternative))
    one_of("method", method, get_args(PoweredMethod))
    if tuning is not None and not 0 <= tuning <= 1:
        raise ParameterError(f"tuning: expected a number from 0 to 1, got {tuning!r}")
    y, f = as_row(people, what="people")[0], as_row(judge, what="judge")[0]
    if len(y) != len(f):
        raise InputError(Fault("labels", "the same items on both sides", f"{len(y)} and {len(f)}"))
    there = ~np.isnan(f)
    both = there & ~np.isnan(y)
    sample = _Sample(y[both], f[both], f[there & ~both])
    drawn = draws(rng, resamples) if method == "bootstrap" else None
    weight = sample.tuned() if tuning is None else tuning
    return PredictionPowered(
        interval=_interval(sample, weight, tuning, confidence, alternative, drawn),
        people=_plain(sample.y, confidence, alternative),
        judge=_plain(f[there], confidence, alternative),
        tuning=weight if len(sample.y) >= FEWEST else None,
        labelled=len(sample.y),
        unlabelled=len(sample.rest),
        left_out=int((~there).sum()),
    )


@dataclass(frozen=True)
class _Sample:
    """People's values and the judge's of the labelled items, float64[n] each, and of the rest, float64[N]."""

    y: FloatArray
    f: FloatArray
    rest: FloatArray

    def tuned(self) -> float:
        n, N = len(self.y), len(self.rest)
        if n < FEWEST or not N:
            return 0.0
        spread = float(np.concatenate([self.f, self.rest]).var(ddof=1))
        if spread <= ROUNDING**2:
            return 0.0
        covariance = float(np.cov(self.y, self.f)[0, 1])
        return min(1.0, max(0.0, covariance / ((1 + n / N) * spread)))

    def estimate(self, tuning: float) -> float:
        powered = tuning * (self.rest.mean() - self.f.mean()) if len(self.rest) else 0.0
        return float(self.y.mean() + powered)

    def error(self, tuning: float, *, estimated: bool) -> tuple[float, float]:
        """Standard error and degrees of freedom; `estimated`: λ comes from the labelled items."""
        n, N, taken = len(self.y), len(self.rest), 1 + estimated
        residual = self.y - tuning * self.f
        first = float(((residual - residual.mean()) ** 2).sum()) / (n - taken)
        spread = float(((self.f - self.f.mean()) ** 2).sum())
        far = (self.rest.mean() - self.f.mean()) ** 2 / spread if estimated and spread > ROUNDING**2 else 0.0
        second = tuning**2 * float(self.rest.var(ddof=1)) / N if N > 1 else 0.0
        return float(np.sqrt(first * (1 / n + far) + second)), float(n - taken)


def _interval(
    sample: _Sample, weight: float, tuning: float | None, confidence: float, side: Alternative, drawn: Draws | None
) -> Interval:
    n, N = len(sample.y), len(sample.rest)
    name = "PPI++, t" if drawn is None else f"PPI++, percentile bootstrap, {drawn.resamples:,} resamples"
    if n < FEWEST:
        estimate = sample.estimate(weight) if n else None
        outcome = f"{n} labelled items: {FEWEST} are the fewest"
        return Interval(estimate, None, None, confidence, name, n + N, outcome)
    estimate = sample.estimate(weight)
    if drawn is None:
        se, df = sample.error(weight, estimated=tuning is None and N > 0)
        low, high = _ends(estimate, se, df, confidence, side)
    else:
        low, high = _quantiles(_resampled(sample, tuning, drawn), confidence, side)
    still = "all values are equal" if low == high else ""
    return Interval(estimate, low, high, confidence, name, n + N, still)


def _plain(values: FloatArray, confidence: float, side: Alternative) -> Interval:
    n = len(values)
    if n < 2:
        return Interval(float(values.mean()) if n else None, None, None, confidence, "t", n, "fewer than two values")
    se = float(values.std(ddof=1) / np.sqrt(n))
    return Interval(float(values.mean()), *_ends(float(values.mean()), se, n - 1, confidence, side), confidence, "t", n)


def _ends(
    estimate: float, se: float, df: float, confidence: float, side: Alternative
) -> tuple[float | None, float | None]:
    tail = (1 - confidence) / 2 if side == "two-sided" else 1 - confidence
    half = -float(special.stdtrit(df, tail)) * se
    return (None if side == "less" else estimate - half), (None if side == "greater" else estimate + half)


def _resampled(sample: _Sample, tuning: float | None, drawn: Draws) -> FloatArray:
    """Estimates of the bootstrap samples, float64[B]."""
    rng, n, N = np.random.default_rng(drawn.seed), len(sample.y), len(sample.rest)
    found = np.empty(drawn.resamples)
    for at in range(drawn.resamples):
        labelled = rng.integers(0, n, n)
        again = _Sample(
            sample.y[labelled], sample.f[labelled], sample.rest[rng.integers(0, N, N)] if N else sample.rest
        )
        found[at] = again.estimate(again.tuned() if tuning is None else tuning)
    return found


def _quantiles(found: FloatArray, confidence: float, side: Alternative) -> tuple[float | None, float | None]:
    tail = (1 - confidence) / 2 if side == "two-sided" else 1 - confidence
    low, high = np.quantile(found, [tail, 1 - tail])
    return (None if side == "less" else float(low)), (None if side == "greater" else float(high))
