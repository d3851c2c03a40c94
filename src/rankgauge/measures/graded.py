"""Graded measures: gains by grade, discounted by rank."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from rankgauge.errors import ParameterError
from rankgauge.judged import FloatArray, JudgedRun, Judgments, ratio
from rankgauge.measures._measure import measure
from rankgauge.measures._values import Between
from rankgauge.measures._walk import Reader
from rankgauge.measures._weights import LARGEST_EXPONENT, Discount, Gain, discounts, gains

Graded = JudgedRun | Judgments
Base = Annotated[float, Between(1, open=True)]


def _reads_as_discounted(u: Reader, *, discount: Discount = "log2", base: Base = 2) -> FloatArray:
    """C(i) = discount(i + 1) / discount(i), of a user who never stops for good."""
    weight = discounts(np.arange(1, len(u.rank) + 2), discount, base)
    return weight[1:] / np.where(weight[:-1] > 0, weight[:-1], 1)


def _reads_until_satisfied(u: Reader) -> FloatArray:
    """C of a user who stops with a chance that is the gain (the cascade model)."""
    return 1 - u.gain


@measure(cite="jarvelin2002", range=(0, np.inf), linear=True, shown=("gain",))
def CG(j: JudgedRun, *, gain: Gain = "exp") -> FloatArray:
    """Gain of the ranking's documents, whatever their rank.

    CG@k = Σ_{i≤k} gain(i)

    Parameters
    ----------
    gain : exp, linear, a table {grade: gain}, or a function of the grade
    """
    return j.sum(gains(j.grade, gain))


@measure(cite="jarvelin2002", range=(0, np.inf), linear=True, shown=("gain",), profile=_reads_as_discounted)
def DCG(j: JudgedRun, *, gain: Gain = "exp", discount: Discount = "log2", base: Base = 2) -> FloatArray:
    """Gain of the ranking's documents, discounted by rank.

    DCG@k = Σ_{i≤k} gain(i) · discount(i)

    Parameters
    ----------
    gain : exp, linear, a table {grade: gain}, or a function of the grade
    discount : log2, jk (Järvelin & Kekäläinen, with `base`), zipf, none, or a function of the rank
    base : of the discount jk: no discount below this rank
    """
    return j.sum(gains(j.grade, gain) * discounts(j.rank, discount, base))


@measure(cite="jarvelin2002", linear=True, shown=("gain",), ideal_is_one=True, profile=_reads_as_discounted)
def nDCG(j: JudgedRun, *, gain: Gain = "exp", discount: Discount = "log2", base: Base = 2) -> FloatArray:
    """Discounted gain as a share of the ideal ranking's discounted gain.

    nDCG@k = DCG@k / IDCG@k, IDCG@k being DCG@k of all judged documents in their best order

    Parameters
    ----------
    gain : exp, linear, a table {grade: gain}, or a function of the grade
    discount : log2, jk (Järvelin & Kekäläinen, with `base`), zipf, none, or a function of the rank
    base : of the discount jk: no discount below this rank
    """
    best = j.ideal(_relative(j.pool, gain, j.judgments))
    return ratio(
        j.sum(_relative(j, gain, j.judgments) * discounts(j.rank, discount, base)),
        best.sum(_relative(best, gain, j.judgments) * discounts(best.rank, discount, base)),
    )


@measure(cite="sakai2004", binary=True, shown=("gain",))
def Q(j: JudgedRun, *, gain: Gain = "linear", beta: Annotated[float, Between(0)] = 1.0) -> FloatArray:
    """Blended ratio at each relevant document, averaged over the R of them: AP for graded judgments.

    Q = (1/R) Σ_i rel(i) · (β CG(i) + Σ_{j≤i} rel(j)) / (β ICG(i) + i), gains of relevant documents only

    Parameters
    ----------
    gain : exp, linear, a table {grade: gain}, or a function of the grade
    beta : patience; 0 makes it AP
    """
    won = j.cumsum(j.rel * gains(j.grade, gain))
    best = j.ideal((j.pool.grade >= j.level) * gains(j.pool.grade, gain))
    won_best = best.until(j, best.cumsum(best.rel * gains(best.grade, gain)))
    return ratio(j.sum(j.rel * (beta * won + j.cumsum(j.rel)) / (beta * won_best + j.rank)), j.R)


@measure(cite="chapelle2009", cutoff="optional", profile=_reads_until_satisfied)
def ERR(j: JudgedRun, *, max_grade: Annotated[float, Between(0, open=True)] | None = None) -> FloatArray:
    """Expected reciprocal rank at which a user stops who is satisfied with a chance that grows with the grade.

    ERR = Σ_i (1/i) · S(i) · Π_{j<i} (1 - S(j)), S(i) = (2^grade(i) - 1) / 2^max_grade

    Parameters
    ----------
    max_grade : top of the scale; None: the highest grade of the whole qrels
    """
    top = j.judgments.top_grade if max_grade is None else max_grade
    if len(j.grade) and j.grade.max() > top:
        raise ParameterError(f"ERR: expected grades up to max_grade={top:g}, got {j.grade.max():g}")
    satisfied = np.exp2(np.maximum(j.grade, 0) - top) - np.exp2(-top)
    return j.sum(satisfied * j.product_before(1 - satisfied) / j.rank)


def _relative(rows: Graded, gain: Gain, judgments: Judgments) -> FloatArray:
    """Gain of each row; exponential gains past float64 are divided by 2^(best grade) of their query.

    A power of two changes no other bit, and the ratio of two such sums not at all.
    """
    if gain != "exp" or judgments.top_grade <= LARGEST_EXPONENT:
        return gains(rows.grade, gain)
    best = judgments.best_grade[rows.query]
    return np.exp2(np.maximum(rows.grade, 0) - best) - np.exp2(-best)
