"""What every engine owes: the memory engine's numbers, to the bit, for every measure and under every convention."""

from __future__ import annotations

from functools import cache

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankgauge as rg
from contract.cases import CASES, drawn, in_days
from contract.engines import Case, differences, memory, queries, whole
from contract.marks import each_engine, notyet
from contract.samples import SAMPLES
from rankgauge.measures import REGISTRY

FLAT = [measure for measure in SAMPLES if not measure.declared.subtopics]
"""Every form of every measure that needs no subtopics."""

SIMPLE = [
    measure @ 5 if measure.declared.cutoff == "required" else measure
    for measure in REGISTRY.values()
    if not measure.declared.subtopics
] + ["nDCG@3", "RR@3", "P@3", "ERR@3", "RBP@3", "Judged@3", "Success@3", "AP(judged_only=True)@3"]
"""Each measure once, and some that share a depth."""

each_case = pytest.mark.parametrize("case", CASES)


@cache
def expected(case: str, convention: str) -> pl.DataFrame:
    return memory(CASES[case], FLAT if convention == "all" else SIMPLE, "default" if convention == "all" else convention)


@each_case
@each_engine()
def test_every_measure_has_the_numbers_of_the_memory_engine(engine, case):
    if engine.name == "queries":
        pytest.skip("single queries go through the simple forms below")
    assert differences(engine.table(CASES[case], FLAT), expected(case, "all")) == []


@pytest.mark.parametrize("convention", rg.CONVENTIONS)
@each_case
@each_engine()
def test_every_convention_has_the_numbers_of_the_memory_engine(engine, case, convention):
    assert differences(engine.table(CASES[case], SIMPLE, convention), expected(case, convention)) == []
