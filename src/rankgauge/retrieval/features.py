"""What is known of a candidate, in numbers: the columns that a learned reranker looks at."""

from __future__ import annotations

import functools
import math
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from rankgauge.errors import Fault, InputError
from rankgauge.records._columns import FloatArray
from rankgauge.retrieval.bm25 import BM25Index
from rankgauge.retrieval.formulas import Scoring
from rankgauge.retrieval.index import Index
from rankgauge.retrieval.protocols import Document, Embedder, Vectors
from rankgauge.retrieval.rerank import Candidates
from rankgauge.retrieval.tokenizers import tokens_of

Column = Callable[[str, Document], float]
"""A feature of one's own: of the query and a document."""

WORDS = (
    "first_score", "bm25", "bm25_title", "bm25_text", "matched", "coverage", "idf_coverage", "idf_coverage_title",
    "frequency", "pairs", "first_place", "query_terms", "query_idf", "length", "title_length",
)  # fmt: skip
COSINE = "cosine"
ASKED = 256
"""Queries whose vectors are remembered."""
REMEMBERED = 20_000
"""Documents whose words are remembered."""


class _Parts(NamedTuple):
    """Words of a document: of its title, of its text, how often each, and the pairs of neighbours."""

    title: Counter[str]
    text: Counter[str]
    both: Counter[str]
    neighbours: frozenset[tuple[str, str]]
    first: Mapping[str, int]


@dataclass(frozen=True)
class _Query:
    """Words of a query, each once, with what each weighs."""

    terms: tuple[str, ...]
    idf: Mapping[str, float]
    neighbours: frozenset[tuple[str, str]]

    @property
    def total(self) -> float:
        return sum(self.idf.values()) or 1.0


