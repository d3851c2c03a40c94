"""Two independent shares beside each other: score test, Miettinen and Nurminen's and Newcombe's intervals."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

from scipy import special

from rankgauge.errors import Fault, InputError
from rankgauge.statistics._samples import one_of, share
from rankgauge.statistics.proportions import wilson
from rankgauge.statistics.results import Interval

ProportionMethod = Literal["miettinen-nurminen", "newcombe"]

_NAMES = {"miettinen-nurminen": "Miettinen-Nurminen score", "newcombe": "Newcombe hybrid score"}
NOBODY = "nothing was counted in one of the two"


@dataclass(frozen=True)
class Counted:
    """How many of how many.

    >>> Counted(3, 4).share
    0.75
    """

    hits: int
    n: int

    def __post_init__(self) -> None:
        if not 0 <= self.hits <= self.n:
            raise InputError(Fault("hits", f"from 0 to {self.n}", f"{self.hits}"))

    @property
    def share(self) -> float:
        """Hits of n, which must not be 0."""
        return self.hits / self.n


def difference_of_proportions(
    a: Counted, b: Counted, *, confidence: float = 0.95, method: ProportionMethod = "miettinen-nurminen"
) -> Interval:
    """Share of a minus share of b with an interval that also holds for rare events, as Wald's does not.

    Miettinen-Nurminen: all δ with (p_a - p_b - δ)² ≤ z² · N / (N - 1) · (P_a Q_a / n_a + P_b Q_b / n_b), where P are
    the likeliest shares that differ by δ. Newcombe: d - √((p_a - l_a)² + (u_b - p_b)²) and
    d + √((u_a - p_a)² + (p_b - l_b)²) with Wilson's l and u.

    Source: Miettinen & Nurminen (1985), doi:10.1002/sim.4780040211, eq. 8 and appendix 1; Newcombe (1998),
    doi:10.1002/(SICI)1097-0258(19980430)17:8<873::AID-SIM779>3.0.CO;2-I, method 10. Newcombe's agrees with
    statsmodels; of the other, statsmodels 0.15 has a slip in the likeliest shares (hits in the place of units).

    >>> found = difference_of_proportions(Counted(56, 70), Counted(48, 80), method="newcombe")
    >>> round(found.low, 4), round(found.high, 4)
    (0.0524, 0.3339)
    """
    share("confidence", confidence)
    one_of("method", method, get_args(ProportionMethod))
    n = a.n + b.n
    if not a.n or not b.n:
        return Interval(None, None, None, confidence, _NAMES[method], n, NOBODY)
    seen = a.share - b.share
    if method == "newcombe":
        of_a, of_b = (wilson(x.hits, x.n, confidence=confidence) for x in (a, b))
        assert of_a.low is not None and of_a.high is not None and of_b.low is not None and of_b.high is not None
        low = seen - math.hypot(a.share - of_a.low, of_b.high - b.share)
        high = seen + math.hypot(of_a.high - a.share, b.share - of_b.low)
    else:
        z = float(special.ndtri((1 + confidence) / 2))
        low = _where(lambda at: _score(a, b, at) <= z, -1.0, seen)
        high = _where(lambda at: _score(a, b, at) < -z, seen, 1.0)
    return Interval(seen, low, high, confidence, _NAMES[method], n)


def ratio_of_proportions(a: Counted, b: Counted, *, confidence: float = 0.95) -> Interval:
    """Share of a by share of b with Miettinen and Nurminen's score interval.

    All φ with (p_a - φ p_b)² ≤ z² · N / (N - 1) · (P_a Q_a / n_a + φ² P_b Q_b / n_b), P_a = φ P_b being the likeliest.

    Source: Miettinen & Nurminen (1985), doi:10.1002/sim.4780040211, eq. 10 and 12. Agrees with statsmodels'
    confint_proportions_2indep(compare="ratio").

    >>> found = ratio_of_proportions(Counted(30, 100), Counted(20, 100))
    >>> round(found.estimate, 3), round(found.low, 3), round(found.high, 3)
    (1.5, 0.923, 2.461)
    """
    share("confidence", confidence)
    n = a.n + b.n
    if not a.n or not b.n:
        return Interval(None, None, None, confidence, _NAMES["miettinen-nurminen"], n, NOBODY)
    if not b.hits:
        return Interval(None, None, None, confidence, _NAMES["miettinen-nurminen"], n, "the second share is 0")
    z = float(special.ndtri((1 + confidence) / 2))
    seen = a.share / b.share
    top = max(seen, 1.0)
    while _score_of_ratio(a, b, top) >= -z:
        top *= 2
    low = _where(lambda at: _score_of_ratio(a, b, at) <= z, 0.0, seen)
    high = _where(lambda at: _score_of_ratio(a, b, at) < -z, seen, top)
    return Interval(seen, low if a.hits else 0.0, high, confidence, _NAMES["miettinen-nurminen"], n)


def score_p(a: Counted, b: Counted) -> float | None:
    """Two-sided p of equal shares, the test that Miettinen and Nurminen's interval inverts; None without counts.

    >>> round(score_p(Counted(69, 10000), Counted(46, 10000)), 4)
    0.0315
    """
    if not a.n or not b.n:
        return None
    return 2 * float(special.ndtr(-abs(_score(a, b, 0.0))))


def _where(holds: Callable[[float], bool], low: float, high: float) -> float:
    """Least number between two from which a condition holds on."""
    for _ in range(100):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _score(a: Counted, b: Counted, difference: float) -> float:
    """(p_a - p_b - δ) by its standard error where δ is true; falls with δ."""
    P_b = _restricted(a, b, difference)
    P_a = min(1.0, max(0.0, P_b + difference))
    return _standardised(a.share - b.share - difference, P_a * (1 - P_a) / a.n + P_b * (1 - P_b) / b.n, a.n + b.n)


def _score_of_ratio(a: Counted, b: Counted, ratio: float) -> float:
    """(p_a - φ p_b) by its standard error where φ is true; the likeliest P_b solves a quadratic."""
    A, C = (a.n + b.n) * ratio, a.hits + b.hits
    B = a.n * ratio + a.hits + b.n + b.hits * ratio
    P_b = b.share if A == 0 else 2 * C / (B + math.sqrt(max(0.0, B * B - 4 * A * C)))
    P_a = min(1.0, ratio * P_b)
    spread = P_a * (1 - P_a) / a.n + ratio**2 * P_b * (1 - P_b) / b.n
    return _standardised(a.share - ratio * b.share, spread, a.n + b.n)


def _standardised(distance: float, spread: float, n: int) -> float:
    spread *= n / (n - 1)
    if spread <= 0:
        return 0.0 if distance == 0 else math.copysign(math.inf, distance)
    return distance / math.sqrt(spread)


def _restricted(a: Counted, b: Counted, difference: float) -> float:
    """Likeliest share of b where a's is larger by δ: the root of a cubic, in closed form (appendix 1)."""
    n = a.n + b.n
    l2 = (a.n + 2 * b.n) * difference - n - (a.hits + b.hits)
    l1 = (b.n * difference - n - 2 * b.hits) * difference + a.hits + b.hits
    l0 = b.hits * difference * (1 - difference)
    q = l2**3 / (3 * n) ** 3 - l1 * l2 / (6 * n * n) + l0 / (2 * n)
    p = math.copysign(math.sqrt(max(0.0, l2**2 / (3 * n) ** 2 - l1 / (3 * n))), q)
    turn = (math.pi + math.acos(max(-1.0, min(1.0, q / p**3)) if p else 0.0)) / 3
    low, high = max(0.0, -difference), min(1.0, 1.0 - difference)
    return min(high, max(low, 2 * p * math.cos(turn) - l2 / (3 * n)))
