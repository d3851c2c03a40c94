"""Tests of overlap with references. chrF's values are those of sacrebleu 2.6.0, sentence_chrf, divided by 100."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgauge.errors import ParameterError
from rankgauge.rag.overlap import chrf, exact_match, normalise, token_f1, tokens


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("The U.S. Navy's  A-team, an answer!", "en", "us navys ateam answer"),
        ("Theatre and a banana", "en", "theatre and banana"),
        ("“Naïve” café", "en", "“naïve” café"),
        ("Thủ đô: Hà Nội.", "vi", "thủ đô hà nội"),
        ("A Lưới", "vi", "a lưới"),
        ("首都，是《北京》。", "zh", "首都 是 北京"),
        ("ＡＢＣ　１２３", "zh", "abc 123"),
        ("「東京」タワー", "ja", "東京 タワー"),
        ("¿Qué? l'été", "other", "qué l été"),
    ],
)
def test_each_language_has_its_rules(text: str, language: str, expected: str):
    assert normalise(text, language) == expected  # type: ignore[arg-type]


def test_chinese_is_taken_character_by_character_and_words_as_a_whole():
    assert tokens("2008年北京Olympic运动会", "zh") == ["2008", "年", "北", "京", "olympic", "运", "动", "会"]


def test_accents_composed_in_two_ways_match():
    apart = unicodedata.normalize("NFD", "Nguyễn Huệ")
    assert exact_match(apart, ["nguyễn huệ."], language="vi").value == 1.0
    assert token_f1(apart, ["Vua Nguyễn Huệ"], language="vi").value == pytest.approx(0.8)
    assert chrf(apart, ["Nguyễn Huệ"]).value == 1.0


def test_spaces_do_not_matter_in_chinese():
    assert exact_match("北京 大学", ["北京大学。"], language="zh").value == 1.0


def test_english_rules_would_split_chinese_nowhere():
    assert (token_f1("在北京", ["北京"], language="zh").value, token_f1("在北京", ["北京"]).value) == (0.8, 0.0)


def test_the_best_reference_counts():
    assert token_f1("seven red apples", ["green pears", "red apples"]).value == pytest.approx(0.8)
    assert exact_match("Paris", ["London", "the Paris"]).value == 1.0


def test_a_word_is_shared_as_often_as_both_have_it():
    assert token_f1("no no no", ["no no"]).value == pytest.approx(0.8)


def test_nothing_against_nothing_matches_as_in_squad():
    assert [token_f1(text, [""]).value for text in ("", "the", "x")] == [1.0, 1.0, 0.0]


@pytest.mark.parametrize("measure", [exact_match, token_f1, chrf])
def test_without_a_reference_nothing_applies(measure: object):
    found = measure("Paris", [])  # type: ignore[operator]
    assert (found.value, found.missing, found.reason) == (None, "not applicable", "no reference")


def test_an_unknown_language_is_named():
    with pytest.raises(ParameterError, match="language: expected one of en, vi, zh, ja, other, got 'de'"):
        normalise("x", "de")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("answer", "reference", "expected"),
    [
        ("the cat sat on the mat", "the cat is on the mat", 0.645779420625287),
        ("Hà Nội là thủ đô", "thủ đô của Việt Nam là Hà Nội", 0.2946653996312978),
        ("北京是首都", "中国的首都是北京", 0.19767441860465115),
        ("東京タワー", "東京タワーは高い", 0.525011986575036),
        ("Paris!", "paris", 0.5131934032983507),
        ("a", "abc", 0.3846153846153846),
        ("x", "y", 0.0),
        ("", "abc", 0.0),
    ],
)
def test_chrf_is_that_of_sacrebleu(answer: str, reference: str, expected: float):
    assert chrf(answer, [reference]).value == pytest.approx(expected, abs=1e-15)


TEXT = st.text("ab c北京ệ.", max_size=12)


@given(TEXT, TEXT, st.sampled_from(["en", "vi", "zh", "ja", "other"]))
def test_f1_is_symmetric_in_range_and_1_for_a_match(one: str, other: str, language: str):
    there, back = (token_f1(a, [b], language=language).value for a, b in ((one, other), (other, one)))  # type: ignore[arg-type]
    assert there is not None and there == back and 0 <= there <= 1
    if exact_match(one, [other], language=language).value:  # type: ignore[arg-type]
        assert there == 1


@given(TEXT, TEXT)
def test_chrf_is_in_range_and_1_for_the_same_text(one: str, other: str):
    found = chrf(one, [other]).value
    assert found is not None and 0 <= found <= 1 + 1e-12
    assert chrf(one, [one]).value == (pytest.approx(1.0) if one.strip() else 0.0)
