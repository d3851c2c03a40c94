"""Intervals of shares: Wilson."""

from __future__ import annotations

import math

from scipy import special

from rankgauge.errors import Fault, InputError
from rankgauge.statistics._samples import share
from rankgauge.statistics.results import Interval


def wilson(hits: int, n: int, *, confidence: float = 0.95) -> Interval:
    """Share of hits with Wilson's score interval, which stays within 0 and 1 and is there for 0 and n hits.

    (p + z²/2n ± z √(p (1 - p) / n + z²/4n²)) / (1 + z²/n)

    Source: Wilson (1927), doi:10.1080/01621459.1927.10502953.

    >>> found = wilson(9, 10)
    >>> round(found.low, 4), round(found.high, 4)
    (0.5958, 0.9821)
    """
    share("confidence", confidence)
    if not 0 <= hits <= n:
        raise InputError(Fault("hits", f"from 0 to {n}", f"{hits}"))
    if n == 0:
        return Interval(None, None, None, confidence, "Wilson", 0, "nothing was counted")
    z, p = float(special.ndtri((1 + confidence) / 2)), hits / n
    middle = p + z**2 / (2 * n)
    half = z * math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    low, high = (middle - half) / (1 + z**2 / n), (middle + half) / (1 + z**2 / n)
    return Interval(p, 0.0 if hits == 0 else low, 1.0 if hits == n else high, confidence, "Wilson", n)
