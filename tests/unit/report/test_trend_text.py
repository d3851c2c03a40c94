"""Trends as text: the verdict first, a row per day, and the object that programs read."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import get_args

import pytest

import rankgauge as rg
from rankgauge.comparison.trend.trend import Status
from rankgauge.report.trend import MARKS, render_trends
from trends import date, simulated


@pytest.fixture(scope="module")
def trends(tmp_path_factory: pytest.TempPathFactory) -> list[rg.Trend]:
    """P@5 fell on the last day, after two days without results; Judged@5 stayed."""
    results = simulated(tmp_path_factory.mktemp("results"), 20, drop=0.2, at=19, skip=(10, 11))
    return [rg.trend(results, "Judged@5"), rg.trend(results, "P@5")]


def test_the_verdict_that_decides_stands_first(trends: list[rg.Trend]) -> None:
    lines = render_trends(trends).splitlines()
    assert lines[0].startswith("▼ DROP: P@5 on 2026-06-20 is 0.2")
    assert "= AS EXPECTED: Judged@5 on 2026-06-20 is 1.0000 [1.0000, 1.0000], 200 queries" in "\n".join(lines)
    assert any(line.startswith("  next: if the change is known: --accept 2026-06-20") for line in lines)


def test_days_without_results_share_a_row(trends: list[rg.Trend]) -> None:
    text = render_trends(trends[1:])
    assert "2026-06-11 to 2026-06-12   ? no data (2 days)" in text
    assert text.count("\n  2026-06-") == 19


def test_only_the_last_days_are_shown_if_asked_and_that_is_said(trends: list[rg.Trend]) -> None:
    text = render_trends(trends[1:], last=3)
    assert "P@5, the last 3 of 20 days:" in text
    assert text.count("\n  2026-06-") == 3


def test_markdown_is_a_list_and_a_table(trends: list[rg.Trend]) -> None:
    lines = render_trends(trends[1:], format="markdown", last=2).splitlines()
    assert lines[0].startswith("- ▼ DROP: ")
    assert "| date | status | mean | 95% interval | band | queries | unjudged | missing | remark |" in lines


def test_csv_holds_every_day_of_every_measure_with_every_digit(trends: list[rg.Trend]) -> None:
    rows = list(csv.DictReader(io.StringIO(render_trends(trends, format="csv", last=1))))
    assert [row["measure"] for row in rows] == ["Judged@5"] * 20 + ["P@5"] * 20
    assert float(rows[-1]["mean"]) == trends[1].days[-1].mean
    assert (rows[30]["date"], rows[30]["status"], rows[30]["mean"]) == ("2026-06-11", "no data", "")


def test_json_is_one_object_with_the_answer_first(trends: list[rg.Trend]) -> None:
    said = json.loads(render_trends(trends, format="json"))
    assert (said["outcome"], said["exit_code"]) == ("alert", 1)
    one = said["trends"][1]
    assert (one["measure"], one["outcome"], one["date"], one["status"]) == ("P@5", "alert", "2026-06-20", "drop")
    assert len(one["days"]) == 20
    assert one["days"][-1]["band_low"] == trends[1].days[-1].band_low
    assert one["rules"]["window"] == 28


def test_rules_and_levels_are_in_the_json(tmp_path: Path) -> None:
    rules = rg.TrendRules(accept=(date(9),))
    said = json.loads(render_trends([rg.trend(simulated(tmp_path, 12), "P@5", rules=rules)], format="json"))
    (change,) = said["trends"][0]["changes"]
    assert (change["since"], change["why"], change["told"]) == ("2026-06-10", "accepted", "2026-06-10")
    assert said["trends"][0]["rules"]["accept"] == ["2026-06-10"]


def test_latex_is_the_table_alone(trends: list[rg.Trend]) -> None:
    assert render_trends(trends[:1], format="latex").startswith("\\begin{tabular}")


def test_every_status_has_a_mark() -> None:
    assert list(MARKS) == list(get_args(Status))
