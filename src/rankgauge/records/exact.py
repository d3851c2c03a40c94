"""Sums of float64 without rounding: they can be put together in any order, and always give the same number.

An exact sum is held as an expansion: float64 numbers of falling size that do not overlap, whose mathematical
sum it is. The first is the sum rounded to the nearest float64. After Shewchuk (1997), Adaptive precision
floating-point arithmetic, doi:10.1007/PL00009321.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

import numpy as np

from rankgauge.records._columns import FloatArray, IntArray

MANTISSA = 53
LOW_BITS = 26
LOW = (1 << LOW_BITS) - 1
MOST_AT_ONCE = 2**26
"""So many halves of 27 bits add up to a float64 without rounding."""

Expansion = tuple[float, ...]


def exact_sum(values: FloatArray) -> Expansion:
    """Add up numbers, float64[n], without rounding.

    >>> exact_sum(np.array([1e16, 1.0, -1e16]))
    (1.0,)
    """
    return exact_sums(values, np.zeros(len(values), dtype=np.int64), 1)[0]


def exact_sums(values: FloatArray, group: IntArray, groups: int) -> list[Expansion]:
    """Add up numbers, float64[n], by group, int64[n], without rounding.

    A sum beyond float64 is infinite, and so is one of infinite numbers. Raises ValueError for NaN.
    """
    if np.isnan(values).any():
        raise ValueError("exact sums: expected numbers, got NaN")
    if len(values) > MOST_AT_ONCE:
        parts = [slice(low, low + MOST_AT_ONCE) for low in range(0, len(values), MOST_AT_ONCE)]
        sums = [exact_sums(values[part], group[part], groups) for part in parts]
        return [merged(of_group) for of_group in zip(*sums, strict=True)]
    endless = np.isinf(values)
    infinite = np.bincount(group[endless], weights=values[endless], minlength=groups).tolist()
    mantissa, exponent = np.frexp(np.where(endless, 0.0, values))
    lowest = int(exponent.min(initial=0))
    totals = [0] * groups
    for number, power, total in _by_power(mantissa, exponent - lowest, group, groups):
        totals[number] += total << power
    unit = Fraction(2) ** (lowest - MANTISSA)
    return [(past,) if past else expansion(total * unit) for past, total in zip(infinite, totals, strict=True)]


def _by_power(mantissa: FloatArray, power: IntArray, group: IntArray, groups: int) -> Iterator[tuple[int, int, int]]:
    """Add up the mantissas, as whole numbers of 53 bits, of each group and power of 2 from 0."""
    whole = (mantissa * 2.0**MANTISSA).astype(np.int64)
    span = int(power.max(initial=0)) + 1
    cell, cells = group * span + power, np.arange(0)
    if groups * span > 4 * len(cell) + 2**16:
        cells, cell = np.unique(cell, return_inverse=True)
    upper = np.bincount(cell, weights=whole >> LOW_BITS)
    lower = np.bincount(cell, weights=whole & LOW)
    filled = np.flatnonzero((upper != 0) | (lower != 0))
    numbers, powers = np.divmod(cells[filled] if len(cells) else filled, span)
    parts = (part.tolist() for part in (numbers, powers, upper[filled], lower[filled]))
    for number, at, high, low in zip(*parts, strict=True):
        yield number, at, (int(high) << LOW_BITS) + int(low)


def merged(sums: Iterable[Sequence[float]]) -> Expansion:
    """Add up exact sums."""
    parts = [one for one in sums if len(one)]
    if len(parts) == 1:
        return tuple(parts[0])
    past = sum(one[0] for one in parts if math.isinf(one[0]))
    return (past,) if past else expansion(sum((fraction(one) for one in parts), Fraction(0)))


def fraction(sum_: Sequence[float]) -> Fraction:
    """Return a finite exact sum as a fraction."""
    return sum((Fraction(part) for part in sum_), Fraction(0))


def expansion(total: Fraction) -> Expansion:
    """Return the expansion of a sum of float64 numbers: none for 0, an infinite one beyond float64."""
    parts: list[float] = []
    while nearest := _nearest(total):
        parts.append(nearest)
        if math.isinf(nearest):
            break
        total -= Fraction(nearest)
    return tuple(parts)


def _nearest(total: Fraction) -> float:
    try:
        return float(total)
    except OverflowError:
        return math.inf if total > 0 else -math.inf
