"""Corrections for many comparisons: R's and statsmodels' values, and the randomized Tukey test by brute force."""

from __future__ import annotations

import itertools
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from rankgauge.errors import InputError, ParameterError
from rankgauge.judged import FloatArray
from rankgauge.statistics.corrections import benjamini_hochberg, bonferroni, holm, randomized_tukey
from rankgauge.statistics.paired import paired_test

CORRECTIONS = {"holm": holm, "fdr_bh": benjamini_hochberg, "bonferroni": bonferroni}

rng = partial(np.random.default_rng, 7)
chances = st.lists(st.sampled_from([0.0, 0.01, 0.05, 1.0]) | st.floats(0, 1), min_size=1, max_size=12)


def test_corrections_are_those_of_rs_p_adjust() -> None:
    p = [0.01, 0.02, 0.03, 0.04, 0.05]
    assert_allclose(holm(p), [0.05, 0.08, 0.09, 0.09, 0.09])
    assert_allclose(benjamini_hochberg(p), [0.05] * 5)
    assert_allclose(bonferroni(p), [0.05, 0.1, 0.15, 0.2, 0.25])


@pytest.mark.parametrize("name", CORRECTIONS)
def test_corrections_are_statsmodels(name: str) -> None:
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    p = np.random.default_rng(3).random(40) ** 3
    assert_allclose(CORRECTIONS[name](p), multitest.multipletests(p, method=name)[1], rtol=1e-12)


@pytest.mark.parametrize("name", CORRECTIONS)
def test_what_has_no_p_keeps_its_place_and_does_not_count(name: str) -> None:
    correct = CORRECTIONS[name]
    full = correct([0.01, 0.2, 0.03])
    assert_array_equal(correct([None, 0.01, 0.2, float("nan"), 0.03]), [np.nan, full[0], full[1], np.nan, full[2]])
    assert_array_equal(correct([None, None]), [np.nan, np.nan])
    assert correct([]).shape == (0,)
    assert correct(np.full((2, 3), 0.5)).shape == (2, 3)


@given(chances, st.sampled_from(sorted(CORRECTIONS)))
def test_a_correction_keeps_the_order_and_never_lowers_p(p: list[float], name: str) -> None:
    corrected = CORRECTIONS[name](p)
    assert (corrected >= np.array(p) - 1e-15).all() and (corrected <= 1).all()
    assert (np.diff(corrected[np.argsort(p, kind="stable")]) >= 0).all()
    assert (benjamini_hochberg(p) <= holm(p) + 1e-12).all() and (holm(p) <= bonferroni(p) + 1e-12).all()


def test_a_p_outside_0_to_1_is_an_error() -> None:
    with pytest.raises(InputError, match=r"p: expected numbers between 0 and 1, None or NaN, got 1.5"):
        holm([0.1, 1.5])


def brute_force(values: FloatArray) -> FloatArray:
    """p of all pairs from every permutation of every query's labels."""
    runs, n = values.shape
    orders = list(itertools.permutations(range(runs)))
    ranges = []
    for chosen in itertools.product(orders, repeat=n):
        means = np.mean([values[list(order), q] for q, order in enumerate(chosen)], axis=0)
        ranges.append(means.max() - means.min())
    observed = np.abs(values.mean(axis=1)[:, None] - values.mean(axis=1))
    return np.array([[np.mean(np.array(ranges) >= x - 1e-12) for x in row] for row in observed])


