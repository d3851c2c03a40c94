"""The streaming engine: the same table as one batch gives, however the rows come and whatever fits in memory."""

from __future__ import annotations

import gc
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import rankgauge as rg
from pieces import Frames
from rankgauge.engines import batch, stream, streaming
from rankgauge.engines.budget import Budget
from rankgauge.engines.plan import Plan, plan
from rankgauge.engines.results import Results, read_results
from rankgauge.errors import EmptyInputError, InputError

MEASURES = ["nDCG@3", "AP", "P@2", "Judged@3", "GMAP"]
QUERIES = ("q1", "q2", "q3", "007", "ü")
DAYS = ("mon", "tue")
ROWS = {"day": pl.String, "query": pl.String, "doc": pl.String, "score": pl.Float64, "grade": pl.Float64}
GRADES = st.sampled_from([None, float("nan"), -1.0, 0.0, 1.0, 3.0])


def rows_of(days: tuple[str, ...], grades: st.SearchStrategy[Any]) -> st.SearchStrategy[pl.DataFrame]:
    """Rows of rankings in any order, no document twice in one."""
    keys = st.tuples(st.sampled_from(days), st.sampled_from(QUERIES), st.sampled_from("abcde"))
    row = st.tuples(keys, st.sampled_from([0.0, 0.5, 1.0]), grades)
    listed = st.lists(row, min_size=1, max_size=30, unique_by=lambda one: one[0])
    return listed.map(lambda rows: pl.DataFrame([(*key, *rest) for key, *rest in rows], ROWS, orient="row"))


def cut(frame: pl.DataFrame, at: list[int]) -> list[pl.DataFrame]:
    """Cut a frame into pieces, some of them empty."""
    borders = [0, *sorted(place % (len(frame) + 1) for place in at), len(frame)]
    return [frame[low:high] for low, high in itertools.pairwise(borders)]


def in_memory(rows: pl.DataFrame, how: Plan, qrels: pl.DataFrame | None = None) -> pl.DataFrame:
    """The table of one batch; judged groups without rankings are not in it."""
    table = batch.score(rows, how, qrels)
    return table.join(rows.select(how.by).unique(), on=list(how.by), how="semi") if how.by else table


def same(found: Results, expected: pl.DataFrame, how: Plan) -> None:
    """To the bit, scores and summary."""
    keys = [*how.by, "query"]
    assert_frame_equal(
        found.scores().collect().select(expected.columns).sort(keys), expected.sort(keys), check_exact=True
    )
    summary = how.summary(expected)
    for name in how.numbers:
        assert found.summary.moments(name) == summary.moments(name)


