"""The functions that read and write qrels and runs in any format."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from rankgauge.errors import EmptyInputError, Fault, FormatError, InputError
from rankgauge.formats import beir, engine_bodies, fields, letor, msmarco, nested, ranx, search_engines, tables, trec
from rankgauge.formats._build import Order, nothing, qrels_of, run_of
from rankgauge.formats._bytes import Progress, Source, load, save, stem
from rankgauge.formats._detect import Holds, detect, json_format
from rankgauge.formats._registry import FORMATS, for_writing, known
from rankgauge.formats._rows import Rows
from rankgauge.records import Qrels, Run
from rankgauge.records.qrels import OnConflict
from rankgauge.records.run import OnDuplicate

Columns = Mapping[str, str] | None
PathLike = str | os.PathLike[str]


@dataclass(frozen=True)
class Sniffed:
    """What a file looks like from its content."""

    format: str
    compression: str | None


def sniff(path: PathLike) -> Sniffed:
    """Name a file's format and compression from its content."""
    source = load(path)
    name = detect(source) if source.data.strip() else "trec"
    if name == "json":
        shape = json_format(nested.parsed(source))
        name = shape if shape in FORMATS else "json"
    return Sniffed(name, source.compression)


def read_qrels(
    path: PathLike,
    *,
    format: str | None = None,
    columns: Columns = None,
    on_duplicate: OnConflict = "error",
    name: str | None = None,
    subtopics: bool | None = None,
) -> Qrels:
    """Read relevance judgments from a file in any known format, or from a BEIR folder.

    Parameters
    ----------
    path : str or path
        A file, plain or compressed with gzip or zstd, whatever it is called.
    format : str, optional
        A name of `FORMATS`; without it the content decides.
    columns : mapping, optional
        For tables: {"query": NAME, "doc": NAME, "grade": NAME, "subtopic": NAME}; usual names are known.
    on_duplicate : {"error", "first", "last", "max"}
        What holds where a document is judged twice for a query.
    name : str, optional
        What the qrels are called; without it the file's name.
    subtopics : bool, optional
        Whether column 2 of TREC qrels is the subtopic; without it, pairs that repeat decide.

    Raises
    ------
    InputError
        With all faults of the file, each naming its line.
    """
    path = Path(path)
    source = load(beir.qrels_file(path) if path.is_dir() else path)
    rows = _rows(source, format, columns, "qrels")
    name = name or (path.name if path.is_dir() else None)
    return qrels_of(rows, source, on_duplicate=on_duplicate, subtopics=subtopics, name=name)


def read_run(
    path: PathLike,
    *,
    format: str | None = None,
    columns: Columns = None,
    on_duplicate: OnDuplicate = "error",
    order: Order = "score",
    name: str | None = None,
    progress: Progress | None = None,
) -> Run:
    """Read a run from a file in any known format.

    Parameters
    ----------
    path : str or path
        A file, plain or compressed with gzip or zstd, whatever it is called.
    format : str, optional
        A name of `FORMATS`; without it the content decides.
    columns : mapping, optional
        For tables: {"query": NAME, "doc": NAME, "score": NAME, "rank": NAME}; usual names are known.
    on_duplicate : {"error", "first", "max"}
        What holds where a document stands twice under a query.
    order : {"score", "rank"}
        Which column decides where a file has both.
    name : str, optional
        What the run is called in results; without it the file's name.
    progress : callable, optional
        Called with the bytes read so far and in all.

    Raises
    ------
    InputError
        With all faults of the file, each naming its line.
    """
    path = Path(path)
    may_be_plain = format in (None, "trec") and columns is None and order == "score"
    plain = partial(trec.read_plain_run, path=path, name=name or stem(path), on_duplicate=on_duplicate)
    if may_be_plain and path.is_file() and (run := plain(path, progress=progress)) is not None:
        return run
    source = load(path, progress=progress)
    if may_be_plain and source.compression and (run := plain(source.data, progress=None)) is not None:
        return run
    rows = _rows(source, format, columns, "run")
    return run_of(rows, source, on_duplicate=on_duplicate, order=order, name=name)


def _rows(source: Source, format: str | None, columns: Columns, holds: Holds) -> Rows:
    if not source.data.strip():
        raise EmptyInputError(nothing(source, _WHAT[holds]))
    chosen = known(format).name if format is not None else detect(source, named=columns is not None)
    if chosen == "msmarco" and holds == "qrels" and format is None:
        chosen = "trec"
    if holds not in FORMATS[chosen].reads:
        wanted, found = ("judgments", "a run") if holds == "qrels" else ("a run", "judgments")
        advice = "were the two files swapped? If not, name the format: format='tsv', for instance"
        raise FormatError(Fault(source.label, wanted, f"{found} in the format {chosen!r}", advice))
    if columns is not None and chosen in _NAMELESS:
        raise InputError(Fault(source.label, "a table, as columns were named", f"the format {chosen}", "drop columns"))
    return _READERS[chosen](source, columns, holds)


