"""Intervals that hold however often they are looked at: asymptotic confidence sequences."""

from __future__ import annotations

import math

from scipy import special

from rankgauge.errors import ParameterError
from rankgauge.statistics._samples import share

FEWEST = 100
"""Units of an arm below which the normal limit is not trusted."""


def tuning(tightest_at: int, *, alpha: float = 0.05) -> float:
    """ρ² of the sequence that is tightest at so many units: (-2 ln α + ln(-2 ln α) + 1) / n*.

    It must be fixed before the first look.

    Source: Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas (2024), doi:10.1214/24-AOS2408, appendix on ρ.

    >>> round(tuning(1000), 6)
    0.008782
    """
    share("alpha", alpha)
    if tightest_at < 1:
        raise ParameterError(f"tightest_at: expected 1 unit or more, got {tightest_at!r}")
    doubled = -2 * math.log(alpha)
    return (doubled + math.log(doubled) + 1) / tightest_at


def reach(n: int, *, rho2: float, alpha: float = 0.05) -> float:
    """Standard errors on either side that are enough at every n at once.

    √(2 (n ρ² + 1) / (n ρ²) · ln(√(n ρ² + 1) / α)); mean ± reach · σ / √n misses the truth at any n with chance α.

    Source: Waudby-Smith et al. (2024), doi:10.1214/24-AOS2408, theorem 2.2.

    >>> round(reach(1000, rho2=tuning(1000)) / 1.96, 2)
    1.55
    """
    scaled = n * rho2
    return math.sqrt(2 * (scaled + 1) / scaled * math.log(math.sqrt(scaled + 1) / alpha))


def anytime_p(z: float, n: int, *, rho2: float) -> float:
    """Smallest α whose sequence, with this ρ², leaves out 0 when the estimate is z standard errors from it.

    min(1, √(n ρ² + 1) · exp(-z² n ρ² / (2 (n ρ² + 1)))); valid whenever one stops.
    """
    scaled = n * rho2
    return min(1.0, math.exp(0.5 * math.log1p(scaled) - z * z * scaled / (2 * (scaled + 1))))


def inflation(*, alpha: float = 0.05, power: float = 0.8) -> float:
    """How many times the units of a fixed test a sequence needs to have this power when it is tightest.

    ((reach(n*) + z_power) / (z_{1-α/2} + z_power))²

    >>> round(inflation(), 2)
    1.92
    """
    share("power", power)
    z = float(special.ndtri(power))
    fixed = float(special.ndtri(1 - alpha / 2))
    return ((reach(1, rho2=tuning(1, alpha=alpha), alpha=alpha) + z) / (fixed + z)) ** 2
