"""What became of a question: answered, abstained, empty, or nobody knows; crossed with whether it could be answered."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, get_args

from rankgauge.judges.asking import Failed
from rankgauge.records.answers import Answer
from rankgauge.statistics.proportions import wilson
from rankgauge.statistics.results import Interval

Outcome = Literal["answered", "abstained", "empty", "judge_failed"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)

_TEXTS = r"\b(context|document|passage|text|source|article|excerpt|material|search result|information)s?\b"
_VI_TEXTS = r"(ngữ cảnh|tài liệu|đoạn|văn bản|nguồn|thông tin|bài viết)"
_ZH_TEXTS = r"(文中|文章|文本|文档|文檔|资料|資料|材料|上下文|段落|原文|内容|內容|信息|資訊)"

REFUSALS: Mapping[str, tuple[str, ...]] = MappingProxyType({
    "en": (
        r"\b(i|we) (really |still )?(do not|don't) know\b",
        r"\b(i|we) (do not|don't) have (any|enough|sufficient|the|that|this|access|information)\b",
        r"^(do not|don't) know\b",
        r"\b(i|we|it)( am| are| is|'m|'re|'s)? (cannot|can't|can not|could not|couldn't|not able to|unable to)\b"
        r"(?=.*\b(answer|determine|find|tell|provide|help|assist|confirm|locate)\b)",
        r"\b(cannot|can't|can not|could not) be (answered|determined|found|confirmed)\b",
        r"\bunable to (answer|determine|find|provide|confirm)\b",
        _TEXTS + r"[^.]{0,80}\b(do|does|did)(n't| not) (\w+ )?(say|mention|state|specify|contain|include|provide|give"
        r"|answer|discuss|address|offer|have)\b",
        r"\bno (relevant |sufficient |specific |such )?(information|mention|answer)\b",
        r"\b(not enough|insufficient) (information|context)\b",
        r"\b(is|are|was|were)(n't| not) (\w+ )?mentioned\b",
        r"\b(is|are|was|were)(n't| not) (\w+ )?(specified|stated|provided|given|available|contained|included|found)"
        r" (in|by|from)\b[^.]*" + _TEXTS,
        r"\bunanswerable\b",
        r"\bno idea\b",
    ),
    "vi": (
        r"\b(tôi|chúng tôi|mình|em) (\w+ )?không (biết|rõ|chắc)\b",
        r"^không (biết|rõ)\W*$",
        r"\bkhông (thể|có thể) (trả lời|xác định)\b",
        r"\bkhông (thể |có thể )?(tìm|tìm thấy|tìm được|cung cấp|đưa ra|có|đủ|có đủ) (thông tin|câu trả lời|dữ liệu)\b",
        r"\bchưa (có|đủ|có đủ) (thông tin|dữ liệu|câu trả lời)\b",
        _VI_TEXTS + r"[^.]{0,60}\bkhông (\w+ )?(đề cập|nhắc|nêu|cung cấp|nói|chứa|cho biết)\b",
        r"\bkhông được (đề cập|nhắc đến|nêu|cung cấp)\b",
    ),
    "zh": (
        r"(我|我们|我們|^)(\w{0,2})(不知道|不清楚|不确定|不確定)(?!有|怎)",
        r"(无法|無法|不能|没办法|沒辦法)(\w{0,3})(回答|确定|確定|判断|判斷|得知)",
        r"(无法|無法|不能|没有|沒有|未能|未)(\w{0,4})(提供|找到|给出|給出)(\w{0,6})(答案|信息|資訊|内容|內容)",
        _ZH_TEXTS + r"(\w{0,8})(没有|沒有|未|并未|並未|不)(\w{0,4})(提到|提及|说明|說明|包含|提供|涉及)",
        r"^(没有|沒有|未)(\w{0,4})(提到|提及|说明|說明|相关信息|相關資訊|找到|答案|足够的信息)",
        r"(信息|資訊|资料|資料)(\w{0,2})(不足|不够|不夠)",
    ),
})  # fmt: skip
"""Phrases of a refusal, by language, as regular expressions for text in lower case."""

CONTRASTS = r"\b(but|however|nevertheless|although|though|nhưng|tuy nhiên|tuy vậy)\b|但|不过|不過|然而"
"""Words after which an answer may still follow."""

_COURTESY = re.compile(
    r"(i'm |i am |we're |we are )?(very |so )?(sorry|unfortunately|xin lỗi|rất tiếc|抱歉|对不起|對不起)\W*"
)
_SENTENCE = re.compile(r"[^.!?。！？\n]+")


def detector(phrases: Mapping[str, Sequence[str]] = REFUSALS) -> Callable[[str], bool]:
    """Make a test of an answer's text from phrases of one's own.

    An answer abstains if its first sentence, courtesies apart, holds one of the phrases and no contrast follows ("I
    do not know the year, but the author is ..."). Nothing else of the text is looked at.

    >>> mine = detector({"de": [r"weiß (es )?nicht"]})
    >>> mine("Das weiß ich nicht."), mine("Ich weiß es nicht.")
    (False, True)
    """
    known = re.compile("|".join(f"(?:{phrase})" for language in phrases.values() for phrase in language))
    contrast = re.compile(CONTRASTS)

    def refuses(text: str) -> bool:
        plain = unicodedata.normalize("NFKC", text).lower().replace("’", "'").strip()
        plain = _COURTESY.sub("", plain, count=1) if _COURTESY.match(plain) else plain
        first = _SENTENCE.search(plain)
        found = known.search(first[0]) if first else None
        return bool(found and first and not contrast.search(plain, found.end() + first.start()))

    return refuses


refuses = detector()


def says_something(text: str | None) -> bool:
    """Whether there is a letter or a digit in it: "..." is as empty as ""."""
    return text is not None and any(character.isalnum() for character in text)


def outcome(
    answer: Answer,
    claims: Sequence[str] | Failed | None = None,
    *,
    refuses: Callable[[str], bool] = refuses,
) -> Outcome:
    """Tell what became of a question.

    In this order: what the data declare (`answer.abstained`); empty without a letter or a digit; abstained where
    the text refuses; judge_failed where the claims could not be had; abstained where there is no claim in it.

    Parameters
    ----------
    claims : of the answer; None: nobody looked for them
    refuses : tells a refusal from its text; not asked where the data declare it

    >>> outcome(Answer("q", "Who?", "I'm sorry, the documents do not say."))
    'abstained'
    >>> outcome(Answer("q", "Who?", "..."))
    'empty'
    """
    if answer.abstained:
        return "abstained"
    if not says_something(answer.text):
        return "empty"
    if answer.abstained is None and refuses(answer.text or ""):
        return "abstained"
    if isinstance(claims, Failed):
        return "judge_failed"
    nothing = claims is not None and not claims
    return "abstained" if nothing and answer.abstained is None else "answered"


@dataclass(frozen=True)
class Kind:
    """What became of the questions that can be answered, of those that cannot, or of those nobody said it of.

    Attributes
    ----------
    answerable : None: nobody said
    counts : of all four outcomes
    rates : of answered, abstained and empty among these, with Wilson's intervals; failed judgments are left out
    """

    answerable: bool | None
    counts: Mapping[Outcome, int]
    rates: Mapping[Outcome, Interval]


@dataclass(frozen=True)
class Outcomes:
    """Outcomes crossed with whether there is an answer.

    Attributes
    ----------
    answerable, unanswerable, unknown : of each kind of question
    """

    answerable: Kind
    unanswerable: Kind
    unknown: Kind

    @property
    def missed(self) -> Interval:
        """Share of the answerable questions that it abstained from: refused for nothing."""
        return self.answerable.rates["abstained"]

    @property
    def invented(self) -> Interval:
        """Share of the unanswerable questions that it answered all the same."""
        return self.unanswerable.rates["answered"]


def cross(rows: Iterable[tuple[Outcome, bool | None]], *, confidence: float = 0.95) -> Outcomes:
    """Count outcomes by whether the question can be answered.

    >>> found = cross([("answered", True), ("abstained", True), ("answered", False), ("judge_failed", False)])
    >>> found.missed.estimate, found.invented.estimate, found.unanswerable.counts["judge_failed"]
    (0.5, 1.0, 1)
    """
    counted = Counter(rows)

    def kind(answerable: bool | None) -> Kind:
        counts = {one: counted[one, answerable] for one in OUTCOMES}
        n = sum(counts.values()) - counts["judge_failed"]
        known = (one for one in OUTCOMES if one != "judge_failed")
        return Kind(answerable, counts, {one: wilson(counts[one], n, confidence=confidence) for one in known})

    return Outcomes(kind(True), kind(False), kind(None))
