"""Superiority, non-inferiority and equivalence: where a mean difference lies, seen against a margin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy import special

from rankgauge.errors import Fault, InputError, ParameterError
from rankgauge.judged import FloatArray
from rankgauge.statistics._samples import NO_QUERY, ONE_QUERY, ROUNDING, all_equal, one_of, positive, present
from rankgauge.statistics.intervals import interval
from rankgauge.statistics.results import Equivalence

EquivalenceMethod = Literal["t", "bca", "percentile"]


@dataclass(frozen=True)
class _Bounds:
    low: float | None
    high: float | None
    p: float | None
    method: str
    outcome: str = ""


def equivalence(
    differences: npt.ArrayLike,
    *,
    margin: float,
    confidence: float = 0.95,
    method: EquivalenceMethod = "t",
    largest: float = 1.0,
    rng: np.random.Generator | None = None,
    resamples: int = 10_000,
) -> Equivalence:
    """Say whether a mean difference is above 0, above -margin, or within ±margin.

    Two one-sided bounds, each with this confidence, so that 95% bounds are the ends of a 90% interval: two one-sided
    tests at 5% (TOST). The differences are equivalent if both bounds lie within ±margin, non-inferior if the lower
    one lies above -margin, superior if it lies above 0, inferior if the upper one lies below 0.

    Differences that are all the same value c have no spread to compute a bound from. The exact bound takes its place:
    with n queries all at c, at most a share s = 1 - (1 - confidence)^(1/n) of all queries differs from c, and none by
    more than to ±largest; so the mean lies between c - s (largest + c) and c + s (largest - c).

    Parameters
    ----------
    differences : float[Q], NaN for a query without one; such queries are left out and counted
    margin : the largest difference that would not matter, in the measure's units
    confidence : of each bound, between 0.5 and 1
    method : "t", or a bootstrap, "bca" or "percentile", which needs rng
    largest : the largest possible size of a difference; 1 for measures between 0 and 1, infinite where there is none

    Raises InputError for infinite differences and for ones above `largest`, ParameterError for an option outside its
    range.

    Source: Schuirmann (1987), doi:10.1007/BF01068419; Hanley & Lippman-Hand (1983),
    doi:10.1001/jama.1983.03330370053031, on none out of n.

    >>> found = equivalence([0.01, -0.02, 0.0, 0.01, -0.01, 0.02], margin=0.05)
    >>> found.equivalent, found.superior
    (True, False)
    >>> equivalence([0.0] * 20, margin=0.05).outcome
    'all differences are 0: at most 13.9% of queries can differ, which moves the mean by at most 0.14'
    """
    one_of("method", method, get_args(EquivalenceMethod))
    positive("margin", margin)
    if largest != np.inf:
        positive("largest", largest)
    if not 0.5 < confidence < 1:
        raise ParameterError(f"confidence: expected a number between 0.5 and 1, got {confidence!r}")
    there, left_out = present(differences, what="differences")
    n = there.size
    if n and np.abs(there).max() > largest + ROUNDING:
        advice = "pass the largest possible difference as largest="
        raise InputError(Fault("differences", f"sizes up to {largest:g}", repr(float(np.abs(there).max())), advice))
    if n < 2:
        none = (margin, confidence, False, False, False, False, None, method, n, ONE_QUERY if n else NO_QUERY)
        return Equivalence(float(there[0]) if n else None, None, None, *none, left_out)
    if all_equal(there[None, :])[0]:
        bounds = _same(there, confidence, largest)
    elif method == "t":
        bounds = _student(there, margin, confidence)
    else:
        ends = interval(there, rng=rng, confidence=2 * confidence - 1, method=method, resamples=resamples)
        bounds = _Bounds(ends.low, ends.high, None, ends.method, ends.outcome)
    return _judged(there, bounds, margin, confidence, left_out)


def _judged(there: FloatArray, bounds: _Bounds, margin: float, confidence: float, left_out: int) -> Equivalence:
    low = -np.inf if bounds.low is None else bounds.low
    high = np.inf if bounds.high is None else bounds.high
    return Equivalence(
        estimate=float(there.mean()),
        low=bounds.low,
        high=bounds.high,
        margin=margin,
        confidence=confidence,
        superior=bool(low > 0),
        inferior=bool(high < 0),
        noninferior=bool(low > -margin),
        equivalent=bool(-margin < low and high < margin),
        p=bounds.p,
        method=bounds.method,
        n=there.size,
        outcome=bounds.outcome,
        left_out=left_out,
    )


def _student(there: FloatArray, margin: float, confidence: float) -> _Bounds:
    """Bounds mean ± t(n-1) s / √n, and the larger p of the tests against -margin and +margin."""
    degrees = there.size - 1
    error = float(there.std(ddof=1) / np.sqrt(there.size))
    mean = float(there.mean())
    reach = float(special.stdtrit(degrees, confidence)) * error
    p = max(special.stdtr(degrees, -(mean + margin) / error), special.stdtr(degrees, (mean - margin) / error))
    return _Bounds(mean - reach, mean + reach, float(p), "t")


def _same(there: FloatArray, confidence: float, largest: float) -> _Bounds:
    """Exact bounds from n differences that are all the same."""
    value = float(there.mean())
    value = 0.0 if abs(value) <= ROUNDING else value
    if largest == np.inf:
        return _Bounds(None, None, None, "none", f"all differences are {value:.4g}, and others could be of any size")
    others = -float(np.expm1(np.log1p(-confidence) / there.size))
    low, high = value - others * (largest + value), value + others * (largest - value)
    moves = max(value - low, high - value)
    outcome = (
        f"all differences are {value:.4g}: at most {others:.1%} of queries can differ, "
        f"which moves the mean by at most {moves:.2g}"
    )
    return _Bounds(low, high, None, "exact bound on the share of queries that differ", outcome)
