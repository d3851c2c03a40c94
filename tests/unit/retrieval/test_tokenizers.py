"""Which tokens a text has, and how an index knows its tokenizer."""

from __future__ import annotations

import unicodedata
from concurrent.futures import ThreadPoolExecutor

import pytest

from rankgauge.errors import InputError, MethodError
from rankgauge.retrieval.tokenizers import NAMES, PROBES, Mark, of_callable, tokenizer, tokens_of


@pytest.mark.parametrize(
    ("name", "text", "tokens"),
    [
        ("plain", "The U.S. Navy's ﬁlters_2", ["the", "u", "s", "navy", "s", "filters", "2"]),
        ("plain", "Straße ΣΊΣΥΦΟΣ हिन्दी", ["strasse", "σίσυφοσ", "हिन्दी"]),
        ("plain", "保定驴肉 iPhone15退款 我", ["保定", "定驴", "驴肉", "iphone15", "退款", "我"]),
        ("en", "Running runners ran; organisations", ["run", "runner", "ran", "organis"]),
        ("en-stop", "What is the capital of France", ["capit", "franc"]),
        ("vi", "Hoàn TIỀN trong thuỷ quý hoà", ["hoàn", "tiền", "trong", "thủy", "quý", "hòa"]),
        ("vi-words", "Hà Nội là thủ đô của Việt Nam", ["hà_nội", "là", "thủ_đô", "của", "việt_nam"]),
        ("zh", "退款 ok", ["退", "款", "退款", "ok"]),
        ("zh-words", "中华人民共和国 ＡＢＣ", ["中华", "华人", "人民", "共和", "共和国", "中华人民共和国", "abc"]),
        ("multi", "refunds 退款 hoà tiền", ["refund", "退", "款", "退款", "hòa", "tiền"]),
        ("de", "Häuser", ["haus"]),
    ],
)
def test_the_tokens_of_a_text(name, text, tokens):
    assert tokenizer(name)(text) == tokens


@pytest.mark.parametrize("name", NAMES)
def test_texts_without_words_have_no_tokens_and_both_unicode_forms_have_the_same(name):
    split = tokenizer(name)
    assert split("") == split(" \n\t!?…—_ 🙂") == []
    for text in PROBES:
        assert split(unicodedata.normalize("NFD", text)) == split(unicodedata.normalize("NFC", text))


def test_threads_may_share_a_tokenizer():
    split = tokenizer("en")
    texts = [f"running organisations number{number}" for number in range(200)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(split, texts)) == [split(text) for text in texts]


def test_an_unknown_name_is_answered_with_the_nearest():
    with pytest.raises(MethodError, match="no tokenizer named 'zh-word'; did you mean 'zh-words'"):
        tokenizer("zh-word")


@pytest.mark.parametrize(("name", "version"), [("en", "1"), ("", "1"), ("mine", "")])
def test_a_function_needs_a_name_of_its_own_and_a_version(name, version):
    with pytest.raises(MethodError, match="expected a name of its own and a version"):
        of_callable(name, version, str.split)


def test_empty_tokens_are_left_out_and_long_ones_cut():
    split = of_callable("odd", "1", lambda text: ["", "a", "b" * 20_000])
    assert tokens_of(split, "x") == ["a", "b" * 16_000]


def test_a_mark_tells_tokens_apart_that_have_one_name():
    mine = of_callable("mine", "1", str.split)
    mark = Mark.of(mine)
    assert mark.opened(mine, "idx") is mine
    with pytest.raises(InputError, match=r"idx: expected the tokenizer 'mine' \(version 1, hash \w+\), got 'mine'"):
        mark.opened(of_callable("mine", "1", str.lower), "idx")
    assert Mark.of(tokenizer("en")).opened(None, "idx")("cats") == ["cat"]


def test_the_marks_of_our_tokenizers_are_these():
    # A change here makes indexes of users unreadable: raise the version, and say so in the changelog.
    marks = {name: Mark.of(tokenizer(name)).hash for name in ("plain", "en", "en-stop", "vi", "zh", "multi")}
    assert marks == MARKS


MARKS = {
    "plain": "0175b2d8ecd108cc",
    "en": "ca607c162f26f590",
    "en-stop": "34af91e8011c02cf",
    "vi": "bc91a9bcc574cc2f",
    "zh": "ab8bedd5b9d0c8a3",
    "multi": "0a26953bd13697ee",
}
