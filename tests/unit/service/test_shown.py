"""The log of lists: the schema of logs, one list per query and day, whole files, and one writer."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import polars as pl
import pytest

from rankgauge.engines import stream
from rankgauge.errors import InputError
from rankgauge.service.shown import Shown, ShownLog

NOON = dt.datetime(2026, 6, 26, 12, tzinfo=dt.UTC).timestamp()
DAY = 24 * 3600.0


def written(folder: Path, place: str = "", day: str = "2026-06-26") -> pl.DataFrame:
    files = sorted((folder / place / f"date={day}").glob("*.parquet"))
    return pl.read_parquet(files, hive_partitioning=False)


def log(folder: Path, *shown: Shown, **how: int) -> ShownLog:
    """A log that these were written to, closed."""
    made = ShownLog(folder, **how)  # type: ignore[arg-type]
    for one in shown:
        assert made.put(one)
    made.close()
    assert made.fault == ""
    return made


def test_rows_have_the_columns_of_logs_and_no_grade(tmp_path):
    log(tmp_path, Shown(NOON, "007", {"": ("b", "a")}), Shown(NOON, "1e5", {"": ("c",)}))
    rows = written(tmp_path)
    assert rows.schema == {
        "query_id": pl.String, "document_id": pl.String, "model_rank": pl.Int32, "relevance_score": pl.Float64
    }  # fmt: skip
    assert rows.rows() == [("007", "b", 1, None), ("007", "a", 2, None), ("1e5", "c", 1, None)]


def test_one_query_on_one_day_is_one_list_also_after_a_restart(tmp_path):
    first = log(tmp_path, Shown(NOON, "q", {"": ("a",)}), Shown(NOON, "q", {"": ("b",)}))
    assert first.counts == {"lists": 1, "repeated": 1, "rows": 1}
    again = log(tmp_path, Shown(NOON, "q", {"": ("c",)}), Shown(NOON + DAY, "q", {"": ("d",)}))
    assert again.counts == {"lists": 1, "repeated": 1, "rows": 1}
    assert written(tmp_path)["document_id"].to_list() == ["a"]
    assert written(tmp_path, day="2026-06-27")["document_id"].to_list() == ["d"]


def test_days_end_at_midnight_utc(tmp_path):
    midnight = dt.datetime(2026, 6, 27, tzinfo=dt.UTC).timestamp()
    log(tmp_path, Shown(midnight - 0.001, "q", {"": ("a",)}), Shown(midnight, "q", {"": ("b",)}),
        Shown(midnight - 0.002, "q", {"": ("c",)}))  # fmt: skip
    assert written(tmp_path)["document_id"].to_list() == ["a"]
    assert written(tmp_path, day="2026-06-27")["document_id"].to_list() == ["b"]


def test_more_lists_than_a_day_may_have_are_counted_and_not_kept(tmp_path):
    many = [Shown(NOON, f"q{number}", {"": ("a",)}) for number in range(5)]
    assert log(tmp_path, *many, lists_a_day=3).counts == {"lists": 3, "beyond": 2, "rows": 3}
    assert written(tmp_path)["query_id"].to_list() == ["q0", "q1", "q2"]


def test_every_request_has_a_row_of_its_own_also_where_no_list_is_kept(tmp_path):
    lists = [{"": ("a",)}, {"": ("a",)}, {}]
    requests = [Shown(NOON, "q", shown, {"request_id": str(number)}) for number, shown in enumerate(lists, 1)]
    assert log(tmp_path, *requests).counts["lists"] == 1
    assert written(tmp_path, "_requests")["request_id"].to_list() == ["1", "2", "3"]


def test_lists_of_two_rerankers_lie_apart_and_are_told_from_those_that_were_served(tmp_path):
    both = {"_shadow/served": ("a", "b"), "_shadow/new": ("b", "a")}
    log(tmp_path, Shown(NOON, "q", {"": ("a", "b")}), Shown(NOON, "q", both), Shown(NOON, "q", both))
    assert written(tmp_path, "_shadow/new")["document_id"].to_list() == ["b", "a"]
    assert written(tmp_path, "_shadow/served")["document_id"].to_list() == ["a", "b"]
    assert log(tmp_path, Shown(NOON, "q", both)).counts == {"repeated": 1}


def test_evaluation_reads_the_log_and_leaves_out_what_is_beside(tmp_path):
    lists = {"": ("a", "b"), "_shadow/new": ("b", "a")}
    log(tmp_path / "shown", Shown(NOON, "q", lists, {"request_id": "1"}))
    qrels = tmp_path / "qrels.parquet"
    pl.DataFrame({"query_id": ["q"], "document_id": ["b"], "grade": [1.0]}).write_parquet(qrels)
    found = stream.evaluate(str(tmp_path / "shown"), ["RR"], qrels=str(qrels), out=str(tmp_path / "out"))
    assert found.scores().collect()["RR"].to_list() == [0.5]
    shadow = stream.evaluate(str(tmp_path / "shown/_shadow/new"), ["RR"], qrels=str(qrels), out=str(tmp_path / "new"))
    assert shadow.scores().collect()["RR"].to_list() == [1.0]


def test_two_gateways_do_not_write_one_log(tmp_path):
    first = ShownLog(tmp_path)
    with pytest.raises(InputError, match="expected a log that nobody writes, got another gateway"):
        ShownLog(tmp_path)
    first.close()
    ShownLog(tmp_path).close()


def test_a_folder_that_cannot_be_written_costs_rows_which_are_counted(tmp_path):
    made = ShownLog(tmp_path, many=1)
    (tmp_path / "date=2026-06-26").write_text("a file where a folder should be")
    made.put(Shown(NOON, "q", {"": ("a",)}))
    made.close()
    assert made.dropped == 1
    assert "date=2026-06-26" in made.fault


def test_a_file_is_whole_or_not_there(tmp_path):
    log(tmp_path, *[Shown(NOON, f"q{number}", {"": ("a",)}) for number in range(20)], many=3)
    names = [path.name for path in tmp_path.rglob("*") if path.is_file()]
    assert all(name == ".lock" or (name.startswith("part-") and name.endswith(".parquet")) for name in names)
    assert written(tmp_path).height == 20
