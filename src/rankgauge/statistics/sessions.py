"""How many sessions an interleaving test needs, when it is looked at once and when at any time."""

from __future__ import annotations

import math
from dataclasses import dataclass

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
    _check(preference)
    chance = float(special.ndtri(1 - alpha / 2)) * 0.5
    chance += float(special.ndtri(power)) * math.sqrt(preference * (1 - preference))
    return math.ceil((chance / (preference - 0.5)) ** 2)


def log_evidence(wins: float, n: int, *, prior: float = 50.0) -> float:
    """ln of how much likelier n preferences are under some other p than under ½: the beta-binomial e-process.

    E = 2^n B(a + w, a + n - w) / B(a, a). Stop as soon as E ≥ 1/α: the chance of a false alarm is below α, however
    often one looks.

    Parameters
    ----------
    prior : a; p is thought of as ½ ± 1 / (2 √(2 a + 1))

    Source: Robbins (1970), doi:10.1214/aoms/1177696786; Grünwald, de Heide & Koolen (2024),
    doi:10.1093/jrsssb/qkae011, on e-processes.
    """
    return n * math.log(2) + float(special.betaln(prior + wins, prior + n - wins) - special.betaln(prior, prior))


def sequential_sessions(
    preference: float = 0.55, *, alpha: float = 0.05, power: float = 0.8, prior: float = 50.0
) -> int:
    """Sessions with a preference within which the e-process stops with this power.

    The least n with E ≥ 1/α at w = n p - z_power √(n p (1 - p)) wins: the power of one look at n, so that of all
    looks until n is higher (88% for 80%).

    >>> sequential_sessions(0.52), sequential_sessions(0.55)
    (10623, 1517)
    """
    _check(preference)
    z = float(special.ndtri(power))

    def stopped(n: int) -> bool:
        wins = n * preference - z * math.sqrt(n * preference * (1 - preference))
        return wins > n / 2 and log_evidence(wins, n, prior=prior) >= -math.log(alpha)

    high = interleaving_sessions(preference, alpha=alpha, power=power)
    low = 1
    while not stopped(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if stopped(middle) else (middle, high)
    return high


@dataclass(frozen=True)
class SessionPlan:
    """How long two rankings are to be interleaved.

    Attributes
    ----------
    preference : share of the sessions with a preference that prefer the better ranking
    sessions : with a preference, when it is looked at once, at the end
    sequential : with a preference, when it is looked at at any time: with `power` it has stopped by then
    deciding : share of all sessions that have a preference; None where that is not known
    """

    preference: float
    sessions: int
    sequential: int
    alpha: float
    power: float
    deciding: float | None = None

    @property
    def sentence(self) -> str:
        """The plan in words, up to the command that goes on from here."""
        said = (
            f"interleave both online: {self.sessions:,} sessions with a preference show one of {self.preference:.0%} "
            f"(looked at once; at any time, {self.sequential:,})"
        )
        if self.deciding:
            every = math.ceil(self.sessions / self.deciding)
            said += f", {every:,} sessions in all where {self.deciding:.0%} have one"
        return said


def plan_sessions(
    preference: float = 0.55, *, alpha: float = 0.05, power: float = 0.8, deciding: float | None = None
) -> SessionPlan:
    """Plan an interleaving.

    >>> plan_sessions(deciding=0.4).sentence.split(", ")[-1]
    '1,958 sessions in all where 40% have one'
    """
    if deciding is not None and not 0 < deciding <= 1:
        raise ParameterError(f"deciding: expected a share above 0, got {deciding!r}")
    once = interleaving_sessions(preference, alpha=alpha, power=power)
    return SessionPlan(
        preference, once, sequential_sessions(preference, alpha=alpha, power=power), alpha, power, deciding
    )


def _check(preference: float) -> None:
    if not 0.5 < preference < 1:
        raise ParameterError(f"preference: expected a share above 0.5 and below 1, got {preference!r}")
