"""What a search found, as text: hits with their first words, and how each score comes about."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from rankgauge.report.grid import Cell, Format, Grid
from rankgauge.retrieval.explanation import Explanation, TermScore
from rankgauge.retrieval.protocols import Document, Hits

SHOWN = 80
"""Characters of a document's text."""

Placed = Mapping[str, Mapping[str, int]]


def render_hits(
    hits: Hits,
    documents: Sequence[Document],
    *,
    explanations: Sequence[Explanation] = (),
    placed: Placed | None = None,
    format: Format = "table",
) -> str:
    """Write hits, best first.

    Parameters
    ----------
    documents : of the hits, in their order
    explanations : of the hits, in their order, or none
    placed : rank of each document in the lists that were fused, {list: {doc: rank}}
    """
    if format == "json":
        records = _records(hits, documents, explanations, placed or {})
        return json.dumps(records, ensure_ascii=False, indent=2, default=str) + "\n"
    rows: list[tuple[Cell, ...]] = []
    for rank, ((doc, score), document) in enumerate(zip(hits, documents, strict=True), 1):
        ranks = [ranks.get(doc) for ranks in (placed or {}).values()]
        rows.append((rank, doc, score, *ranks, _beginning(document)))
    table = Grid(("rank", "document", "score", *(placed or {}), "text"), rows, empty="-").render(format)
    return "\n".join([table, *(render_explanation(explanation, format=format) for explanation in explanations)])


def render_explanation(explanation: Explanation, *, format: Format = "table") -> str:
    """Write one score term by term."""
    if format == "json":
        return json.dumps(explanation.to_dict(), ensure_ascii=False, indent=2) + "\n"
    rounded = explanation.length_used != explanation.length
    columns = ["term", "in query", "N", "df", "idf (W)", "tf", "length", "R", "score"]
    rows: list[list[Cell]] = [_row(explanation, term) for term in explanation.terms]
    rows.append(["sum", None, None, None, None, None, None, None, explanation.score])
    if rounded:
        columns.append("exact")
        for row, value in zip(rows, [*(t.exact for t in explanation.terms), explanation.exact], strict=True):
            row.append(value)
    grid = Grid(columns, rows, digits=6).render(format)
    return grid if format == "csv" else f"{_heading(explanation)}\n{grid}"


def _row(explanation: Explanation, term: TermScore) -> list[Cell]:
    counts: list[Cell] = [term.term, term.in_query, explanation.documents, term.containing, term.idf, term.tf]
    return [*counts, explanation.length_used, term.saturation, term.score]


def _heading(explanation: Explanation) -> str:
    scoring = explanation.scoring
    lines = [
        f"{explanation.doc}: {scoring.of.formula}",
        f"k1 {scoring.k1:g}, b {scoring.b:g}, norm = 1 - b + b · length/average,"
        f" average length {explanation.average_length:.4f}",
    ]
    if explanation.length_used != explanation.length:
        lines.append(
            f"{explanation.engine} keeps the length of {explanation.length} in one byte, as {explanation.length_used};"
            " exact: the score with the length as it is"
        )
    return "\n".join(lines)


def _beginning(document: Document) -> str:
    text = " ".join((document.title or document.text).split())
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"


def _records(
    hits: Hits, documents: Sequence[Document], explanations: Sequence[Explanation], placed: Placed
) -> list[dict[str, Any]]:
    records: list[dict[str, Any]] = []
    for rank, ((doc, score), document) in enumerate(zip(hits, documents, strict=True), 1):
        record: dict[str, Any] = {"rank": rank, "doc": doc, "score": score, "title": document.title}
        record |= {"text": document.text, "fields": dict(document.fields)}
        if placed:
            record["ranks"] = {name: ranks.get(doc) for name, ranks in placed.items()}
        if explanations:
            record["explanation"] = explanations[rank - 1].to_dict()
        records.append(record)
    return records
