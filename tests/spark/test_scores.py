"""Spark's per-query scores and summaries are those of whole rankings in memory, to the bit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import rankgauge as rg
from rankgauge.engines import _spark_plans, batch, spark
from rankgauge.engines.plan import plan
from rankgauge.records.summary import Summary
from spark_worlds import collected, judgments, logs

MEASURES = [
    "nDCG@10", "ERR@10", "RBP(p=0.8)", "RR@10", "P@10", "Judged@10", "AP", "bpref", "infAP", "Q", "nDCG", "SetP",
    "P(judged_only=True)@5", "IFT", "NumRelRet", "GMAP",
]  # fmt: skip
GOLDEN = Path(rg.__file__).parent / "data" / "golden"


def same(found: pl.DataFrame, expected: pl.DataFrame, *keys: str) -> None:
    """To the bit."""
    assert_frame_equal(found, expected.sort(*keys, "query"), check_exact=True)


@pytest.mark.parametrize("convention", ["default", "ranx", "sklearn", "trec_eval"])
def test_logs_with_grades_score_as_in_memory(table, convention):
    rows = logs(1, lost=True).drop("score")
    expected = batch.score(rows, plan(MEASURES, convention, order="rank", by=("day",), top_grade=3.0))
    found = spark.evaluate(table(rows), MEASURES, by="day", convention=convention)
    same(collected(found, "day"), expected, "day")
    assert {"scored", "left out"} & set(expected["status"])


@pytest.mark.parametrize("ties", ["docid-desc", "docid-asc", "expected"])
def test_ties_of_scores_are_broken_as_in_memory(table, ties):
    rows, how = logs(2).drop("rank"), rg.CONVENTIONS["default"].but(ties=ties)
    expected = batch.score(rows, plan(MEASURES, how, order="score", by=("day",), top_grade=3.0))
    same(collected(spark.evaluate(table(rows), MEASURES, by="day", convention=how), "day"), expected, "day")
    assert expected["tied"].sum() > 100


@pytest.mark.parametrize("graded", [True, False])
def test_separate_judgments_hold_on_every_day_and_judged_queries_without_results_are_missing(table, graded):
    rows, qrels = logs(3).drop("rank"), judgments(4)
    rows = rows if graded else rows.drop("grade")
    expected = batch.score(rows, plan(MEASURES, order="score", by=("day",), top_grade=3.0), qrels)
    grade = "grade" if graded else None
    found = spark.evaluate(table(rows), MEASURES, qrels=table(qrels), by="day", grade=grade)
    same(collected(found, "day"), expected, "day")
    assert set(expected["status"]) == {"scored", "missing", "left out"}
    assert (expected["conflicts"].sum() > 0) == graded


def test_judgments_with_days_hold_on_theirs(table):
    rows = logs(5).drop("rank", "grade")
    days = [judgments(seed).select(pl.lit(f"2026-01-{seed:02}").alias("day"), pl.all()) for seed in (2, 3, 40)]
    qrels = pl.concat(days)
    expected = batch.score(rows, plan(MEASURES, order="score", by=("day",), top_grade=3.0), qrels)
    same(collected(spark.evaluate(table(rows), MEASURES, qrels=table(qrels), by="day"), "day"), expected, "day")
    assert "2026-01-40" in expected.filter(status="missing")["day"]


def test_the_golden_set_scores_as_in_memory(table):
    qrels, run = rg.read_qrels(GOLDEN / "qrels.txt"), rg.read_run(GOLDEN / "vector.run")
    scores = rg.evaluate(qrels, run, MEASURES)
    found = collected(spark.evaluate(table(run.to_polars()), MEASURES, qrels=table(qrels.to_polars())))
    found = found.filter(pl.col("status") != "left out")
    for number, name in enumerate(scores.measures):
        values = np.nan_to_num(scores.values[0, number], nan=-1.0).tolist()
        expected = dict(zip(scores.queries, values, strict=True))
        assert dict(found.select("query", pl.col(name).fill_null(-1.0)).iter_rows()) == expected


def test_a_run_of_trec_deep_learning_scores_as_in_memory(table, shared):
    folder = shared / "data" / "collections" / "trec-dl-2019-passage"
    qrels = rg.read_qrels(min(folder.glob("*qrels*")))
    run = rg.read_run(min(path for path in folder.rglob("*") if path.is_file() and "run" in path.name))
    wanted = plan(MEASURES, order="score", top_grade=qrels.top_grade)
    expected = batch.score(run.to_polars(), wanted, qrels.to_polars())
    found = spark.evaluate(table(run.to_polars()), MEASURES, qrels=table(qrels.to_polars()))
    same(collected(found), expected)
    assert len(run) > 500


@pytest.mark.parametrize("measures", [MEASURES, ["nDCG@3", "P(rel=2)@4", "Judged@2"], ["nDCG@100"]])
@pytest.mark.parametrize("convention", ["default", "sklearn"])
def test_states_give_what_rows_give(table, measures, convention):
    rows = logs(6, longest=20).drop("score").with_columns(pl.col("grade").fill_nan(None))
    wanted = plan(measures, convention, order="rank", by=("day",), top_grade=3.0)
    ready = spark.prepare(table(rows.drop("doc")), measures, by="day", convention=convention, trusted=True)
    assert ready.states is not None
    assert ready.states.complete == (measures[0] != "nDCG@3")
    same(collected(ready.scores, "day"), batch.score(rows, wanted), "day")


def test_states_take_ranks_from_0_and_grades_of_a_wide_scale(table):
    rows = logs(7).drop("score").with_columns(rank=pl.col("rank") - 1, grade=pl.col("grade") * 9 - 3)
    measures = ["nDCG@5", "RR", "AP(rel=12)"]
    wanted = plan(measures, order="rank", by=("day",), top_grade=24.0, from_zero=True)
    ready = spark.prepare(table(rows), measures, by="day", trusted=True)
    assert ready.states is not None
    assert ready.states.bits == 8
    same(collected(ready.scores, "day"), batch.score(rows, wanted), "day")


def test_grades_between_whole_numbers_travel_as_rows(table):
    rows = logs(8).drop("score").with_columns(grade=pl.col("grade") / 2)
    ready = spark.prepare(table(rows), ["nDCG@5"], by="day", trusted=True)
    assert ready.states is None
    same(collected(ready.scores, "day"), batch.score(rows.drop("doc"), ready.plan), "day")


def test_numbers_and_dates_become_text_ids(table):
    rows = pl.DataFrame({"qid": [7, 7], "docid": ["1e5", "NA"], "rank": [1, 2], "label": [0, 2]})
    rows = rows.with_columns(on=pl.date(2026, 1, 2))
    found = collected(spark.evaluate(table(rows), ["RR"], by=["on"]))
    assert found.select("on", "query", "RR").rows() == [("2026-01-02", "7", 0.5)]


def test_a_measure_of_ones_own_goes_along(table):
    @rg.measure(binary=True)
    def SparkHits(j):
        """Half the number of relevant documents.

        SparkHits@k = Σ_{i≤k} rel(i) / 2
        """
        return j.sum(j.rel) / 2

    @rg.gain
    def cubed(grade):
        return grade**3

    try:
        rows = logs(9).drop("score")
        measures = ["SparkHits@4", "nDCG(gain='cubed')@5", rg.nDCG(discount=lambda rank: 1 / (rank + 2)) @ 5]
        expected = batch.score(rows, plan(measures, order="rank", by=("day",), top_grade=3.0))
        same(collected(spark.evaluate(table(rows), measures, by="day"), "day"), expected, "day")
        assert expected["SparkHits@4"].max() > 0.5
    finally:
        del rg.REGISTRY["SparkHits"]


def test_the_best_of_repeated_documents_is_kept_and_the_dropped_are_counted(table):
    rows = pl.concat([logs(10, days=1).drop("rank", "day"), logs(11, days=1).drop("rank", "day")])
    expected = batch.score(rows, plan(MEASURES, order="score", on_duplicate="max", top_grade=3.0))
    same(collected(spark.evaluate(table(rows), MEASURES, on_duplicate="max")), expected)
    assert expected["dropped"].sum() > 0


@pytest.mark.parametrize("order", ["rank", "score"])
def test_long_rankings_travel_in_parts_and_score_the_same(table, monkeypatch, order):
    monkeypatch.setattr(_spark_plans, "LONG", 8)
    rows, qrels = logs(14).drop("score" if order == "rank" else "rank"), judgments(15)
    wanted = plan(MEASURES, order=order, by=("day",), top_grade=3.0)
    same(collected(spark.evaluate(table(rows), MEASURES, by="day"), "day"), batch.score(rows, wanted), "day")
    found = spark.evaluate(table(rows), MEASURES, qrels=table(qrels), by="day", grade="grade")
    same(collected(found, "day"), batch.score(rows, wanted, qrels), "day")
    assert 0 < (rows.group_by("day", "query").len()["len"] > 8).mean() < 1


def test_long_rankings_without_ids_travel_in_parts_too(table, monkeypatch):
    monkeypatch.setattr(_spark_plans, "LONG", 8)
    rows = logs(16).drop("score", "doc").with_columns(grade=pl.col("grade") / 2)
    ready = spark.prepare(table(rows), ["AP", "nDCG"], by="day", trusted=True)
    assert ready.states is None
    same(collected(ready.scores, "day"), batch.score(rows, ready.plan), "day")


def test_one_query_of_a_million_rows_does_no_harm(session):
    long = session.range(1_000_000).selectExpr(
        "'long' AS query", "concat('d', id) AS doc", "id + 1 AS rank", "id % 4 AS grade"
    )
    few = session.range(500).selectExpr("concat('q', id % 50)", "concat('d', id)", "id div 50 + 1", "id % 3")
    found = collected(spark.evaluate(long.union(few), ["nDCG@10", "AP"]))
    assert len(found) == 51
    row = found.row(by_predicate=pl.col("query") == "long", named=True)
    assert (row["retrieved"], row["judged"]) == (1_000_000, 1_000_000)
    assert row["AP"] == pytest.approx(0.75, abs=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("trusted", [True, False])
def test_one_query_of_five_million_rows_does_no_harm(session, trusted):
    long = session.range(5_000_000).selectExpr(
        "'long' AS query", "concat('document', id) AS doc", "id + 1 AS rank", "id % 4 AS grade"
    )
    few = session.range(500_000).selectExpr("concat('q', id % 50000)", "concat('d', id)", "id div 50000 + 1", "id % 3")
    found = collected(spark.evaluate(long.union(few), ["nDCG@10", "AP"], trusted=trusted))
    assert len(found) == 50_001
    assert found.filter(query="long")["judged"].to_list() == [5_000_000]


@pytest.mark.parametrize("by", [(), ("day",)])
def test_a_summary_is_the_memory_engines_to_the_bit(table, by):
    rows = logs(12).drop("score") if by else logs(12, days=1, queries=200).drop("score", "day")
    expected = batch.score(rows, wanted := plan(MEASURES, order="rank", by=by, top_grade=3.0))
    found = spark.summary(spark.evaluate(table(rows), MEASURES, by=by), by=by, measures=MEASURES)
    whole = wanted.summary(expected)
    assert_frame_equal(found.totals.sort(*by, "column"), whole.totals.sort(*by, "column"), check_exact=True)
    keys = list(by) or ["scored"]
    assert_frame_equal(found.counts.sort(keys), whole.counts.sort(keys))


def test_a_summary_of_no_rows_is_empty(table):
    scores = spark.evaluate(table(logs(13).drop("score")), ["RR"], by="day").filter("query = 'nobody'")
    assert isinstance(found := spark.summary(scores, by="day"), Summary)
    assert found.queries == 0
