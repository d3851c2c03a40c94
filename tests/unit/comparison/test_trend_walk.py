"""The walk through the days: what is flagged, what becomes a level, and what cannot be told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from rankgauge.comparison.trend.expectation import Measured
from rankgauge.comparison.trend.rules import TrendRules
from rankgauge.comparison.trend.trend import Change, Day
from rankgauge.comparison.trend.walk import walk
from trends import date

NOISE = (0.0, 0.004, -0.004, 0.002, -0.002, 0.001, -0.001)


def series(levels: Sequence[float | None], **changes: Any) -> list[Measured]:
    """A day per level with a little noise of fixed pattern; None is a day without results."""
    found = []
    for number, level in enumerate(levels):
        if level is None:
            found.append(Measured(date(number), there=False))
            continue
        mean = level + NOISE[number % len(NOISE)]
        found.append(Measured(date(number), mean, mean - 0.004, mean + 0.004, 0.002, 1000, unjudged=0.02))
    return [replace(day, **changes) for day in found]


def looked(days: Sequence[Measured], **rules: Any) -> tuple[tuple[Day, ...], tuple[Change, ...]]:
    walked = walk(days, TrendRules(**rules))
    return walked.days, walked.changes


def statuses(days: Sequence[Measured], **rules: Any) -> list[str]:
    return [day.status for day in looked(days, **rules)[0]]


STEADY = [0.4] * 20


def test_the_first_days_are_too_early_and_the_rest_as_expected() -> None:
    found, changes = looked(series(STEADY))
    assert [day.status for day in found] == ["too early"] * 5 + ["as expected"] * 15
    assert [day.reference for day in found] == list(range(20))
    assert changes == ()


def test_the_window_is_what_is_looked_back_on() -> None:
    found, _ = looked(series([0.4] * 20), window=7)
    assert found[-1].reference == 7


@pytest.mark.parametrize(("level", "word"), [(0.35, "drop"), (0.45, "rise")])
def test_a_day_that_leaves_its_band_is_flagged_and_tells_nothing_of_the_next(level: float, word: str) -> None:
    found, changes = looked(series([*STEADY, level, 0.4, 0.4, 0.4]))
    assert [day.status for day in found[20:]] == [word, "as expected", "as expected", "as expected"]
    assert found[20].band_low is not None
    assert found[20].band_high is not None
    assert not found[20].band_low <= level <= found[20].band_high
    assert found[21].expected == found[20].expected, "the flagged day is not in what is expected of the next"
    assert [day.reference for day in found[20:]] == [20, 20, 20, 22], "back for two days, both count again"
    assert changes == ()


def test_no_later_day_changes_what_was_said_of_one() -> None:
    rng = np.random.default_rng(3)
    levels = [0.4] * 25 + [0.385] * 15 + [0.42] * 10
    days = [replace(day, mean=day.value + float(rng.normal(0, 0.006))) for day in series(levels)]
    whole = statuses(days)
    assert {"drop", "slow drop", "rise"} & set(whole)
    assert [statuses(days[:n])[-1] for n in range(1, 51)] == whole


def test_a_change_that_stays_alarms_until_it_is_a_level_and_is_said() -> None:
    found, changes = looked(series([*STEADY, *[0.35] * 10]))
    assert [day.status for day in found[20:]] == ["drop"] * 7 + ["as expected"] * 3
    (change,) = changes
    assert (change.since, change.told, change.why) == (date(20), date(26), "stayed")
    assert change.before == pytest.approx(0.4, abs=0.001)
    assert change.after == pytest.approx(0.35, abs=0.001)
    assert [day.level for day in found[19:29]] == [1] * 8 + [2] * 2
    assert found[27].reference == 7


def test_settling_takes_as_long_as_the_rules_say() -> None:
    assert (
        statuses(series([*STEADY, *[0.35] * 10]), settle=3)[20:]
        == ["drop"] * 3 + ["too early"] * 2 + ["as expected"] * 5
    )


def test_days_without_results_neither_count_nor_end_an_alarm() -> None:
    found, changes = looked(series([*STEADY, 0.35, None, 0.35, 0.35, None, 0.35, 0.35, 0.35, 0.35]))
    assert [day.status for day in found[20:]].count("no data") == 2
    assert [change.told for change in changes] == [date(28)]
    assert found[21].mean is None


def test_a_small_change_that_lasts_is_found_by_the_mean_of_days() -> None:
    means = [0.4 - 0.0033 * (i >= 28) + 0.002 * (-1) ** i for i in range(48)]
    days = [Measured(date(i), mean, mean - 0.004, mean + 0.004, 0.002, 1000) for i, mean in enumerate(means)]
    assert set(statuses(days, slow=0)) == {"too early", "as expected"}
    found, changes = looked(days)
    slow = [day for day in found if day.status == "slow drop"]
    assert slow
    assert slow[0].averaged == 7
    assert slow[0].average is not None
    assert slow[0].average_low is not None
    assert slow[0].average < slow[0].average_low
    assert slow[0].reasons[0].startswith("the last 7 days are 0.39")
    assert [(change.why, change.since) for change in changes] == [("stayed", date(29))], "the 28th is high by chance"


def test_the_days_that_were_averaged_tell_nothing_of_the_next() -> None:
    means = [0.4 - 0.0033 * (i >= 28) + 0.002 * (-1) ** i for i in range(48)]
    days = [Measured(date(i), mean, mean - 0.004, mean + 0.004, 0.002, 1000) for i, mean in enumerate(means)]
    found, _ = looked(days)
    first = next(number for number, day in enumerate(found) if day.status == "slow drop")
    told = means[max(0, first - 6 - 28) : first - 6]
    assert found[first + 1].expected == pytest.approx(np.mean(told), abs=1e-15)


def test_a_day_on_the_other_side_is_no_alarm_though_the_days_before_it_were_low() -> None:
    means = [0.4 + 0.002 * (-1) ** i for i in range(28)] + [0.4055, *[0.4 - 0.00367] * 6, 0.4003]
    days = [Measured(date(i), mean, mean - 0.004, mean + 0.004, 0.002, 1000) for i, mean in enumerate(means)]
    last = looked(days)[0][-1]
    assert last.average is not None
    assert last.average_low is not None
    assert last.average < last.average_low
    assert last.status == "as expected"


def test_after_an_incident_no_alarm_rings_for_days_that_are_back() -> None:
    assert statuses(series([*STEADY, 0.33, 0.33, 0.33, *[0.4] * 8]))[20:] == ["drop"] * 3 + ["as expected"] * 8


def test_an_alarm_may_turn_to_the_other_side() -> None:
    assert statuses(series([*STEADY, 0.35, 0.35, 0.45, 0.45]))[20:] == ["drop", "drop", "rise", "rise"]


def test_days_of_few_queries_say_nothing_and_count_for_nothing() -> None:
    days = series([*STEADY, 0.2, 0.4])
    days[20] = replace(days[20], n=29)
    found, _ = looked(days)
    assert [day.status for day in found[20:]] == ["few queries", "as expected"]
    assert found[20].reasons == ("29 queries have a value; 30 are needed",)
    assert found[21].reference == 20


def test_a_day_that_is_not_whole_or_loaded_twice_is_said() -> None:
    days = series([*STEADY, 0.4, 0.4])
    days[20], days[21] = replace(days[20], n=400), replace(days[21], n=2100)
    found, _ = looked(days)
    assert found[20].reasons == ("400 queries where 1,000 are usual: the day may not be whole",)
    assert found[21].reasons == ("2,100 queries where 1,000 are usual",)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"unjudged": 0.21}, "21.0% of what was shown was never judged; 20% is allowed"),
        ({"unjudged": 0.12}, "12.0% of what was shown was never judged, and 2.0% in the days before"),
        ({"missing": 200}, "20.0% of the queries have no results: check that the search ran"),
    ],
)
def test_a_day_that_the_verdict_would_refuse_cannot_be_compared(changes: dict[str, Any], said: str) -> None:
    days = series([*STEADY, 0.3, 0.4])
    days[20] = replace(days[20], **changes)
    found, _ = looked(days)
    assert [day.status for day in found[20:]] == ["not comparable", "as expected"]
    assert found[20].reasons == (said,)
    assert found[21].reference == 20


def test_holes_of_a_share_that_stays_are_read_with_care() -> None:
    found, _ = looked(series([*STEADY, 0.35], unjudged=0.12))
    assert found[20].status == "drop"
    assert found[20].reasons == ("12.0% of what was shown was never judged: read with care",)


def test_a_drop_below_the_band_whatever_the_unjudged_are_is_a_drop() -> None:
    days = series([*STEADY, 0.3, 0.3])
    days[20] = replace(days[20], unjudged=0.3, residual=0.05)
    days[21] = replace(days[21], unjudged=0.3, residual=0.2)
    found, _ = looked([replace(day, residual=day.residual or 0.01) for day in days])
    assert [day.status for day in found[20:]] == ["drop", "not comparable"]
    assert found[20].reasons[1] == "whatever the unjudged documents are, it is outside"


def test_a_rise_is_sure_only_above_what_the_days_before_could_have_been() -> None:
    for residual, word in ((0.05, "rise"), (0.2, "not comparable")):
        days = series([*STEADY, 0.5], residual=residual)
        days[20] = replace(days[20], unjudged=0.3)
        assert looked(days)[0][20].status == word


def test_another_share_of_unjudged_that_stays_is_a_level_of_its_own() -> None:
    days = series([0.4] * 20 + [0.37] * 10)
    days[20:] = [replace(day, unjudged=0.15) for day in days[20:]]
    found, changes = looked(days)
    assert [day.status for day in found[20:]] == ["not comparable"] * 7 + ["as expected"] * 3
    assert [(change.why, change.since, change.told) for change in changes] == [("unjudged rate", date(20), date(26))]


def test_another_highest_grade_cannot_be_compared() -> None:
    days = series([*STEADY, 0.3], top_grade=3.0)
    days[20] = replace(days[20], top_grade=4.0)
    found, _ = looked(days)
    assert found[20].status == "not comparable"
    assert found[20].reasons == ("the highest grade is 4, before it was 3: the measure counts grades by the highest",)


def test_a_first_day_that_is_unlike_all_others_does_not_hold_them_up_for_ever() -> None:
    days = series([0.4] * 20, top_grade=4.0)
    days[0] = replace(days[0], top_grade=3.0)
    found, changes = looked(days)
    assert [day.status for day in found[:10]] == ["too early"] + ["not comparable"] * 7 + ["as expected"] * 2
    assert [(change.why, change.since) for change in changes] == [("top grade", date(1))]


def test_an_accepted_change_begins_a_level_at_once() -> None:
    found, changes = looked(series([*STEADY, *[0.35] * 8]), accept=(date(20),))
    assert [day.status for day in found[20:]] == ["too early"] * 5 + ["as expected"] * 3
    (change,) = changes
    assert (change.since, change.why) == (date(20), "accepted")
    assert change.after == pytest.approx(0.35, abs=0.001)


def test_a_change_accepted_before_the_first_day_changes_nothing() -> None:
    assert looked(series(STEADY), accept=(date(0),)) == looked(series(STEADY))


def test_a_fixed_baseline_holds_for_good() -> None:
    days = series([0.4] * 10 + [0.35] * 12)
    found, changes = looked(days, baseline=(date(0), date(9)))
    assert [day.status for day in found] == ["baseline"] * 10 + ["drop"] * 12
    assert changes == ()
    assert {day.reference for day in found[10:]} == {10}


def test_a_day_of_the_baseline_that_cannot_be_used_is_left_out_of_it_and_said() -> None:
    days = series([0.4] * 12)
    days[3] = replace(days[3], unjudged=0.5)
    found, _ = looked(days, baseline=(date(0), date(9)))
    assert found[3].reasons == ("50.0% of what was shown was never judged; 20% is allowed",)
    assert found[10].reference == 9


def test_a_band_of_ones_own_flags_an_interval_that_lies_outside() -> None:
    levels = [*STEADY, 0.371]
    assert statuses(series(levels), band=0.02)[20] == "drop"  # 0.371 + 0.004 - 0.001 is below 0.38
    assert statuses(series(levels), band=0.03)[20] == "as expected"


def test_a_share_of_queries_without_judgments_that_moves_is_said() -> None:
    days = series([*STEADY, 0.4])
    days[20] = replace(days[20], left_out=500)
    assert looked(days)[0][20].reasons == ("33.3% of the queries have no judgments and are left out, 0.0% before",)


def random_walks(count: int, days: int, shift: float = 0.0) -> list[list[str]]:
    """Days that vary around a level, by 0.012, of which the last ten are shifted."""
    rng = np.random.default_rng(11)
    found = []
    for _ in range(count):
        means = rng.normal(0.4, 0.012, days)
        means[-10:] += shift
        found.append(statuses([Measured(date(i), m, m - 0.02, m + 0.02, 0.01, 1000) for i, m in enumerate(means)]))
    return found


def test_where_nothing_changes_alarms_are_as_rare_as_said() -> None:
    """About 1.1 alarm days per 100 (docs/trend.md); 100 series leave a standard error of 0.25."""
    looked = [status for walked in random_walks(100, 60) for status in walked if status != "too early"]
    assert 0.2 < 100 * sum(status != "as expected" for status in looked) / len(looked) < 2.0


def test_a_drop_of_four_deviations_is_found_within_a_week() -> None:
    found = random_walks(40, 50, shift=-0.05)
    assert sum(bool({"drop", "slow drop"} & set(walked[40:47])) for walked in found) == 40
