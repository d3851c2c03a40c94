"""Tokenizers: from a text to the words that are indexed, by name, and the mark by which an index knows its own."""

from __future__ import annotations

import functools
import hashlib
import json
import re
import sys
import threading
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field

from rankgauge.errors import Fault, InputError, MethodError, did_you_mean
from rankgauge.retrieval._extras import optional
from rankgauge.retrieval.protocols import Tokenizer

Words = Callable[[str], list[str]]

LONGEST_TOKEN = 16_000
"""Characters that are kept of a token: no engine takes more than 65,530 bytes."""

IDEOGRAPHS = (
    "\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u31c0-\u31ef\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
"""Scripts written without spaces: Han, Hiragana and Katakana."""

STEMMERS = {
    "ar": "arabic", "ca": "catalan", "da": "danish", "de": "german", "el": "greek", "en": "english",
    "es": "spanish", "eu": "basque", "fi": "finnish", "fr": "french", "ga": "irish", "hi": "hindi",
    "hu": "hungarian", "hy": "armenian", "id": "indonesian", "it": "italian", "lt": "lithuanian", "ne": "nepali",
    "nl": "dutch", "no": "norwegian", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian",
    "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip
"""Languages that are stemmed by Snowball, by their code."""

STOP_WORDS = frozenset(
    "a an the this that these those i me my mine myself we us our ours ourselves you your yours yourself yourselves he"
    " him his himself she her hers herself it its itself they them their theirs themselves who whom whose which what"
    " when where why how am is are was were be been being have has had having do does did doing can could may might"
    " must shall should will would ought about above across after against along among around as at before behind below"
    " beneath beside between beyond by down during for from in inside into near of off on onto out outside over per"
    " since than through throughout to toward towards under until up upon via with within without and but if or nor so"
    " because while although though unless whether not no only own same such too very then there here again further"
    " once just also each few more most other some any all both either neither s t".split()
)
"""English words that carry grammar and no topic."""

PROBES = (
    "Don't re-test the U.S. Navy's 3.5-inch ﬁlters: running, ran, runners' organisations!",
    "What is the capital of the country that is named in this question",
    "Hà Nội là thủ đô của nước Cộng hòa Xã hội chủ nghĩa Việt Nam; hoàn tiền trong 5 ngày.",
    "保定驴肉火烧哪家强？中华人民共和国的首都是北京。ＡＢＣ１２３ データベース",
    "Straße, naïve café, ΣΊΣΥΦΟΣ, हिन्दी भाषा, iPhone15-Pro 退款 refund",
    "Программирование хранилищ, مكتبات المدارس, bibliothèques nationales, Häuser, ciudades, hoà thuỷ quý",
)
"""Texts whose tokens tell tokenizers apart."""


@dataclass(frozen=True)
class NamedTokenizer:
    """A function from text to tokens, with a name and a version."""

    name: str
    version: str
    function: Words = field(repr=False, compare=False)

    def __call__(self, text: str) -> list[str]:
        """Tokens of a text, in order."""
        return self.function(text)


def of_callable(name: str, version: str, function: Words) -> Tokenizer:
    """Make a tokenizer of any function; raise the version whenever its tokens change.

    >>> of_callable("letters", "1", list)("abc")
    ['a', 'b', 'c']
    """
    if not name or not version or name in NAMES:
        taken = "one of ours" if name in NAMES else f"{name!r}, version {version!r}"
        raise MethodError(f"a tokenizer: expected a name of its own and a version, got {taken}")
    return NamedTokenizer(name, version, function)


def tokenizer(name: str) -> Tokenizer:
    """Find a tokenizer by its name, which for most is the language's code.

    plain      words in small letters; runs of Chinese and Japanese characters as pairs of neighbours
    en, ...    words, stemmed by Snowball; en-stop leaves out English stop words
    vi         syllables in small letters, hoà as hòa; vi-words: words found by underthesea, as hoàn_tiền
    zh         characters and pairs of neighbours; zh-words: words found by jieba, in its mode for search
    multi      for mixed languages: as zh in Chinese, English stems for words of plain letters, others as they are

    >>> tokenizer("zh")("退款 refund")
    ['退', '款', '退款', 'refund']
    """
    if name not in NAMES:
        near = did_you_mean(name, NAMES) or f"; there are {', '.join(NAMES)}"
        raise MethodError(f"no tokenizer named {name!r}{near}")
    return NamedTokenizer(name, "1", NAMES[name]())


def tokens_of(tokenizer: Tokenizer, text: str) -> list[str]:
    """Tokens as they are indexed: no empty ones, and none of more than 16,000 characters."""
    return [token[:LONGEST_TOKEN] for token in tokenizer(text) if token]


@dataclass(frozen=True)
class Mark:
    """By what an index knows its tokenizer: name, version, and a hash of the tokens of fixed texts."""

    name: str
    version: str
    hash: str

    @classmethod
    def of(cls, tokenizer: Tokenizer) -> Mark:
        """Take the mark of a tokenizer."""
        tokens = json.dumps([tokenizer(text) for text in PROBES])
        return cls(tokenizer.name, tokenizer.version, hashlib.sha256(tokens.encode()).hexdigest()[:16])

    def opened(self, given: Tokenizer | None, where: str) -> Tokenizer:
        """Return the tokenizer that an index is searched with: the given one, or the one of this name.

        Raises InputError where its tokens are not those of the index.
        """
        if given is None and self.name not in NAMES:
            got, advice = "no tokenizer", f"pass the tokenizer that it was built with, {self.name!r}"
            raise InputError(Fault(where, f"the tokenizer {self.name!r}, which is not one of ours", got, advice))
        found = tokenizer(self.name) if given is None else given
        mark = Mark.of(found)
        if mark != self:
            advice = "other tokens find nothing or the wrong documents: use the same one, or build the index again"
            raise InputError(Fault(where, f"the tokenizer {self}", str(mark), advice))
        return found

    def __str__(self) -> str:
        return f"{self.name!r} (version {self.version}, hash {self.hash})"


_ASCII_WORD = re.compile("[a-z0-9]+")
_IDEOGRAPH = re.compile(f"[{IDEOGRAPHS}]")
_RUN = re.compile(f"([{IDEOGRAPHS}]+)|[^{IDEOGRAPHS}]+")


@functools.cache
def _word() -> re.Pattern[str]:
    """Words with their combining marks, which are no letters to `re`."""
    marks = "".join(c for c in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(c) in ("Mn", "Mc"))
    return re.compile(rf"[^\W_]+(?:[{marks}]+[^\W_]*)*")


def _normal(text: str) -> str:
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()


def _words(text: str) -> list[str]:
    """Words of a text in its normal form."""
    return _ASCII_WORD.findall(text) if text.isascii() else _word().findall(text)


def _tokens(text: str, of_ideographs: Callable[[str], list[str]]) -> list[str]:
    """Words; stretches of ideographs as this function splits them."""
    normal = _normal(text)
    words = _words(normal)
    if normal.isascii() or not _IDEOGRAPH.search(normal):
        return words
    tokens: list[str] = []
    for word in words:
        for part in _RUN.finditer(word):
            tokens += of_ideographs(part[0]) if part[1] else [part[0]]
    return tokens


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)]


