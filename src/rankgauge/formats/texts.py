"""Texts of queries and documents: JSON lines with an id and a text, as BEIR has them, or lines of id, tab and text."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any

from rankgauge.errors import EmptyInputError, Fault, FormatError
from rankgauge.formats._bytes import Source, load
from rankgauge.formats._names import bare
from rankgauge.formats._rows import Faults

IDS = ("id", "queryid", "qid", "docid", "docno", "did", "pid", "corpusid")
TEXTS = ("text", "query", "question", "body", "content", "contents", "passage")
ADVICE = 'write {"_id": ..., "text": ...}, or id, tab and text'


def read_texts(path: str | os.PathLike[str]) -> dict[str, str]:
    """Read {id: text} from JSON lines or from lines of id, tab and text, plain or compressed.

    A document's title, where there is one, stands before its text.

    Raises
    ------
    FormatError
        With all lines that hold no id or no text, or an id that stood before.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "queries.jsonl")
    >>> _ = path.write_text('{"_id": "q1", "text": "how long does a refund take"}')
    >>> read_texts(path)
    {'q1': 'how long does a refund take'}
    """
    source, faults = load(path), Faults()
    if not source.data.strip():
        raise EmptyInputError(Fault(source.label, "at least one text", "none", "check what wrote it"))
    found: dict[str, str] = {}
    for where, id_, text in _items(source, faults):
        if id_ in found:
            faults.add(where, "each id once", f"{id_!r} again", "keep one of them")
        found[id_] = text
    faults.check()
    return found


def _items(source: Source, faults: Faults) -> Iterator[tuple[str, str, str]]:
    """Place, id and text of each line; other lines become faults."""
    as_json = source.data.lstrip()[:1] == b"{"
    for number, raw in source.lines():
        if not raw.strip():
            continue
        where = source.at(number)
        try:
            line = raw.decode()
            parsed = _of_object(json.loads(line)) if as_json else of_fields(line)
        except (UnicodeDecodeError, json.JSONDecodeError, FormatError) as error:
            faults.add(where, "an id and a text", f"{raw[:60].decode(errors='replace')!r} ({error})", ADVICE)
            continue
        yield (where, *parsed)


def of_fields(line: str) -> tuple[str, str]:
    """Part a line of id, tab and text; raises FormatError for a line that is none."""
    id_, tab, text = line.partition("\t")
    if not tab or not id_:
        raise FormatError(Fault("line", "a tab after the id", "none"))
    return id_, text


def _of_object(item: Any) -> tuple[str, str]:
    names: Mapping[str, Any] = {bare(name): value for name, value in item.items()} if isinstance(item, dict) else {}
    id_ = next((names[name] for name in IDS if name in names), None)
    text = next((names[name] for name in TEXTS if name in names), None)
    if isinstance(id_, bool) or not isinstance(id_, str | int) or id_ == "" or not isinstance(text, str):
        raise FormatError(Fault("object", "an id and a text", f"the fields {', '.join(names) or 'none'}"))
    title = names.get("title")
    return str(id_), f"{title}\n{text}" if isinstance(title, str) and title else text
