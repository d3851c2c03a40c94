"""Tests of both halves together: what is measured on which data, hits and right answers, and the verdict on two."""

from __future__ import annotations

from dataclasses import replace

import pytest

import rankgauge as rg
from rankgauge.errors import InputError, UnknownMeasureError
from rankgauge.rag.evaluation import ALWAYS, WITH_REFERENCES, evaluate_answers, measures_for
from rankgauge.rag.matrices import Matrices
from rankgauge.records.answers import Answer, Answers, Context, Sentence

QRELS = rg.Qrels.from_dict({"a": {"d1": 2}, "b": {"d1": 1, "d2": 0}, "other": {"d9": 1}}, name="people")


def row(query, text="Yes.", *docs, references=("Yes.",), **how):
    return Answer(query, "?", text, tuple(Context(doc, doc) for doc in docs), references, **how)


def found(query, right=(True,), supported=True, contexts=("d1",), **how):
    claims = [f"claim {number}" for number in range(len(right))]
    return Matrices(
        query, claims, contexts, claims, answer_in_contexts=[[supported] * len(contexts)] * len(claims),
        answer_in_reference=right, reference_in_answer=right, sentences=range(len(claims)), answer_grade=3.0, **how,
    )  # fmt: skip


OLD = Answers((row("a", "Yes.", "d1"), row("b", "No.", "d2"), row("c", "I don't know.", "d3")), "old")
ROWS = [found("a"), found("b", (False,), contexts=("d2",)), Matrices("c", [], ("d3",), outcome="abstained")]


def evaluated(*systems, **how):
    return evaluate_answers(
        systems or [(OLD, ROWS)], measures=["faithfulness", "answer_correctness"], resamples=200, **how
    )


def test_measures_are_those_that_the_data_can_carry():
    bare = Answers((row("a", references=()),))
    assert measures_for([bare]) == ALWAYS
    assert measures_for([bare, OLD]) == (*ALWAYS, *WITH_REFERENCES)
    cited = Answers((row("a", references=(), sentences=(Sentence("Yes.", (1,)),), answerable=True),))
    assert set(measures_for([cited])) - set(ALWAYS) == {"citation_precision", "citation_recall", "abstention_accuracy"}


def test_retrieval_is_measured_on_the_passages_of_the_prompts():
    (one,) = evaluated(qrels=QRELS, retrieval="P@1").systems
    assert one.retrieval.values == {"a": 1.0, "b": 0.0, "c": None}
    assert (one.retrieval.measure, one.retrieval.mean.estimate, one.retrieval.mean.n) == ("P@1", 0.5, 2)
    assert one.retrieval.unjudged == 0.0
    assert not any("judged queries have no results" in note.text for note in one.notes)


def test_unjudged_passages_are_said_beside_it():
    strange = Answers((row("a", "Yes.", "d1", "new"), row("b", "No.", "newer", "newest")), "strange")
    (one,) = evaluated((strange, []), qrels=QRELS, retrieval="P@2").systems
    assert one.retrieval.unjudged == 0.75


def test_judgments_of_other_questions_are_refused():
    with pytest.raises(InputError, match="people: expected judgments of the questions of strange, got none of them"):
        evaluated((Answers((row("x"),), "strange"), []), qrels=QRELS)


def test_blame_crosses_hits_with_right_answers():
    (one,) = evaluated(qrels=QRELS).systems
    blame = one.blame
    assert (blame.hit_right, blame.miss_wrong, blame.unknown) == (("a",), ("b",), ("c",))


def test_without_references_or_judgments_nobody_is_blamed():
    assert evaluated().systems[0].blame is None
    bare = Answers(tuple(replace(one, references=()) for one in OLD), "bare")
    (one,) = evaluated((bare, []), qrels=QRELS).systems
    assert (one.blame, one.overlap) == (None, ())


def test_without_a_judge_words_in_common_stand_in():
    (one,) = evaluated((OLD, []), qrels=QRELS).systems
    assert one.means == ()
    assert {mean.measure: (mean.mean, mean.n) for mean in one.overlap} == {
        "exact_match": (pytest.approx(1 / 3), 3), "token_f1": (pytest.approx(1 / 3), 3),
    }  # fmt: skip
    assert one.blame.hit_right == ("a",)
    assert one.outcomes.unknown.counts["abstained"] == 1


def test_a_question_that_the_judge_has_not_seen_is_refused():
    with pytest.raises(InputError, match="matrices of old: expected question 'c', got none; judge it anew"):
        evaluated((OLD, ROWS[:2]))


def test_two_systems_have_a_verdict_and_retrieval_alone_makes_no_winner():
    queries = [f"q{number}" for number in range(40)]
    qrels = rg.Qrels.from_dict({query: {"d1": 1} for query in queries})
    old = Answers(tuple(row(query, "Yes.", "d2") for query in queries), "old")
    new = Answers(tuple(row(query, "Yes.", "d1") for query in queries), "new")
    right = [found(query, (number % 2 == 0,)) for number, query in enumerate(queries)]
    same = evaluated((old, right), (new, right), qrels=qrels).verdict
    assert (same.retrieval.word, same.word) == ("better", "cannot tell")
    mended = [found(query, (True,)) for query in queries]
    better = evaluated((old, right), (new, mended), qrels=qrels).verdict
    assert better.word == "better"
    assert better.sentence.startswith("new is better than old. Retrieval is better")


def test_a_measure_that_does_not_exist_is_refused_before_anything_is_measured():
    with pytest.raises(UnknownMeasureError, match="faithfulness"):
        evaluate_answers([(OLD, ROWS)], measures=["faithfullness"])
    with pytest.raises(InputError, match="systems: expected one or two, got 3"):
        evaluate_answers([(OLD, ROWS)] * 3)
