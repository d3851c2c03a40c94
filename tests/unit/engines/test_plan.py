"""Plans: the table's columns follow from the measures, the convention and what decides the order."""

from __future__ import annotations

import polars as pl
import pytest

import rankgauge as rg
from rankgauge.engines.plan import RESERVED, Plan, plan, unjudged_column
from rankgauge.errors import InputError, MeasureError, ParameterError, UnknownMeasureError
from rankgauge.records.summary import MeasureColumns

NDCG = "nDCG(gain='exp')@3"


def test_a_measure_has_columns_for_its_value_and_its_doubt():
    both = plan(["nDCG@3", "RBP(p=0.8)"], order="score").columns
    assert both == (
        MeasureColumns(NDCG, "mean", "unjudged@3", (("low", f"{NDCG} low"), ("high", f"{NDCG} high"))),
        MeasureColumns(
            "RBP(p=0.8)",
            "mean",
            "unjudged",
            (
                ("low", "RBP(p=0.8) low"),
                ("high", "RBP(p=0.8) high"),
                ("residual_unjudged", "RBP(p=0.8) residual unjudged"),
                ("residual_tail", "RBP(p=0.8) residual tail"),
            ),
        ),
    )


def test_given_ranks_have_no_ties_and_so_no_doubt_from_them():
    (only,) = plan("nDCG@3", order="rank").columns
    assert only.doubts == ()


def test_the_schema_lists_every_column_in_order():
    chosen = plan(["P@3", "RR@3", "AP(judged_only=True)"], order="rank", by=("day", "system"))
    ids = ["day", "system", "query", "status"]
    counts = ["retrieved", "judged", "tied", "dropped", "conflicts"]
    p = ["P@3 residual unjudged", "P@3 residual tail"]
    assert list(chosen.schema) == [*ids, *counts, "P@3", "RR@3", "AP(judged_only=True)", "unjudged@3", *p]
    assert [chosen.schema[name] for name in ids] == [pl.String] * 4
    assert {chosen.schema[name] for name in counts} == {pl.Int64}
    assert {chosen.schema[name] for name in chosen.numbers} == {pl.Float64}


def test_measures_of_one_depth_share_the_column_of_unjudged_documents():
    chosen = plan(["P@3", "RR@3", "RR", "AP", "P(judged_only=True)@3"], order="score")
    assert chosen.unjudged == {"unjudged@3": 0, "unjudged": 2}
    assert [one.unjudged for one in chosen.columns] == ["unjudged@3", "unjudged@3", "unjudged", "unjudged", None]
    assert unjudged_column(rg.P @ 3) == "unjudged@3"


def test_a_measure_with_another_order_of_ties_has_its_own_column_of_unjudged_documents():
    """ir_measures takes RR@3 from a tool that puts ties in ascending order."""
    chosen = plan(["P@3", "RR@3"], "ir_measures", order="score")
    assert chosen.unjudged == {"unjudged@3": 0, "RR@3 unjudged": 1}
    assert plan(["P@3", "RR@3"], "ir_measures", order="rank").unjudged == {"unjudged@3": 0}


def test_the_average_of_ties_stands_in_the_order_of_falling_ids():
    how = rg.CONVENTIONS["default"].but(apart={"RR": {"ties": "expected"}})
    assert plan(["AP", "RR"], how, order="score").unjudged == {"unjudged": 0}


def test_digits_of_means_are_the_conventions():
    assert plan("P@3", "beir", order="score").columns[0].decimals == 5
    assert plan("P@3", order="score").columns[0].decimals is None


def test_measures_take_the_conventions_defaults_and_count_once():
    chosen = plan(["nDCG@3", "nDCG(gain='linear')@3", rg.P @ 3], "trec_eval", order="rank")
    assert [str(measure) for measure in chosen.measures] == ["nDCG(gain='linear')@3", "P@3"]
    assert plan("GMAP", order="rank").columns[0].average == "geometric"
    assert plan("GMAP", order="score").columns[0].logs == ["GMAP", "GMAP low", "GMAP high"]


def test_a_plan_sums_up_its_own_tables():
    chosen = plan("GMAP", order="rank")
    table = pl.DataFrame({"query": ["q"], "status": ["scored"], "GMAP": [0.25]})
    assert chosen.summary(table).average("GMAP", "geometric") == pytest.approx(0.25, rel=1e-15)


@pytest.mark.parametrize("name", ["query", "status", "judged", "column", "missing", "mean", "P@3", "unjudged@3"])
def test_columns_that_part_rankings_have_names_of_their_own(name):
    with pytest.raises(InputError, match=rf"^by: expected columns with names of their own, got '{name}'; rename"):
        plan("P@3", order="rank", by=("day", name))
    assert name in RESERVED or "@" in name


@pytest.mark.parametrize(
    ("order", "convention", "got"),
    [("score", "default", "scores"), ("rank", "beir", "the convention 'beir', which compares ids")],
)
def test_what_needs_ids_cannot_do_without_them(order, convention, got):
    with pytest.raises(InputError, match=f"^trusted ranks: expected ranks that decide alone, got {got}; leave trusted"):
        plan("P@3", convention, order=order, trusted=True)


@pytest.mark.parametrize(
    ("measures", "error", "says"),
    [
        ([], ParameterError, "expected at least one measure, got none; try nDCG@10"),
        ("NDGC", UnknownMeasureError, "no measure named 'NDGC'; did you mean 'nDCG'"),
        ("P", ParameterError, "P needs a cutoff, as in P@10"),
        ("StRecall@3", MeasureError, "StRecall@3 needs subtopics, which logs and runs at scale do not carry"),
    ],
)
def test_measures_that_cannot_be_had_are_refused_before_any_row_is_read(measures, error, says):
    with pytest.raises(error, match=says):
        plan(measures, order="rank")


def test_a_plan_with_one_choice_changed_is_otherwise_the_same():
    chosen = plan("P@3", order="rank", top_grade=3.0)
    assert chosen.but(from_zero=True) == Plan(chosen.measures, chosen.how, "rank", top_grade=3.0, from_zero=True)
