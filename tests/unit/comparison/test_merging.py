"""New judgments go in without a loss of old ones, and each keeps its source."""

from __future__ import annotations

import polars as pl
import pytest

import rankgauge as rg
from rankgauge.errors import DuplicateError, InputError


def qrels(nested: dict, name: str = "old") -> rg.Qrels:
    return rg.Qrels.from_dict(nested, name=name)


OLD = {"q": {"a": 1, "b": 0, "x": -1}, "p": {"a": 2}}


def counts(merged: rg.MergedQrels) -> dict[str, int]:
    return {note.kind: note.count for note in merged.notes}


def test_new_judgments_are_added_behind_the_old_ones_of_their_query():
    merged = rg.merge_qrels(qrels(OLD), qrels({"q": {"c": 3, "x": 1}, "r": {"a": 1}}, "pool"), source="human:round2")
    assert merged.qrels.to_dict() == {"q": {"a": 1, "b": 0, "x": 1, "c": 3}, "p": {"a": 2}, "r": {"a": 1}}
    assert merged.qrels.to_polars()["doc"].to_list() == ["a", "b", "x", "c", "a", "a"]
    assert merged.provenance["source"].to_list() == ["old", "old", *["human:round2"] * 2, "old", "human:round2"]
    assert merged.provenance["replaced"].drop_nulls().to_list() == []
    assert counts(merged) == {"added": 3}


def test_another_grade_than_before_is_an_error_that_names_the_document():
    with pytest.raises(DuplicateError) as caught:
        rg.merge_qrels(qrels(OLD), qrels({"q": {"a": 3, "b": 0}}, "pool"), source="s")
    expected = "qrels 'pool', query 'q', document 'a': expected the grade that 'old' has, 1, got 3; look at both"
    assert str(caught.value).startswith(expected)
    assert caught.value.total == 1


def test_the_old_grade_is_kept_when_asked_for_and_counted():
    pool = qrels({"q": {"a": 3, "b": 0, "c": 1}}, "pool")
    merged = rg.merge_qrels(qrels(OLD), pool, source="s", on_conflict="keep")
    assert merged.qrels.to_dict()["q"] == {"a": 1, "b": 0, "x": -1, "c": 1}
    assert counts(merged) == {"added": 1, "agreed": 1, "conflicts keep": 1}
    assert merged.notes[2].text == "1 other grades were left out, the old ones kept: 'q/a'"


def test_a_replaced_grade_is_remembered():
    merged = rg.merge_qrels(qrels(OLD), qrels({"q": {"a": 3}}, "pool"), source="s", on_conflict="replace")
    assert merged.qrels.to_dict()["q"]["a"] == 3
    assert merged.provenance.row(0) == ("q", "a", 3.0, "s", 1.0)
    assert counts(merged) == {"added": 0, "conflicts replace": 1}


def test_documents_that_nobody_judged_yet_are_left_out_and_counted():
    merged = rg.merge_qrels(qrels(OLD), qrels({"q": {"a": -1, "c": -1, "d": 0}}, "pool"), source="s")
    assert merged.qrels.to_dict()["q"] == {"a": 1, "b": 0, "x": -1, "d": 0}
    assert counts(merged) == {"added": 1, "not judged": 2}


def test_sources_are_carried_on_from_merge_to_merge():
    first = rg.merge_qrels(qrels(OLD), qrels({"q": {"c": 1}}), source="human:round2")
    pool = qrels({"q": {"c": 2, "d": 1}})
    second = rg.merge_qrels(first.qrels, pool, source="s", provenance=first.provenance, on_conflict="replace")
    sources = dict(zip(second.provenance["doc"], second.provenance["source"], strict=True))
    assert (sources["b"], sources["c"], sources["d"]) == ("old", "s", "s")
    third = rg.merge_qrels(second.qrels, qrels({"q": {"e": 1}}), source="t", provenance=second.provenance)
    assert third.provenance.filter(doc="c").row(0) == ("q", "c", 2.0, "s", 1.0)


def test_a_provenance_that_speaks_of_other_grades_is_noticed():
    told = pl.DataFrame({"query": ["q"], "doc": ["a"], "grade": [9.0], "source": ["x"], "replaced": [None]})
    told = told.with_columns(pl.col("replaced").cast(pl.Float64))
    merged = rg.merge_qrels(qrels(OLD), qrels({"q": {"c": 1}}), source="s", provenance=told)
    assert merged.notes[0].text.startswith("1 judgments have another grade than their provenance says")


def test_a_source_must_be_named():
    with pytest.raises(InputError, match="source: expected where the new judgments come from"):
        rg.merge_qrels(qrels(OLD), qrels({"q": {"c": 1}}), source=" ")


def test_judgments_by_subtopic_are_refused():
    frame = pl.DataFrame({"query": ["q"], "doc": ["a"], "grade": [1.0], "subtopic": ["1"]})
    diverse = rg.Qrels.from_polars(frame, subtopic="subtopic")
    with pytest.raises(InputError, match="expected one grade per document, got subtopics"):
        rg.merge_qrels(diverse, qrels({"q": {"c": 1}}), source="s")
