"""Condorcet's way: a document that more runs place above another stands above it."""

from __future__ import annotations

import numpy as np

from rankgauge.fusion._lists import Lists
from rankgauge.fusion._method import fusion_method
from rankgauge.fusion.ranks import BordaFuse
from rankgauge.judged import FloatArray, IntArray

CELLS = 1 << 20
"""Pairs of documents compared at a time."""
ROUNDING = 1e-12
"""Share of the votes that is no difference: weights of 0.1 and 0.2 balance one of 0.3."""
ABSENT = np.int64(1) << 40
"""Place of a document that a run does not hold, below every rank."""


@fusion_method("condorcetfuse", "w_condorcet", "weighted_condorcet", cite="montague2002")
def Condorcet(lists: Lists, weights: FloatArray) -> FloatArray:
    """Order in which no document is beaten by the one below it; a vote is the weight of a run.

    score = C - place + 1; a run votes for the one of two it ranks higher, one it holds above one it does not

    Documents start by the number of others they beat (Copeland), then by Borda points and id; neighbours
    whose votes say otherwise change places until none are left (local Kemenization). Where the votes
    make no cycle this is the one order that they allow. Takes time with the square of a query's candidates.
    """
    points = np.round(BordaFuse.formula(lists, weights / weights.sum()), 9)
    ids = lists.docs.rank("dense").to_numpy()
    scores = np.empty(lists.C)
    rows = np.argsort(lists.query, kind="stable")
    borders = np.searchsorted(lists.query[rows], np.arange(lists.Q + 1))
    for query in range(lists.Q):
        low, high = lists.offsets[query], lists.offsets[query + 1]
        mine = rows[borders[query] : borders[query + 1]]
        place = np.full((lists.M, high - low), ABSENT)
        place[lists.run[mine], lists.doc[mine] - low] = lists.rank[mine]
        start = np.lexsort((-ids[low:high].astype(np.int64), -points[low:high], -_copeland(place, weights)))
        scores[low + _settled(start, place, weights)] = np.arange(high - low, 0, -1)
    return scores


def _margin(place: IntArray, first: IntArray, second: IntArray, weights: FloatArray) -> FloatArray:
    """Votes for the first less votes for the second, for places int64[M, ...] of documents; rounding is no vote."""
    margin: FloatArray = np.zeros(np.broadcast_shapes(first.shape, second.shape))
    for weight, places in zip(weights / weights.sum(), place, strict=True):
        margin += weight * np.sign(places[second] - places[first])
    margin[np.abs(margin) < ROUNDING] = 0
    return margin


def _copeland(place: IntArray, weights: FloatArray) -> FloatArray:
    """Documents that each beats less those that beat it, float64[C]."""
    everyone = np.arange(place.shape[1])
    step = max(1, CELLS // len(everyone))
    parts = [
        np.sign(_margin(place, everyone[at : at + step, None], everyone[None, :], weights)).sum(axis=1)
        for at in range(0, len(everyone), step)
    ]
    return np.concatenate(parts)


def _settled(order: IntArray, place: IntArray, weights: FloatArray) -> IntArray:
    """Exchange neighbours until no document is beaten by the one right below it.

    It comes to an end, for each exchange leaves fewer votes that are violated.
    """
    while True:
        wrong = np.flatnonzero(_margin(place, order[1:], order[:-1], weights) > 0)
        if not len(wrong):
            return order
        wrong = wrong[np.append(True, np.diff(wrong) > 1)]
        order = order.copy()
        order[wrong], order[wrong + 1] = order[wrong + 1], order[wrong]
