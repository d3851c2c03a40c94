"""Rank correlation of paired scores: pairs in the same order against pairs in the other, ties apart."""

from __future__ import annotations

import math

import numpy as np

from rankgauge.judged import FloatArray, IntArray


def tau_b(x: FloatArray, y: FloatArray) -> float:
    """Kendall's τ_b of paired scores; NaN where all of one side are tied.

    τ_b = (concordant - discordant) / √((pairs - tied in x)(pairs - tied in y))
    """
    order = np.lexsort((y, x))
    discordant = int(larger_before(y[order]).sum())
    pairs = len(x) * (len(x) - 1) // 2
    tied_x, tied_y, tied_both = _tied(x), _tied(y), _tied(np.stack([x, y], axis=1))
    whole = (pairs - tied_x) * (pairs - tied_y)
    difference = pairs - tied_x - tied_y + tied_both - 2 * discordant
    return difference / math.sqrt(whole) if whole else math.nan


def tau_ap(reference: FloatArray, estimate: FloatArray) -> float:
    """AP correlation of an estimated order with a reference; NaN where all estimates are tied.

    τ_AP = 2 · mean over i of C(i) / above(i) - 1, C(i) of the `above(i)` items with a higher estimate than item i
    standing above it in the reference too. The mean is over items with something above them.
    """
    order = np.lexsort((reference, -estimate))
    ordered = estimate[order]
    new = np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]
    above = np.maximum.accumulate(np.where(new, np.arange(len(ordered)), 0))
    agreed = larger_before(reference[order])
    lower = above > 0
    return 2 * float(np.mean(agreed[lower] / above[lower])) - 1 if lower.any() else math.nan


def larger_before(values: FloatArray) -> IntArray:
    """For each value, how many of those before it are larger, int64[n]; O(n log n).

    Two values differ first in some bit of their places in sorted order. Bit by bit from the highest, those that
    agree so far lie together in their first order, and each 0 counts the 1s before it.
    """
    place = np.unique(values, return_inverse=True)[1]
    order = np.arange(len(values))
    count = np.zeros(len(values), dtype=np.int64)
    for bit in reversed(range(int(place.max(initial=0)).bit_length())):
        group, one = place[order] >> (bit + 1), place[order] >> bit & 1
        before = np.cumsum(one) - one
        starts = np.flatnonzero(np.append(True, group[1:] != group[:-1]))
        before -= np.repeat(before[starts], np.diff(np.append(starts, len(order))))
        count[order] += before * (1 - one)
        order = order[np.argsort(place[order] >> bit, kind="stable")]
    return count


def _tied(values: FloatArray) -> int:
    """Number of pairs that are equal."""
    sizes = np.unique(values, axis=0, return_counts=True)[1].astype(np.int64)
    return int((sizes * (sizes - 1) // 2).sum())