@dataclass(eq=False)
class Features:
    """Features of candidates, each of one candidate alone: none looks at the others of its list.

    By words: BM25 (by the exact formula, idf from the whole index) of title, text and both; how many of the query's
    words occur (also weighed by idf), how often, how many of its neighbouring words are neighbours there, how early
    the first one stands; lengths. By vectors, where the index has some: the cosine. Then columns of one's own.

    Parameters
    ----------
    index : needs words; its vectors are used where there are some
    embedder : of the index's vectors; loaded where it is not given
    columns : features of one's own, by name
    """

    index: Index
    embedder: Embedder | None = None
    columns: Mapping[str, Column] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.index.lexical is None:
            fault = Fault(str(self.index.folder), "words in the index", "none", "build it with --bm25")
            raise InputError(fault)
        self._words: BM25Index = self.index.lexical
        if self.index.vectors is not None and self.embedder is None:
            self.embedder = self.index.embedder()
        self._containing: dict[str, int] = {}
        self._parts: OrderedDict[str, _Parts] = OrderedDict()
        self._lock = threading.Lock()
        self._scoring = Scoring("lucene")
        # A guard asks chunk by chunk: the query is embedded once for all of them.
        self._vector = functools.lru_cache(ASKED)(self._embedded)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns, in order."""
        dense = (COSINE,) if self.index.vectors is not None else ()
        return (*WORDS, *dense, *self.columns)

    @property
    def made_by(self) -> dict[str, str]:
        """What the columns depend on beside the texts: the tokenizer, and the model of the vectors."""
        words = self._words.tokenizer
        model = self.index.manifest.model
        return {"tokenizer": f"{words.name} {words.version}"} | ({} if model is None else {"embedder": model.name})

    def of(self, candidates: Candidates) -> FloatArray:
        """Float64[n, F], a row per candidate; a column of one's own that gives no finite number is an InputError."""
        if not len(candidates):
            return np.zeros((0, len(self.names)))
        docs, scores = candidates.hits.docs, candidates.hits.scores.tolist()
        query = self._query(candidates.query, docs[0])
        rows = [self._row(query, parts, score) for parts, score in zip(self._parts_of(docs), scores, strict=True)]
        table = np.array(rows, dtype=np.float64)
        if self.index.vectors is not None:
            table = np.column_stack([table, self._cosines(candidates)])
        if not self.columns:
            return table
        documents = self.index.documents.get(docs)
        own = [[self._own(name, candidates.query, document) for name in self.columns] for document in documents]
        return np.column_stack([table, np.array(own, dtype=np.float64)])

    def _query(self, text: str, known: str) -> _Query:
        tokens = tokens_of(self._words.tokenizer, text)
        terms = tuple(dict.fromkeys(tokens))
        if new := [term for term in terms if term not in self._containing]:
            place = int(self._words.places.find([known])[0])
            self._containing |= self._words.reader.facts(new, place).containing
        documents = len(self._words)
        idf = {term: self._scoring.weight(documents, min(documents, self._containing[term])) for term in terms}
        return _Query(terms, idf, frozenset(pairwise(tokens)))

    def _row(self, query: _Query, parts: _Parts, score: float) -> list[float]:
        found = [term for term in query.terms if term in parts.both]
        in_title = [term for term in query.terms if term in parts.title]
        pairs = len(query.neighbours & parts.neighbours) / max(1, len(query.neighbours))
        early = min((parts.first[term] for term in found), default=len(parts.first) + 1)
        return [
            score,
            self._bm25(query, parts.both, self._words.places.average),
            self._bm25(query, parts.title, TITLE),
            self._bm25(query, parts.text, self._words.places.average),
            len(found),
            len(found) / max(1, len(query.terms)),
            sum(query.idf[term] for term in found) / query.total,
            sum(query.idf[term] for term in in_title) / query.total,
            math.log1p(sum(parts.both[term] for term in found)),
            pairs,
            math.log1p(early),
            len(query.terms),
            query.total / max(1, len(query.terms)),
            math.log1p(parts.both.total()),
            math.log1p(parts.title.total()),
        ]

    def _bm25(self, query: _Query, words: Counter[str], average: float) -> float:
        tf = np.array([words[term] for term in query.terms], dtype=np.float64)
        norm = self._scoring.norm(np.array([float(words.total())]), average)
        weights = np.array([query.idf[term] for term in query.terms])
        return float(np.dot(weights, np.where(tf > 0, self._scoring.saturated(tf, norm), 0.0)))

    def _parts_of(self, docs: Sequence[str]) -> list[_Parts]:
        """Words of documents; only those that are not remembered are read."""
        with self._lock:
            known = {doc: self._parts[doc] for doc in docs if doc in self._parts}
            for doc in known:
                self._parts.move_to_end(doc)
        new = {
            document.id: self._parted(document)
            for document in self.index.documents.get([doc for doc in docs if doc not in known])
        }
        with self._lock:
            self._parts |= new
            while len(self._parts) > REMEMBERED:
                self._parts.popitem(last=False)
        return [known.get(doc) or new[doc] for doc in docs]

    def _parted(self, document: Document) -> _Parts:
        title, text = (tokens_of(self._words.tokenizer, part) for part in (document.title, document.text))
        both = [*title, *text]
        first: dict[str, int] = {}
        for place, word in enumerate(both):
            first.setdefault(word, place)
        return _Parts(Counter(title), Counter(text), Counter(both), frozenset(pairwise(both)), first)

    def _cosines(self, candidates: Candidates) -> FloatArray:
        assert self.index.vectors is not None
        vector, docs = self._vector(candidates.query), candidates.hits.docs
        found = dict(self.index.vectors.search(vector, len(docs), frozenset(docs), exact=True))
        return np.array([found[doc] for doc in docs])

    def _embedded(self, query: str) -> Vectors:
        assert self.embedder is not None
        vector: Vectors = self.embedder.embed([query], kind="query")[0]
        return vector

    def _own(self, name: str, query: str, document: Document) -> float:
        value = float(self.columns[name](query, document))
        if not math.isfinite(value):
            raise InputError(Fault(f"feature {name!r}, document {document.id!r}", "a finite number", str(value)))
        return value


TITLE = 10.0
"""Length of a title that is neither long nor short, for BM25."""


def column_names(features: Features, wanted: Sequence[str], where: str) -> None:
    """Refuse features other than those that a model was trained on."""
    if tuple(wanted) == features.names:
        return
    lacking = [name for name in wanted if name not in features.names]
    more = [name for name in features.names if name not in wanted]
    got = (
        "; ".join(f"{what} {', '.join(names)}" for what, names in (("without", lacking), ("with", more)) if names)
        or "another order"
    )
    raise InputError(Fault(where, f"the {len(wanted)} features it was trained on", got, "train it for this index"))
