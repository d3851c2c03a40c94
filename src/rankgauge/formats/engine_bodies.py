"""JSON for search engines and their tools, written as they take it; what it cannot know stands as a placeholder."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import polars as pl

from rankgauge.formats._writing import by_query, refuse_fractions, refuse_gaps, refuse_infinity, refuse_subtopics
from rankgauge.formats.trec import grade_text, ranked
from rankgauge.records import Qrels, Run

INDEX = "index"
# What Elasticsearch and OpenSearch allow as the name of an index.
_OF_INDEX = r'(?s)^([^\s\\/*?"<>|,#:A-Z_+-][^\s\\/*?"<>|,#:A-Z]*)/.+$'

NameOf = Callable[[str], tuple[str, str]]


def rank_eval_request(qrels: Qrels) -> Iterator[bytes]:
    """Body of a rank_eval request: the ratings; the search of each request has to be added."""
    refuse_subtopics(qrels, "rank_eval")
    refuse_fractions(qrels, "rank_eval")
    named = _names(qrels.docs)
    yield from _listed(
        '{"requests": [',
        (
            {
                "id": query,
                "ratings": [{**_doc(doc, named), "rating": int(g)} for doc, g in zip(docs, grades, strict=True)],
            }
            for query, docs, grades in by_query(qrels)
        ),
        "]}",
    )


def rank_eval_response(run: Run) -> Iterator[bytes]:
    """A response of rank_eval, with the hits of each query from the first on, and without metrics."""
    refuse_gaps(run, "rank_eval")
    refuse_infinity(run, "rank_eval")
    named = _names(run.docs)
    separator = '{"failures": {}, "details": {\n'
    for query, docs, _, scores in ranked(run):
        hits = [{"hit": {**_doc(doc, named), "_score": s}, "rating": None} for doc, s in zip(docs, scores, strict=True)]
        yield f"{separator}{_text(query)}: {_text({'hits': hits})}".encode()
        separator = ",\n"
    yield b"\n}}\n"


def _names(docs: pl.Series) -> NameOf:
    """Take ids apart as index/id where all are so and of several indices, which is how the reader joins them."""
    if not docs.str.contains(_OF_INDEX).all() or docs.str.extract(_OF_INDEX).n_unique() < 2:
        return lambda doc: (INDEX, doc)

    def apart(doc: str) -> tuple[str, str]:
        index, _, inner = doc.partition("/")
        return index, inner

    return apart


def _doc(doc: str, named: NameOf) -> dict[str, str]:
    index, inner = named(doc)
    return {"_index": index, "_id": inner}


def opensearch(qrels: Qrels) -> Iterator[bytes]:
    """Judgments to import into OpenSearch Search Relevance; its ratings are numbers in quotes."""
    refuse_subtopics(qrels, "opensearch")
    head = (
        f'{{"name": {_text(qrels.name)}, "description": {_text(f"{len(qrels)} judgments")}, "type": "IMPORT_JUDGMENT",'
    )
    yield from _listed(
        f'{head}\n"judgmentRatings": [',
        (
            {
                "query": query,
                "ratings": [{"rating": grade_text(g), "docId": d} for d, g in zip(docs, grades, strict=True)],
            }
            for query, docs, grades in by_query(qrels)
        ),
        "]}",
    )


def rre(qrels: Qrels) -> Iterator[bytes]:
    """Ratings of the Rated Ranking Evaluator: documents by grade where all grades are whole, else gains by document.

    Quepid takes the first shape alone. The index, the field of ids and the template have to be mended.
    """
    refuse_subtopics(qrels, "rre")
    whole = bool((qrels.grades == qrels.grades.round()).all())
    shape = _docs_by_grade if whole else _gain_by_doc
    yield from _listed(
        f'{{"id_field": "id", "index": "{INDEX}", "template": "template.json",\n"queries": [',
        (
            {"placeholders": {"$query": query}, "relevant_documents": shape(docs, grades)}
            for query, docs, grades in by_query(qrels)
        ),
        "]}",
    )


def _docs_by_grade(docs: list[str], grades: list[float]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for doc, grade in zip(docs, grades, strict=True):
        found.setdefault(grade_text(grade), []).append(doc)
    return found


def _gain_by_doc(docs: list[str], grades: list[float]) -> dict[str, dict[str, float]]:
    return {doc: {"gain": grade} for doc, grade in zip(docs, grades, strict=True)}


def _listed(head: str, entries: Iterable[object], tail: str) -> Iterator[bytes]:
    """One entry a line between head and tail."""
    separator = f"{head}\n"
    for entry in entries:
        yield f"{separator}{_text(entry)}".encode()
        separator = ",\n"
    yield f"\n{tail}\n".encode()


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
