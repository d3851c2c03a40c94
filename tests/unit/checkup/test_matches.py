"""Checks of what judgments and runs have in common: each where it fires and where it does not."""

from __future__ import annotations

import pytest

import rankgauge as rg
from clinic import finding, findings, judged, returned, severities


@pytest.mark.parametrize(("answered", "severity"), [(10, "ok"), (9, "warning"), (8, "warning"), (7, "error")])
def test_judged_queries_without_results_are_counted(answered, severity):
    found = finding("missing-queries", judged(10), returned(answered))
    assert (found.severity, found.count, found.of) == (severity, 10 - answered, 10)


def test_queries_without_judgments_are_a_remark_and_an_error_where_all_are():
    found = finding("unknown-queries", judged(2), returned(3))
    assert (found.severity, found.count, found.of, found.example) == ("info", 1, 3, "'q003'")
    assert severities("unknown-queries", judged(2), {"z": {"a": 1.0}}) == ["error"]
    assert severities("unknown-queries", judged(2), returned(2)) == ["ok"]


@pytest.mark.parametrize(
    ("ours", "theirs", "how"),
    [
        ("doc7", "DOC7", "in lower case"),
        ("7", "007", "without leading zeros"),
        ("7", "7.0", "without a trailing '.0'"),
        ("caf\u00e9", "cafe\u0301", "after NFC normalisation"),
        ("d", "d ", "without blanks around"),
        ("12", "q12", "without the letters before the number"),
    ],
)
def test_ids_that_miss_by_their_writing_are_an_error(ours, theirs, how):
    found = finding("near-misses", {"q": {ours: 1, "b": 0}}, {"q": {theirs: 2.0, "b": 1.0}})
    assert (found.severity, found.count) == ("error", 1)
    assert f"1 judged document would match {how}" in found.says
    assert found.example == f"{theirs!r} in the run, {ours!r} in the judgments"


def test_queries_that_miss_by_their_writing_are_an_error():
    found = finding("near-misses", {"7": {"a": 1}}, {"q7": {"a": 1.0}})
    assert (found.severity, found.count) == ("error", 1)
    assert "1 query would match without the letters before the number" in found.says


def test_the_same_writing_under_another_query_is_no_near_miss():
    qrels = {"q": {"doc7": 1}, "r": {"b": 1}}
    assert severities("near-misses", qrels, {"q": {"x": 1.0}, "r": {"DOC7": 1.0}}) == ["ok"]


def test_both_writings_judged_is_no_near_miss():
    assert severities("near-misses", {"q": {"7": 1, "007": 0}}, {"q": {"007": 1.0}}) == ["ok"]


def test_a_document_with_its_querys_id_is_said():
    qrels = {"a": {"b": 1}, "b": {"a": 1}}
    runs = {"self": {"a": {"a": 2.0, "b": 1.0}, "b": {"a": 1.0}}}
    of_qrels, of_run = sorted(findings("self-ids", qrels, runs), key=lambda f: f.run or "")
    assert (of_qrels.severity, of_qrels.count) == ("info", 0)
    assert "2 queries of 2 share an id with a document" in of_qrels.says
    assert (of_run.severity, of_run.count, of_run.of) == ("warning", 1, 2)
    assert of_run.example == "query and document 'a'"


def test_ids_of_two_name_spaces_are_fine():
    assert severities("self-ids", judged(2), returned(2)) == ["ok", "ok"]


def test_query_ids_that_are_documents_of_the_corpus_are_said():
    qrels, texts = {"con01a": {"con01b": 1}}, {"con01a": "an argument", "con01b": "its opposite"}
    assert severities("self-ids", qrels) == ["ok"]
    assert severities("self-ids", qrels, texts=texts) == ["info"]


def test_a_judgment_of_the_querys_own_document_is_counted():
    assert rg.doctor({"0": {"0": 1, "1": 1}}).named("self-ids")[0].count == 1
