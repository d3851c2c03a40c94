"""Trends of folders of results: which day is which, which measure, and what the answer is."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import rankgauge as rg
from rankgauge.comparison.trend.trend import Day, Status, worst
from rankgauge.comparison.trend.words import alarms
from rankgauge.engines.plan import plan
from rankgauge.engines.results import Results, read_results
from rankgauge.errors import InputError, MeasureError, UnknownMeasureError
from rankgauge.records import Note
from trends import date, day_rows, simulated, write


@pytest.fixture(scope="module")
def steady(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return simulated(tmp_path_factory.mktemp("steady"), 20)


@pytest.fixture(scope="module")
def fallen(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return simulated(tmp_path_factory.mktemp("fallen"), 21, drop=0.2, at=20)


def test_a_day_has_the_mean_of_its_scores(steady: Results) -> None:
    found = rg.trend(steady, "P@5")
    scores = steady.scores().collect()
    for day in found.days:
        values = scores.filter(pl.col("date") == day.date.isoformat())["P@5"]
        assert day.mean == pytest.approx(values.mean(), abs=1e-15)
        assert day.n == len(values) == 200
        half = 1.9719565442493954 * values.std() / 200**0.5  # t(199)
        assert (day.low, day.high) == (pytest.approx(day.mean - half), pytest.approx(day.mean + half))
    assert [day.date for day in found.days] == [date(i) for i in range(20)]


def test_it_is_read_from_the_folder(steady: Results) -> None:
    assert rg.trend(steady.folder, "P@5").to_polars().equals(rg.trend(steady, "P@5").to_polars())
    assert rg.trend(str(steady.folder), "P@5").source == "logs/"


def test_a_steady_measure_is_nothing_new(steady: Results) -> None:
    found = rg.trend(steady, "P@5")
    assert (found.outcome, found.exit_code) == ("nothing new", 0)
    assert found.said.sentence == (
        "P@5 on 2026-06-20 is 0.4930 [0.4607, 0.5253], 200 queries: "
        "within 0.4528 to 0.5615, where the 19 days before lead one to expect it."
    )
    assert repr(found) == "Trend('P@5', 20 days, 'nothing new')"


def test_a_drop_is_an_alert_with_what_to_do(fallen: Results) -> None:
    found = rg.trend(fallen, "P@5")
    assert (found.outcome, found.exit_code) == ("alert", 1)
    assert found.looked_at.status == "drop"
    assert "200 queries: below 0.4" in found.said.sentence
    assert found.said.do[1].startswith("if the change is known: --accept 2026-06-21")


def test_a_rise_is_no_alert_where_only_drops_are(tmp_path: Path) -> None:
    risen = simulated(tmp_path, 21, drop=-0.2, at=20)
    assert rg.trend(risen, "P@5").exit_code == 1
    found = rg.trend(risen, "P@5", rules=rg.TrendRules(direction="down"))
    assert (found.exit_code, found.looked_at.status) == (0, "rise")


def test_the_expected_day_is_looked_at_whether_it_is_there_or_not(fallen: Results) -> None:
    before = rg.trend(fallen, "P@5", expect=date(19))
    assert (before.exit_code, before.said.day.date) == (0, date(19))
    missing = rg.trend(fallen, "P@5", expect="2026-06-23")
    assert (missing.outcome, missing.exit_code) == ("cannot tell", 3)
    assert missing.said.sentence == "no results of 2026-06-23; the last day before it is 2026-06-21."
    assert [day.status for day in missing.days[-3:]] == ["drop", "no data", "no data"]
    early = rg.trend(fallen, "P@5", expect="2026-05-30")
    assert early.days[0].date == dt.date(2026, 5, 30)
    assert early.said.sentence == "no results of 2026-05-30."


def test_any_day_can_be_an_alert_if_asked(tmp_path: Path) -> None:
    results = simulated(tmp_path, 25, drop=0.2, at=15, lasting=2)
    assert rg.trend(results, "P@5").exit_code == 0
    assert "earlier alarms: 2026-06-16 to 2026-06-17 (drop)" in rg.trend(results, "P@5").said.because
    found = rg.trend(results, "P@5", alert="any")
    assert found.exit_code == 1
    assert found.said.day.date == date(16)
    assert found.said.sentence.endswith("; day 2 of it.")


def test_days_that_say_nothing_do_not_end_an_alarm_and_days_that_are_back_do() -> None:
    words: list[Status] = ["drop", "no data", "slow drop", "as expected", "drop", "rise", "few queries", "rise"]
    days = [Day(date(number), status) for number, status in enumerate(words)]
    assert [[day.date.day - 1 for day in run] for run in alarms(days)] == [[0, 2], [4], [5, 7]]


def test_too_early_cannot_be_told(tmp_path: Path) -> None:
    found = rg.trend(simulated(tmp_path, 4), "P@5")
    assert found.exit_code == 3
    assert found.said.sentence.endswith("too early to tell: 3 days before can be used, 5 are needed.")


def test_a_day_with_more_unjudged_says_judge_first(tmp_path: Path) -> None:
    found = rg.trend(simulated(tmp_path, 20, unjudged={19: 0.3}), "P@5")
    assert found.exit_code == 3
    assert "which cannot be compared: 2" in found.said.sentence
    assert found.said.do == ("judge what was shown on 2026-06-20 and not judged, then compute the day again",)
    allowed = rg.Thresholds(warned=1.0, refused=1.0, apart=1.0)
    assert rg.trend(simulated(tmp_path / "2", 20, unjudged={19: 0.3}), "P@5",
                    rules=rg.TrendRules(thresholds=allowed)).exit_code == 1  # fmt: skip


def test_the_share_of_judged_documents_is_itself_never_in_doubt(tmp_path: Path) -> None:
    found = rg.trend(simulated(tmp_path, 20, unjudged={19: 0.3}), "Judged@5")
    assert (found.exit_code, found.looked_at.status) == (1, "drop")


def test_gaps_are_days_and_are_counted(tmp_path: Path) -> None:
    found = rg.trend(simulated(tmp_path, 20, skip=(3, 11, 12)), "P@5")
    assert len(found.days) == 20
    assert [day.date for day in found.days if day.status == "no data"] == [date(3), date(11), date(12)]
    assert "3 days before it without results" in found.said.because


def test_to_polars_has_a_row_per_day_and_null_where_there_is_no_number(tmp_path: Path) -> None:
    frame = rg.trend(simulated(tmp_path, 8, skip=(6,)), "P@5").to_polars()
    assert frame.height == 8
    assert frame.row(6, named=True)["mean"] is None
    assert frame["date"].dtype == pl.Date
    assert frame["band_low"].is_null().to_list() == [True] * 5 + [False, True, False]


def test_the_worst_of_several_decides(steady: Results, fallen: Results, tmp_path: Path) -> None:
    good, bad, unknown = rg.trend(steady, "P@5"), rg.trend(fallen, "P@5"), rg.trend(steady, "P@5", expect=date(40))
    assert worst([good, unknown, bad]) is bad
    assert worst([good, unknown]) is unknown
    assert worst([good]) is good


@pytest.mark.parametrize("asked", ["nDCG@10", "nDCG(gain='exp')@10", "ndcg@10"])
def test_a_measure_is_found_as_printed_and_for_short(tmp_path: Path, asked: str) -> None:
    results = simulated(tmp_path, 6, measures=["nDCG@10"])
    assert rg.trend(results, asked).measure == "nDCG(gain='exp')@10"


def test_a_measure_that_the_results_do_not_hold_is_named(steady: Results) -> None:
    with pytest.raises(UnknownMeasureError, match="holds no measure 'nDCG@10'; it holds P@5, Judged@5"):
        rg.trend(steady, "nDCG@10")


def test_a_measure_that_is_no_mean_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MeasureError, match="NumRel: expected a measure whose queries are averaged, got their sum"):
        rg.trend(simulated(tmp_path, 6, measures=["NumRel"]), "NumRel")


@pytest.mark.parametrize("write_date", [lambda d: d.isoformat(), lambda d: f"{d:%Y%m%d}", lambda d: f"{d} 00:00:00"])
def test_dates_are_read_however_they_are_written(tmp_path: Path, write_date: Callable[[dt.date], str]) -> None:
    rows = pl.concat([day_rows(write_date(date(i)), [[1, 0]] * 40) for i in range(6)])
    found = rg.trend(write(tmp_path, rows, plan("P@5", order="rank", by=("date",))), "P@5")
    assert [day.date for day in found.days] == [date(i) for i in range(6)]


def test_year_month_and_day_make_a_date(tmp_path: Path) -> None:
    rows = pl.concat(
        [
            day_rows("2026-06-01", [[1, 0]] * 40)
            .drop("date")
            .with_columns(year=pl.lit("2026"), month=pl.lit("6"), day=pl.lit(str(i)))
            for i in (3, 4, 12)
        ]
    )
    found = rg.trend(write(tmp_path, rows, plan("P@5", order="rank", by=("year", "month", "day"))), "P@5")
    assert [day.date.day for day in found.days if day.mean is not None] == [3, 4, 12]
    assert len(found.days) == 10


def two_places(folder: Path) -> Results:
    rows = [
        day_rows(date(i).isoformat(), [[grade, grade]] * 40, place=place)
        for i in range(8)
        for place, grade in (("de", 1.0), ("vi", float(i % 2)))
    ]
    return write(folder, pl.concat(rows), plan("P@2", order="rank", by=("date", "place")))


def test_other_columns_are_put_together_and_that_is_said(tmp_path: Path) -> None:
    found = rg.trend(two_places(tmp_path), "P@2")
    assert [day.mean for day in found.days[:2]] == [0.5, 1.0]
    assert [day.n for day in found.days] == [80] * 8
    assert found.notes == (Note("pooled", 2, "the 2 values of 'place' are put together: a change of their mix changes "
                                "the mean; --where place=... looks at one"),)  # fmt: skip


def test_one_value_of_another_column_can_be_looked_at(tmp_path: Path) -> None:
    results = two_places(tmp_path)
    found = rg.trend(results, "P@2", where={"place": "vi"})
    assert [day.mean for day in found.days[:2]] == [0.0, 1.0]
    assert found.notes == ()
    with pytest.raises(InputError, match="expected one of de, vi, got 'fr'; change --where"):
        rg.trend(results, "P@2", where={"place": "fr"})
    with pytest.raises(InputError, match="expected a column of the results' groups, got 'country'"):
        rg.trend(results, "P@2", where={"country": "fr"})


def test_results_that_are_not_by_day_are_refused_with_what_to_do(tmp_path: Path) -> None:
    rows = day_rows("2026-06-01", [[1, 0]] * 40)
    results = write(tmp_path / "a", rows.rename({"date": "place"}), plan("P@5", order="rank", by=("place",)))
    assert rg.trend(results, "P@5").days[0].date == date(0), "the column may have any name"
    rows = rows.with_columns(date=pl.lit("monday"))
    results = write(tmp_path / "b", rows, plan("P@5", order="rank", by=("date",)))
    with pytest.raises(InputError, match="expected results by day, got groups by date; compute them by day"):
        rg.trend(results, "P@5")


def test_one_of_two_columns_of_dates_must_be_named(tmp_path: Path) -> None:
    rows = pl.concat([day_rows(date(i).isoformat(), [[1, 0]] * 40, loaded=date(9).isoformat()) for i in range(6)])
    results = write(tmp_path, rows, plan("P@5", order="rank", by=("date", "loaded")))
    with pytest.raises(InputError, match="of which date and loaded hold dates; name one with --date"):
        rg.trend(results, "P@5")
    assert len(rg.trend(results, "P@5", date="date").days) == 6
    with pytest.raises(InputError, match="expected one of the columns date, loaded, got 'day'"):
        rg.trend(results, "P@5", date="day")


def test_groups_without_a_date_are_left_out_and_counted(tmp_path: Path) -> None:
    days = [date(i).isoformat() for i in range(6)]
    rows = pl.concat([day_rows(day, [[1, 0]] * 40) for day in [*days, "__HIVE_DEFAULT_PARTITION__"]])
    found = rg.trend(write(tmp_path, rows, plan("P@5", order="rank", by=("date",))), "P@5")
    assert len(found.days) == 6
    assert [note.text for note in found.notes] == ["1 groups without a date are left out"]


def test_a_date_written_in_two_ways_is_refused(tmp_path: Path) -> None:
    rows = pl.concat([day_rows(day, [[1, 0]] * 40) for day in ("2026-06-01", "20260601")])
    results = write(tmp_path, rows, plan("P@5", order="rank", by=("date",)))
    with pytest.raises(InputError, match="expected each date written in one way, got '2026"):
        rg.trend(results, "P@5")


def test_another_highest_grade_is_seen_where_the_measure_counts_by_it(tmp_path: Path) -> None:
    def results(measure: str, folder: Path) -> Results:
        for i in range(8):
            how = plan([measure], order="rank", by=("date",), top_grade=4.0 if i == 7 else 3.0)
            rows = day_rows(date(i).isoformat(), [[j % 3, 1, 0] for j in range(40)])
            found = write(folder, rows, how)
        return found

    found = rg.trend(results("ERR@10", tmp_path / "a"), "ERR@10")
    assert (found.exit_code, found.looked_at.status) == (3, "not comparable")
    assert "the highest grade is 4, before it was 3" in found.said.sentence
    assert "name the top of the scale" in found.said.do[0]
    told = rg.trend(results("ERR(max_grade=4)@10", tmp_path / "b"), "ERR(max_grade=4)@10")
    assert told.looked_at.status == "as expected"
    assert rg.trend(results("nDCG@10", tmp_path / "c"), "nDCG@10").looked_at.status == "as expected"


def test_notes_of_the_day_that_is_looked_at_are_said(tmp_path: Path) -> None:
    results = simulated(tmp_path, 6)
    results.about.notes["2026-06-06"] = [Note("dropped", 3, "3 documents were dropped")]
    results.about.notes["2026-06-05"] = [Note("dropped", 4, "4 documents were dropped")]
    assert [note.text for note in rg.trend(results, "P@5").notes] == ["3 documents were dropped"]


def test_a_baseline_without_results_is_refused(steady: Results) -> None:
    rules = rg.TrendRules(baseline=(date(50), date(60)))
    with pytest.raises(InputError, match="expected results of days from 2026-07-21 to 2026-07-31, the baseline"):
        rg.trend(steady, "P@5", rules=rules)


def test_a_level_that_is_not_the_first_is_said(tmp_path: Path) -> None:
    found = rg.trend(simulated(tmp_path, 30, drop=0.2, at=18), "P@5")
    assert found.exit_code == 0
    assert "days of the level since 2026-06-19 lead one to expect it" in found.said.sentence
    assert any(
        line.startswith("new level since 2026-06-19: 0.2959 after 0.5076 (-0.2117)") for line in found.said.because
    )


def test_a_folder_that_is_none_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected a folder of results"):
        rg.trend(tmp_path)


def test_missing_queries_count_and_left_out_ones_are_counted(tmp_path: Path) -> None:
    rows = day_rows("2026-06-01", [[None, None]] * 50)
    qrels = pl.DataFrame({"query": [f"q{i}" for i in range(10, 60)], "doc": ["d1"] * 50, "grade": [1.0] * 50})
    results = write(tmp_path, rows, plan("P@2", order="rank", by=("date",)), qrels)
    (day,) = rg.trend(read_results(results.folder), "P@2").days
    assert (day.n, day.missing, day.left_out, day.mean) == (50, 10, 10, pytest.approx(40 * 0.5 / 50))


def test_weekdays_that_differ_are_spoken_of(tmp_path: Path) -> None:
    def results(weekly: float, folder: Path) -> Results:
        rng = np.random.default_rng(4)
        chances = [0.5 + weekly * (i % 7 == 0) for i in range(40)]
        rows = [day_rows(date(i).isoformat(), (rng.random((300, 5)) < p).astype(float)) for i, p in enumerate(chances)]
        return write(folder, pl.concat(rows), plan("P@5", order="rank", by=("date",)))

    assert rg.trend(results(0.0, tmp_path / "a"), "P@5").notes == ()
    differing = results(0.25, tmp_path / "b")
    (note,) = rg.trend(differing, "P@5").notes
    assert note.text.startswith("weekdays differ: with --seasonal 7 the band would be ")
    assert rg.trend(differing, "P@5", rules=rg.TrendRules(seasonal=7)).notes == ()
