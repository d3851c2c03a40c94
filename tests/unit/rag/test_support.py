"""Tests of citations: TREC's, open-rag-eval's and ALCE's counts by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgauge.errors import InputError, ParameterError
from rankgauge.rag.support import Citation, Entailment, alce, open_rag_eval, trec_support
from rankgauge.rag.values import Value

ANSWER = [
    [Citation("a", "full"), Citation("b", "none")],
    [Citation("a", "partial")],
    [],
    [Citation("b", "none"), Citation("c", "full"), Citation("a", "full")],
]


def pair(found: object) -> tuple[float | None, float | None]:
    return found.precision.value, found.recall.value  # type: ignore[attr-defined]


def test_trec_weighs_citations_for_precision_and_sentences_for_recall():
    assert pair(trec_support(ANSWER)) == (3.5 / 6, 2.5 / 4)


def test_trec_2024_looked_at_the_first_citation_only():
    assert pair(trec_support(ANSWER, judged="first")) == (1.5 / 3, 1.5 / 4)


def test_open_rag_eval_averages_documents_and_sentences_first():
    documents = [(1 + 0.5 + 1) / 3, 0.0, 1.0]
    assert pair(open_rag_eval(ANSWER)) == pytest.approx((sum(documents) / 3, (0.5 + 0.5 + 0 + 2 / 3) / 4))


def test_without_citations_precision_does_not_apply_and_recall_is_0():
    found = trec_support([[], []])
    assert (found.precision.reason, found.recall.value) == ("no citation", 0.0)
    assert pair(open_rag_eval([[], []])) == (0.0, 0.0)


def test_without_sentences_nothing_applies():
    assert pair(trec_support([])) == (None, None)
    assert pair(open_rag_eval([])) == (0.0, 0.0)


def test_a_citation_that_nobody_judged_is_left_out_unless_another_settles_the_sentence():
    settled, open_ = [Citation("a", "full"), Citation("b", None)], [Citation("a", "partial"), Citation("b", None)]
    found = trec_support([settled, open_])
    assert found.precision == Value(0.75, n=2, unknown=2)
    assert found.recall == Value(1.0, n=1, unknown=1)
    assert open_rag_eval([settled, [Citation("c", None)]]).recall == Value(1.0, n=1, unknown=2)


def test_another_choice_of_judged_citations_is_named():
    with pytest.raises(ParameterError, match="judged: expected 'all' or 'first', got 'last'"):
        trec_support(ANSWER, judged="last")  # type: ignore[arg-type]


def test_alce_asks_whether_a_citation_is_needed():
    sentences = [
        Entailment(True, (True, False, False), (False, True, False)),  # second irrelevant; third needed with others
        Entailment(True, (False,), (False,)),  # one citation, and together it entails
        Entailment(False, (True, True), (True, True)),  # not entailed together: none counts
        Entailment(None),  # uncited
        Entailment(True, (True,), (False,), exist=False),  # cites a slot that is not there
    ]
    assert pair(alce(sentences)) == (3 / 6, 2 / 5)


def test_alce_has_0_without_citations():
    assert pair(alce([Entailment(False)])) == (0.0, 0.0)


def test_a_missing_verdict_is_left_out_of_alce_too():
    found = alce([Entailment(None, (True,), (False,)), Entailment(True, (None, True), (None, False))])
    assert found.recall == Value(1.0, n=1, unknown=1)
    assert found.precision == Value(1.0, n=1, unknown=2)


def test_the_only_citation_of_a_sentence_counts_as_that_does():
    assert alce([Entailment(True, (None,), (None,))]).precision == Value(1.0, n=1)


def test_alce_takes_verdicts_of_so_many_citations_only():
    with pytest.raises(InputError, match="entailment: expected at most 3 citations, got 4"):
        alce([Entailment(True, (True,) * 4, (True,) * 4)])
    with pytest.raises(InputError, match="expected one verdict per citation alone and without it"):
        Entailment(True, (True,), ())


LABELS = st.lists(st.lists(st.builds(Citation, st.sampled_from("abc"), st.sampled_from(["full", "partial", "none"])),
                           max_size=1), min_size=1)  # fmt: skip


@given(LABELS)
def test_with_one_citation_a_sentence_both_tools_agree_on_recall(sentences: list[list[Citation]]):
    assert trec_support(sentences).recall.value == pytest.approx(open_rag_eval(sentences).recall.value)
