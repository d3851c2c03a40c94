"""Documents and queries from files: one after the other, every fault with its line."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rankgauge.errors import EmptyInputError, Fault, FormatError
from rankgauge.formats._bytes import Progress
from rankgauge.formats._names import bare
from rankgauge.formats._rows import Faults
from rankgauge.formats._stream import stream_lines
from rankgauge.formats.texts import IDS, TEXTS, of_fields, read_texts
from rankgauge.retrieval.protocols import Document

ADVICE = 'write {"_id": ..., "title": ..., "text": ...}, or id, tab and text'
SUFFIXES = ("", ".gz", ".zst", ".lz4")


def read_documents(path: str | os.PathLike[str], *, progress: Progress | None = None) -> Iterator[Document]:
    """Documents of a corpus, in its order: JSON lines, lines of id, tab and text, or a BEIR folder; also compressed.

    One document is held at a time, and the ids of those before it. Fields other than id, title and text are kept.
    Lines that hold no document are passed over, and raised together after the last one: whatever is made of the
    documents is whole only when the iterator has ended.

    Raises
    ------
    InputError
        For a path that is no file and no folder with a corpus.
    FormatError
        With all lines that hold no id or no text, or an id that stood before.
    EmptyInputError
        For a corpus without a line.
    """
    file = _file(Path(path), "corpus")
    faults, seen = Faults(), set[str]()
    as_json: bool | None = None
    for number, raw in stream_lines(file, progress=progress):
        if not raw.strip():
            continue
        as_json = raw.lstrip()[:1] == b"{" if as_json is None else as_json
        where = f"{file}:{number}"
        try:
            line = raw.decode()
            document = _of_object(json.loads(line)) if as_json else Document(*of_fields(line))
        except (UnicodeDecodeError, json.JSONDecodeError, RecursionError, FormatError) as error:
            got = f"{raw[:60].decode(errors='replace')!r} ({error})"
            faults.add(where, "an id and a text", got, ADVICE)
            continue
        if document.id in seen:
            faults.add(where, "each id once", f"{document.id!r} again", "keep one of them")
            continue
        seen.add(document.id)
        yield document
    faults.check()
    if as_json is None:
        raise EmptyInputError(Fault(str(file), "at least one document", "none", "check what wrote it"))


def read_queries(path: str | os.PathLike[str]) -> dict[str, str]:
    """Read {id: text} of the queries: JSON lines, lines of id, tab and text, or a BEIR folder.

    Raises
    ------
    FormatError
        With all lines that hold no id or no text, or an id that stood before.
    """
    return read_texts(_file(Path(path), "queries"))


def _file(path: Path, holds: str) -> Path:
    """Take a file as it is; of a folder, its corpus.jsonl or queries.jsonl."""
    if not path.is_dir():
        return path
    wanted = [path / f"{holds}.jsonl{suffix}" for suffix in SUFFIXES]
    found = [file for file in wanted if file.is_file()]
    if len(found) == 1:
        return found[0]
    names = ", ".join(file.name for file in found) or "none of them"
    raise FormatError(Fault(str(path), f"{holds}.jsonl, plain or compressed, in the folder", names, "name the file"))


def _of_object(item: Any) -> Document:
    if not isinstance(item, dict):
        raise FormatError(Fault("line", "an object", type(item).__name__))
    names: Mapping[str, str] = {bare(name): name for name in reversed(item)}
    id_name = next((names[name] for name in IDS if name in names), None)
    text_name = next((names[name] for name in TEXTS if name in names), None)
    id_ = None if id_name is None else item[id_name]
    text = None if text_name is None else item[text_name]
    if isinstance(id_, bool) or not isinstance(id_, str | int) or id_ == "" or not isinstance(text, str):
        raise FormatError(Fault("object", "an id and a text", f"the fields {', '.join(item) or 'none'}"))
    title = item.get(names.get("title", ""))
    known = {id_name, text_name, *([names["title"]] if isinstance(title, str) else [])}
    fields = {name: value for name, value in item.items() if name not in known and value not in (None, {}, [])}
    return Document(str(id_), text, title if isinstance(title, str) else "", fields)
