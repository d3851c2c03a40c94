"""How many units an A/B test needs, and which difference so many can see."""

from __future__ import annotations

import math

from scipy import special

from rankgauge.errors import ParameterError
from rankgauge.statistics._samples import positive, share


def units_for_rates(
    rate: float, other: float, *, alpha: float = 0.05, power: float = 0.8, ratio: float = 1.0
) -> tuple[int, int]:
    """Units of the control and of the arm in which a two-sided score test sees these two shares apart.

    n = (z_{1-α/2} √((1 + 1/k) p̄ q̄) + z_power √(p q + p' q' / k))² / (p' - p)², p̄ = (p + k p') / (1 + k); the arm
    has k n.

    Parameters
    ----------
    rate, other : of the control and of the arm
    ratio : k, units of the arm per unit of the control

    Source: Fleiss, Levin & Paik (2003), Statistical Methods for Rates and Proportions, chapter 4, without the
    correction for continuity.

    >>> units_for_rates(0.10, 0.12)
    (3841, 3841)
    """
    z, z_power = _quantiles(alpha, power)
    for name, p in (("rate", rate), ("other rate", other)):
        share(name, p)
    positive("ratio", ratio)
    if rate == other:
        raise ParameterError("lift: expected a difference, got none")
    pooled = (rate + ratio * other) / (1 + ratio)
    spread = z * math.sqrt((1 + 1 / ratio) * pooled * (1 - pooled))
    spread += z_power * math.sqrt(rate * (1 - rate) + other * (1 - other) / ratio)
    n = (spread / (other - rate)) ** 2
    return math.ceil(n), math.ceil(ratio * n)


def units_for_means(
    difference: float, *, sd: float, alpha: float = 0.05, power: float = 0.8, ratio: float = 1.0
) -> tuple[int, int]:
    """Units of the control and of the arm in which a two-sided t-test sees this difference of means.

    n = (z_{1-α/2} + z_power)² (1 + 1/k) (sd / difference)² + z²_{1-α/2} / (2 (1 + k)); the last is for t in place of z.

    Source: Guenther (1981), The American Statistician 35(4), 243-244, on the last term.

    >>> units_for_means(0.5, sd=1)
    (64, 64)
    """
    z, z_power = _quantiles(alpha, power)
    positive("sd", sd)
    positive("ratio", ratio)
    if difference == 0 or not math.isfinite(difference):
        raise ParameterError(f"difference: expected one other than 0, got {difference!r}")
    n = (z + z_power) ** 2 * (1 + 1 / ratio) * (sd / difference) ** 2 + z**2 / (2 * (1 + ratio))
    return math.ceil(n), math.ceil(ratio * n)


def _quantiles(alpha: float, power: float) -> tuple[float, float]:
    share("alpha", alpha)
    share("power", power)
    return float(special.ndtri(1 - alpha / 2)), float(special.ndtri(power))
