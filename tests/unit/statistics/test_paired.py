"""Paired tests: scipy's values, Fisher's own, all sign patterns by brute force, degenerate input."""

from __future__ import annotations

import itertools
from functools import partial
from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from rankgauge.errors import InputError, ParameterError
from rankgauge.judged import FloatArray
from rankgauge.statistics.paired import TestMethod as Method
from rankgauge.statistics.paired import paired_test, paired_tests
from rankgauge.statistics.results import Alternative

METHODS: tuple[Method, ...] = get_args(Method)
ALTERNATIVES: tuple[Alternative, ...] = get_args(Alternative)
SAMPLED = ("randomization", "bootstrap")

# Darwin's maize, heights in eighths of an inch, crossed minus self-fertilised (Fisher 1935, The Design of Experiments).
MAIZE = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
SLEEP = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4]
# Hollander & Wolfe (1973), depression scale of nine patients before and after; the example of R's wilcox.test.
BEFORE = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]
AFTER = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]

rng = partial(np.random.default_rng, 7)


def sample(n: int, kind: str) -> FloatArray:
    drawn = np.random.default_rng(n).normal(0.08, 0.3, n)
    return {"plain": drawn, "ties and zeros": np.round(drawn * 8) / 8, "skewed": np.expm1(3 * drawn)}[kind]


def test_fishers_randomization_is_fishers_own_count_on_darwins_maize() -> None:
    two, one = (paired_test(MAIZE, rng=rng(), alternative=side) for side in ("two-sided", "greater"))
    assert (two.p, one.p) == (1726 / 2**15, 863 / 2**15)
    assert (two.statistic, two.exact, two.n) == (pytest.approx(314 / 15), True, 15)


def test_t_and_wilcoxon_are_what_r_gives() -> None:
    t = paired_test(SLEEP, method="t")
    assert (round(t.statistic or 0, 4), round(t.p or 0, 6), t.exact) == (4.0621, 0.002833, False)
    ranks = paired_test(np.subtract(BEFORE, AFTER), method="wilcoxon", alternative="greater")
    assert (ranks.statistic, round(ranks.p or 0, 5), ranks.exact) == (40, 0.01953, True)


@pytest.mark.parametrize("n", [2, 5, 10, 14, 25, 50, 51, 300])
@pytest.mark.parametrize("kind", ["plain", "ties and zeros", "skewed"])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_t_wilcoxon_and_sign_are_scipys(n: int, kind: str, alternative: Alternative) -> None:
    stats = pytest.importorskip("scipy.stats")
    values = sample(n, kind)
    t = stats.ttest_1samp(values, 0, alternative=alternative)
    ranks = stats.wilcoxon(values, alternative=alternative)
    sign = stats.binomtest(int((values > 0).sum()), int((values != 0).sum()), alternative=alternative)
    found = {m: paired_test(values, method=m, alternative=alternative) for m in ("t", "wilcoxon", "sign")}
    assert_allclose([found["t"].statistic, found["t"].p], [t.statistic, t.pvalue], rtol=1e-9)
    assert_allclose([found["wilcoxon"].statistic, found["wilcoxon"].p], [ranks.statistic, ranks.pvalue], rtol=1e-9)
    assert_allclose([found["sign"].statistic, found["sign"].p], [sign.statistic * sign.n, sign.pvalue], rtol=1e-9)
    assert found["t"].zeros == (values == 0).sum()


def test_wilcoxon_is_exact_where_scipys_is() -> None:
    def exact(values: FloatArray) -> bool:
        return paired_test(values, method="wilcoxon").exact

    assert exact(sample(50, "plain")) and not exact(sample(51, "plain"))
    assert exact(sample(13, "ties and zeros")) and not exact(sample(14, "ties and zeros"))
    assert not exact(np.arange(14.0))  # one zero, no tie


