"""Methods that combine scores: Comb* and their weighted kin."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from rankgauge.fusion._lists import Lists
from rankgauge.fusion._method import fusion_method
from rankgauge.judged import FloatArray
from rankgauge.measures._values import Between

SCORES = "min-max"


@fusion_method("comb_min", "min", cite="fox1993", norm=SCORES)
def CombMIN(lists: Lists) -> FloatArray:
    """Lowest score among the runs that hold the document.

    score = min_i s_i
    """
    return lists.least(lists.score).astype(np.float64)


@fusion_method("comb_max", "max", cite="fox1993", norm=SCORES)
def CombMAX(lists: Lists) -> FloatArray:
    """Highest score among the runs that hold the document.

    score = max_i s_i
    """
    return lists.greatest(lists.score).astype(np.float64)


@fusion_method("comb_med", "med", cite="fox1993", norm=SCORES)
def CombMED(lists: Lists) -> FloatArray:
    """Median score among the runs that hold the document.

    score = median_i s_i
    """
    return lists.middle(lists.score)


@fusion_method("comb_sum", "sum", cite="fox1993", norm=SCORES)
def CombSUM(lists: Lists) -> FloatArray:
    """Sum of the scores.

    score = Σ_i s_i
    """
    return lists.sum(lists.score)


@fusion_method("comb_anz", "anz", cite="fox1993", norm=SCORES)
def CombANZ(lists: Lists) -> FloatArray:
    """Mean score among the runs that hold the document.

    score = Σ_i s_i / h, h = number of runs that hold it
    """
    return lists.sum(lists.score) / lists.hits


@fusion_method("comb_mnz", "mnz", cite="fox1993", norm=SCORES)
def CombMNZ(lists: Lists) -> FloatArray:
    """Sum of the scores, times the number of runs that hold the document.

    score = h Σ_i s_i
    """
    return lists.sum(lists.score) * lists.hits


@fusion_method("comb_gmnz", "gmnz", cite="lee1997", norm=SCORES, grid={"gamma": (0.0, 0.25, 0.5, 1.0, 2.0, 3.0)})
def CombGMNZ(lists: Lists, *, gamma: Annotated[float, Between(0)] = 1.0) -> FloatArray:
    """Sum of the scores, times a power of the number of runs that hold the document.

    score = h^γ Σ_i s_i, γ = gamma

    gamma : 0 is CombSUM, 1 is CombMNZ
    """
    return lists.sum(lists.score) * lists.hits.astype(np.float64) ** gamma


@fusion_method("weighted_sum", "linear", "interpolation", norm=SCORES)
def WSUM(lists: Lists, weights: FloatArray) -> FloatArray:
    """Weighted sum of the scores: linear interpolation.

    score = Σ_i w_i s_i
    """
    return lists.sum(weights[lists.run] * lists.score)


@fusion_method("weighted_mnz", cite="wu2002", norm=SCORES)
def WMNZ(lists: Lists, weights: FloatArray) -> FloatArray:
    """Sum of the scores, times the weights of the runs that hold the document.

    score = Σ_i s_i · Σ_i w_i
    """
    return lists.sum(lists.score) * lists.sum(weights[lists.run])


@fusion_method(cite="wu2002", norm=SCORES)
def Mixed(lists: Lists, weights: FloatArray) -> FloatArray:
    """Weighted sum of the scores, times the root of the number of runs that hold the document.

    score = √h Σ_i w_i s_i
    """
    return lists.sum(weights[lists.run] * lists.score) * np.sqrt(lists.hits)
