"""Mean of values that come in clusters, as documents do in queries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import special

from rankgauge.errors import Fault, InputError
from rankgauge.statistics._samples import share
from rankgauge.statistics.results import Interval


def clustered_mean(values: npt.ArrayLike, clusters: Sequence[Any], *, confidence: float = 0.95) -> Interval:
    """Mean over all values with an interval that takes the clusters, not the values, as the sample.

    mean ± t(C - 1) · √(C / (C - 1) · Σ_c (Σ_{i in c} (x_i - mean))²) / n

    Parameters
    ----------
    values : float[U], all finite
    clusters : one name per value
    confidence : between 0 and 1

    `n` of the result is the number of values. With few clusters of uneven size the interval is too short.

    Source: Cochran (1977), Sampling Techniques, eq. 6.13 and 9A.

    >>> clustered_mean([1.0, 1.0, 0.0], ["q1", "q1", "q2"]).estimate
    0.6666666666666666
    """
    share("confidence", confidence)
    row = np.asarray(values, dtype=np.float64)
    if row.ndim != 1 or len(row) != len(clusters) or not np.isfinite(row).all():
        got = f"{row.shape} and {len(clusters)}" if np.isfinite(row).all() else "a value that is not finite"
        raise InputError(Fault("values", "one finite number and one cluster per item", got))
    method = "t, clustered"
    if not len(row):
        return Interval(None, None, None, confidence, method, 0, "no value")
    names, cluster = np.unique(np.asarray(clusters), return_inverse=True)
    mean, C = float(row.mean()), len(names)
    if C < 2:
        return Interval(mean, None, None, confidence, method, len(row), "one cluster: no interval")
    sums = np.bincount(cluster, weights=row - mean, minlength=C)
    half = -special.stdtrit(C - 1, (1 - confidence) / 2) * np.sqrt(C / (C - 1) * (sums**2).sum()) / len(row)
    return Interval(mean, mean - float(half), mean + float(half), confidence, method, len(row))
