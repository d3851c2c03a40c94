from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.stats import ttest_ind

from rankgauge.statistics.two_means import (
    FEW,
    NOT_ABOVE_0,
    STILL,
    Estimated,
    cuped,
    difference_of_means,
    estimated,
    influences,
    relative_difference,
    welch_p,
)


@pytest.mark.parametrize(("n", "m", "spread"), [(2, 2, 1.0), (5, 40, 3.0), (300, 200, 0.1)])
def test_welchs_interval_and_p_are_those_of_scipy(n, m, spread):
    rng = np.random.default_rng(n)
    x, y = rng.normal(1, 1, n), rng.normal(1.2, spread, m)
    a, b = estimated(*influences(x)), estimated(*influences(y))
    theirs = ttest_ind(x, y, equal_var=False)
    assert welch_p(a, b) == pytest.approx(theirs.pvalue, rel=1e-9)
    found = difference_of_means(a, b)
    assert (found.low, found.high) == pytest.approx(tuple(theirs.confidence_interval(0.95)), rel=1e-9)


def test_a_ratios_error_is_that_of_a_regression_clustered_by_unit():
    """OLS of each row's click on a constant with errors clustered by user; statsmodels' (N - 1) / (N - k) is 1."""
    rng = np.random.default_rng(3)
    rows = rng.integers(1, 9, 60)
    user = np.repeat(np.arange(60), rows)
    click = (rng.random(len(user)) < rng.beta(1, 3, 60)[user]).astype(float)
    fit = sm.OLS(click, np.ones(len(click))).fit(cov_type="cluster", cov_kwds={"groups": user})
    y = np.bincount(user, weights=click)
    found = estimated(*influences(y, rows.astype(float)))
    assert found.value == pytest.approx(fit.params[0])
    assert found.square_error == pytest.approx(fit.cov_params()[0, 0], rel=1e-9)


def test_fiellers_bounds_are_where_the_contrast_is_just_at_the_reach():
    a, b = Estimated(100, 1.3, 4.0), Estimated(120, 1.0, 3.0)
    found = relative_difference(a, b, reach=1.96, confidence=0.95, method="z")
    for end in (found.low, found.high):
        ratio = end + 1
        error = np.sqrt(a.square_error + ratio**2 * b.square_error)
        assert abs(a.value - ratio * b.value) / error == pytest.approx(1.96)
    assert found.estimate == pytest.approx(0.3)


def test_what_is_not_above_0_has_nothing_relative_to_it():
    a, b = Estimated(100, 1.3, 4.0), Estimated(100, 0.3, 4.0)
    found = relative_difference(a, b, reach=1.96, confidence=0.95, method="z")
    assert (found.estimate, found.outcome) == (None, NOT_ABOVE_0)


def test_values_without_spread_have_no_test():
    still = estimated(*influences(np.full(5, 0.1)))
    assert difference_of_means(still, still).outcome == STILL
    assert welch_p(still, still) is None
    assert difference_of_means(Estimated(1, 0.0, 1.0), still).outcome == FEW


def test_cuped_takes_out_what_the_earlier_value_foretold():
    rng = np.random.default_rng(4)
    before = (rng.normal(5, 2, 400), rng.normal(5, 2, 300))
    y = [0.7 * x + rng.normal(0, 1, len(x)) for x in before]
    found = cuped(influences(y[0]), influences(y[1]), before)
    design = sm.add_constant(np.column_stack([np.repeat([1.0, 0.0], [400, 300]), np.concatenate(before)]))
    fit = sm.OLS(np.concatenate(y), design).fit()  # slope within arms, and the difference
    assert found.theta == pytest.approx(fit.params[2])
    assert found.a.value - found.b.value == pytest.approx(fit.params[1])
    assert found.reduction == pytest.approx(found.correlation**2, abs=0.02)


def test_an_earlier_value_that_is_the_same_for_all_changes_nothing():
    y = (influences(np.array([1.0, 2.0, 4.0])), influences(np.array([1.0, 3.0])))
    found = cuped(*y, (np.ones(3), np.ones(2)))
    assert (found.theta, found.reduction) == (0.0, 0.0)
    assert found.a == estimated(*y[0])
