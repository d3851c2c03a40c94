"""Texts of documents and queries, by id: JSON lines with _id, title and text (BEIR), or two columns of TSV."""

from __future__ import annotations

import json
from collections.abc import Iterator
from os import PathLike

from rankgauge.errors import SHOWN_FAULTS, Fault, FormatError
from rankgauge.formats._bytes import Source, load

IDS = ("_id", "id", "doc_id", "query_id", "docid", "qid")
TEXTS = ("text", "contents", "query", "body")


def read_texts(path: str | PathLike[str]) -> dict[str, str]:
    """Read {id: text}; a title stands before its text, on a line of its own. Gzip and zstd are recognised.

    Raises
    ------
    FormatError
        For a line that is no object with an id and a text (or no two columns), and for an id that comes twice.
    """
    source, found, faults, total = load(path), {}, [], 0
    for line, text in _lines(source):
        one = _of_json(text) if text.lstrip().startswith("{") else _of_columns(text)
        if isinstance(one, tuple) and one[0] not in found:
            found[one[0]] = one[1]
            continue
        total += 1
        if len(faults) < SHOWN_FAULTS:
            wanted, got = ("each id once", f"{one[0]!r} again") if isinstance(one, tuple) else ("an id and a text", one)
            faults.append(Fault(f"{source.path}:{line}", wanted, got))
    if faults:
        raise FormatError(faults, total=total)
    return found


def _lines(source: Source) -> Iterator[tuple[int, str]]:
    try:
        content = source.data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = source.data[: error.start].count(b"\n") + 1
        raise FormatError(Fault(f"{source.path}:{line}", "UTF-8", f"byte {error.object[error.start]:#x}")) from error
    return ((number, line) for number, line in enumerate(content.split("\n"), 1) if line.strip())


def _of_json(line: str) -> tuple[str, str] | str:
    """Id and text of one object, or what was found instead."""
    try:
        row = json.loads(line)
    except ValueError as error:
        return f"what is no JSON ({error})"
    name, text = (next((row[key] for key in keys if key in row), None) for keys in (IDS, TEXTS))
    if name is None or isinstance(name, (bool, float)) or not isinstance(text, str):
        return f"the fields {', '.join(row)}"
    title = row.get("title")
    return str(name), f"{title}\n{text}" if title else text


def _of_columns(line: str) -> tuple[str, str] | str:
    name, tab, text = line.partition("\t")
    return (name, text.rstrip("\r")) if tab else repr(line[:60])
