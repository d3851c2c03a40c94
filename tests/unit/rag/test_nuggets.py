"""Tests of nugget recall. The values of FIXTURE are those of nuggetizer 0.0.5 (core/metrics.py)."""

from __future__ import annotations

import dataclasses
from typing import get_args

import pytest

from rankgauge.errors import ParameterError
from rankgauge.rag.nuggets import Assignment, Nugget, nugget_recall
from rankgauge.rag.values import Value

FIXTURE = [
    Nugget("a", "vital", "support"),
    Nugget("b", "vital", "partial_support"),
    Nugget("c", "vital", "not_support"),
    Nugget("d", "okay", "support"),
    Nugget("e", "okay", "partial_support"),
]


def numbers(nuggets: list[Nugget], **how: str) -> dict[str, float | None]:
    found = nugget_recall(nuggets, **how)  # type: ignore[arg-type]
    return {field.name: getattr(found, field.name).value for field in dataclasses.fields(found)}


def test_partial_support_counts_half_or_nothing():
    assert numbers(FIXTURE) == {"A": 0.6, "A_strict": 0.4, "V": 0.5, "V_strict": 1 / 3, "W": 0.5625, "W_strict": 0.375}


def test_without_a_vital_nugget_v_does_not_apply_and_is_0_there():
    okay = FIXTURE[3:]
    assert numbers(okay)["V"] is None
    assert nugget_recall(okay).V.reason == "no nugget"
    assert numbers(okay, convention="nuggetizer") == numbers(okay) | {"V": 0.0, "V_strict": 0.0}


def test_a_nugget_that_the_judge_failed_on_is_left_out_and_counted():
    found = nugget_recall([*FIXTURE, Nugget("f", "vital", None)])
    assert found.V == Value(0.5, n=3, unknown=1)
    assert nugget_recall([Nugget("f", "vital", None)], convention="nuggetizer").V.missing == "failed"


@pytest.mark.parametrize("assignment", get_args(Assignment))
def test_strict_is_never_above_lenient(assignment: Assignment):
    found = numbers([*FIXTURE, Nugget("x", "vital", assignment)])
    assert all((found[f"{name}_strict"] or 0) <= (found[name] or 0) for name in "AVW")


def test_an_unknown_convention_is_named():
    with pytest.raises(ParameterError, match="convention: expected 'rankgauge', 'nuggetizer' or 'open-rag-eval'"):
        nugget_recall(FIXTURE, convention="trec")  # type: ignore[arg-type]
