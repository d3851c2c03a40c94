"""Tests of what became of a question."""

from __future__ import annotations

import pytest
from statsmodels.stats.proportion import proportion_confint

from rankgauge.judges.asking import Failed
from rankgauge.rag.outcomes import OUTCOMES, cross, detector, outcome, refuses
from rankgauge.records.answers import Answer

REFUSED = [
    "I'm sorry, the documents do not say.",
    "I don’t know.",
    "The provided context does not mention the capital.",
    "Based on the provided excerpts, there is no specific mention of the song.",
    "I cannot answer this question from the given passages.",
    "It is not possible to tell; I am unable to determine the year.",
    "The answer is not provided in the context.",
    "Unfortunately, there is not enough information to answer.",
    "However, the documents do not say.",
    "Tôi không biết.",
    "Xin lỗi, tài liệu không đề cập đến vấn đề này.",
    "Không có thông tin về thủ đô trong ngữ cảnh.",
    "Không thể trả lời câu hỏi này.",
    "对不起，我不知道。",
    "根据提供的文档，无法回答这个问题。",
    "文中没有提到首都。",
    "資訊不足，無法確定。",
]
ANSWERED = [
    "Paris",
    "The recipe does not contain nuts.",
    "Scientists do not know why whales sing.",
    "I do not know the year, but the author is Ada.",
    "The text does not mention the price. However, it lists the games.",
    "No, the controller does not work on the other console.",
    "You cannot change the location of the alerts.",
    "The drug is not available in Germany.",
    "Nước không thể cháy.",
    "Tôi không rõ năm, nhưng tác giả là Nguyễn Du.",
    "水不能燃烧。",
    "文中没有提到年份，但是作者是鲁迅。",
]


@pytest.mark.parametrize("text", REFUSED)
def test_a_refusal_is_seen_in_three_languages(text: str):
    assert refuses(text)


@pytest.mark.parametrize("text", ANSWERED)
def test_a_negation_or_half_an_answer_is_no_refusal(text: str):
    assert not refuses(text)


def test_phrases_of_ones_own_take_the_place_of_the_known_ones():
    german = detector({"de": [r"(weiß|weiss) (ich )?(es )?nicht"]})
    assert [german("Ich weiß es nicht."), german("I don't know.")] == [True, False]


@pytest.mark.parametrize(
    ("answer", "claims", "expected"),
    [
        (Answer("q", "?", "Paris"), None, "answered"),
        (Answer("q", "?", "Paris"), ["The capital is Paris."], "answered"),
        (Answer("q", "?", "It depends."), [], "abstained"),
        (Answer("q", "?", "It depends.", abstained=False), [], "answered"),
        (Answer("q", "?", "Paris", abstained=True), None, "abstained"),
        (Answer("q", "?", "", abstained=True), None, "abstained"),
        (Answer("q", "?", "I don't know."), ["The speaker does not know."], "abstained"),
        (Answer("q", "?", "I don't know.", abstained=False), None, "answered"),
        (Answer("q", "?", "Paris"), Failed("timeout"), "judge_failed"),
        (Answer("q", "?", "I don't know."), Failed("timeout"), "abstained"),
        (Answer("q", "?", ""), Failed("timeout"), "empty"),
        (Answer("q", "?", None), None, "empty"),
        (Answer("q", "?", "...!"), None, "empty"),
        (Answer("q", "?", "42"), None, "answered"),
        (Answer("q", "?", "北京"), None, "answered"),
    ],
)
def test_the_outcome_is_declared_or_empty_or_refused_or_unknown_or_answered(
    answer: Answer, claims: list[str] | Failed | None, expected: str
):
    assert outcome(answer, claims) == expected


def test_a_detector_of_ones_own_is_asked():
    assert outcome(Answer("q", "?", "pass"), refuses=lambda text: text == "pass") == "abstained"


def test_outcomes_are_crossed_with_whether_there_is_an_answer():
    rows = [("answered", True)] * 7 + [("abstained", True)] * 2 + [("empty", True)] + [("judge_failed", True)] * 5
    rows += [("answered", False)] * 3 + [("abstained", False)] * 1 + [("answered", None)] * 4
    found = cross(rows)  # type: ignore[arg-type]
    assert [found.answerable.counts[one] for one in OUTCOMES] == [7, 2, 1, 5]
    assert (found.missed.estimate, found.missed.n) == (0.2, 10)
    assert (found.invented.estimate, found.invented.n) == (0.75, 4)
    assert found.unknown.counts["answered"] == 4
    low, high = proportion_confint(2, 10, method="wilson")
    assert (found.missed.low, found.missed.high) == (pytest.approx(low), pytest.approx(high))


def test_a_kind_of_question_that_is_not_there_has_no_rate():
    found = cross([("answered", True)])
    assert (found.invented.estimate, found.invented.outcome) == (None, "nothing was counted")
