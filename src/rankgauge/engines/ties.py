"""Ties: what a value could be over the orders of documents with equal scores, and its mean over them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankgauge.judged import FloatArray, IntArray, JudgedRun, places
from rankgauge.measures import Measure


def interval(measure: Measure, judged: JudgedRun) -> tuple[FloatArray, FloatArray]:
    """Smallest and largest value of each query over the orders of its ties, float64[Q] each.

    NaN throughout for measures that a better document higher up may lower: no order is known to bound them.
    """
    if not measure.declared.monotone:
        nothing = np.full(judged.Q, np.nan)
        return nothing, nothing
    if not (judged.last > judged.first).any():
        values = measure.of(judged)
        return values, values
    return measure.of(reordered(judged, best=False)), measure.of(reordered(judged, best=True))


def expected(measure: Measure, judged: JudgedRun) -> FloatArray:
    """Mean value of each query over all orders of its ties, float64[Q]."""
    if not (judged.last > judged.first).any():
        return measure.of(judged)
    return measure.of(spread(judged))


def reordered(judged: JudgedRun, *, best: bool) -> JudgedRun:
    """Return the ranking whose ties stand in the best, or the worst, order for the system.

    Best: documents with a gain first, by falling grade, then the unjudged, then the judged without gain.
    Worst: the other way round.
    """
    gainful = judged.grade > 0
    early = gainful if best else ~gainful
    order = np.lexsort((-judged.grade if best else judged.grade, judged.first, judged.query))
    query, first, last = judged.query[order], judged.first[order], judged.last[order]
    tie, Ties = _number_ties(query, first)
    place = places(tie, Ties)
    size = np.bincount(tie, minlength=Ties)[tie]
    rank = np.where(early[order], first + place - 1, last - (size - place))
    return _sorted(replace(judged, query=query, grade=judged.grade[order], known=judged.known[order],
                           first=first, last=last, rank=rank))  # fmt: skip


def spread(judged: JudgedRun) -> JudgedRun:
    """Return the ranking in which every document of a tie has its share of each of the tie's ranks.

    Sums over it are means over all orders; running totals have no meaning on it.
    """
    order = np.lexsort((judged.grade, judged.first, judged.query))
    query, first, grade = judged.query[order], judged.first[order], judged.grade[order]
    new = np.ones(len(order), dtype=np.bool_)
    new[1:] = (query[1:] != query[:-1]) | (first[1:] != first[:-1]) | (grade[1:] != grade[:-1])
    heads = np.flatnonzero(new)
    together = np.diff(np.append(heads, len(order)))
    size = (judged.last - judged.first + 1)[order][heads]
    row = np.repeat(order[heads], size)
    rank = judged.first[row] + np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
    rows = replace(judged, query=judged.query[row], grade=judged.grade[row], known=judged.known[row],
                   first=rank, last=rank, rank=rank, share=np.repeat(together / size, size))  # fmt: skip
    return _sorted(rows)


def _number_ties(query: IntArray, first: IntArray) -> tuple[IntArray, int]:
    new = np.ones(len(query), dtype=np.bool_)
    new[1:] = (query[1:] != query[:-1]) | (first[1:] != first[:-1])
    number = np.cumsum(new) - 1
    return number, int(number[-1]) + 1 if len(number) else 0


def _sorted(judged: JudgedRun) -> JudgedRun:
    order = np.lexsort((judged.rank, judged.query))
    return replace(
        judged,
        query=judged.query[order],
        grade=judged.grade[order],
        rank=judged.rank[order],
        first=judged.first[order],
        last=judged.last[order],
        known=judged.known[order],
        share=None if judged.share is None else judged.share[order],
    )
