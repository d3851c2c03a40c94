"""Segments: vectors with their ids that never change once written, searched by a scan or through a graph."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from rankgauge.errors import Fault, FormatError
from rankgauge.records._columns import FloatArray, IntArray
from rankgauge.retrieval._graphs import Graph, build_graph, open_graph
from rankgauge.retrieval._stored import (
    ROWS,
    Metric,
    Precision,
    Stored,
    comparable,
    copy,
    create,
    fill,
    finish,
    open_stored,
    ordered,
)
from rankgauge.retrieval.protocols import Vectors

Mask = npt.NDArray[np.bool_]
Progress = Callable[[int, int], None]

# Candidates by 8 bits for each hit that is asked for, and at least so many more; they are scored again.
CANDIDATES, AHEAD = 3, 32
IDS, GRAPH = "ids.arrow", "graph.bin"


@dataclass(frozen=True)
class Settings:
    """What holds for every segment of an index."""

    dimension: int
    metric: Metric = "cosine"
    precision: Precision = "f32"
    exact_below: int = 20_000
    connectivity: int = 16
    expansion: int = 200
    seed: int = 0
    model: str = ""


@dataclass(frozen=True, eq=False)
class Segment:
    """Vectors and the ids of their documents, row by row; `graph` is there where a scan would take too long."""

    name: str
    ids: pl.Series
    stored: Stored
    graph: Graph | None
    settings: Settings
    graph_size: int | None = None

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def row_of(self) -> dict[str, int]:
        """Row of each id."""
        return {id_: row for row, id_ in enumerate(self.ids.to_list())}

    def best(self, query: FloatArray, k: int, mask: Mask | None, *, exact: bool) -> tuple[IntArray, FloatArray]:
        """The best k rows and their scores, among those of the mask."""
        rows = None if mask is None else np.flatnonzero(mask)
        count = len(self) if rows is None else len(rows)
        if self.graph is None or exact or count <= max(k, self.settings.exact_below):
            return self.stored.best(query, k, rows)
        found = self.graph.search(query.astype(np.float32), max(CANDIDATES * k, k + AHEAD), mask)
        if len(found) < k:
            return self.stored.best(query, k, rows)
        return ordered(found, self.stored.scores(found, query), k)


def write_new(
    place: Path,
    ids: Sequence[str],
    vectors: Vectors,
    settings: Settings,
    *,
    graph: bool = True,
    progress: Progress | None = None,
) -> Segment:
    """Write vectors that were not in the index before; with a graph, where there are enough of them."""
    place.mkdir(parents=True)
    stored = create(place, shape=vectors.shape, precision=settings.precision, metric=settings.metric)
    for low in range(0, len(vectors), ROWS):
        fill(
            stored,
            low,
            comparable(
                vectors[low : low + ROWS],
                "vectors",
                metric=settings.metric,
                precision=settings.precision,
                name=lambda row, low=low: f"document {ids[low + row]!r}",  # type: ignore[misc]
            ),
        )
    wanted = graph and len(ids) > settings.exact_below
    return _finished(place, pl.Series("id", ids, dtype=pl.String), stored, settings, wanted, progress)


def write_merged(
    place: Path, parts: Sequence[tuple[Segment, IntArray]], settings: Settings, *, progress: Progress | None = None
) -> Segment:
    """Write rows of several segments as one."""
    place.mkdir(parents=True)
    count = sum(len(rows) for _, rows in parts)
    stored = create(place, shape=(count, settings.dimension), precision=settings.precision, metric=settings.metric)
    low = 0
    for segment, rows in parts:
        copy(stored, low, segment.stored, rows)
        low += len(rows)
    ids = pl.concat([segment.ids.gather(rows) for segment, rows in parts])
    return _finished(place, ids, stored, settings, count > settings.exact_below, progress)


def _finished(
    place: Path, ids: pl.Series, stored: Stored, settings: Settings, graph: bool, progress: Progress | None
) -> Segment:
    finish(stored, place)
    pl.DataFrame({"id": ids}).write_ipc(place / IDS)
    if graph:
        how = {"connectivity": settings.connectivity, "expansion": settings.expansion, "seed": settings.seed}
        build_graph(place / GRAPH, stored, **how, progress=progress)
    for path in place.iterdir():
        _to_disk(path)
    return open_segment(place, len(ids), settings, graph_size=(place / GRAPH).stat().st_size if graph else None)


def open_segment(place: Path, count: int, settings: Settings, *, graph_size: int | None) -> Segment:
    """Map a segment that was written."""
    shape = (count, settings.dimension)
    stored = open_stored(place, shape=shape, precision=settings.precision, metric=settings.metric)
    try:
        ids = pl.read_ipc(place / IDS)["id"]
    except (OSError, pl.exceptions.PolarsError) as error:
        raise FormatError(
            Fault(str(place / IDS), "ids", f"broken content ({error})", "build the index again")
        ) from None
    if len(ids) != count:
        raise FormatError(Fault(str(place / IDS), f"{count} ids", f"{len(ids)}", "build the index again"))
    graph = None
    if graph_size is not None:
        expansion = settings.expansion
        graph = open_graph(place / GRAPH, count, size=graph_size, metric=settings.metric, expansion=expansion)
    return Segment(place.name, ids, stored, graph, settings, graph_size)


def _to_disk(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())
