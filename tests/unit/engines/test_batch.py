"""Batches of rankings: what becomes of every row and every query, and what is refused."""

from __future__ import annotations

import math
from typing import Any

import polars as pl
import pytest

import rankgauge as rg
from rankgauge.engines.batch import score
from rankgauge.engines.plan import plan
from rankgauge.errors import DuplicateError, InputError

SCHEMA: dict[str, Any] = {
    "day": pl.String,
    "query": pl.String,
    "doc": pl.String,
    "rank": pl.Int64,
    "score": pl.Float64,
    "grade": pl.Float64,
}
NOTHING = ("dropped", "conflicts")


def frame(*rows: tuple[Any, ...], columns: str = "query doc rank grade") -> pl.DataFrame:
    names = columns.split()
    return pl.DataFrame(list(rows), schema={name: SCHEMA[name] for name in names}, orient="row")


def qrels(*rows: tuple[Any, ...], columns: str = "query doc grade") -> pl.DataFrame:
    return frame(*rows, columns=columns)


def scored(rows: pl.DataFrame, apart: pl.DataFrame | None = None, measure: str = "P@2", **how: Any) -> pl.DataFrame:
    convention = how.pop("convention", "default")
    order = "score" if "score" in rows.columns else "rank"
    return score(rows, plan(measure, convention, order=order, **({"top_grade": 3.0} | how)), apart)


def value(table: pl.DataFrame, measure: str = "P@2", **where: str) -> Any:
    return table.filter(**where)[measure].item()


LOG = frame(("a", "x", 1, 1.0), ("a", "y", 2, None), ("b", "x", 1, None), ("c", "y", 2, 0.0), ("c", "x", 1, 2.0))


def test_every_query_has_a_row_in_order_of_its_first_row():
    table = scored(LOG)
    assert table["query"].to_list() == ["a", "b", "c"]
    assert table["status"].to_list() == ["scored", "left out", "scored"]
    assert table["P@2"].to_list() == [0.5, None, 0.5]
    assert table["unjudged@2"].to_list() == [0.5, None, 0.0]
    assert table["retrieved"].to_list() == [2, 1, 2]
    assert table["judged"].to_list() == [1, 0, 2]


def test_the_table_has_the_schema_of_its_plan():
    chosen = plan(["nDCG@3", "AP"], order="rank", by=("day",), top_grade=3.0)
    rows = LOG.select(pl.lit("mon").alias("day"), pl.all())
    apart = qrels(("mon", "d", "x", 1.0), columns="day query doc grade")
    for table in (score(rows, chosen), score(rows, chosen, apart), score(rows.clear(), chosen)):
        assert dict(table.schema) == chosen.schema


@pytest.mark.parametrize("apart", [None, qrels()])
def test_no_rows_give_no_table_rows(apart):
    assert len(scored(LOG.clear(), apart)) == 0
    assert len(scored(LOG.clear().drop("doc"), trusted=True)) == 0


def test_judged_queries_without_rows_are_missing_and_score_nothing():
    table = scored(LOG.drop("grade").filter(query="b"), qrels(("z", "x", 1.0), ("b", "x", 1.0), ("y", "x", 0.0)))
    assert table.select("query", "status", "P@2", "retrieved").rows() == [
        ("b", "scored", 0.5, 1),
        ("z", "missing", 0.0, 0),
        ("y", "missing", 0.0, 0),
    ]
    only = scored(LOG.clear(), qrels(("z", "x", 1.0)))
    assert only.select("query", "status").rows() == [("z", "missing")]


def test_no_judgments_leave_every_ranking_out():
    table = scored(LOG.drop("grade"), qrels())
    assert table["status"].to_list() == ["left out"] * 3
    assert table["P@2"].null_count() == 3
    assert scored(LOG.drop("grade"))["status"].to_list() == ["left out"] * 3


@pytest.mark.parametrize(
    ("queries", "statuses"),
    [
        ("judged", ["scored", "scored", "missing"]),
        ("both", ["scored", "scored", "not counted"]),
        ("relevant", ["scored", "not counted", "not counted"]),
    ],
)
def test_the_convention_says_which_queries_count(queries, statuses):
    rows = frame(("a", "x", 1, 1.0), ("b", "x", 1, 0.0))
    how = rg.CONVENTIONS["default"].but(queries=queries)
    table = scored(rows, qrels(("m", "x", 1.0)), convention=how)
    assert table["status"].to_list() == statuses
    assert (table["P@2"].is_null() == (table["status"] == "not counted")).all()


def test_a_row_with_a_grade_and_no_rank_is_judged_and_was_not_retrieved():
    rows = frame(("a", "x", 1, 0.0), ("a", "y", None, 3.0), ("b", "x", None, 1.0))
    table = scored(rows, measure="R@2")
    assert table.select("query", "status", "retrieved", "judged", "R@2").rows() == [
        ("a", "scored", 1, 1, 0.0),
        ("b", "missing", 0, 0, 0.0),
    ]


def test_NaN_is_no_grade():
    rows = frame(("a", "x", 1, math.nan), ("a", "y", 2, 1.0))
    assert scored(rows).equals(scored(frame(("a", "x", 1, None), ("a", "y", 2, 1.0))))


