"""The fast lexical engine: tantivy behind our own interface; tokens come ready, ids and ties are ours."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rankgauge.records._columns import IntArray
from rankgauge.retrieval._extras import optional
from rankgauge.retrieval._places import Places
from rankgauge.retrieval.exact import Facts, Found, best
from rankgauge.retrieval.formulas import byte_length

HEAP = 64_000_000
"""Bytes that tantivy gathers before it writes a segment."""

REPEATED = 8
"""From so many times on, a word of the query is weighted and no longer repeated, which is slower for tantivy."""

WIDEST_TIE = 10_000
"""Documents beyond k that are fetched to put a tie at the cut in order."""

_BLANKS = str.maketrans({blank: chr(0xE000 + ord(blank)) for blank in " \t\n\f\r"})
"""tantivy splits at blanks: those within a token become characters for private use."""


def _tantivy() -> Any:
    return optional("tantivy", "the lexical index")


def _opened(folder: Path) -> tuple[Any, Any]:
    """Index and schema; the tokenizer must be registered at every opening, or nothing is found."""
    tantivy = _tantivy()
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("words", stored=False, tokenizer_name="rankgauge", index_option="freq")
    builder.add_unsigned_field("place", stored=False, indexed=True, fast=True)
    schema = builder.build()
    folder.mkdir(parents=True, exist_ok=True)
    index = tantivy.Index(schema, path=str(folder), sort_by_field="place")
    analyzer = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
    index.register_tokenizer("rankgauge", analyzer)
    index.config_reader("manual")
    return index, schema


@dataclass(frozen=True, eq=False)
class TantivyReader:
    """Searches one state of the index; a change makes another reader."""

    searcher: Any
    schema: Any
    places: Places

    @classmethod
    def open(cls, folder: Path, places: Places) -> TantivyReader:
        """Open the index as it was last committed."""
        index, schema = _opened(folder)
        index.reload()
        return cls(index.searcher(), schema, places)

    @functools.cached_property
    def _library(self) -> Any:
        return _tantivy()

    @functools.cached_property
    def _query(self) -> Any:
        return self._library.Query

    def search(self, terms: Mapping[str, int], k: int, allowed: IntArray | None) -> Found:
        """Find the best k; ties by place, also at the cut where no more than 10,000 documents are tied there."""
        occur = self._library.Occur
        parts = list(self._parts(terms))
        if not parts or not self.places.alive:
            return Found(np.zeros(0, dtype=np.int64), np.zeros(0))
        query = parts[0] if len(parts) == 1 else self._query.boolean_query([(occur.Should, part) for part in parts])
        if allowed is not None:
            among = self._query.term_set_query(self.schema, "place", allowed.tolist())
            silent = self._query.const_score_query(among, 0.0)
            query = self._query.boolean_query([(occur.Must, query), (occur.Must, silent)])
        return self._top(query, min(k, self.places.alive))

    def _top(self, query: Any, k: int) -> Found:
        limit = k + 1
        while True:
            hits = self.searcher.search(query, limit=limit, count=False).hits
            whole = len(hits) < limit or self.searcher.num_segments == 1
            # Each segment is in order of places: only a tie at the cut between segments can be out of order.
            if whole or hits[-1][0] < hits[k - 1][0] or limit >= k + WIDEST_TIE:
                break
            limit = min(2 * limit + 100, k + WIDEST_TIE)
        places = np.array(self.searcher.fast_field_values("place", [at for _, at in hits]), dtype=np.int64)
        scores = np.array([score for score, _ in hits], dtype=np.float64)
        order = np.argsort(places)
        return best(places[order], scores[order], k)

    def _parts(self, terms: Mapping[str, int]) -> Iterator[Any]:
        for term, times in terms.items():
            part = self._query.term_query(self.schema, "words", term.translate(_BLANKS), index_option="freq")
            if times > REPEATED:
                yield self._query.boost_query(part, float(times))
            else:
                yield from [part] * times

    def facts(self, terms: Sequence[str], place: int) -> Facts:
        """Ask tantivy what it makes of a document: the numbers that its scores are computed from."""
        here = self._query.term_query(self.schema, "place", place)
        [(_, address)] = self.searcher.search(here, limit=1).hits
        length = int(byte_length(np.asarray(self.places.lengths[[place]], dtype=np.int64))[0])
        documents, average = len(self.places.ids), self.places.average
        containing, tf = {}, {}
        for term in terms:
            word = term.translate(_BLANKS)
            containing[term], tf[term] = self.searcher.doc_freq("words", word), 0
            query = self._query.term_query(self.schema, "words", word, index_option="freq")
            if said := _said(query, self.searcher, address):
                documents, average, length = int(said["N"]), said["avgdl"], int(said["dl"])
                tf[term] = int(said["freq"])
        return Facts(documents, average, length, containing, tf)


def _said(query: Any, searcher: Any, address: Any) -> dict[str, float]:
    """Numbers of an explanation by the letters that stand before them; none where the document lacks the term."""
    try:
        explanation = json.loads(query.explain(searcher, address).to_json())
    except ValueError:
        return {}
    found: dict[str, float] = {}
    rest = [explanation]
    while rest:
        item = rest.pop()
        rest += item.get("details", [])
        if name := re.match(r"(n|N|freq|dl|avgdl), ", item["description"]):
            found[name[1]] = float(item["value"])
    return found


class TantivyWriter:
    """Adds to the index and deletes from it; what it has done counts from `commit` on."""

    def __init__(self, folder: Path) -> None:
        self.tantivy = _tantivy()
        index, self.schema = _opened(folder)
        # One thread: the same documents make the same segments.
        self.writer = index.writer(HEAP, 1)

    def add(self, place: int, tokens: Sequence[str]) -> None:
        """Take in a document."""
        document = self.tantivy.Document()
        document.add_text("words", " ".join([token.translate(_BLANKS) for token in tokens]))
        document.add_unsigned("place", place)
        self.writer.add_document(document)

    def delete(self, places: Sequence[int]) -> None:
        """Take out documents."""
        for place in places:
            # By query: deletion by term takes the number for a signed one, and finds nothing.
            self.writer.delete_documents_by_query(self.tantivy.Query.term_query(self.schema, "place", place))

    def commit(self, places: Places, *, merged: bool = False) -> None:
        """Write what is held."""
        self.writer.commit()

    def close(self) -> None:
        """Wait for merges, and let go of the index."""
        self.writer.wait_merging_threads()
