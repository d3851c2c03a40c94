"""Exact sums: the same as `math.fsum`, in whatever order and pieces the numbers come."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgauge.records.exact import exact_sum, exact_sums, expansion, fraction, merged

NUMBERS = st.one_of(
    st.floats(-1e300, 1e300, allow_subnormal=True),
    st.sampled_from([0.0, -0.0, 5e-324, -5e-324, 2.2250738585072014e-308, 1e16, 1.0, -1e16, 0.1]),
)
LISTS = st.lists(NUMBERS, max_size=40)


def numbers(values: list[float]) -> np.ndarray:
    return np.array(values, dtype=np.float64)


@given(LISTS)
def test_it_is_the_sum_and_its_first_part_is_the_nearest_float(values):
    found = exact_sum(numbers(values))
    assert fraction(found) == sum(map(Fraction, values), Fraction(0))
    assert (found[0] if found else 0.0) == math.fsum(values)


@given(LISTS, st.randoms())
def test_the_order_does_not_matter(values, random):
    shuffled = random.sample(values, len(values))
    assert exact_sum(numbers(shuffled)) == exact_sum(numbers(values))


@given(st.lists(LISTS, max_size=6))
def test_pieces_put_together_are_the_whole(pieces):
    whole = exact_sum(numbers(list(itertools.chain.from_iterable(pieces))))
    parts = [exact_sum(numbers(piece)) for piece in pieces]
    assert merged(parts) == whole
    assert merged(reversed(parts)) == whole


@given(LISTS)
def test_the_parts_do_not_overlap_and_fall(values):
    found = exact_sum(numbers(values))
    assert all(part != 0 for part in found)
    for larger, smaller in itertools.pairwise(found):
        assert abs(smaller) <= math.ulp(larger) / 2


@given(st.lists(st.tuples(NUMBERS, st.integers(0, 3)), max_size=60))
def test_groups_are_summed_apart(rows):
    values, group = numbers([value for value, _ in rows]), np.array([number for _, number in rows], dtype=np.int64)
    apart = [exact_sum(values[group == number]) for number in range(5)]
    assert exact_sums(values, group, 5) == apart
    assert apart[4] == ()


def test_nothing_and_zeros_sum_to_no_parts():
    assert exact_sum(numbers([])) == exact_sum(numbers([0.0, -0.0])) == exact_sum(numbers([1.5, -1.5])) == ()
    assert merged([]) == merged([(), ()]) == ()
    assert fraction(()) == 0


def test_known_sums():
    assert exact_sum(numbers([1e16, 1.0, -1e16])) == (1.0,)
    assert exact_sum(numbers([1e16, 1.0])) == (1e16, 1.0)
    assert exact_sum(numbers([5e-324] * 3)) == (1.5e-323,)
    assert exact_sum(numbers([0.1] * 10)) == (1.0, 5.551115123125783e-17)
    assert exact_sum(numbers([1e308, -1e308, 2.0])) == (2.0,)


def test_millions_of_numbers_are_summed_without_rounding():
    values = np.full(3_000_000, 0.1)
    assert fraction(exact_sum(values)) == 3_000_000 * Fraction(0.1)
    assert fraction(exact_sum(-values)) == -3_000_000 * Fraction(0.1)


def test_many_groups_of_many_magnitudes_are_summed_apart():
    values = 2.0 ** (np.arange(4000) % 2000 - 1000)
    found = exact_sums(np.tile(values, 2), np.tile(np.arange(4000), 2), 4000)
    assert found == [(2 * value,) for value in values.tolist()]


def test_a_sum_beyond_float64_is_infinite_and_stays_so():
    assert exact_sum(numbers([1e308] * 3)) == (math.inf,)
    assert exact_sum(numbers([-1e308] * 3)) == (-math.inf,)
    assert exact_sum(numbers([math.inf, 1.0])) == (math.inf,)
    assert merged([(math.inf,), (1.0,)]) == (math.inf,)
    assert merged([(1.5e308,), (1.5e308,)]) == (math.inf,)


@pytest.mark.parametrize("value", [math.nan, None])
def test_what_is_no_number_is_refused(value):
    with pytest.raises(ValueError, match="expected numbers, got NaN"):
        exact_sum(np.array([1.0, value], dtype=np.float64))


def test_an_expansion_ends_for_a_number_that_no_float_holds():
    third = Fraction(1, 3) / 2**1100
    assert expansion(third) == ()
    found = expansion(Fraction(1, 3))
    assert found[0] == 1 / 3
    assert abs(Fraction(1, 3) - fraction(found)) < Fraction(5, 10**324)
