"""Answers from traces: OpenTelemetry GenAI, OpenInference, TruLens' spans, Langfuse, LangSmith."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rankgauge.errors import EmptyInputError, FormatError
from rankgauge.formats.answers import read_answers
from rankgauge.records.answers import Answer, Answers, Context

RANKED = (Context("by Ada", "d1", 1, 0.9), Context("in 1843", "d2", 2, 0.5))
EXPECTED = Answer("t1", "Who?", "Ada", RANKED)


def read(folder: Path, *rows: Any, **how: Any) -> Answers:
    path = folder / "traces.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return read_answers(path, **how)


def wrapped(value: Any) -> dict[str, Any]:
    if isinstance(value, list):
        return {"arrayValue": {"values": [wrapped(one) for one in value]}}
    if isinstance(value, dict):
        return {"kvlistValue": {"values": [{"key": key, "value": wrapped(one)} for key, one in value.items()]}}
    kind = {str: "stringValue", float: "doubleValue", int: "intValue"}[type(value)]
    return {kind: str(value) if isinstance(value, int) else value}


def otlp(*spans: tuple[str, str, dict[str, Any]], trace: str = "t1") -> dict[str, Any]:
    made = [
        {
            "traceId": trace, "spanId": span, "parentSpanId": parent, "startTimeUnixNano": str(10**18 + number),
            "attributes": [{"key": key, "value": wrapped(value)} for key, value in attributes.items()],
        }
        for number, (span, parent, attributes) in enumerate(spans)
    ]  # fmt: skip
    return {"resourceSpans": [{"resource": {}, "scopeSpans": [{"spans": made}]}]}


DOCUMENTS = [{"id": "d1", "score": 0.9, "content": "by Ada"}, {"id": "d2", "score": 0.5, "content": "in 1843"}]
MESSAGE = [{"role": "assistant", "parts": [{"type": "text", "content": "Ada"}], "finish_reason": "stop"}]
ASKED = [
    {"role": "system", "parts": [{"type": "text", "content": "Be short."}]},
    {"role": "user", "parts": [{"type": "text", "content": "Passages: ... Who?"}]},
]


@pytest.mark.parametrize("shape", [lambda value: value, json.dumps], ids=["structured", "as text"])
def test_the_spans_of_opentelemetry_genai(tmp_path: Path, shape: Any) -> None:
    retrieval = {
        "gen_ai.operation.name": "retrieval", "gen_ai.retrieval.query.text": "Who?",
        "gen_ai.retrieval.documents": shape(DOCUMENTS),
    }  # fmt: skip
    chat = {
        "gen_ai.operation.name": "chat", "gen_ai.input.messages": shape(ASKED),
        "gen_ai.output.messages": shape(MESSAGE),
    }  # fmt: skip
    spans = otlp(("a", "", {"http.route": "/ask"}), ("b", "a", retrieval), ("c", "a", chat))
    assert read(tmp_path, spans).rows == (EXPECTED,)
    (tmp_path / "whole.json").write_text(json.dumps(spans, indent=1))
    assert read_answers(tmp_path / "whole.json").rows == (EXPECTED,)


def test_ids_alone_are_joined_with_the_texts_of_a_corpus(tmp_path: Path) -> None:
    ids = [{"id": "d1", "score": 0.9}, {"id": "d2", "score": 0.5}]
    retrieval = {"gen_ai.retrieval.query.text": "Who?", "gen_ai.retrieval.documents": ids}
    found = read(tmp_path, otlp(("b", "", retrieval)), texts={"d1": "by Ada"})
    assert found.rows == (Answer("t1", "Who?", None, (RANKED[0], Context("", "d2", 2, 0.5))),)
    assert {note.kind: note.count for note in found.notes} == {"joined texts": 1, "missing texts": 1}


def openinference(name: str, documents: list[tuple[str, str, float]]) -> dict[str, Any]:
    return {
        f"{name}.{place}.document.{key}": value
        for place, document in enumerate(documents)
        for key, value in zip(("id", "content", "score"), document, strict=True)
    }


FOUND = [("d1", "by Ada", 0.9), ("d2", "in 1843", 0.5)]


def test_the_spans_of_openinference(tmp_path: Path) -> None:
    retriever = {"openinference.span.kind": "RETRIEVER", **openinference("retrieval.documents", FOUND)}
    model = {
        "openinference.span.kind": "LLM", "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": "Passages ... Who?", "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": "Ada",
    }  # fmt: skip
    root = {"openinference.span.kind": "CHAIN", "input.value": json.dumps({"query": "Who?"})}
    found = read(
        tmp_path, otlp(("a", "", root), ("b", "a", retriever | {"input.value": "who wrote"}), ("c", "a", model))
    )
    assert found.rows == (EXPECTED,)


def test_a_reranker_orders_the_prompt_and_the_retriever_keeps_the_ranks(tmp_path: Path) -> None:
    retriever = {"input.value": "Who?", **openinference("retrieval.documents", FOUND)}
    turned = [("d2", "in 1843", 3.0), ("d1", "by Ada", 1.0), ("d9", "new", 0.0)]
    reranker = openinference("reranker.output_documents", turned)
    found = read(tmp_path, otlp(("b", "", retriever), ("c", "b", reranker))).rows[0].contexts
    assert found == (Context("in 1843", "d2", 2, 3.0), Context("by Ada", "d1", 1, 1.0), Context("new", "d9", None, 0.0))


@pytest.mark.parametrize("nested", [False, True])
def test_flat_spans_as_phoenix_and_the_sdk_write_them(tmp_path: Path, nested: bool) -> None:
    documents = [{"document.id": i, "document.content": text, "document.score": score} for i, text, score in FOUND]
    inner = [{"document": {"id": i, "content": text, "score": score}} for i, text, score in FOUND]
    base = {"trace_id": "t1", "span_id": "a"} if nested else {"context": {"trace_id": "t1", "span_id": "a"}}
    attributes: dict[str, Any] = (
        {"retrieval": {"documents": inner}, "input": {"value": "Who?"}}
        if nested
        else {"retrieval.documents": documents, "input.value": "Who?"}
    )
    answered = base | {"span_id": "z", "parent_id": "", "attributes": {"output": {"value": "Ada"}}}
    if not nested:
        answered["context"] = {"trace_id": "t1", "span_id": "z"}
    rows = read(tmp_path, answered, base | {"parent_id": "z", "attributes": attributes}).rows
    assert rows == (EXPECTED,)


def test_the_spans_of_trulens(tmp_path: Path) -> None:
    root = {"ai.observability.record_root.input": "Who?", "ai.observability.record_root.output": "Ada"}
    texts = {"ai.observability.retrieval.retrieved_contexts": ["by Ada", "in 1843"]}
    found = read(tmp_path, otlp(("a", "", root), ("b", "a", texts))).rows[0]
    assert found == Answer("t1", "Who?", "Ada", (Context("by Ada", rank=1), Context("in 1843", rank=2)))


def test_traces_of_something_else_are_counted_and_several_retrievals_lose_their_ranks(tmp_path: Path) -> None:
    one = {"gen_ai.retrieval.query.text": "Who?", "gen_ai.retrieval.documents": DOCUMENTS}
    other = {"gen_ai.retrieval.documents": [DOCUMENTS[1], {"id": "d3", "content": "more"}]}
    found = read(
        tmp_path, otlp(("a", "", one), ("b", "a", other)), otlp(("c", "", {"http.route": "/health"}), trace="t2"),
        otlp(("d", "", other), trace="t3"),
    )  # fmt: skip
    passages = [(context.doc_id, context.rank) for context in found.rows[0].contexts]
    assert passages == [("d1", None), ("d2", None), ("d3", None)]
    assert {note.kind: note.count for note in found.notes} == {
        "several retrievals": 1, "other traces": 1, "no question": 1,
    }  # fmt: skip
    with pytest.raises(EmptyInputError, match="got 1 traces hold neither a retrieval nor an answer"):
        read(tmp_path, otlp(("c", "", {"http.route": "/health"})))


def test_a_span_without_a_trace_is_refused(tmp_path: Path) -> None:
    spans = otlp(("a", "", {"input.value": "Who?"}))
    del spans["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["traceId"]
    with pytest.raises(FormatError, match=r"traces.jsonl:1: expected a trace id, got None"):
        read(tmp_path, spans)


RETRIEVED = [
    {"page_content": "by Ada", "metadata": {"id": "d1"}},
    {"page_content": "in 1843", "metadata": {"id": "d2"}},
]
PAGES = (Context("by Ada", "d1", 1), Context("in 1843", "d2", 2))


@pytest.mark.parametrize("kind", [{"type": "RETRIEVER", "name": "x"}, {"type": "SPAN", "name": "Retrieve documents"}])
def test_langfuse_traces_with_their_observations(tmp_path: Path, kind: dict[str, str]) -> None:
    retrieved = {"id": "o1", "startTime": "2026-01-01T00:00:01Z", "input": "Who?", "output": RETRIEVED, **kind}
    wrote = {"id": "o2", "type": "GENERATION", "name": "llm", "startTime": "2026-01-01T00:00:02Z", "output": "Ada"}
    trace = {"id": "t1", "input": {"question": "Who?"}, "output": None, "observations": [wrote, retrieved]}
    assert read(tmp_path, trace).rows == (Answer("t1", "Who?", "Ada", PAGES),)


def test_langfuse_observations_alone_and_traces_alone(tmp_path: Path) -> None:
    rows = [
        {
            "id": "o1",
            "traceId": "t1",
            "type": "RETRIEVER",
            "name": "r",
            "input": "Who?",
            "output": json.dumps(RETRIEVED),
        },
        {"id": "o2", "traceId": "t1", "type": "GENERATION", "name": "g", "input": "...", "output": {"content": "Ada"}},
    ]
    assert read(tmp_path, *rows).rows == (Answer("t1", "Who?", "Ada", PAGES),)
    trace = {"id": "t1", "sessionId": None, "input": "Who?", "output": {"answer": "Ada", "contexts": ["by Ada"]}}
    assert read(tmp_path, trace).rows == (Answer("t1", "Who?", "Ada", (Context("by Ada", rank=1),)),)


@pytest.mark.parametrize("nested", [False, True])
def test_langsmith_runs_flat_and_nested(tmp_path: Path, nested: bool) -> None:
    root: dict[str, Any] = {
        "id": "t1", "run_type": "chain", "inputs": {"question": "Who?"}, "outputs": {"answer": "Ada"},
        "reference_outputs": {"answer": "Ada L."}, "dotted_order": "1",
    }  # fmt: skip
    retriever = {
        "id": "b", "run_type": "retriever", "parent_run_id": "t1", "inputs": {"query": "who"},
        "outputs": {"documents": RETRIEVED}, "dotted_order": "1.2",
    }  # fmt: skip
    rows = (
        [root | {"child_runs": [retriever]}] if nested else [retriever | {"trace_id": "t1"}, root | {"trace_id": "t1"}]
    )
    assert read(tmp_path, *rows).rows == (Answer("t1", "Who?", "Ada", PAGES, ("Ada L.",)),)
