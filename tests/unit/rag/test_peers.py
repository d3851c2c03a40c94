"""Tests of other tools' variants.

The values of WORKED are those that RAGChecker 0.1.9 (ragchecker/computation.py) and Ragas 0.4.3 (the formulas of
metrics/_*.py) return for these matrices; DeepEval's and TruLens' are by hand from their formulas.
"""

from __future__ import annotations

import dataclasses

import pytest

from rag_matrices import WORKED
from rankgauge.rag.matrices import Matrices
from rankgauge.rag.peers import PEERS

VALUES = {
    "faithfulness.ragas": 0.6,
    "answer_relevance.ragas": 0.6,
    "context_precision.ragas": 0.8333333332916666,
    "context_recall.ragas": 2 / 3,
    "noise_sensitivity_relevant.ragas": 0.2,
    "noise_sensitivity_irrelevant.ragas": 0.2,
    "factual_correctness.ragas": 0.44,
    "answer_correctness.ragas": 0.75 * 4 / 9 + 0.25 * 0.8,
    "faithfulness.deepeval": 0.6,
    "answer_relevance.deepeval": 0.8,
    "context_precision.deepeval": 5 / 6,
    "context_recall.deepeval": 2 / 3,
    "groundedness.trulens": 0.5,
    "groundedness_answerable.trulens": 0.5,
    "answer_relevance.trulens": 2 / 3,
    "context_relevance.trulens": 0.5,
    "faithfulness.ragchecker": 0.6,
    "claim_recall.ragchecker": 2 / 3,
    "context_precision.ragchecker": 2 / 3,
    "context_utilisation.ragchecker": 0.5,
    "noise_sensitivity_relevant.ragchecker": 0.2,
    "noise_sensitivity_irrelevant.ragchecker": 0.2,
    "hallucination.ragchecker": 0.2,
    "self_knowledge.ragchecker": 0.2,
    "answer_precision.ragchecker": 0.4,
    "answer_recall.ragchecker": 1 / 3,
    "answer_correctness.ragchecker": 4 / 11,
}


@pytest.mark.parametrize("name", PEERS)
def test_each_variant_has_the_value_of_its_tool(name: str):
    assert PEERS[name].of(WORKED).value == pytest.approx(VALUES[name], abs=1e-14)


SILENT = Matrices(
    "q", [], ["c", "d"], [], context_grades=[None, None], answer_grade=0, reverse_cosines=[], noncommittal=[],
    similarity=0.4, sentences=[], useful=[False, False],
)  # fmt: skip


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("faithfulness.ragas", None),
        ("faithfulness.deepeval", 1.0),
        ("faithfulness.ragchecker", 0.0),
        ("groundedness.trulens", 0.0),
        ("answer_relevance.ragas", None),
        ("answer_relevance.deepeval", 1.0),
        ("context_precision.ragas", 0.0),
        ("context_precision.deepeval", 0.0),
        ("context_precision.ragchecker", 0.0),
        ("context_recall.ragas", None),
        ("context_recall.deepeval", 0.0),
        ("claim_recall.ragchecker", 0.0),
        ("context_relevance.trulens", None),
        ("context_utilisation.ragchecker", 0.0),
        ("noise_sensitivity_relevant.ragas", None),
        ("noise_sensitivity_irrelevant.ragas", None),
        ("noise_sensitivity_relevant.ragchecker", 0.0),
        ("noise_sensitivity_irrelevant.ragchecker", 0.0),
        ("hallucination.ragchecker", 0.0),
        ("self_knowledge.ragchecker", 0.0),
        ("answer_precision.ragchecker", 0.0),
        ("answer_recall.ragchecker", 0.0),
        ("answer_correctness.ragchecker", 0.0),
        ("factual_correctness.ragas", 0.0),
        ("answer_correctness.ragas", 0.75 + 0.25 * 0.4),
    ],
)
def test_without_any_claim_each_tool_says_what_it_says(name: str, value: float | None):
    found = PEERS[name].of(SILENT)
    assert found.value == value if value is None else found.value == pytest.approx(value)


def test_the_same_refusal_has_four_scores_and_none_of_ours():
    refusal = Matrices("q", [], ["c"], outcome="abstained", answerable=True)
    found = {name: PEERS[name].of(refusal).value for name in (
        "faithfulness.ragas", "faithfulness.deepeval", "faithfulness.ragchecker", "groundedness.trulens",
        "groundedness_answerable.trulens")}  # fmt: skip
    assert list(found.values()) == [None, 1.0, 0.0, 1.0, 0.0]


def test_trulens_forgives_an_abstention_that_had_to_be():
    trulens = PEERS["groundedness_answerable.trulens"]
    rows = [Matrices("q", [], ["c"], outcome="abstained", answerable=answerable) for answerable in (False, None)]
    assert [trulens.of(row).value for row in rows] == [1.0, None]


def test_trulens_gives_a_refusal_no_relevance():
    assert PEERS["answer_relevance.trulens"].of(dataclasses.replace(WORKED, outcome="abstained")).value == 0.0


def test_ragas_relevance_is_0_where_all_questions_are_noncommittal():
    evasive = dataclasses.replace(WORKED, noncommittal=[True, True, True])
    assert PEERS["answer_relevance.ragas"].of(evasive).value == 0.0


def test_without_chunks_ragchecker_sees_no_hallucination_where_all_is_hallucinated():
    invented = Matrices("q", ["a"], [], ["y"], [[]], [[]], [False], [False])
    assert PEERS["hallucination.ragchecker"].of(invented).value == 0.0


def test_ragchecker_uses_nothing_where_nothing_was_found():
    m = Matrices("q", ["a"], ["c"], ["y"], reference_in_contexts=[[False]], reference_in_answer=[True])
    assert PEERS["context_utilisation.ragchecker"].of(m).value == 0.0


@pytest.mark.parametrize("name", ["context_precision.ragas", "context_precision.deepeval"])
def test_without_contexts_precision_is_0_there(name: str):
    assert PEERS[name].of(Matrices("q", ["a"], [], useful=[])).value == 0.0
    assert PEERS[name].of(Matrices("q", ["a"], ["c"])).reason == "not asked: useful"


def test_ragas_correctness_is_full_where_the_answer_states_nothing():
    silent = Matrices("q", [], ["c"], ["y"], reference_in_answer=[False], similarity=0.0)
    assert PEERS["answer_correctness.ragas"].of(silent).value == 0.75


def test_missing_verdicts_only_are_a_failure_in_a_count_too():
    m = Matrices("q", ["a"], [], ["y"], answer_in_reference=[None], reference_in_answer=[None])
    assert PEERS["factual_correctness.ragas"].of(m).missing == "failed"
