"""Tests of answers as a record."""

from __future__ import annotations

import pytest

from rankgauge.errors import DuplicateError
from rankgauge.records.answers import Answer, Answers, Context


def test_a_question_that_is_there_twice_is_refused():
    with pytest.raises(DuplicateError, match="new: expected each question once, got 'q1' twice"):
        Answers((Answer("q1", "a", "b"), Answer("q1", "c", "d")), name="new")


def test_contexts_without_text_are_told_apart():
    answer = Answer("q", "?", "!", (Context("x"), Context(" \n"), Context(doc_id="d"), Context("y")))
    assert answer.readable == (0, 3)


def test_some_questions_are_kept_in_the_order_asked_for():
    rows = Answers(tuple(Answer(query, "?", "!") for query in "abc"))
    assert [row.query_id for row in rows.of(["c", "x", "a"])] == ["c", "a"]
