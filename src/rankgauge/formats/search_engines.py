"""JSON of search engines and their tools: rank_eval, OpenSearch Search Relevance, Rated Ranking Evaluator."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from rankgauge.errors import Fault, FormatError
from rankgauge.formats._bytes import Source
from rankgauge.formats._rows import Rows, number
from rankgauge.formats.nested import Collector, id_of
from rankgauge.records import Note

SWAPPED = "were the two files swapped?"


def read_rank_eval(source: Source, content: dict[str, Any], holds: str) -> Rows:
    """Read the body of a rank_eval request as judgments, or its response as a run."""
    if "requests" in content:
        if holds == "run":
            fault = Fault(source.label, "results", "the request of rank_eval, which holds judgments", SWAPPED)
            raise FormatError(fault)
        return _requests(source, content["requests"])
    if holds == "qrels":
        advice = "read the body of the request: the response has ratings of retrieved documents only"
        raise FormatError(Fault(source.label, "judgments", "the response of rank_eval, which holds results", advice))
    return _response(source, content.get("rank_eval", content)["details"])


def _requests(source: Source, requests: list[Any]) -> Rows:
    collector = Collector(source, "grade")
    entries = [(_query_id(source, request, i), _list(request, "ratings")) for i, request in enumerate(requests, 1)]
    naming = _Naming(entry for _, ratings in entries for entry in ratings)
    for query, ratings in entries:
        for rated in ratings:
            collector.add(query, naming.of(rated), rated.get("rating"))
    return collector.rows(naming.notes)


def _query_id(source: Source, request: Any, place: int) -> str:
    query = id_of(request.get("id")) if isinstance(request, Mapping) else None
    if query is None:
        raise FormatError(Fault(f"{source.label}, request {place}", "an object with an id", repr(request)[:80]))
    return query


def _response(source: Source, details: dict[str, Any]) -> Rows:
    found = {query: _list(entry, "hits") for query, entry in details.items()}
    hits = {query: [hit.get("hit", hit) for hit in some] for query, some in found.items()}
    naming = _Naming(hit for some in hits.values() for hit in some)
    scored = all(hit.get("_score") is not None for some in hits.values() for hit in some)
    collector = Collector(source, "score")
    for query, some in hits.items():
        for position, hit in enumerate(some, 1):
            collector.add(query, naming.of(hit), hit["_score"] if scored else position)
    return collector.rows(naming.notes, ranks=not scored)


class _Naming:
    """Names documents by their _id, and by index/id where several indices are in play."""

    def __init__(self, entries: Iterator[Mapping[str, Any]]) -> None:
        indices = list(dict.fromkeys(str(entry.get("_index")) for entry in entries))
        self.several = len(indices) > 1
        said = f"documents of {len(indices)} indices are called index/id"
        self.notes = [Note("indices", len(indices), said)] if self.several else []

    def of(self, entry: Mapping[str, Any]) -> str | None:
        """Return the document's id."""
        doc = id_of(entry.get("_id"))
        return f"{entry.get('_index')}/{doc}" if self.several and doc is not None else doc


def _list(entry: Any, key: str) -> list[Mapping[str, Any]]:
    found = entry.get(key) if isinstance(entry, Mapping) else None
    return [item for item in found if isinstance(item, Mapping)] if isinstance(found, list) else []


def read_opensearch(source: Source, content: dict[str, Any], holds: str) -> Rows:
    """Read imported judgments of OpenSearch Search Relevance; their ratings are numbers in quotes."""
    if "judgmentRatings" not in content:
        raise FormatError(Fault(source.label, "judgmentRatings", "a query set, which holds no judgments", SWAPPED))
    _only_judgments(source, holds)
    collector = Collector(source, "grade", once=True)
    for entry in _list(content, "judgmentRatings"):
        query = id_of(entry.get("query")) or ""
        for rated in _list(entry, "ratings"):
            rating = rated.get("rating")
            read = number(rating) if isinstance(rating, str) else None
            collector.add(query, rated.get("docId"), rating if read is None else read)
    return collector.rows()


def _only_judgments(source: Source, holds: str) -> None:
    if holds == "run":
        raise FormatError(Fault(source.label, "results", "judgments", SWAPPED))


def read_rre(source: Source, content: dict[str, Any], holds: str) -> Rows:
    """Read ratings of the Rated Ranking Evaluator: documents by grade, or gains by document.

    The queries of a group share its documents. A query is called by its $query placeholder.
    """
    _only_judgments(source, holds)
    collector = Collector(source, "grade", once=True)
    for query, documents in _rated_queries(content):
        for doc, grade in _gains(documents):
            collector.add(query, doc, grade)
    return collector.rows()


def _rated_queries(node: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Each query with the documents of its group, or its own."""
    if not isinstance(node, Mapping):
        return
    shared = node.get("relevant_documents")
    for query in _list(node, "queries"):
        own = query.get("relevant_documents", shared)
        if isinstance(own, Mapping):
            yield _placeholder(query), own
    for key in ("topics", "query_groups"):
        for inner in _list(node, key):
            yield from _rated_queries(inner)


def _placeholder(query: Mapping[str, Any]) -> str:
    values = query.get("placeholders")
    if not isinstance(values, Mapping):
        return str(query.get("name", ""))
    if "$query" in values:
        return str(values["$query"])
    return " ".join(str(value) for value in values.values())


def _gains(documents: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in documents.items():
        if isinstance(value, list):
            for doc in value:
                yield str(doc), number(key) if number(key) is not None else key
        else:
            yield key, value.get("gain") if isinstance(value, Mapping) else value


READERS: Mapping[str, Callable[[Source, dict[str, Any], str], Rows]] = {
    "rank_eval": read_rank_eval,
    "opensearch": read_opensearch,
    "rre": read_rre,
}
