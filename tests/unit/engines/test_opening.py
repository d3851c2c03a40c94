"""Which rows are opened as what: logs, runs, judgments, and files that are read whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import rankgauge as rg
from rankgauge.engines import stream
from rankgauge.engines.opening import Wanted, open_judgments, open_rankings
from rankgauge.errors import InputError

RUN = {"q1": {"b": 3.0, "a": 2.0, "x": 1.0}, "q3": {"d": 1.0}}
QRELS = {"q1": {"a": 2, "b": 0}, "q2": {"c": 1}, "q3": {"d": 0}}


def wanted(**choices: Any) -> Wanted:
    usual = dict.fromkeys(("columns", "by", "format", "qrels_format"))
    return Wanted(**{**usual, "trusted": False, "on_duplicate": "error", "how": rg.CONVENTIONS["default"]} | choices)


def write(path: Path, **columns: list[Any]) -> Path:
    pl.DataFrame(columns).write_parquet(path)
    return path


@pytest.mark.parametrize("suffix", ["trec", "json", "csv", "tsv", "jsonl", "parquet"])
def test_every_format_of_runs_and_judgments_gives_the_values_of_memory(tmp_path, suffix):
    rg.write_run(rg.Run.from_dict(RUN), tmp_path / f"run.{suffix}")
    rg.write_qrels(rg.Qrels.from_dict(QRELS), tmp_path / f"qrels.{suffix}")
    found = stream.evaluate(tmp_path / f"run.{suffix}", ["nDCG@2", "RR"], qrels=tmp_path / f"qrels.{suffix}")
    expected = rg.evaluate(QRELS, RUN, ["nDCG@2", "RR"]).mean()
    for name, mean, n in expected.select("measure", "mean", "n").iter_rows():
        assert found.summary.moments(name).mean == pytest.approx(mean, abs=1e-16)
        assert found.summary.moments(name).n == n


def test_a_beir_folder_is_judgments(tmp_path):
    rg.write_qrels(rg.Qrels.from_dict(QRELS), tmp_path / "beir", format="beir")
    assert sum(map(len, open_judgments(tmp_path / "beir", wanted(), ()).batches(0, rows=10))) == 4


def test_judgments_by_subtopic_are_refused(tmp_path):
    (tmp_path / "q.txt").write_text("q1 1 a 1\nq1 2 a 0\n")
    with pytest.raises(InputError, match="expected judgments of documents, got judgments by subtopic"):
        open_judgments(tmp_path / "q.txt", wanted(), ())


@pytest.mark.parametrize(
    ("columns", "named", "graded", "order"),
    [
        (("query", "doc", "rank", "grade"), None, True, "rank"),
        (("query", "doc", "rank", "relevance_score"), None, False, "rank"),
        (("query", "doc", "rank", "relevance_score"), {"grade": "relevance_score"}, True, "rank"),
        (("query", "doc", "relevance_score"), None, False, "score"),
        (("query", "doc", "score", "rank"), None, False, "score"),
    ],
)
def test_beside_judgments_only_a_column_that_must_be_a_grade_is_one(tmp_path, columns, named, graded, order):
    values = {name: ["a"] if name in ("query", "doc") else [1] for name in columns}
    path = write(tmp_path / "log.parquet", **values)
    found = open_rankings(path, wanted(columns=named), apart=True)
    assert (found.graded, found.order) == (graded, order)


def test_a_convention_of_ranks_takes_the_rank_column(tmp_path):
    path = write(tmp_path / "run.parquet", query=["a"], doc=["d"], score=[1.0], rank=[1])
    assert open_rankings(path, wanted(), apart=True).order == "score"
    by_rank = wanted(how=rg.CONVENTIONS["default"].but(order="rank"))
    assert open_rankings(path, by_rank, apart=True).order == "rank"
    write(path, query=["a"], doc=["d"], score=[1.0])
    assert open_rankings(path, by_rank, apart=True).order == "score"


def test_columns_named_for_the_log_need_not_be_in_the_judgments(tmp_path):
    path = write(tmp_path / "judgments.parquet", query_id=["a"], doc_id=["d"], rating=[3])
    names = {"query": "query_id", "doc": "document_id", "rank": "model_rank", "grade": "relevance_score"}
    found = open_judgments(path, wanted(columns=names), ())
    assert pl.concat(found.batches(0, rows=5)).rows() == [("a", "d", 3.0)]


def test_a_file_that_changes_is_another_input(tmp_path):
    (tmp_path / "a.run").write_text("q1 Q0 b 1 3.0 t\n")
    before = open_rankings(tmp_path / "a.run", wanted(), apart=True).identity()
    assert open_rankings(tmp_path / "a.run", wanted(), apart=True).identity() == before
    (tmp_path / "a.run").write_text("q1 Q0 b 1 3.0 t\nq1 Q0 c 2 2.0 t\n")
    assert open_rankings(tmp_path / "a.run", wanted(), apart=True).identity() != before
