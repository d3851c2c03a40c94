"""Spans: OTLP JSON and flat spans, with the names of OpenTelemetry GenAI, OpenInference or TruLens."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rankgauge.formats._answer_cells import opened_json
from rankgauge.formats._answer_rows import Row
from rankgauge.formats._answer_steps import Kind, Step
from rankgauge.formats.nested import id_of

NUMBERED = re.compile(r"^(?P<list>.+?)\.(?P<place>\d+)(?:\.(?P<rest>.+))?$")
KINDS: Mapping[str, Kind] = {
    "retriever": "retriever", "retrieval": "retriever", "reranker": "reranker", "llm": "model", "chat": "model",
    "generation": "model", "text_completion": "model", "generate_content": "model",
}  # fmt: skip
DOCUMENTS = ("retrieval.documents", "gen_ai.retrieval.documents", "ai.observability.retrieval.retrieved_contexts")
RERANKED = "reranker.output_documents"
INPUTS = (
    "ai.observability.record_root.input", "input.value", "gen_ai.retrieval.query.text",
    "ai.observability.retrieval.query_text", "gen_ai.input.messages", "llm.input_messages", "gen_ai.prompt",
)  # fmt: skip
OUTPUTS = (
    "ai.observability.record_root.output", "output.value", "gen_ai.output.messages", "llm.output_messages",
    "gen_ai.completion",
)  # fmt: skip


def spans_fit(names: frozenset[str]) -> bool:
    """Whether fields are those of OTLP JSON or of a span."""
    if "resourceSpans" in names or names.issuperset(("traceId", "spanId", "attributes")):
        return True
    flat = "attributes" in names or any(name.startswith("attributes.") for name in names)
    return flat and bool(names & {"trace_id", "context", "context.trace_id"})


def steps_of_spans(rows: Sequence[Row]) -> Iterator[Step]:
    """All spans of a file as steps."""
    number = 0
    for row in rows:
        for span in _spans(row):
            number += 1
            yield _step(Row(row.where, span), number)


def _spans(row: Row) -> Iterator[Mapping[str, Any]]:
    if "resourceSpans" not in row.fields:
        yield row.fields
        return
    for resource in row.fields["resourceSpans"] or []:
        for scope in resource.get("scopeSpans", resource.get("instrumentationLibrarySpans", [])):
            yield from scope.get("spans", [])


def _step(row: Row, number: int) -> Step:
    attributes = _attributes(row)
    context = row.fields.get("context")
    ids = context if isinstance(context, Mapping) else {}
    trace = _first(row.fields, ("traceId", "trace_id", "context.trace_id"), ids.get("trace_id"))
    span = _first(row.fields, ("spanId", "span_id", "context.span_id"), ids.get("span_id"))
    if id_of(trace) is None:
        raise row.fault("a trace id", repr(trace)[:80])
    documents = next((found for name in DOCUMENTS if (found := _documents(attributes.get(name)))), [])
    reranked = _documents(attributes.get(RERANKED))
    start = _first(row.fields, ("startTimeUnixNano", "start_time"), "")
    return Step(
        row,
        str(trace),
        str(span),
        str(_first(row.fields, ("parentSpanId", "parent_id", "parent_span_id"), None) or ""),
        "reranker" if reranked else "retriever" if documents else _kind(attributes),
        _said(attributes, INPUTS),
        _said(attributes, OUTPUTS),
        reranked or documents,
        (int(start) if str(start).isdigit() else str(start), number),
    )


def _kind(attributes: Mapping[str, Any]) -> Kind:
    names = ("openinference.span.kind", "gen_ai.operation.name", "ai.observability.span_type")
    return KINDS.get(str(_first(attributes, names, "")).lower(), "other")


def _said(attributes: Mapping[str, Any], names: Sequence[str]) -> Any:
    found = _first(attributes, names, None)
    return [_unwrapped(one) for one in found] if isinstance(found, list) else found


def _first(fields: Mapping[str, Any], names: Sequence[str], otherwise: Any) -> Any:
    return next((fields[name] for name in names if fields.get(name) is not None), otherwise)


def _attributes(row: Row) -> dict[str, Any]:
    """Attributes by dotted name, lists put together again: "a.0.b", "a.1.b" become a list of objects."""
    given = opened_json(row.fields.get("attributes") or {})
    if isinstance(given, list):
        given = {item.get("key"): _value(item.get("value")) for item in given if isinstance(item, Mapping)}
    if not isinstance(given, Mapping):
        raise row.fault("attributes as an object or a list of keys and values", repr(given)[:80])
    flat = dict(_flat(given, ""))
    flat |= {name.removeprefix("attributes."): v for name, v in row.fields.items() if name.startswith("attributes.")}
    return _joined({name: opened_json(value) for name, value in flat.items() if value is not None})


def _flat(given: Mapping[str, Any], before: str) -> Iterator[tuple[str, Any]]:
    for name, value in given.items():
        if isinstance(value, Mapping) and value:
            yield from _flat(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", value


def _value(wrapped: Any) -> Any:
    """Take a value out of OTLP's wrapping."""
    if not isinstance(wrapped, Mapping) or len(wrapped) != 1:
        return wrapped
    ((kind, value),) = wrapped.items()
    if kind == "arrayValue":
        return [_value(one) for one in value.get("values", [])]
    if kind == "kvlistValue":
        return {one["key"]: _value(one.get("value")) for one in value.get("values", [])}
    if kind == "intValue":
        return int(value)
    return value if kind in ("stringValue", "doubleValue", "boolValue", "bytesValue") else wrapped


def _joined(flat: Mapping[str, Any]) -> dict[str, Any]:
    found = {name: value for name, value in flat.items() if not NUMBERED.match(name)}
    lists: dict[str, dict[int, dict[str, Any]]] = {}
    for name, value in flat.items():
        if (parts := NUMBERED.match(name)) is not None:
            lists.setdefault(parts["list"], {}).setdefault(int(parts["place"]), {})[parts["rest"] or ""] = value
    for name, items in lists.items():
        found[name] = [items[place].get("", items[place]) for place in sorted(items)]
    return found


def _documents(value: Any) -> list[Any]:
    value = opened_json(value)
    if not isinstance(value, list):
        return []
    return [_unwrapped(opened_json(item)) for item in value]


def _unwrapped(item: Any) -> Any:
    """Take away the "document" or "message" that stands around an object, or before each of its names."""
    if not isinstance(item, Mapping):
        return item
    inner: Mapping[str, Any] = next(
        (item[key] for key in ("document", "message") if isinstance(item.get(key), Mapping)), {}
    )
    outer = {name: value for name, value in item.items() if value is not inner}
    return {re.sub(r"^(document|message)\.", "", name): value for name, value in (outer | dict(inner)).items()}
