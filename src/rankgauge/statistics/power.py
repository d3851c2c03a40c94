"""Which differences so many queries can see, and how many queries a difference takes: power of the paired t-test."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy.typing as npt
from scipy import special

from rankgauge.errors import ParameterError
from rankgauge.statistics._samples import NO_QUERY, ONE_QUERY, all_equal, one_of, positive, present, share
from rankgauge.statistics.results import Alternative, Sensitivity

_LARGE = 10**6  # queries from which the normal distribution takes the place of t: n is off by less than 2 in 10^6


def power(
    n: int,
    *,
    difference: float,
    sd: float,
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
) -> float:
    """Share of samples of n queries in which the paired t-test finds this true mean difference.

    P(|T| > t(1 - α/2)) for T of the noncentral t distribution with n - 1 degrees of freedom and noncentrality
    √n difference / sd; one tail for a one-sided alternative.

    Parameters
    ----------
    n : number of queries, 2 or more
    difference : true mean difference
    sd : standard deviation of the differences
    alpha : level of the test

    Raises ParameterError for an argument outside its range.

    Source: Cohen (1988), Statistical Power Analysis; Sakai (2018), Laboratory Experiments in Information Retrieval,
    doi:10.1007/978-981-13-1199-4, chapter 6.

    >>> round(power(24, difference=0.08, sd=0.13), 3)
    0.823
    """
    _check(sd, alpha, alternative)
    _at_least_2(n)
    return _power(n, difference / sd, alpha, alternative)


def sample_size(
    difference: float,
    *,
    sd: float,
    power: float = 0.8,
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
) -> int:
    """Smallest number of queries that finds this true mean difference with the wanted power.

    Raises ParameterError for an argument outside its range: a difference of 0 is never found, and neither is one on
    the other side of a one-sided alternative.

    >>> sample_size(0.02, sd=0.13)
    334
    """
    _check(sd, alpha, alternative)
    _reachable(power, alpha)
    size = difference / sd
    if (
        size == 0
        or not math.isfinite(size)
        or (alternative != "two-sided" and (size > 0) != (alternative == "greater"))
    ):
        raise ParameterError(f"difference: expected one that a {alternative!r} test can find, got {difference!r}")
    tail = alpha / 2 if alternative == "two-sided" else alpha
    rough = float(((special.ndtri(power) - special.ndtri(tail)) / size) ** 2)
    if rough > _LARGE:
        return math.ceil(rough)
    return _first(lambda n: _power(n, size, alpha, alternative) >= power, low=2)


def detectable(
    n: int,
    *,
    sd: float,
    power: float = 0.8,
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
) -> float:
    """Size of the smallest true mean difference that n queries find with the wanted power.

    Raises ParameterError for an argument outside its range.

    >>> round(detectable(24, sd=0.13), 4)
    0.0776
    """
    _check(sd, alpha, alternative)
    _at_least_2(n)
    _reachable(power, alpha)
    one_sided = alternative != "two-sided"
    low, high = 0.0, 1.0
    while _power(n, high, alpha, "greater" if one_sided else "two-sided") < power:
        low, high = high, 2 * high
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        if middle in (low, high):
            break
        reached = _power(n, middle, alpha, "greater" if one_sided else "two-sided") >= power
        low, high = (low, middle) if reached else (middle, high)
    return high * sd


def sensitivity(
    differences: npt.ArrayLike,
    *,
    wanted: float,
    power: float = 0.8,
    alpha: float = 0.05,
) -> Sensitivity:
    """Say which difference these queries can see, and how many it would take to see the wanted one.

    The spread of the given differences stands for the spread to come; with few queries it is itself uncertain. What
    the differences' mean is does not matter: power "after the fact", from the observed mean, would only repeat p.

    Parameters
    ----------
    differences : float[Q], NaN for a query without one; such queries are left out and counted
    wanted : a difference above 0
    power, alpha : share of such differences that are to be found; two-sided level

    Raises InputError for infinite differences, ParameterError for an option outside its range.

    Source: Sakai (2018), doi:10.1007/978-981-13-1199-4, chapter 6; Hoenig & Heisey (2001),
    doi:10.1198/000313001300339897, on power after the fact.

    >>> sensitivity([0.1, -0.2, 0.3, 0.0, 0.05, -0.1], wanted=0.05).sentence
    'these 6 queries can see a difference of 0.25; for 0.05 you need 96'
    """
    positive("wanted", wanted)
    share("alpha", alpha)
    _reachable(power, alpha)
    there, left_out = present(differences, what="differences")
    n = there.size
    outcome = NO_QUERY if n == 0 else ONE_QUERY if n == 1 else ""
    if n > 1 and all_equal(there[None, :])[0]:
        outcome = "all differences are equal"
    if outcome:
        sentence = f"{outcome}: nothing is known of how differences vary over queries"
        return Sensitivity(n, None, None, wanted, None, power, alpha, sentence, outcome, left_out)
    sd = float(there.std(ddof=1))
    least = detectable(n, sd=sd, power=power, alpha=alpha)
    needed = sample_size(wanted, sd=sd, power=power, alpha=alpha)
    more = f"for {wanted:.2g} you need {needed:,}" if needed > n else f"for {wanted:.2g}, {needed:,} are enough"
    sentence = f"these {n:,} queries can see a difference of {least:.2g}; {more}"
    return Sensitivity(n, sd, least, wanted, needed, power, alpha, sentence, "", left_out)


def _power(n: int, size: float, alpha: float, alternative: Alternative) -> float:
    """Power for a difference in units of the standard deviation."""
    centre = math.sqrt(n) * size
    if alternative == "less":
        centre = -centre
    if alternative != "two-sided":
        return 1 - _noncentral(-special.stdtrit(n - 1, alpha), n - 1, centre)
    critical = -special.stdtrit(n - 1, alpha / 2)
    return 1 - _noncentral(critical, n - 1, centre) + _noncentral(-critical, n - 1, centre)


def _noncentral(t: float, degrees: int, centre: float) -> float:
    """Noncentral t distribution; far in the tails, where scipy has no number, Abramowitz & Stegun (1964), 26.7.10."""
    chance = float(special.nctdtr(degrees, centre, t))
    if math.isnan(chance):
        z = (t * (1 - 1 / (4 * degrees)) - centre) / math.sqrt(1 + t * t / (2 * degrees))
        chance = float(special.ndtr(z))
    return chance


def _first(holds: Callable[[int], bool], *, low: int) -> int:
    """Smallest whole number from `low` on for which a condition holds that, once true, stays true."""
    if holds(low):
        return low
    high = 2 * low
    while not holds(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _check(sd: float, alpha: float, alternative: Alternative) -> None:
    positive("sd", sd)
    share("alpha", alpha)
    one_of("alternative", alternative, ("two-sided", "greater", "less"))


def _at_least_2(n: int) -> None:
    if isinstance(n, bool) or n != int(n) or n < 2:
        raise ParameterError(f"n: expected 2 queries or more, got {n!r}")


def _reachable(power: float, alpha: float) -> None:
    share("power", power)
    if power <= alpha:
        raise ParameterError(f"power: expected more than alpha ({alpha!r}), got {power!r}")
