"""What the Spark engine refuses, and how it says so."""

from __future__ import annotations

import polars as pl
import pytest

import rankgauge as rg
from rankgauge.engines import _spark_plans, spark
from rankgauge.errors import ConventionError, DuplicateError, EmptyInputError, InputError, MeasureError, ParameterError
from spark_worlds import judgments, logs


def test_all_that_is_wrong_with_rows_is_said_at_once_with_counts_and_examples(table):
    rows = pl.DataFrame(
        {
            "query": [None, "", "a", "b", "b", "c"],
            "doc": ["x", "x", None, "u", "u", "v"],
            "score": [1.0, 2.0, 3.0, float("nan"), None, 1.0],
            "grade": [1.0, 1.0, 1.0, 1.0, 1.0, float("-inf")],
        }
    )
    with pytest.raises(InputError) as caught:
        spark.evaluate(table(rows), ["RR"])
    assert str(caught.value).splitlines() == [
        "the rankings, doc 'x': expected a query, got none (2 rows have this fault); remove these rows",
        "the rankings, query 'a': expected a doc, got none (1 rows have this fault); remove these rows",
        "the rankings, query 'c', doc 'v': expected a finite grade, got an infinite one (1 rows have this fault); "
        "remove these rows",
        "the rankings, query 'b', doc 'u': expected a score that is a number, got none or NaN (2 rows have this "
        "fault); remove these rows",
    ]


def test_a_row_with_neither_rank_nor_grade_is_refused_and_so_is_a_rank_below_0(table):
    rows = pl.DataFrame({"query": ["a", "b"], "doc": ["x", "y"], "rank": [None, -1], "grade": [None, 1.0]})
    with pytest.raises(InputError) as caught:
        spark.evaluate(table(rows), ["RR"])
    assert [line.partition(": ")[2].partition(" (")[0] for line in str(caught.value).splitlines()] == [
        "expected a rank or a grade, got none",
        "expected a rank from 0 or 1 on, got one below 0",
    ]


def test_ranks_that_are_not_whole_numbers_are_refused(table):
    rows = pl.DataFrame({"query": ["a", "b", "c"], "doc": ["x"] * 3, "rank": [1.0, 1.5, 1e30], "grade": [1.0] * 3})
    with pytest.raises(InputError, match=r"query 'b', doc 'x': expected a whole number as rank, got .* \(2 rows"):
        spark.evaluate(table(rows), ["RR"])


def test_judgments_without_a_grade_are_refused(table):
    rows, qrels = logs(1).drop("rank", "grade"), judgments(1)
    qrels = qrels.with_columns(grade=pl.when(pl.col("doc") == qrels["doc"][0]).then(float("nan")).otherwise("grade"))
    with pytest.raises(InputError, match=r"the judgments, query 'q\d', doc 'd\d+': expected a grade, got none"):
        spark.evaluate(table(rows), ["RR"], qrels=table(qrels))


def test_no_rows_are_nothing_to_measure(table):
    with pytest.raises(EmptyInputError, match="the rankings: expected at least one row, got none"):
        spark.evaluate(table(logs(1)).filter("query = 'nobody'"), ["RR"])


def test_a_document_twice_in_a_ranking_is_refused_with_its_names(table):
    rows = pl.DataFrame(
        {"query": ["q", "q", "r"], "doc": ["a", "a", "a"], "score": [1.0, 2.0, 3.0], "grade": [1.0] * 3}
    )
    rows = rows.with_columns(day=pl.lit("2026-01-01"))
    with pytest.raises(DuplicateError, match="query 'q', document 'a': expected each document once, got 2 times"):
        spark.summary(spark.evaluate(table(rows), ["RR"]))
    with pytest.raises(DuplicateError, match="query 'q', document 'a'"):
        spark.summary(spark.evaluate(table(rows), ["RR"], by="day"), by="day")


@pytest.mark.parametrize(("ranks", "got"), [([1, 1, 2], "3 rows down to rank 2"), ([1, 2, 4], "3 rows down to rank 4")])
def test_ranks_that_break_the_promise_are_refused(table, ranks, got):
    rows = pl.DataFrame({"query": ["q"] * 3, "rank": ranks, "grade": [1.0, None, 0.0]})
    with pytest.raises(InputError, match=f"query 'q': expected ranks 1..n, each once, as was promised, got {got}"):
        spark.summary(spark.evaluate(table(rows), ["RR@2"], trusted=True))


def test_a_grade_beyond_the_scale_of_a_measure_is_refused_as_in_memory(table):
    with pytest.raises(ParameterError, match="ERR: expected grades up to max_grade=2, got 3"):
        spark.summary(spark.evaluate(table(logs(1).drop("score")), ["ERR(max_grade=2)@5"], by="day"), by="day")


def test_what_needs_the_order_of_the_input_is_refused(table):
    rows, plain = table(logs(1).drop("rank")), rg.CONVENTIONS["default"]
    with pytest.raises(ConventionError, match="ties of RR: expected one by scores and ids, got the input's; Spark"):
        spark.evaluate(rows, ["RR"], by="day", convention=plain.but(ties="input"))
    with pytest.raises(ConventionError, match="order of RR: expected"):
        spark.evaluate(rows, ["RR"], by="day", convention=plain.but(order="input"))
    with pytest.raises(ParameterError, match="on_duplicate: expected 'error' or 'max', got 'first'; Spark"):
        spark.evaluate(rows, ["RR"], by="day", on_duplicate="first")


def test_measures_that_cannot_be_had_are_refused_before_anything_runs(table):
    rows = table(logs(1).drop("rank"))
    with pytest.raises(MeasureError, match="ERR_IA needs subtopics"):
        spark.evaluate(rows, ["ERR_IA"], by="day")
    with pytest.raises(ParameterError, match="P needs a cutoff, as in P@10"):
        spark.evaluate(rows, ["P"], by="day")
    with pytest.raises(ParameterError, match="expected at least one measure"):
        spark.evaluate(rows, [], by="day")


def test_trust_needs_ranks_and_grades_on_the_rows(table):
    with pytest.raises(InputError, match="trusted ranks: expected ranks that decide alone, got scores"):
        spark.evaluate(table(logs(1).drop("rank")), ["RR"], by="day", trusted=True)
    with pytest.raises(ParameterError, match="got separate judgments"):
        spark.evaluate(table(logs(1).drop("score")), ["RR"], qrels=table(judgments(1)), by="day", trusted=True)


def test_columns_that_differ_in_case_only_are_refused(table):
    rows = logs(1).drop("score").rename({"day": "ap"})
    with pytest.raises(ParameterError, match="column 'ap': expected a name of its own"):
        spark.evaluate(table(rows), ["AP"], by="ap")


def test_a_group_may_not_be_called_as_a_column_of_the_table(table):
    rows = logs(1).drop("score").rename({"day": "status"})
    with pytest.raises(InputError, match="by: expected columns with names of their own, got 'status'; rename"):
        spark.evaluate(table(rows), ["RR"], by="status")


def test_a_query_that_no_worker_can_hold_is_named(table, monkeypatch):
    monkeypatch.setattr(_spark_plans, "LONG", 3)
    monkeypatch.setattr(_spark_plans, "MOST_ROWS", 4)
    rows = pl.DataFrame({"query": ["a"] * 5 + ["b"], "doc": list("uvwxyz"), "score": [1.0] * 6, "grade": [1.0] * 6})
    with pytest.raises(InputError, match="the rankings: expected at most 4 rows a query, got 5 in query 'a'"):
        spark.evaluate(table(rows), ["RR"])
