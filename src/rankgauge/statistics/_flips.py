"""Fisher's randomization of paired differences: exact by halves for few differences, sampled for many."""

from __future__ import annotations

import numpy as np

from rankgauge.judged import FloatArray
from rankgauge.statistics._samples import BLOCK, Draws
from rankgauge.statistics.results import Alternative

EXACT_UP_TO = 30  # differences other than 0: 2^30 sign patterns, counted from two halves of 2^15 sums
_TIE = 1e-11  # share of the sum of absolute differences below which two sums are the same but for rounding


def exact_p(differences: FloatArray, alternative: Alternative) -> float:
    """Share of all sign patterns whose sum is at least as extreme as the observed one.

    Every sum is one of the first half plus one of the second; for each of the second half's sums, a look-up in the
    sorted sums of the first counts the partners that reach the observed sum (Pagano & Tritchler 1983 count such
    tails by a characteristic function; halves need no grid).
    """
    moved = differences[differences != 0]
    if alternative == "less":
        moved = -moved
    slack = _TIE * float(np.abs(moved).sum())
    observed = float(moved.sum())
    if alternative != "two-sided":
        return _upper_tail(moved, observed - slack)
    reach = abs(observed) - slack
    return 1.0 if reach <= 0 else 2 * _upper_tail(moved, reach)


def _upper_tail(values: FloatArray, reach: float) -> float:
    half = len(values) // 2
    first, second = _signed_sums(values[:half]), _signed_sums(values[half:])
    partners = len(first) - np.searchsorted(first, reach - second, side="left")
    return int(partners.sum()) / 2.0 ** len(values)


def _signed_sums(values: FloatArray) -> FloatArray:
    """All 2^m sums of ± values, in ascending order."""
    sums = np.zeros(1)
    for value in values:
        sums = np.concatenate([sums - value, sums + value])
    return np.sort(sums)


def sampled_p(rows: FloatArray, drawn: Draws, alternative: Alternative) -> FloatArray:
    """float64[K]: (1 + sign patterns at least as extreme) / (1 + patterns) for rows float64[K, n].

    All rows share the patterns: a product of matrices gives the sums of all rows under a block of them.
    """
    values = -rows if alternative == "less" else rows
    totals = values.sum(axis=1)
    slack = _TIE * np.abs(values).sum(axis=1)
    extreme = np.zeros(len(rows), dtype=np.int64)
    for flips in drawn.flips(rows.shape[1]):
        for part in _parts(len(rows), len(flips)):
            sums = totals[part] - 2 * (flips @ values[part].T)
            if alternative == "two-sided":
                reached = np.abs(sums) >= np.abs(totals[part]) - slack[part]
            else:
                reached = sums >= totals[part] - slack[part]
            extreme[part] += np.count_nonzero(reached, axis=0)
    return (1 + extreme) / (1 + drawn.resamples)


def shifted_p(rows: FloatArray, drawn: Draws, alternative: Alternative) -> FloatArray:
    """float64[K]: as `sampled_p`, with bootstrap samples of the rows moved to a mean of 0."""
    means = rows.mean(axis=1)
    centred = rows - means[:, None]
    if alternative == "less":
        means, centred = -means, -centred
    slack = _TIE * np.abs(rows).mean(axis=1)
    extreme = np.zeros(len(rows), dtype=np.int64)
    for counts in drawn.counts(rows.shape[1]):
        for part in _parts(len(rows), len(counts)):
            resampled = counts @ centred[part].T / rows.shape[1]
            if alternative == "two-sided":
                reached = np.abs(resampled) >= np.abs(means[part]) - slack[part]
            else:
                reached = resampled >= means[part] - slack[part]
            extreme[part] += np.count_nonzero(reached, axis=0)
    return (1 + extreme) / (1 + drawn.resamples)


def _parts(rows: int, width: int) -> list[slice]:
    size = max(1, BLOCK // width)
    return [slice(start, start + size) for start in range(0, rows, size)]
