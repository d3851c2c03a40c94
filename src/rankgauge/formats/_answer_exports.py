"""Exports of Langfuse (traces with observations, or observations alone) and of LangSmith (runs)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rankgauge.formats._answer_cells import ANSWER, opened_json, spoken
from rankgauge.formats._answer_rows import Row
from rankgauge.formats._answer_steps import Kind, Step
from rankgauge.formats.nested import id_of

LISTS = ("documents", "retrieved_contexts", "contexts", "retrieved_documents", "context", "source_documents")
KINDS: Mapping[str, Kind] = {"retriever": "retriever", "llm": "model"}


def langfuse_fits(names: frozenset[str]) -> bool:
    """Whether fields are those of a Langfuse trace or observation."""
    trace = names.issuperset(("id", "input", "output")) and bool(
        names & {"observations", "sessionId", "htmlPath", "bookmarked", "latency", "userId"}
    )
    return trace or names.issuperset(("traceId", "type", "input", "output"))


def langsmith_fits(names: frozenset[str]) -> bool:
    """Whether fields are those of a LangSmith run."""
    return names.issuperset(("run_type", "inputs", "outputs"))


def steps_of_langfuse(rows: Sequence[Row]) -> Iterator[Step]:
    """Traces and their observations as steps."""
    number = 0
    for row in rows:
        observed = opened_json(row.fields.get("observations"))
        alone = row.fields.get("traceId") is not None
        trace = _id(row, row.fields["traceId"] if alone else row.fields.get("id"))
        if not alone:
            number += 1
            # The whole trace stands above its observations, and begins before them.
            yield _observed(row, row.fields, trace, ("", 0), whole=True)
        for item in [row.fields] if alone else observed or []:
            number += 1
            if not isinstance(item, Mapping):
                raise row.fault("observations as objects", repr(item)[:80], "export traces with their observations")
            start = (str(item.get("startTime", item.get("start_time", ""))), number)
            yield _observed(row, item, trace, start, whole=False)


def _observed(row: Row, item: Mapping[str, Any], trace: str, start: tuple[str, int], *, whole: bool) -> Step:
    kind: Kind = "other"
    output = opened_json(item.get("output"))
    documents: list[Any] = []
    if not whole:
        said = str(item.get("type", "")).upper()
        retrieves = said == "RETRIEVER" or "retriev" in str(item.get("name", "")).lower()
        kind = "model" if said == "GENERATION" else "retriever" if retrieves else "other"
        documents = _documents(output) if kind == "retriever" else []
    elif not opened_json(item.get("observations")):
        documents = next((found for key in ("output", "input", "metadata") if (found := _listed(item.get(key)))), [])
    parent = "" if whole else str(item.get("parentObservationId") or trace)
    step_id = trace if whole else str(item.get("id"))
    return Step(
        row, trace, step_id, parent, kind, opened_json(item.get("input")), output, documents, start,
        _expected(item.get("expectedOutput")), {"tags": item["tags"]} if whole and item.get("tags") else {},
    )  # fmt: skip


def steps_of_langsmith(rows: Sequence[Row]) -> Iterator[Step]:
    """Runs, and those nested in them, as steps."""
    number = 0
    waiting: list[tuple[Row, Mapping[str, Any], str | None]] = [(row, row.fields, None) for row in reversed(rows)]
    while waiting:
        row, run, above = waiting.pop()
        number += 1
        trace = _id(row, run.get("trace_id") or above or run.get("id"))
        inputs, outputs = opened_json(run.get("inputs")), opened_json(run.get("outputs"))
        kind = KINDS.get(str(run.get("run_type")).lower(), "other")
        expected = run.get("reference_outputs", run.get("reference_output"))
        start = (str(run.get("dotted_order") or run.get("start_time") or ""), number)
        documents = _documents(outputs) if kind == "retriever" else []
        parent = str(run.get("parent_run_id") or "")
        step_id = str(run.get("id") or run.get("run_id") or number)
        yield Step(row, trace, step_id, parent, kind, inputs, outputs, documents, start, _expected(expected))
        waiting += [(row, child, trace) for child in reversed(opened_json(run.get("child_runs")) or [])]


def _id(row: Row, value: Any) -> str:
    found = id_of(value)
    if found is None:
        raise row.fault("a trace id", repr(value)[:80])
    return found


def _expected(value: Any) -> tuple[str, ...]:
    said = spoken(opened_json(value), ("ground_truth", "reference", "expected", *ANSWER), "assistant")
    return () if said is None else (said,)


def _documents(output: Any) -> list[Any]:
    """Passages that a retriever gave back: a list, or a list in an object."""
    return output if isinstance(output, list) else _listed(output)


def _listed(value: Any) -> list[Any]:
    value = opened_json(value)
    if not isinstance(value, Mapping):
        return []
    found: list[Any] = next((value[key] for key in LISTS if isinstance(value.get(key), list)), [])
    return list(found)
