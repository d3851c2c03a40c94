"""Faults reported around missing queries and ids, one by one."""

from __future__ import annotations

import unicodedata

import numpy as np
import pandas as pd
import polars as pl
import pytest

import rankgauge as rg
from cases.inline import kinds, qrels, run, value, values
from rankgauge.errors import InputError

FOUR = "q1 0 d1 1\nq2 0 d2 1\nq3 0 d3 1\nq4 0 d4 1"
THREE = "q1 Q0 d1 1 1 sys\nq2 Q0 d2 1 1 sys\nq3 Q0 d3 1 1 sys\nq9 Q0 dx 1 1 sys"


def test_a_missing_ranking_earns_nothing_and_is_named():
    """Case missing-query; trec_eval 10 -c."""
    scores = rg.evaluate(qrels(FOUR), run(THREE), "nDCG")
    row = scores.mean().row(0, named=True)
    assert (row["mean"], row["n"], row["missing"]) == (0.75, 4, 1)
    assert scores.counts[0].missing == ("q4",)
    assert scores.counts[0].left_out == ("q9",)
    assert {"missing queries", "queries left out"} <= kinds(scores)


def test_a_convention_may_average_the_queries_of_both_only():
    """Case missing-query; trec_eval 9 without -c."""
    scores = rg.evaluate(qrels(FOUR), run(THREE), "nDCG", convention="trec_eval9")
    row = scores.mean().row(0, named=True)
    assert (row["mean"], row["n"], scores.convention) == (1.0, 3, "trec_eval9")
    assert list(scores.of("run", scores.measures[0])) == ["q1", "q2", "q3"]


def test_the_second_evaluation_is_as_the_first_and_changes_no_input():
    """Case evaluate-twice; trec_eval 10."""
    grades = {"a1": {"d1": 1}, "a2": {"d2": 1}}
    scores = {"a1": {"d1": 1.0}, "a2": {"x": 2.0, "d2": 1.0}}
    records = [{"query": q, "doc": d, "grade": g} for q, docs in grades.items() for d, g in docs.items()]
    frames = [pl.DataFrame(records), pd.DataFrame(records), pl.DataFrame(records).to_arrow(), iter(records)]
    for judged in [grades, *(rg.Qrels.from_frame(frame) for frame in frames)]:
        for _ in range(2):
            assert rg.evaluate(judged, scores, "RR").mean()["mean"].item() == 0.75
    assert grades == {"a1": {"d1": 1}, "a2": {"d2": 1}}
    assert scores == {"a1": {"d1": 1.0}, "a2": {"x": 2.0, "d2": 1.0}}


def test_integer_ids_and_their_digits_are_the_same_ids():
    """Case id-types."""
    found = rg.evaluate({1: {10: np.int64(1)}}, {"1": {"10": np.float32(0.5), "11": 0.9}}, "RR")
    assert found.values.item() == 0.5


def test_frames_with_integer_ids_match_frames_with_text_ids():
    """Case id-types."""
    judged = rg.Qrels.from_pandas(pd.DataFrame({"query": [1], "doc": [10], "grade": [1]}))
    for dtype in (object, str):
        text = pd.DataFrame({"query": ["1", "1"], "doc": ["10", "11"], "score": [0.5, 0.9]}).astype(
            {"query": dtype, "doc": dtype}
        )
        assert rg.evaluate(judged, rg.Run.from_pandas(text), "RR").values.item() == 0.5


def test_ids_that_became_floats_are_refused():
    """Case id-types: 1.0 is not silently equal to "1"."""
    with pytest.raises(InputError, match=r"expected ids as text or integers, got a column of Float64"):
        rg.Qrels.from_pandas(pd.DataFrame({"query": [1.0], "doc": [10.0], "grade": [1]}))
    with pytest.raises(InputError, match=r"a query id: expected an id as text or integer, got 1.0"):
        rg.evaluate({1.0: {"10": 1}}, {"1": {"10": 0.5}}, "RR")


def test_a_document_named_as_its_query_stays_by_default():
    """Case self-id-removal; trec_eval 10."""
    judged = qrels("\n".join(f"0 0 {i} 1" for i in range(10)))
    ranking = run("\n".join(f"0 Q0 {i} {i + 1} {20 - i} sys" for i in range(10)))
    (found,) = values(judged, ranking, "R@10", "P@10", "nDCG@10").values()
    assert list(found.values()) == [1.0, 1.0, 1.0]


def test_a_document_named_as_its_query_is_dropped_and_counted_where_that_is_asked_for():
    """Case self-id-removal; the rule of BEIR."""
    judged, ranking = qrels("arg7 0 arg9 1"), run("arg7 Q0 arg7 1 5 sys\narg7 Q0 arg9 2 4 sys")
    assert value(judged, ranking, "nDCG@10") == pytest.approx(0.63093, abs=5e-7)
    scores = rg.evaluate(judged, ranking, "nDCG@10", convention=rg.CONVENTIONS["default"].but(drop_self=True))
    assert scores.values.item() == 1.0
    assert [note.count for note in scores.notes if note.kind == "self"] == [1]


COMPOSED = unicodedata.normalize("NFC", "Beyoncé_(album)")
DECOMPOSED = unicodedata.normalize("NFD", COMPOSED)
WIDE = "\uff21bba"  # compatibility forms are other letters: NFC leaves them alone


def test_ids_in_two_unicode_forms_differ_and_the_near_miss_is_said():
    """Case unicode-normal-forms."""
    scores = rg.evaluate({"u": {COMPOSED: 1, WIDE: 0}}, {"u": {DECOMPOSED: 2.0, WIDE: 1.0}}, "nDCG")
    assert scores.values.item() == 0.0
    (note,) = [note for note in scores.notes if note.kind == "near misses"]
    assert note.count == 1
    assert "1 document ids would match the qrels' after NFC normalisation" in note.text


def test_ids_brought_to_one_unicode_form_match_and_it_is_said_how_many_changed():
    """Case unicode-normal-forms, with the option, which belongs on both sides."""
    judged = rg.Qrels.from_dict({"u": {COMPOSED: 1, WIDE: 0}}).normalized("NFC")
    ranking = rg.Run.from_dict({"u": {DECOMPOSED: 2.0, WIDE: 1.0}}).normalized("NFC")
    scores = rg.evaluate(judged, ranking, "nDCG")
    assert scores.values.item() == 1.0
    assert [(note.kind, note.count) for note in scores.notes if note.kind == "normalised ids"] == [
        ("normalised ids", 1)
    ]
    assert judged.to_dict() == {"u": {COMPOSED: 1.0, WIDE: 0.0}}


def test_two_ids_that_become_one_under_normalisation_are_refused():
    """Case unicode-normal-forms: nothing is merged in silence."""
    with pytest.raises(InputError, match="expected each document once"):
        rg.Run.from_dict({"u": {DECOMPOSED: 2.0, COMPOSED: 1.0}}).normalized("NFC")
    with pytest.raises(InputError, match="expected one judgment"):
        rg.Qrels.from_dict({"u": {DECOMPOSED: 2, COMPOSED: 1}}).normalized("NFC")
