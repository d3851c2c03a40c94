"""Gains of grades and discounts of ranks, by name; users add their own with `@gain` and `@discount`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import numpy as np

from rankgauge.errors import ParameterError
from rankgauge.judged import FloatArray, IntArray
from rankgauge.measures._values import OneOf, Table

GainFunction = Callable[[FloatArray], FloatArray]
DiscountFunction = Callable[[IntArray], FloatArray]

GAINS: dict[str, GainFunction] = {}
DISCOUNTS: dict[str, DiscountFunction] = {}

Gain = Annotated[str, OneOf(GAINS)] | Table | GainFunction
Discount = Annotated[str, OneOf(DISCOUNTS)] | DiscountFunction

LARGEST_EXPONENT = 1023


def gain(function: GainFunction) -> GainFunction:
    """Declare a gain under its function's name: grades float64[n] -> gains float64[n]."""
    GAINS[function.__name__] = function
    return function


def discount(function: DiscountFunction) -> DiscountFunction:
    """Declare a discount under its function's name: ranks int64[n] from 1 -> weights float64[n]."""
    DISCOUNTS[function.__name__] = function
    return function


@gain
def exp(grade: FloatArray) -> FloatArray:
    """2^grade - 1, the gain of LETOR and LambdaMART (Burges et al. 2005)."""
    return np.exp2(grade) - 1


@gain
def linear(grade: FloatArray) -> FloatArray:
    """The grade itself, as in trec_eval (Järvelin & Kekäläinen 2002)."""
    return grade


@gain
def binary(grade: FloatArray) -> FloatArray:
    """1 from grade 1 on, 0 below."""
    return (grade >= 1).astype(np.float64)


@discount
def log2(rank: IntArray) -> FloatArray:
    """1 / log2(rank + 1)."""
    return 1 / np.log2(rank + 1)


@discount
def zipf(rank: IntArray) -> FloatArray:
    """1 / rank."""
    return 1 / rank


@discount
def none(rank: IntArray) -> FloatArray:
    """1 at every rank."""
    return np.ones(len(rank))


@discount
def jk(rank: IntArray) -> FloatArray:
    """1 below rank b, then 1 / log_b(rank): the original of Järvelin & Kekäläinen (2002); b is `base`."""
    return _jk(rank, 2)


def _jk(rank: IntArray, base: float) -> FloatArray:
    weights: FloatArray = np.log(base) / np.log(np.maximum(rank, base))
    return weights


def gains(grade: FloatArray, how: Gain) -> FloatArray:
    """Gain of each grade; a grade below 0 gains nothing.

    Raises ParameterError where the exponential gain of a grade is beyond float64.
    """
    positive = np.maximum(grade, 0.0)
    if how == "exp" and len(positive) and positive.max() > LARGEST_EXPONENT:
        raise ParameterError(
            f"expected grades up to {LARGEST_EXPONENT} for the exponential gain, got {positive.max():g}; "
            "use gain='linear' or a table {grade: gain}"
        )
    return _function(how, GAINS)(positive)


def discounts(rank: IntArray, how: Discount, base: float = 2) -> FloatArray:
    """Weight of each rank; `base` is that of "jk"."""
    return _jk(rank, base) if how == "jk" else _function(how, DISCOUNTS)(rank)


def _function(how: Any, known: dict[str, Any]) -> Callable[[Any], FloatArray]:
    chosen: Callable[[Any], FloatArray] = known[how] if isinstance(how, str) else how
    return chosen
