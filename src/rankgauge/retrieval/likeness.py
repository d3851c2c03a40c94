"""Queries much like others, where likeness is not enough: what differs must decide nothing.

Pairs of queries that differ in one decisive word ("enable" and "disable", "14" and "15") have vectors nearer to each
other than paraphrases have (docs/cache.md), so that no threshold alone tells them apart.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from rankgauge.errors import MethodError
from rankgauge.retrieval.protocols import Embedder, Tokenizer, Vectors
from rankgauge.retrieval.tokenizers import tokens_of

THRESHOLD = 0.95
REMEMBERED = 5000
LOOKED_AT = 3
NUMBER = re.compile(r"\d+")
DECIDING = frozenset(
    "not no without never except unless before after above below under over more less least most first last in out "
    "on off enable disable open close "
    "không chưa chẳng đừng trước sau trên dưới hơn kém bật tắt".split()
) | frozenset("不没無无非未别勿前后上下多少开关")
"""Words whose presence turns a query round; compared as they are written, before any stemming."""


@dataclass(frozen=True)
class Guard:
    """Says whether two queries may share an answer, whatever their vectors are.

    Attributes
    ----------
    words : the index's tokenizer
    rare : whether a word is rare in the index: two queries must have the same rare words. By default every word that
        is not in both decides, so that only order and repetition may differ
    """

    words: Tokenizer
    rare: Callable[[str], bool] = lambda word: True

    def same(self, one: str, other: str) -> bool:
        """Whether nothing that decides differs: numbers, words that turn round, rare words."""
        if sorted(NUMBER.findall(one)) != sorted(NUMBER.findall(other)) or _deciding(one) != _deciding(other):
            return False
        differ = set(tokens_of(self.words, one)) ^ set(tokens_of(self.words, other))
        return not any(self.rare(word) for word in differ)


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
        with self._lock:
            ring = self._scopes.get(scope)
        if ring is None:
            return
        for cosine, other, name in ring.nearest(self._vector(query), LOOKED_AT):
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


def _deciding(text: str) -> list[str]:
    words = re.findall(r"\w+", text.casefold())
    signs = [sign for sign in text if sign in DECIDING]
    return sorted([word for word in words if word in DECIDING] + signs)
