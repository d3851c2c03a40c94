from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.special import xlogy
from statsmodels.stats.proportion import confint_proportions_2indep, test_proportions_2indep

from rankgauge.errors import InputError, ParameterError
from rankgauge.statistics.two_proportions import (
    Counted,
    _restricted,
    difference_of_proportions,
    ratio_of_proportions,
    score_p,
)

test_proportions_2indep.__test__ = False


@st.composite
def counted(draw, *, least=0):
    n = draw(st.integers(max(2, least), 300))
    return Counted(draw(st.integers(least, n - least)), n)


@pytest.mark.parametrize(
    ("a", "b", "score", "hybrid"),
    [
        ((56, 70), (48, 80), (0.0528, 0.3382), (0.0524, 0.3339)),
        ((9, 10), (3, 10), (0.1700, 0.8406), (0.1705, 0.8090)),
        ((5, 56), (0, 29), (-0.0326, 0.1933), (-0.0381, 0.1926)),
        ((10, 10), (0, 20), (0.7156, 1.0), (0.6791, 1.0)),
    ],
)
def test_the_intervals_are_those_of_newcombes_table_2(a, b, score, hybrid):
    """Newcombe (1998), table II, methods 6 (Miettinen-Nurminen) and 10."""
    of_a, of_b = Counted(*a), Counted(*b)
    found = difference_of_proportions(of_a, of_b)
    assert (found.low, found.high) == pytest.approx(score, abs=5e-5)
    found = difference_of_proportions(of_a, of_b, method="newcombe")
    assert (found.low, found.high) == pytest.approx(hybrid, abs=5e-5)


@given(counted(), counted(), st.sampled_from([0.8, 0.95, 0.99]))
def test_newcombes_interval_is_that_of_statsmodels(a, b, confidence):
    found = difference_of_proportions(a, b, confidence=confidence, method="newcombe")
    theirs = confint_proportions_2indep(a.hits, a.n, b.hits, b.n, method="newcomb", alpha=1 - confidence)
    assert (found.low, found.high) == pytest.approx(theirs, abs=1e-9)


@given(counted(least=1), counted(least=1))
def test_the_score_test_is_that_of_statsmodels(a, b):
    theirs = test_proportions_2indep(a.hits, a.n, b.hits, b.n, method="score", correction=True)
    assert score_p(a, b) == pytest.approx(theirs.pvalue, abs=1e-9)


@given(counted(), counted(), st.floats(-0.95, 0.95))
def test_the_restricted_shares_are_the_likeliest(a, b, difference):
    def unlikely(p):
        q = p + difference
        return -(xlogy(a.hits, q) + xlogy(a.n - a.hits, 1 - q) + xlogy(b.hits, p) + xlogy(b.n - b.hits, 1 - p))

    low, high = max(0, -difference), min(1, 1 - difference)
    best = minimize_scalar(unlikely, bounds=(low, high), method="bounded", options={"xatol": 1e-12})
    assert unlikely(_restricted(a, b, difference)) <= best.fun + 1e-6


@pytest.mark.parametrize(("a", "b"), [((30, 100), (20, 100)), ((46, 900), (69, 1000)), ((5, 60), (11, 59))])
def test_the_ratios_interval_is_that_of_statsmodels(a, b):
    found = ratio_of_proportions(Counted(*a), Counted(*b))
    theirs = confint_proportions_2indep(*a, *b, compare="ratio", method="score", correction=True)
    assert (found.low, found.high) == pytest.approx(theirs, rel=1e-6)


@given(counted(), counted())
def test_interval_and_test_agree_and_turn_round_with_the_arms(a, b):
    found, turned = difference_of_proportions(a, b), difference_of_proportions(b, a)
    assert (found.low, found.high) == pytest.approx((-turned.high, -turned.low), abs=1e-7)
    assert -1 <= found.low <= found.estimate + 1e-12 and found.estimate <= found.high + 1e-12 <= 1 + 1e-11
    p = score_p(a, b)
    if abs(p - 0.05) > 1e-6:
        assert (found.low <= 0 <= found.high) == (p > 0.05)


def test_nothing_and_nobody_have_a_stated_outcome():
    assert difference_of_proportions(Counted(0, 0), Counted(1, 2)).outcome == "nothing was counted in one of the two"
    assert score_p(Counted(0, 0), Counted(1, 2)) is None
    assert ratio_of_proportions(Counted(1, 2), Counted(0, 2)).outcome == "the second share is 0"
    assert ratio_of_proportions(Counted(0, 2), Counted(1, 2)).low == 0.0
    assert score_p(Counted(0, 10), Counted(0, 10)) == 1.0
    still = difference_of_proportions(Counted(0, 10), Counted(0, 10))
    z2 = 1.959963984540054**2
    assert still.high == pytest.approx(z2 / (z2 + 10 * 19 / 20), abs=1e-9)  # with likeliest shares δ and 0
    assert math.isclose(still.low, -still.high, abs_tol=1e-9)
    with pytest.raises(InputError, match="hits: expected from 0 to 3, got 4"):
        Counted(4, 3)
    with pytest.raises(ParameterError, match="method: expected one of"):
        difference_of_proportions(Counted(1, 2), Counted(1, 2), method="wald")
