"""Answers in rows: own JSON lines, and the columns of Ragas, DeepEval, TruLens and RAGChecker."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rankgauge.formats._answer_cells import Seen, bool_of, contexts_of, id_in, list_of, literal, opened_json, text_of
from rankgauge.formats._answer_rows import Row
from rankgauge.records.answers import Answer, Context, Sentence

QUERY_IDS = ("query_id", "question_id", "qid", "id", "_id")


@dataclass(frozen=True)
class Layout:
    """Columns of one tool, each under its names there.

    Attributes
    ----------
    needs : columns that a row of this tool has, all of them
    some : of these at least one
    never : columns that say it is another tool's
    """

    needs: tuple[str, ...]
    some: tuple[str, ...]
    question: str
    text: str
    contexts: str
    references: tuple[str, ...]
    doc_ids: str = ""
    never: tuple[str, ...] = ()

    def fits(self, names: frozenset[str]) -> bool:
        """Whether columns are this tool's."""
        return names.issuperset(self.needs) and bool(names & set(self.some)) and not names & set(self.never)


TRUTHS = ("ground_truth", "ground_truths")
LAYOUTS: Mapping[str, Layout] = {
    "ragas": Layout(
        ("user_input",), ("response", "retrieved_contexts", "retrieved_context_ids"),
        "user_input", "response", "retrieved_contexts", ("reference",), doc_ids="retrieved_context_ids",
    ),
    "ragas-old": Layout(
        ("question",), ("answer", *TRUTHS), "question", "answer", "contexts", TRUTHS, never=("user_input", "text"),
    ),
    "deepeval": Layout(
        ("input",), ("actual_output", "retrieval_context"), "input", "actual_output", "retrieval_context",
        ("expected_output",),
    ),
    "deepeval-run": Layout(
        ("input",), ("actualOutput", "retrievalContext"), "input", "actualOutput", "retrievalContext",
        ("expectedOutput",),
    ),
    "ragchecker": Layout(
        ("query", "response"), ("gt_answer", "retrieved_context"), "query", "response", "retrieved_context",
        ("gt_answer",),
    ),
}  # fmt: skip
OWN = ("query_id", "question")
_KNOWN = {*OWN, "text", "contexts", "references", "sentences", "answerable", "abstained", "given"}


def own_fits(names: frozenset[str]) -> bool:
    """Whether fields are those of `Answer`."""
    return names.issuperset(OWN) and bool(names & {"text", "contexts", "sentences"}) and not names & {"answer", *TRUTHS}


def trulens_fits(names: frozenset[str]) -> bool:
    """Whether columns are those of TruLens' records."""
    return names.issuperset(("record_id", "input", "output"))


def read_layout(row: Row, number: int, layout: Layout, seen: Seen) -> Answer:
    """Read a row in the columns of one tool."""
    _same_references(row, layout)
    question = text_of(row, layout.question, seen)
    if question is None:
        raise row.fault(f"a question in {layout.question!r}", "none")
    query_id = _query_id(row, number, seen)
    text = _answer_text(row, layout.text, seen)
    references = tuple(_references(row, layout.references, seen))
    used = {layout.question, layout.text, layout.doc_ids, layout.contexts, *layout.references, *QUERY_IDS}
    return Answer(query_id, question, text, _contexts(row, layout, seen), references, given=_given(row, used))


def _given(row: Row, used: Container[str]) -> dict[str, Any]:
    """What else a row says; what is missing (null, NaN) says nothing."""
    return {
        name: value for name, value in row.fields.items() if name not in used and value == value and value is not None
    }


def _query_id(row: Row, number: int, seen: Seen) -> str:
    found = next((found for name in QUERY_IDS if (found := id_in(row, name)) is not None), None)
    if found is None:
        seen.counts["numbered rows"] += 1
    return str(number) if found is None else found


def _answer_text(row: Row, name: str, seen: Seen) -> str | None:
    if name not in row.fields:
        return None
    text = text_of(row, name, seen)
    seen.counts["empty answers"] += text == "" and not row.typed
    return text


def _same_references(row: Row, layout: Layout) -> None:
    """Refuse a question that has two right answers under two names which say different things."""
    given = [row.fields[name] for name in layout.references if row.fields.get(name)]
    if len(given) > 1:
        one, other = (opened_json(value) for value in given[:2])
        if (one if isinstance(one, list) else [one]) != (other if isinstance(other, list) else [other]):
            got = f"{given[0]!r} and {given[1]!r}"[:160]
            raise row.fault(f"the same in {' and '.join(map(repr, layout.references))}", got, "keep one of the columns")


