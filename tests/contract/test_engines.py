"""What every engine owes: the memory engine's numbers, to the bit, for every measure and under every convention."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankgauge as rg
from contract.cases import CASES, apart, drawn, in_days, log, unit
from contract.engines import ENGINES, Case, differences, memory
from contract.forms import FLAT, SHALLOW, SIMPLE
from contract.marks import each_engine, never, notyet
from rankgauge.measures import REGISTRY

DAYS = in_days([log(6, queries=12), log(7, queries=12), log(8, queries=12)])


@cache
def under(case: str, convention: str) -> Case:
    return unit(CASES[case]) if convention == "cwl_eval" else CASES[case]


@cache
def expected(case: str, convention: str) -> pl.DataFrame:
    return memory(under(case, convention), SIMPLE, convention)


@cache
def expected_forms(case: str) -> pl.DataFrame:
    return memory(CASES[case], FLAT)


@pytest.mark.parametrize("case", ["shuffled", "ranks"])
@each_engine(but=("queries", "stream", "parted stream"))
def test_every_form_of_every_measure_has_the_numbers_of_the_memory_engine(engine, case):
    assert differences(engine.table(CASES[case], FLAT), expected_forms(case)) == []


@pytest.mark.parametrize("convention", rg.CONVENTIONS)
@pytest.mark.parametrize("case", ["shuffled", "ranks"])
@each_engine(but=("queries", "parted stream"))
def test_every_convention_has_the_numbers_of_the_memory_engine(engine, case, convention):
    found = engine.table(under(case, convention), SIMPLE, convention)
    assert differences(found, expected(case, convention)) == []


@pytest.mark.parametrize("case", CASES)
@each_engine()
def test_every_shape_of_input_has_the_numbers_of_the_memory_engine(engine, case):
    assert differences(engine.table(CASES[case], SIMPLE), expected(case, "default")) == []


@given(drawn(), st.sampled_from(sorted({*rg.CONVENTIONS} - {"cwl_eval"})), st.data())
@settings(max_examples=60)
def test_drawn_inputs_have_the_numbers_of_the_memory_engine(case, convention, data):
    measures = data.draw(st.lists(st.sampled_from(FLAT), min_size=1, max_size=5, unique=True))
    wanted = memory(case, measures, convention)
    for engine in (ENGINES["batch"], ENGINES["pieces"], ENGINES["queries"]):
        assert differences(engine.table(case, measures, convention), wanted) == []


@each_engine(but=("pieces", "queries"))
def test_days_are_kept_apart(engine):
    assert differences(engine.table(DAYS, SIMPLE), memory(DAYS, SIMPLE), ["day"]) == []


@each_engine(but=("pieces", "queries"))
def test_judgments_without_days_hold_on_each_day(engine):
    days = in_days([apart(3), apart(3)])
    whole = apart(3).qrels
    assert whole is not None
    assert differences(engine.table(replace(days, qrels=whole), SHALLOW), memory(days, SHALLOW), ["day"]) == []


@each_engine()
def test_ranks_may_count_from_zero(engine):
    case = CASES["ranks"]
    lowered = replace(case, rows=case.rows.with_columns(pl.col("rank") - 1))
    assert differences(engine.table(lowered, SHALLOW, from_zero=True), memory(case, SHALLOW)) == []


def counted(case: Case) -> Case:
    """The case with ranks 1..n, and nothing that was not retrieved."""
    rows = case.rows.drop_nulls("rank").with_columns(pl.col("rank").rank("ordinal").over("query").cast(pl.Int64))
    return replace(case, rows=rows)


@each_engine()
def test_trusted_ranks_need_no_ids(engine):
    case = counted(CASES["ranks"])
    found = engine.table(replace(case, rows=case.rows.drop("doc")), SIMPLE, trusted=True)
    assert differences(found, memory(case, SIMPLE)) == []


@each_engine(
    never("batch", "pieces", "queries", reason="ids must be compared", says="got separate judgments"),
    never("stream", "parted stream", reason="ids must be compared", says="got ids that are not read"),
)
def test_trusted_ranks_with_judgments_apart(engine):
    case = counted(CASES["ranks"])
    engine.table(replace(case, rows=case.rows.drop("doc"), qrels=CASES["qrels apart"].qrels), SIMPLE, trusted=True)


@each_engine(never(*ENGINES, reason="ties are settled by ids", says="leave trusted out"))
def test_trusted_scores(engine):
    engine.table(Case(CASES["log"].rows.drop("doc")), SHALLOW, trusted=True)


@pytest.mark.parametrize("measure", [m for m in REGISTRY.values() if m.declared.subtopics], ids=str)
@each_engine(notyet(*ENGINES, reason="rows could carry a subtopic", says="needs subtopics"))
def test_measures_of_diversity(engine, measure):
    engine.table(CASES["log"], [measure])


def repeated(case: Case) -> Case:
    """The case with some documents once more, further down."""
    again = case.rows.filter(pl.col(case.order).is_not_null())[::7]
    worse = pl.col("rank") + 100 if case.order == "rank" else pl.col("score") - 100
    return replace(case, rows=pl.concat([case.rows, again.with_columns(worse)]))


@pytest.mark.parametrize("kept", ["first", "max"])
@pytest.mark.parametrize("case", ["log", "ranks"])
@each_engine()
def test_repeated_documents_are_dropped_where_asked_and_counted(engine, case, kept):
    twice = repeated(CASES[case])
    wanted, found = memory(CASES[case], SHALLOW), engine.table(twice, SHALLOW, on_duplicate=kept)
    assert differences(found.drop("dropped"), wanted.drop("dropped")) == []
    assert found["dropped"].sum() == len(twice.rows) - len(CASES[case].rows)


@each_engine(never(*ENGINES, reason="a document stands once in a ranking", says="expected each document once"))
def test_repeated_documents(engine):
    engine.table(repeated(CASES["log"]), SHALLOW)
