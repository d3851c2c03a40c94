"""The graph of near neighbours (HNSW, by usearch) over a segment's vectors: candidates, which are scored elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rankgauge.errors import Fault, FormatError
from rankgauge.records._columns import IntArray
from rankgauge.retrieval._extras import optional
from rankgauge.retrieval._stored import ROWS, Metric, Stored
from rankgauge.retrieval.protocols import Vectors

Mask = npt.NDArray[np.bool_]
Progress = Callable[[int, int], None]

# Lengths of 1 lose little in 8 bits, and candidates are scored again by the stored vectors; distances need all bits.
KINDS: dict[str, dict[str, str]] = {
    "cosine": {"metric": "cos", "dtype": "i8"},
    "l2": {"metric": "l2sq", "dtype": "f32"},
}


@dataclass(frozen=True, eq=False)
class Graph:
    """A graph mapped to its file. Searches of several threads may overlap."""

    index: Any
    count: int

    def search(self, query: Vectors, k: int, mask: Mask | None) -> IntArray:
        """About k rows near the query, in no order; with a mask only rows of it, found by asking for more.

        Fewer than k say that the graph could not tell: then all must be compared.
        """
        allowed = self.count if mask is None else int(mask.sum())
        asked = min(self.count, k * self.count // max(allowed, 1))
        while True:
            rows: IntArray = self.index.search(query, asked, threads=1).keys.astype(np.int64)
            if mask is not None:
                rows = rows[mask[rows]]
            # Beyond a share of the allowed rows, comparing those is no more work.
            if len(rows) >= k or mask is None or 2 * asked > allowed:
                return rows
            asked *= 2


def build_graph(
    path: Path, stored: Stored, *, connectivity: int, expansion: int, seed: int, progress: Progress | None
) -> None:
    """Link all rows, in an order drawn by the seed: the same vectors give the same graph."""
    usearch = optional("usearch.index", f"an index of {len(stored):,} vectors")
    index = usearch.Index(
        ndim=stored.matrix.shape[1], connectivity=connectivity, expansion_add=expansion, **KINDS[stored.metric]
    )
    order = np.random.default_rng(seed).permutation(len(stored))
    for low in range(0, len(order), ROWS):
        rows = order[low : low + ROWS]
        index.add(rows.astype(np.uint64), stored.rows(rows), threads=1)
        if progress is not None:
            progress(low + len(rows), len(order))
    index.save(str(path))


def open_graph(path: Path, count: int, *, size: int, metric: Metric, expansion: int) -> Graph:
    """Map a graph; one that is not as long as it was when written is refused before it is touched."""
    usearch = optional("usearch.index", f"an index of {count:,} vectors")
    found = path.stat().st_size if path.is_file() else 0
    if found != size:
        advice = "build the index again"
        raise FormatError(Fault(str(path), f"a graph of {size:,} bytes", f"{found:,} bytes", advice))
    index = usearch.Index.restore(str(path), view=True)
    if index is None or len(index) != count:
        raise FormatError(Fault(str(path), f"a graph of {count:,} vectors", "another one", "build the index again"))
    index.expansion_search = expansion
    return Graph(index, count)
