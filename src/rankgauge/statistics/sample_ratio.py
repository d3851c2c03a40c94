"""Whether as many units came into each arm as were meant to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scipy import special

from rankgauge.errors import ParameterError

MISMATCH = 0.001
"""p below which the split is not what was meant: low, as it is looked at in every experiment and day after day."""


@dataclass(frozen=True)
class SampleRatio:
    """Units by arm beside those that were to be expected; a chi-square test.

    Attributes
    ----------
    units, expected : by arm
    p : None where no unit came
    mismatch : p < 0.001
    """

    units: tuple[int, ...]
    expected: tuple[float, ...]
    statistic: float | None
    p: float | None
    mismatch: bool


def sample_ratio(units: Sequence[int], split: Sequence[float] | None = None) -> SampleRatio:
    """Test the numbers of units by arm against the split that was meant.

    Σ (n_a - N s_a)² / (N s_a); χ² with one degree of freedom less than there are arms.

    Parameters
    ----------
    split : one number above 0 per arm, in any units; equal parts without it

    Source: Fabijan et al. (2019), doi:10.1145/3292500.3330722. Agrees with scipy's chisquare.

    >>> found = sample_ratio([821588, 815482])
    >>> f"{found.p:.1e}", found.mismatch
    ('1.8e-06', True)
    """
    parts = [1.0] * len(units) if split is None else list(split)
    if len(parts) != len(units) or not all(0 < part < float("inf") for part in parts):
        raise ParameterError(f"split: expected {len(units)} numbers above 0, one per arm, got {split!r}")
    total = sum(units)
    expected = tuple(total * part / sum(parts) for part in parts)
    if not total or len(units) < 2:
        return SampleRatio(tuple(units), expected, None, None, False)
    statistic = sum((n - e) ** 2 / e for n, e in zip(units, expected, strict=True))
    p = float(special.chdtrc(len(units) - 1, statistic))
    return SampleRatio(tuple(units), expected, statistic, p, p < MISMATCH)
