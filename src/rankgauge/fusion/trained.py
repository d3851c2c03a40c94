"""Methods that learn from judged rankings how much a rank of each run is worth."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from rankgauge.fusion._lists import Lists
from rankgauge.fusion._method import fusion_method
from rankgauge.fusion._training import (
    Training,
    average_precision,
    relevance_by_depth,
    relevance_by_rank,
    relevance_by_share,
    segment_of,
)
from rankgauge.judged import FloatArray
from rankgauge.measures._values import Between

SEGMENT_ENDS = 10 * 2 ** np.arange(10) - 5
"""Last ranks of SegFuse's segments: 5, 15, 35, ..., 5115."""
BAYES_ENDS = np.array([5, 10, 15, 20, 30, 100, 200, 500, 1000])
"""Last ranks of BayesFuse's segments."""
RARE = 0.001
"""BayesFuse's chance of relevance where there is nothing to learn from, as for a document not returned."""


@fusion_method(cite="lillis2010", train=average_precision)
def MAPFuse(lists: Lists, learned: FloatArray) -> FloatArray:
    """Reciprocal ranks, weighted by the run's mean average precision in training.

    score = Σ_i MAP_i / rank_i
    """
    return lists.sum(learned[lists.run, 0] / lists.rank)


@fusion_method(cite="lillis2010", train=relevance_by_rank)
def PosFuse(lists: Lists, learned: FloatArray) -> FloatArray:
    """Chance of relevance at the document's rank, as in training; 0 below the deepest rank seen there.

    score = Σ_i P_i(rel | rank_i)
    """
    known = lists.rank <= learned.shape[1]
    return lists.sum(np.where(known, learned[lists.run, np.where(known, lists.rank - 1, 0)], 0.0))


@fusion_method(cite="lillis2008", train=relevance_by_rank, grid={"window": (1, 2, 5, 10, 20)})
def SlideFuse(lists: Lists, learned: FloatArray, *, window: Annotated[int, Between(0)] = 5) -> FloatArray:
    """Mean chance of relevance in a window of ranks around the document's.

    score = Σ_i mean P_i(rel | r), r = rank_i - w ... rank_i + w within the list, w = window

    window : ranks to either side; 0 is PosFuse
    """
    deepest = learned.shape[1]
    until = np.concatenate([np.zeros((lists.M, 1)), np.cumsum(learned, axis=1)], axis=1)
    above, last = np.maximum(lists.rank - 1 - window, 0), np.minimum(lists.rank + window, lists.size)
    inside = until[lists.run, np.minimum(last, deepest)] - until[lists.run, np.minimum(above, deepest)]
    return lists.sum(inside / (last - above))


@fusion_method(cite="lillis2006", train=relevance_by_share, grid={"segments": (5, 10, 25, 50)})
def ProbFuse(lists: Lists, learned: FloatArray, *, segments: Annotated[int, Between(1)] = 25) -> FloatArray:
    """Chance of relevance in the document's segment, for lists cut into equally many segments.

    score = Σ_i P_i(rel | k_i) / k_i, k_i = segment of rank_i, from 1

    segments : number of segments of a list
    """
    segment = (lists.rank - 1) // -(-lists.size // segments)
    return lists.sum(learned[lists.run, segment] / (segment + 1))


def _segfuse(training: Training) -> FloatArray:
    return relevance_by_depth(training, SEGMENT_ENDS)


@fusion_method(cite="shokouhi2007", norm="min-max", train=_segfuse)
def SegFuse(lists: Lists, learned: FloatArray) -> FloatArray:
    """Chance of relevance in the document's segment, whose lengths double, raised by its score.

    score = Σ_i P_i(rel | k_i) (s_i + 1), k_i = segment of rank_i; segments end at 5, 15, 35, ..., 5115
    """
    segment = segment_of(lists.rank, SEGMENT_ENDS)
    chance = np.where((segment >= 0) & (lists.rank > 0), learned[lists.run, segment], 0.0)
    return lists.sum(chance * (lists.score + 1))


def _log_odds(training: Training) -> FloatArray:
    chance = relevance_by_depth(training, BAYES_ENDS)
    relevant = np.where(chance == 0, RARE, chance)
    odds: FloatArray = np.log(relevant / np.where(relevant == 1, RARE, 1 - relevant))
    return odds


@fusion_method(cite="aslam2001", train=_log_odds)
def BayesFuse(lists: Lists, learned: FloatArray) -> FloatArray:
    """Sum of the log-odds of relevance at the document's rank; a run that does not hold it counts as well.

    score = Σ_i ln(P_i / (1 - P_i)), P_i = P_i(rel | segment of rank_i), 0.001 where run i does not hold it
    """
    absent = float(np.log(RARE / (1 - RARE)))
    segment = segment_of(lists.rank, BAYES_ENDS)
    odds = np.where(segment >= 0, learned[lists.run, segment], absent)
    return lists.sum(odds - absent) + lists.M * absent
