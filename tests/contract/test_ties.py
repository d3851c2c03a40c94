"""Ties of every measure against all permutations: the mean, the smallest and the largest value."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from contract.samples import NAMES, SAMPLES
from contract.worlds import BruteForce, brute_force
from rankgauge.engines import ties
from rankgauge.measures import REGISTRY, Measure

each = pytest.mark.parametrize("measure", SAMPLES, ids=NAMES)
ROUNDING = {"rtol": 0, "atol": 1e-12}


@cache
def brute() -> BruteForce:
    return brute_force(11)


@cache
def truth(measure: Measure) -> np.ndarray:
    """Values of all orders."""
    return measure.of(brute().orders)


@each
def test_the_expected_value_is_the_mean_over_all_permutations(measure):
    found = ties.expected(measure, brute().tied)
    np.testing.assert_allclose(found.values, brute().mean(truth(measure)), **ROUNDING)
    assert found.sampled == 0


@each
def test_the_interval_is_the_smallest_and_the_largest_value_over_all_permutations(measure):
    low, high = ties.interval(measure, brute().tied)
    values, bound = truth(measure), ~np.isnan(low)
    assert (np.isnan(high) == ~bound).all()
    if not bound.all():
        assert not measure.monotone or "gain" in measure.parameters or np.isnan(values).any()
    np.testing.assert_allclose(low[bound], brute().low(values)[bound], **ROUNDING)
    np.testing.assert_allclose(high[bound], brute().high(values)[bound], **ROUNDING)


@each
def test_the_expected_value_lies_within_the_interval(measure):
    low, high = ties.interval(measure, brute().tied)
    values = ties.expected(measure, brute().tied).values
    assert not (values < low).any()
    assert not (values > high).any()


@pytest.mark.parametrize("name", REGISTRY)
def test_exactly_the_linear_measures_are_right_over_spread_ties(name):
    forms = [m for m in SAMPLES if m.name == name and not m.parameters["judged_only"]]
    right = []
    for measure in forms:
        expected = brute().mean(truth(measure))
        try:
            spread = measure.of(ties.spread(brute().tied))
        except AssertionError:
            right.append(False)
        else:
            right.append(np.allclose(spread, expected, equal_nan=True, **ROUNDING))
    assert all(right) == REGISTRY[name].declared.linear
