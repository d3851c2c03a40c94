"""Which format a file is in: its content decides, its suffix only where the content leaves a choice."""

from __future__ import annotations

import csv
import json
import re
from itertools import islice
from typing import Any, Literal

from rankgauge.formats._bytes import Source
from rankgauge.formats._delimited import separator_of
from rankgauge.formats._lines import data_lines
from rankgauge.formats._names import bare, is_header

Holds = Literal["qrels", "run"]

_LETOR = re.compile(r"^\S+\s+qid:\S+(\s|$)", re.ASCII)
_SVMLIGHT = re.compile(r"^\S+(\s+\d+:\S+)+\s*(#.*)?$")


def detect(source: Source, *, named: bool = False) -> str:
    """Name the format of a file that is not empty; `named`: the caller names columns, so it is a table."""
    data = source.data
    if data.startswith(b"PAR1"):
        return "parquet"
    if data.startswith((b"ARROW1", b"\xff\xff\xff\xff")):
        return "arrow"
    if 0xA0 <= data[0] <= 0xBF:
        return "ranx"
    start = data[:4096].lstrip()[:1]
    if start in (b"{", b"["):
        return "jsonl" if _one_a_line(source, start) else "json"
    return _text_format(source, named)


def _one_a_line(source: Source, start: bytes) -> bool:
    if start == b"[" or b"\n" not in source.data.strip():
        return start == b"{" and source.suffix in (".jsonl", ".ndjson")
    first = next(line for _, line in source.lines() if line.strip())
    try:
        return isinstance(json.loads(first), dict)
    except ValueError:
        return source.suffix in (".jsonl", ".ndjson")


def _text_format(source: Source, named: bool) -> str:
    head = [line.decode(errors="replace") for _, line in islice(data_lines(source), 20)]
    if not head:
        return "trec"
    first = head[0]
    if _LETOR.match(first) or _SVMLIGHT.match(first):
        return "letor"
    separator = separator_of(first)
    cells = next(csv.reader([first], delimiter=separator), [])
    if is_header(cells) or named:
        return _table_name(cells, separator)
    widths = {len(line.split()) for line in head}
    if widths == {3} and all(line.split()[2].lstrip("+-").isdigit() for line in head):
        return "msmarco"
    width = len(first.split())
    if source.suffix == ".csv" and len(cells) > 1 and width not in (4, 6):
        return "csv"
    return "tsv" if source.suffix == ".tsv" and separator == "\t" and width not in (3, 4, 6) else "trec"


def _table_name(cells: list[str], separator: str) -> str:
    names = {bare(cell) for cell in cells}
    if separator == "\t":
        return "beir" if names == {"queryid", "corpusid", "score"} else "tsv"
    return "quepid" if names == {"query", "docid", "rating"} else "csv"


def json_format(content: Any) -> str:
    """Name what a parsed JSON file holds."""
    if isinstance(content, list):
        return "records"
    if not isinstance(content, dict):
        return "json"
    inner = content.get("rank_eval", content)
    if isinstance(content.get("requests"), list) or (isinstance(inner, dict) and _is_response(inner)):
        return "rank_eval"
    if "judgmentRatings" in content or "querySetQueries" in content:
        return "opensearch"
    if any(isinstance(content.get(key), list) for key in ("topics", "query_groups", "queries")):
        return "rre"
    return "object" if is_header(list(content)) else "json"


def _is_response(inner: dict[str, Any]) -> bool:
    details = inner.get("details")
    return isinstance(details, dict) and ("metric_score" in inner or "failures" in inner)