@pytest.mark.parametrize("shared", [1, 10, 1000])
def test_randomized_tukey_comes_near_all_permutations(shared: int, monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(11).random((3, 5)).round(1)
    values[2] += 0.3
    monkeypatch.setattr("rankgauge.statistics.corrections._INDEPENDENT", 20_000 * values.size // shared)
    found = randomized_tukey(values, rng=rng(), resamples=20_000)
    exact = brute_force(values)
    # Permutations that share a relabelling are a little alike; the bound leaves room for twice the error.
    assert (np.abs(found.p - exact) <= 4 * (1 + (shared > 1)) * np.sqrt(exact * (1 - exact) / 20_000) + 1e-4).all()
    assert 0 < found.p[0, 2] < 0.5


def test_sharing_a_relabelling_gives_the_p_of_independent_permutations(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(4).random((8, 60)) + np.linspace(0, 0.2, 8)[:, None]
    independent = randomized_tukey(values, rng=rng(), resamples=4000).p
    monkeypatch.setattr("rankgauge.statistics.corrections._INDEPENDENT", 4000 * values.size // 100)
    shared = randomized_tukey(values, rng=rng(), resamples=4000).p
    error = np.sqrt(2 * independent * (1 - independent) / 4000)
    assert (np.abs(shared - independent) <= 4 * error + 5e-4).all()
    assert (shared != independent).any()


def test_randomized_tukey_of_two_runs_is_the_randomization_test() -> None:
    values = np.random.default_rng(2).random((2, 15))
    values[1] += 0.15
    exact = paired_test(values[1] - values[0], rng=rng()).p or 0
    found = randomized_tukey(values, rng=rng(), resamples=40_000)
    assert found.p[0, 1] == found.p[1, 0] == pytest.approx(exact, abs=4 * np.sqrt(exact / 40_000))
    assert found.differences[1, 0] == pytest.approx(np.mean(values[1] - values[0]))


def test_randomized_tukey_does_not_depend_on_how_hard_the_queries_are() -> None:
    values = np.random.default_rng(2).random((3, 20))
    harder = values - np.linspace(0, 5, 20)
    first, second = (randomized_tukey(v, rng=rng(), resamples=500).p for v in (values, harder))
    assert_allclose(first, second)


def test_randomized_tukey_in_parts_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(6).random((4, 50))
    monkeypatch.setattr("rankgauge.statistics.corrections._INDEPENDENT", 400 * values.size // 40)
    monkeypatch.setattr("rankgauge.statistics.corrections.BLOCK", 40)
    found = randomized_tukey(values, rng=rng(), resamples=400)
    whole = randomized_tukey(values, rng=np.random.default_rng(8), resamples=10_000)
    assert (np.abs(found.p - whole.p) <= 4 * np.sqrt(whole.p * (1 - whole.p) / 400) + 0.005).all()


def test_randomized_tukey_leaves_out_and_counts_incomplete_queries() -> None:
    values = np.random.default_rng(2).random((3, 20))
    gaps = np.insert(values, [4, 9], np.nan, axis=1)
    gaps[0, 4] = 0.5
    found = randomized_tukey(gaps, rng=rng(), resamples=500)
    assert (found.n, found.left_out) == (20, 2)
    assert_array_equal(found.p, randomized_tukey(values, rng=rng(), resamples=500).p)


def test_degenerate_input_of_the_tukey_test_has_a_stated_outcome() -> None:
    def said(values: object) -> tuple[str, list[list[float]]]:
        found = randomized_tukey(np.array(values, dtype=float), rng=rng(), resamples=100)
        return found.outcome, np.nan_to_num(found.p, nan=-1).tolist()

    assert said([[np.nan], [0.5]]) == ("no query", [[1, -1], [-1, 1]])
    assert said([[0.2], [0.5]]) == ("one query", [[1, -1], [-1, 1]])
    assert said([[0.2, 0.3]]) == ("one run: nothing to compare", [[1]])
    assert said([[0.2, 0.3]] * 2) == ("all runs have the same values", [[1, 1], [1, 1]])
    with pytest.raises(ParameterError, match="rng: expected a numpy Generator"):
        randomized_tukey([[0.2, 0.3]] * 2, rng=None)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"rows\[1, 0\]: expected a finite number or NaN, got inf"):
        randomized_tukey([[0.2, 0.3], [np.inf, 0.1]], rng=rng())