def test_interleaved_queries_are_brought_together():
    table = scored(LOG[[3, 0, 2, 4, 1]])
    assert table["query"].to_list() == ["c", "a", "b"]
    assert table.sort("query").equals(scored(LOG).sort("query"))


def test_ranks_count_from_zero_where_that_is_said():
    rows = frame(("a", "x", 1, None), ("a", "y", 0, 2.0))
    assert value(scored(rows, measure="RR", from_zero=True), "RR") == 1.0


def test_ranks_with_gaps_hold_and_the_last_is_the_depth():
    table = scored(frame(("a", "x", 3, 1.0), ("a", "y", 7, None)), measure="RR")
    assert table.select("retrieved", "RR").rows() == [(7, 1 / 3)]


def test_the_top_grade_of_the_collection_scales():
    rows = frame(("a", "x", 1, 1.0))
    assert value(scored(rows, measure="ERR", top_grade=1.0), "ERR") == 0.5
    assert value(scored(rows, measure="ERR", top_grade=3.0), "ERR") == 0.125


# --- repeated documents ---

TWICE = frame(("a", "x", 5.0, 0.0), ("a", "y", 4.0, 0.0), ("a", "x", 9.0, 2.0), columns="query doc score grade")


def test_a_document_twice_is_refused():
    says = "query 'a', document 'x': expected each document once, got 2 times"
    with pytest.raises(DuplicateError, match=says):
        scored(TWICE)
    with pytest.raises(DuplicateError, match=says):
        scored(frame(("a", "x", 1, None), ("a", "x", 2, None)))


def test_the_first_or_the_best_of_a_repeated_document_is_kept_and_its_grade_with_it():
    first, best = (scored(TWICE, measure="RR", on_duplicate=kept) for kept in ("first", "max"))
    assert first.select("retrieved", "dropped", "RR").rows() == [(2, 1, 0.0)]
    assert best.select("retrieved", "dropped", "RR").rows() == [(2, 1, 1.0)]


def test_a_document_judged_twice_apart_is_refused_or_decided():
    rows, twice = LOG.drop("grade").filter(query="a"), qrels(("a", "x", 0.0), ("a", "x", 1.0))
    with pytest.raises(DuplicateError, match=r"query 'a', document 'x': expected one judgment, got grades 0, 1"):
        scored(rows, twice)
    assert value(scored(rows, twice, on_duplicate="first")) == 0.0
    assert value(scored(rows, twice, on_duplicate="max")) == 0.5


# --- separate judgments ---


def test_separate_judgments_hold_against_those_on_rows_and_conflicts_are_counted():
    apart = qrels(("a", "x", 0.0), ("a", "y", 2.0), ("c", "x", 2.0), ("n", "x", 1.0))
    table = scored(LOG, apart)
    assert table.select("query", "conflicts").rows() == [("a", 1), ("b", 0), ("c", 0), ("n", 0)]
    assert value(table, query="a") == 0.5
    assert value(scored(LOG, apart, measure="R@1"), "R@1", query="a") == 0.0


def test_a_conflict_of_a_query_without_a_ranking_is_counted_too():
    table = scored(frame(("a", "x", 1, 1.0), ("b", "x", None, 1.0)), qrels(("b", "x", 2.0)))
    assert table.select("query", "status", "conflicts").rows() == [("a", "scored", 0), ("b", "missing", 1)]


# --- the convention that drops documents ---


def test_documents_named_like_their_query_are_dropped_where_the_convention_says_so():
    rows = frame(("a", "a", 3.0, 1.0), ("a", "x", 2.0, 1.0), ("b", "b", 1.0, None), columns="query doc score grade")
    table = scored(rows, measure="RR", convention="beir")
    assert table.select("query", "status", "retrieved", "dropped", "RR").rows() == [
        ("a", "scored", 1, 1, 1.0),
        ("b", "left out", 0, 1, None),
    ]


def test_a_ranking_of_nothing_but_itself_is_missing_where_it_is_judged():
    rows = frame(("b", "b", 1.0, None), ("a", "x", 1.0, None), columns="query doc score grade")
    table = scored(rows, qrels(("b", "x", 1.0), ("a", "x", 1.0)), measure="RR", convention="beir")
    assert table.select("query", "status", "dropped").rows() == [("a", "scored", 0), ("b", "not counted", 1)]


# --- groups ---

DAYS = frame(
    ("mon", "a", "x", 1, 1.0), ("tue", "a", "x", 1, 0.0), (None, "a", "x", 1, 2.0), ("mon", "b", "x", 1, None),
    columns="day query doc rank grade",
)  # fmt: skip


def test_the_same_query_on_two_days_is_two_rankings():
    table = scored(DAYS, measure="P@1", by=("day",))
    assert table.select("day", "query", "P@1").rows() == [
        ("mon", "a", 1.0),
        ("mon", "b", None),
        ("tue", "a", 0.0),
        (None, "a", 1.0),
    ]


