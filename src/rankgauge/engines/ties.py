"""Ties: what a value could be over the orders of documents with equal scores, and its mean over them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from rankgauge.engines import closed_forms
from rankgauge.engines.orders import mean_and_error, orders
from rankgauge.judged import BoolArray, FloatArray, IntArray, JudgedRun, places
from rankgauge.measures import Measure, Residual
from rankgauge.measures._weights import Gain, discounts, gains


@dataclass(frozen=True)
class Expected:
    """Mean values over the orders of ties, float64[Q].

    `sampled` counts the queries that have too many orders to see all; `error` is the largest standard error
    of their values.
    """

    values: FloatArray
    sampled: int = 0
    error: float = 0.0


def interval(measure: Measure, judged: JudgedRun, *, known: FloatArray | None = None) -> tuple[FloatArray, FloatArray]:
    """Smallest and largest value of each query over the orders of its ties, float64[Q] each.

    `known` are the values in the order given, where they have been computed: without ties they are both.
    NaN where a better document higher up may lower the value: no order is known to bound it then.
    """
    bound = _order_bounds(measure, judged)
    if not bound.any():
        nothing = np.full(judged.Q, np.nan)
        return nothing, nothing
    if not judged.has_ties:
        values = np.where(bound, measure.of(judged) if known is None else known, np.nan)
        return values, values
    levelled = judged.at(measure.parameters["rel"]) if measure.declared.binary else judged
    low, high = (measure.of(reordered(levelled, best=best)) for best in (False, True))
    return np.where(bound, low, np.nan), np.where(bound, high, np.nan)


def expected(measure: Measure, judged: JudgedRun, *, seed: int = 0) -> Expected:
    """Mean value of each query over all orders of its ties.

    Exact where the measure is linear or has a closed form, and for a query whose ties have few orders that
    differ; else a mean over a sample of orders, which depends on `seed`.
    """
    values = measure.of(judged)
    uncut, measure = measure.uncut(judged), measure(judged_only=False)
    tied = np.zeros(judged.Q, dtype=np.bool_)
    tied[uncut.query[uncut.last > uncut.first]] = True
    if not tied.any():
        return Expected(values)
    closed = closed_forms.known(measure)
    if measure.declared.linear:
        found = Expected(measure.of(spread(uncut)))
    elif closed is not None:
        found = Expected(closed(measure, uncut))
    else:
        found = _over_orders(measure, uncut, values, seed)
    low, high = interval(measure, uncut)
    bounded = np.where(np.isnan(low), found.values, np.clip(found.values, low, high))  # sums of shares round
    return replace(found, values=np.where(tied, bounded, values))


def residual(measure: Measure, judged: JudgedRun, *, averaged: bool) -> Residual | None:
    """How much each value could still rise: in the order given, or for means over the orders of ties.

    The mean is exact for linear measures; the others keep the residual of the order given.
    """
    if averaged and measure.declared.linear:
        return measure(judged_only=False).residual(spread(measure.uncut(judged)))
    return measure.residual(judged)


def _over_orders(measure: Measure, judged: JudgedRun, values: FloatArray, seed: int) -> Expected:
    values = values.copy()
    sampled, worst = 0, 0.0
    for some in orders(judged, depth=measure.cutoff, seed=seed):
        mean, error = mean_and_error(measure.of(some.judged), some, judged.Q)
        values[some.query] = mean[some.query]
        sampled += len(np.unique(some.query[some.sampled]))
        worst = max(worst, float(np.nan_to_num(error).max()))
    return Expected(values, sampled, worst)


def _order_bounds(measure: Measure, judged: JudgedRun) -> BoolArray:
    """Whether the order by grade gives the largest value, and its reverse the smallest, bool[Q].

    Each query is looked at alone: what is said of it depends on no other.
    """
    bound = np.full(judged.Q, measure.monotone)
    parameters = measure.parameters
    if not measure.monotone:
        return bound
    if "discount" in parameters:
        ranks = np.arange(1, int(judged.last.max(initial=1)) + 1)
        rises = np.diff(discounts(ranks, parameters["discount"], parameters.get("base", 2))) > 0
        if rises.any():
            bound[judged.query[judged.last > np.argmax(rises) + 1]] = False
    if parameters.get("gain", "exp") not in ("exp", "linear"):
        bound[judged.query[_against_grade(judged, parameters["gain"])]] = False
    return bound


def _against_grade(judged: JudgedRun, gain: Gain) -> BoolArray:
    """Rows that gain less than one of their query with a lower grade, or than one that nobody judged, bool[H]."""
    grade = np.maximum(judged.grade, 0)
    gained = gains(grade, gain)
    order = np.lexsort((grade, judged.query))
    query, sorted_ = judged.query[order], gained[order]
    # An unjudged document gains nothing, and stands between grade 0 and the others.
    wrong = np.where(grade > 0, gained < 0, gained > 0)
    wrong[order[1:]] |= (query[1:] == query[:-1]) & (sorted_[1:] < sorted_[:-1])
    return wrong


def reordered(judged: JudgedRun, *, best: bool) -> JudgedRun:
    """Return the ranking whose ties stand in the best, or the worst, order for the system; worked out once.

    Best: documents that may gain first, by falling grade, then the unjudged, then the judged without gain.
    Worst: the other way round.
    """
    if best not in judged.orders:
        judged.orders[best] = _reordered(judged, best=best)
    return judged.orders[best]


def _reordered(judged: JudgedRun, *, best: bool) -> JudgedRun:
    gainful = (judged.grade > 0) | judged.rel
    early = gainful if best else ~gainful
    order = np.lexsort((-judged.grade if best else judged.grade, judged.first, judged.query))
    rows = judged.rows(order)
    tie, Ties = _number_ties(rows.query, rows.first)
    place = places(tie, Ties)
    size = np.bincount(tie, minlength=Ties)[tie]
    rank = np.where(early[order], rows.first + place - 1, rows.last - (size - place))
    return _sorted(replace(rows, rank=rank))


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
    share = np.repeat(together / size, size)
    return _sorted(replace(judged.rows(row), first=rank, last=rank, rank=rank, share=share))


def _number_ties(query: IntArray, first: IntArray) -> tuple[IntArray, int]:
    new = np.ones(len(query), dtype=np.bool_)
    new[1:] = (query[1:] != query[:-1]) | (first[1:] != first[:-1])
    number = np.cumsum(new) - 1
    return number, int(number[-1]) + 1 if len(number) else 0


def _sorted(judged: JudgedRun) -> JudgedRun:
    return judged.rows(np.lexsort((judged.rank, judged.query)))
