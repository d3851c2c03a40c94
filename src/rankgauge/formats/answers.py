"""Answers in and out: read from what RAG tools write, joined with texts, written as JSON lines, taken as a run."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from rankgauge.errors import DuplicateError, EmptyInputError, Fault, FormatError, InputError, did_you_mean
from rankgauge.formats._answer_cells import Seen
from rankgauge.formats._answer_exports import langfuse_fits, langsmith_fits, steps_of_langfuse, steps_of_langsmith
from rankgauge.formats._answer_rows import Row, collected, rows_of
from rankgauge.formats._answer_spans import spans_fit, steps_of_spans
from rankgauge.formats._answer_steps import Step, answers_of
from rankgauge.formats._answer_tables import (
    LAYOUTS,
    Layout,
    own_fits,
    read_layout,
    read_own,
    read_trulens,
    trulens_fits,
)
from rankgauge.formats._answer_tracks import ragtruth_fits, read_ragtruth, read_trec_rag, trec_fits
from rankgauge.formats._bytes import load, save
from rankgauge.records.answers import Answer, Answers
from rankgauge.records.notes import Note, counted, examples
from rankgauge.records.run import Run


@dataclass(frozen=True)
class AnswerFormat:
    """What a tool writes: how its fields are known, and how its rows are read."""

    fits: Callable[[frozenset[str]], bool]
    read: Callable[[Sequence[Row], Seen, Path, str | None], list[Answer]]
    says: str


def _by_row(read: Callable[[Row, Seen], Answer]) -> Callable[[Sequence[Row], Seen, Path, str | None], list[Answer]]:
    return lambda rows, seen, path, system: collected(rows, lambda _, row: read(row, seen))


def _by_layout(layout: Layout) -> Callable[[Sequence[Row], Seen, Path, str | None], list[Answer]]:
    def read(rows: Sequence[Row], seen: Seen, path: Path, system: str | None) -> list[Answer]:
        return collected(rows, lambda number, row: read_layout(row, number, layout, seen))

    return read


def _by_step(
    steps: Callable[[Sequence[Row]], Iterator[Step]],
) -> Callable[[Sequence[Row], Seen, Path, str | None], list[Answer]]:
    return lambda rows, seen, path, system: list(answers_of(steps(rows), seen))


_SAYS = {
    "ragas": "Ragas from 0.2: user_input, response, retrieved_contexts, reference",
    "ragas-old": "Ragas before: question, answer, contexts, ground_truth or ground_truths",
    "deepeval": "DeepEval's test cases: input, actual_output, retrieval_context, expected_output",
    "deepeval-run": "DeepEval's test runs: testCases with actualOutput, retrievalContext",
    "ragchecker": "RAGChecker: results with query_id, query, gt_answer, response, retrieved_context",
}
ANSWER_FORMATS: Mapping[str, AnswerFormat] = {
    "rankgauge": AnswerFormat(
        own_fits, _by_row(read_own), "the fields of `Answer`: query_id, question, text, contexts"
    ),
    **{name: AnswerFormat(layout.fits, _by_layout(layout), _SAYS[name]) for name, layout in LAYOUTS.items()},
    "trulens": AnswerFormat(trulens_fits, _by_row(read_trulens), "TruLens' records: record_id, input, output"),
    "trec-rag": AnswerFormat(trec_fits, _by_row(read_trec_rag), "TREC RAG: references, answer with citations"),
    "ragtruth": AnswerFormat(ragtruth_fits, read_ragtruth, "RAGTruth: response.jsonl beside source_info.jsonl"),
    "spans": AnswerFormat(
        spans_fit, _by_step(steps_of_spans), "OTLP JSON or flat spans: OpenTelemetry GenAI, OpenInference, TruLens"
    ),
    "langfuse": AnswerFormat(langfuse_fits, _by_step(steps_of_langfuse), "Langfuse: traces with their observations"),
    "langsmith": AnswerFormat(langsmith_fits, _by_step(steps_of_langsmith), "LangSmith: runs, flat or nested"),
}


def read_answers(
    path: str | os.PathLike[str],
    format: str | None = None,
    *,
    texts: Mapping[str, str] | None = None,
    separator: str | None = None,
    system: str | None = None,
    name: str | None = None,
) -> Answers:
    """Read the answers of one system from JSON, JSON lines, CSV, TSV, Parquet or Arrow, plain or compressed.

    Parameters
    ----------
    format : one of `ANSWER_FORMATS`; None: the fields say which
    texts : {doc_id: text} of the passages of which the file has only the id
    separator : what parts passages in a cell that is no list
    system : whose answers, where a file holds those of several (RAGTruth)

    Raises
    ------
    FormatError
        With all rows that are not what their format promises.
    DuplicateError
        For a question that is there twice.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "new.jsonl")
    >>> _ = path.write_text('{"user_input": "Who?", "response": "Ada", "retrieved_contexts": ["Ada wrote it."]}')
    >>> read_answers(path).rows[0].contexts
    (Context(text='Ada wrote it.', doc_id=None, rank=1, score=None),)
    """
    source = load(path)
    rows, seen = rows_of(source), Seen(separator)
    chosen = _format(rows, format)
    found = ANSWER_FORMATS[chosen].read(rows, seen, source.path, system)
    if not found:
        raise EmptyInputError(Fault(source.label, "at least one answer", _lost(seen), "check what was exported"))
    twice = [query for query, count in Counter(row.query_id for row in found).items() if count > 1]
    if twice:
        advice = "keep one answer of each, or read one system at a time"
        raise DuplicateError([Fault(source.label, "each question once", f"{query!r} twice", advice) for query in twice])
    joined, notes = joined_texts(found, texts)
    return Answers(tuple(joined), source.stem if name is None else name, (*seen.notes(), *notes))


def _lost(seen: Seen) -> str:
    return "; ".join(note.text for note in seen.notes()) or "none"


def _format(rows: Sequence[Row], format: str | None) -> str:
    """Name the format of the rows; every row must be in it."""
    if format is not None and format not in ANSWER_FORMATS:
        near = did_you_mean(format, ANSWER_FORMATS).removeprefix("; ")
        raise InputError(Fault("format", f"one of {', '.join(ANSWER_FORMATS)}", repr(format), near))
    names = frozenset(rows[0].fields)
    fitting = [name for name, one in ANSWER_FORMATS.items() if one.fits(names)]
    shown = ", ".join(sorted(map(str, names))[:12])
    if format is None and not fitting:
        advice = "name the format, or rename the fields; docs/answers.md lists what each has"
        raise rows[0].fault("the fields of a known format of answers", f"the fields {shown}", advice)
    if format is None and len(fitting) > 1:
        raise rows[0].fault("fields of one format", f"those of {' and of '.join(fitting)}", "name one: format=...")
    chosen = format or fitting[0]
    others = [row for row in rows if not ANSWER_FORMATS[chosen].fits(frozenset(row.fields))]
    if others:
        expected, advice = f"the fields of {chosen} ({ANSWER_FORMATS[chosen].says})", "one format a file"
        faults = [Fault(one.where, expected, f"{', '.join(map(str, one.fields))[:80]}", advice) for one in others]
        raise FormatError(faults[:100], total=len(faults))
    return chosen


def joined_texts(rows: Sequence[Answer], texts: Mapping[str, str] | None) -> tuple[list[Answer], list[Note]]:
    """Give passages that have only an id their text; says how many were joined, and how many stay without."""
    known = texts or {}
    joined, missing, found = 0, [], []
    for row in rows:
        contexts = []
        for context in row.contexts:
            if context.blank and context.doc_id is not None and context.doc_id in known:
                joined += 1
                contexts.append(replace(context, text=known[context.doc_id]))
                continue
            missing += [context.doc_id or "?"] * context.blank
            contexts.append(context)
        found.append(replace(row, contexts=tuple(contexts)))
    notes = [Note("joined texts", joined, f"{joined} passages got their text by their id")] if joined else []
    if missing:
        some = f"{len(missing)} passages have no text ({examples(dict.fromkeys(missing))})"
        notes.append(Note("missing texts", len(missing), some + ("" if texts else "; give texts of the corpus")))
    return found, notes


def context_run(answers: Answers) -> Run:
    """Take the retrieved passages as a run, best rank first, for evaluation by judgments.

    Where no rank is known, the order of the prompt stands for it; that is said. Passages without an id are left out
    and counted; of several passages of one document the best counts.

    Raises
    ------
    InputError
        Where no passage has an id, or some passages of a question have a rank and others none.

    >>> from rankgauge.records.answers import Context
    >>> row = Answer("q1", "Who?", "Ada", (Context("by Ada", "d2", rank=2), Context("in 1843", "d1", rank=1)))
    >>> context_run(Answers((row,))).ranked().docs.to_list()
    ['d1', 'd2']
    """
    taken: dict[tuple[str, str], int] = {}
    by_slot, nameless, repeated = 0, 0, 0
    for row in answers:
        ranks = [context.rank for context in row.contexts]
        if None in ranks and any(rank is not None for rank in ranks):
            where = f"{answers.name}, question {row.query_id!r}"
            raise InputError(Fault(where, "a rank for each passage, or for none", "ranks for some", "add the ranks"))
        by_slot += bool(ranks) and ranks[0] is None
        for slot, context in enumerate(row.contexts, 1):
            if context.doc_id is None:
                nameless += 1
                continue
            key = (row.query_id, context.doc_id)
            repeated += key in taken
            taken[key] = min(taken.get(key, 1 << 30), context.rank or slot)
    if not taken:
        advice = "the format has no ids: name them in the file, or judge the passages' texts"
        raise InputError(Fault(answers.name, "passages with ids", f"{nameless} without", advice))
    said = {
        "prompt order": (by_slot, "{} questions have no ranks: the order of the prompt stands for the ranking"),
        "nameless passages": (nameless, "{} passages without an id are not in the run"),
        "repeated documents": (repeated, "{} further passages of a document were left out, the best rank kept"),
    }
    scores = pl.Series([-float(rank) for rank in taken.values()])
    queries, docs = (pl.Series([key[place] for key in taken], dtype=pl.String) for place in (0, 1))
    return Run.from_columns(queries, docs, scores, name=answers.name, notes=counted(said))


def write_answers(answers: Answers, path: str | os.PathLike[str]) -> None:
    """Write answers as JSON lines in the fields of `Answer`; `read_answers` reads them back the same."""
    save(path, ((json.dumps(_record(row), ensure_ascii=False) + "\n").encode() for row in answers))


def _record(row: Answer) -> dict[str, Any]:
    contexts = [
        {name: value for name, value in vars(context).items() if value is not None and value != ""} | {"slot": slot}
        for slot, context in enumerate(row.contexts, 1)
    ]
    found = {"query_id": row.query_id, "question": row.question, "text": row.text, "contexts": contexts}
    more = {
        "references": list(row.references),
        "sentences": [{"text": one.text, "citations": list(one.citations)} for one in row.sentences],
        "answerable": row.answerable,
        "abstained": row.abstained,
        "given": dict(row.given),
    }
    return found | {name: value for name, value in more.items() if value not in (None, [], {})}
