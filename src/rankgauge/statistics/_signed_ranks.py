"""Wilcoxon's signed ranks: the statistic with ties, its exact distribution, its normal approximation."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy import special

from rankgauge.judged import BoolArray, FloatArray, IntArray
from rankgauge.statistics._samples import ROUNDING
from rankgauge.statistics.results import Alternative

EXACT_UP_TO = 50  # queries, without ties and zeros
EXACT_WITH_TIES_UP_TO = 13  # queries
_CACHED = 2**15  # numbers ranked at once, so that the passes over them stay in the processor's cache


@dataclass(frozen=True)
class SignedRanks:
    """Rows float64[K, n] of differences as ranks of their sizes; differences of 0 have rank 0.

    Attributes
    ----------
    doubled : int64[K, n], twice the mid-rank, so that ties have whole numbers too; in ascending order
    plus : int64[K], sum of `doubled` over the differences above 0
    moved : int64[K], number of differences other than 0
    tied : int64[K], sum of t³ - t over groups of t tied sizes
    """

    doubled: IntArray
    plus: IntArray
    moved: IntArray
    tied: IntArray

    @property
    def clean(self) -> BoolArray:
        """bool[K]: no ties and no zeros."""
        return np.asarray((self.tied == 0) & (self.moved == self.doubled.shape[1]))


def signed_ranks(rows: FloatArray) -> SignedRanks:
    """Rank the sizes of differences within each row; sizes that differ by rounding only are tied."""
    size = max(1, _CACHED // rows.shape[1])
    parts = [_ranked(rows[start : start + size]) for start in range(0, len(rows), size)]
    return SignedRanks(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _ranked(rows: FloatArray) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """The columns of `SignedRanks`.

    The last bit of a size, far below rounding, carries the sign through the sort; bits of sizes order as sizes do.
    """
    keys = (np.abs(rows).view(np.int64) & ~1) | (rows > 0)
    keys.sort(axis=1)
    gains, ordered = keys & 1, (keys & ~1).view(np.float64)
    moved = np.count_nonzero(ordered, axis=1)
    slack = ROUNDING * np.maximum(ordered[:, -1:], ROUNDING)
    apart = np.diff(ordered, axis=1) > slack
    place = np.arange(rows.shape[1])
    if apart.all() and moved.min() == place.size:
        doubled = np.broadcast_to(2 * place + 2, rows.shape)
        return doubled, gains @ doubled[0], moved, np.zeros(len(rows), dtype=np.int64)
    edge = np.ones((len(rows), 1), dtype=bool)
    first = np.maximum.accumulate(np.where(np.hstack([edge, apart]), place, 0), axis=1)
    ends = np.where(np.hstack([apart, edge]), place, place.size)
    last = np.minimum.accumulate(ends[:, ::-1], axis=1)[:, ::-1]
    zeros = (place.size - moved)[:, None]
    doubled = np.where(ordered > 0, first + last + 2 - 2 * zeros, 0)
    tied = ((last - first + 1) ** 2 - 1) * (ordered > 0)
    return doubled, (doubled * gains).sum(axis=1), moved, tied.sum(axis=1)


def exact_p(doubled: IntArray, plus: int, alternative: Alternative) -> float:
    """p of a sum of ranks when every sign is a fair coin, given these ranks, ties and all."""
    chances = _distribution(tuple(doubled[doubled > 0].tolist()))
    upper, lower = float(chances[plus:].sum()), float(chances[: plus + 1].sum())
    return min(1.0, {"two-sided": 2 * min(upper, lower), "greater": upper, "less": lower}[alternative])


@lru_cache(maxsize=256)
def _distribution(doubled: tuple[int, ...]) -> FloatArray:
    """Chance of each sum: every rank is in it or not, each with probability one half."""
    chances = np.zeros(sum(doubled) + 1)
    chances[0] = 1
    for rank in doubled:
        chances /= 2
        chances[rank:] += chances[:-rank].copy()
    return chances


def normal_p(ranks: SignedRanks, alternative: Alternative) -> FloatArray:
    """float64[K]: normal approximation with the variance corrected for ties, without continuity correction."""
    m = ranks.moved.astype(np.float64)
    variance = (m * (m + 1) * (2 * m + 1) - ranks.tied / 2) / 24
    z = (ranks.plus / 2 - m * (m + 1) / 4) / np.sqrt(np.where(variance > 0, variance, 1))
    if alternative == "two-sided":
        return np.asarray(np.minimum(1, 2 * special.ndtr(-np.abs(z))))
    return np.asarray(special.ndtr(-z if alternative == "greater" else z))
