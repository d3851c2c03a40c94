"""How many queries for which difference: power of the two-sided paired t test."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable

LARGEST_SAMPLE = 10_000_000
ROUNDS = 100


def detectable(n: int, sd: float, *, power: float = 0.8, alpha: float = 0.05) -> float:
    """Smallest true mean difference that n paired differences with this standard deviation show with this power.

    Solves power(d) = 1 - F(t_{1-α/2}; n-1, d√n/sd) for d, F the noncentral t distribution (Cohen 1988, ch. 2).
    NaN for fewer than two queries.

    >>> round(detectable(50, 0.2), 4)
    0.0808
    """
    if n < 2:
        return math.nan
    if sd == 0:
        return 0.0
    reached = _bisected(lambda effect: _power(effect, n, alpha) - power, 0.0, _high_effect(n, power, alpha))
    return reached * sd


def sample_size(difference: float, sd: float, *, power: float = 0.8, alpha: float = 0.05) -> int:
    """Smallest number of queries whose paired differences show this true mean difference with this power.

    >>> sample_size(0.08, 0.2)
    52
    """
    if sd == 0:
        return 2
    low, high = 1, 2
    while _power(difference / sd, high, alpha) < power:
        low, high = high, high * 2
        if high > LARGEST_SAMPLE:
            return LARGEST_SAMPLE
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _power(difference / sd, middle, alpha) >= power else (middle, high)
    return high


def _power(effect: float, n: int, alpha: float) -> float:
    special = importlib.import_module("scipy.special")  # late: the public names load numpy and polars only
    shift = abs(effect) * math.sqrt(n)
    critical = float(special.stdtrit(n - 1, 1 - alpha / 2))
    above, below = special.nctdtr(n - 1, shift, critical), special.nctdtr(n - 1, shift, -critical)
    return float(1 - above + (0.0 if math.isnan(below) else below))


def _high_effect(n: int, power: float, alpha: float) -> float:
    high = 1.0
    while _power(high, n, alpha) < power:
        high *= 2
    return high


def _bisected(f: Callable[[float], float], low: float, high: float) -> float:
    for _ in range(ROUNDS):
        middle = (low + high) / 2
        low, high = (low, middle) if f(middle) >= 0 else (middle, high)
    return high
