"""TREC qrels (query iteration document grade) and runs (query Q0 document rank score tag)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl

from rankgauge.errors import Fault, FormatError, InputError
from rankgauge.formats import _fast
from rankgauge.formats._bytes import Progress, Source
from rankgauge.formats._lines import check_lines, data_lines, read_fields
from rankgauge.formats._names import looks_like_header
from rankgauge.formats._ranks import rank_conflict_note
from rankgauge.formats._rows import (
    Faults,
    Locate,
    Rows,
    line_place,
    not_a_number,
    number,
    number_advice,
    numbers,
    ranks_of,
)
from rankgauge.records import Note, Qrels, Run
from rankgauge.records._columns import FloatArray, regrouped
from rankgauge.records.notes import examples
from rankgauge.records.run import OnDuplicate

RUN_FIELDS = "6 fields (query Q0 document rank score tag)"
QRELS_FIELDS = "4 fields (query iteration document grade)"
_UNWRITABLE = r"[ \t\n\r\x0b\x0c]"


def read_qrels(source: Source) -> Rows:
    """Read judgments; the second column is kept, as it may be the subtopic."""
    check = partial(_check_line, width=4, at=3, what="grade", form=QRELS_FIELDS)
    _refuse_uniform(source, 4, _QRELS_HINTS, QRELS_FIELDS)
    fields = read_fields(source, 4, [0, 1, 2, 3], check)
    query, second, doc, grade = fields.columns
    grades = _values(source, grade, check)
    return Rows(query, doc, grades, _place(source), second=second, notes=tuple(fields.notes()))


def read_run(source: Source) -> Rows:
    """Read results; the rank column is kept, to be compared with the scores."""
    check = partial(_check_line, width=6, at=4, what="score", form=RUN_FIELDS)
    _refuse_uniform(source, 6, _RUN_HINTS, RUN_FIELDS)
    fields = read_fields(source, 6, [0, 2, 3, 4], check)
    query, doc, rank, score = fields.columns
    scores, ranks = _values(source, score, check), ranks_of(rank)
    notes = fields.notes()
    if ranks is None:
        notes.append(Note("rank column", len(doc), "the rank column does not hold whole numbers and was not looked at"))
    return Rows(query, doc, scores, _place(source), rank=ranks, notes=tuple(notes))


def read_plain_run(
    content: Path | bytes, *, path: Path, name: str, on_duplicate: OnDuplicate, progress: Progress | None
) -> Run | None:
    """Read a run whose every line is plain, quickly; None leaves the file to `read_run`, which explains.

    `content` is the path itself, or what it held when it was compressed.
    """
    fast = _fast.read_run(content, progress=progress, twins=on_duplicate != "error")
    if fast is None:
        return None
    notes = []
    if fast.rank_conflicts:
        notes.append(rank_conflict_note(fast.rank_conflicts, f"{path}:{fast.first_conflict_line}"))
    groups = regrouped(fast.query_ids, fast.offsets)
    return Run.from_groups(
        groups,
        fast.docs,
        fast.scores,
        name=name,
        on_duplicate=on_duplicate,
        notes=notes,
        known_hash=fast.doc_hash,
        distinct=on_duplicate == "error",
    )


def _place(source: Source) -> Locate:
    return line_place(source, lambda: (line for line, _ in data_lines(source)))


_NO_NAMES = "a table of commas, or one of three columns with scores, needs a header line that names its columns"
_RUN_HINTS = {
    1: _NO_NAMES,
    3: _NO_NAMES,
    4: "these look like judgments: were the two files swapped?",
    5: "a column is missing, often the tag at the end",
}
_QRELS_HINTS = {
    1: _NO_NAMES,
    3: "add a column of 0 after the query; BEIR files start with the line 'query-id corpus-id score'",
    5: "prels with sampling probabilities are not read: keep query, 0, document and judgment",
    6: "this looks like a run: were the two files swapped?",
}
_NUMBER_AT = {4: 3, 6: 4}


def _refuse_uniform(source: Source, width: int, hints: dict[int, str], form: str) -> None:
    """Say once what holds for every line: another number of fields than expected."""
    head = next(data_lines(source), None)
    fields = head[1].decode(errors="replace").split() if head else []
    if head is None or len(fields) == width or len(fields) not in hints:
        return
    at = _NUMBER_AT.get(len(fields))
    if at is not None and number(fields[at]) is None:
        return
    if all(len(line.split()) == len(fields) for _, line in data_lines(source)):
        shown = head[1][:80].decode(errors="replace")
        got = f"{len(fields)} in every line, as in {shown!r}"
        raise FormatError(Fault(source.at(head[0]), form, got, hints[len(fields)]))


def _check_line(fields: list[str], where: str, faults: Faults, *, width: int, at: int, what: str, form: str) -> None:
    if len(fields) != width:
        advice = "ids must not hold blanks" if len(fields) > width else "complete or remove the line"
        faults.add(where, form, f"{len(fields)} in {' '.join(fields)!r}", advice)
    elif number(fields[at]) is None:
        if looks_like_header(fields):
            got = f"{' '.join(fields)!r}, which looks like a header line"
            faults.add(where, f"a number as {what}", got, "remove the line, or read it with format='tsv' or 'csv'")
        else:
            text = fields[at]
            faults.add(where, f"a number as {what}", not_a_number(text), number_advice(text))
    elif fields[at].lower().lstrip("+-") == "nan":
        advice = f"NaN has no place in an order: mend the {what} or remove the line"
        faults.add(where, f"a finite {what}", repr(fields[at]), advice)


def _values(source: Source, column: pl.Series, check: partial[None]) -> FloatArray:
    values = numbers(column)
    if values is None or np.isnan(values).any():
        check_lines(source, check)
        values = np.array([number(text) for text in column], dtype=np.float64)
    return values


def run_lines(run: Run, tag: str | None) -> Iterator[bytes]:
    """Lines of a run, the documents of each query from the first rank on."""
    tag = re.sub(_UNWRITABLE, "_", tag or run.name) or "run"
    check_ids(run.queries, "query")
    check_ids(run.docs, "document")
    for query, docs, ranks, scores in ranked(run):
        lines = [f"{query} Q0 {d} {r} {s!r} {tag}\n" for d, r, s in zip(docs, ranks, scores, strict=True)]
        yield "".join(lines).encode()


def ranked(run: Run) -> Iterator[tuple[str, list[str], list[int], list[float]]]:
    """Each query's documents, ranks and scores: score descending, then document id descending as bytes."""
    for query, low, high in zip(run.queries, run.offsets[:-1].tolist(), run.offsets[1:].tolist(), strict=True):
        frame = pl.DataFrame({"doc": run.docs[low:high], "score": run.scores[low:high]}).with_row_index("row")
        frame = frame.sort("score", "doc", descending=True)
        rows = frame["row"].to_numpy() + low
        ranks = range(1, len(rows) + 1) if run.ranks is None else run.ranks[rows].tolist()
        yield query, frame["doc"].to_list(), list(ranks), frame["score"].to_list()