@pytest.mark.parametrize("n", [2, 5, 9, 12])
@pytest.mark.parametrize("kind", ["plain", "ties and zeros", "skewed"])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_a_small_randomization_is_scipys_over_all_sign_patterns(n: int, kind: str, alternative: Alternative) -> None:
    stats = pytest.importorskip("scipy.stats")
    values = sample(n, kind)
    options = {"permutation_type": "samples", "n_resamples": np.inf, "alternative": alternative, "vectorized": True}
    other = stats.permutation_test((values,), lambda x, axis: x.mean(axis=axis), **options)
    assert paired_test(values, rng=rng(), alternative=alternative).p == pytest.approx(other.pvalue, rel=1e-12)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_a_sample_of_sign_patterns_comes_near_the_exact_p(
    alternative: Alternative, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = np.random.default_rng(5).normal(0.1, 0.3, (20, 14)).round(1)
    exact = np.array([x.p for x in paired_tests(rows, rng=rng(), alternative=alternative)])
    monkeypatch.setattr("rankgauge.statistics._flips.EXACT_UP_TO", 0)
    sampled = paired_tests(rows, rng=rng(), alternative=alternative, resamples=40_000)
    error = np.sqrt(exact * (1 - exact) / 40_000)
    assert (np.abs(np.array([x.p for x in sampled]) - exact) <= 4.5 * error + 1 / 40_000).all()
    assert not any(x.exact for x in sampled)


def test_a_large_randomization_never_says_0() -> None:
    found = paired_test(np.random.default_rng(1).normal(1, 0.1, 200), rng=rng(), resamples=999)
    assert (found.p, found.exact) == (1 / 1000, False)


def test_the_bootstrap_test_counts_resampled_means_as_far_out_as_the_observed_one() -> None:
    values = np.array([0.4, -0.1, 0.3])
    means = [np.mean(drawn) for drawn in itertools.product(values - values.mean(), repeat=3)]
    shares = {
        "two-sided": np.mean([abs(m) >= 0.2 - 1e-12 for m in means]),
        "greater": np.mean([m >= 0.2 - 1e-12 for m in means]),
        "less": np.mean([m <= 0.2 + 1e-12 for m in means]),
    }
    for alternative in ALTERNATIVES:
        found = paired_test(values, rng=rng(), method="bootstrap", alternative=alternative, resamples=50_000)
        assert found.p == pytest.approx(shares[alternative], abs=4 * np.sqrt(0.25 / 50_000))
        assert found.statistic == pytest.approx(0.2)


def test_sums_that_are_equal_but_for_rounding_are_equal() -> None:
    assert paired_test([0.1, 0.2, -0.3], rng=rng()).p == 1
    assert paired_test([0.3, 0.2, 0.1, 0.1 + 0.2 - 0.3], rng=rng()).p == 0.25
    tied = paired_test([0.3 - 0.2, 0.2 - 0.1, -0.1, 0.4], method="wilcoxon")
    assert (tied.statistic, tied.p) == (2, 0.5)


def test_zeros_change_no_randomization_and_are_counted() -> None:
    with_zeros = paired_test([*MAIZE, 0, 0, 1e-14, np.nan], rng=rng())
    assert with_zeros.p == 1726 / 2**15
    assert (with_zeros.n, with_zeros.zeros, with_zeros.left_out) == (18, 3, 1)


@pytest.mark.parametrize("method", METHODS)
def test_a_rows_test_does_not_depend_on_its_neighbours(method: Method) -> None:
    rows = np.random.default_rng(1).normal(0.05, 0.2, size=(6, 60))
    rows[1, :11] = np.nan
    rows[3, 20:31] = np.nan
    rows[4, 10:] = 0
    rows[5] = np.nan
    together = paired_tests(rows, rng=rng(), method=method, resamples=500)
    alone = [paired_test(row, rng=rng(), method=method, resamples=500) for row in rows]
    assert [(x.p, x.n, x.zeros, x.left_out, x.exact, x.outcome) for x in together] == [
        (x.p, x.n, x.zeros, x.left_out, x.exact, x.outcome) for x in alone
    ]


@pytest.mark.parametrize("method", SAMPLED)
def test_the_blocks_of_memory_do_not_change_a_test(method: Method, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.random.default_rng(2).normal(0.1, 0.3, size=(5, 40))
    before = paired_tests(rows, rng=rng(), method=method, resamples=300)
    for name in ("_samples", "_flips"):
        monkeypatch.setattr(f"rankgauge.statistics.{name}.BLOCK", 1280)
    assert paired_tests(rows, rng=rng(), method=method, resamples=300) == before


@pytest.mark.parametrize("method", METHODS)
def test_degenerate_input_has_a_stated_outcome(method: Method) -> None:
    def said(values: list[float]) -> tuple[object, ...]:
        found = paired_test(values, rng=rng(), method=method)
        return found.statistic, found.p, found.outcome

    assert said([]) == (None, None, "no query")
    assert said([np.nan, np.nan]) == (None, None, "no query")
    assert said([0.3]) == (None, None, "one query")
    assert said([0.0] * 30) == (None, 1.0, "all differences are 0")
    assert said([5e-17, -1e-16, 0.0, 2e-17]) == (None, 1.0, "all differences are 0")


@pytest.mark.parametrize("differences", [[0.1] * 24, [0.1, 0.30000000000000004 - 0.2, 0.7 - 0.6] * 8])
def test_constant_differences_are_said_and_no_p_comes_from_rounding(differences: list[float]) -> None:
    found = {m: paired_test(differences, rng=rng(), method=m) for m in METHODS}
    assert (found["t"].p, found["t"].outcome) == (None, "all differences are equal: t is undefined")
    assert (found["bootstrap"].p, found["bootstrap"].outcome) == (
        None,
        "all differences are equal: resampling says nothing",
    )
    for method in ("randomization", "sign"):
        assert (found[method].p, found[method].outcome) == (2**-23, "all differences are equal")  # 2 of 2^24 patterns
    assert found["wilcoxon"].outcome == "all differences are equal"
    assert found["wilcoxon"].p == pytest.approx(9.634e-7, rel=1e-3)  # z = √24, the normal approximation's


def test_even_the_most_extreme_p_is_above_0() -> None:
    far = 1 + 1e-9 * np.random.default_rng(1).normal(size=400)
    assert 0 < (paired_test(far, method="t").p or 0) < 1e-300
    assert 0 < (paired_test(np.linspace(1, 2, 2000), method="sign").p or 0) < 1e-300


def test_what_cannot_be_computed_is_an_error() -> None:
    with pytest.raises(InputError, match=r"differences\[0, 0\]: expected a finite number or NaN, got -inf"):
        paired_test([-np.inf, 1], rng=rng())
    with pytest.raises(ParameterError, match=r"method: expected one of 'randomization', 't', .* got 'student'"):
        paired_test([1, 2], rng=rng(), method="student")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="alternative: expected one of 'two-sided', 'greater', 'less', got 'up'"):
        paired_test([1, 2], rng=rng(), alternative="up")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="rng: expected a numpy Generator, got 7"):
        paired_test([1, 2], rng=7)  # type: ignore[arg-type]


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.sampled_from([-0.5, -0.1, 0.0, 0.1, 0.2, 0.3]) | st.floats(-1, 1), min_size=2, max_size=40),
    st.sampled_from(METHODS),
)
def test_p_lies_above_0_and_up_to_1_and_mirrors_with_the_signs(differences: list[float], method: Method) -> None:
    row = np.array(differences)
    p = {a: paired_test(row, rng=rng(), method=method, alternative=a, resamples=100).p for a in ALTERNATIVES}
    for alternative, mirrored in {"two-sided": "two-sided", "greater": "less", "less": "greater"}.items():
        found = p[alternative]  # type: ignore[index]
        assert found is None or 0 < found <= 1
        other = paired_test(-row, rng=rng(), method=method, alternative=mirrored, resamples=100).p  # type: ignore[arg-type]
        assert found == (None if other is None else pytest.approx(other, rel=1e-9))
    if p["greater"] is not None and p["less"] is not None:
        assert p["greater"] + p["less"] >= 1 - 1e-9  # the observed one counts on both sides
