"""Prediction-powered means: values by hand, and coverage where the truth is known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from rankgauge.errors import InputError, ParameterError
from rankgauge.statistics.intervals import interval
from rankgauge.statistics.prediction_powered import prediction_powered
from rankgauge.statistics.proportions import rogan_gladen

NAN = np.nan


def covers(found, truth: float) -> bool:
    return found.low is not None and found.high is not None and found.low <= truth <= found.high


def test_the_estimate_is_peoples_mean_moved_by_what_the_judge_says_of_the_rest():
    people = [1.0, 0.0, 1.0, 1.0, NAN, NAN]
    judge = [1.0, 0.0, 1.0, 0.0, 0.5, 1.0]
    found = prediction_powered(people, judge, tuning=0.5)
    assert found.interval.estimate == pytest.approx(0.75 + 0.5 * (0.75 - 0.5))
    assert (found.tuning, found.labelled, found.unlabelled) == (0.5, 4, 2)


def test_the_interval_by_hand():
    rng = np.random.default_rng(1)
    y, rest = rng.normal(0, 1, 8), rng.normal(0, 1, 30)
    f = y + rng.normal(0, 0.5, 8)
    people, judge = np.concatenate([y, np.full(30, NAN)]), np.concatenate([f, rest])
    weight = np.cov(y, f)[0, 1] / ((1 + 8 / 30) * judge.var(ddof=1))
    weight = min(weight, 1.0)
    r = y - weight * f
    far = (rest.mean() - f.mean()) ** 2 / ((f - f.mean()) ** 2).sum()
    first, second = ((r - r.mean()) ** 2).sum() / 6 * (1 / 8 + far), weight**2 * rest.var(ddof=1) / 30
    half = stats.t.ppf(0.975, 6) * np.sqrt(first + second)
    found = prediction_powered(people, judge)
    estimate = y.mean() + weight * (rest.mean() - f.mean())
    assert (found.tuning, found.interval.estimate) == pytest.approx((weight, estimate))
    assert (found.interval.low, found.interval.high) == pytest.approx((estimate - half, estimate + half))


def test_without_unlabelled_items_it_is_peoples_interval():
    y = np.random.default_rng(2).random(12)
    found = prediction_powered(y, y + 0.3)
    plain = interval(y, method="t")
    assert found.tuning == 0
    assert (found.interval.low, found.interval.high) == pytest.approx((plain.low, plain.high))


def test_a_judge_without_a_clue_counts_little_and_one_that_contradicts_not_at_all():
    rng = np.random.default_rng(3)
    y = rng.normal(0, 1, 400)
    people = np.where(np.arange(400) < 100, y, NAN)
    assert prediction_powered(people, rng.normal(0, 1, 400)).tuning < 0.2
    assert prediction_powered(people, -y).tuning == 0


def test_a_constant_shift_of_the_judge_changes_nothing():
    rng = np.random.default_rng(4)
    y = rng.normal(0, 1, 60)
    people, judge = np.where(np.arange(60) < 15, y, NAN), y + rng.normal(0, 0.5, 60)
    before, after = prediction_powered(people, judge).interval, prediction_powered(people, judge + 7).interval
    assert (after.estimate, after.low) == pytest.approx((before.estimate, before.low))


@pytest.mark.parametrize("method", ["t", "bootstrap"])
def test_one_sided_intervals_have_one_end_and_it_is_nearer(method):
    """ppi_py drops `alternative` where the tuning is its own to find."""
    rng = np.random.default_rng(5)
    y = rng.normal(0, 1, 80)
    people, judge = np.where(np.arange(80) < 20, y, NAN), y + rng.normal(0, 0.5, 80)
    two, greater, less = (
        prediction_powered(people, judge, alternative=side, method=method, rng=np.random.default_rng(6)).interval
        for side in ("two-sided", "greater", "less")
    )
    assert greater.high is None and less.low is None
    assert two.low < greater.low < two.estimate < less.high < two.high
    wide = prediction_powered(people, judge, confidence=0.9, method=method, rng=np.random.default_rng(6)).interval
    assert (greater.low, less.high) == pytest.approx((wide.low, wide.high))


def test_an_item_that_the_judge_failed_on_is_left_out_and_counted():
    people, judge = [1.0, 0.0, 1.0, 1.0, 0.0, NAN, NAN], [1.0, 0.0, 1.0, 1.0, NAN, 0.5, NAN]
    found = prediction_powered(people, judge, tuning=1.0)
    assert (found.labelled, found.unlabelled, found.left_out) == (4, 1, 2)
    assert found.interval.estimate == pytest.approx(0.75 + 0.5 - 0.75)


def test_three_labelled_items_give_no_interval():
    found = prediction_powered([1.0, 0.0, 1.0, NAN], [1.0, 0.0, 1.0, 0.0])
    assert (found.interval.low, found.interval.outcome) == (None, "3 labelled items: 4 are the fewest")
    assert found.tuning is None


def test_labels_that_are_all_equal_are_said():
    found = prediction_powered([1.0] * 5 + [NAN], [1.0] * 6)
    assert (found.interval.low, found.interval.high, found.interval.outcome) == (1.0, 1.0, "all values are equal")


def test_misuse_is_refused():
    with pytest.raises(InputError, match="the same items"):
        prediction_powered([1.0], [1.0, 2.0])
    with pytest.raises(ParameterError, match="tuning"):
        prediction_powered([1.0], [1.0], tuning=2.0)
    with pytest.raises(ParameterError, match="rng"):
        prediction_powered([1.0] * 5, [1.0] * 5, method="bootstrap")


def test_pass_rates_are_covered_where_the_judge_alone_covers_two_thirds():
    """θ = 0.8, sensitivity 0.9, specificity 0.7, 100 labelled, 1,000 not; 1,500 draws."""
    rng = np.random.default_rng(7)
    hits, widths = {"judge": 0, "powered": 0, "rogan-gladen": 0}, {"people": 0.0, "powered": 0.0, "rogan-gladen": 0.0}
    for _ in range(1500):
        truth = (rng.random(1100) < 0.8).astype(float)
        judge = np.where(truth == 1, rng.random(1100) < 0.9, rng.random(1100) < 0.3).astype(float)
        found = prediction_powered(np.where(np.arange(1100) < 100, truth, NAN), judge)
        y, f, rest = truth[:100], judge[:100], judge[100:]
        counts = [(int(f[y == 1].sum()), int((y == 1).sum())), (int((1 - f[y == 0]).sum()), int((y == 0).sum()))]
        undone = rogan_gladen(int(rest.sum()), 1000, sensitivity=counts[0], specificity=counts[1])
        for name, one in (("judge", found.judge), ("powered", found.interval), ("rogan-gladen", undone)):
            hits[name] += covers(one, 0.8)
        for name, one in (("people", found.people), ("powered", found.interval), ("rogan-gladen", undone)):
            widths[name] += (one.high - one.low) / 1500
    assert hits["judge"] / 1500 < 0.70
    assert hits["powered"] / 1500 >= 0.92
    assert hits["rogan-gladen"] / 1500 >= 0.92
    assert widths["powered"] < widths["people"] < widths["rogan-gladen"]


@pytest.mark.parametrize("n", [8, 20])
def test_differences_of_few_queries_are_covered(n):
    """Differences of which a fifth are 0, and a judge that sees half of them, with an error of its own."""
    rng = np.random.default_rng(8)
    hits, narrower = 0, 0.0
    for _ in range(1500):
        truth = rng.laplace(0, 0.1, 100) * (rng.random(100) < 0.8) + 0.02
        judge = 0.5 * truth + 0.3 + rng.normal(0, 0.03, 100)
        found = prediction_powered(np.where(np.arange(100) < n, truth, NAN), judge)
        hits += covers(found.interval, 0.02)
        narrower += ((found.interval.high - found.interval.low) / (found.people.high - found.people.low)) / 1500
    assert 0.93 <= hits / 1500 <= 0.99
    assert narrower < 0.9


def test_skewed_differences_are_covered_at_least_as_often_as_by_people_alone():
    rng = np.random.default_rng(9)
    hits = {"people": 0, "powered": 0}
    for _ in range(1500):
        truth = rng.exponential(0.2, 100) * (rng.random(100) < 0.7)
        found = prediction_powered(np.where(np.arange(100) < 10, truth, NAN), 1.5 * truth + rng.normal(0, 0.1, 100))
        hits["people"] += covers(found.people, 0.14)
        hits["powered"] += covers(found.interval, 0.14)
    assert hits["powered"] / 1500 >= 0.91
    assert hits["powered"] > hits["people"]
