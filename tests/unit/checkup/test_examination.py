"""The checkup as a whole: order, what is not checked, limits, the registry."""

from __future__ import annotations

import pytest

import rankgauge as rg
from clinic import judged, returned
from rankgauge.checkup import CHECKS, checks
from rankgauge.checkup.findings import SEVERITIES
from rankgauge.errors import InputError, UnknownMeasureError


def everything() -> rg.Checkup:
    runs = {"one": returned(30, "abc"), "two": returned(30, "bca")}
    queries = {f"q{i:03}": f"question number {i}" for i in range(1, 31)}
    return rg.doctor(judged(30), runs, queries=queries, texts={"a": "one", "b": "two", "c": "three"})


def test_every_check_is_in_the_report_whatever_was_given():
    for checkup in (rg.doctor(judged(2)), rg.doctor(judged(2), returned(2)), everything()):
        said = {f.check for f in checkup.findings} | {n.check for n in checkup.not_checked}
        silent = set(CHECKS) - said
        assert silent <= {"fewer-relevant-than-cutoff"}  # no P@k was asked for


def test_the_worst_comes_first():
    order = [SEVERITIES.index(f.severity) for f in everything().findings]
    assert order == sorted(order)
    assert len(set(order)) > 1


def test_every_finding_that_is_not_ok_says_what_to_do_and_no_other_does():
    found = [*everything().findings, *rg.doctor(judged(2, {"a": -1, "007": 0.5}), returned(1)).findings]
    assert all(bool(f.do) == (f.severity != "ok") for f in found)
    assert all(f.severity == "ok" or f.severity in CHECKS[f.check].finds for f in found)


def test_what_was_not_given_is_named():
    because = {item.check: item.because for item in rg.doctor(judged(2)).not_checked}
    assert because["unjudged"] == "no run was given"
    assert because["pool-bias"] == "it takes two runs"
    assert because["near-duplicate-queries"] == "no texts of queries were given"
    assert because["copies-of-documents"] == "no texts of documents were given"
    one_run = {item.check: item.because for item in rg.doctor(judged(2), returned(2), measures="AP").not_checked}
    assert one_run["same-story"] == "it takes two measures"
    assert "unjudged" not in one_run


def test_a_checkup_is_fit_without_errors_and_strictly_without_warnings():
    bad, weak = rg.doctor(judged(3)), rg.doctor(judged(10))
    assert (bad.fit(), weak.fit(), weak.fit(strict=True)) == (False, True, False)
    assert rg.doctor(judged(30)).fit(strict=True)


def test_findings_come_as_a_table_too():
    frame = everything().to_polars()
    assert frame.columns == ["severity", "check", "run", "count", "of", "says", "example", "do"]
    assert len(frame) == len(everything().findings)


def test_a_limit_changes_a_severity():
    assert rg.doctor(judged(10), limits=rg.CheckupLimits(few_queries=10)).named("number-of-queries")[0].severity == "ok"


def test_an_unknown_measure_is_an_error():
    with pytest.raises(UnknownMeasureError, match="NDGC"):
        rg.doctor(judged(2), measures="NDGC")


def test_texts_that_are_no_strings_are_an_error():
    with pytest.raises(InputError, match="texts: expected ids and texts as strings, got int and str"):
        rg.doctor(judged(2), queries={1: "one"})  # type: ignore[dict-item]


def test_names_of_checks_are_those_of_their_functions_and_all_have_words():
    for check in checks():
        assert check.name == check.look.__name__.replace("_", "-")
        assert check.looks_for.endswith(".")
        assert check.do
        assert not check.do.endswith(".")
        assert "ok" not in check.finds


def test_subtopic_judgments_are_looked_at_by_document():
    import polars as pl

    columns = pl.Series(["q"] * 3), pl.Series(["a", "a", "b"]), pl.Series([1.0, 0.0, 0.0])
    qrels = rg.Qrels.from_columns(*columns, subtopic=pl.Series(["1", "2", "1"]))
    checkup = rg.doctor(qrels)
    assert checkup.judgments == 2
    assert checkup.named("conflicting-judgments")[0].severity == "ok"
