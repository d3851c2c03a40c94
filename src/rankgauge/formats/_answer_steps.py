"""Answers from traces: the steps that answered one question, whoever recorded them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from rankgauge.formats._answer_cells import ANSWER, QUESTION, Seen, contexts_of, spoken
from rankgauge.formats._answer_rows import Row
from rankgauge.records.answers import Answer, Context

Kind = Literal["retriever", "reranker", "model", "other"]


@dataclass(frozen=True)
class Step:
    """One step of a trace.

    Attributes
    ----------
    place : row that it was read from
    trace, id, parent : which trace it is of, its own id, and that of the step that it is a part of; "": of none
    kind : whether it retrieved, reranked, or wrote
    input, output : as recorded
    documents : passages that it delivered, best first
    start : for the order of steps: as the trace says, else as they stand
    references : right answers that stand in the trace
    """

    place: Row
    trace: str
    id: str
    parent: str
    kind: Kind
    input: Any = None
    output: Any = None
    documents: Sequence[Any] = ()
    start: tuple[str | float, int] = ("", 0)
    references: tuple[str, ...] = ()
    given: Mapping[str, Any] = field(default_factory=dict)


def answers_of(steps: Iterable[Step], seen: Seen) -> Iterator[Answer]:
    """One answer for each trace; traces without a retrieval and without an answer are counted."""
    traces: dict[str, list[Step]] = {}
    for step in steps:
        traces.setdefault(step.trace, []).append(step)
    for trace, some in traces.items():
        ordered = sorted(some, key=lambda step: (isinstance(step.start[0], str), step.start))
        contexts, text = _contexts(ordered, seen), _answer(ordered)
        if not contexts and text is None:
            seen.counts["other traces"] += 1
            continue
        question = _question(ordered)
        if question is None:
            seen.counts["no question"] += 1
            continue
        references = next((step.references for step in ordered if step.references), ())
        given = {name: value for step in ordered for name, value in step.given.items()}
        yield Answer(trace, question, text, contexts, references, given=given)


def _root(steps: Sequence[Step]) -> Step | None:
    known = {step.id for step in steps}
    return next((step for step in steps if step.parent not in known), None)


def _question(steps: Sequence[Step]) -> str | None:
    """What the trace's first step was asked, else the retriever, else the model."""
    root = _root(steps)
    order = [*([root] if root else []), *_of(steps, "retriever"), *_of(steps, "model")]
    return next((said for step in order if (said := spoken(step.input, QUESTION, "user"))), None)


def _answer(steps: Sequence[Step]) -> str | None:
    """What the trace's first step gave back, else what the model wrote last; a retriever alone answers nothing."""
    root = _root(steps)
    whole = [root] if root is not None and root.kind in ("other", "model") else []
    order = [*whole, *reversed(list(_of(steps, "model")))]
    return next((said for step in order if (said := spoken(step.output, ANSWER, "assistant")) is not None), None)


def _of(steps: Iterable[Step], kind: Kind) -> Iterator[Step]:
    return (step for step in steps if step.kind == kind)


def _contexts(steps: Sequence[Step], seen: Seen) -> tuple[Context, ...]:
    """Passages in the order of the prompt: the reranker's, where there is one, with the retriever's ranks."""
    found = [_passages(step) for step in steps if step.documents and step.kind != "reranker"]
    if len(found) > 1:
        seen.counts["several retrievals"] += 1
        once = {
            (one.doc_id, one.text): Context(one.text, one.doc_id, None, one.score) for some in found for one in some
        }
        found = [tuple(once.values())]
    retrieved = found[0] if found else ()
    reranked = [_passages(step) for step in _of(steps, "reranker") if step.documents]
    if not reranked:
        return retrieved
    by_id = {one.doc_id: one for one in retrieved if one.doc_id is not None}
    by_text = {one.text: one for one in retrieved if one.text}
    return tuple(_first_seen(one, by_id.get(one.doc_id or "") or by_text.get(one.text)) for one in reranked[-1])


def _first_seen(one: Context, before: Context | None) -> Context:
    """A reranked passage with the rank of its first retrieval; None where that is not known."""
    if before is None:
        return Context(one.text, one.doc_id, None, one.score)
    return Context(one.text or before.text, one.doc_id or before.doc_id, before.rank, one.score)


def _passages(step: Step) -> tuple[Context, ...]:
    return contexts_of(step.place, list(step.documents), "documents", ranked=True)
