"""Intervals of a mean: scipy's on the same resamples, known values, degenerate input."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from rankgauge.errors import InputError, ParameterError
from rankgauge.statistics.intervals import IntervalMethod, interval, intervals
from rankgauge.statistics.results import Interval

# Student's (1908) sleep data: extra hours of the second drug minus those of the first; R's `sleep`.
SLEEP = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4]

rng = partial(np.random.default_rng, 7)


def ends(found: Interval) -> tuple[float, float]:
    assert found.low is not None and found.high is not None
    return found.low, found.high


def test_t_is_the_interval_that_r_gives_for_the_sleep_data() -> None:
    found = interval(SLEEP, method="t")
    assert_allclose([found.estimate, *ends(found)], [1.58, 0.7001142, 2.4598858], atol=5e-8)
    assert (found.n, found.method, found.outcome) == (10, "t", "")


@pytest.mark.parametrize("method", ["bca", "percentile"])
@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
@pytest.mark.parametrize("n", [3, 10, 200])
def test_a_bootstrap_is_scipys_on_the_same_resamples(method: IntervalMethod, confidence: float, n: int) -> None:
    stats = pytest.importorskip("scipy.stats")
    values = np.random.default_rng(n).gamma(0.5, size=n)
    found = interval(values, rng=rng(), confidence=confidence, method=method, resamples=999)
    same = np.random.default_rng([int(rng().integers(2**63)), n])
    other = stats.bootstrap(
        (values,),
        np.mean,
        n_resamples=999,
        confidence_level=confidence,
        method={"bca": "BCa"}.get(method, method),
        rng=same,
    )
    assert_allclose(ends(found), tuple(other.confidence_interval), rtol=1e-9)


def test_bca_leans_towards_the_long_tail_and_percentile_does_less() -> None:
    values = np.random.default_rng(3).gamma(0.3, size=40)
    bca, plain = (interval(values, rng=rng(), method=m) for m in ("bca", "percentile"))
    assert ends(bca)[1] > ends(plain)[1] and ends(bca)[0] > ends(plain)[0]


def test_many_equal_means_count_half_in_the_bias_so_that_a_symmetric_sample_has_a_symmetric_interval() -> None:
    low, high = ends(interval([0.1, 0.2] * 10, rng=rng(), resamples=20_000))
    assert low + high == pytest.approx(0.3, abs=0.006)


def test_a_rows_interval_does_not_depend_on_its_neighbours() -> None:
    rows = np.random.default_rng(1).normal(size=(5, 30))
    rows[1, :7] = np.nan
    rows[3, 7:14] = np.nan
    together = intervals(rows, rng=rng(), resamples=500)
    for row, found in zip(rows, together, strict=True):
        alone = interval(row, rng=rng(), resamples=500)
        assert_allclose(ends(found), ends(alone), rtol=1e-12)
        assert (found.n, found.left_out) == (alone.n, alone.left_out) == (30 - np.isnan(row).sum(), np.isnan(row).sum())


def test_the_blocks_of_memory_do_not_change_the_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.random.default_rng(2).normal(size=(7, 20))
    before = intervals(rows, rng=rng(), resamples=300)
    monkeypatch.setattr("rankgauge.statistics._samples.BLOCK", 700)
    after = intervals(rows, rng=rng(), resamples=300)
    assert_allclose([ends(x) for x in after], [ends(x) for x in before], rtol=1e-12)


def test_the_same_seed_gives_the_same_interval_and_another_one_another() -> None:
    first, again, other = (interval(SLEEP, rng=np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert first == again
    assert first != other


@pytest.mark.parametrize("method", ["bca", "percentile", "t"])
def test_degenerate_input_has_a_stated_outcome(method: IntervalMethod) -> None:
    says = "t" if method == "t" else "resampling"

    def outcome(values: list[float]) -> tuple[object, ...]:
        found = interval(values, rng=rng(), method=method)
        return found.estimate, found.low, found.high, found.n, found.left_out, found.outcome

    assert outcome([]) == (None, None, None, 0, 0, "no query")
    assert outcome([np.nan]) == (None, None, None, 0, 1, "no query")
    assert outcome([0.3, np.nan]) == (0.3, None, None, 1, 1, "one query")
    assert outcome([0.5] * 9) == (0.5, 0.5, 0.5, 9, 0, f"all values are equal: {says} says nothing")
    near = outcome([0.1 + 0.2, 0.3, 0.3])
    assert near[1] == near[2] and near[5] == f"all values are equal: {says} says nothing"


def test_where_the_bca_correction_has_no_solution_there_are_no_ends_and_it_is_said() -> None:
    spike = [0.0] * 60 + [1.0]
    found = interval(spike, rng=rng(), confidence=1 - 1e-13)
    outcome = "the BCa correction does not exist here: too far in the tails"
    assert (found.low, found.high, found.outcome) == (None, None, outcome)
    assert interval(spike, rng=rng(), confidence=1 - 1e-13, method="percentile").outcome == ""


def test_the_method_says_how_the_interval_was_had() -> None:
    assert interval(SLEEP, rng=rng()).method == "BCa bootstrap, 10,000 resamples"
    assert (
        interval(SLEEP, rng=rng(), method="percentile", resamples=200).method == "percentile bootstrap, 200 resamples"
    )


def test_what_cannot_be_computed_is_an_error() -> None:
    with pytest.raises(InputError, match=r"values\[0, 1\]: expected a finite number or NaN, got inf; use NaN"):
        interval([0.1, np.inf], rng=rng())
    with pytest.raises(InputError, match=r"values: expected one number per query, got an array of shape \(1, 2\)"):
        interval([[0.1, 0.2]], rng=rng())
    with pytest.raises(InputError, match=r"rows: expected an array of rows by queries, got an array of shape \(2,\)"):
        intervals([0.1, 0.2], rng=rng())
    with pytest.raises(ParameterError, match=r"rng: expected a numpy Generator, got None; pass rng="):
        interval(SLEEP)
    with pytest.raises(ParameterError, match="resamples: expected a whole number of 100 or more, got 10"):
        interval(SLEEP, rng=rng(), resamples=10)
    with pytest.raises(ParameterError, match="confidence: expected a number between 0 and 1, got 95"):
        interval(SLEEP, rng=rng(), confidence=95)
    with pytest.raises(ParameterError, match="method: expected one of 'bca', 'percentile', 't', got 'BCa'"):
        interval(SLEEP, rng=rng(), method="BCa")  # type: ignore[arg-type]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0]) | st.floats(0, 1), min_size=2, max_size=12))
def test_an_interval_lies_within_the_values_and_moves_and_mirrors_with_them(values: list[float]) -> None:
    row = np.array(values)
    for method in ("bca", "percentile"):
        found = interval(row, rng=rng(), method=method, resamples=200)
        if found.low is None or found.high is None:
            assert found.outcome
            continue
        assert row.min() - 1e-12 <= found.low <= found.high <= row.max() + 1e-12
        if found.outcome:
            continue
        moved = interval(row + 3, rng=rng(), method=method, resamples=200)
        assert_allclose(ends(moved), np.add(ends(found), 3), atol=1e-9)
        scaled = interval(row * 8, rng=rng(), method=method, resamples=200)
        assert_allclose(ends(scaled), np.multiply(ends(found), 8), atol=1e-9)
