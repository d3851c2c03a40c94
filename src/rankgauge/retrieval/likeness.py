"""Queries much like others, where likeness is not enough: what differs must decide nothing.

Pairs of queries that differ in one decisive word ("enable" and "disable", "14" and "15") have vectors nearer to each
other than paraphrases have (docs/cache.md), so that no threshold alone tells them apart.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from rankgauge.errors import MethodError
from rankgauge.retrieval.protocols import Embedder, Tokenizer, Vectors
from rankgauge.retrieval.tokenizers import tokens_of

THRESHOLD = 0.95
REMEMBERED = 5000
LOOKED_AT = 3
BINDING = frozenset(
    "not no nor without never except unless cannot "
    "from to into onto than versus vs by before after above below under over more less least most between "
    "không chưa chẳng đừng trước sau trên dưới hơn kém từ đến".split()
) | frozenset("不没無无非未别勿从到比前后上下多少")
"""Words that deny, compare or direct what stands beside them: with one of them, the order of the words decides."""
TURNING = frozenset(
    "first last in out on off enable disable open close increase decrease minimum maximum min max "
    "one two three four five six seven eight nine ten hundred thousand bật tắt đầu cuối".split()
) | frozenset("开关")
"""Words that make another question by being there; all of these are compared as they are written, never stemmed."""
DECIDING = BINDING | TURNING
BEFORE_VERBS = frozenset("how want need able have like try trying used going where when what".split())
"""Words after which "to" directs nothing."""
MARK = re.compile(
    r"""(?<![^\W_])[-+\u2212]?\d+(?:[.,:/-]\d+)*  # a number with its sign, as it is written
        | [^\W\d_]+(?:['\u2019][^\W\d_]+)*        # a word
        | [^\w\s.,;:!?'"()\[\]{}\u2018-\u201f\u2026\u3001\u3002\uff01\uff08\uff09\uff0c\uff1a\uff1b\uff1f-]
        | \d+""",
    re.VERBOSE,
)
"""What may decide: numbers, words, and signs that are not the punctuation of a sentence."""


def marks(text: str) -> tuple[str, ...]:
    """What decides in a query whatever its tokens are, in its order: numbers, words that turn it round, signs.

    >>> marks("Why can't I pay -5 € for C++ 3.5?")
    ('not', '-5', '€', '+', '+', '3.5')
    """
    found, before = list[str](), ""
    for part in MARK.findall(text.casefold()):
        if part.replace("\u2019", "'").endswith("n't"):
            found.append("not")
        elif not part[-1].isalpha() or (part in DECIDING and not (part == "to" and before in BEFORE_VERBS)):
            found.append(part)
        else:
            found += [sign for sign in part if sign in DECIDING]
        before = part
    return tuple(found)


def bound(decide: Iterable[str]) -> bool:
    """Whether the order of a query's words decides, by its marks: some deny, compare, direct or count.

    >>> bound(marks("flights from Paris to London")), bound(marks("how to open a card"))
    (True, False)
    """
    return any(mark in BINDING or mark[-1].isdigit() for mark in decide)


@dataclass(frozen=True)
class Guard:
    """Says whether two queries may share an answer, whatever their vectors are.

    Attributes
    ----------
    words : the index's tokenizer
    rare : whether a word is rare in the index: two queries must have the same rare words. By default every word that
        is not in both decides, so that only repetition may differ
    """

    words: Tokenizer
    rare: Callable[[str], bool] = lambda word: True

    def same(self, one: str, other: str) -> bool:
        """Whether nothing that decides differs: numbers, words that turn round, rare words, the order of all these.

        Order decides always: "can a landlord sue a tenant" and its reverse are nearer than many paraphrases.
        """
        if marks(one) != marks(other):
            return False
        ours, theirs = (list(dict.fromkeys(tokens_of(self.words, text))) for text in (one, other))
        common = set(ours) & set(theirs)
        if any(self.rare(word) for word in set(ours) ^ set(theirs)):
            return False
        return [word for word in ours if word in common] == [word for word in theirs if word in common]


class Likeness:
    """The queries that were answered lately, by their vectors: in this process, by scope, the oldest forgotten first.

    Parameters
    ----------
    threshold : least cosine, from -1 to 1
    guard : what else two queries must have in common; None: nothing, which docs/cache.md shows to be wrong
    most : queries that are remembered per scope
    """

    def __init__(
        self, embedder: Embedder, guard: Guard | None, *, threshold: float = THRESHOLD, most: int = REMEMBERED,
        scopes: int = 16,
    ) -> None:  # fmt: skip
        if not -1 <= threshold <= 1:
            raise MethodError(f"threshold: expected a cosine from -1 to 1, got {threshold:g}")
        self.embedder, self.guard, self.threshold, self.most, self.scopes = embedder, guard, threshold, most, scopes
        self._lock = threading.Lock()
        self._scopes: OrderedDict[str, _Ring] = OrderedDict()

    def remember(self, scope: str, query: str, name: str) -> None:
        """Remember a query, and under which name its answer is kept."""
        vector = self._vector(query)
        with self._lock:
            if scope not in self._scopes:
                self._scopes[scope] = _Ring(self.most, len(vector))
                if len(self._scopes) > self.scopes:
                    self._scopes.popitem(last=False)
            self._scopes.move_to_end(scope)
            self._scopes[scope].add(vector, query, name)

    def near(self, scope: str, query: str) -> Iterator[str]:
        """Names of answers to the nearest queries that may stand for this one, the nearest first."""
        if scope not in self._scopes:
            return
        vector = self._vector(query)
        with self._lock:
            ring = self._scopes.get(scope)
            found = [] if ring is None else ring.nearest(vector, LOOKED_AT)
        for cosine, other, name in found:
            if cosine >= self.threshold and (self.guard is None or self.guard.same(query, other)):
                yield name

    def _vector(self, query: str) -> Vectors:
        vector: Vectors = self.embedder.embed([query], kind="query")[0]
        return vector


class _Ring:
    """The last queries of one scope."""

    def __init__(self, most: int, dimension: int) -> None:
        self._vectors = np.zeros((most, dimension), dtype=np.float32)
        self._named: list[tuple[str, str]] = []
        self._place: dict[str, int] = {}
        self._next = 0

    def add(self, vector: Vectors, query: str, name: str) -> None:
        at = self._place.get(query, self._next)
        if at == self._next:
            if at < len(self._named):
                self._place.pop(self._named[at][0], None)
                self._named[at] = (query, name)
            else:
                self._named.append((query, name))
            self._place[query] = at
            self._next = (at + 1) % len(self._vectors)
        self._vectors[at] = vector

    def nearest(self, vector: Vectors, count: int) -> list[tuple[float, str, str]]:
        size = len(self._named)
        cosines = self._vectors[:size] @ vector
        best = np.argsort(-cosines, kind="stable")[:count]
        return [(float(cosines[row]), *self._named[row]) for row in best.tolist()]
