"""Spark owes what all engines owe: many drawn cases go through one job, with every form of every measure."""

from __future__ import annotations

import polars as pl
import pytest

import rankgauge as rg
from contract.cases import CASES, SHAPES, in_days, log, pool, unit
from contract.engines import Case, differences, memory
from contract.forms import FLAT, SIMPLE, by_input
from rankgauge.engines import spark
from rankgauge.errors import ConventionError, MeasureError, ParameterError
from spark_worlds import collected

CLASHING = ("Judged", "Unjudged", "Unjudged@5")
"""Spark takes upper and lower case as one: these would be the columns "judged", "unjudged" and "unjudged@5"."""


def apart(measures):
    """Measures that have columns of their own in Spark."""
    return [measure for measure in measures if str(measure) != "Judged" and not str(measure).startswith("Unjudged")]


MEASURES = apart(FLAT)

CONVENTIONS = [name for name in rg.CONVENTIONS if not by_input(name)]


def scored(table, case: Case, measures, convention="default", **choices) -> pl.DataFrame:
    qrels = None if case.qrels is None else table(case.qrels)
    found = spark.evaluate(
        table(case.rows), list(measures), qrels=qrels, by=list(case.by), convention=convention, **choices
    )
    return collected(found, *case.by)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_drawn_cases_have_the_numbers_of_the_memory_engine(table, shape):
    case = pool(shape, many=40)
    assert case.rows["query"].n_unique() > 80
    assert differences(scored(table, case, MEASURES), memory(case, MEASURES)) == []


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_conventions_have_the_numbers_of_the_memory_engine(table, convention):
    case = unit(CASES["shuffled"]) if convention == "cwl_eval" else CASES["shuffled"]
    measures = apart(SIMPLE)
    assert differences(scored(table, case, measures, convention), memory(case, measures, convention)) == []


def test_days_are_kept_apart(table):
    days = in_days([log(seed, queries=12) for seed in range(8)])
    assert differences(scored(table, days, MEASURES[:40]), memory(days, MEASURES[:40]), ["day"]) == []


@pytest.mark.parametrize("convention", [name for name in rg.CONVENTIONS if by_input(name)])
def test_never_the_order_of_the_input(table, convention):
    with pytest.raises(ConventionError, match="Spark does not keep the order of rows"):
        scored(table, CASES["log"], SIMPLE, convention)


def test_never_the_first_of_repeated_documents(table):
    with pytest.raises(ParameterError, match="Spark does not keep the order of rows"):
        scored(table, CASES["log"], ["P@3"], on_duplicate="first")


@pytest.mark.parametrize("name", CLASHING)
def test_never_a_measure_that_differs_from_another_column_in_case_only(table, name):
    with pytest.raises(ParameterError, match="upper and lower case"):
        scored(table, CASES["log"], [name])


@pytest.mark.parametrize("measure", [m for m in rg.REGISTRY.values() if m.declared.subtopics], ids=str)
def test_not_yet_measures_of_diversity(table, measure):
    with pytest.raises(MeasureError, match="needs subtopics"):
        scored(table, CASES["log"], [measure])
