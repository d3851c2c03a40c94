"""Faults reported around measures of answers and their contexts."""

from __future__ import annotations

import pytest

from rankgauge.rag.matrices import Matrices
from rankgauge.rag.outcomes import outcome
from rankgauge.rag.table import means, named
from rankgauge.rag.verdicts import Verdict, prove, stated
from rankgauge.records.answers import Answer, Context

SAYS_YES = Verdict(True, "Paris is the capital of France.")


def judged(answer: Answer, listed: list[str | None]) -> Matrices:
    """Let a judge say "supported" to everything that it is asked."""
    claims, texts = stated(listed), [context.text for context in answer.contexts]
    proof = prove([[SAYS_YES] * len(texts) for _ in claims], texts)
    return Matrices(answer.query_id, claims, texts, answer_in_contexts=proof.entries, outcome=outcome(answer, claims))


@pytest.mark.parametrize(
    ("verdicts", "value"),
    [([1, 0, 1], 0.833333), ([1, 1], 1.0), ([0, 0, 0], 0.0), ([0, 0, 1], 0.333333), ([], None)],
)
def test_context_precision_is_average_precision_over_the_useful_contexts_retrieved(
    verdicts: list[int], value: float | None
):
    """Case context-precision-formula."""
    m = Matrices("q", [], [f"context {i}" for i in range(len(verdicts))], useful=verdicts)  # type: ignore[arg-type]
    found = named("context_precision").of(m)
    assert found.value == (None if value is None else pytest.approx(value, abs=5e-7))
    assert found.reason == ("no context" if value is None else "")


def test_the_help_of_context_precision_says_how_it_differs_from_ap():
    """Case context-precision-formula."""
    assert "AP has all relevant" in (named("context_precision").formula.__doc__ or "")


@pytest.mark.parametrize("contexts", [[], [""], ["  \n"], None])
def test_nothing_supports_an_answer_without_contexts_whatever_the_judge_would_say(contexts: list[str] | None):
    """Case empty-context; the judge's part (no call is made) is that of the claims' judge."""
    invented = Answer("q", "Who wrote it?", "It was written by A. Nobody in 1900.", tuple(map(Context, contexts or ())))
    m = judged(invented, ["A. Nobody wrote it.", "It was written in 1900."])
    assert named("faithfulness").of(m).value == 0.0
    assert m.readable == 0


ANSWERS = {
    "empty": "",
    "blank": "   ",
    "refuses": "I'm sorry, the documents do not say.",
    "dots": "...",
    "one_word": "Paris",
}
CLAIMS: dict[str, list[str | None]] = {"one_word": ["The capital is Paris.", None]}


def test_an_answer_that_states_nothing_has_no_faithfulness_and_is_counted():
    """Case empty-or-abstaining-answer."""
    texts = (Context("Paris is the capital of France."),)
    answers = [Answer(query, "What is the capital?", text, texts) for query, text in ANSWERS.items()]
    rows = [judged(answer, CLAIMS.get(answer.query_id, [])) for answer in answers]
    values = {row.query_id: named("faithfulness").of(row) for row in rows}
    assert {query: value.value for query, value in values.items()} == {
        "empty": None, "blank": None, "refuses": None, "dots": None, "one_word": 1.0
    }  # fmt: skip
    assert values["refuses"].missing == "abstained"
    (found,) = means(rows, ["faithfulness"], method="t")
    assert (found.mean, found.n, found.not_applicable, found.abstained, found.failed) == (1.0, 1, 3, 1, 0)
