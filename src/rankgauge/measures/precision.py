"""Binary measures: relevant or not, and where."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from rankgauge.judged import BoolArray, FloatArray, JudgedRun, ratio
from rankgauge.measures._measure import Measure, Residual, measure
from rankgauge.measures._values import Between
from rankgauge.measures._walk import Reader


def _reads_k(u: Reader) -> float:
    """C of a user who reads everything down to the cutoff."""
    return 1.0


def _reads_to_a_hit(u: Reader) -> BoolArray:
    """C of a user who stops at the first document with a gain."""
    return np.equal(u.total, 0)


def _reads_for_more(u: Reader) -> FloatArray:
    """C(i) = Σ_{j>i} g(j)/j / Σ_{j≥i} g(j)/j, whose EU is AP over the relevant documents retrieved."""
    ahead = np.cumsum((u.gain / u.rank)[..., ::-1], axis=-1)[..., ::-1]
    further = np.concatenate([ahead[..., 1:], np.zeros_like(ahead[..., :1])], axis=-1)
    return further / np.where(ahead > 0, ahead, 1)


def _unfound(j: JudgedRun) -> Residual:
    """What P would gain if all that is unjudged or missing within the cutoff were relevant."""
    assert j.cutoff is not None
    return Residual(j.unjudged / j.cutoff, (j.cutoff - j.seen) / j.cutoff)


@measure(cite="trec_eval", binary=True, cutoff="required", linear=True, residual=_unfound, profile=_reads_k)
def P(j: JudgedRun) -> FloatArray:
    """Share of the first k documents that are relevant; places that the ranking leaves empty count as not.

    P@k = Σ_{i≤k} rel(i) / k
    """
    assert j.cutoff is not None
    return j.sum(j.rel) / j.cutoff


@measure(cite="trec_eval", binary=True, linear=True)
def R(j: JudgedRun) -> FloatArray:
    """Share of the relevant documents that the ranking holds.

    R@k = Σ_{i≤k} rel(i) / R
    """
    return ratio(j.sum(j.rel), j.R)


@measure(cite="vanrijsbergen1979", binary=True, cutoff="required", linear=True)
def F(j: JudgedRun, *, beta: Annotated[float, Between(0, open=True)] = 1.0) -> FloatArray:
    """Weighted harmonic mean of P@k and R@k.

    F@k = (1 + β²) P R / (β² P + R)

    Parameters
    ----------
    beta : how many times more recall weighs than precision
    """
    assert j.cutoff is not None
    return f_score(j.sum(j.rel) / j.cutoff, ratio(j.sum(j.rel), j.R), beta**2)


@measure(cite="trec_eval", binary=True, cutoff="required")
def Success(j: JudgedRun) -> FloatArray:
    """Whether any of the first k documents is relevant (hit rate).

    Success@k = 1 if Σ_{i≤k} rel(i) > 0, else 0
    """
    return (j.sum(j.rel) > 0).astype(np.float64)


@measure(cite="voorhees1999", binary=True, profile=_reads_to_a_hit)
def RR(j: JudgedRun) -> FloatArray:
    """Reciprocal rank of the first relevant document; its mean is MRR.

    RR = 1 / min{i : rel(i)}, 0 where there is none
    """
    return 1 / j.first_rank(j.rel)


def _counts_all(ap: Measure) -> bool:
    return ap.parameters["denominator"] != "retrieved" or ap.cutoff is None


@measure(cite="buckley2005", binary=True, monotone=_counts_all, shown=("denominator@",), profile=_reads_for_more)
def AP(j: JudgedRun, *, denominator: Literal["R", "min(R,k)", "retrieved"] = "R") -> FloatArray:
    """Precision at the rank of each relevant document, averaged over all R of them; its mean is MAP.

    AP = (1/R) Σ_i rel(i) · Σ_{j≤i} rel(j) / i

    Parameters
    ----------
    denominator : R as in TREC, also for AP@k; min(R,k) as in Kaggle and Spark; or the relevant retrieved
    """
    found = j.sum(j.rel * j.cumsum(j.rel) / j.rank)
    if denominator == "retrieved":
        return np.where(j.R == 0, np.nan, found / np.maximum(j.sum(j.rel), 1))
    return ratio(found, j.R if denominator == "R" or j.cutoff is None else np.minimum(j.R, j.cutoff))


@measure(cite="buckley2005", binary=True, average="geometric")
def GMAP(j: JudgedRun) -> FloatArray:
    """AP, whose geometric mean over the queries weighs the bad ones; each AP counts at least 0.00001.

    GMAP = exp(mean of log max(AP, 10⁻⁵))
    """
    return ratio(j.sum(j.rel * j.cumsum(j.rel) / j.rank), j.R)


@measure(cite="buckley2005", binary=True, cutoff="none", linear=True)
def Rprec(j: JudgedRun) -> FloatArray:
    """Precision after R documents, R being the number of relevant ones.

    Rprec = Σ_{i≤R} rel(i) / R
    """
    return ratio(j.sum(j.rel & (j.rank <= j.each(j.R))), j.R)


@measure(cite="trec_eval", binary=True, cutoff="required", linear=True)
def RelativeP(j: JudgedRun) -> FloatArray:
    """Precision as a share of the best that k documents allow.

    RelativeP@k = Σ_{i≤k} rel(i) / min(k, R)
    """
    assert j.cutoff is not None
    return ratio(j.sum(j.rel), np.minimum(j.R, j.cutoff))


@measure(cite="trec_eval", binary=True, cutoff="none", linear=True)
def SetP(j: JudgedRun) -> FloatArray:
    """Share of the retrieved documents that are relevant; undefined where nothing was retrieved.

    SetP = relevant retrieved / retrieved
    """
    return ratio(j.sum(j.rel), j.depth)


@measure(cite="trec_eval", binary=True, cutoff="none", linear=True)
def SetR(j: JudgedRun) -> FloatArray:
    """Share of the relevant documents that were retrieved.

    SetR = relevant retrieved / R
    """
    return ratio(j.sum(j.rel), j.R)


@measure(cite="trec_eval", binary=True, cutoff="none", linear=True)
def SetAP(j: JudgedRun) -> FloatArray:
    """SetP times SetR: AP of a set, each relevant document at the set's precision.

    SetAP = (relevant retrieved)² / (retrieved · R)
    """
    return j.sum(j.rel) / np.maximum(j.depth, 1) * ratio(j.sum(j.rel), j.R)


@measure(cite="trec_eval", binary=True, cutoff="none", linear=True)
def SetF(j: JudgedRun, *, beta: Annotated[float, Between(0, open=True)] = 1.0) -> FloatArray:
    """Weighted harmonic mean of SetP and SetR; trec_eval weighs by β, not by its square.

    SetF = (β + 1) P R / (β P + R)

    Parameters
    ----------
    beta : weight of recall against precision
    """
    precision = j.sum(j.rel) / np.maximum(j.depth, 1)
    return f_score(precision, ratio(j.sum(j.rel), j.R), beta)


@measure(cite="trec_eval", range=(0, np.inf), average="sum", linear=True)
def NumRet(j: JudgedRun) -> FloatArray:
    """Number of documents retrieved; summed over the queries.

    NumRet = min(depth, k)
    """
    return j.seen.astype(np.float64)


@measure(cite="trec_eval", range=(0, np.inf), binary=True, cutoff="none", average="sum", linear=True)
def NumRel(j: JudgedRun) -> FloatArray:
    """Number of relevant documents in the judgments; summed over the queries.

    NumRel = R
    """
    return j.R.astype(np.float64)


@measure(cite="trec_eval", range=(0, np.inf), binary=True, average="sum", linear=True)
def NumRelRet(j: JudgedRun) -> FloatArray:
    """Number of relevant documents retrieved; summed over the queries.

    NumRelRet = Σ_{i≤k} rel(i)
    """
    return j.sum(j.rel)


def f_score(precision: FloatArray, recall: FloatArray, weight: float) -> FloatArray:
    """Weighted harmonic mean; 0 where both are 0, undefined where recall is."""
    below = weight * precision + recall
    mean = (weight + 1) * precision * recall / np.where(below > 0, below, 1)
    return np.where(np.isnan(recall), np.nan, mean)
