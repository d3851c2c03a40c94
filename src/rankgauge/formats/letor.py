"""Judgments for learning to rank: LETOR and SVMlight with qid, RankLib and Elasticsearch judgment lists."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from rankgauge.errors import Fault, FormatError, InputError
from rankgauge.formats._bytes import Source
from rankgauge.formats._lines import not_utf8
from rankgauge.formats._rows import Faults, Rows, line_place, not_a_number, number, number_advice
from rankgauge.formats._writing import ANY_ID, by_query, refuse_subtopics
from rankgauge.formats.trec import grade_text
from rankgauge.records import Note, Qrels
from rankgauge.records.notes import examples

_BLANKS = " \t\n\r\v\f"
_TEXT_OF = re.compile(r"^#\s*qid:\s*(\S+?)\s*:\s*(.*\S)\s*$")
_ROW = re.compile(r"^\s*(\S+)\s+qid:(\S+)\s*([^#]*)(?:#(.*))?$", re.DOTALL | re.ASCII)
_DOC_ID = re.compile(r"^\s*docid\s*=\s*(\S+)", re.IGNORECASE | re.ASCII)
_FIRST = re.compile(r"\S+", re.ASCII)


@dataclass(frozen=True)
class _Row:
    line: int
    grade: float
    query: str
    doc: str  # empty: the comment names none


def read(source: Source) -> Rows:
    """Read a grade, a query and a document a line; the document is named in the comment.

    Where no line has a comment, documents are numbered within their query. Where the header gives
    query texts ("# qid:1: oak table"), the texts are the query ids.
    """
    faults = Faults()
    texts: dict[str, str] = {}
    rows: list[_Row] = []
    for line, content in source.lines():
        try:
            text = content.decode()
        except UnicodeDecodeError:
            not_utf8(source, line, content, faults)
            continue
        if text.startswith("#"):
            if found := _TEXT_OF.match(text):
                texts[found[1]] = found[2]
        elif text.strip():
            _take(text, line, source, rows, faults)
    _lacking_comments(rows, source, faults)
    faults.check()
    return _joined(rows, texts, source)


def _take(text: str, line: int, source: Source, rows: list[_Row], faults: Faults) -> None:
    found = _ROW.match(text)
    if found is None:
        advice = "rows without qid hold features only: add the query to each row"
        faults.add(source.at(line), "grade qid:ID features # document", repr(text[:80]), advice)
        return
    grade = number(found[1])
    if grade is None or not np.isfinite(grade):
        faults.add(source.at(line), "a number as grade", not_a_number(found[1]), number_advice(found[1]))
    else:
        rows.append(_Row(line, grade, found[2], doc_of(found[4] or "")))


def doc_of(comment: str) -> str:
    """Take the document's id from a comment: after docid=, or up to the first tab, or the first blank.

    >>> doc_of(" docid = GX000-00-01 inc = 1"), doc_of("\\t5501\\tOak table"), doc_of(" d7 oak")
    ('GX000-00-01', '5501', 'd7')
    """
    if named := _DOC_ID.match(comment):
        return named[1]
    comment = comment.strip(_BLANKS)
    if "\t" in comment:
        return comment.split("\t")[0].strip(_BLANKS)
    first = _FIRST.match(comment)
    return first[0] if first else ""


def _lacking_comments(rows: list[_Row], source: Source, faults: Faults) -> None:
    if not any(row.doc for row in rows):
        return
    for row in rows:
        if not row.doc:
            advice = "name the document after #, on all lines or on none"
            faults.add(source.at(row.line), "a document after #, as on other lines", "none", advice)


def _joined(rows: list[_Row], texts: dict[str, str], source: Source) -> Rows:
    if not rows:
        raise FormatError(Fault(source.label, "rows of grade qid:ID", "none"))
    docs, notes = [row.doc for row in rows], []
    if not any(docs):
        docs = _numbered(rows)
        notes.append(Note("row numbers", len(rows), "no line names its document: documents are numbered in each query"))
    names = _names(rows, texts)
    if names:
        shown = examples(f"{qid}: {text}" for qid, text in names.items())
        notes.append(Note("query texts", len(names), f"the header's query texts are the query ids ({shown})"))
    return Rows(
        pl.Series([names.get(row.query, row.query) for row in rows], dtype=pl.String),
        pl.Series(docs, dtype=pl.String),
        np.array([row.grade for row in rows], dtype=np.float64),
        line_place(source, lambda: (row.line for row in rows)),
        notes=tuple(notes),
    )


def _numbered(rows: list[_Row]) -> list[str]:
    seen: Counter[str] = Counter()
    docs = []
    for row in rows:
        seen[row.query] += 1
        docs.append(str(seen[row.query]))
    return docs


def _names(rows: list[_Row], texts: dict[str, str]) -> dict[str, str]:
    """Texts of the header for the queries that have one, unless that would make one query of two."""
    queries = list(dict.fromkeys(row.query for row in rows))
    names = {query: texts[query] for query in queries if query in texts}
    return names if len({names.get(query, query) for query in queries}) == len(queries) else {}


def lines(qrels: Qrels) -> Iterator[bytes]:
    """Lines of a grade, a query and, as a comment, a document."""
    refuse_subtopics(qrels, "letor")
    _check_ids(qrels.queries, "query")
    _check_ids(qrels.docs, "document")
    for query, docs, grades in by_query(qrels):
        rows = (
            f"{grade_text(grade)} qid:{query} # {comment_of(doc)}\n" for doc, grade in zip(docs, grades, strict=True)
        )
        yield "".join(rows).encode()


def comment_of(doc: str) -> str:
    """Write an id so that its line names it: one that starts like the words "docid =" needs them before it."""
    return f"docid={doc}" if _DOC_ID.match(doc) else doc


def _check_ids(ids: pl.Series, what: str) -> None:
    bad = ids.filter(ids.str.contains(f"[{_BLANKS}]")).unique(maintain_order=True)
    if len(bad):
        got = f"{len(bad)} with blanks: {examples(bad)}"
        raise InputError(Fault(f"{what} ids", "ids without blanks for a LETOR file", got, ANY_ID))
