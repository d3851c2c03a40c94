"""What writers share: refusals of what a format cannot hold, and judgments query by query."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rankgauge.errors import Fault, InputError
from rankgauge.formats._rows import MOST_FAULTS
from rankgauge.records import Qrels, Run
from rankgauge.records._columns import IntArray, query_names

LARGEST_INT = (1 << 31) - 1
ANY_ID = "write .jsonl, .json or .parquet, which hold any id"


def refuse_subtopics(qrels: Qrels, format: str) -> None:
    """Refuse subtopics, for a format that has no place for them."""
    if qrels.subtopics is not None:
        advice = "write TREC, .jsonl, .csv or .parquet"
        raise InputError(Fault(format, "qrels without subtopics", "subtopics", advice))


def refuse_gaps(run: Run, format: str) -> None:
    """Refuse ranks that leave gaps, for a format that has scores alone."""
    if run.ranks is not None:
        raise InputError(Fault(format, "a run with scores", "ranks with gaps", "write .jsonl, .csv or .parquet"))


def refuse_fractions(qrels: Qrels, format: str) -> None:
    """Refuse grades that are not whole numbers of 32 bits."""
    bad = np.flatnonzero((qrels.grades != np.floor(qrels.grades)) | (np.abs(qrels.grades) > LARGEST_INT))
    advice = "map the grades to whole numbers, or write another format"
    _refuse(qrels, bad, qrels.grades[bad].tolist(), f"a whole number as grade for {format}", advice)


def refuse_infinity(run: Run, format: str) -> None:
    """Refuse infinite scores, for which JSON has no number."""
    bad = np.flatnonzero(np.isinf(run.scores))
    _refuse(run, bad, run.scores[bad].tolist(), f"a finite score for {format}", "write .trec, .csv or .parquet")


def _refuse(data: Qrels | Run, rows: IntArray, values: list[float], expected: str, advice: str) -> None:
    names = query_names(data.queries, data.offsets, rows[:MOST_FAULTS])
    faults = [
        Fault(f"{data.name}, query {query!r}, document {data.docs[row]!r}", expected, repr(value), advice)
        for query, row, value in zip(names, rows.tolist(), values, strict=False)
    ]
    if faults:
        raise InputError(faults, total=len(rows))


def by_query(qrels: Qrels) -> Iterator[tuple[str, list[str], list[float]]]:
    """Each query with its documents and their grades."""
    for query, low, high in zip(qrels.queries, qrels.offsets[:-1].tolist(), qrels.offsets[1:].tolist(), strict=True):
        yield query, qrels.docs[low:high].to_list(), qrels.grades[low:high].tolist()
