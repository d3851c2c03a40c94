"""Answers that are remembered: by the same query, by the same words, and, where asked for, by a query much like it."""

from __future__ import annotations

import json
import threading
import unicodedata
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, Protocol

import numpy as np

from rankgauge.records._columns import FloatArray
from rankgauge.retrieval._digest import digest
from rankgauge.retrieval.likeness import Likeness, bound, marks
from rankgauge.retrieval.pipeline import Answer
from rankgauge.retrieval.protocols import Hits, Tokenizer
from rankgauge.retrieval.rerank import Reranked
from rankgauge.retrieval.tokenizers import tokens_of

Kind = Literal["exact", "words", "like"]
Outcome = Literal["exact", "words", "like", "miss"]

FORMAT = "1"
DAY = 24 * 3600.0


@dataclass(frozen=True)
class Key:
    """All that an answer depends on: answers of equal keys are equal.

    Attributes
    ----------
    query : as it was asked
    k, depth, allowed : what was asked for
    generation : of the index, unlike that of any other index and of any other state of this one
    first, second : names of both stages, models with their ids; no second one is ""
    tenant : whose answer it is; nobody gets another's
    """

    query: str
    k: int
    depth: int
    allowed: frozenset[str] | None
    generation: str
    first: str
    second: str
    tenant: str = ""

    @property
    def scope(self) -> str:
        """A hash of everything but the query."""
        rest = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "query"}
        rest["allowed"] = None if self.allowed is None else sorted(self.allowed)
        return digest(json.dumps([FORMAT, rest], sort_keys=True))


class Store(Protocol):
    """Where answers are kept. Its faults are its own: neither call raises."""

    def get(self, key: str) -> bytes | None:
        """What was kept, None where it is not there any more, or cannot be had."""
        ...

    def put(self, key: str, value: bytes, seconds: float) -> None:
        """Keep it for so long at most."""
        ...


class AnswerCache:
    """Remembers answers. It keeps no degraded one, and whatever goes wrong in it is a miss that is counted.

    A query finds the answer of the same query (compatibility forms, case and blanks aside); where a tokenizer is
    given, that of a query of the same words, in another order unless that decides (`likeness.bound`); and where
    likeness is given, that of a query whose vector is near and which differs in nothing that decides.

    Parameters
    ----------
    words : the index's tokenizer
    words_alone : whether answers depend on the tokens of `words` and on nothing else, as those of BM25 without a second
        stage: order and signs then decide nothing
    seconds : how long an answer is kept
    """

    def __init__(
        self, store: Store, *, words: Tokenizer | None = None, words_alone: bool = False,
        likeness: Likeness | None = None, seconds: float = DAY,
    ) -> None:  # fmt: skip
        self.store, self.words, self.words_alone = store, words, words_alone
        self.likeness, self.seconds = likeness, seconds
        self._lock = threading.Lock()
        self._outcomes: Counter[str] = Counter()
        self.faults = 0

    def get(self, key: Key) -> Answer | None:
        """The answer that was kept for this key, or for one like it."""
        return self.found(key)[0]

    def found(self, key: Key) -> tuple[Answer | None, Outcome]:
        """The answer, and how it was found."""
        try:
            answer, how = self._found(key)
        except Exception:
            # An answer that cannot be read, a model that fails: a cache must not cost an answer.
            answer, how = None, "miss"
            with self._lock:
                self.faults += 1
        with self._lock:
            self._outcomes[how] += 1
        return answer, how

    def put(self, key: Key, answer: Answer) -> None:
        """Keep an answer, unless it is degraded."""
        if answer.degraded:
            return
        try:
            written = packed(answer)
            names = self._names(key)
            for name in names.values():
                self.store.put(name, written, self.seconds)
            if self.likeness is not None:
                self.likeness.remember(key.scope, key.query, names["exact"])
        except Exception:
            with self._lock:
                self.faults += 1

    @property
    def outcomes(self) -> Mapping[str, int]:
        """How many looks ended how."""
        with self._lock:
            return dict(self._outcomes)

    def _found(self, key: Key) -> tuple[Answer | None, Outcome]:
        for kind, name in self._names(key).items():
            if (kept := self.store.get(name)) is not None:
                return unpacked(kept, key.query), kind
        if self.likeness is not None:
            for name in self.likeness.near(key.scope, key.query):
                if (kept := self.store.get(name)) is not None:
                    return unpacked(kept, key.query), "like"
        return None, "miss"

    def _names(self, key: Key) -> dict[Kind, str]:
        names: dict[Kind, str] = {"exact": f"rankgauge:{key.scope}:q:{digest(normal(key.query))}"}
        if self.words is not None:
            words = tokens_of(self.words, key.query)
            decide = () if self.words_alone else marks(key.query)
            if words:
                # "from Paris to London" is not "from London to Paris", and "C++" is not "C", whatever the tokenizer.
                told = [self.words.name, words if bound(decide) else sorted(words), decide]
                names["words"] = f"rankgauge:{key.scope}:w:{digest(json.dumps(told))}"
        return names


def normal(query: str) -> str:
    """A query without what does not matter: compatibility forms, case, blanks.

    >>> normal("  Card\\tREFUND "), normal("ｃａｒｄ")
    ('card refund', 'card')
    """
    return " ".join(unicodedata.normalize("NFKC", query).casefold().split())


def packed(answer: Answer) -> bytes:
    """Write an answer as JSON; numbers keep every digit."""
    final = answer.final
    place = {doc: number for number, doc in enumerate(answer.first.docs)}
    kept = {
        "docs": answer.first.docs, "scores": answer.first.scores.tolist(),
        "order": [place[doc] for doc in final.hits.docs], "final": final.hits.scores.tolist(),
        "second": [None if np.isnan(score) else score for score in final.second.tolist()],
        "seconds": dict(answer.seconds),
    }  # fmt: skip
    return json.dumps(kept, separators=(",", ":")).encode()


def unpacked(kept: bytes, query: str) -> Answer:
    """Read what `packed` wrote, as the answer to a query."""
    read: dict[str, Any] = json.loads(kept)
    docs, order = tuple(read["docs"]), read["order"]
    scores: FloatArray = np.array(read["scores"], dtype=np.float64)
    second = np.array([np.nan if score is None else score for score in read["second"]], dtype=np.float64)
    hits = Hits(tuple(docs[number] for number in order), np.array(read["final"], dtype=np.float64))
    final = Reranked(hits, second, scores[np.array(order, dtype=np.int64)])
    return Answer(query, Hits(docs, scores), final, read["seconds"])