_WHAT: Mapping[Holds, str] = {"qrels": "judgments", "run": "results"}
_NAMELESS = ("trec", "msmarco", "letor", "ranx")


def _read_trec(source: Source, columns: Columns, holds: Holds) -> Rows:
    return trec.read_qrels(source) if holds == "qrels" else trec.read_run(source)


def _read_json(source: Source, columns: Columns, holds: Holds) -> Rows:
    content = nested.parsed(source)
    shape = json_format(content)
    if shape in search_engines.READERS:
        return search_engines.READERS[shape](source, content, holds)
    if shape in ("records", "object") or columns is not None:
        items = content if isinstance(content, list) else [content]
        if not items:
            raise EmptyInputError(nothing(source, _WHAT[holds]))
        return fields.read_records(source, items, columns, holds=holds)
    if not isinstance(content, dict):
        raise FormatError(Fault(source.label, "a JSON object or list", repr(content)[:80]))
    return nested.nested_rows(source, content, holds=holds)


def _read_delimited(source: Source, columns: Columns, holds: Holds, *, separator: str | None = None) -> Rows:
    return tables.read_delimited(source, columns, holds=holds, separator=separator)


def _read_frame(source: Source, columns: Columns, holds: Holds, *, kind: str) -> Rows:
    return tables.read_frame(source, columns, holds=holds, kind=kind)


_READERS: Mapping[str, Callable[[Source, Columns, Holds], Rows]] = {
    "trec": _read_trec,
    "beir": partial(_read_delimited, separator="\t"),
    "msmarco": lambda source, columns, holds: msmarco.read(source) if holds == "run" else trec.read_qrels(source),
    "letor": lambda source, columns, holds: letor.read(source),
    "json": _read_json,
    "jsonl": lambda source, columns, holds: fields.read_lines(source, columns, holds=holds),
    "csv": _read_delimited,
    "tsv": partial(_read_delimited, separator="\t"),
    "parquet": partial(_read_frame, kind="parquet"),
    "arrow": partial(_read_frame, kind="arrow"),
    "ranx": lambda source, columns, holds: ranx.read(source, holds=holds),
    "quepid": _read_delimited,
    "rre": _read_json,
    "rank_eval": _read_json,
    "opensearch": _read_json,
}


def write_qrels(qrels: Qrels, path: PathLike, *, format: str | None = None) -> None:
    """Write judgments; the suffix chooses the format, .gz and .zst compress.

    A folder, or in the format "beir" a path without a suffix, gets qrels/test.tsv as BEIR has it.

    Raises
    ------
    InputError
        For an unknown suffix, and for ids, grades or subtopics that the format cannot hold.
    """
    writers: Mapping[str, Callable[[Qrels], Iterator[bytes]]] = {
        "trec": trec.qrels_lines,
        "beir": beir.qrels_lines,
        "msmarco": msmarco.qrels_lines,
        "letor": letor.lines,
        "quepid": tables.quepid_lines,
        "rre": engine_bodies.rre,
        "rank_eval": engine_bodies.rank_eval_request,
        "opensearch": engine_bodies.opensearch,
        **_WRITERS,
    }
    chosen = for_writing(Path(path), format, "qrels").name
    save(beir.target(Path(path)) if chosen == "beir" else path, writers[chosen](qrels))


def write_run(run: Run, path: PathLike, *, format: str | None = None, tag: str | None = None) -> None:
    """Write a run; the suffix chooses the format, .gz and .zst compress.

    Parameters
    ----------
    run : Run
        What to write; its documents are written in the order of their ranks where the format has ranks.
    path : str or path
        A file; it is replaced only once everything is written.
    format : str, optional
        A name of `FORMATS`; without it the suffix decides.
    tag : str, optional
        The last column of a TREC run; without it the run's name.

    Raises
    ------
    InputError
        For an unknown suffix, and for ids that the format cannot hold.
    """
    writers: Mapping[str, Callable[[Run], Iterator[bytes]]] = {
        "trec": partial(trec.run_lines, tag=tag),
        "msmarco": msmarco.lines,
        "ranx": ranx.content,
        "rank_eval": engine_bodies.rank_eval_response,
        **_WRITERS,
    }
    save(path, writers[for_writing(Path(path), format, "run").name](run))


_WRITERS: Mapping[str, Callable[[Any], Iterator[bytes]]] = {
    "json": nested.nested_bytes,
    "jsonl": fields.line_bytes,
    "csv": tables.csv_lines,
    "tsv": tables.tsv_lines,
    "parquet": partial(tables.frame_bytes, kind="parquet"),
    "arrow": partial(tables.frame_bytes, kind="arrow"),
}
