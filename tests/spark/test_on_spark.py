"""`evaluate --engine spark`: from addresses to a folder of results."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import rankgauge as rg
from rankgauge.cli import on_spark, options
from rankgauge.cli.scale import Request
from rankgauge.engines import batch
from rankgauge.engines.plan import plan
from rankgauge.engines.results import read_results
from rankgauge.errors import EngineError, InputError
from spark_worlds import judgments, logs

MEASURES = ("nDCG@10", "AP", "GMAP", "RBP(p=0.8)", "Judged@5")


@pytest.fixture
def lake(session, tmp_path: Path) -> Path:
    """Logs of three days, each in a folder of its name."""
    rows = logs(41, days=3).drop("score")
    for (day,), part in rows.partition_by("day", as_dict=True, include_key=False).items():
        folder = tmp_path / "logs" / f"day={day}"
        folder.mkdir(parents=True)
        part.write_parquet(folder / "part.parquet")
    return tmp_path / "logs"


def asked(*sources: Path | str, **choices: object) -> Request:
    known = {"qrels": None, "measures": MEASURES, "how": rg.CONVENTIONS["default"]}
    return Request(sources=tuple(map(str, sources)), **known | choices)  # type: ignore[arg-type]


def expected_of(rows: pl.DataFrame, **choices: object) -> pl.DataFrame:
    return batch.score(rows, plan(MEASURES, order="rank", by=("day",), top_grade=3.0)).sort("day", "query")


def test_days_become_groups_and_the_folder_holds_table_and_summary(lake, tmp_path):
    found = on_spark.evaluate(asked(lake, out=tmp_path / "out"))
    expected = expected_of(logs(41, days=3).drop("score"))
    assert found.about.by == ("day",)
    assert (found.about.engine, found.about.source) == ("spark", str(lake))
    kept = read_results(tmp_path / "out")
    table = kept.scores().collect().select(expected.columns).sort("day", "query")
    assert_frame_equal(table, expected, check_exact=True)
    whole = plan(MEASURES, order="rank", by=("day",)).summary(expected)
    for one, other in ((kept.summary.totals, whole.totals), (found.summary.totals, whole.totals)):
        assert_frame_equal(one.sort("day", "column"), other.sort("day", "column"), check_exact=True)
    kinds = {note.kind for notes in found.about.notes.values() for note in notes}
    assert kinds >= {"ideal", "empty grades", "rank as score"}
    assert not list((tmp_path / "out").rglob("_*"))


def test_one_day_replaces_itself_and_leaves_the_others(lake, tmp_path):
    on_spark.evaluate(asked(lake, out=tmp_path / "out"))
    before = read_results(tmp_path / "out")
    other = logs(42, days=2).drop("score", "day").unique(["query", "rank"]).with_columns(grade=1.0)
    other = other.filter(pl.len().over("query") == pl.col("rank").max().over("query"))
    other.write_parquet(lake / "day=2026-01-02" / "part.parquet")
    on_spark.evaluate(asked(lake / "day=2026-01-02", out=tmp_path / "out", on_duplicate="max"))
    after = read_results(tmp_path / "out")
    assert [group["day"] for group in after.summary.groups()] == [f"2026-01-0{day}" for day in (1, 2, 3)]
    for day, same in (("2026-01-01", True), ("2026-01-02", False), ("2026-01-03", True)):
        one, two = (results.summary.moments("AP", day=day) for results in (before, after))
        assert (one == two) == same


def test_without_a_folder_nothing_is_kept(lake):
    found = on_spark.evaluate(asked(lake, by=("day",)))
    assert found.folder is None
    assert found.summary.queries == 15


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl"])
def test_ids_in_text_files_stay_as_written_and_numbers_are_read(session, tmp_path, suffix):
    rows = pl.DataFrame(
        {"query": ["007", "007", "1e5"], "doc": ["NA", "01", "x"], "score": [2.5, 3.0, 1.0], "grade": [1, None, 2]}
    )
    path = tmp_path / f"log.{suffix}"
    if suffix == "jsonl":
        rows.write_ndjson(path)
    else:
        rows.write_csv(path, separator="\t" if suffix == "tsv" else ",")
    found = on_spark.evaluate(asked(path, by=(), out=tmp_path / "out", measures=("RR", "nDCG")))
    table = found.scores().collect().sort("query")
    assert table.select("query", "RR").rows() == [("007", 0.5), ("1e5", 1.0)]
    assert found.about.top_grade == {"": 2.0}


def test_a_number_that_is_none_is_named(session, tmp_path):
    (tmp_path / "log.csv").write_text("query,doc,score,grade\nq,a,high,1\nq,b,1,\n")
    with pytest.raises(InputError, match="query 'q', doc 'a': expected a number as score, got something else"):
        on_spark.evaluate(asked(tmp_path / "log.csv", by=()))


def test_judgments_apart_are_read_too(session, tmp_path):
    rows, qrels = logs(43, days=1).drop("day", "rank", "grade"), judgments(44)
    rows.write_parquet(tmp_path / "run.parquet")
    qrels.write_csv(tmp_path / "qrels.csv")
    found = on_spark.evaluate(asked(tmp_path / "run.parquet", qrels=str(tmp_path / "qrels.csv"), by=()))
    wanted = plan(MEASURES, order="score", top_grade=3.0)
    expected = wanted.summary(batch.score(rows, wanted, qrels))
    assert_frame_equal(found.summary.totals.sort("column"), expected.totals.sort("column"), check_exact=True)
    assert "missing queries" in {note.kind for notes in found.about.notes.values() for note in notes}


def test_what_has_no_query_in_common_is_refused(session, tmp_path):
    logs(45, days=1).drop("day", "rank", "grade").write_parquet(tmp_path / "run.parquet")
    judgments(44).with_columns(query=pl.lit("other")).unique("doc").write_parquet(tmp_path / "qrels.parquet")
    with pytest.raises(InputError, match="expected queries that have both results and judgments, got none of 6"):
        on_spark.evaluate(asked(tmp_path / "run.parquet", qrels=str(tmp_path / "qrels.parquet"), by=()))


def test_results_of_other_measures_are_refused_before_anything_is_scored(lake, tmp_path):
    on_spark.evaluate(asked(lake, out=tmp_path / "out", measures=("RR",)))
    before = sorted((tmp_path / "out").rglob("*"))
    with pytest.raises(InputError, match="an empty folder or results of the same kind"):
        on_spark.evaluate(asked(lake, out=tmp_path / "out"))
    assert sorted((tmp_path / "out").rglob("*")) == before


def test_an_evaluation_that_fails_leaves_old_results_whole(lake, tmp_path):
    on_spark.evaluate(asked(lake, out=tmp_path / "out"))
    before = read_results(tmp_path / "out").scores().collect().sort("day", "query")
    path = lake / "day=2026-01-02" / "part.parquet"
    pl.concat([pl.read_parquet(path)] * 2).write_parquet(path)
    with pytest.raises(InputError, match="expected each document once"):
        on_spark.evaluate(asked(lake, out=tmp_path / "out"))
    after = read_results(tmp_path / "out").scores().collect().sort("day", "query")
    assert_frame_equal(before, after)


def test_a_corrupt_file_is_named(lake, tmp_path):
    path = lake / "day=2026-01-02" / "part.parquet"
    whole = path.read_bytes()
    path.write_bytes(whole[:100] + b"?" * (len(whole) - 200) + whole[-100:])
    with pytest.raises(EngineError, match=r"^Spark: .*day=2026-01-02/part\.parquet"):
        on_spark.evaluate(asked(lake, out=tmp_path / "out"))
    assert not list((tmp_path / "out").iterdir())


def test_a_path_that_is_not_there_is_named(session, tmp_path):
    with pytest.raises(EngineError, match="nowhere"):
        on_spark.evaluate(asked(tmp_path / "nowhere"))


def test_measures_from_a_file_go_along(lake, tmp_path):
    (tmp_path / "mine.py").write_text("import rankgauge as rg\n\nrg.weights('SparkGlance', [0.5, 0.3, 0.2])\n")
    options.load_measures([tmp_path / "mine.py"])
    try:
        found = on_spark.evaluate(asked(lake, measures=("SparkGlance",)))
        wanted = plan(["SparkGlance"], order="rank", by=("day",), top_grade=3.0)
        expected = wanted.summary(batch.score(logs(41, days=3).drop("score"), wanted))
        assert found.summary.moments("SparkGlance") == expected.moments("SparkGlance")
    finally:
        del rg.REGISTRY["SparkGlance"]


@pytest.mark.parametrize(
    ("source", "expected"),
    [("logs.txt", "expected one of parquet, csv, tsv, json, jsonl, orc on Spark, got format 'txt'")],
)
def test_formats_that_spark_does_not_read_are_refused(session, source, expected):
    with pytest.raises(InputError, match=expected):
        on_spark.evaluate(asked(source))


def test_an_address_for_results_is_refused(tmp_path):
    with pytest.raises(InputError, match="expected a folder that this machine and Spark's executors share, got s3:/"):
        on_spark.evaluate(asked("logs/", out=Path("s3://lake/out")))
