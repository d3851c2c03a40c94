"""Rank-biased overlap of one pair of rankings, with its bounds; documents may stand on several ranks in part."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankgauge.judged import FloatArray, IntArray, places


@dataclass(frozen=True)
class Side:
    """Where the common documents stand in one ranking of `size` documents.

    Each spreads evenly over the ranks `first` to `last`, int64[C]; they are one rank where order is settled.
    """

    first: IntArray
    last: IntArray
    size: int


def rank_biased_overlap(a: Side, b: Side, p: float) -> tuple[float, float, float]:
    """RBO_EXT, RBO_MIN and RBO_MAX.

    X_d is the overlap of the first d documents, seen to the depth of the longer ranking, the shorter ending at s.
    EXT goes on with the agreement X_s / s on the shorter side and then with the last one on both; MIN finds
    nothing below the ends; MAX finds as much as there is room for.
    Source: Webber, Moffat & Zobel (2010), equations 11, 30, 32.
    """
    s, depth = sorted((a.size, b.size))
    seen = overlaps(a, b)
    d = np.arange(1, s + depth + 1)
    below = np.append(seen, np.full(s, seen[-1]))  # X_d where nothing follows
    goes_on = (below + seen[s - 1] / s * np.maximum(d - s, 0))[:depth] / d[:depth]
    fits = np.minimum(below + np.maximum(d - s, 0) + np.maximum(d - depth, 0), d) / d
    value, high = expected_agreement(goes_on, p), expected_agreement(fits, p)
    weight = p ** d[:depth] / d[:depth]
    tail = max(float(-np.log1p(-p)) - float(weight.sum()), 0.0)
    low = (1 - p) / p * (float((weight * seen).sum()) + float(seen[-1]) * tail)
    return value, min(low, value), max(high, value)


def expected_agreement(agreement: FloatArray, p: float) -> float:
    """(1-p) Σ_d p^(d-1) A_d, the last A_d going on for ever; exactly A where all are A."""
    steps = np.diff(agreement) * p ** np.arange(1, len(agreement))
    return float(agreement[0] + steps.sum())


def overlaps(a: Side, b: Side) -> FloatArray:
    """Overlap X_d of the first d documents, float64, for d = 1 to the longer side's size.

    A document counts by its share of each side: the part of its ranks that lie within the first d.
    """
    depth = max(a.size, b.size)
    spans, count = np.unique(np.stack([a.first, a.last, b.first, b.last]), axis=1, return_counts=True)
    first_a, last_a, first_b, last_b = spans
    begin, end = np.maximum(first_a, first_b), np.maximum(last_a, last_b)
    whole = (last_a <= a.size) & (last_b <= b.size)
    full = np.cumsum(np.bincount(end[whole], weights=count[whole], minlength=depth + 1))[1 : depth + 1]
    stop = np.where(whole, end, depth + 1)
    row = np.repeat(np.arange(len(begin)), stop - begin)
    d = begin[row] + places(row, len(begin)) - 1
    share_a = (np.minimum(d, a.size) - first_a[row] + 1) / (last_a - first_a + 1)[row]
    share_b = (np.minimum(d, b.size) - first_b[row] + 1) / (last_b - first_b + 1)[row]
    part = count[row] * np.minimum(share_a, 1) * np.minimum(share_b, 1)
    return np.asarray(full + np.bincount(d, weights=part, minlength=depth + 1)[1 : depth + 1], dtype=np.float64)
