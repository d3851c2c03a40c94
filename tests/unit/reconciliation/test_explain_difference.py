"""Where two tools part: the choices, what each contributes, and the queries and documents at issue."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import rankgauge as rg
from oracles import inputs
from rankgauge.errors import ConventionError, ParameterError

GOLDEN = Path(str(resources.files("rankgauge") / "data" / "golden"))
MEASURES = ("nDCG@3", "AP@3", "RR", "ERR@3", "RBP", "P@3")
TOOLS = (
    "default",
    "trec_eval",
    "trec_eval9",
    "ir_measures",
    "ranx",
    "beir",
    "sklearn",
    "gdeval",
    "lightgbm",
    "cwl_eval",
)


def by_query(qrels, run, measure, tool):
    scores = rg.evaluate(qrels, run, measure, convention=tool)
    return scores.of(scores.runs[0], scores.measures[0])


def refused(qrels, run, measure, *tools):
    """Whether a tool refuses this data, as cwl_eval does gains above the top of its scale."""
    try:
        for tool in tools:
            by_query(qrels, run, measure, tool)
    except ParameterError:
        return True
    return False


@settings(max_examples=60)
@given(inputs.collections(), st.sampled_from(MEASURES), st.sampled_from(TOOLS), st.sampled_from(TOOLS))
def test_the_steps_lead_from_one_tools_values_to_the_others(collection, measure, first, second):
    qrels, run = collection
    if refused(qrels, run, measure, first, second):
        with pytest.raises(ParameterError):
            rg.explain_difference(qrels, run, first, second, measure=measure)
        return
    said = rg.explain_difference(qrels, run, first, second, measure=measure)
    for end, tool in enumerate((first, second)):
        scores = rg.evaluate(qrels, run, measure, convention=rg.CONVENTIONS[tool].but())
        mean = scores.mean()["mean"].item()
        if mean is None:
            assert said.values[end] != said.values[end]
        else:
            assert said.values[end] == pytest.approx(mean, abs=6e-6)  # BEIR rounds its means
    if said.difference == said.difference and all(step.value == step.value for step in said.steps):
        assert sum(step.contribution for step in said.steps) == pytest.approx(said.difference, abs=1e-9)


@settings(max_examples=60)
@given(inputs.collections(), st.sampled_from(MEASURES), st.sampled_from(TOOLS), st.sampled_from(TOOLS))
def test_the_queries_told_are_those_on_which_the_tools_differ(collection, measure, first, second):
    qrels, run = collection
    assume(not refused(qrels, run, measure, first, second))
    said = rg.explain_difference(qrels, run, first, second, measure=measure)
    one, other = (by_query(qrels, run, measure, tool) for tool in (first, second))
    told = {q.query: (q.first, q.second) for q in said.queries}
    for query in one.keys() | other.keys():
        a, b = one.get(query), other.get(query)
        if (a is None) != (b is None) or (a is not None and b is not None and abs(a - b) > 1e-9):
            assert told.pop(query) == pytest.approx((a, b), nan_ok=True)
        else:
            assert query not in told
    assert told == {}
    assert all(q.steps and q.why for q in said.queries)


def test_documents_that_a_tie_moves_are_named_with_their_ranks():
    qrels = {"q": {"d3": 2, "d7": 0}}
    run = {"q": {"x": 20.0, "d3": 12.4, "d7": 12.4, "y": 12.4, "z": 1.0}}
    said = rg.explain_difference(qrels, run, "trec_eval", "ranx", measure="nDCG@10")
    (query,) = said.queries
    assert [axis for axis, _ in query.steps] == ["ties"]
    assert query.why == (
        "documents 'd3' (grade 2), 'd7' (grade 0), 'y' (unjudged) tied at 12.4 at ranks 2-4: 'd3' goes from rank 4 to 2"
    )


def test_scores_that_float32_ties_are_named():
    qrels = {"f": {"m": 1}}
    run = {"f": {"z": 0.5, "m": 0.50000001}}
    said = rg.explain_difference(qrels, run, "trec_eval", "trec_eval9", measure="RR")
    assert [step.change.axis for step in said.steps] == ["score type"]
    assert "tied at 0.5 at ranks 1-2: 'm' goes from rank 1 to 2" in said.queries[0].why


def test_a_document_that_is_the_query_is_named():
    qrels = {"a1": {"b": 1}}
    run = {"a1": {"a1": 9.0, "b": 1.0}}
    said = rg.explain_difference(qrels, run, "pytrec_eval", "beir", measure="nDCG@10")
    assert [step.change.axis for step in said.steps] == ["drop self"]
    assert said.queries[0].why == "the document 'a1' at rank 1 has the query's own id"


def test_missing_and_empty_queries_are_named():
    qrels = {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 0}}
    run = {"q1": {"a": 1.0}, "q3": {"c": 1.0}}
    said = rg.explain_difference(qrels, run, "default", "pytrec_eval", measure="RR")
    why = {q.query: (q.first, q.second, q.why) for q in said.queries}
    assert why["q2"] == (0.0, None, "missing from the run (queries: judged -> both)")
    said = rg.explain_difference(qrels, run, "default", "trec_eval", measure="AP")
    why = {q.query: (q.first, q.second, q.why) for q in said.queries}
    assert why == {"q3": (None, 0.0, "no relevant document (undefined values: skip -> zero)")}


def test_choices_that_differ_without_effect_here_are_told_apart():
    qrels, run = rg.read_qrels(GOLDEN / "qrels.txt"), rg.read_run(GOLDEN / "keyword.run")
    said = rg.explain_difference(qrels, run, "trec_eval", "ranx", measure="RR")
    assert said.steps == ()
    assert said.queries == ()
    assert {change.axis for change in said.without_effect} == {"ties", "negative"}


def test_a_choice_has_an_effect_of_its_own_and_one_in_its_turn():
    qrels, run = rg.read_qrels(GOLDEN / "qrels.txt"), rg.read_run(GOLDEN / "vector.run")
    said = rg.explain_difference(qrels, run, "default", "sklearn", measure="nDCG@10")
    assert [step.change.axis for step in said.steps] == ["ideal", "gain", "undefined values"]
    gain = said.steps[1]
    default = rg.evaluate(qrels, run, ["nDCG@10", "nDCG(gain='linear')@10"]).mean()["mean"].to_list()
    assert gain.alone == pytest.approx(default[1] - default[0])
    assert gain.contribution != pytest.approx(gain.alone)


def test_a_tool_without_the_measure_is_remarked_on():
    qrels, run = inputs.made(5)
    said = rg.explain_difference(qrels, run, "default", "sklearn", measure="ERR@5")
    assert said.remarks == ("sklearn has no ERR of its own; its other choices are applied to it",)


def test_conventions_of_ones_own_are_compared_too():
    qrels, run = inputs.made(8)
    mine = rg.CONVENTIONS["trec_eval"].but(ties="docid-asc")
    said = rg.explain_difference(qrels, run, "trec_eval", mine, measure="nDCG@5")
    assert [step.change.after for step in said.steps] == ["docid-asc"]


def test_an_unknown_tool_is_an_error():
    with pytest.raises(ConventionError, match="no convention named 'trek_eval'; did you mean 'trec_eval'"):
        rg.explain_difference({"q": {"a": 1}}, {"q": {"a": 1.0}}, "trek_eval", "ranx", measure="RR")


def test_the_frame_has_a_row_for_each_query():
    qrels, run = inputs.made(8)
    said = rg.explain_difference(qrels, run, "trec_eval", "ranx", measure="nDCG@5")
    frame = said.to_polars()
    assert frame.columns == ["query", "first", "second", "axes", "why"]
    assert frame.height == len(said.queries) > 0
