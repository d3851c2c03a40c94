"""Which columns are taken for what; no Spark is needed for that."""

from __future__ import annotations

import pytest

from rankgauge.engines._spark_columns import judgment_columns, log_columns
from rankgauge.errors import InputError

LOG = {"query_id": "string", "document_id": "bigint", "model_rank": "int", "label": "double"}


def of_log(types, *, by=(), ids=True, text=False, apart=False, **given):
    return log_columns(types, given, by, where="the rankings", ids=ids, text=text, apart=apart)


def test_usual_names_are_found_and_ids_become_text():
    found = of_log(LOG)
    assert found.select == {
        "query": "CAST(`query_id` AS STRING)",
        "doc": "CAST(`document_id` AS STRING)",
        "rank": "CAST(`model_rank` AS BIGINT)",
        "grade": "nanvl(try_cast(`label` AS DOUBLE), CAST(NULL AS DOUBLE))",
    }
    assert (found.order, found.graded) == ("rank", True)


def test_scores_decide_where_both_are_there_unless_the_rank_is_named():
    both = LOG | {"score": "double"}
    assert of_log(both).order == "score"
    assert of_log(both, rank="model_rank").order == "rank"
    assert of_log(both, rank="model_rank", score="score").order == "score"


def test_relevance_score_is_the_grade_of_a_log_and_is_left_out_of_a_run_with_ranks():
    types = {"query_id": "string", "document_id": "string", "model_rank": "int", "relevance_score": "double"}
    assert (of_log(types).order, of_log(types).graded) == ("rank", True)
    assert (of_log(types, apart=True).order, of_log(types, apart=True).graded) == ("rank", False)
    assert of_log(types, apart=True, grade="relevance_score").graded


def test_documents_are_not_needed_where_ids_are_not_read():
    types = {"query": "string", "rank": "int", "grade": "int"}
    assert "doc" not in of_log(types, ids=False).select
    with pytest.raises(InputError, match=r"columns for doc, got the columns .*; name them: --columns doc=NAME"):
        of_log(types)


@pytest.mark.parametrize(
    ("types", "expected"),
    [
        ({"query": "double"}, "text or whole numbers as query, got a column 'query' of double; cast it to text"),
        ({"doc": "binary"}, "text or whole numbers as doc, got a column 'doc' of binary"),
        ({"rank": "string"}, "numbers as rank, got a column 'rank' of string; cast it to numbers"),
        ({"grade": "boolean"}, "numbers as grade, got a column 'grade' of boolean"),
        ({"day": "timestamp"}, "text, whole numbers or dates as day, got a column 'day' of timestamp"),
    ],
)
def test_columns_of_other_types_are_refused(types, expected):
    known = {"query": "string", "doc": "string", "rank": "int", "grade": "int", "day": "date"}
    with pytest.raises(InputError, match=f"the rankings: expected {expected}"):
        of_log(known | types, by=("day",))


def test_numbers_may_be_text_in_text_files_and_sizes_of_types_do_not_matter():
    types = {"query": "varchar(20)", "doc": "char(3)", "rank": "string", "grade": "decimal(10,2)"}
    found = of_log(types, text=True)
    assert found.select["rank"] == "try_cast(try_cast(`rank` AS DOUBLE) AS BIGINT)"
    assert "rank_unread" in found.select
    assert "grade_unread" not in found.select


def test_a_column_that_is_not_there_is_named_with_the_nearest():
    with pytest.raises(InputError, match=r"expected a column 'model_rnk' for rank, got .*; did you mean 'model_rank'"):
        of_log(LOG, rank="model_rnk")


def test_a_group_that_is_no_column_is_named():
    with pytest.raises(InputError, match=r"expected a column 'dya' of by, got .*; did you mean 'day'"):
        of_log(LOG | {"day": "date"}, by=("dya",))


def test_judgments_may_call_a_grade_a_score_and_have_days_or_none():
    types = {"query-id": "string", "corpus-id": "string", "score": "int"}
    found = judgment_columns(types, {}, ("day",), where="the judgments", text=False)
    assert found.select["grade"] == "nanvl(try_cast(`score` AS DOUBLE), CAST(NULL AS DOUBLE))"
    with_days = judgment_columns(types | {"day": "date"}, {}, ("day",), where="the judgments", text=False)
    assert with_days.select["day"] == "CAST(`day` AS STRING)"
    with pytest.raises(InputError, match="the judgments: expected all of 'day', 'hour' or none, got only 'day'"):
        judgment_columns(types | {"day": "date"}, {}, ("day", "hour"), where="the judgments", text=False)


def test_a_quote_in_a_name_stays_a_name():
    assert of_log(LOG | {"a`b": "string"}, query="a`b").select["query"] == "CAST(`a``b` AS STRING)"
