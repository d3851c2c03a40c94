"""How far an answer's words are those of a reference: exact match, token F1, chrF; no model is asked."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from rankgauge.errors import ParameterError
from rankgauge.rag.values import Value, not_applicable

Language = Literal["en", "vi", "zh", "ja", "other"]
LANGUAGES: tuple[Language, ...] = ("en", "vi", "zh", "ja", "other")

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_ONE_BY_ONE = re.compile(  # Han, Hiragana and Katakana, which are written without spaces; else runs of the rest
    r"[\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
    r"|[^\s\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+"
)


def normalise(text: str, language: Language = "en") -> str:
    """Write a text so that what does not matter for an answer is the same.

    English as in SQuAD: lower case, no ASCII punctuation, no articles, single spaces. Elsewhere: NFC (Vietnamese
    accents are composed in two ways), in Chinese and Japanese NFKC (full-width letters); lower case; no punctuation
    of any script; single spaces.

    Source: Rajpurkar, Zhang, Lopyrev & Liang (2016), SQuAD, doi:10.18653/v1/D16-1264, and its evaluation script.

    >>> normalise("The  Eiffel-Tower!"), normalise("Ha\\u0300 Nội.", "vi") == normalise("Hà Nội", "vi")
    ('eiffeltower', True)
    """
    if language not in LANGUAGES:
        raise ParameterError(f"language: expected one of {', '.join(LANGUAGES)}, got {language!r}")
    if language == "en":
        kept = "".join(c for c in text.lower() if not (c.isascii() and unicodedata.category(c)[0] in "PS"))
        return " ".join(_ARTICLES.sub(" ", kept).split())
    composed = unicodedata.normalize("NFKC" if language in ("zh", "ja") else "NFC", text).lower()
    return " ".join("".join(" " if unicodedata.category(c)[0] == "P" else c for c in composed).split())


def tokens(text: str, language: Language = "en") -> list[str]:
    """Words of a normalised text; in Chinese and Japanese its characters, and words of other scripts as a whole.

    >>> tokens("北京，China 2008。", "zh")
    ['北', '京', 'china', '2008']
    """
    plain = normalise(text, language)
    return _ONE_BY_ONE.findall(plain) if language in ("zh", "ja") else plain.split()


def exact_match(answer: str, references: Sequence[str], *, language: Language = "en") -> Value:
    """1 if the answer is one of the references, else 0.

    >>> exact_match("The Seine.", ["Loire", "Seine"]).value
    1.0
    """

    def same(reference: str) -> float:
        if language in ("zh", "ja"):
            return float(tokens(answer, language) == tokens(reference, language))
        return float(normalise(answer, language) == normalise(reference, language))

    return _best(same, references)


def token_f1(answer: str, references: Sequence[str], *, language: Language = "en") -> Value:
    """F1 of the words that the answer and a reference share, each as often as both have it; the best reference counts.

    2 P R / (P + R), P = shared / words of the answer, R = shared / words of the reference. Where one of them has no
    word left, it is 1 if the other has none either, else 0, as in SQuAD 2.0.

    >>> token_f1("the river Seine in Paris", ["Seine river"]).value
    0.6666666666666666
    """
    mine = Counter(tokens(answer, language))

    def f1(reference: str) -> float:
        theirs = Counter(tokens(reference, language))
        if not mine or not theirs:
            return float(mine == theirs)
        return 2 * (mine & theirs).total() / (mine.total() + theirs.total())

    return _best(f1, references)


def chrf(answer: str, references: Sequence[str], *, order: int = 6, beta: float = 2.0) -> Value:
    """Mean precision and recall of runs of 1 to 6 characters, put together as F_β; the best reference counts.

    chrF = (1 + β²) P R / (β² P + R), from 0 to 1; β = 2 counts recall twice. White space is left out, case and
    punctuation stay; text is composed (NFC) first. Orders that one of the texts is too short for do not count. Works
    for any language, without words.

    Source: Popović (2015), doi:10.18653/v1/W15-3049. Agrees with sacrebleu's sentence_chrf, which is in percent.

    >>> chrf("Hà Nội", ["Hà Nội"]).value
    1.0
    """

    def score(reference: str) -> float:
        pairs = list(zip(_runs(answer, order), _runs(reference, order), strict=True))
        both = [(mine, theirs, (mine & theirs).total()) for mine, theirs in pairs if mine and theirs]
        if not both:
            return 0.0
        precision = sum(shared / mine.total() for mine, _, shared in both) / len(both)
        recall = sum(shared / theirs.total() for _, theirs, shared in both) / len(both)
        below = beta**2 * precision + recall
        return (1 + beta**2) * precision * recall / below if below else 0.0

    return _best(score, references)


def _runs(text: str, order: int) -> Iterable[Counter[str]]:
    plain = "".join(unicodedata.normalize("NFC", text).split())
    return [Counter(plain[i : i + n] for i in range(len(plain) - n + 1)) for n in range(1, order + 1)]


def _best(score: Callable[[str], float], references: Sequence[str]) -> Value:
    if not references:
        return not_applicable("no reference")
    return Value(max(map(score, references)), 1)
