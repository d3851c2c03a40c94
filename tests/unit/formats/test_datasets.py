"""Datasets of Parquet files: which files, which columns, which rows."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from rankgauge.errors import EmptyInputError, FormatError, InputError
from rankgauge.formats.datasets import Dataset, Piece, Survey, open_dataset

LOG: Mapping[str, list[Any]] = {
    "query_id": ["q1", "q1", "q2"],
    "document_id": ["007", "NA", "1e5"],
    "model_rank": [1, 2, 1],
    "relevance_score": [3.0, None, 0.0],
}


def written(path: Path, columns: Mapping[str, Any] = LOG, **how: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pl.DataFrame(columns).write_parquet(path, **how)
    return path


def rows_of(dataset: Dataset, rows: int = 2) -> list[tuple[Any, ...]]:
    frames = [frame for piece in range(len(dataset.pieces)) for frame in dataset.batches(piece, rows=rows)]
    return [row for frame in frames for row in frame.rows()]


def test_a_log_in_one_file_is_read_with_ids_as_they_stand(tmp_path: Path) -> None:
    dataset = open_dataset(written(tmp_path / "log.parquet"), holds="log")
    frames = list(dataset.batches(0, rows=2))
    assert [frame.rows() for frame in frames] == [
        [("q1", "007", 1, 3.0), ("q1", "NA", 2, None)],
        [("q2", "1e5", 1, 0.0)],
    ]
    assert frames[0].schema == {"query": pl.String, "doc": pl.String, "rank": pl.Int64, "grade": pl.Float64}
    assert (dataset.kind, dataset.order, dataset.graded, dataset.by) == ("parquet", "rank", True, ())


def test_the_survey_counts_rows_and_finds_the_top_grade(tmp_path: Path) -> None:
    written(tmp_path / "a.parquet")
    written(tmp_path / "b.parquet", {**LOG, "relevance_score": [4, 1, 2]})
    found = open_dataset(tmp_path, holds="log").survey()
    assert (found.rows, found.pieces, found.top_grade, found.from_zero, found.empty_grades) == (
        6,
        (3, 3),
        4.0,
        False,
        1,
    )
    assert [(note.kind, note.count) for note in found.notes] == [("empty grades", 1), ("rank as score", 6)]


def test_the_top_grade_is_at_least_1(tmp_path: Path) -> None:
    path = written(tmp_path / "a.parquet", {**LOG, "relevance_score": [0.0, None, float("nan")]})
    found = open_dataset(path, holds="log").survey()
    assert (found.top_grade, found.empty_grades) == (1.0, 2)


@pytest.mark.parametrize("size", [1, 2, 100])
@pytest.mark.parametrize("rows", [1, 2, 3, 7])
@pytest.mark.parametrize("start", [0, 1, 4, 9, 10, 11])
def test_batches_start_anywhere_and_keep_the_files_order(tmp_path: Path, size: int, rows: int, start: int) -> None:
    docs = [f"d{number}" for number in range(10)]
    columns = {"query": ["q"] * 10, "doc": docs, "rank": range(1, 11), "grade": [0.0] * 10}
    path = written(tmp_path / "log.parquet", columns, row_group_size=size)
    frames = list(open_dataset(path, holds="log").batches(0, start=start, rows=rows))
    assert [doc for frame in frames for doc in frame["doc"]] == docs[start:]
    assert all(0 < len(frame) <= rows for frame in frames)


def test_a_folder_is_searched_through_and_hidden_files_are_left_out(tmp_path: Path) -> None:
    for name in ("part-10.parquet", "part-2.parquet", "deep/er/x.pq"):
        written(tmp_path / name)
    for name in ("_SUCCESS", ".part-2.parquet.crc", "x.parquet.crc", "_temporary/0/y.parquet", ".hidden/z.csv"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"?")
    names = [piece.path.removeprefix(f"{tmp_path}/") for piece in open_dataset(tmp_path, holds="log").pieces]
    assert names == ["deep/er/x.pq", "part-10.parquet", "part-2.parquet"]


@pytest.mark.parametrize(
    ("glob", "names"),
    [
        ("*.parquet", ["a.parquet"]),
        ("**/*.parquet", ["a.parquet", "d=1/b.parquet", "d=2/e/c.parquet"]),
        ("d=*", ["d=1/b.parquet", "d=2/e/c.parquet"]),
        ("d=*/", ["d=1/b.parquet", "d=2/e/c.parquet"]),
        ("d=[!2]/?.parquet", ["d=1/b.parquet"]),
    ],
)
def test_a_glob_stands_for_what_it_matches_and_what_lies_below(tmp_path: Path, glob: str, names: list[str]) -> None:
    for name in ("a.parquet", "d=1/b.parquet", "d=2/e/c.parquet"):
        written(tmp_path / name)
    dataset = open_dataset(f"{tmp_path}/{glob}", holds="log", by=())
    assert [piece.path.removeprefix(f"{tmp_path}/") for piece in dataset.pieces] == names


def test_relative_paths_and_globs_are_found_from_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path / "a.parquet")
    written(tmp_path / "_b.parquet")
    monkeypatch.chdir(tmp_path)
    assert [piece.path for piece in open_dataset("*.parquet", holds="log").pieces] == ["a.parquet"]
    assert [piece.path for piece in open_dataset("_b.parquet", holds="log").pieces] == ["_b.parquet"]


def test_a_name_with_the_letters_of_a_glob_is_a_name(tmp_path: Path) -> None:
    written(tmp_path / "logs[1]" / "x*.parquet")
    assert len(open_dataset(tmp_path / "logs[1]", holds="log").pieces) == 1
    assert len(open_dataset(tmp_path / "logs[1]" / "x*.parquet", holds="log").survey().pieces) == 1


def test_a_file_that_is_named_twice_is_read_once_and_that_is_said(tmp_path: Path) -> None:
    path = written(tmp_path / "a.parquet")
    dataset = open_dataset([tmp_path, path, f"file://{path}"], holds="log")
    assert len(dataset.pieces) == 1
    assert dataset.notes[0].text == "2 files were named twice and are read once"


def test_files_of_several_kinds_are_listed(tmp_path: Path) -> None:
    written(tmp_path / "a.parquet")
    (tmp_path / "b.csv").write_text("query,doc,rank,grade\n")
    (tmp_path / "README.md").write_text("?")
    message = r"expected files of one kind.*parquet: '.*a.parquet'.*csv: '.*b.csv'|of no known kind: '.*README.md'"
    with pytest.raises(InputError, match=message):
        open_dataset(tmp_path, holds="log")
    assert open_dataset(f"{tmp_path}/*.csv", holds="log").kind == "csv"


def test_the_kind_can_be_named(tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    path.write_text("query,doc,rank,grade\nq,d,1,2\n")
    assert rows_of(open_dataset(path, holds="log", format="csv")) == [("q", "d", 1, 2.0)]
    with pytest.raises(InputError, match=r"of no known kind.*name the files by a glob, or the kind by format="):
        open_dataset(path, holds="log")
    with pytest.raises(InputError, match=r"expected one of parquet, arrow, csv, tsv, jsonl.*got 'parquets'; did you"):
        open_dataset(path, holds="log", format="parquets")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("no/such", "expected a file, a folder or a glob, got nothing of that name"),
        ("*.parquet", "expected at least one file, got none"),
        ("ftp://host/logs", "expected an address of file, s3.*got ftp://"),
    ],
)
def test_a_source_that_stands_for_nothing_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=message):
        open_dataset(source, holds="log")


def test_dates_in_the_paths_part_rankings(tmp_path: Path) -> None:
    written(tmp_path / "country=de" / "date=2026-06-26" / "a.parquet")
    written(tmp_path / "country=de" / "date=2026-06-27" / "a.parquet")
    dataset = open_dataset(tmp_path, holds="log")
    assert dataset.by == ("date",)
    assert [piece.group for piece in dataset.pieces] == [("2026-06-26",), ("2026-06-27",)]
    frame = next(dataset.batches(1, rows=1))
    assert frame.columns == ["date", "query", "doc", "rank", "grade"]
    assert frame.row(0) == ("2026-06-27", "q1", "007", 1, 3.0)
    assert dataset.notes[0].text == "the paths part rankings by date: 2 groups"


def test_the_partition_may_stand_in_the_source_itself(tmp_path: Path) -> None:
    written(tmp_path / "date=2026-06-26" / "a.parquet")
    dataset = open_dataset(tmp_path / "date=2026-06-26", holds="log")
    assert (dataset.by, dataset.pieces[0].group) == (("date",), ("2026-06-26",))


@pytest.mark.parametrize(
    ("by", "group", "row"),
    [
        ((), (), ("q1", "007")),
        (("country", "hour"), ("de at", "2026-06-26T13:00"), ("de at", "2026-06-26T13:00", "q1", "007")),
        (("day",), (), ("2026-06-25", "q1", "007")),
        (("hour", "day"), (), ("2026-06-26T13:00", "2026-06-25", "q1", "007")),
        (None, ("2026-06-26T13:00",), ("2026-06-26T13:00", "q1", "007")),
    ],
)
def test_by_names_keys_and_columns(
    tmp_path: Path, by: tuple[str, ...] | None, group: tuple[str, ...], row: tuple[str, ...]
) -> None:
    path = tmp_path / "country=de%20at" / "hour=2026-06-26T13%3A00" / "a.parquet"
    written(path, {**LOG, "day": [datetime.date(2026, 6, 25)] * 3})
    dataset = open_dataset(tmp_path, holds="log", by=by)
    assert dataset.pieces[0].group == group
    assert next(dataset.batches(0, rows=1)).row(0)[: len(row)] == row
    assert dataset.survey().rows == 3


def test_the_key_in_the_path_holds_against_a_column_of_its_name(tmp_path: Path) -> None:
    written(tmp_path / "date=2026-06-26" / "a.parquet", {**LOG, "date": ["elsewhere"] * 3})
    assert next(open_dataset(tmp_path, holds="log").batches(0, rows=1))["date"].to_list() == ["2026-06-26"]


def test_a_path_without_the_key_or_its_value_is_refused(tmp_path: Path) -> None:
    written(tmp_path / "date=2026-06-26" / "a.parquet")
    written(tmp_path / "date=__HIVE_DEFAULT_PARTITION__" / "a.parquet")
    written(tmp_path / "z.parquet")
    with pytest.raises(InputError) as caught:
        open_dataset(tmp_path, holds="log")
    assert [fault.got for fault in caught.value.faults] == ["__HIVE_DEFAULT_PARTITION__", "none"]
    assert str(caught.value.faults[1]).endswith(
        "z.parquet: expected a folder date=VALUE in the path, got none; move the file, or pass by=()"
    )
    assert len(open_dataset(tmp_path, holds="log", by=()).pieces) == 3


def test_by_of_nothing_known_is_refused(tmp_path: Path) -> None:
    written(tmp_path / "date=2026-06-26" / "a.parquet")
    with pytest.raises(
        InputError, match=r"by: expected a key of the paths or a column 'dat', got the keys date.*'date'"
    ):
        open_dataset(tmp_path, holds="log", by=("dat",))


@pytest.mark.parametrize(
    ("lacking", "message"),
    [
        ({"model_rank": [1, None, 1]}, "row 2: expected a rank or a grade, got none"),
        ({"model_rank": [1, -1, 1]}, "row 2: expected a rank from 1, or from 0, on, got -1"),
        ({"model_rank": [1.0, 2.5, 1.0]}, "row 2: expected a whole number as rank, got 2.5; is it a score"),
        ({"model_rank": ["1", "2", "1"]}, "column 'model_rank': expected numbers, got a column of String"),
        ({"relevance_score": [1.0, float("inf"), 2.0]}, "row 2: expected a finite grade, got inf"),
        ({"relevance_score": [True, False, True]}, "column 'relevance_score': expected numbers, got a column of Bool"),
        ({"document_id": ["a", None, ""]}, "row 2: expected an id in 'query_id' and 'document_id', got none"),
        ({"query_id": ["a", "", "b"]}, "row 2: expected an id in 'query_id' and 'document_id', got none"),
        ({"document_id": [1.0, 2.0, 3.0]}, "column 'document_id': expected ids as text or integers, got a column of F"),
    ],
)
def test_bad_rows_are_found_early_and_by_the_batches(tmp_path: Path, lacking: dict[str, Any], message: str) -> None:
    path = written(tmp_path / "bad.parquet", LOG | lacking)
    dataset = open_dataset(path, holds="log")
    with pytest.raises(InputError, match="bad.parquet, " + message):
        dataset.survey()
    said = message if " and 'document" not in message else "row 2: expected a (query|doc) id, got none"
    with pytest.raises(InputError, match=said):
        list(dataset.batches(0, rows=2))


def test_the_row_is_that_of_the_file_in_later_batches_too(tmp_path: Path) -> None:
    path = written(tmp_path / "bad.parquet", {**LOG, "model_rank": [1, 2, -3]})
    with pytest.raises(InputError, match=r"bad\.parquet, row 3: .* got -3"):
        list(open_dataset(path, holds="log").batches(0, start=1, rows=1))


def test_all_faults_of_all_files_are_collected_and_counted(tmp_path: Path) -> None:
    written(tmp_path / "a.parquet", {**LOG, "relevance_score": [float("inf")] * 3})
    many = {
        "query_id": ["q"] * 200,
        "document_id": ["d"] * 200,
        "model_rank": [-1] * 200,
        "relevance_score": [1.0] * 200,
    }
    written(tmp_path / "b.parquet", many)
    written(tmp_path / "c.parquet", {"query_id": ["q"], "document_id": ["d"]})
    with pytest.raises(FormatError) as caught:
        open_dataset(tmp_path, holds="log").survey()
    assert (len(caught.value.faults), caught.value.total) == (100, 204)
    assert caught.value.faults[0].where.endswith("a.parquet, row 1")


def test_a_file_without_a_column_is_named(tmp_path: Path) -> None:
    written(tmp_path / "a.parquet")
    written(tmp_path / "b.parquet", {name: LOG[name] for name in ("query_id", "document_id", "model_rank")})
    dataset = open_dataset(tmp_path, holds="log")
    message = "b.parquet: expected the columns 'relevance_score', as in the first file, got 'query_id', 'document_id'"
    with pytest.raises(FormatError, match=message):
        dataset.survey()
    with pytest.raises(FormatError, match=message):
        list(dataset.batches(1, rows=1))


def test_files_may_differ_in_types_that_hold_the_same(tmp_path: Path) -> None:
    written(tmp_path / "a.parquet")
    grades = pl.Series([None, None, None], dtype=pl.Null)
    ids = pl.Series(["x", "y", "z"], dtype=pl.Categorical)
    ranks = pl.Series([1, 2, 1], dtype=pl.UInt8)
    written(
        tmp_path / "b.parquet",
        {"query_id": [1, 2, 2], "document_id": ids, "model_rank": ranks, "relevance_score": grades},
    )
    written(tmp_path / "c.parquet", {**LOG, "model_rank": [1.0, 2.0, 1.0], "relevance_score": [1, 2, 3]})
    dataset = open_dataset(tmp_path, holds="log")
    assert dataset.survey().empty_grades == 4
    assert rows_of(dataset)[3:6] == [("1", "x", 1, None), ("2", "y", 2, None), ("2", "z", 1, None)]
    assert rows_of(dataset)[8] == ("q2", "1e5", 1, 3.0)


@pytest.mark.parametrize("kept", [0, 5, 200, -20])
def test_a_cut_off_file_is_named(tmp_path: Path, kept: int) -> None:
    whole = written(tmp_path / "b.parquet").read_bytes()
    (tmp_path / "b.parquet").write_bytes(whole[:kept])
    written(tmp_path / "a.parquet")
    dataset = open_dataset(tmp_path, holds="log")
    with pytest.raises(FormatError, match=r"b\.parquet: expected a whole parquet file, got broken content"):
        dataset.survey()
    with pytest.raises(FormatError, match=r"b\.parquet: expected a whole parquet file"):
        list(dataset.batches(1, rows=1))


def test_broken_pages_of_a_file_are_named(tmp_path: Path) -> None:
    path = written(tmp_path / "a.parquet", {**LOG, "query_id": ["q" * 1000] * 3})
    content = bytearray(path.read_bytes())
    content[20:60] = b"\xff" * 40
    path.write_bytes(content)
    dataset = open_dataset(path, holds="log")
    with pytest.raises(FormatError, match=r"a\.parquet: expected a whole parquet file, got broken content"):
        list(dataset.batches(0, rows=3))


def test_no_rows_at_all_is_an_error(tmp_path: Path) -> None:
    path = written(tmp_path / "a.parquet", pl.DataFrame(LOG).clear().to_dict())
    with pytest.raises(EmptyInputError, match="expected at least one row, got none in 1 files"):
        open_dataset(path, holds="log").survey()


def test_ranks_may_count_from_0(tmp_path: Path) -> None:
    path = written(tmp_path / "a.parquet", {**LOG, "model_rank": [0, 1, 0]})
    found = open_dataset(path, holds="log").survey()
    assert found.from_zero
    assert found.notes[-1].text == "the rank column decides; ranks count from 0 and were raised by 1"


def test_a_row_with_a_grade_needs_no_rank(tmp_path: Path) -> None:
    path = written(tmp_path / "a.parquet", {**LOG, "model_rank": [1.0, 2.0, float("nan")]})
    dataset = open_dataset(path, holds="log")
    assert dataset.survey().rows == 3
    assert rows_of(dataset)[2] == ("q2", "1e5", None, 0.0)


def test_documents_are_not_read_where_ranks_are_trusted(tmp_path: Path) -> None:
    path = written(tmp_path / "a.parquet", {**LOG, "document_id": ["a", None, "b"]})
    dataset = open_dataset(path, holds="log", trusted=True)
    assert dataset.survey().rows == 3
    assert rows_of(dataset) == [("q1", 1, 3.0), ("q1", 2, None), ("q2", 1, 0.0)]
    with pytest.raises(InputError, match="expected a rank column, as ranks are trusted, got scores"):
        open_dataset(path, holds="log", trusted=True, columns={"score": "model_rank"})


def test_arrow_files_are_read_like_parquet(tmp_path: Path) -> None:
    pl.DataFrame(LOG).write_ipc(tmp_path / "a.arrow")
    dataset = open_dataset(tmp_path, holds="log")
    assert dataset.survey().rows == 3
    assert rows_of(dataset)[2] == ("q2", "1e5", 1, 0.0)
    (tmp_path / "a.arrow").write_bytes(b"ARROW1")
    with pytest.raises(FormatError, match="expected a whole arrow file"):
        dataset.survey()


def test_the_identity_changes_with_the_files_and_with_what_is_read(tmp_path: Path) -> None:
    path = written(tmp_path / "a.parquet")
    before = open_dataset(tmp_path, holds="log").identity()
    assert open_dataset(tmp_path, holds="log").identity() == before
    assert open_dataset(tmp_path, holds="log", trusted=True).identity() != before
    written(path, {**LOG, "relevance_score": [3.0, 1.0, 0.0]})
    assert open_dataset(tmp_path, holds="log").identity() != before


def test_the_survey_tells_how_far_it_is(tmp_path: Path) -> None:
    written(tmp_path / "a.parquet")
    written(tmp_path / "b.parquet")
    dataset = open_dataset(tmp_path, holds="log")
    told: list[tuple[int, int]] = []
    dataset.survey(lambda done, total: told.append((done, total)))
    first, both = dataset.pieces[0].size, sum(piece.size for piece in dataset.pieces)
    assert told == [(first, both), (both, both)]


def test_judgments_without_a_grade_are_left_out_of_qrels_and_counted(tmp_path: Path) -> None:
    path = written(tmp_path / "qrels.parquet", {"query": ["q", "q"], "doc": ["a", "b"], "score": [None, 2]})
    dataset = open_dataset(path, holds="qrels")
    assert rows_of(dataset) == [("q", "b", 2.0)]
    assert dataset.survey().empty_grades == 1


def test_qrels_with_subtopics_are_refused(tmp_path: Path) -> None:
    columns = {"query": ["q"], "doc": ["a"], "grade": [1], "subtopic": ["s"]}
    with pytest.raises(InputError, match="expected judgments without subtopics, got the column 'subtopic'"):
        open_dataset(written(tmp_path / "qrels.parquet", columns), holds="qrels")


def test_scores_of_32_bits_and_infinite_ones_are_said(tmp_path: Path) -> None:
    scores = pl.Series([1.5, float("-inf")], dtype=pl.Float32)
    path = written(tmp_path / "run.parquet", {"query": ["q", "q"], "doc": ["a", "b"], "score": scores})
    dataset = open_dataset(path, holds="run")
    assert [(note.kind, note.count) for note in dataset.survey().notes] == [
        ("score precision", 2),
        ("infinite scores", 1),
    ]
    assert rows_of(dataset) == [("q", "a", 1.5), ("q", "b", float("-inf"))]


@pytest.mark.parametrize("score", [None, float("nan")])
def test_a_row_without_a_score_is_refused(tmp_path: Path, score: float | None) -> None:
    path = written(tmp_path / "run.parquet", {"query": ["q", "q"], "doc": ["a", "b"], "score": [1.0, score]})
    with pytest.raises(InputError, match="row 2: expected a finite score, got n"):
        open_dataset(path, holds="run").survey()


def test_what_a_dataset_is_made_of_can_be_compared() -> None:
    assert Piece("a", 1, "2", ("x",)) == Piece("a", 1, "2", ("x",))
    assert Survey(1, (1,), 1.0, False, 0, ()).pieces == (1,)
