"""Sums of float64 without rounding: they can be put together in any order, and always give the same number.

An exact sum is held as an expansion: float64 numbers of falling size that do not overlap, whose mathematical
sum it is. The first is the sum rounded to the nearest float64. After Shewchuk (1997), Adaptive precision
floating-point arithmetic, doi:10.1007/PL00009321.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np

from rankgauge.records._columns import FloatArray, IntArray

MANTISSA = 53
LOW_BITS = 26

Expansion = tuple[float, ...]


def exact_sum(values: FloatArray) -> Expansion:
    """Add up finite numbers, float64[n], without rounding.

    >>> exact_sum(np.array([1e16, 1.0, -1e16]))
    (1.0,)
    """
    return exact_sums(values, np.zeros(len(values), dtype=np.int64), 1)[0]


def exact_sums(values: FloatArray, group: IntArray, groups: int) -> list[Expansion]:
    """Add up finite numbers, float64[n], by group, int64[n], without rounding."""
    if not np.isfinite(values).all():
        raise ValueError("exact sums: expected finite numbers, got NaN or infinite ones")
    mantissa, exponent = np.frexp(values)
    whole = (mantissa * 2.0**MANTISSA).astype(np.int64)
    # Halves of 27 and 26 bits: billions of them add up in an int64.
    high, low = whole >> LOW_BITS, whole & ((1 << LOW_BITS) - 1)
    order = np.lexsort((exponent, group))
    group, exponent = group[order], exponent[order]
    heads = np.flatnonzero(np.append(True, (group[1:] != group[:-1]) | (exponent[1:] != exponent[:-1]))[: len(order)])
    totals = [Fraction(0)] * groups
    if len(heads):
        parts = zip(
            group[heads].tolist(),
            exponent[heads].tolist(),
            np.add.reduceat(high[order], heads).tolist(),
            np.add.reduceat(low[order], heads).tolist(),
            strict=True,
        )
        for number, power, upper, lower in parts:
            totals[number] += ((upper << LOW_BITS) + lower) * Fraction(2) ** (power - MANTISSA)
    return [expansion(total) for total in totals]


def merged(sums: Iterable[Sequence[float]]) -> Expansion:
    """Add up exact sums."""
    return expansion(sum((fraction(one) for one in sums), Fraction(0)))


def fraction(sum_: Sequence[float]) -> Fraction:
    """Return the exact sum as a fraction."""
    return sum((Fraction(part) for part in sum_), Fraction(0))


def expansion(total: Fraction) -> Expansion:
    """Return the expansion of a sum of float64 numbers; none for 0."""
    parts: list[float] = []
    while total:
        nearest = float(total)
        if not math.isfinite(nearest):
            raise OverflowError("exact sums: the sum is beyond float64")
        parts.append(nearest)
        total -= Fraction(nearest)
    return tuple(parts)