@pytest.fixture
def bounded(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Let so few rows be in memory."""

    def bound(rows: int, most: int | None = None, judgments: int = 1 << 30) -> None:
        monkeypatch.setattr(streaming, "budget", lambda memory, sample: Budget(rows, most or rows, judgments))

    return bound


def planned(by: tuple[str, ...] = (), **choices: Any) -> Plan:
    return plan(MEASURES, order="score", top_grade=3.0, by=by, **choices)


def log(frames: list[pl.DataFrame], **choices: Any) -> Frames:
    return Frames(frames, order="score", **choices)


def qrels_of(frame: pl.DataFrame) -> Frames:
    return Frames(cut(frame, [2]), label="qrels", by=tuple(name for name in ("day",) if name in frame.columns))


@settings(max_examples=40)
@given(rows_of(DAYS[:1], GRADES), st.lists(st.integers(0, 30), max_size=3), st.integers(1, 12))
def test_any_order_pieces_and_batches_give_the_table_of_one_batch(tmp_path_factory, rows, at, size):
    check(tmp_path_factory.mktemp("out"), rows.drop("day"), at, size, None, judgments=1 << 30)


@settings(max_examples=40)
@given(
    rows_of(DAYS, GRADES),
    rows_of(DAYS, st.sampled_from([-1.0, 0.0, 1.0, 3.0])),
    st.lists(st.integers(0, 30), max_size=3),
    st.integers(1, 12),
    st.sampled_from([0, 1 << 30]),
    st.booleans(),
)
def test_judgments_that_come_apart_hold_in_memory_or_parted_on_disk(
    tmp_path_factory, rows, qrels, at, size, held, days
):
    """Conflicts, judged queries without rankings, and days that are judged or not, included."""
    qrels = qrels.drop("score")
    qrels = qrels if days else qrels.drop("day").unique(["query", "doc"], maintain_order=True)
    check(tmp_path_factory.mktemp("out"), rows, at, size, qrels, judgments=held)


def check(out: Path, rows: pl.DataFrame, at: list[int], size: int, qrels: pl.DataFrame | None, judgments: int) -> None:
    by = ("day",) if "day" in rows.columns else ()
    top = max(
        1.0, *(frame["grade"].fill_nan(None).max() or 0.0 for frame in (rows, *([] if qrels is None else [qrels])))
    )
    how = planned(by).but(top_grade=top)
    expected = in_memory(rows, how, qrels)
    judged = None if qrels is None else qrels_of(qrels)
    source, choices = log(cut(rows, at), by=by), stream.Choices(out=out, memory=1 << 30)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streaming, "budget", lambda memory, sample: Budget(size, size, judgments))
        common = ((expected["status"] != "left out") & (expected["retrieved"] > 0)).any()
        if common:
            same(stream.evaluate_dataset(source, MEASURES, choices, judged), expected, how)
        else:
            with pytest.raises(InputError):
                stream.evaluate_dataset(source, MEASURES, choices, judged)
    assert not list(out.rglob("*.arrow"))
    assert (out / ".rankgauge").exists() != common


ONE = pl.DataFrame(
    [("a", "d1", 1, 1.0), ("a", "d2", 2, 0.0), ("b", "d1", 1, None), ("b", "d3", 2, 3.0), ("c", "d1", 1, 0.0)],
    {"query": pl.String, "doc": pl.String, "rank": pl.Int64, "grade": pl.Float64},
    orient="row",
)
JUDGED = pl.DataFrame({"query": ["a", "x", "y"], "doc": ["d1", "d1", "d1"], "grade": [1.0, 2.0, 0.0]})


def days(*names: str) -> Frames:
    """The same rows on several days, each a piece whose path names it."""
    frames = [ONE.select(pl.lit(name).alias("day"), pl.all()) for name in names]
    return Frames(frames, by=("day",), groups=[(name,) for name in names])


def evaluate(source: Frames, out: Path | None = None, qrels: Frames | None = None, **choices: Any) -> Results:
    return stream.evaluate_dataset(source, ["P@1", "RR"], stream.Choices(out=out, **choices), qrels)


def kinds(found: Results) -> dict[str, int]:
    return {note.kind: note.count for notes in found.about.notes.values() for note in notes}


def test_values_are_those_of_the_rankings(tmp_path):
    scores = evaluate(Frames([ONE]), tmp_path).scores().sort("query").collect()
    assert scores.select("query", "status", "retrieved", "P@1", "RR").rows() == [
        ("a", "scored", 2, 1.0, 1.0),
        ("b", "scored", 2, 0.0, 0.5),
        ("c", "scored", 1, 0.0, 0.0),
    ]


def test_without_a_folder_the_summary_comes_back_and_no_file_stays(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    found = evaluate(Frames([ONE]))
    assert found.summary.moments("RR").mean == 0.5
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(InputError, match="expected a folder that keeps scores, got none; name one: out=FOLDER"):
        found.scores()


def test_what_is_written_is_the_scores_their_summary_and_nothing_else(tmp_path):
    found = evaluate(days("mon", "tue"), tmp_path)
    assert sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()) == [
        "about.json",
        "counts.parquet",
        "scores/day=mon/part-00000.parquet",
        "scores/day=tue/part-00000.parquet",
        "totals.parquet",
    ]
    again = read_results(tmp_path)
    assert again.about == found.about
    assert again.summary.totals.equals(found.summary.totals)


def test_a_day_computed_again_takes_its_own_place_and_leaves_the_others(tmp_path):
    evaluate(days("mon", "tue"), tmp_path)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.glob("scores/day=mon/*")}
    changed = ONE.select(pl.lit("tue").alias("day"), pl.all()).filter(pl.col("query") != "b")
    found = evaluate(Frames([changed], by=("day",), groups=[("tue",)]), tmp_path)
    assert found.summary.groups() == [{"day": "tue"}]
    whole = read_results(tmp_path)
    assert whole.summary.counted(day="mon") == 3
    assert whole.summary.counted(day="tue") == 2
    assert len(whole.scores().collect()) == 5
    assert {path: path.stat().st_mtime_ns for path in tmp_path.glob("scores/day=mon/*")} == before


def test_the_same_days_again_change_nothing(tmp_path):
    evaluate(days("mon", "tue"), tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    evaluate(days("mon", "tue"), tmp_path)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_fewer_score_files_than_before_leave_none_of_the_old_ones(tmp_path, monkeypatch, bounded):
    bounded(2)
    monkeypatch.setattr("rankgauge.engines.units.PART_QUERIES", 1)
    evaluate(Frames([ONE]), tmp_path)
    assert len(list(tmp_path.rglob("part-*"))) == 3
    monkeypatch.undo()
    evaluate(Frames([ONE]), tmp_path)
    assert len(read_results(tmp_path).scores().collect()) == 3


def test_a_folder_of_other_measures_is_refused_before_anything_is_read(tmp_path):
    evaluate(Frames([ONE]), tmp_path)
    source = Frames([ONE])
    with pytest.raises(InputError, match="an empty folder or results of the same kind, got P@1, RR"):
        stream.evaluate_dataset(source, ["AP"], stream.Choices(out=tmp_path))
    assert source.read == []


def test_groups_of_odd_names_come_back_as_they_are(tmp_path):
    names = ["a/b", "x=y", "%41", "ü ü", ".."]
    frame = pl.concat(ONE.select(pl.lit(name).alias("day"), pl.all()) for name in names)
    found = evaluate(Frames([frame], by=("day",)), tmp_path)
    assert sorted(found.scores().collect()["day"].unique()) == sorted(names)
    assert [group["day"] for group in found.summary.groups()] == sorted(names)


@pytest.mark.parametrize("judgments", [0, 1 << 30])
def test_judged_queries_without_results_are_missing_once_in_each_group(tmp_path, bounded, judgments):
    bounded(2, judgments=judgments)
    found = evaluate(days("mon", "tue"), tmp_path, Frames([JUDGED], label="qrels"))
    missing = found.scores().filter(pl.col("status") == "missing").select("day", "query", "RR").collect()
    assert sorted(missing.rows()) == [("mon", "x", 0.0), ("mon", "y", 0.0), ("tue", "x", 0.0), ("tue", "y", 0.0)]
    assert found.summary.moments("P@1", day="mon").n == 5  # b and c count by the grades on their rows
    assert found.summary.count("left out") == 0


@pytest.mark.parametrize("judgments", [0, 1 << 30])
def test_judged_groups_without_rankings_are_left_out_and_counted(tmp_path, bounded, judgments):
    bounded(2, judgments=judgments)
    judged = pl.concat(JUDGED.select(pl.lit(day).alias("day"), pl.all()) for day in ("mon", "wed", "thu"))
    found = evaluate(days("mon"), tmp_path, Frames([judged], by=("day",), label="qrels"))
    assert found.summary.groups() == [{"day": "mon"}]
    assert kinds(found)["groups left out"] == 2


def test_missing_queries_do_not_count_where_the_convention_says_so(tmp_path):
    how = rg.CONVENTIONS["default"].but(queries="both")
    found = evaluate(Frames([ONE]), tmp_path, Frames([JUDGED], label="qrels"), convention=how)
    assert found.summary.count("missing") == 0
    assert found.summary.count("not counted") == 2
    assert kinds(found)["queries not counted"] == 2


def test_a_query_larger_than_the_memory_is_scored_alone_and_said(tmp_path, bounded):
    bounded(2)
    ranks = pl.DataFrame({"query": ["big"] * 5, "doc": list("abcde"), "rank": range(1, 6), "grade": [0.0] * 4 + [1.0]})
    found = evaluate(Frames([ONE[:2], ranks, ONE[2:]]), tmp_path)
    assert found.scores().filter(pl.col("query") == "big").collect()["RR"].to_list() == [0.2]
    note = next(note for note in found.about.notes[""] if note.kind == "large query")
    assert note.text.startswith("query 'big' has 5 rows (0 MB), more than the memory it was to have")


def test_a_large_query_among_scattered_rows_is_parted_from_the_others(tmp_path, bounded):
    bounded(3)
    big = pl.DataFrame({"query": ["big"] * 9, "doc": list("abcdefghi"), "rank": range(1, 10), "grade": [1.0] * 9})
    frame = pl.concat([big[::2], ONE[::2], big[1::2], ONE[1::2]])
    found = evaluate(Frames([frame]), tmp_path)
    assert dict(found.scores().select("query", "retrieved").collect().iter_rows()) == {"big": 9, "a": 2, "b": 2, "c": 1}
    assert kinds(found)["large query"] == 9


def test_rows_in_one_pass_are_read_once_and_scattered_ones_twice(tmp_path, bounded):
    bounded(2)
    seen: list[tuple[int, int, str]] = []
    grouped = Frames([ONE])
    evaluate(grouped, tmp_path / "grouped", progress=lambda *what: seen.append(what))
    assert seen == [(2, 5, "scoring"), (4, 5, "scoring"), (5, 5, "scoring")]
    assert [row for _, row in grouped.read] == [0, 0, 2, 4]  # the first is the sample
    seen.clear()
    scattered = Frames([ONE[[0, 2, 1, 3, 4]]])
    evaluate(scattered, tmp_path / "scattered", progress=lambda *what: seen.append(what))
    assert [done for done, _, what in seen if what == "scoring"][-1] == 5
    assert {what for _, _, what in seen} == {"scoring", "parting on disk"}


def test_the_log_alone_says_what_its_ideal_knows(tmp_path):
    assert "the ideal ranking knows the judged rows of the log only" in evaluate(Frames([ONE])).about.notes[""][0].text
    assert "ideal" not in kinds(evaluate(Frames([ONE]), qrels=Frames([JUDGED], label="qrels")))


def test_trusted_ranks_are_scored_without_ids_and_said(tmp_path):
    found = evaluate(Frames([ONE.drop("doc")], trusted=True), tmp_path)
    assert found.summary.moments("RR").mean == 0.5
    assert kinds(found)["trusted"] == 1


@pytest.mark.parametrize(
    ("source", "qrels", "message"),
    [
        (Frames([ONE.drop("grade")], graded=False), None, "log: expected a column of grades, got none; name it with"),
        (Frames([ONE.clear()]), None, "log: expected at least one row, got none"),
        (
            Frames([ONE.with_columns(grade=None)]),
            None,
            "log: expected at least one judged row, got grades that are all",
        ),
        (
            Frames([ONE.drop("doc")], trusted=True),
            Frames([JUDGED]),
            "expected documents to join with the qrels, got ids",
        ),
        (Frames([ONE]), Frames([JUDGED.clear()], label="qrels"), "qrels: expected at least one judgment, got none"),
        (Frames([ONE]), Frames([JUDGED], by=("day",), label="qrels"), "qrels: expected judgments parted like the rank"),
        (
            Frames([ONE.with_columns(grade=None)]),
            Frames([JUDGED.with_columns(query="q_" + pl.col("query"))]),
            r"run 'log': expected a query that the qrels judge, got none .* without the letters before the number",
        ),
    ],
    ids=["no grades", "no rows", "nothing judged", "no ids", "no judgments", "parted otherwise", "strangers"],
)
def test_what_cannot_be_scored_is_refused_with_advice(source, qrels, message):
    error = EmptyInputError if "at least one" in message else InputError
    with pytest.raises(error, match=message):
        evaluate(source, qrels=qrels)


def test_a_batch_leaves_nothing_behind_that_only_the_garbage_collector_finds():
    how = plan(["nDCG@3", "RR", "ERR", "RBP"], order="rank", top_grade=3.0)
    batch.score(ONE, how)
    gc.collect()
    gc.disable()
    try:
        batch.score(ONE, how)
        assert gc.collect() == 0
    finally:
        gc.enable()
