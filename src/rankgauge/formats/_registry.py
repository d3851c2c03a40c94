"""All formats by name: what they hold, and which suffix means which when writing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from rankgauge.errors import Fault, InputError, did_you_mean
from rankgauge.formats._detect import Holds


@dataclass(frozen=True)
class Format:
    """One format: what it is called, which suffixes mean it when writing, and what it can hold."""

    name: str
    suffixes: tuple[str, ...]
    reads: tuple[Holds, ...]
    writes: tuple[Holds, ...]
    description: str


_BOTH: tuple[Holds, ...] = ("qrels", "run")
_TREC = (".trec", ".run", ".txt", ".qrels", ".qrel", ".res", ".results")

FORMATS: Mapping[str, Format] = {
    f.name: f
    for f in (
        Format("trec", _TREC, _BOTH, _BOTH, "TREC qrels (4 columns; column 2 may be a subtopic) and runs (6 columns)"),
        Format(
            "beir", (), ("qrels",), ("qrels",), "BEIR qrels with the header query-id, corpus-id, score; or a folder"
        ),
        Format(
            "msmarco",
            (),
            _BOTH,
            _BOTH,
            "MS MARCO runs (query, passage, rank; no header) and qrels (query, 0, passage, grade)",
        ),
        Format(
            "letor", (".letor", ".svmlight"), ("qrels",), ("qrels",), "LETOR, SVMlight with qid, RankLib judgment lists"
        ),
        Format("json", (".json",), _BOTH, _BOTH, "{query: {document: number}}, or a list of objects with named fields"),
        Format("jsonl", (".jsonl", ".ndjson"), _BOTH, _BOTH, "one JSON object a line with named fields"),
        Format("csv", (".csv",), _BOTH, _BOTH, "a header line and commas, or semicolons"),
        Format("tsv", (".tsv",), _BOTH, _BOTH, "a header line and tabs"),
        Format("parquet", (".parquet", ".pq"), _BOTH, _BOTH, "Parquet with named columns, as from ranx"),
        Format("arrow", (".arrow", ".feather", ".ipc"), _BOTH, _BOTH, "Arrow IPC file or stream with named columns"),
        Format("ranx", (".lz4",), _BOTH, ("run",), "ranx: CBOR in LZ4 (needs the extra 'ranx')"),
        Format(
            "quepid", (), _BOTH, ("qrels",), "Quepid CSV: judgments (query, docid, rating) or a snapshot with positions"
        ),
        Format("rre", (), ("qrels",), ("qrels",), "Rated Ranking Evaluator JSON, both shapes"),
        Format(
            "rank_eval", (), _BOTH, _BOTH, "Elasticsearch and OpenSearch rank_eval: request (judgments), response (run)"
        ),
        Format("opensearch", (), ("qrels",), ("qrels",), "OpenSearch Search Relevance: imported judgments"),
    )
}


def known(name: str) -> Format:
    """Look a format up by its name."""
    if name not in FORMATS:
        near = did_you_mean(name, FORMATS).removeprefix("; ")
        raise InputError(Fault("format", f"one of {', '.join(FORMATS)}", repr(name), near))
    return FORMATS[name]


def for_writing(path: Path, name: str | None, holds: Holds) -> Format:
    """Choose the format to write: by name, or by the file's suffix."""
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() not in (".gz", ".zst")]
    suffix = suffixes[-1] if suffixes else ""
    found = known(name) if name is not None else next((f for f in FORMATS.values() if suffix in f.suffixes), None)
    able = ", ".join(f.name for f in FORMATS.values() if holds in f.writes)
    if found is None and path.is_dir() and holds == "qrels":
        found = FORMATS["beir"]
    if found is None:
        fault = Fault(
            str(path),
            "a suffix that names a format",
            repr(suffix),
            f"name a format, with --to or format=: one of {able}",
        )
        raise InputError(fault)
    if holds not in found.writes:
        what = "qrels" if holds == "qrels" else "a run"
        raise InputError(Fault(f"format {found.name!r}", f"a format that can hold {what}", "one that cannot", able))
    return found