def qrels_lines(qrels: Qrels, *, separator: str = " ") -> Iterator[bytes]:
    """Lines of judgments, with the subtopic in column 2 where there are any."""
    check_ids(qrels.queries, "query")
    check_ids(qrels.docs, "document")
    if qrels.subtopics is not None:
        check_ids(qrels.subtopics, "subtopic")
    frame = qrels.to_polars()
    second = frame["subtopic"] if qrels.subtopics is not None else ["0"] * len(frame)
    for query, two, doc, grade in zip(frame["query"], second, frame["doc"], frame["grade"], strict=True):
        yield (separator.join((query, two, doc, grade_text(grade))) + "\n").encode()


def grade_text(grade: float) -> str:
    """Write whole grades as whole numbers, as trec_eval reads nothing else.

    >>> grade_text(2.0), grade_text(0.5)
    ('2', '0.5')
    """
    return str(int(grade)) if grade == int(grade) else repr(grade)


def check_ids(ids: pl.Series, what: str) -> None:
    """Refuse ids that a TREC file cannot hold."""
    bad = ids.filter(ids.str.contains(_UNWRITABLE))
    if what == "query":
        bad = bad.append(ids.filter(ids.str.contains("^[#\ufeff]")))
    if len(bad):
        got = f"{len(bad)} with blanks or a leading #: {examples(bad)}"
        advice = "write .jsonl, .json or .parquet, which hold any id"
        raise InputError(Fault(f"{what} ids", "ids without blanks for a TREC file", got, advice))
