"""Values of answers' fields: texts, lists (also those stored as text), passages, what a message says."""

from __future__ import annotations

import ast
import io
import json
import tokenize
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from rankgauge.formats._answer_rows import Row
from rankgauge.formats.nested import id_of, is_number
from rankgauge.records.answers import Context
from rankgauge.records.notes import Note, counted

TEXTS = ("text", "page_content", "pageContent", "content", "document", "passage", "body", "chunk")
IDS = ("doc_id", "docid", "document_id", "id", "_id", "id_")
INNER = ("node", "document", "metadata")
QUESTION = ("question", "query", "user_input", "input", "input_text", "prompt", "text", "content")
ANSWER = ("answer", "output", "response", "result", "output_text", "text", "completion", "content")


@dataclass
class Seen:
    """What was noticed while a file was read; `separator` parts passages in a cell that is no list."""

    separator: str | None = None
    counts: Counter[str] = field(default_factory=Counter)

    def notes(self) -> tuple[Note, ...]:
        """Say each thing that happened."""
        return counted({kind: (self.counts[kind], text) for kind, text in SAID.items()})


SAID = {
    "numbered rows": "{} rows have no id and are called by their number, from 1",
    "single passages": "{} cells of contexts are no lists and were read as one passage each; "
    "name separator= if they hold several",
    "empty answers": "{} empty cells were read as empty answers",
    "numbers as text": "{} questions or answers are numbers and were read as their text",
    "several retrievals": "{} traces retrieve more than once: their passages stand one after the other, without ranks",
    "other traces": "{} traces hold neither a retrieval nor an answer and were left out",
    "no question": "{} traces say no question and were left out",
    "broken labels": "{} labels of faults could not be read",
}


def text_of(row: Row, name: str, seen: Seen) -> str | None:
    """Text of a field; None where there is none. Raises FormatError for lists and objects."""
    value = row.fields.get(name)
    if value is None or isinstance(value, str):
        return value
    if is_number(value):
        seen.counts["numbers as text"] += 1
        return str(value)
    raise row.fault(f"text in {name!r}", repr(value)[:80])


def id_in(row: Row, name: str) -> str | None:
    """Id in a field, "007" as it stands; None where the field is not there.

    Raises FormatError for what is no id: a float, an empty text, a list.
    """
    if row.fields.get(name) is None:
        return None
    found = id_of(row.fields[name])
    if found is None:
        raise row.fault(f"an id in {name!r}", repr(row.fields[name])[:80], "write ids as text, in quotes")
    return found


def bool_of(row: Row, name: str) -> bool | None:
    """True, false or nothing, in a field."""
    value = row.fields.get(name)
    if value is None or value == "" or isinstance(value, bool):
        return value if isinstance(value, bool) else None
    if not row.typed and str(value).lower() in ("true", "false"):
        return str(value).lower() == "true"
    raise row.fault(f"true or false in {name!r}", repr(value)[:80])


def list_of(row: Row, name: str, seen: Seen) -> list[Any]:
    """List in a field; one that is stored as text is read as JSON or as a Python literal.

    Raises FormatError for text that begins as a list and is none, and for anything else.
    """
    value = row.fields.get(name)
    if value is None or value == "":
        return []
    if isinstance(value, (list, tuple)):
        return list(value)
    if isinstance(value, str):
        text = value.strip()
        if text.startswith(("[", "(")) and text.endswith(("]", ")")):
            return literal(row, name, text)
        if seen.separator is not None:
            return [part.strip() for part in value.split(seen.separator)]
        seen.counts["single passages"] += 1
        return [value]
    raise row.fault(f"a list in {name!r}", repr(value)[:80])


def literal(row: Row, name: str, text: str) -> list[Any]:
    """Read a list that is stored as text, without running any of it."""
    found, beside = opened_json(text), False
    if isinstance(found, str):
        try:
            beside, found = _side_by_side(text), ast.literal_eval(text)
        except (ValueError, SyntaxError, tokenize.TokenError, MemoryError, RecursionError):
            raise row.fault(f"a list in {name!r}", repr(text[:80]), "write it as JSON") from None
    if beside:
        got = f"strings without commas between, as numpy prints them: {text[:60]!r}"
        raise row.fault(f"a list in {name!r}", got, "convert with .tolist() before writing")
    if not isinstance(found, (list, tuple)):
        raise row.fault(f"a list in {name!r}", repr(text[:80]), "write [...]")
    return list(found)


