"""Where the truth is known: coverage of intervals, size of tests, false alarms among many. Bounds are 4 errors wide.

The larger study whose table stands in docs/statistics.md is benchmarks/simulations.py.
"""

from __future__ import annotations

import numpy as np
import pytest

from rankgauge.judged import FloatArray
from rankgauge.statistics.corrections import holm, randomized_tukey
from rankgauge.statistics.equivalence import equivalence
from rankgauge.statistics.intervals import IntervalMethod, intervals
from rankgauge.statistics.paired import TestMethod as Method
from rankgauge.statistics.paired import paired_tests

SAMPLES = 1000


def error(rate: float, samples: int = SAMPLES) -> float:
    return 4 * float(np.sqrt(rate * (1 - rate) / samples))


def bounded(rng: np.random.Generator, size: tuple[int, int]) -> tuple[FloatArray, float]:
    """Values as nDCG has them: 0 for a fifth of the queries, 1 for a tenth, between for the rest. And their mean."""
    which = rng.random(size)
    return np.where(which < 0.2, 0, np.where(which < 0.3, 1, rng.beta(2, 3, size))), 0.1 + 0.7 * 0.4


@pytest.mark.parametrize(("method", "short"), [("t", 0.0), ("bca", 0.02), ("percentile", 0.02)])
def test_intervals_cover_the_mean_of_values_like_ndcg(method: IntervalMethod, short: float) -> None:
    rng = np.random.default_rng(1)
    rows, truth = bounded(rng, (SAMPLES, 50))
    found = intervals(rows, rng=rng, method=method, resamples=1000)
    covered = np.mean([x.low is not None and x.high is not None and x.low <= truth <= x.high for x in found])
    assert 0.95 - short - error(0.95) <= covered <= 0.95 + error(0.95)


def test_the_t_interval_of_normal_values_covers_as_promised_even_for_few_queries() -> None:
    rng = np.random.default_rng(2)
    found = intervals(rng.normal(0.3, 0.2, (4 * SAMPLES, 6)), method="t", confidence=0.9)
    covered = np.mean([x.low is not None and x.high is not None and x.low <= 0.3 <= x.high for x in found])
    assert covered == pytest.approx(0.9, abs=error(0.9, 4 * SAMPLES))


@pytest.mark.parametrize("n", [20, 40])
@pytest.mark.parametrize("method", ["randomization", "t", "wilcoxon", "sign"])
def test_tests_of_symmetric_differences_keep_their_level(method: Method, n: int) -> None:
    rng = np.random.default_rng(3)
    rows = rng.laplace(0, 0.1, (2 * SAMPLES, n)) * (rng.random((2 * SAMPLES, n)) < 0.8)  # a fifth of them 0
    found = paired_tests(rows, rng=rng, method=method, resamples=500)
    rejected = np.mean([(x.p or 1) <= 0.05 for x in found])
    assert 0.01 < rejected <= 0.05 + error(0.05, 2 * SAMPLES)


def test_the_bootstrap_test_keeps_its_level_for_many_queries() -> None:
    rng = np.random.default_rng(4)
    found = paired_tests(rng.normal(0, 0.1, (SAMPLES, 100)), rng=rng, method="bootstrap", resamples=500)
    assert np.mean([(x.p or 1) <= 0.05 for x in found]) == pytest.approx(0.05, abs=0.01 + error(0.05))


def test_a_one_sided_test_spends_its_level_on_its_side() -> None:
    rng = np.random.default_rng(5)
    found = paired_tests(rng.normal(0, 0.1, (2 * SAMPLES, 25)), rng=rng, alternative="greater")
    rejected = np.array([(x.p or 1) <= 0.05 for x in found])
    assert rejected.mean() == pytest.approx(0.05, abs=error(0.05, 2 * SAMPLES))
    assert all((x.statistic or 0) > 0 for x, yes in zip(found, rejected, strict=True) if yes)


def test_randomized_tukey_and_holm_keep_the_chance_of_any_false_alarm() -> None:
    rng = np.random.default_rng(6)
    alarms = {"tukey": 0, "holm": 0, "none": 0}
    left, right = np.triu_indices(5, 1)
    for _ in range(300):
        runs = rng.beta(2, 3, 12) + rng.normal(0, 0.1, (5, 12))  # queries differ, runs do not
        p = np.array([x.p for x in paired_tests(runs[left] - runs[right], rng=rng)])
        alarms["none"] += bool((p <= 0.05).any())
        alarms["holm"] += bool((holm(p) <= 0.05).any())
        alarms["tukey"] += bool((randomized_tukey(runs, rng=rng, resamples=199).p <= 0.05).any())
    assert alarms["tukey"] / 300 == pytest.approx(0.05, abs=error(0.05, 300))
    assert alarms["holm"] / 300 <= 0.05 + error(0.05, 300)
    assert alarms["none"] / 300 > 0.15


def test_equivalence_is_wrongly_claimed_at_the_margin_no_more_often_than_its_level() -> None:
    rng = np.random.default_rng(7)
    rows = rng.normal(0.05, 0.1, (2 * SAMPLES, 60))
    wrong = np.mean([equivalence(row, margin=0.05).equivalent for row in rows])
    assert wrong == pytest.approx(0.05, abs=error(0.05, 2 * SAMPLES))


@pytest.mark.parametrize("share", [0.02, 0.05])
def test_the_exact_bound_of_identical_runs_holds_whatever_the_share_that_differs(share: float) -> None:
    rng = np.random.default_rng(8)
    rows = (rng.random((2 * SAMPLES, 40)) < share).astype(float)
    still = [equivalence(row, margin=0.5) for row in rows if not row.any()]
    wrong = sum(found.high is not None and found.high < share for found in still)
    assert len(still) > 100
    assert wrong / (2 * SAMPLES) <= 0.05
