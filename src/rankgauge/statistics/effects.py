"""How large a paired difference is: in units of its spread, and as wins, ties and losses."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import special

from rankgauge.statistics._samples import NO_QUERY, ONE_QUERY, all_equal, positive, present
from rankgauge.statistics.results import Effect, WinsTiesLosses

TIE = 1e-9  # differences up to this size are ties: far below any change of a ranking, far above rounding


def effect(differences: npt.ArrayLike, *, tolerance: float = TIE) -> Effect:
    """Cohen's d_z of paired differences, its correction for small samples, and the share of queries that gained.

    d_z = mean / standard deviation (n - 1 in the denominator)
    corrected = J(n - 1) d_z,  J(m) = Γ(m/2) / (√(m/2) Γ((m-1)/2))
    superiority = (queries above tolerance + half of the ties) / n

    Parameters
    ----------
    differences : float[Q], NaN for a query without one; such queries are left out and counted
    tolerance : differences up to this size are ties

    Raises InputError for infinite differences.

    Source: Cohen (1988), Statistical Power Analysis, section 2.3.5; Hedges (1981), doi:10.3102/10769986006002107;
    Grissom & Kim (2012), Effect Sizes for Research, chapter 5 (dependent groups).

    >>> effect([1, 2, 3]).d, effect([1, 2, 3]).superiority
    (2.0, 1.0)
    >>> effect([0.1, 0.1]).outcome
    'all differences are equal: d is undefined'
    """
    there, left_out = present(differences, what="differences")
    n = there.size
    counted = wins_ties_losses(differences, tolerance=tolerance)
    superiority = (counted.wins + counted.ties / 2) / n if n else None
    if n < 2:
        return Effect(None, None, superiority, n, left_out, ONE_QUERY if n else NO_QUERY)
    if all_equal(there[None, :])[0]:
        equal = "all differences are equal: d is undefined"
        return Effect(None, None, superiority, n, left_out, equal)
    d = float(there.mean() / there.std(ddof=1))
    return Effect(d, d * _hedges(n - 1) if n > 2 else None, superiority, n, left_out)


def _hedges(degrees: int) -> float:
    """Factor that removes the bias of d with so many degrees of freedom (2 or more)."""
    return float(np.exp(special.gammaln(degrees / 2) - special.gammaln((degrees - 1) / 2)) / np.sqrt(degrees / 2))


def wins_ties_losses(differences: npt.ArrayLike, *, tolerance: float = TIE) -> WinsTiesLosses:
    """Count the queries that gained, stayed and lost.

    Parameters
    ----------
    differences : float[Q], NaN for a query without one
    tolerance : differences up to this size are ties

    Raises InputError for infinite differences.

    >>> wins_ties_losses([0.2, 0.0, 1e-12, -0.1, 0.3])
    WinsTiesLosses(wins=2, ties=2, losses=1, left_out=0)
    """
    if tolerance:
        positive("tolerance", tolerance)
    there, left_out = present(differences, what="differences")
    wins, losses = _count(there > tolerance), _count(there < -tolerance)
    return WinsTiesLosses(wins, there.size - wins - losses, losses, left_out)


def _count(which: npt.NDArray[np.bool_]) -> int:
    return int(np.count_nonzero(which))
