"""Confidence intervals of a mean over queries: bootstrap (BCa, percentile) and Student's t."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy import special

from rankgauge.judged import FloatArray
from rankgauge.statistics._samples import (
    ALL_EQUAL,
    NO_QUERY,
    ONE_QUERY,
    ROUNDING,
    Draws,
    Group,
    all_equal,
    as_row,
    as_rows,
    chunks,
    draws,
    groups,
    one_of,
    share,
)
from rankgauge.statistics.results import Interval

IntervalMethod = Literal["bca", "percentile", "t"]

_NAMES = {"bca": "BCa bootstrap", "percentile": "percentile bootstrap", "t": "t"}
_TOO_FAR = "the BCa correction does not exist here: too far in the tails"


def interval(
    values: npt.ArrayLike,
    *,
    rng: np.random.Generator | None = None,
    confidence: float = 0.95,
    method: IntervalMethod = "bca",
    resamples: int = 10_000,
) -> Interval:
    """Interval of the mean of one row of per-query values or paired differences.

    Parameters
    ----------
    values : float[Q], NaN for a query without a value; such queries are left out and counted
    rng : needed by the bootstrap methods
    confidence : between 0 and 1
    method : "bca", "percentile" or "t"
    resamples : bootstrap samples, 100 or more

    Raises InputError for infinite values, ParameterError for an option outside its range.

    Source: Efron (1987), doi:10.1080/01621459.1987.10478410; Efron & Tibshirani (1993), An Introduction to the
    Bootstrap, chapters 13 and 14.

    >>> interval([0.2, 0.4, 0.6, 0.8], method="t").n
    4
    >>> interval([0.5], rng=np.random.default_rng(1)).outcome
    'one query'
    """
    row = as_row(values)
    return intervals(row, rng=rng, confidence=confidence, method=method, resamples=resamples)[0]


def intervals(
    rows: npt.ArrayLike,
    *,
    rng: np.random.Generator | None = None,
    confidence: float = 0.95,
    method: IntervalMethod = "bca",
    resamples: int = 10_000,
) -> list[Interval]:
    """Interval of the mean of each row of float[K, Q]; see `interval`.

    Rows with equally many values share the resamples. Each row's interval is the one it has alone with this rng.
    """
    one_of("method", method, get_args(IntervalMethod))
    share("confidence", confidence)
    drawn = None if method == "t" else draws(rng, resamples)
    values = as_rows(rows)
    found: dict[int, Interval] = {}
    for group in groups(values):
        low, high, outcomes = _bounds(group, drawn, confidence, method)
        name = _NAMES[method] + (f", {drawn.resamples:,} resamples" if drawn else "")
        means = group.rows.mean(axis=1) if group.n else np.full(len(group.rows), np.nan)
        for k, place in enumerate(group.places.tolist()):
            mean, left, right = (_or_none(x[k]) for x in (means, low, high))
            found[place] = Interval(mean, left, right, confidence, name, group.n, outcomes[k], group.left_out)
    return [found[place] for place in range(len(values))]


def _or_none(x: float) -> float | None:
    return None if np.isnan(x) else float(x)


def _bounds(
    group: Group, drawn: Draws | None, confidence: float, method: IntervalMethod
) -> tuple[FloatArray, FloatArray, list[str]]:
    """Low and high ends float64[G], NaN where there is none, and the outcomes."""
    rows = group.rows
    none = np.full(len(rows), np.nan)
    if group.n < 2:
        return none, none, [ONE_QUERY if group.n else NO_QUERY] * len(rows)
    if drawn is None:
        low, high = _t(rows, confidence)
    else:
        parts = [_bootstrap(rows[part], drawn, confidence, method) for part in chunks(rows, width=drawn.resamples)]
        low, high = (np.concatenate(ends) for ends in zip(*parts, strict=True))
    says = "t" if drawn is None else "resampling"
    equal = all_equal(rows)
    outcomes = np.where(equal, ALL_EQUAL.format(says), "")
    outcomes = np.where(~equal & np.isnan(low), _TOO_FAR, outcomes)
    means = rows.mean(axis=1)
    return np.where(equal, means, low), np.where(equal, means, high), outcomes.tolist()


def _t(rows: FloatArray, confidence: float) -> tuple[FloatArray, FloatArray]:
    """Student's interval: mean ± t(n-1) s / √n."""
    n = rows.shape[1]
    half = -special.stdtrit(n - 1, (1 - confidence) / 2) * rows.std(axis=1, ddof=1) / np.sqrt(n)
    means = rows.mean(axis=1)
    return means - half, means + half


def _bootstrap(
    rows: FloatArray, drawn: Draws, confidence: float, method: IntervalMethod
) -> tuple[FloatArray, FloatArray]:
    means = rows.mean(axis=1, keepdims=True)
    centred = rows - means
    resampled = np.sort(np.concatenate(list(_resampled(centred, drawn)), axis=0).T, axis=1)
    tails = np.array([(1 - confidence) / 2, (1 + confidence) / 2])
    levels = np.broadcast_to(tails, (len(rows), 2))
    if method == "bca":
        levels = _bca_levels(centred, resampled, tails)
    ends = _quantiles(resampled, levels) + means
    return ends[:, 0], ends[:, 1]


def _resampled(rows: FloatArray, drawn: Draws) -> Iterator[FloatArray]:
    """Blocks float64[b, K] of the rows' means in the same bootstrap samples."""
    n = rows.shape[1]
    for counts in drawn.counts(n):
        yield counts @ rows.T / n


def _bca_levels(centred: FloatArray, resampled: FloatArray, tails: FloatArray) -> FloatArray:
    """float64[K, 2]: where in the resampled means the ends stand (Efron & Tibshirani 1993, eq. 14.10, 14.14, 14.15).

    The acceleration is that of the jackknife, which for a mean needs no loop: leaving out query i moves the mean by
    -(x_i - mean) / (n - 1). NaN where the correction has no solution.
    """
    slack = ROUNDING * np.maximum(np.abs(centred).max(axis=1, keepdims=True), ROUNDING)
    below = (resampled < -slack).mean(axis=1) + 0.5 * (np.abs(resampled) <= slack).mean(axis=1)
    bias = special.ndtri(below)[:, None]
    scaled = centred / np.maximum(np.abs(centred).max(axis=1, keepdims=True), ROUNDING)
    squares = np.maximum((scaled**2).sum(axis=1), ROUNDING)
    acceleration = ((scaled**3).sum(axis=1) / (6 * squares**1.5))[:, None]
    reach = bias + special.ndtri(tails)
    shrink = 1 - acceleration * reach
    with np.errstate(divide="ignore", invalid="ignore"):
        levels = special.ndtr(bias + reach / shrink)
    solved = np.isfinite(bias) & (shrink > 0).all(axis=1, keepdims=True)
    return np.where(solved, levels, np.nan)


def _quantiles(ordered: FloatArray, levels: FloatArray) -> FloatArray:
    """Quantiles float64[K, 2] of ordered rows at levels of their own, interpolated as numpy does by default."""
    last = ordered.shape[1] - 1
    place = np.nan_to_num(levels) * last
    left = np.floor(place).astype(np.int64)
    right = np.minimum(left + 1, last)
    low, high = (np.take_along_axis(ordered, at, axis=1) for at in (left, right))
    return np.where(np.isnan(levels), np.nan, low + (place - left) * (high - low))
