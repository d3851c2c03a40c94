from __future__ import annotations

import polars as pl
import pytest

import rankgauge as rg
from rankgauge.errors import DuplicateError, InputError
from rankgauge.judges.asking import Failed
from rankgauge.judges.labels import JudgeLabels, overlap

HUMAN = rg.Qrels.from_dict({"q": {"a": 2, "b": 0, "c": -1, "d": -2}, "r": {"a": 1}})


def test_a_failure_has_a_reason_and_no_grade():
    pairs = pl.DataFrame({"query": ["q", "q"], "doc": ["a", "b"]})
    labels = JudgeLabels.from_grades(pairs, [2.0, Failed("truncated", '{"grade":')], source="llm:m:1")
    assert labels.table.rows() == [("q", "a", 2.0, None), ("q", "b", None, "truncated")]
    assert (labels.failed, labels.reasons) == (1, {"truncated": 1})
    assert labels.graded.rows() == [("q", "a", 2.0)]


def test_a_negative_grade_in_a_judges_file_is_a_failure():
    labels = JudgeLabels.from_qrels(rg.Qrels.from_dict({"q": {"a": -1, "b": 0}}, name="judge"))
    assert labels.source == "llm:judge"
    assert labels.table.rows() == [("q", "a", None, "negative grade"), ("q", "b", 0.0, None)]


def test_all_may_fail():
    pairs = pl.DataFrame({"query": ["q"], "doc": ["a"]})
    labels = JudgeLabels.from_grades(pairs, [Failed("timeout")], source="llm:m")
    assert (labels.failed, len(labels.graded)) == (1, 0)
    assert len(overlap(HUMAN, labels)) == 0


def test_the_overlap_counts_what_the_judge_failed_on_and_was_not_asked():
    labels = JudgeLabels.from_qrels(
        rg.Qrels.from_dict({"q": {"a": 3, "c": 1, "d": 1, "x": 2}}), source="llm:m", failed=[("q", "b", "refused")]
    )
    both = overlap(HUMAN, labels)
    assert both.table.rows() == [("q", "a", 2.0, 3.0), ("q", "d", 0.0, 1.0)]  # junk gains nothing; pooled is no label
    assert (both.failed, both.unasked) == (1, 1)


def test_labels_of_some_pairs():
    labels = JudgeLabels.from_qrels(rg.Qrels.from_dict({"q": {"a": 3, "b": 1}}), source="llm:m")
    assert labels.of(pl.DataFrame({"query": ["q", "q"], "doc": ["b", "z"]})).graded.rows() == [("q", "b", 1.0)]


def test_two_labels_of_one_pair_are_refused():
    with pytest.raises(DuplicateError, match="query 'q', document 'a': expected one label, got more"):
        JudgeLabels.from_qrels(rg.Qrels.from_dict({"q": {"a": 1}}), source="llm:m", failed=[("q", "a", "refused")])


def test_labels_are_signed_and_one_per_pair():
    qrels = rg.Qrels.from_dict({"q": {"a": 1}})
    with pytest.raises(InputError, match="what the labels are signed with"):
        JudgeLabels.from_qrels(qrels, source=" ")
    with pytest.raises(InputError, match="one per pair, 1"):
        JudgeLabels.from_grades(pl.DataFrame({"query": ["q"], "doc": ["a"]}), [], source="llm:m")
