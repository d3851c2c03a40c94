"""Measures of diversity: judgments by subtopic, where what was covered before gains less.

In all formulas γ(i) = Σ over the subtopics of document i of (1-α)^(documents above with the same subtopic), and
S is the number of the query's subtopics that have a relevant document. "best" is the greedy ideal ranking of
all judged documents: always the document with the largest γ next, of equals the one with the largest id.
"""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from rankgauge.judged import FloatArray, JudgedRun, ratio
from rankgauge.measures._coverage import Coverage, covered, greedy, relevant_of_each, subtopics
from rankgauge.measures._measure import measure
from rankgauge.measures._values import Between

Alpha = Annotated[float, Between(0, 1)]
Beta = Annotated[float, Between(0, 1, open=True)]
AtOne = Literal["normalised", "raw"]

# A greedy choice reaches at least 1 - 1/e of the best coverage at every depth (Nemhauser, Wolsey & Fisher 1978),
# and falling discounts keep that share, so no ranking scores more than this against the greedy ideal.
ABOVE_GREEDY = np.e / (np.e - 1)


@measure(cite="clarke2011", binary=True, cutoff="required", subtopics=True, monotone=False)
def alpha_DCG(j: JudgedRun, *, alpha: Alpha = 0.5, at1: AtOne = "normalised") -> FloatArray:
    """Discounted novel gain as a share of a ranking in which every document covers every subtopic.

    alpha_DCG@k = Σ_{i≤k} γ(i) / log2(i+1) ÷ Σ_{i≤k} S (1-α)^(i-1) / log2(i+1)

    Parameters
    ----------
    alpha : how much a subtopic loses each time it is covered
    at1 : raw leaves the value at k = 1 undivided, as ndeval, pyndeval and ir_measures do
    """
    return _share_of_all(j, dcg(covered(j), alpha), np.log2(_ranks(j) + 1), alpha, at1)


@measure(cite="clarke2008", binary=True, range=(0, ABOVE_GREEDY), subtopics=True, monotone=False)
def alpha_nDCG(j: JudgedRun, *, alpha: Alpha = 0.5) -> FloatArray:
    """Discounted novel gain as a share of the greedy ideal's; may exceed 1, for greedy is not always best.

    alpha_nDCG@k = Σ_{i≤k} γ(i) / log2(i+1) ÷ the same of best

    Parameters
    ----------
    alpha : how much a subtopic loses each time it is covered
    """
    return ratio(dcg(covered(j), alpha), dcg(greedy(j, alpha), alpha))


@measure(cite="chapelle2011", binary=True, cutoff="required", subtopics=True, monotone=False)
def ERR_IA(j: JudgedRun, *, alpha: Alpha = 0.5, at1: AtOne = "normalised") -> FloatArray:
    """Expected reciprocal rank averaged over the subtopics, as a share of what full coverage would score.

    ERR_IA@k = Σ_{i≤k} γ(i) / i ÷ Σ_{i≤k} S (1-α)^(i-1) / i

    Parameters
    ----------
    alpha : chance that a relevant document satisfies
    at1 : raw leaves the value at k = 1 undivided, as ndeval, pyndeval and ir_measures do
    """
    return _share_of_all(j, err(covered(j), alpha), _ranks(j), alpha, at1)


@measure(cite="chapelle2011", binary=True, range=(0, ABOVE_GREEDY), subtopics=True, monotone=False)
def nERR_IA(j: JudgedRun, *, alpha: Alpha = 0.5) -> FloatArray:
    """Expected reciprocal rank over the subtopics as a share of the greedy ideal's; may exceed 1.

    nERR_IA@k = Σ_{i≤k} γ(i) / i ÷ the same of best

    Parameters
    ----------
    alpha : chance that a relevant document satisfies
    """
    return ratio(err(covered(j), alpha), err(greedy(j, alpha), alpha))


@measure(cite="clarke2009", binary=True, cutoff="none", subtopics=True, monotone=False)
def NRBP(j: JudgedRun, *, alpha: Alpha = 0.5, beta: Beta = 0.5) -> FloatArray:
    """Novelty- and rank-biased precision: novel gain for a user who reads on with probability β.

    NRBP = (1 - (1-α)β) / S · Σ_i γ(i) β^(i-1)

    Parameters
    ----------
    alpha : how much a subtopic loses each time it is covered
    beta : chance to read on
    """
    return ratio((1 - (1 - alpha) * beta) * rbp(covered(j), alpha, beta), subtopics(j))


@measure(cite="clarke2009", binary=True, cutoff="none", range=(0, ABOVE_GREEDY), subtopics=True, monotone=False)
def nNRBP(j: JudgedRun, *, alpha: Alpha = 0.5, beta: Beta = 0.5) -> FloatArray:
    """NRBP as a share of the greedy ideal's; may exceed 1.

    nNRBP = Σ_i γ(i) β^(i-1) ÷ the same of best

    Parameters
    ----------
    alpha : how much a subtopic loses each time it is covered
    beta : chance to read on
    """
    return ratio(rbp(covered(j), alpha, beta), rbp(greedy(j, alpha), alpha, beta))


@measure(cite="agrawal2009", binary=True, subtopics=True, monotone=False)
def AP_IA(j: JudgedRun) -> FloatArray:
    """Average precision of each subtopic, averaged over the subtopics; its mean is MAP-IA.

    AP_IA = (1/S) Σ_t (1/R_t) Σ_i rel_t(i) · Σ_{j≤i} rel_t(j) / i
    """
    found = covered(j)
    return ratio(found.sum((found.again + 1) / found.rank / relevant_of_each(j, found)), subtopics(j))


@measure(cite="agrawal2009", binary=True, cutoff="required", subtopics=True, monotone=False)
def P_IA(j: JudgedRun) -> FloatArray:
    """Precision of each subtopic, averaged over the subtopics.

    P_IA@k = (1/S) Σ_t Σ_{i≤k} rel_t(i) / k
    """
    assert j.cutoff is not None
    found = covered(j)
    return ratio(found.sum(np.ones(len(found.rank))) / j.cutoff, subtopics(j))


@measure(cite="zhai2003", binary=True, subtopics=True, monotone=False)
def StRecall(j: JudgedRun) -> FloatArray:
    """Share of the subtopics that the ranking covers.

    StRecall@k = subtopics with a relevant document in the first k / S
    """
    found = covered(j)
    return ratio(found.sum(found.again == 0), subtopics(j))


def dcg(found: Coverage, alpha: float) -> FloatArray:
    """Σ γ(i) / log2(i+1)."""
    return found.sum(found.novelty(alpha) / np.log2(found.rank + 1))


def err(found: Coverage, alpha: float) -> FloatArray:
    """Σ γ(i) / i."""
    return found.sum(found.novelty(alpha) / found.rank)


def rbp(found: Coverage, alpha: float, beta: float) -> FloatArray:
    """Σ γ(i) β^(i-1)."""
    return found.sum(found.novelty(alpha) * beta ** (found.rank - 1))


def _ranks(j: JudgedRun) -> FloatArray:
    assert j.cutoff is not None
    return np.arange(1.0, j.cutoff + 1)


def _share_of_all(j: JudgedRun, value: FloatArray, divisor: FloatArray, alpha: float, at1: AtOne) -> FloatArray:
    """Divide by what a ranking scores in which every document covers every subtopic; `divisor` is by rank."""
    full = subtopics(j) * np.sum((1 - alpha) ** (_ranks(j) - 1) / divisor)
    return ratio(value, np.minimum(full, 1) if at1 == "raw" and j.cutoff == 1 else full)
