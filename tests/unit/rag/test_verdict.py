"""Tests of the verdict on two systems."""

from __future__ import annotations

import re

import numpy as np
import pytest

from rankgauge.rag.matrices import Matrices
from rankgauge.rag.verdict import Pair, RagVerdict, Word, pair, rag_verdict
from rankgauge.statistics.intervals import interval
from rankgauge.statistics.paired import paired_test

N = 60
BASE = {f"q{i}": 0.3 + 0.4 * (i % 2) for i in range(N)}
NOISE = np.random.default_rng(7).normal(0, 0.05, N)


def moved(by: float, name: str = "m", noise: float = 1.0, **how: bool) -> Pair:
    other = {query: value + by + noise * float(x) for (query, value), x in zip(BASE.items(), NOISE, strict=True)}
    return Pair(name, BASE, other, **how)


UP, DOWN, SAME, OPEN = moved(0.1), moved(-0.1), moved(0.0, noise=0.1), moved(0.005, noise=2.0)


def decide(retrieval: Pair, *answers: Pair, **how: float) -> RagVerdict:
    return rag_verdict(retrieval, answers, rng=np.random.default_rng(1), resamples=2000, **how)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("retrieval", "answers", "word"),
    [
        (UP, [UP], "better"),
        (SAME, [UP], "better"),
        (OPEN, [UP, OPEN], "better"),
        (DOWN, [DOWN], "worse"),
        (OPEN, [DOWN, SAME], "worse"),
        (UP, [DOWN], "mixed"),
        (DOWN, [UP], "mixed"),
        (SAME, [UP, DOWN], "mixed"),
        (SAME, [SAME], "equivalent"),
        (UP, [SAME, SAME], "equivalent"),
        (UP, [OPEN], "cannot tell"),
        (DOWN, [OPEN], "cannot tell"),
        (UP, [SAME, OPEN], "cannot tell"),
        (UP, [], "cannot tell"),
    ],
)
def test_the_answers_decide_and_retrieval_can_only_object(retrieval: Pair, answers: list[Pair], word: Word):
    assert decide(retrieval, *answers).word == word


def test_a_better_ranking_alone_makes_no_winner_and_says_so():
    found = decide(UP, OPEN)
    assert found.retrieval.word == "better"
    assert re.fullmatch(
        r"Cannot tell: no winner between A and B\. Retrieval is better \(m \+0\.\d{4} \[.*\], p = .*, 60 questions\); "
        r"answers cannot tell the two apart \(.*\)\.",
        found.sentence,
    )
    assert "no answer was measured: no winner between A and B." in decide(UP).sentence


def test_the_numbers_are_those_of_the_statistics():
    found = decide(UP, moved(0.02)).answers[0]
    rng = np.random.default_rng(1)
    differences = np.array([b - a for a, b in zip(BASE.values(), moved(0.02).b.values(), strict=True)])  # type: ignore[operator]
    assert found.difference.estimate == pytest.approx(differences.mean())
    assert found.a == pytest.approx(0.5) and found.b == pytest.approx(0.5 + differences.mean())
    assert found.test.n == N and interval(differences, rng=rng).n == N
    assert found.p == pytest.approx(paired_test(differences, rng=rng).p, rel=0.5)


def test_where_less_is_better_the_sign_turns_round():
    found = decide(SAME, moved(-0.1, "hallucination", lower_is_better=True))
    assert (found.word, found.answers[0].difference.estimate) == ("better", pytest.approx(-0.1 + NOISE.mean()))


def test_answer_measures_are_corrected_for_their_number():
    one, two = decide(SAME, moved(0.02)), decide(SAME, moved(0.02), OPEN)
    assert one.answers[0].p is not None and two.answers[0].p == pytest.approx(2 * one.answers[0].p, rel=0.5)


def test_questions_without_a_value_for_both_are_left_out_and_said():
    short = Pair("m", {**BASE, "x": 0.5}, {**moved(0.1).b, "q0": None})
    found = decide(SAME, short)
    assert (found.answers[0].left_out, found.answers[0].difference.n) == (2, 59)
    assert found.because == ("m: without a value for one of the two, and left out: 2",)


def test_without_any_question_in_common_nobody_can_tell():
    found = decide(SAME, Pair("m", {"a": 1.0}, {"b": 0.0}))
    assert (found.word, found.answers[0].a, found.answers[0].p) == ("cannot tell", None, None)
    assert "m undefined, no test (no query), 0 questions" in found.sentence


def test_one_question_decides_nothing():
    assert decide(SAME, Pair("m", {"a": 0.0}, {"a": 1.0})).word == "cannot tell"


def test_b_beside_a_is_a_beside_b_turned_round():
    swapped = Pair("m", UP.b, UP.a)
    assert (decide(UP, UP).word, decide(swapped, swapped).word) == ("better", "worse")


def test_a_pair_knows_from_its_measure_which_way_is_up():
    rows = [Matrices("q", ["a"], ["c"], ["y"], [[False]], answer_in_reference=[False])]
    assert pair("hallucination", rows, rows) == Pair("hallucination", {"q": 1.0}, {"q": 1.0}, lower_is_better=True)


def test_a_system_that_abstains_to_look_faithful_is_seen():
    kept = moved(0.1, "faithfulness")
    few = Pair(
        "faithfulness", kept.a, {query: value if i < 30 else None for i, (query, value) in enumerate(kept.b.items())}
    )
    said = Pair("abstention_accuracy", dict.fromkeys(BASE, 1.0), {query: float(i < 30) for i, query in enumerate(BASE)})
    assert (decide(SAME, few).word, decide(SAME, few, said).word) == ("better", "mixed")


def test_two_systems_that_do_not_differ_rarely_win_and_a_ranking_never_does():
    """400 draws of 40 questions, of equal hardness for both; three measures of the answers."""
    rng = np.random.default_rng(11)
    words: dict[float, list[Word]] = {0.0: [], 0.15: []}
    for shift in [0.0, 0.15] * 200:
        hard = rng.beta(2, 2, 40)
        a, b = (hard + rng.normal(0, 0.2, (4, 40)) for _ in range(2))
        b[0] += shift
        drawn = [Pair(f"m{k}", *(dict(zip(BASE, side[k].tolist(), strict=False)) for side in (a, b))) for k in range(4)]
        words[shift].append(rag_verdict(drawn[0], drawn[1:], rng=rng, resamples=500).word)
    alarms = {shift: sum(word in ("better", "worse") for word in said) / 200 for shift, said in words.items()}
    assert alarms[0.0] <= 0.09
    assert alarms[0.15] <= 0.06
    assert words[0.15].count("cannot tell") >= 180