def _references(row: Row, names: Sequence[str], seen: Seen) -> Iterator[str]:
    name = next((name for name in names if row.fields.get(name)), None)
    if name is None:
        return
    value = row.fields[name]
    plain = isinstance(value, str) and not value.strip().startswith("[")
    for item in [value] if plain or not isinstance(value, (str, list)) else list_of(row, name, seen):
        if not isinstance(item, str | int | float):
            raise row.fault(f"a text in {name!r}", repr(item)[:80])
        yield str(item)


def _contexts(row: Row, layout: Layout, seen: Seen) -> tuple[Context, ...]:
    name = layout.contexts
    ids = list_of(row, layout.doc_ids, seen) if layout.doc_ids else []
    if not row.fields.get(name):
        return contexts_of(row, [{"doc_id": _plain_id(row, layout, one)} for one in ids], layout.doc_ids, ranked=True)
    found = contexts_of(row, list_of(row, name, seen), name, ranked=True)
    if not ids:
        return found
    if len(ids) != len(found):
        raise row.fault(f"as many ids in {layout.doc_ids!r} as passages in {name!r}", f"{len(ids)} and {len(found)}")
    named = zip(found, (_plain_id(row, layout, one) for one in ids), strict=True)
    return tuple(Context(context.text, doc_id, context.rank, context.score) for context, doc_id in named)


def _plain_id(row: Row, layout: Layout, value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        raise row.fault(f"ids in {layout.doc_ids!r}", repr(value)[:80], "write ids as text, in quotes")
    return str(value)


def read_own(row: Row, seen: Seen) -> Answer:
    """Read a row in the fields of `Answer`."""
    query_id, question = id_in(row, "query_id"), text_of(row, "question", seen)
    if query_id is None or question is None:
        raise row.fault("a query_id and a question", "none", "write both")
    contexts = contexts_of(row, list_of(row, "contexts", seen), "contexts", ranked=False)
    given = opened_json(row.fields.get("given") or {})
    if not isinstance(given, Mapping):
        raise row.fault("an object in 'given'", repr(given)[:80])
    return Answer(
        query_id,
        question,
        _answer_text(row, "text", seen),
        contexts,
        tuple(_references(row, ("references",), seen)),
        tuple(_sentences(row, len(contexts), seen)),
        bool_of(row, "answerable"),
        bool_of(row, "abstained"),
        {**given, **_given(row, _KNOWN)},
    )


def _sentences(row: Row, slots: int, seen: Seen) -> Iterator[Sentence]:
    for place, item in enumerate(list_of(row, "sentences", seen)):
        if not isinstance(item, Mapping) or not isinstance(item.get("text"), str):
            raise row.fault(f"an object with a text in sentences[{place}]", repr(item)[:80])
        cited = item.get("citations") or []
        if wrong := [
            one for one in cited if not isinstance(one, int) or isinstance(one, bool) or not 1 <= one <= slots
        ]:
            raise row.fault(f"citations of slots 1 to {slots} in sentences[{place}]", repr(wrong)[:80])
        yield Sentence(item["text"], tuple(cited))


def read_trulens(row: Row, seen: Seen) -> Answer:
    """Read a record of TruLens: contexts from a column of them, else from the calls of its feedback functions."""
    query_id, question = id_in(row, "record_id"), text_of(row, "input", seen)
    if query_id is None or question is None:
        raise row.fault("a record_id and an input", "none")
    name = next((one for one in ("retrieved_contexts", "contexts", "context") if row.fields.get(one)), None)
    items = _called(row) if name is None else list_of(row, name, seen)
    contexts = contexts_of(row, items, name or "calls", ranked=True)
    references = tuple(_references(row, ("expected_response",), seen))
    used = {"record_id", "input", "output", "expected_response", "record_json", name or ""}
    used |= {column for column in row.fields if column.endswith("calls")}
    return Answer(query_id, question, _answer_text(row, "output", seen), contexts, references, given=_given(row, used))


def _called(row: Row) -> list[str]:
    """Passages that feedback functions were called with, each once: single ones, else lists of them."""
    arguments: list[Mapping[str, Any]] = []
    for name, value in row.fields.items():
        if name.endswith("calls") and value:
            calls = literal(row, name, value) if isinstance(value, str) else value
            arguments += [call["args"] for call in calls if isinstance(call, Mapping) and "args" in call]
    single = [args["context"] for args in arguments if isinstance(args.get("context"), str)]
    lists = [one for args in arguments if isinstance(args.get("source"), list) for one in args["source"]]
    return list(dict.fromkeys(single or [one for one in lists if isinstance(one, str)]))