def test_judgments_without_days_hold_on_each():
    table = scored(DAYS.drop("grade"), qrels(("a", "x", 1.0), ("m", "x", 1.0)), measure="P@1", by=("day",))
    assert table.filter(query="a")["P@1"].to_list() == [1.0] * 3
    assert table.filter(query="m").select("day", "status").rows() == [
        ("mon", "missing"),
        ("tue", "missing"),
        (None, "missing"),
    ]


def test_judgments_with_days_hold_on_theirs_and_a_day_without_rows_is_missing():
    apart = qrels(("mon", "a", "x", 1.0), ("wed", "a", "x", 1.0), columns="day query doc grade")
    table = scored(DAYS.drop("grade"), apart, measure="P@1", by=("day",))
    statuses = {(day, query): status for day, query, status in table.select("day", "query", "status").rows()}
    assert statuses == {
        ("mon", "a"): "scored",
        ("mon", "b"): "left out",
        ("tue", "a"): "left out",
        (None, "a"): "left out",
        ("wed", "a"): "missing",
    }


def test_judgments_with_some_of_the_columns_that_part_rankings_are_refused():
    rows = DAYS.with_columns(system=pl.lit("s")).drop("grade")
    apart = qrels(("mon", "a", "x", 1.0), columns="day query doc grade")
    with pytest.raises(InputError, match="all columns that part rankings, or none, got day of system, day"):
        scored(rows, apart, by=("system", "day"))


# --- refusals ---


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        (frame(("a", "x", 0, 1.0)), "query 'a', document 'x': expected a rank from 1 on, got one below it"),
        (frame(("a", "x", None, None)), "query 'a', document 'x': expected a rank or a grade, got neither"),
        (frame(("a", "x", 1, math.inf)), "query 'a', document 'x': expected a finite grade, or none, got an infinite"),
        (frame(("a", "x", 1, -math.inf)), "query 'a', document 'x': expected a finite grade, or none, got an infinite"),
        (frame(("a", "x", 2, 1.0), ("a", "y", 2, 1.0)), "query 'a': expected each rank once, got rank 2 twice"),
        (frame(("a", "x", 2, 1.0), ("a", "y", 1, 1.0), ("a", "z", 2, 1.0)), "query 'a': expected each rank once"),
        (frame((None, "x", 1, 1.0)), "query None, document 'x': expected the id of a query, got none"),
        (frame(("", "x", 1, 1.0)), "query '', document 'x': expected the id of a query, got none"),
        (frame(("a", None, 1, 1.0)), "query 'a', document None: expected the id of a document, got none"),
        (frame(("a", "x", 1, 4.0)), "the rankings: expected grades up to 3, got 4; top_grade is the highest grade"),
        (
            frame(("a", "x", math.nan, 1.0), columns="query doc score grade"),
            "query 'a', document 'x': expected a score that is a number, got none or NaN",
        ),
        (frame(("a", "x", None, 1.0), columns="query doc score grade"), "expected a score that is a number"),
    ],
    ids=str,
)
def test_rows_that_cannot_be_read_for_sure_are_refused_by_name(rows, says):
    with pytest.raises(InputError) as raised:
        scored(rows)
    assert says in str(raised.value)


@pytest.mark.parametrize("grade", [math.inf, math.nan, None])
def test_separate_judgments_need_finite_grades(grade):
    with pytest.raises(InputError, match=r"expected a finite grade, got (inf|nan)|expected a number, got nothing"):
        scored(LOG, qrels(("a", "x", grade)))


def test_ranks_from_zero_may_not_be_negative():
    with pytest.raises(InputError, match="expected a rank from 0 on, got one below it"):
        scored(frame(("a", "x", -1, 1.0)), from_zero=True)


def test_a_hundred_faults_are_named_and_all_are_counted():
    rows = pl.concat([frame((f"q{number}", "x", 0, 1.0)) for number in range(150)])
    with pytest.raises(InputError) as raised:
        scored(rows)
    assert len(raised.value.faults) == 100
    assert raised.value.total == 150


# --- ranks that are trusted ---


def test_trusted_ranks_give_the_same_without_ids():
    rows = LOG.filter(pl.col("query") != "b")
    assert scored(rows.drop("doc"), trusted=True).equals(scored(rows))
    assert scored(rows, trusted=True).equals(scored(rows))


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        (frame(("a", "x", 1, 1.0), ("a", "y", 3, 1.0)), "query 'a': expected ranks without gaps, as was promised, got"),
        (frame(("a", "x", 2, 1.0)), "query 'a': expected ranks without gaps, as was promised, got"),
        (frame(("a", "x", 1, 1.0), ("a", "y", 1, 1.0)), "query 'a': expected each rank once, got rank 1 twice"),
        (frame(("a", "x", 1, 1.0), ("a", "y", None, 1.0)), "as was promised, got rows without a rank"),
    ],
)
def test_a_broken_promise_is_found(rows, says):
    with pytest.raises(InputError, match=says):
        scored(rows.drop("doc"), trusted=True)


def test_separate_judgments_need_ids():
    with pytest.raises(InputError, match="as was promised, got separate judgments; leave trusted out"):
        scored(LOG.drop("doc"), qrels(("a", "x", 1.0)), trusted=True)
