from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from rankgauge.errors import ParameterError
from rankgauge.statistics.confidence_sequences import anytime_p, inflation, reach, tuning


def test_the_reach_at_the_planned_size_is_worked_out_by_hand():
    """ρ² n* = 5.9915 + ln 5.9915 + 1 = 8.7818; √(2 · 9.7818 / 8.7818 · ln(√9.7818 / 0.05)) = 3.0354."""
    assert reach(500, rho2=tuning(500)) == pytest.approx(3.0354, abs=1e-4)


@given(st.integers(10, 10**6), st.sampled_from([0.01, 0.05, 0.2]))
def test_it_is_tightest_about_where_it_was_tuned(n, alpha):
    """ρ is Waudby-Smith's approximation of the best: no other is 1% tighter there."""
    at = reach(n, rho2=tuning(n, alpha=alpha), alpha=alpha)
    others = [reach(n, rho2=tuning(n, alpha=alpha) * factor, alpha=alpha) for factor in (0.3, 0.7, 1.4, 3.0)]
    assert at <= 1.01 * min(others)
    assert at > norm.ppf(1 - alpha / 2)


@given(st.integers(100, 10**6), st.floats(1e-4, 0.5))
def test_p_and_interval_say_the_same(n, alpha):
    rho2 = tuning(1000)
    assert anytime_p(reach(n, rho2=rho2, alpha=alpha), n, rho2=rho2) == pytest.approx(alpha, rel=1e-9)


def test_p_is_1_where_nothing_is_seen():
    assert anytime_p(0.0, 1000, rho2=tuning(1000)) == 1.0


def test_the_inflation_is_the_square_of_the_two_reaches():
    z = norm.ppf(0.8)
    expected = ((reach(7, rho2=tuning(7)) + z) / (norm.ppf(0.975) + z)) ** 2
    assert inflation() == pytest.approx(expected)
    assert math.isclose(inflation(), 1.915, abs_tol=0.001)


def test_a_sequence_needs_a_size_to_be_tuned_for():
    with pytest.raises(ParameterError, match="tightest_at: expected 1 unit or more, got 0"):
        tuning(0)
