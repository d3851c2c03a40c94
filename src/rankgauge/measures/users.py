"""Measures as user models: each is the chance C(i) that a user at rank i reads on (see `_walk`)."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from rankgauge.judged import BoolArray, FloatArray
from rankgauge.measures._users import user_model
from rankgauge.measures._values import Between
from rankgauge.measures._walk import Reader

Persistence = Annotated[float, Between(0, 1, open=True)]
Positive = Annotated[float, Between(0, open=True)]
Desired = Annotated[float, Between(0.5)]

LARGEST_EXPONENT = 700.0
"""e to this is a float64 still; the chance is 1 or 0 to the last bit long before."""

ROUNDING = 1e-9
"""Gains such as 1/3 + 1/3 + 1/3 reach 1 although their floating sum may not."""


@user_model(cite="moffat2008", horizon=None)
def RBP(u: Reader, *, p: Persistence = 0.8) -> float:
    """Gain per document of a user who reads on with the same chance at every rank.

    RBP = (1 - p) Σ_i p^(i-1) g(i): C(i) = p

    Parameters
    ----------
    p : persistence; 0.5 models an impatient user, 0.95 a patient one
    """
    return p


@user_model(cite="moffat2012")
def INSQ(u: Reader, *, T: Positive = 1.0) -> FloatArray:
    """Gain per document of a user who wants T documents, and reads on the likelier the deeper they are.

    C(i) = ((i + 2T - 1) / (i + 2T))²

    Parameters
    ----------
    T : relevant documents that the user wants
    """
    return ((u.rank + 2 * T - 1) / (u.rank + 2 * T)) ** 2


@user_model(cite="moffat2015", monotone=True)
def INST(u: Reader, *, T: Desired = 1.0) -> FloatArray:
    """Gain per document of a user who wants T documents, and gives up the sooner the more were found.

    C(i) = ((i + T + T(i) - 1) / (i + T + T(i)))², T(i) = T - Σ_{j≤i} g(j)

    Parameters
    ----------
    T : relevant documents that the user wants
    """
    left = T - u.total
    return ((u.rank + T + left - 1) / (u.rank + T + left)) ** 2


@user_model(cite="jarvelin2002", cutoff="required")
def SDCG(u: Reader) -> FloatArray:
    """DCG@k scaled to gain per document: Σ of its discounts is 1.

    C(i) = log2(i + 1) / log2(i + 2) for i < k
    """
    return np.log2(u.rank + 1) / np.log2(u.rank + 2)


@user_model(cite="zhang2017", cutoff="required")
def BPM(u: Reader, *, T: Positive = 1.0) -> BoolArray:
    """Gain per document of the static Bejeweled player, who stops with a gain of T or after k documents.

    C(i) = 1 while Σ_{j≤i} g(j) < T and i < k

    Parameters
    ----------
    T : gain that is enough
    """
    return np.less(u.total, T - ROUNDING)


@user_model(cite="zhang2017")
def DynamicBPM(
    u: Reader, *, T: Positive = 1.0, K: Positive = 10.0, hb: float = 1.0, hc: float = 1.0, medium: float = 0.5
) -> BoolArray:
    """Gain per document of the Bejeweled player whose wishes and patience move with what was found.

    C(i) = 1 while Σ_{j≤i} g(j) < T + hb·d(i) and i < K + hc·d(i), d(i) = Σ_{j<i} (g(j) - medium)

    Parameters
    ----------
    T : gain that is enough at first
    K : documents that are enough at first
    hb : how much T moves
    hc : how much K moves
    medium : gain that moves nothing
    """
    drift = u.above - medium * (u.rank - 1)
    hungry = np.less(u.total, T + hb * drift - ROUNDING)
    return hungry & np.less(u.rank, K + hc * drift - ROUNDING)


@user_model(cite="azzopardi2021", cutoff="required", monotone=True)
def NERR8(u: Reader) -> FloatArray:
    """Gain per document of a user who stops satisfied with a chance that is the gain: nearly ERR.

    C(i) = 1 - g(i) for i < k
    """
    return 1 - u.gain


@user_model(cite="azzopardi2021", cutoff="required", monotone=True)
def NERR9(u: Reader) -> FloatArray:
    """Gain per document of a user who stops satisfied, or tired like a reader of 1/i: nearly ERR.

    C(i) = i / (i + 1) · (1 - g(i)) for i < k
    """
    return u.rank / (u.rank + 1) * (1 - u.gain)


@user_model(cite="azzopardi2021", monotone=True)
def NERR10(u: Reader, *, p: Persistence = 0.9) -> FloatArray:
    """Gain per document of a user who stops satisfied, or tired like RBP's: nearly ERR.

    C(i) = p · (1 - g(i))

    Parameters
    ----------
    p : persistence of a user who is not satisfied
    """
    return p * (1 - u.gain)


@user_model(cite="azzopardi2021", monotone=True)
def NERR11(u: Reader, *, T: Positive = 1.0) -> FloatArray:
    """Gain per document of a user who stops satisfied, or tired like INSQ's: nearly ERR.

    C(i) = ((i + 2T - 1) / (i + 2T))² · (1 - g(i))

    Parameters
    ----------
    T : relevant documents that the user wants
    """
    return ((u.rank + 2 * T - 1) / (u.rank + 2 * T)) ** 2 * (1 - u.gain)


@user_model(cite="smucker2012")
def TBG(u: Reader, *, h: Positive = 224.0) -> float:
    """Gain per document of a user half of whom are gone after h documents (time-biased gain, one unit each).

    W(i) ∝ 2^(-(i-1)/h): C(i) = 2^(-1/h)

    Parameters
    ----------
    h : half-life, in documents
    """
    return 2 ** (-1 / h)


@user_model(cite="sakai2013")
def UMeasure(u: Reader, *, L: Positive = 1000.0) -> FloatArray:
    """Gain per document of a user whose attention falls in a straight line to 0 after L documents.

    W(i) ∝ max(0, 1 - (i-1)/L): C(i) = W(i+1) / W(i)

    Parameters
    ----------
    L : documents after which nobody reads on
    """
    return np.maximum(L - u.rank, 0) / np.where(u.rank <= L, L - u.rank + 1, 1)


@user_model(cite="azzopardi2019")
def NPV(u: Reader, *, rate: Positive = 0.1) -> float:
    """Gain per document of a user who discounts each further document like interest (net present value).

    C(i) = 1 / (1 + rate)

    Parameters
    ----------
    rate : interest per document
    """
    return 1 / (1 + rate)


@user_model(cite="azzopardi2018", shown=("T", "A"))
def IFT(
    u: Reader,
    *,
    T: Positive = 2.0,
    b1: Positive = 0.9,
    R1: Annotated[float, Between(0)] = 1.0,
    A: Positive = 0.2,
    b2: Positive = 0.9,
    R2: Annotated[float, Between(0)] = 1.0,
) -> FloatArray:
    """Gain per document of an information forager, who stops at a goal, or when the rate of gain is poor.

    C(i) = (1 - 1/(1 + b1 e^((T - G) R1))) / (1 + b2 e^((A - G/i) R2)), G = Σ_{j≤i} g(j)

    Parameters
    ----------
    T : gain that is the goal
    b1 : chance to read on at the goal is b1 / (1 + b1)
    R1 : how strictly the goal is kept; 0: not at all
    A : gain per document that the user expects
    b2 : chance to read on at that rate is 1 / (1 + b2)
    R2 : how strictly the rate is kept; 0: not at all
    """
    goal = b1 * np.exp(np.minimum((T - u.total) * R1, LARGEST_EXPONENT))
    rate = b2 * np.exp(np.minimum((A - u.total / u.rank) * R2, LARGEST_EXPONENT))
    return (1 - 1 / (1 + goal)) / (1 + rate)
