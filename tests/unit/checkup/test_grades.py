"""Checks of the grades: each where it fires and where it does not."""

from __future__ import annotations

import pytest

from clinic import finding, judged


def test_a_grade_that_was_never_given_is_named():
    found = finding("unused-grades", judged(3, {"a": 3, "b": 1, "c": 0}))
    assert (found.severity, found.count, found.of) == ("info", 1, 4)
    assert found.says == "grades used: 0 (3), 1 (3), 3 (3); never given: 2"
    assert finding("unused-grades", judged(3, {"a": 2, "b": 1, "c": 0})).severity == "ok"


def test_a_huge_grade_costs_no_memory():
    assert finding("unused-grades", judged(1, {"a": 1e12})).count == 10**12 - 1


def test_one_grade_for_nearly_all_judgments_is_a_remark():
    many = {f"d{i}": 0 for i in range(99)} | {"a": 1}
    found = finding("one-grade", {"q": many})
    assert (found.severity, found.count, found.of) == ("info", 99, 100)
    assert finding("one-grade", judged(3)).severity == "ok"


def test_negative_grades_are_explained():
    found = finding("negative-grades", judged(2, {"a": 1, "b": -2}))
    assert (found.severity, found.count, found.of) == ("info", 2, 4)
    assert found.example == "query 'q001', document 'b': -2"
    assert "a negative grade never gains" in found.do
    assert finding("negative-grades", judged(2)).severity == "ok"


@pytest.mark.parametrize(("grade", "check"), [(0.5, "fractional-grades"), (7, "large-grades")])
def test_fractional_and_large_grades_are_warnings(grade, check):
    found = finding(check, judged(2, {"a": grade, "b": 0}))
    assert (found.severity, found.count, found.of) == ("warning", 2, 4)
    assert finding(check, judged(2, {"a": 4, "b": 0})).severity == "ok"


def test_a_large_grade_is_weighed_against_grade_one():
    assert "outweighs 1023 of grade 1" in finding("large-grades", judged(1, {"a": 10})).says


def test_queries_without_the_highest_grade_are_counted():
    qrels = judged(2, {"a": 3}) | {"low": {"a": 2}, "none": {"a": 0}}
    found = finding("best-grade-missing", qrels)
    assert (found.severity, found.count, found.of, found.example) == ("info", 1, 3, "query 'low': at most 2")
    assert finding("best-grade-missing", judged(2)).severity == "ok"
