"""`rankgauge trend`: what it prints, what it writes, how it exits."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path

import pytest

from trends import date, simulated


@pytest.fixture
def fallen(rankgauge, tmp_path: Path) -> str:
    simulated(tmp_path / "out", 21, drop=0.2, at=20)
    return "out"


def test_a_drop_exits_with_1_and_says_it_first(rankgauge, fallen):
    done = rankgauge("trend", fallen, "-m", "P@5")
    assert done.code == 1
    assert done.out.startswith("▼ DROP: P@5 on 2026-06-21 is ")


def test_nothing_new_exits_with_0_and_another_day_can_be_asked_for(rankgauge, fallen):
    assert rankgauge("trend", fallen, "-m", "P@5", "--expect", "2026-06-20").code == 0
    assert rankgauge("trend", fallen, "-m", "Judged@5").code == 0
    assert rankgauge("trend", fallen, "-m", "P@5", "--direction", "up").code == 0


def test_what_cannot_be_told_exits_with_3(rankgauge, fallen):
    done = rankgauge("trend", fallen, "-m", "P@5", "--expect", "2026-06-22")
    assert done.code == 3
    assert done.out.startswith("? NO DATA: no results of 2026-06-22; the last day before it is 2026-06-21.")
    assert rankgauge("trend", fallen, "-m", "P@5", "--window", "28", "--least-days", "25").code == 3


def test_the_worst_of_several_measures_counts(rankgauge, fallen):
    done = rankgauge("trend", fallen, "-m", "Judged@5", "-m", "P@5", "--format", "json")
    assert done.code == 1
    assert [one["outcome"] for one in json.loads(done.out)["trends"]] == ["nothing new", "alert"]


@pytest.mark.parametrize(("asked", "ago"), [("yesterday", 1), ("today", 0)])
def test_yesterday_and_today_are_days(rankgauge, fallen, asked, ago):
    done = rankgauge("trend", fallen, "-m", "P@5", "--expect", asked, "--format", "json")
    assert json.loads(done.out)["trends"][0]["date"] == str(dt.date.today() - dt.timedelta(days=ago))
    assert done.code == 3


def test_any_day_can_be_the_alert(rankgauge, tmp_path):
    simulated(tmp_path / "out", 20, drop=0.2, at=14, lasting=1)
    assert rankgauge("trend", "out", "-m", "P@5").code == 0
    assert rankgauge("trend", "out", "-m", "P@5", "--alert", "any").code == 1


def test_bands_and_baselines_of_ones_own(rankgauge, fallen):
    wide = rankgauge("trend", fallen, "-m", "P@5", "--band", "0.3")
    assert wide.code == 0
    narrow = rankgauge("trend", fallen, "-m", "P@5", "--band", "0.02", "--baseline", "2026-06-01..2026-06-14")
    assert narrow.code == 1
    assert "below the band of 0.02 around the baseline of 14 days, 2026-06-01 to 2026-06-14, " in narrow.out
    assert rankgauge("trend", fallen, "-m", "P@5", "--margin", "0.5").code == 0


def test_a_known_change_is_accepted(rankgauge, fallen):
    done = rankgauge("trend", fallen, "-m", "P@5", "--accept", "2026-06-21")
    assert done.code == 3
    assert "too early to tell: 0 days of this level can be used, 5 are needed" in done.out


def test_more_unjudged_can_be_allowed(rankgauge, tmp_path):
    simulated(tmp_path / "out", 12, unjudged=dict.fromkeys(range(12), 0.3))
    refused = rankgauge("trend", "out", "-m", "P@5")
    assert refused.code == 3
    assert "never judged; 20% is allowed" in refused.out
    assert rankgauge("trend", "out", "-m", "P@5", "--max-unjudged", "0.5").code == 0


def test_the_report_is_written_and_said(rankgauge, fallen, tmp_path):
    done = rankgauge("trend", fallen, "-m", "P@5", "--report", "trend.html")
    assert "written: trend.html" in done.err
    assert "<title>P@5, day by day</title>" in (tmp_path / "trend.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--expect", "26.6.2026"], "expected a date as 2026-06-26, today or yesterday"),
        (["--baseline", "2026-06-01"], "expected FROM..TO"),
        (["--where", "locale"], "expected column=value"),
        (["-m", "NDGC@5"], "holds no measure 'NDGC@5'"),
        (["--alpha", "2"], "alpha: expected a number between 0 and 1"),
        (["--seasonal", "1"], "slow and seasonal: expected 0 or 2 days or more"),
    ],
)
def test_misuse_is_said_and_exits_with_2(rankgauge, fallen, words, said):
    done = rankgauge("trend", fallen, "-m", "P@5", *words)
    assert done.code == 2
    assert said in " ".join(done.err.replace("│", " ").split())


def test_a_folder_without_results_is_an_input_error(rankgauge):
    done = rankgauge("trend", "nowhere")
    assert done.code == 1
    assert "expected a folder of results" in done.err


def test_one_value_of_another_column(rankgauge, fallen):
    done = rankgauge("trend", fallen, "-m", "P@5", "--where", "place=vi")
    assert done.code == 1
    assert "expected a column of the results' groups, got 'place'" in done.err


def test_the_first_day_of_the_results_is_what_the_helper_says(rankgauge, fallen):
    done = rankgauge("trend", fallen, "-m", "P@5", "--format", "csv")
    assert done.out.splitlines()[1].startswith(f"P@5,{date(0)},too early,")
