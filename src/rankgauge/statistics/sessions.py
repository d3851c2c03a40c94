"""How many sessions an interleaving test needs."""

from __future__ import annotations

import math

from scipy import special

from rankgauge.errors import ParameterError


def interleaving_sessions(preference: float = 0.55, *, alpha: float = 0.05, power: float = 0.8) -> int:
    """Sessions with a preference that a two-sided test needs to see that one ranking is preferred.

    n = (z_{1-α/2} · ½ + z_{power} · √(p (1-p)))² / (p - ½)²

    Parameters
    ----------
    preference : p, share of the sessions that prefer the better ranking; above ½
    alpha, power : chance of a false alarm, and chance to see what is there

    Source: the normal approximation of the binomial test; Chapelle et al. (2012), doi:10.1145/2094072.2094078.

    >>> interleaving_sessions(0.52), interleaving_sessions(0.55)
    (4904, 783)
    """
    if not 0.5 < preference < 1:
        raise ParameterError(f"preference: expected a share above 0.5 and below 1, got {preference!r}")
    chance = float(special.ndtri(1 - alpha / 2)) * 0.5
    chance += float(special.ndtri(power)) * math.sqrt(preference * (1 - preference))
    return math.ceil((chance / (preference - 0.5)) ** 2)
