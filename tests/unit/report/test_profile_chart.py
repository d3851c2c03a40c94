"""Charts of user models: what is drawn, and what is said about it."""

from __future__ import annotations

from typing import Any

import pytest

import rankgauge as rg
from rankgauge.errors import MeasureError, ParameterError
from rankgauge.report.charts import save_chart
from rankgauge.report.profiles import profile_chart


def drawn(*measures: str, **how: Any) -> dict[str, Any]:
    return profile_chart(measures, **how).to_dict()


def panels(spec: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The three panels by the letter that their titles start with."""
    above, below = spec["vconcat"]
    return {panel["title"]["text"][0]: panel for panel in [above, *below["hconcat"]]}


def points(spec: dict[str, Any], panel: str, measure: str) -> list[tuple[int, float]]:
    rows = spec["datasets"][panels(spec)[panel]["data"]["name"]]
    return [(row["rank"], row["value"]) for row in rows if row["measure"] == measure]


def test_each_panel_draws_its_array_rank_by_rank():
    spec = drawn("RBP(p=0.5)", depth=3)
    assert points(spec, "W", "RBP(p=0.5)") == [(1, 0.5), (2, 0.25), (3, 0.125)]
    assert points(spec, "C", "RBP(p=0.5)") == [(1, 0.5), (2, 0.5), (3, 0.5)]
    assert points(spec, "L", "RBP(p=0.5)") == [(1, 0.5), (2, 0.25), (3, 0.125)]


def test_nobody_is_drawn_below_the_rank_where_all_have_stopped():
    spec = drawn("P@2", depth=9)
    assert points(spec, "W", "P@2") == [(1, 0.5), (2, 0.5), (3, 0.0)]
    assert points(spec, "C", "P@2") == [(1, 1.0), (2, 0.0)]
    assert points(spec, "L", "P@2") == [(1, 0.0), (2, 1.0), (3, 0.0)]


def test_the_subtitle_says_what_adaptive_users_were_shown():
    assert drawn("RR")["title"]["subtitle"][1].endswith("a ranking with one relevant document, at rank 3.")
    assert drawn("RR", gains=[0, 0.5, 1])["title"]["subtitle"][1].endswith("the gains 0.5 at rank 2, 1 at rank 3.")
    assert drawn("RR", gains=[])["title"]["subtitle"][1].endswith("a ranking with nothing relevant.")
    assert len(drawn("P@5")["title"]["subtitle"]) == 1


def test_adaptive_users_are_dashed():
    layer = panels(drawn("P@5", "RR"))["W"]["layer"][0]
    assert layer["encoding"]["strokeDash"]["scale"] == {"domain": ["P@5", "RR"], "range": [[1, 0], [6, 3]]}


def test_a_measure_named_twice_is_drawn_once():
    spec = drawn("P@2", rg.P @ 2, depth=2)
    assert points(spec, "W", "P@2") == [(1, 0.5), (2, 0.5)]


def test_more_measures_than_colours_are_an_error():
    with pytest.raises(ParameterError, match="profile chart: expected 1 to 7 measures, got 8"):
        drawn(*(f"P@{k}" for k in range(1, 9)))
    with pytest.raises(ParameterError, match="profile chart: expected 1 to 7 measures, got 0"):
        drawn()


def test_a_depth_beyond_the_horizon_is_an_error():
    with pytest.raises(ParameterError, match="profile chart: expected a depth from 1 to 1000, got 1001"):
        drawn("P@5", depth=1001)


def test_a_measure_without_a_user_is_an_error():
    with pytest.raises(MeasureError, match="bpref: expected a measure that is a user model"):
        drawn("bpref")


def test_a_chart_is_saved(tmp_path):
    save_chart(profile_chart(["P@10", "RBP(p=0.8)", "DCG", "ERR"], depth=1000), tmp_path / "users.svg")
    text = (tmp_path / "users.svg").read_text("utf-8")
    assert "How users read a ranking" in text and "ERR" in text
