"""The page of trends as text: its JSON, its charts, and what cannot break out of it."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import rankgauge as rg
from rankgauge.errors import InputError
from rankgauge.report.page.numbers import FORMS, NONE
from rankgauge.report.page.timeline import described
from rankgauge.report.page.trends import page, save_trends
from trends import date, simulated

HOSTILE = "</script><img src=x onerror=alert(1)>\"'&amp;"


@pytest.fixture(scope="module")
def trends(tmp_path_factory: pytest.TempPathFactory) -> list[rg.Trend]:
    """Fifty days with a drop that stays, gaps, and a day that cannot be compared."""
    results = simulated(tmp_path_factory.mktemp("results"), 50, drop=0.1, at=30, skip=(10, 11, 25), unjudged={20: 0.3})
    return [rg.trend(results, measure) for measure in ("P@5", "Judged@5")]


@pytest.fixture(scope="module")
def text(trends: list[rg.Trend]) -> str:
    return page(trends)


def data_of(text: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert found
    made: dict[str, Any] = json.loads(found[1])
    return made


def section(text: str, number: int) -> str:
    return text.split(f'<section id="trend-{number}"')[1].split("</section>")[0]


def test_every_number_is_that_of_its_place_in_the_json(text: str) -> None:
    data = data_of(text)
    found = re.findall(r'<data value="[^"]*" data-key="([^"]*)" data-as="([^"]*)"[^>]*>([^<]*)</data>', text)
    assert len(found) > 2 * 47 * 9
    for key, form, shown in found:
        number: Any = data
        for step in key.split("/")[1:]:
            number = number[int(step)] if isinstance(number, list) else number[step]
        assert shown == (NONE if number is None else FORMS[form](number))


def test_it_names_no_address(text: str) -> None:
    assert re.findall(r"\w+://[^\s\"'<]+", text) == []


def test_the_verdicts_stand_first_in_their_words(text: str, trends: list[rg.Trend]) -> None:
    main = text.split("<main>")[1]
    assert main.startswith('<section id="verdict"')
    assert re.findall(r'<p class="sentence">(.*?)</p>', main) == [one.said.sentence for one in trends]
    assert re.findall(r'data-status="(.*?)"', main) == [one.said.day.status for one in trends]


def test_each_day_with_results_has_a_point_and_flagged_ones_a_mark(text: str, trends: list[rg.Trend]) -> None:
    drawn = section(text, 1)
    assert drawn.count("<circle") == 47
    flagged = [day for day in trends[0].days if day.status in ("drop", "slow drop", "not comparable")]
    assert drawn.count('class="glyph"') == len(flagged) >= 8
    assert drawn.count('class="point hollow"') == 6, "five days too early, one not comparable"
    assert drawn.count('class="gap"') == 3 * 3
    assert drawn.count('class="band"') == sum(day.band_low is not None for day in trends[0].days)


def test_a_new_level_is_drawn_and_said(text: str) -> None:
    drawn = section(text, 1)
    assert drawn.count(">new level</text>") == 1
    assert '<ul class="levels"><li>New level since 2026-07-01: 0.4' in drawn


def test_the_table_has_every_day_newest_first_and_gaps_in_one_row(text: str) -> None:
    rows = re.findall(r'<tr><th scope="row">(.*?)</th>', section(text, 1))
    assert len(rows) == 50 - 1
    assert rows[0] == "2026-07-20"
    assert rows[-1] == "2026-06-01"
    assert "2026-06-11 to 2026-06-12" in rows


def test_the_table_stands_open_where_it_is_short(tmp_path: Path, text: str) -> None:
    assert "<details open>" in page([rg.trend(simulated(tmp_path, 20), "P@5")])
    assert "<details open>" not in text


def test_the_chart_says_in_words_what_it_shows(text: str) -> None:
    assert "P@5 from 2026-06-01 to 2026-07-20: 2026-06-21 not comparable, " in section(text, 1)
    assert "Judged@5 from 2026-06-01 to 2026-07-20: 2026-06-21 drop." in section(text, 2)


def test_each_day_is_said_in_one_line(trends: list[rg.Trend], text: str) -> None:
    labels = data_of(text)["page"]["labels"][0]
    assert len(labels) == 50
    assert labels[10] == "2026-06-11: no data"
    assert re.fullmatch(
        r"2026-06-10, as expected: P@5 0\.\d{4} \[0\.\d{4}, 0\.\d{4}\], expected 0\.\d{4} to 0\.\d{4}; "
        r"200 queries; 0\.0% unjudged",
        labels[9],
    )
    assert described("P@5", {"date": "2026-06-01", "status": "no data", "mean": None}) == "2026-06-01: no data"


def test_names_from_outside_cannot_break_out(trends: list[rg.Trend]) -> None:
    hostile = replace(trends[0], measure=HOSTILE, source=HOSTILE)
    written = page([hostile], title=HOSTILE)
    assert "<img" not in written
    assert data_of(written)["trends"][0]["measure"] == HOSTILE


def test_a_year_is_drawn_with_months_below(tmp_path: Path) -> None:
    found = rg.trend(simulated(tmp_path, 200, queries=40), "P@5", rules=rg.TrendRules())
    drawn = section(page([found]), 1)
    assert 'class="timeline dense"' in drawn
    assert re.findall(r">(\w{3}(?: \d{4})?)</text>", drawn) == ["Jun 2026", "Aug", "Oct", "Dec"]


def test_one_day_alone_is_drawn(tmp_path: Path) -> None:
    drawn = section(page([rg.trend(simulated(tmp_path, 1), "P@5")]), 1)
    assert drawn.count("<circle") == 1
    assert "Jun 1" in drawn


def test_a_measure_that_sees_no_unjudged_documents_says_so(tmp_path: Path) -> None:
    results = simulated(tmp_path, 6, measures=["P(judged_only=True)@5"])
    assert "sees none of them" in page([rg.trend(results, "P(judged_only=True)@5")])


def test_the_notes_say_how_the_band_was_had(trends: list[rg.Trend], tmp_path: Path) -> None:
    assert "from the means of the last 28 days that were as expected, chance of a false alarm 0.005" in page(trends)
    rules = rg.TrendRules(band=0.02, baseline=(date(0), date(9)), seasonal=7, slow=0)
    said = page([rg.trend(simulated(tmp_path, 12), "P@5", rules=rules)])
    assert "0.02 to either side of the mean of the days from 2026-06-01 to 2026-06-10" in said
    assert "not looked at: single days only" in said


def test_a_place_that_cannot_be_written_is_an_error(trends: list[rg.Trend], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected a place to write the report"):
        save_trends(trends, tmp_path / "no" / "where.html")