def _plain(text: str) -> list[str]:
    return _tokens(text, lambda run: _pairs(run) or [run])


def _vietnamese(text: str) -> list[str]:
    return [_OLD_TONES.sub(_new_tone, token) for token in _plain(text)]


def _new_tone(found: re.Match[str]) -> str:
    """Put the tone of oà, oè and uỳ on the first vowel, where the other spelling has it."""
    first, second = found[1], unicodedata.normalize("NFD", found[2])
    return unicodedata.normalize("NFC", first + second[1] + second[0])


_OLD_TONES = re.compile(r"(o(?=[àáảãạèéẻẽẹ])|(?<!q)u(?=[ỳýỷỹỵ]))(.)$")


def _chinese(text: str) -> list[str]:
    return _tokens(text, lambda run: [*run, *_pairs(run)])


def _stemmer(language: str) -> Callable[[list[str]], list[str]]:
    """A stemmer of words; each thread has its own, since they are not made to be shared."""
    module, local = optional("Stemmer", "stemming"), threading.local()

    def stem(words: list[str]) -> list[str]:
        if not hasattr(local, "stemmer"):
            local.stemmer = module.Stemmer(language)
        stems: list[str] = local.stemmer.stemWords(words)
        return stems

    return stem


def _stemming(language: str) -> Words:
    stem = _stemmer(language)
    return lambda text: stem(_plain(text))


def _without_stop_words() -> Words:
    stem = _stemmer("english")
    return lambda text: stem([word for word in _plain(text) if word not in STOP_WORDS])


def _multi() -> Words:
    stem = _stemmer("english")

    def tokens(text: str) -> list[str]:
        found = [token if token.isascii() else _OLD_TONES.sub(_new_tone, token) for token in _chinese(text)]
        plain = [place for place, token in enumerate(found) if token.isascii()]
        for place, stemmed in zip(plain, stem([found[place] for place in plain]), strict=True):
            found[place] = stemmed
        return found

    return tokens


def _jieba() -> Words:
    cut = optional("rjieba", "splitting Chinese into words").cut_for_search
    return lambda text: [token for token in cut(_normal(text)) if _word().match(token)]


def _underthesea() -> Words:
    split = optional("underthesea", "splitting Vietnamese into words").word_tokenize
    lock = threading.Lock()

    def tokens(text: str) -> list[str]:
        with lock:
            words = split(unicodedata.normalize("NFKC", text))
        return [word.casefold().replace(" ", "_") for word in words if _word().match(word)]

    return tokens


NAMES: dict[str, Callable[[], Words]] = {
    "plain": lambda: _plain,
    "multi": _multi,
    "vi": lambda: _vietnamese,
    "vi-words": _underthesea,
    "zh": lambda: _chinese,
    "zh-words": _jieba,
    "en-stop": _without_stop_words,
    **{code: functools.partial(_stemming, language) for code, language in STEMMERS.items()},
}
