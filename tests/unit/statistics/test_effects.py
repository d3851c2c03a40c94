"""Effect sizes: values by hand, statistics that must agree, degenerate input."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgauge.errors import InputError, ParameterError
from rankgauge.statistics.effects import effect, wins_ties_losses
from rankgauge.statistics.paired import paired_test
from rankgauge.statistics.results import WinsTiesLosses

SLEEP = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4]


def test_d_is_the_mean_in_standard_deviations_of_the_differences() -> None:
    found = effect([1, 2, 3, np.nan])
    assert (found.d, found.superiority, found.n, found.left_out) == (2, 1, 3, 1)
    # J(2) = Γ(1) / (√1 Γ(1/2)) = 1/√π
    assert found.corrected == pytest.approx(2 / math.sqrt(math.pi))


def test_d_is_t_over_the_root_of_n() -> None:
    t = paired_test(SLEEP, method="t").statistic or 0
    assert effect(SLEEP).d == pytest.approx(t / math.sqrt(10))


def test_hedges_correction_is_the_usual_approximation_for_many_queries() -> None:
    values = np.random.default_rng(1).normal(0.5, 1, 101)
    found = effect(values)
    assert found.d and found.corrected
    assert found.corrected / found.d == pytest.approx(1 - 3 / (4 * 100 - 1), abs=1e-5)


def test_hedges_correction_removes_the_bias_of_d() -> None:
    rows = np.random.default_rng(2).normal(0.5, 1, (8_000, 6))
    found = [effect(row) for row in rows]
    assert np.mean([x.corrected for x in found if x.corrected]) == pytest.approx(0.5, abs=0.03)
    assert np.mean([x.d for x in found if x.d]) > 0.56


def test_superiority_counts_ties_half() -> None:
    assert effect([0.5, 0.0, 0.0, -0.5, 0.2]).superiority == 3 / 5


def test_wins_ties_and_losses_are_counted_with_a_tolerance() -> None:
    values = [0.2, 1e-10, -1e-10, 0.0, -0.005, -0.3, np.nan]
    assert wins_ties_losses(values) == WinsTiesLosses(1, 3, 2, 1)
    assert wins_ties_losses(values, tolerance=0.01) == WinsTiesLosses(1, 4, 1, 1)
    assert wins_ties_losses(values, tolerance=0) == WinsTiesLosses(2, 1, 3, 1)
    assert wins_ties_losses([]) == WinsTiesLosses(0, 0, 0)


@pytest.mark.parametrize(
    ("values", "outcome", "superiority"),
    [
        ([], "no query", None),
        ([0.4], "one query", 1.0),
        ([0.1, 0.1, 0.3 - 0.2], "all differences are equal: d is undefined", 1.0),
        ([0.0, 0.0], "all differences are equal: d is undefined", 0.5),
    ],
)
def test_degenerate_input_has_a_stated_outcome(values: list[float], outcome: str, superiority: float | None) -> None:
    found = effect(values)
    assert (found.d, found.corrected, found.outcome, found.superiority) == (None, None, outcome, superiority)


def test_what_cannot_be_computed_is_an_error() -> None:
    with pytest.raises(InputError, match=r"differences\[0, 1\]: expected a finite number or NaN, got inf"):
        effect([0.1, np.inf])
    with pytest.raises(ParameterError, match="tolerance: expected a number above 0, got -1"):
        wins_ties_losses([0.1], tolerance=-1)


@given(st.lists(st.floats(-1, 1), min_size=3, max_size=20))
def test_swapping_the_runs_mirrors_the_effect(values: list[float]) -> None:
    one, other = effect(values), effect([-v for v in values])
    assert one.superiority == pytest.approx(1 - (other.superiority or 0))
    assert (one.d is None) == (other.d is None)
    assert one.d == pytest.approx(-other.d if other.d is not None else None)
