"""Distractors and UDCG: exact values, and a generator that a certain passage misleads."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prompt_worlds import Scripted, question, questions
from rankgauge.errors import InputError, ParameterError
from rankgauge.rag.cases import cases_of
from rankgauge.rag.distractors import added, flips, left_out, measure_distractors
from rankgauge.rag.generating import Prompt
from rankgauge.rag.udcg import measure_udcg, udcg
from rankgauge.records.answers import Answer, Answers, Context
from rankgauge.records.qrels import Qrels


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


def word(prompt: Prompt) -> str:
    return "word" + prompt.question.removeprefix("Which word ").rstrip("?")


@pytest.mark.parametrize(
    ("abstains", "relevance", "mean"),
    [
        ([0.0], [True], 1.0),
        ([0.0], [False], -1 / 3),
        ([1.0, 1.0], [True, False], 0.0),
        ([0.2, 0.5], [True, False], (0.8 - 0.5 / 3) / 2),
        ([0.2, None], [True, False], 0.4),
        ([0.1, 0.9, 0.4, 0.0], [True, True, False, False], (0.9 + 0.1 - 0.6 / 3 - 1 / 3) / 4),
    ],
)
def test_udcg_by_hand(abstains: list[float | None], relevance: list[bool], mean: float) -> None:
    found = udcg(abstains, relevance)
    assert found.mean == pytest.approx(mean, abs=1e-12)
    assert found.value == pytest.approx(1 / (1 + math.exp(-mean)), abs=1e-12)
    assert found.skipped == abstains.count(None)


PASSAGES = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=8)


@given(PASSAGES, st.randoms())
def test_udcg_knows_no_order_and_stays_in_its_range(passages: list[tuple[float, bool]], shuffle) -> None:
    turned = list(passages)
    shuffle.shuffle(turned)
    one, other = (udcg([p for p, _ in some], [yes for _, yes in some]) for some in (passages, turned))
    assert one == other
    assert -1 / 3 - 1e-12 <= one.mean <= 1
    assert 1 / (1 + math.exp(1 / 3)) - 1e-12 <= one.value <= 1 / (1 + math.exp(-1))


def test_udcg_of_no_passages_is_none_and_of_what_is_no_chance_an_error() -> None:
    assert udcg([], []) is None
    with pytest.raises(ParameterError, match=r"abstains: expected chances in \[0, 1\], got 1\.5"):
        udcg([1.5], [True])
    with pytest.raises(ParameterError, match="relevance: expected one for each of 1 passages, got 2"):
        udcg([0.5], [True, False])


def test_udcg_of_answers_is_that_of_their_passages_alone() -> None:
    contexts = (Context("good", "g"), Context("bad", "b"), Context("", "blank"), Context("new", "n"))
    some = Answers((Answer("q", "?", None, contexts), Answer("empty", "?", None)))
    said = {"good": "Ada", "bad": "Bob", "new": "NO-RESPONSE"}
    found = measure_udcg(
        some.rows, Scripted(lambda prompt: said[prompt.passages[0]]), Qrels.from_dict({"q": {"g": 1, "b": 0}}),
        rng=rng(), resamples=100,
    )  # fmt: skip
    assert found.means.tolist() == pytest.approx([(1 - 1 / 3 - 0) / 3])
    assert {note.kind: note.count for note in found.notes} == {"unjudged passages": 1, "no passages": 1}
    failed = measure_udcg(
        some.rows, Scripted(lambda _: None), Qrels.from_dict({"q": {"g": 1}}), rng=rng(), resamples=100
    )
    assert np.isnan(failed.values).all() and failed.value.outcome == "no query"


def test_flips_and_rescues_are_counted_and_the_unknown_left_out() -> None:
    found = flips([1, 1, 1, 0, 0, np.nan], [0, 0, 1, 1, 0, 1])
    assert (found.flips, found.rescues, found.n) == (2, 1, 5)
    assert (found.flip_rate, found.rescue_rate, found.test.p) == (0.4, 0.2, 1.0)
    assert flips([np.nan], [1.0]).flip_rate is None


def test_one_more_passage_costs_the_paired_difference() -> None:
    found = added([1, 1, 0], [[0, 1], [1, np.nan], [0, 1]], rng=rng(), resamples=200)
    assert found.distraction.estimate == pytest.approx((0.5 + 0 - 0.5) / 3)
    assert [(one.flips, one.rescues) for one in found.by_place] == [(1, 0), (0, 1)]
    shares = added([0.5, 1], [[0.5], [1]], rng=rng(), resamples=200)
    assert shares.by_place == () and shares.distraction.estimate == 0
    with pytest.raises(InputError, match="outcomes: expected arrays of shape"):
        added([1, 0], [[1]], rng=rng())


def test_a_passage_without_which_the_answer_is_better_is_a_distractor() -> None:
    found = left_out([1, 0], [[0, 1, np.nan], [1, 0, 0]], rng=rng(), resamples=200)
    np.testing.assert_array_equal(found.utilities, [[1, 0, np.nan], [-1, 0, 0]])
    assert found.harmful == pytest.approx(1 / 5)
    assert found.utility.estimate == pytest.approx((0.5 - 1 / 3) / 2)
    assert [one.n for one in found.by_slot] == [2, 2, 1]


def misled(prompt: Prompt) -> str:
    """Right with the gold passage, wrong beside the second passage that does not answer; alone it is believed too."""
    if any(text.endswith("about it, 3") for text in prompt.passages):
        return "something else"
    return word(prompt) if any(word(prompt) in text.split() for text in prompt.passages) else "NO-RESPONSE"


def test_the_passage_that_misleads_is_found() -> None:
    cases, _ = cases_of(questions(20), distractors=3)
    found = measure_distractors(cases, Scripted(misled), rng=rng(), many=3, leave_one_out=True, resamples=200)
    assert found.effects.mean(axis=0).tolist() == [0, 1, 0]
    assert found.effect.estimate == pytest.approx(1 / 3)
    assert [(one.flips, one.rescues) for one in found.added.by_place] == [(0, 0), (20, 0), (0, 0)]
    assert found.added.by_place[1].test.p == pytest.approx(2 * 0.5**20)
    assert found.added.distraction.estimate == pytest.approx(1 / 3)
    assert {(doc.split("-")[1], place, cost) for _, doc, place, cost in found.worst} == {("3", 2, 1.0)}
    # With everything in the prompt the answer is wrong; only without the misleading passage is it right.
    assert found.left_out.harmful == pytest.approx(1 / 5)
    assert [one.estimate for one in found.left_out.by_slot] == [0, 0, -1, 0, 0]


def test_failed_calls_are_counted_and_too_few_passages_refused() -> None:
    cases, _ = cases_of(questions(4))
    found = measure_distractors(cases, Scripted(lambda _: None), rng=rng(), many=1, resamples=200)
    assert (found.failed, found.effect.estimate, found.added.distraction.estimate) == (8, None, None)
    assert {note.kind: note.count for note in found.notes} == {"failed calls": 8, "failed passages": 4}
    with pytest.raises(InputError, match="cases: expected 9 passages that do not answer, got 4 of question 'q0'"):
        measure_distractors(cases, Scripted(misled), rng=rng(), many=9)
    assert question(1).contexts[0].doc_id == "gold1"