def _side_by_side(text: str) -> bool:
    """Whether two strings stand without a comma between: Python would join them into one, in silence."""
    skipped = (tokenize.NL, tokenize.NEWLINE, tokenize.COMMENT)
    kinds = [token.type for token in tokenize.generate_tokens(io.StringIO(text).readline) if token.type not in skipped]
    return any(one == other == tokenize.STRING for one, other in pairwise(kinds))


def contexts_of(row: Row, items: Sequence[Any], name: str, *, ranked: bool) -> tuple[Context, ...]:
    """Passages in the order of the prompt; `ranked`: the list is a ranking, its places are the ranks.

    Raises FormatError for an item that is neither a text nor an object with a text or an id, and for slots that are
    not 1 to n.
    """
    found = [_context(row, item, f"{name}[{place}]", place + 1 if ranked else None) for place, item in enumerate(items)]
    slots = [item.get("slot") if isinstance(item, Mapping) else None for item in items]
    if all(slot is None for slot in slots):
        return tuple(found)
    if sorted(map(str, slots)) != sorted(map(str, range(1, len(items) + 1))):
        raise row.fault(f"a slot for each of {name!r}, 1 to {len(items)}", str(slots)[:80])
    order = sorted(range(len(found)), key=lambda place: int(str(slots[place])))
    return tuple(found[place] for place in order)


def _context(row: Row, item: Any, place: str, rank: int | None) -> Context:
    if isinstance(item, str):
        return Context(item, rank=rank)
    if not isinstance(item, Mapping):
        raise row.fault(f"a passage in {place}", repr(item)[:80], "write a text, or an object with doc_id and text")
    text = first_of(item, TEXTS, str)
    doc_id = next((id_of(value) for value in _values(item, IDS) if value is not None), None)
    if text is None and doc_id is None:
        raise row.fault(f"a text or an id in {place}", f"the fields {', '.join(map(str, item)) or 'none'}")
    score = item.get("score", item.get("relevance_score"))
    if score is not None and not is_number(score):
        raise row.fault(f"a number as score in {place}", repr(score)[:80])
    return Context(
        text or "", doc_id, _rank(row, item.get("rank"), place, rank), None if score is None else float(score)
    )


def _rank(row: Row, value: Any, place: str, otherwise: int | None) -> int | None:
    if value is None:
        return otherwise
    if not is_number(value) or value != int(value) or value < 1:
        raise row.fault(f"a whole number from 1 as rank in {place}", repr(value)[:80])
    return int(value)


def _values(item: Mapping[str, Any], names: Iterable[str]) -> Iterable[Any]:
    """Values under these names, first the object's own, then those of the objects it wraps."""
    for place in (item, *(item[key] for key in INNER if isinstance(item.get(key), Mapping))):
        yield from (place[name] for name in names if name in place)


def first_of(item: Mapping[str, Any], names: Iterable[str], kind: type) -> Any:
    """First value of a type under these names, in the object or in one that it wraps."""
    return next((value for value in _values(item, names) if isinstance(value, kind)), None)


def spoken(value: Any, names: Sequence[str], role: str) -> str | None:
    """What an input or an output says: a text, a field of an object, the last message of a role; None: nothing."""
    if isinstance(value, str):
        opened = opened_json(value)
        return value if opened is value else spoken(opened, names, role)
    if isinstance(value, list):
        said = [item for item in value if isinstance(item, Mapping) and _role(item) in (role, None)]
        return spoken(said[-1], names, role) if said else None
    if not isinstance(value, Mapping):
        return None
    if isinstance(value.get("messages"), list):
        return spoken(value["messages"], names, role)
    if isinstance(value.get("parts"), list):
        return "".join(part["content"] for part in value["parts"] if isinstance(part.get("content"), str)) or None
    for name in names:
        if name in value and (found := spoken(value[name], names, role)) is not None:
            return found
    return None


def _role(message: Mapping[str, Any]) -> str | None:
    said = message.get("role", message.get("type"))
    return {"human": "user", "ai": "assistant", "text": None, "Document": None}.get(str(said), said)


def opened_json(value: Any) -> Any:
    """Open an object or a list that is stored as text; anything else stays as it is."""
    if isinstance(value, str) and value.strip()[:1] in ("{", "["):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value
