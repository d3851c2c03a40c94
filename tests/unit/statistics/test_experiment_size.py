from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom
from statsmodels.stats.power import TTestIndPower
from statsmodels.stats.proportion import power_proportions_2indep

from rankgauge.errors import ParameterError
from rankgauge.statistics.experiment_size import units_for_means, units_for_rates
from rankgauge.statistics.two_proportions import Counted, score_p


@given(st.floats(0.01, 0.5), st.floats(0.02, 0.3), st.sampled_from([0.8, 0.9]))
def test_so_many_units_have_the_power_that_statsmodels_computes(rate, lift, power):
    control, arm = units_for_rates(rate, rate * (1 + lift), power=power)
    assert control == arm
    theirs = power_proportions_2indep(rate * lift, rate, control, alpha=0.05, return_results=False)
    assert theirs == pytest.approx(power, abs=0.005)


@pytest.mark.parametrize("ratio", [0.5, 1.0, 3.0])
def test_the_score_test_has_that_power_exactly_but_for_whole_hits(ratio):
    n, m = units_for_rates(0.3, 0.5, ratio=ratio)
    p = np.array([[score_p(Counted(y, m), Counted(x, n)) for y in range(m + 1)] for x in range(n + 1)])
    chances = np.outer(binom.pmf(np.arange(n + 1), n, 0.3), binom.pmf(np.arange(m + 1), m, 0.5))
    assert chances[p < 0.05].sum() == pytest.approx(0.8, abs=0.02)


@pytest.mark.parametrize(("size", "ratio"), [(0.2, 1.0), (0.5, 1.0), (0.5, 2.0), (1.0, 1.0), (0.05, 0.25)])
def test_the_t_tests_size_is_that_of_statsmodels(size, ratio):
    theirs = TTestIndPower().solve_power(size, alpha=0.05, power=0.8, ratio=ratio)
    assert units_for_means(size, sd=1.0, ratio=ratio)[0] == pytest.approx(theirs, abs=1)


def test_a_difference_of_nothing_is_never_found():
    with pytest.raises(ParameterError, match="lift: expected a difference"):
        units_for_rates(0.1, 0.1)
    with pytest.raises(ParameterError, match="difference: expected one other than 0, got"):
        units_for_means(0.0, sd=1)
    with pytest.raises(ParameterError, match="rate: expected a number between 0 and 1"):
        units_for_rates(1.2, 0.1)
