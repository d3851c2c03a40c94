"""MS MARCO: runs of query, passage and rank without scores; qrels as those of TREC, between tabs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rankgauge.errors import Fault, FormatError
from rankgauge.formats import trec
from rankgauge.formats._bytes import Source
from rankgauge.formats._lines import data_lines, read_fields
from rankgauge.formats._rows import Faults, Rows, line_place, ranks_of
from rankgauge.formats._writing import refuse_subtopics
from rankgauge.formats.trec import check_ids, ranked
from rankgauge.records import Qrels, Run

FIELDS = "3 fields (query passage rank)"


def read(source: Source) -> Rows:
    """Read results whose third column is the rank."""
    fields = read_fields(source, 3, [0, 1, 2], _check_line)
    query, doc, third = fields.columns
    ranks = ranks_of(third)
    if ranks is None:
        faults = Faults()
        for line, text in data_lines(source):
            _check_line([part.decode() for part in text.split()], source.at(line), faults)
        faults.check()
        ranks = np.array([int(text) for text in third], dtype=np.int64)
    rows = Rows(query, doc, None, line_place(source, lambda: (line for line, _ in data_lines(source))), ranks)
    _refuse_scores(rows, source)
    return rows


def _check_line(fields: list[str], where: str, faults: Faults) -> None:
    if len(fields) != 3:
        faults.add(where, FIELDS, f"{len(fields)} in {' '.join(fields)!r}", "complete or remove the line")
    elif not fields[2].lstrip("+-").isdigit():
        advice = "for scores, add the header line 'query doc score' with tabs"
        faults.add(where, "a whole number as rank", repr(fields[2]), advice)


def _refuse_scores(rows: Rows, source: Source) -> None:
    """Whole numbers that fall from line to line in every query, and never reach 1, are scores."""
    if rows.rank is None or len(rows) < 2 or int(rows.rank.min()) <= 1:
        return
    same = (rows.query[1:] == rows.query[:-1]).to_numpy()
    if same.any() and (np.diff(rows.rank)[same] < 0).all():
        advice = "add the header line 'query doc score' with tabs if these are scores"
        raise FormatError(Fault(source.label, "ranks in column 3", "numbers that fall in every query", advice))


def qrels_lines(qrels: Qrels) -> Iterator[bytes]:
    """Lines of query, 0, passage and grade."""
    refuse_subtopics(qrels, "msmarco")
    yield from trec.qrels_lines(qrels, separator="\t")


def lines(run: Run) -> Iterator[bytes]:
    """Lines of query, passage and rank."""
    check_ids(run.queries, "query")
    check_ids(run.docs, "document")
    for query, docs, ranks, _ in ranked(run):
        yield "".join(f"{query}\t{doc}\t{rank}\n" for doc, rank in zip(docs, ranks, strict=True)).encode()
