"""Expected values over all orders of ties in closed form, for ties of any size and across cutoffs.

After McSherry & Najork (2008), Computing information retrieval performance measures efficiently in the
presence of tied scores, doi:10.1007/978-3-540-78646-7_38.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from rankgauge.judged import FloatArray, IntArray, JudgedRun, ratio, running
from rankgauge.measures import Measure


@dataclass(frozen=True)
class _RelevantTies:
    """Ties (of one document or more) that hold a relevant one: query, first rank, size, relevant in it and above."""

    query: IntArray
    first: IntArray
    size: IntArray
    rel: IntArray
    above: IntArray

    def places(self, cutoff: int | None) -> tuple[IntArray, IntArray]:
        """Every rank of every tie within the cutoff: the tie's number, and how many of its places come before."""
        last = self.first + self.size - 1
        ends = last if cutoff is None else np.minimum(last, cutoff)
        sizes = np.maximum(ends - self.first + 1, 0)
        tie = np.repeat(np.arange(len(sizes)), sizes)
        return tie, np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)


def _ties(judged: JudgedRun) -> _RelevantTies:
    rows = np.flatnonzero(judged.rel)
    query, first = judged.query[rows], judged.first[rows]
    heads = np.flatnonzero(np.append(True, (query[1:] != query[:-1]) | (first[1:] != first[:-1]))[: len(rows)])
    found = np.diff(np.append(heads, len(rows)))
    query, first, size = query[heads], first[heads], (judged.last - judged.first + 1)[rows[heads]]
    above = np.cumsum(found) - found
    start = np.searchsorted(query, query)
    return _RelevantTies(query, first, size, found, above - above[start])


def reciprocal_rank(measure: Measure, judged: JudgedRun) -> FloatArray:
    """Mean of 1/rank of the first relevant document, which stands in the first tie that holds one.

    Σ_t P(first at place t) / rank(t), P = r/(s-t) · Π_{u<t} (s-u-r)/(s-u), r relevant in a tie of s
    """
    ties = _first_only(_ties(judged))
    tie, before = ties.places(measure.cutoff)
    left, rel = ties.size[tie] - before, ties.rel[tie]
    missed = _missed(ties, tie, before)
    until = np.append(1.0, missed[:-1])[: len(missed)]
    until[before == 0] = 1.0
    chance = until * rel / left
    return _sum(ties.query[tie], chance / (ties.first[tie] + before), judged.Q)


def success(measure: Measure, judged: JudgedRun) -> FloatArray:
    """Chance that a relevant document stands within the cutoff: 1 - Π_t (s-t-r)/(s-t)."""
    ties = _first_only(_ties(judged))
    tie, before = ties.places(measure.cutoff)
    none = np.ones(judged.Q)
    none[ties.query[tie]] = _missed(ties, tie, before)  # the last place of each tie is written last
    return 1 - none


def average_precision(measure: Measure, judged: JudgedRun) -> FloatArray:
    """Mean of AP: each place of a tie holds a relevant document with chance r/s, the others lie evenly above it.

    (1/R) Σ_i r/s · (relevant above + 1 + t (r-1)/(s-1)) / i, t places of the tie before rank i
    """
    ties = _ties(judged)
    tie, before = ties.places(measure.cutoff)
    size, rel = ties.size[tie], ties.rel[tie]
    above = ties.above[tie] + 1 + before * (rel - 1) / np.maximum(size - 1, 1)
    terms = rel / size * above / (ties.first[tie] + before)
    found = _sum(ties.query[tie], terms, judged.Q)
    if measure.cutoff is not None and measure.parameters.get("denominator") == "min(R,k)":
        return ratio(found, np.minimum(judged.R, measure.cutoff))
    return ratio(found, judged.R)


def _first_only(ties: _RelevantTies) -> _RelevantTies:
    one = np.flatnonzero(ties.above == 0)
    return _RelevantTies(ties.query[one], ties.first[one], ties.size[one], ties.rel[one], ties.above[one])


def _missed(ties: _RelevantTies, tie: IntArray, before: IntArray) -> FloatArray:
    """Chance that no place of the tie up to this one holds a relevant document."""
    left = ties.size[tie] - before
    return running(np.maximum(left - ties.rel[tie], 0) / left, tie, len(ties.query), multiply=True)


def _sum(query: IntArray, terms: FloatArray, Q: int) -> FloatArray:
    return np.bincount(query, weights=terms, minlength=Q).astype(np.float64, copy=False)


def known(measure: Measure) -> Callable[[Measure, JudgedRun], FloatArray] | None:
    """Find the closed form of a measure; it takes the measure and its uncut ranking."""
    if measure.parameters.get("denominator") == "retrieved":
        return None  # how many are retrieved depends on the order
    return CLOSED_FORMS.get(measure.name)


CLOSED_FORMS: Mapping[str, Callable[[Measure, JudgedRun], FloatArray]] = MappingProxyType(
    {"RR": reciprocal_rank, "Success": success, "AP": average_precision, "GMAP": average_precision}
)
