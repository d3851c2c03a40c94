"""Which column of a log, a run or judgments plays which role."""

from __future__ import annotations

import pytest

from rankgauge.errors import InputError
from rankgauge.formats._dataset_columns import roles_of


@pytest.mark.parametrize(
    ("names", "columns", "order", "grade"),
    [
        ("query_id document_id model_rank relevance_score", {}, "model_rank", "relevance_score"),
        ("query_id document_id model_rank label", {}, "model_rank", "label"),
        ("query doc score label", {}, "score", "label"),
        ("query doc score relevance_score", {}, "score", "relevance_score"),
        ("query doc relevance_score label", {}, "relevance_score", "label"),
        ("query doc rank score label", {}, "score", "label"),
        ("query doc rank score label", {"rank": "rank"}, "rank", "label"),
        ("query doc rank score label", {"rank": "rank", "score": "score"}, "score", "label"),
        ("query doc rank score", {"grade": "score"}, "rank", "score"),
        ("query doc rank relevance_score", {"score": "relevance_score", "grade": "rank"}, "relevance_score", "rank"),
        ("query doc rank similarity relevance_score", {}, "similarity", "relevance_score"),
        ("query doc rank label rating", {"grade": "rating"}, "rank", "rating"),
        ("query doc place clicks", {"rank": "place", "grade": "clicks"}, "place", "clicks"),
    ],
)
def test_roles_in_a_log(names: str, columns: dict[str, str], order: str, grade: str) -> None:
    roles = roles_of(names.split(), columns, holds="log", by=(), where="log")
    assert (roles.columns[roles.order], roles.columns["grade"], len(roles.columns)) == (order, grade, 4)


@pytest.mark.parametrize(
    ("names", "columns", "message"),
    [
        ("query doc rank score", {}, "expected a column of grades, got 'score', which could be the score or the grade"),
        ("query doc rank label rating", {}, "expected one column of grades, got 'label' and 'rating'; name it"),
        ("query doc rank", {}, "expected columns for grade"),
        ("query doc relevance_score", {}, "expected columns for score or rank, got"),
        ("doc rank label", {}, "expected columns for query"),
        ("query doc rank label", {"grade": "labels"}, "expected a column 'labels' for grade.*did you mean 'label'"),
    ],
)
def test_what_cannot_be_told_of_a_log_is_an_error(names: str, columns: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        roles_of(names.split(), columns, holds="log", by=(), where="log")


@pytest.mark.parametrize(
    ("names", "columns", "taken"),
    [
        ("query doc score rank label", {}, {"score": "score"}),
        ("query doc rank label", {}, {"rank": "rank"}),
        ("query doc rank score", {"rank": "rank"}, {"rank": "rank"}),
        ("query doc rank label", {"grade": "label"}, {"rank": "rank", "grade": "label"}),
        ("query doc relevance_score", {}, {"score": "relevance_score"}),
        ("query doc rank relevance_score", {}, {"rank": "rank"}),
        ("query doc rank relevance_score", {"score": "relevance_score"}, {"score": "relevance_score"}),
    ],
)
def test_roles_in_a_run(names: str, columns: dict[str, str], taken: dict[str, str]) -> None:
    roles = roles_of(names.split(), columns, holds="run", by=(), where="run")
    assert roles.columns == {"query": "query", "doc": "doc"} | taken


def test_a_column_that_was_not_taken_for_the_score_is_said() -> None:
    roles = roles_of(["query", "doc", "rank", "relevance_score"], None, holds="run", by=(), where="run")
    assert roles.left_out == "relevance_score"


def test_columns_that_part_rankings_play_no_other_role() -> None:
    roles = roles_of(["query", "doc", "rank", "label", "pos"], None, holds="log", by=("pos",), where="log")
    assert roles.wanted == {"pos": "pos", "query": "query", "doc": "doc", "rank": "rank", "grade": "label"}
