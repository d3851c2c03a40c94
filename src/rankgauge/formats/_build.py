"""From rows to records: duplicates, ranks and odd scores are settled here, the same for every format."""

from __future__ import annotations

from typing import Literal

import numpy as np
import polars as pl

from rankgauge.errors import DuplicateError, EmptyInputError, Fault, FormatError, InputError
from rankgauge.formats._bytes import Source
from rankgauge.formats._ranks import conflict_note, followed
from rankgauge.formats._rows import MOST_FAULTS, Rows
from rankgauge.records import Note, Qrels, Run
from rankgauge.records._columns import FloatArray, frozen, grouped
from rankgauge.records.qrels import OnConflict
from rankgauge.records.run import OnDuplicate

Order = Literal["score", "rank"]


def run_of(rows: Rows, source: Source, *, on_duplicate: OnDuplicate, order: Order, name: str | None) -> Run:
    """Build a run; scores decide, or the rank column where there is nothing else or the caller says so."""
    if not len(rows):
        raise EmptyInputError(nothing(source, "results"))
    notes = list(rows.notes)
    scores, ranks = rows.value, None
    if scores is None or order == "rank":
        scores, ranks, note = followed(rows, source)
        notes.append(note)
    else:
        notes += [note for note in (conflict_note(rows), _infinite_note(rows, scores)) if note is not None]
    _check_nan(rows, scores, "score")
    try:
        return Run.from_groups(
            grouped(rows.query),
            rows.doc,
            scores,
            name=name or source.stem,
            on_duplicate=on_duplicate,
            notes=notes,
            ranks=None if ranks is None else frozen(ranks),
        )
    except DuplicateError:
        raise _repeated(rows, scores, "score", 'remove one, or pass on_duplicate="first" or "max"') from None


def qrels_of(
    rows: Rows, source: Source, *, on_duplicate: OnConflict, subtopics: bool | None, name: str | None
) -> Qrels:
    """Build qrels; column 2 is taken as the subtopic where a pair repeats under different values of it."""
    if not len(rows):
        raise EmptyInputError(nothing(source, "judgments"))
    if rows.value is None:
        raise FormatError(Fault(source.label, "a grade for each document", "ranks only", "is it a run?"))
    _check_nan(rows, rows.value, "grade")
    if subtopics and rows.second is None:
        raise FormatError(Fault(source.label, "a subtopic for each judgment", "none", "name its column: columns="))
    intents = _subtopic_rows(rows) if subtopics is None else 0
    wanted = rows.second is not None and (rows.subtopics or bool(intents) if subtopics is None else subtopics)
    notes = [*rows.notes, _subtopic_note(intents)] if intents and not rows.subtopics else rows.notes
    try:
        return Qrels.from_columns(
            rows.query,
            rows.doc,
            pl.Series(rows.value),
            subtopic=rows.second if wanted else None,
            name=name or source.stem,
            on_duplicate=on_duplicate,
            notes=notes,
        )
    except DuplicateError:
        advice = 'decide which grade holds, or pass on_duplicate="first", "last" or "max"'
        raise _repeated(rows, rows.value, "grade", advice, by_subtopic=wanted) from None


def nothing(source: Source, what: str) -> Fault:
    """Say that a file is empty."""
    kind = {"results": "result", "judgments": "judgment"}[what]
    return Fault(source.label, f"at least one {kind}", f"a file that holds no {what}", "check what wrote it")


def _check_nan(rows: Rows, values: FloatArray, what: str) -> None:
    bad = np.flatnonzero(np.isnan(values) if what == "score" else ~np.isfinite(values))
    if not len(bad):
        return
    advice = f"NaN has no place in an order: mend the {what} or remove the row"
    shown = bad[:MOST_FAULTS].tolist()
    faults = [
        Fault(where, f"a finite {what}", repr(float(values[row])), advice)
        for row, where in zip(shown, rows.locate(shown), strict=True)
    ]
    raise FormatError(faults, total=len(bad))


def _infinite_note(rows: Rows, scores: FloatArray) -> Note | None:
    bad = np.flatnonzero(np.isinf(scores))
    if not len(bad):
        return None
    where = rows.locate([int(bad[0])])[0]
    return Note("infinite scores", len(bad), f"{len(bad)} scores are infinite (the first at {where}); they tie")


def _subtopic_rows(rows: Rows) -> int:
    """Count the (query, document) pairs that stand under several values of column 2."""
    if rows.second is None:
        return 0
    table = pl.DataFrame({"query": rows.query, "doc": rows.doc, "second": rows.second})
    pairs = table.n_unique(["query", "doc"])
    if pairs == len(table):
        return 0
    several = table.group_by("query", "doc").agg(pl.col("second").n_unique())
    return int((several["second"] > 1).sum())


def _subtopic_note(pairs: int) -> Note:
    said = f"column 2 was read as the subtopic: {pairs} query-document pairs stand under several values of it"
    return Note("subtopics", pairs, f"{said} (subtopics=False reads it as the iteration)")


def _repeated(
    rows: Rows, values: FloatArray, what: str, advice: str, *, by_subtopic: bool = False
) -> DuplicateError | InputError:
    """Say of each repeated pair where it stands and with which values."""
    table = pl.DataFrame({"query": rows.query, "doc": rows.doc, "value": values}).with_row_index("row")
    table = table if rows.second is None else table.with_columns(second=rows.second)
    key = ["query", "doc", "second"] if by_subtopic else ["query", "doc"]
    twice = table.filter(pl.len().over(key) > 1).group_by(key, maintain_order=True).agg(pl.exclude(key))
    faults = []
    for pair in twice.head(MOST_FAULTS).iter_rows(named=True):
        said = advice
        if not by_subtopic and len(set(pair.get("second") or [])) > 1 and what == "grade":
            said = f"column 2 differs, so it looks like subtopic qrels (subtopics=True); {advice}"
        plural = f"{what}s {', '.join(f'{value:g}' for value in pair['value'])}"
        of = f"query {pair['query']!r}, document {pair['doc']!r}"
        once = "one judgment" if what == "grade" else "one result"
        faults.append(Fault(" and ".join(dict.fromkeys(rows.locate(pair["row"]))), f"{once} for {of}", plural, said))
    return DuplicateError(faults, total=len(twice))
