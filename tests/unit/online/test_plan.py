from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgauge import compare
from rankgauge.errors import ParameterError
from rankgauge.online.plan import Design, days_of, plan_from_offline, plan_interleaving, plan_mean, plan_rate
from rankgauge.statistics.experiment_size import units_for_rates


def test_a_rate_and_a_lift_give_units_days_and_what_looking_early_costs():
    found = plan_rate(0.031, 0.02, design=Design(per_day=40_000))
    assert (found.control_units, found.arm_units) == units_for_rates(0.031, 0.031 * 1.02)
    assert found.total == 2 * found.control_units
    assert found.sequential == math.ceil(found.total * found.inflation)
    assert (found.days, found.sequential_days) == (63, 119)
    assert found.sentence.startswith("To see a rate of 0.03162 instead of 0.031 (+2.0%) (80% power, level 0.05): ")
    assert "1.92 times as many" in found.sentence


def test_more_arms_share_the_level_and_cuped_saves_units():
    two, three = (plan_mean(0.5, sd=10, design=Design(arms=arms)) for arms in (2, 3))
    assert three.arm_units > two.arm_units
    assert three.total == three.control_units + 2 * three.arm_units
    assert three.control_units == plan_mean(0.5, sd=10, design=Design(alpha=0.025)).control_units
    saved = plan_mean(0.5, sd=10, design=Design(saved=0.4))
    assert saved.control_units == math.ceil(0.6 * two.control_units)
    assert "CUPED saving 40% of the variance" in saved.sentence


@given(st.integers(1, 10**7), st.integers(1, 10**5))
def test_days_are_whole_weeks_that_are_enough_and_not_a_week_more(units, per_day):
    days = days_of(units, per_day)
    assert days % 7 == 0 and days >= 7
    assert days * per_day >= units
    assert days == 7 or (days - 7) * per_day < units


def test_an_interleaving_counts_the_sessions_without_a_preference():
    found, days, sequential_days = plan_interleaving(0.55, deciding=0.3, design=Design(per_day=500))
    assert (found.sessions, days, sequential_days) == (783, 7, 14)


QRELS = {f"q{i}": {"a": 1, "b": 0, "c": 0} for i in range(12)}
OLD = {f"q{i}": {"a": 1.0 + (i > 7), "b": 2.0, "c": 0.5} for i in range(12)}
NEW = {f"q{i}": {"a": 3.0 - 2 * (i == 11), "b": 2.0 + (i == 11), "c": 0.5} for i in range(12)}


def test_offline_differences_say_how_many_queries_and_which_sessions_decide():
    found = plan_from_offline(compare(QRELS, {"old": OLD, "new": NEW}, "RR@3"), wanted=0.1, design=Design(per_day=50))
    assert (found.wins + found.ties + found.losses, found.queries.n) == (12, 12)
    assert found.interleaving.deciding == pytest.approx((found.wins + found.losses) / 12)
    assert f"for 0.1, {found.queries.needed} are enough" in found.sentence or "you need" in found.sentence
    assert found.days == days_of(783 / found.interleaving.deciding, 50)
    assert "interleave both online: 783 sessions with a preference" in found.sentence


def test_runs_that_do_not_differ_plan_no_share_of_deciding_sessions():
    found = plan_from_offline(compare(QRELS, {"old": OLD, "same": OLD}, "RR@3"))
    assert found.interleaving.deciding is None
    assert found.queries.needed is None


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        (lambda: plan_rate(0.6, 0.9), "rate and lift: expected two different shares between 0 and 1"),
        (lambda: plan_rate(0.6, 0.0), "rate and lift: expected two different shares between 0 and 1"),
        (lambda: plan_mean(0.0, sd=1), "difference: expected one other than 0"),
        (lambda: Design(arms=1), "arms: expected 2 or more, got 1"),
        (lambda: Design(saved=1.0), "saved: expected a share from 0 to below 1, got 1.0"),
        (lambda: Design(per_day=0), "per_day: expected a number above 0, got 0"),
    ],
)
def test_what_cannot_be_planned_is_refused(plan, message):
    with pytest.raises(ParameterError, match=message):
        plan()
