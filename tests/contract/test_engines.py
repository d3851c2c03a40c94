"""What every engine owes: the memory engine's numbers, to the bit, for every measure and under every convention."""

from __future__ import annotations

from functools import cache

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankgauge as rg
from contract.cases import CASES, drawn, in_days, unit
from contract.engines import Case, differences, memory
from contract.marks import each_engine, never, notyet
from contract.samples import SAMPLES
from rankgauge.measures import REGISTRY

FLAT = [measure for measure in SAMPLES if not measure.declared.subtopics]
"""Every form of every measure that needs no subtopics."""

SHALLOW = ["nDCG@3", "RR@3", "P@3", "ERR@3", "RBP@3", "Judged@3", "Success@3", "AP(judged_only=True)@3"]
SIMPLE = [measure for measure in REGISTRY.values() if not measure.declared.subtopics]
SIMPLE = [*(m @ 5 if m.declared.cutoff == "required" else m for m in SIMPLE), *SHALLOW]
"""Each measure once, and some that share a depth."""

TWO = ("both", "ranks")


def by_input(convention: str) -> bool:
    """Whether the order of rows decides the numbers of some measure."""
    how = rg.CONVENTIONS[convention]
    return any("input" in (rules.order, rules.ties) for rules in (how.of(str(m)) for m in SIMPLE))


@cache
def given_under(case: str, convention: str) -> Case:
    return unit(CASES[case]) if convention == "cwl_eval" else CASES[case]


@cache
def expected(case: str, convention: str) -> pl.DataFrame:
    return memory(given_under(case, convention), SIMPLE, convention)


@cache
def expected_forms(case: str) -> pl.DataFrame:
    return memory(CASES[case], FLAT)


@pytest.mark.parametrize("case", TWO)
@each_engine(but=("queries", "stream"))
def test_every_form_of_every_measure_has_the_numbers_of_the_memory_engine(engine, case):
    assert differences(engine.table(CASES[case], FLAT), expected_forms(case)) == []


@pytest.mark.parametrize("convention", rg.CONVENTIONS)
@pytest.mark.parametrize("case", TWO)
@each_engine(but=("queries", "stream", "shuffled stream"))
def test_every_convention_has_the_numbers_of_the_memory_engine(engine, case, convention):
    case_ = given_under(case, convention)
    assert differences(engine.table(case_, SIMPLE, convention), expected(case, convention)) == []


@pytest.mark.parametrize("case", CASES)
@each_engine()
def test_every_shape_of_input_has_the_numbers_of_the_memory_engine(engine, case):
    assert differences(engine.table(CASES[case], SIMPLE), expected(case, "default")) == []
