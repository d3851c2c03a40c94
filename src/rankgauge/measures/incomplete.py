"""Measures for incomplete judgments, and of the incompleteness itself."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from rankgauge.judged import FloatArray, IntArray, JudgedRun, ratio
from rankgauge.measures._measure import measure
from rankgauge.measures._values import Between

EPSILON = 0.00001


@measure(cite="buckley2004", binary=True, cutoff="none", ideal_is_one=True)
def bpref(j: JudgedRun, *, denominator: Literal["min(R,N)", "R", "10+R"] = "min(R,N)") -> FloatArray:
    """Share of judged non-relevant documents that do not stand above a relevant one; the unjudged are ignored.

    bpref = (1/R) Σ_rel (1 - min(n, R) / min(R, N)), n = judged non-relevant documents above

    Parameters
    ----------
    denominator : min(R,N) as trec_eval since version 8; R alone, the first form of 2004; 10+R, bpref-10
    """
    counted, most = {
        "min(R,N)": (j.R, np.minimum(j.R, j.N)),
        "R": (j.R, j.R),
        "10+R": (j.R + 10, np.minimum(j.R + 10, j.N)),
    }[denominator]
    above = j.cumsum(j.nonrel)
    penalty = np.minimum(above, j.each(counted)) / np.maximum(j.each(most), 1)
    return ratio(j.sum(j.rel * np.where(above > 0, 1 - penalty, 1.0)), j.R)


@measure(cite="yilmaz2006", binary=True, cutoff="none", monotone=False)
def infAP(j: JudgedRun) -> FloatArray:
    """AP inferred from a sample: a negative grade means "in the pool, not judged", no grade "not in the pool".

    infAP = (1/R) Σ_rel 1/i + (i-1)/i · pooled above/(i-1) · (rel above + ε)/(judged above + 2ε), ε = 10⁻⁵
    """
    before = j.rank - 1
    rel, judged = j.cumsum(j.rel) - 1, j.cumsum(j.rel | j.nonrel) - 1
    pooled = j.cumsum(np.ones(len(j.rank), dtype=np.bool_)) - 1
    inside = before / j.rank * (pooled / np.maximum(before, 1)) * ((rel + EPSILON) / (judged + 2 * EPSILON))
    expected = np.where(before == 0, 1.0, 1 / j.rank + inside)
    return ratio(j.sum(np.where(j.rel, expected, 0.0)), j.R)


@measure(cite="trec_eval", binary=True, cutoff="none")
def IPrec(
    j: JudgedRun, *, recall: Annotated[float, Between(0, 1)] = 0.1, rounding: Literal["v10", "v9"] = "v10"
) -> FloatArray:
    """Interpolated precision: the highest precision at or after the point where this recall is reached.

    IPrec(x) = max over i of Σ_{j≤i} rel(j) / i with Σ_{j≤i} rel(j) ≥ x·R

    Parameters
    ----------
    recall : x, the recall that must be reached
    rounding : how x·R becomes a count: to the nearest (trec_eval 10), or +0.9 and down (trec_eval 9)
    """
    return np.where(j.R == 0, np.nan, _interpolated(j, recall, rounding))


@measure(cite="trec_eval", binary=True, cutoff="none")
def IPrec11(j: JudgedRun, *, rounding: Literal["v10", "v9"] = "v10") -> FloatArray:
    """Interpolated precision averaged over the recalls 0.0, 0.1, ..., 1.0 (11-point average).

    IPrec11 = Σ_{x = 0, 0.1, ..., 1} IPrec(x) / 11

    Parameters
    ----------
    rounding : how x·R becomes a count: to the nearest (trec_eval 10), or +0.9 and down (trec_eval 9)
    """
    points = [_interpolated(j, step / 10, rounding) for step in range(11)]
    return np.where(j.R == 0, np.nan, sum(points) / 11)


@measure(cite="trec_eval", cutoff="optional", linear=True, monotone=False)
def Judged(j: JudgedRun, *, over: Literal["returned", "k"] = "returned") -> FloatArray:
    """Share of the retrieved documents that were judged.

    Judged@k = judged in the first k / min(k, depth)

    Parameters
    ----------
    over : divide by the documents returned within the cutoff, or by the cutoff itself
    """
    return ratio(j.sum(j.known), _denominator(j, over))


@measure(cite="trec_eval", cutoff="optional", linear=True, monotone=False)
def Unjudged(j: JudgedRun, *, over: Literal["returned", "k"] = "returned") -> FloatArray:
    """Share of the retrieved documents that nobody judged; empty places are not unjudged documents.

    Unjudged@k = unjudged in the first k / min(k, depth)

    Parameters
    ----------
    over : divide by the documents returned within the cutoff, or by the cutoff itself (trec_eval's unj)
    """
    return ratio(j.unjudged, _denominator(j, over))


def _denominator(j: JudgedRun, over: str) -> IntArray:
    if over == "k" and j.cutoff is not None:
        return np.full(j.Q, j.cutoff)
    return j.seen


def _interpolated(j: JudgedRun, recall: float, rounding: str) -> FloatArray:
    """Highest precision at any rank that reaches the count of relevant documents that `recall` asks for."""
    if rounding == "v9":
        needed = (recall * j.R + 0.9).astype(np.int64)
    else:
        needed = np.floor(recall * j.R + 0.5).astype(np.int64)
    found = j.cumsum(j.rel)
    reached = j.rel & (found >= j.each(needed))
    best = np.zeros(j.Q)
    np.maximum.at(best, j.query[reached], (found / j.rank)[reached])
    return best
