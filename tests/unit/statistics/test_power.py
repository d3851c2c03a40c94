"""Power of the paired t-test: statsmodels' and R's values, inverses, a simulation, and what cannot be said."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankgauge.errors import InputError, ParameterError
from rankgauge.statistics.paired import paired_tests
from rankgauge.statistics.power import detectable, power, sample_size, sensitivity
from rankgauge.statistics.results import Alternative

STATSMODELS = {"two-sided": "two-sided", "greater": "larger", "less": "smaller"}


@pytest.mark.parametrize("n", [2, 5, 24, 200, 5000])
@pytest.mark.parametrize("size", [-0.9, -0.1, 0.02, 0.3, 1.5])
@pytest.mark.parametrize("alternative", STATSMODELS)
def test_power_is_statsmodels(n: int, size: float, alternative: Alternative) -> None:
    module = pytest.importorskip("statsmodels.stats.power")
    other = module.TTestPower().power(size, n, 0.05, alternative=STATSMODELS[alternative])
    if np.isnan(other):
        pytest.skip("statsmodels has no number here")
    assert power(n, difference=size * 0.25, sd=0.25, alternative=alternative) == pytest.approx(other, abs=1e-9)


def test_sample_size_is_what_rs_pwr_gives() -> None:
    # pwr.t.test(d = 0.5, power = 0.8, type = "paired"): n = 33.36713
    assert sample_size(0.5, sd=1) == 34


@pytest.mark.parametrize("size", [0.05, 0.2, 0.5, 1.0, 3.0])
@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_sample_size_is_statsmodels_rounded_up(size: float, alternative: Alternative) -> None:
    module = pytest.importorskip("statsmodels.stats.power")
    other = module.TTestPower().solve_power(size, None, 0.05, 0.9, alternative=STATSMODELS[alternative])
    assert sample_size(size, sd=1, power=0.9, alternative=alternative) == max(2, int(np.ceil(np.max(other))))


def test_the_size_found_is_the_smallest() -> None:
    n = sample_size(0.07, sd=0.2, power=0.85, alpha=0.01)
    assert power(n, difference=0.07, sd=0.2, alpha=0.01) >= 0.85
    assert power(n - 1, difference=0.07, sd=0.2, alpha=0.01) < 0.85


def test_a_tiny_difference_takes_as_many_queries_as_the_normal_distribution_says() -> None:
    assert sample_size(1e-5, sd=1) == pytest.approx(7.848879e10, rel=1e-6)  # (1.959964 + 0.841621)² 10^10
    just_below, above = (sample_size(x, sd=1) for x in (2.802e-3, 2.801e-3))
    assert just_below < 10**6 < above < just_below * 1.002


def test_a_difference_below_0_takes_as_many_queries_as_one_above() -> None:
    assert sample_size(-0.02, sd=0.1) == sample_size(0.02, sd=0.1)
    assert sample_size(-0.02, sd=0.1, alternative="less") == sample_size(0.02, sd=0.1, alternative="greater")


@settings(max_examples=40, deadline=None)
@given(
    st.integers(2, 500),
    st.floats(0.01, 10),
    st.floats(0.1, 0.99),
    st.sampled_from(sorted(STATSMODELS)),
)
def test_detectable_inverts_power(n: int, sd: float, wanted: float, alternative: Alternative) -> None:
    size = detectable(n, sd=sd, power=wanted, alternative=alternative)
    signed = -size if alternative == "less" else size
    assert power(n, difference=signed, sd=sd, alternative=alternative) == pytest.approx(wanted, abs=1e-6)


@pytest.mark.parametrize("n", [2, 3, 24, 1000])
def test_power_lies_in_0_to_1_and_grows_even_where_scipy_has_no_number(n: int) -> None:
    found = [power(n, difference=x, sd=1) for x in (0.0, 0.5, 5.0, 50.0, 5e3, 5e6)]
    assert found == sorted(found)
    assert found[0] == pytest.approx(0.05)
    assert found[-1] == pytest.approx(1)


def test_power_is_the_share_of_samples_that_the_t_test_finds() -> None:
    rows = np.random.default_rng(1).normal(0.08, 0.15, (4000, 24))
    seen = np.mean([(test.p or 1) <= 0.05 for test in paired_tests(rows, method="t")])
    expected = power(24, difference=0.08, sd=0.15)
    assert seen == pytest.approx(expected, abs=4 * np.sqrt(expected * (1 - expected) / 4000))


def test_sensitivity_says_what_these_queries_can_see() -> None:
    half = np.tile([-0.1, 0.1], 12)
    found = sensitivity(half * np.sqrt(23 / 24), wanted=0.02)  # a standard deviation of 0.1
    assert found.sd == pytest.approx(0.1)
    assert found.detectable == pytest.approx(detectable(24, sd=0.1))
    assert found.needed == sample_size(0.02, sd=0.1) == 199
    assert found.sentence == "these 24 queries can see a difference of 0.06; for 0.02 you need 199"
    assert (found.n, found.power, found.alpha, found.outcome) == (24, 0.8, 0.05, "")
    enough = sensitivity([*(half * np.sqrt(23 / 24)), np.nan], wanted=0.1)
    assert enough.sentence == "these 24 queries can see a difference of 0.06; for 0.1, 10 are enough"
    assert enough.left_out == 1


def test_sensitivity_does_not_depend_on_the_observed_mean() -> None:
    values = np.random.default_rng(1).normal(0, 0.1, 30)
    one, other = (sensitivity(values + shift, wanted=0.01) for shift in (0, 0.5))
    assert one.needed == other.needed
    assert one.detectable == pytest.approx(other.detectable)


@pytest.mark.parametrize(
    ("values", "outcome"),
    [([], "no query"), ([0.1], "one query"), ([0.0] * 5, "all differences are equal"), ([np.nan], "no query")],
)
def test_without_a_spread_the_sensitivity_is_unknown(values: list[float], outcome: str) -> None:
    found = sensitivity(values, wanted=0.02)
    assert (found.sd, found.detectable, found.needed, found.outcome) == (None, None, None, outcome)
    assert found.sentence == f"{outcome}: nothing is known of how differences vary over queries"


def test_what_cannot_be_computed_is_an_error() -> None:
    with pytest.raises(ParameterError, match="sd: expected a number above 0, got 0"):
        power(10, difference=0.1, sd=0)
    with pytest.raises(ParameterError, match="n: expected 2 queries or more, got 1"):
        detectable(1, sd=0.1)
    with pytest.raises(ParameterError, match="difference: expected one that a 'two-sided' test can find, got 0"):
        sample_size(0, sd=0.1)
    with pytest.raises(ParameterError, match=r"difference: expected one that a 'greater' test can find, got -0.1"):
        sample_size(-0.1, sd=0.1, alternative="greater")
    with pytest.raises(ParameterError, match=r"power: expected more than alpha \(0.05\), got 0.04"):
        sample_size(0.1, sd=0.1, power=0.04)
    with pytest.raises(ParameterError, match="alpha: expected a number between 0 and 1, got 5"):
        power(10, difference=0.1, sd=0.1, alpha=5)
    with pytest.raises(ParameterError, match="wanted: expected a number above 0, got 0"):
        sensitivity([0.1, 0.2], wanted=0)
    with pytest.raises(InputError, match=r"differences\[0, 0\]: expected a finite number or NaN, got inf"):
        sensitivity([np.inf, 0.2], wanted=0.1)
