"""Scores of a second stage, once at the greatest depth: a candidate's score is its own, so smaller depths follow."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from rankgauge.engines.parts import whole
from rankgauge.errors import Fault, InputError
from rankgauge.formats._rows import blocks
from rankgauge.records._columns import FloatArray
from rankgauge.retrieval.protocols import Hits
from rankgauge.retrieval.rerank import SecondStage, Texts, candidates_of, reordered

SCHEMA: pl.Schema = pl.Schema([("query", pl.String()), ("scores", pl.List(pl.Float64))])
BLOCK = 8
"""Queries that are scored between two files."""

Advance = Callable[[int, int], None]


@dataclass(frozen=True)
class Kept:
    """A folder for what is worth keeping from a run that may be stopped: files of one job, whole or not there."""

    folder: Path | None

    @classmethod
    def open(cls, folder: Path | None, job: object) -> Kept:
        """Take up what the same job has left; what another has left is removed."""
        if folder is None:
            return cls(None)
        text = json.dumps(job, sort_keys=True, default=str)
        digest = hashlib.sha256(text.encode()).hexdigest()
        folder.mkdir(parents=True, exist_ok=True)
        marker = folder / "job"
        if not marker.is_file() and any(folder.iterdir()):
            fault = Fault(str(folder), "an empty folder, or that of a sweep", "other files", "name another")
            raise InputError(fault)
        if not marker.is_file() or marker.read_text() != digest:
            for item in folder.iterdir():
                item.unlink()
            whole(marker, lambda path: path.write_text(digest))
        return cls(folder)

    def frames(self, name: str) -> pl.DataFrame:
        """Put together the tables that are kept under a name."""
        files = sorted(self.folder.glob(f"{name}-*.parquet")) if self.folder is not None else []
        return pl.concat(map(pl.read_parquet, files)) if files else pl.DataFrame()

    def add(self, name: str, number: int, frame: pl.DataFrame) -> None:
        """Keep a table."""
        if self.folder is not None:
            whole(self.folder / f"{name}-{number:05}.parquet", frame.write_parquet)


def scored(
    stage: SecondStage,
    queries: Mapping[str, str],
    first: Mapping[str, Hits],
    texts: Texts,
    depth: int,
    *,
    kept: Kept | None = None,
    name: str = "scores",
    progress: Advance | None = None,
) -> dict[str, FloatArray]:
    """Scores float64[min(n, depth)] of the head of each query's hits, in their order.

    What is kept from a run that was stopped is not scored again.
    """
    kept = kept or Kept(None)
    known = kept.frames(name)
    found: dict[str, FloatArray] = _arrays(known) if len(known) else {}
    left = [query for query, hits in first.items() if query not in found and len(hits)]
    total, numbers = len(first), _numbers(kept, name)
    for block in blocks(left, BLOCK):
        new = {query: _scores(stage, queries[query], first[query].top(depth), texts) for query in block}
        rows = [(query, values.tolist()) for query, values in new.items()]
        kept.add(name, next(numbers), pl.DataFrame(rows, schema=SCHEMA, orient="row"))
        found |= new
        if progress is not None:
            progress(len(found), total)
    return {query: found.get(query, np.zeros(0)) for query in first}


def at_depth(first: Mapping[str, Hits], scores: Mapping[str, FloatArray], depth: int) -> dict[str, Hits]:
    """The final lists, had only the first `depth` candidates been scored."""
    return reordered(first, {query: values[:depth] for query, values in scores.items()})


def _scores(stage: SecondStage, query: str, head: Hits, texts: Texts) -> FloatArray:
    scores = np.asarray(stage.score(candidates_of(query, head, texts)), dtype=np.float64)
    if scores.shape != (len(head),):
        raise InputError(Fault(stage.name, f"{len(head)} scores", f"an array of shape {scores.shape}"))
    return scores


def _arrays(kept: pl.DataFrame) -> dict[str, FloatArray]:
    pairs: Sequence[tuple[str, list[float]]] = kept.rows()
    return {query: np.array(values, dtype=np.float64) for query, values in pairs}


def _numbers(kept: Kept, name: str) -> Iterator[int]:
    number = len(list(kept.folder.glob(f"{name}-*.parquet"))) if kept.folder is not None else 0
    while True:
        yield number
        number += 1
