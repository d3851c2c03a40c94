"""Tests of the measures of an answer: values by hand, empty cases, missing verdicts, properties."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_matrices import CERTAIN, WORKED, matrices
from rankgauge.judges.asking import Failed
from rankgauge.rag.matrices import Matrices
from rankgauge.rag.table import MEASURES, named
from rankgauge.rag.triad import OWN
from rankgauge.rag.values import Value

BY_HAND = {
    "faithfulness": 3 / 5,
    "groundedness": (1 + 0 + 1 / 2) / 3,
    "answer_relevance": 2 / 3,
    "context_precision": (1 / 1 + 2 / 3) / 2,
    "context_recall": 2 / 3,
    "claim_recall": 2 / 3,
    "context_relevance": (1 + 0 + 0.5) / 3,
    "context_utilisation": 1 / 2,
    "noise_sensitivity_relevant": 1 / 5,
    "noise_sensitivity_irrelevant": 1 / 5,
    "hallucination": 1 / 5,
    "self_knowledge": 1 / 5,
    "answer_precision": 2 / 5,
    "answer_recall": 1 / 3,
    "answer_correctness": 2 * 2 / 5 * 1 / 3 / (2 / 5 + 1 / 3),
    "citation_precision": 3 / 6,
    "citation_recall": 3 / 5,
    "abstention_accuracy": 1.0,
}


@pytest.mark.parametrize("name", OWN)
def test_each_measure_has_its_value_by_hand(name: str):
    found = OWN[name].of(WORKED)
    assert (found.value, found.unknown, found.missing) == (pytest.approx(BY_HAND[name], abs=1e-15), 0, None)


def test_every_measure_says_what_it_is_and_where_it_comes_from():
    assert {
        m.name: m.help for m in MEASURES.values() if not (m.help.endswith((".", ")")) and m.source and m.empty)
    } == {}


def test_useful_contexts_as_judged_go_before_those_with_claims():
    m = Matrices("q", ["a"], ["c", "d"], useful=[False, True])
    assert named("context_precision").of(m).value == 0.5


# What there is nothing of


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("faithfulness", 0.0, ""),
        ("groundedness", 0.0, ""),
        ("hallucination", 0.5, ""),
        ("self_knowledge", 0.5, ""),
        ("context_recall", 0.0, ""),
        ("claim_recall", 0.0, ""),
        ("noise_sensitivity_relevant", 0.0, ""),
        ("noise_sensitivity_irrelevant", 0.0, ""),
        ("context_precision", None, "no context"),
        ("context_relevance", None, "no context"),
        ("context_utilisation", None, "no claim of the reference in the contexts"),
        ("citation_precision", None, "no citation"),
        ("citation_recall", 0.0, ""),
    ],
)
@pytest.mark.parametrize("contexts", [[], [""], [" \n", ""]])
def test_without_contexts_nothing_is_supported_and_nothing_is_found(
    name: str, value: float | None, reason: str, contexts: list[str]
):
    none = [[False] * len(contexts)] * 2
    m = Matrices(
        "q", ["a", "b"], contexts, ["y", "z"], none, none, [True, False], [True, False],
        context_grades=[0] * len(contexts), sentences=[0, 1], citations=[[], []],
    )  # fmt: skip
    found = OWN[name].of(m)
    assert (found.value, found.reason, found.missing) == (
        value,
        reason,
        None if value is not None else "not applicable",
    )


OF_CLAIMS = sorted(set(OWN) - {"context_precision", "context_recall", "claim_recall", "context_relevance",
                               "abstention_accuracy"})  # fmt: skip
ABOUT_CONTEXTS = {"context_precision", "context_recall", "claim_recall", "context_relevance"}


@pytest.mark.parametrize("name", sorted(OWN))
@pytest.mark.parametrize(
    ("changed", "missing", "reason"),
    [
        ({"outcome": "abstained"}, "abstained", "abstained"),
        ({"outcome": "empty"}, "not applicable", "the answer is empty"),
        ({"outcome": "judge_failed"}, "failed", "the judge failed"),
    ],
)
def test_an_answer_that_is_none_has_values_of_its_contexts_only(
    name: str, changed: dict[str, Any], missing: str, reason: str
):
    found = OWN[name].of(dataclasses.replace(WORKED, **changed))
    if name == "abstention_accuracy":
        assert (found.value, found.missing) == ((None, "failed") if missing == "failed" else (0.0, None))
    elif name in ABOUT_CONTEXTS:
        assert found.value == pytest.approx(BY_HAND[name])
    else:
        assert (found.value, found.missing, found.reason) == (None, missing, reason)


@pytest.mark.parametrize("name", OF_CLAIMS)
def test_claims_that_could_not_be_had_are_a_failure_of_the_judge(name: str):
    found = OWN[name].of(Matrices("q", Failed("timeout"), ["c"], ["y"]))
    assert (found.value, found.missing, found.reason) == (None, "failed", "the judge failed: timeout")


@pytest.mark.parametrize("name", OF_CLAIMS)
def test_an_answer_without_claims_is_not_applicable(name: str):
    assert OWN[name].of(Matrices("q", [], ["c"], ["y"])).reason == "no claim in the answer"


def test_what_nobody_asked_the_judge_is_not_applicable():
    assert OWN["faithfulness"].of(Matrices("q", ["a"], ["c"])).reason == "not asked: answer_in_contexts"
    assert OWN["hallucination"].of(Matrices("q", ["a"], [], answer_in_contexts=[[]])).reason == "no reference"
    assert OWN["context_precision"].of(Matrices("q", ["a"], ["c"])).reason == "no reference"


def test_a_reference_without_claims_has_no_recall():
    assert OWN["context_recall"].of(Matrices("q", ["a"], ["c"], [])).reason == "no claim in the reference"


def test_f_is_0_where_nothing_is_shared():
    m = Matrices("q", ["a"], [], ["y"], answer_in_reference=[False], reference_in_answer=[False])
    assert OWN["answer_correctness"].of(m) == Value(0.0, 2)


# Verdicts that are not there


def test_a_missing_verdict_is_left_out_and_counted():
    m = Matrices("q", ["a", "b", "c"], ["x", "y"], answer_in_contexts=[[True, None], [None, False], [False, False]])
    assert OWN["faithfulness"].of(m) == Value(0.5, n=2, unknown=1)


def test_where_all_verdicts_are_missing_the_judge_failed():
    m = Matrices("q", ["a"], ["x"], answer_in_contexts=[[None]])
    assert OWN["faithfulness"].of(m) == Value(None, unknown=1, missing="failed", reason="the judge failed")


def test_a_missing_verdict_on_a_context_moves_all_below_it_so_that_there_is_no_precision():
    found = OWN["context_precision"].of(Matrices("q", ["a"], ["x", "y"], useful=[None, True]))
    assert (found.value, found.missing, found.unknown) == (None, "failed", 1)


def test_what_may_or_may_not_be_in_the_contexts_is_not_counted_as_taken_up():
    m = Matrices(
        "q", ["a"], ["c"], ["y", "z"], reference_in_contexts=[[None], [True]], reference_in_answer=[True, False]
    )
    assert OWN["context_utilisation"].of(m) == Value(0.0, n=1, unknown=1)


SHARES = ["faithfulness", "context_recall", "noise_sensitivity_relevant", "noise_sensitivity_irrelevant",
          "hallucination", "self_knowledge", "answer_precision", "answer_recall", "citation_precision"]  # fmt: skip


@given(matrices(), st.randoms(use_true_random=False))
def test_shares_agree_with_any_filling_of_the_verdicts_that_did_not_matter(m: Matrices, random: Any):
    def fill(row: Sequence[bool | None] | None) -> list[bool | None]:
        return [random.random() < 0.5 if entry is None else entry for entry in row or ()]

    filled = dataclasses.replace(
        m, outcome=None,
        answer_in_contexts=[fill(row) for row in m.answer_in_contexts or ()],
        reference_in_contexts=[fill(row) for row in m.reference_in_contexts or ()],
        answer_in_reference=fill(m.answer_in_reference), reference_in_answer=fill(m.reference_in_answer),
    )  # fmt: skip
    for name in SHARES:
        open_, closed = OWN[name].of(dataclasses.replace(m, outcome=None)), OWN[name].of(filled)
        if open_.value is not None and closed.value is not None:
            held = open_.value * open_.n
            assert held - 1e-9 <= closed.value * closed.n <= held + open_.unknown + 1e-9


# Properties


@given(matrices())
def test_every_value_lies_in_its_range_or_says_why_there_is_none(m: Matrices):
    for name, measure in MEASURES.items():
        found = measure.of(m)
        low = -1.0 if name in {"answer_relevance.ragas", "answer_correctness.ragas"} else 0.0
        if found.value is None:
            assert found.missing and found.reason
        else:
            assert low <= found.value <= 1.0 + 1e-12 and found.missing is None and not found.reason


@given(matrices(CERTAIN, least=1))
def test_each_claim_is_faithful_known_or_hallucinated(m: Matrices):
    m = dataclasses.replace(m, outcome=None)
    parts = (OWN[name].of(m).value for name in ("faithfulness", "self_knowledge", "hallucination"))
    assert sum(part for part in parts if part is not None) == pytest.approx(1)


@given(matrices(), st.permutations(range(4)), st.permutations(range(4)))
def test_the_order_of_claims_does_not_matter(m: Matrices, mine: list[int], theirs: list[int]):
    def shuffled(given: Any, order: list[int]) -> Any:
        return None if given is None else [given[i] for i in order if i < len(given)]

    fields = {name: mine for name in ("answer", "answer_in_contexts", "answer_in_reference", "answer_to_question",
                                      "sentences", "citations")}  # fmt: skip
    fields |= {name: theirs for name in ("reference", "reference_in_contexts", "reference_in_answer")}
    other = dataclasses.replace(m, **{name: shuffled(getattr(m, name), order) for name, order in fields.items()})
    for measure in MEASURES.values():
        assert measure.of(other) == measure.of(m)


ORDERED = {"context_precision", "context_precision.ragas", "context_precision.deepeval"}


@given(matrices(), st.permutations(range(4)))
def test_the_order_of_contexts_matters_for_context_precision_only(m: Matrices, order: list[int]):
    places = [i for i in order if i < len(m.contexts)]
    slots = {old + 1: new for new, old in enumerate(places, 1)}
    other = dataclasses.replace(
        m,
        contexts=[m.contexts[i] for i in places],
        answer_in_contexts=[[row[i] for i in places] for row in m.answer_in_contexts or ()],
        reference_in_contexts=[[row[i] for i in places] for row in m.reference_in_contexts or ()],
        context_grades=[(m.context_grades or ())[i] for i in places],
        citations=[[slots.get(slot, slot) for slot in row] for row in m.citations or ()],
    )
    for name in sorted(set(MEASURES) - ORDERED):
        assert named(name).of(other) == named(name).of(m)


def test_context_precision_looks_at_the_order():
    early, late = ([True, False, False], [False, False, True])
    values = [OWN["context_precision"].of(Matrices("q", [], ["a", "b", "c"], useful=u)).value for u in (early, late)]
    assert values == [1.0, pytest.approx(1 / 3)]


@pytest.mark.parametrize(
    ("outcome", "answerable", "value"),
    [
        ("answered", True, 1.0),
        ("answered", False, 0.0),
        ("abstained", True, 0.0),
        ("abstained", False, 1.0),
        ("empty", True, 0.0),
        ("empty", False, 1.0),
        ("answered", None, None),
        (None, True, None),
    ],
)
def test_abstaining_is_right_where_there_is_no_answer(outcome: Any, answerable: bool | None, value: float | None):
    found = OWN["abstention_accuracy"].of(Matrices("q", ["a"], outcome=outcome, answerable=answerable))
    assert (found.value, found.missing) == (value, None if value is not None else "not applicable")
