"""Superiority, non-inferiority and equivalence: statsmodels' values, the decisions, and bounds without a spread."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from rankgauge.errors import InputError, ParameterError
from rankgauge.statistics.equivalence import EquivalenceMethod, equivalence
from rankgauge.statistics.intervals import interval
from rankgauge.statistics.paired import paired_test
from rankgauge.statistics.results import Equivalence

rng = partial(np.random.default_rng, 7)


def decisions(found: Equivalence) -> str:
    names = ("superior", "inferior", "noninferior", "equivalent")
    return " ".join(name for name in names if getattr(found, name))


@pytest.mark.parametrize("margin", [0.02, 0.05, 0.1])
@pytest.mark.parametrize("seed", range(4))
def test_the_t_version_is_statsmodels_two_one_sided_tests(margin: float, seed: int) -> None:
    module = pytest.importorskip("statsmodels.stats.weightstats")
    values = np.random.default_rng(seed).normal(0.01, 0.1, 40)
    p, *_ = module.ttost_paired(values, np.zeros(40), -margin, margin)
    found = equivalence(values, margin=margin)
    assert found.p == pytest.approx(p, rel=1e-9)
    assert found.equivalent == (p < 0.05)


def test_the_bounds_are_the_ends_of_the_90_percent_interval() -> None:
    values = np.random.default_rng(1).normal(0.01, 0.1, 40)
    for method in ("t", "bca", "percentile"):
        found = equivalence(values, margin=0.05, method=method, rng=rng())
        same = interval(values, confidence=0.9, method=method, rng=rng())
        assert_allclose([found.low, found.high], [same.low, same.high], rtol=1e-9)
        assert (found.method, found.confidence) == (same.method, 0.95)
    assert found.p is None


def test_superior_is_what_a_one_sided_t_test_finds() -> None:
    for seed in range(30):
        values = np.random.default_rng(seed).normal(0.03, 0.1, 30)
        test = paired_test(values, method="t", alternative="greater")
        assert equivalence(values, margin=0.01).superior == ((test.p or 1) < 0.05)


@pytest.mark.parametrize(
    ("centre", "spread", "said"),
    [
        (0.00, 0.01, "noninferior equivalent"),
        (0.01, 0.01, "superior noninferior equivalent"),
        (-0.01, 0.01, "inferior noninferior equivalent"),
        (0.10, 0.01, "superior noninferior"),
        (-0.10, 0.01, "inferior"),
        (0.04, 0.15, "noninferior"),
        (0.00, 0.30, ""),
    ],
)
def test_the_bounds_decide(centre: float, spread: float, said: str) -> None:
    found = equivalence(centre + np.tile([-spread, spread], 10), margin=0.02)
    assert decisions(found) == said
    assert found.estimate == pytest.approx(centre)


def test_identical_runs_are_equivalent_only_if_enough_queries_say_so() -> None:
    few, many = (equivalence([0.0] * n, margin=0.05) for n in (20, 59))
    # 20 zeros: at most 1 - 0.05^(1/20) = 13.9% of all queries differ, and each by 1 at most.
    assert (few.low, few.high) == (pytest.approx(-0.1391, abs=5e-5), pytest.approx(0.1391, abs=5e-5))
    assert (
        few.outcome
        == "all differences are 0: at most 13.9% of queries can differ, which moves the mean by at most 0.14"
    )
    assert few.method == "exact bound on the share of queries that differ"
    assert (decisions(few), decisions(many)) == ("", "noninferior equivalent")
    assert decisions(equivalence([0.0] * 58, margin=0.05)) == ""
    assert decisions(equivalence([0.0] * 20, margin=0.05, largest=0.3)) == "noninferior equivalent"
    noise = equivalence([0.0, 5e-17, -1e-16] * 20, margin=0.05)
    assert (noise.p, decisions(noise)) == (None, "noninferior equivalent")


def test_constant_differences_have_the_same_exact_bound_around_them() -> None:
    found = equivalence([0.1] * 28, margin=0.05)
    share = 1 - 0.05 ** (1 / 28)
    assert (found.low, found.high) == (pytest.approx(0.1 - 1.1 * share), pytest.approx(0.1 + 0.9 * share))
    assert decisions(found) == "noninferior"
    assert found.outcome.startswith("all differences are 0.1: at most 10.1% of queries can differ")
    assert decisions(equivalence([0.1] * 40, margin=0.05)) == "superior noninferior"


@pytest.mark.parametrize("method", ["t", "bca", "percentile"])
def test_degenerate_input_decides_nothing_and_says_why(method: EquivalenceMethod) -> None:
    for values, n, outcome in (([], 0, "no query"), ([np.nan], 0, "no query"), ([0.2, np.nan], 1, "one query")):
        found = equivalence(values, margin=0.1, method=method, rng=rng())
        assert (found.n, found.outcome, decisions(found), found.low, found.high) == (n, outcome, "", None, None)
        assert found.left_out == len(values) - n


def test_what_cannot_be_computed_is_an_error() -> None:
    with pytest.raises(ParameterError, match="margin: expected a number above 0, got 0"):
        equivalence([0.1, 0.2], margin=0)
    with pytest.raises(ParameterError, match=r"confidence: expected a number between 0.5 and 1, got 0.05"):
        equivalence([0.1, 0.2], margin=0.1, confidence=0.05)
    with pytest.raises(InputError, match=r"differences: expected sizes up to 1, got 3.0; pass the largest possible"):
        equivalence([0.1, -3.0], margin=0.1)
    with pytest.raises(ParameterError, match="rng: expected a numpy Generator, got None"):
        equivalence([0.1, 0.2], margin=0.1, method="bca")


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(-1, 1), min_size=2, max_size=15), st.floats(0.01, 1))
def test_swapping_the_runs_mirrors_the_decision(values: list[float], margin: float) -> None:
    one, other = equivalence(values, margin=margin), equivalence([-v for v in values], margin=margin)
    assert_allclose([one.low, one.high], [-(other.high or 0), -(other.low or 0)], atol=1e-12)
    assert (one.superior, one.inferior, one.equivalent) == (other.inferior, other.superior, other.equivalent)
    assert one.noninferior or not one.equivalent


def test_equal_differences_of_a_measure_without_a_largest_value_have_no_bounds() -> None:
    found = equivalence([0.0] * 1000, margin=0.01, largest=float("inf"))
    assert (found.low, found.high, found.equivalent, found.noninferior) == (None, None, False, False)
    assert found.outcome == "all differences are 0, and others could be of any size"
