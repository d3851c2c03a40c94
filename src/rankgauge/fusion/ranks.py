"""Methods that combine ranks: reciprocal, geometric and Borda points."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from rankgauge.fusion._lists import Lists
from rankgauge.fusion._method import fusion_method
from rankgauge.judged import FloatArray
from rankgauge.measures._values import Between


@fusion_method("reciprocal_rank_fusion", cite="cormack2009", grid={"k": (0.0, 5.0, 10.0, 20.0, 40.0, 60.0, 100.0)})
def RRF(lists: Lists, weights: FloatArray, *, k: Annotated[float, Between(0)] = 60.0) -> FloatArray:
    """Sum of reciprocal ranks: rank 1 is the first, a run that does not hold the document adds nothing.

    score = Σ_i w_i / (k + rank_i)

    k : how slowly the worth of a rank falls; 60 in the paper
    """
    return lists.sum(weights[lists.run] / (k + lists.rank))


@fusion_method(cite="mourao2015")
def ISR(lists: Lists) -> FloatArray:
    """Sum of inverse squared ranks, times the number of runs that hold the document.

    score = h Σ_i 1 / rank_i²
    """
    return lists.sum(_inverse_square(lists)) * lists.hits


@fusion_method(cite="mourao2015")
def log_ISR(lists: Lists) -> FloatArray:
    """Sum of inverse squared ranks, times the logarithm of the number of runs that hold the document.

    score = ln(h) Σ_i 1 / rank_i²; a document of one run only has 0
    """
    return lists.sum(_inverse_square(lists)) * np.log(lists.hits)


@fusion_method(cite="mourao2015", grid={"sigma": (0.01, 0.1, 0.3, 1.0)})
def logN_ISR(lists: Lists, *, sigma: Annotated[float, Between(0, 1)] = 0.01) -> FloatArray:
    """Sum of inverse squared ranks, times a logarithm that leaves documents of one run above 0.

    score = ln(h + σ) Σ_i 1 / rank_i², σ = sigma

    sigma : 0 is log_ISR
    """
    single: FloatArray = np.log(lists.hits + sigma)
    return lists.sum(_inverse_square(lists)) * single


def _inverse_square(lists: Lists) -> FloatArray:
    worth: FloatArray = 1.0 / lists.rank.astype(np.float64) ** 2
    return worth


@fusion_method("rank_biased_centroid", cite="bailey2017", grid={"phi": (0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99)})
def RBC(lists: Lists, weights: FloatArray, *, phi: Annotated[float, Between(0, 1, open=True)] = 0.8) -> FloatArray:
    """Rank-biased centroid: each run adds the chance that a user of rank-biased precision sees the document there.

    score = Σ_i w_i (1 - φ) φ^(rank_i - 1), φ = phi

    phi : persistence of the user
    """
    return lists.sum(weights[lists.run] * ((1 - phi) * phi ** (lists.rank - 1)))


@fusion_method("borda", "w_bordafuse", "weighted_bordafuse", cite="aslam2001")
def BordaFuse(lists: Lists, weights: FloatArray) -> FloatArray:
    """Borda count: points for each candidate below; candidates that a run does not hold share its points left over.

    score = Σ_i w_i p_i, p_i = C - rank_i + 1 where run i holds it, else (C - n_i + 1) / 2
    """
    unranked = (lists.pool - lists.sizes + 1) / 2
    more = lists.pool[lists.query] - lists.rank + 1 - unranked[lists.run, lists.query]
    return lists.sum(weights[lists.run] * more) + (weights @ unranked)[lists.doc_query]
