"""Tests of the matrices and of the file they are kept in."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_matrices import WORKED, matrices
from rankgauge.errors import DuplicateError, FormatError, InputError
from rankgauge.judges.asking import Failed
from rankgauge.rag.matrices import Matrices, from_json, read_matrices, to_json, write_matrices
from rankgauge.rag.table import MEASURES
from rankgauge.rag.verdicts import Quote


def test_lists_become_tuples_and_ones_become_true():
    m = Matrices("q", ["a"], ["c"], answer_in_contexts=[[1]], citations=[[1]])
    assert (m.answer, m.answer_in_contexts, m.citations) == (("a",), ((True,),), ((1,),))


def test_the_words_of_formulas_are_maxima_of_rows_and_columns():
    assert WORKED.supported == (True, True, False, False, True)
    assert WORKED.found == (True, False, True)
    assert WORKED.relevant == (True, False, True)


def test_without_claims_of_the_reference_no_context_is_relevant():
    assert Matrices("q", [], ["c", "d"], reference=[]).relevant == (False, False)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            {"answer_in_contexts": [[True]]},
            r"q: answer_in_contexts\[0\]: expected 2 entries, as there are contexts, got 1",
        ),
        (
            {"answer_in_contexts": []},
            "q: answer_in_contexts: expected 1 entries, as there are claims or contexts, got 0",
        ),
        ({"answer_in_reference": [0.5]}, "q: answer_in_reference: expected True, False or None, got 0.5"),
        ({"answer_in_reference": ["no"]}, "got 'no'"),
        ({"useful": [True]}, "q: useful: expected 2 entries"),
        ({"answer_in_contexts": [[False, True]]}, "expected no support from a blank context, got True"),
        ({"context_grades": [4, 0]}, "q: expected a grade from 0 to 3, got 4"),
        ({"reverse_cosines": [1.5]}, "expected a cosine from -1 to 1, got 1.5"),
        ({"citations": [[0]]}, "expected a slot from 1, got 0"),
        ({"outcome": "refused"}, "q: outcome: expected one of answered, abstained, empty, judge_failed, got 'refused'"),
        ({"answer": "a claim"}, r"expected a list, got the text 'a claim'; pass \['a claim'\]"),
    ],
)
def test_what_does_not_fit_is_an_error_that_says_where(wrong: dict[str, object], message: str):
    given = {"answer": ["a"], "contexts": ["text", " "], **wrong}
    with pytest.raises(InputError, match=message):
        Matrices("q", **given)  # type: ignore[arg-type]


def test_a_file_keeps_everything(tmp_path: Path):
    full = dataclasses.replace(
        WORKED, context_grades=(3, None, 0.5), answer_grade=Failed("filtered", "?"), reverse_cosines=(0.1, None),
        noncommittal=(True, None), similarity=1 / 3, outcome="answered", answerable=False, unproven=2,
        quotes_answer=(Quote(0, 0, "ngữ “cảnh”\n"),), citations=((1,), (), (2, 9), (), ()),
    )  # fmt: skip
    failed = Matrices("f", Failed("timeout"), ["c"], Failed("truncated", "{"))
    write_matrices([full, failed], tmp_path / "m.jsonl")
    assert read_matrices(tmp_path / "m.jsonl") == (full, failed)


@given(matrices())
def test_every_measure_of_a_stored_row_is_that_of_the_row_to_the_last_bit(m: Matrices):
    line = to_json(m)
    again = from_json(line)
    assert to_json(again) == line
    assert [measure.of(again) for measure in MEASURES.values()] == [measure.of(m) for measure in MEASURES.values()]


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[]",
        '{"query_id": "q"}',
        '{"query_id": "q", "answer": [], "claim": 1}',
        '{"query_id": "q", "answer": 3}',
        '{"query_id": "q", "answer": ["a"], "useful": [2]}',
    ],
)
def test_a_line_that_is_no_matrices_is_named(line: str, tmp_path: Path):
    (tmp_path / "m.jsonl").write_text('{"query_id": "p", "answer": []}\n' + line + "\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"m\.jsonl:2: expected matrices of one answer as JSON"):
        read_matrices(tmp_path / "m.jsonl")


def test_a_question_that_is_there_twice_is_refused(tmp_path: Path):
    write_matrices([WORKED, WORKED], tmp_path / "m.jsonl")
    with pytest.raises(DuplicateError, match="expected each question once, got 'worked' twice"):
        read_matrices(tmp_path / "m.jsonl")


@given(st.text())
def test_a_claim_may_hold_any_character(text: str):
    m = Matrices("q", [text, "\u2028"])
    assert from_json(to_json(m)) == m
