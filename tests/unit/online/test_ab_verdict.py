from __future__ import annotations

from dataclasses import replace

import pytest

from rankgauge.online.ab import guarded
from rankgauge.online.ab_verdict import guard_of, judged
from rankgauge.online.experiment import Effect, Experiment
from rankgauge.online.metrics import Margin, Metric
from rankgauge.statistics.results import Interval
from rankgauge.statistics.sample_ratio import sample_ratio

FAIR = sample_ratio([500, 500])


def interval(low, high):
    return Interval((low + high) / 2, low, high, 0.95, "Welch", 1000)


def effect(low, high, p, *, name="m", **metric):
    found = interval(low, high)
    return Effect(Metric(name, name, **metric), "mean", "new", "old", 1.0, 1.0, found, found, p, True, decisive=p)


def word(low, high, p, **metric):
    one = guarded(effect(low, high, p, **metric), interval(low, high), interval(low, high))
    return judged(one, FAIR, 0.05, None).word


@pytest.mark.parametrize(
    ("low", "high", "p", "metric", "expected"),
    [
        (0.1, 0.3, 0.001, {}, "better"),
        (-0.3, -0.1, 0.001, {}, "worse"),
        (0.1, 0.3, 0.001, {"lower_is_better": True}, "worse"),
        (-0.3, -0.1, 0.001, {"lower_is_better": True}, "better"),
        (-0.1, 0.3, 0.2, {}, "no difference seen"),
        (0.1, 0.3, 0.06, {}, "no difference seen"),
        (-0.01, 0.3, 0.04, {}, "no difference seen"),
        (-0.1, 0.3, 0.2, {"margin": Margin(0.5)}, "equivalent"),
        (0.1, 0.3, 0.001, {"margin": Margin(0.5)}, "equivalent"),
        (0.1, 0.3, 0.001, {"margin": Margin(0.3)}, "better"),
        (-0.1, 0.3, None, {}, "no difference seen"),
    ],
)
def test_the_word_follows_from_margin_interval_and_corrected_p(low, high, p, metric, expected):
    assert word(low, high, p, **metric) == expected


@pytest.mark.parametrize(
    ("low", "high", "lower", "expected", "worst"),
    [
        (-0.1, 0.2, False, "holds", -0.1),
        (-0.3, 0.2, False, "cannot tell", -0.3),
        (-0.5, -0.3, False, "broken", -0.5),
        (-0.2, 0.1, True, "holds", 0.1),
        (0.3, 0.5, True, "broken", 0.5),
    ],
)
def test_a_guardrail_is_a_test_of_non_inferiority(low, high, lower, expected, worst):
    found = guard_of(interval(low, high), Margin(0.2), lower)
    assert (found.word, found.worst) == (expected, worst)


def experiment(*effects):
    return Experiment("log", ("old", "new"), FAIR, "user", 1000, effects, 0.05, "holm", None, 0)


def guard(low, high):
    one = effect(low, high, 0.9, name="g", guardrail=Margin(0.2))
    return judged(guarded(replace(one, in_family=False), interval(low, high), interval(low, high)), FAIR, 0.05, None)


def test_the_exit_code_is_that_of_the_first_metric_and_of_all_guardrails():
    good, unseen = (judged(effect(low, 0.3, p), FAIR, 0.05, None) for low, p in ((0.1, 0.001), (-0.1, 0.5)))
    assert experiment(good).exit_code == 0
    assert experiment(unseen).exit_code == 3
    assert experiment(good, replace(unseen, metric=Metric("second", "second"))).exit_code == 0
    assert experiment(good, guard(-0.1, 0.1)).exit_code == 0
    assert experiment(good, guard(-0.3, 0.1)).exit_code == 3
    assert experiment(good, guard(-0.5, -0.3)).exit_code == 1
    assert experiment(good, guard(-0.5, -0.3)).sentence.endswith("But a guardrail is broken: g.")


def test_the_sentence_is_enough_to_act_on():
    one = replace(effect(0.125, 0.375, 0.001), decisive=0.002, relative=interval(0.1, 0.2))
    assert judged(one, FAIR, 0.05, None).sentence == (
        "new is better than old in m: 1 against 1, +0.25 [+0.125, +0.375] (+15.0% [+10.0%, +20.0%]), p = 0.001 "
        "(0.002 corrected)."
    )
    one = replace(effect(0.125, 0.375, 0.03), decisive=0.06)
    assert judged(one, FAIR, 0.05, None).sentence.endswith(
        "alone it would be below the level, among so many it is not."
    )
    assert (
        "at worst -0.5" in guard(-0.5, -0.3).sentence and "The guardrail of 0.2 is broken" in guard(-0.5, -0.3).sentence
    )
