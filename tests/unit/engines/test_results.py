"""The folder of results: days come and go, what does not belong together is refused, what is not whole is named."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from rankgauge.engines.plan import Plan, plan
from rankgauge.engines.results import About, about_of, key_of, read_results, write_results
from rankgauge.errors import InputError
from rankgauge.records import Note
from rankgauge.records.summary import Summary

BY_DAY = plan(["nDCG@3", "GMAP", "RBP(p=0.5)"], "beir", order="score", by=("day",), top_grade=3.0)


def table(chosen: Plan, days: dict[str | None, list[float]]) -> pl.DataFrame:
    rows = [
        {name: day for name in chosen.by}
        | {"query": str(number), "status": "scored", "retrieved": 5}
        | dict.fromkeys(chosen.numbers, value)
        for day, values in days.items()
        for number, value in enumerate(values)
    ]
    return pl.DataFrame(rows, schema=chosen.schema, orient="row")


def write(folder: Path, days: dict[str | None, list[float]], chosen: Plan = BY_DAY, note: str = "said"):
    summary = chosen.summary(table(chosen, days))
    notes = [Note("kind", 3, note)]
    return write_results(folder, about_of(chosen, summary, engine="stream", source="log", notes=notes), summary)


def same(one: Summary, other: Summary) -> None:
    assert one.by == other.by
    assert_frame_equal(one.totals, other.totals)
    assert_frame_equal(one.counts, other.counts)


def test_what_was_written_is_read_back(tmp_path):
    written = write(tmp_path / "out", {"mon": [0.1, 0.7], "tüe": [1.0]})
    found = read_results(tmp_path / "out")
    assert found.about == written.about
    assert found.about.measures == BY_DAY.columns
    assert (found.about.convention, found.about.order, found.about.by) == ("beir", "score", ("day",))
    assert found.about.top_grade == {"mon": 3.0, "tüe": 3.0}
    assert found.about.notes == {day: [Note("kind", 3, "said")] for day in ("mon", "tüe")}
    assert (found.about.engine, found.about.source) == ("stream", "log")
    same(found.summary, written.summary)


def test_a_rerun_of_a_day_replaces_it_and_keeps_the_others(tmp_path):
    write(tmp_path, {"mon": [0.1], "tue": [0.2, 0.4], None: [0.9]}, note="before")
    write(tmp_path, {"tue": [0.6], None: [0.3], "wed": [0.5]}, BY_DAY.but(top_grade=4.0), note="after")
    found = read_results(tmp_path)
    same(found.summary, BY_DAY.summary(table(BY_DAY, {"mon": [0.1], "tue": [0.6], None: [0.3], "wed": [0.5]})))
    assert found.about.top_grade == {"mon": 3.0, "tue": 4.0, "None": 4.0, "wed": 4.0}
    assert {day: notes[0].text for day, notes in found.about.notes.items()} == {
        "mon": "before", "tue": "after", "None": "after", "wed": "after",
    }  # fmt: skip


def test_the_order_in_which_days_come_does_not_matter(tmp_path):
    for folder, days in ((tmp_path / "a", ("mon", "tue", "wed")), (tmp_path / "b", ("wed", "mon", "tue"))):
        for day in days:
            write(folder, {day: [0.1, 1 / 3, 0.7]})
    same(read_results(tmp_path / "a").summary, read_results(tmp_path / "b").summary)


def test_without_days_a_rerun_replaces_everything(tmp_path):
    whole = plan("P@3", order="rank")
    write(tmp_path, {None: [0.1, 0.2]}, whole)
    write(tmp_path, {None: [0.6]}, whole)
    assert read_results(tmp_path).summary.moments("P@3").mean == 0.6


@pytest.mark.parametrize(
    "other",
    [
        plan(["nDCG@3", "GMAP"], "beir", order="score", by=("day",)),
        plan(["nDCG@3", "RBP(p=0.5)", "GMAP"], "beir", order="score", by=("day",)),
        plan(["nDCG(gain='linear')@3", "GMAP", "RBP(p=0.5)"], "default", order="score", by=("day",)),
        plan(["nDCG@3", "GMAP", "RBP(p=0.5)"], "beir", order="rank", by=("day",)),
        plan(["nDCG@3", "GMAP", "RBP(p=0.5)"], "beir", order="score", by=("system",)),
        plan(["nDCG@3", "GMAP", "RBP(p=0.5)"], "beir", order="score"),
    ],
    ids=["fewer measures", "another order of them", "another convention", "by rank", "other groups", "no groups"],
)
def test_results_of_another_kind_are_refused_and_the_folder_stays(tmp_path, other):
    write(tmp_path, {"mon": [0.1]})
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(InputError, match=r"expected an empty folder or results of the same kind, got nDCG.*'beir'"):
        write(tmp_path, {"mon": [0.2]}, other)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("name", ["about.json", "totals.parquet", "counts.parquet"])
def test_a_folder_that_lacks_a_file_is_refused(tmp_path, name):
    write(tmp_path, {"mon": [0.1]})
    (tmp_path / name).unlink()
    with pytest.raises(InputError, match=f"expected a folder of results, got no {name}; rankgauge evaluate"):
        read_results(tmp_path)


@pytest.mark.parametrize("name", ["about.json", "totals.parquet", "counts.parquet"])
def test_a_file_that_is_cut_short_is_refused(tmp_path, name):
    write(tmp_path, {"mon": [0.1]})
    content = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(content[: len(content) // 2])
    with pytest.raises(InputError, match=r"expected a whole folder of results, got .*; compute it again"):
        read_results(tmp_path)


def test_files_of_two_runs_are_refused(tmp_path):
    """As a rerun leaves them that is killed between two files."""
    write(tmp_path / "a", {"mon": [0.1]})
    write(tmp_path / "b", {"mon": [0.1, 0.2]})
    (tmp_path / "b" / "totals.parquet").replace(tmp_path / "a" / "totals.parquet")
    with pytest.raises(InputError, match=r"got totals.parquet and counts.parquet of different runs; compute it again"):
        read_results(tmp_path / "a")


@pytest.mark.parametrize(
    "change",
    [
        lambda known: known | {"format": 2},
        lambda known: known | {"colour": "red"},
        lambda known: {"format": 1},
        lambda known: list(known),
        lambda known: 7,
        lambda known: known | {"measures": [{"colour": "red"}]},
    ],
)
def test_a_description_that_is_none_is_refused(tmp_path, change):
    write(tmp_path, {"mon": [0.1]})
    path = tmp_path / "about.json"
    path.write_text(json.dumps(change(json.loads(path.read_text("utf-8")))), "utf-8")
    with pytest.raises(InputError, match="expected a whole folder of results"):
        read_results(tmp_path)


def test_a_path_that_is_no_folder_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file", tmp_path / "nothing"):
        with pytest.raises(InputError, match="expected a folder of results, got no "):
            read_results(path)


def test_nothing_but_the_three_files_is_left(tmp_path):
    write(tmp_path, {"mon": [0.1]})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["about.json", "counts.parquet", "totals.parquet"]


def test_groups_are_named_by_their_values():
    assert key_of({}) == ""
    assert key_of({"day": "mon", "system": None}) == "mon/None"


def test_results_share_a_folder_by_what_was_computed_and_not_by_what_computed_it():
    one = About(BY_DAY.columns, "beir", "score", ("day",), {"mon": 3.0}, "stream", "log")
    assert one.settings() == replace(one, engine="spark", source="other", top_grade={}).settings()
