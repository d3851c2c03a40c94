"""Vectors as they are stored (f32, f16 or i8), and scores that do not depend on where in the file a vector stands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from rankgauge.errors import Fault, FormatError, InputError
from rankgauge.records._columns import FloatArray, IntArray
from rankgauge.retrieval._unit import unit
from rankgauge.retrieval.protocols import Vectors

Precision = Literal["f32", "f16", "i8"]
Metric = Literal["cosine", "l2"]
Named = Callable[[int], str]

TYPES: dict[str, type[np.generic]] = {"f32": np.float32, "f16": np.float16, "i8": np.int8}
ROWS = 4096
LEVELS = 127
ROUNDING = float(np.finfo(np.float32).eps)


@dataclass(frozen=True, eq=False)
class Stored:
    """A matrix [n, d] in memory or mapped to a file; `scales` float32[n] turn the codes of i8 into numbers."""

    matrix: npt.NDArray[Any]
    scales: Vectors | None
    metric: Metric

    def __len__(self) -> int:
        return len(self.matrix)

    def rows(self, rows: IntArray | slice) -> Vectors:
        """Some vectors, float32[m, d], as they are compared."""
        taken: Vectors = self.matrix[rows].astype(np.float32)
        return taken if self.scales is None else taken * self.scales[rows][:, None]

    def scores(self, rows: IntArray, query: FloatArray) -> FloatArray:
        """Scores float64[m]: cosine, or minus the squared distance.

        Summed in double precision, each row for itself as a product of matrices would not, so that equal vectors have
        equal scores wherever they stand.
        """
        vectors = self.rows(rows).astype(np.float64)
        if self.metric == "l2":
            apart = vectors - query
            distances: FloatArray = np.vecdot(apart, apart)
            return -distances
        cosines: FloatArray = np.vecdot(vectors, query)
        return cosines

    def best(self, query: FloatArray, k: int, rows: IntArray | None) -> tuple[IntArray, FloatArray]:
        """The exact best k of these rows (of all): rows and scores, by falling score, then by row."""
        quick = self._quick(query, rows)
        near = _not_below_the_kth(quick, k, slack=(self.matrix.shape[1] + 8) * ROUNDING)
        candidates = near if rows is None else rows[near]
        return ordered(candidates, self.scores(candidates, query), k)

    def _quick(self, query: FloatArray, rows: IntArray | None) -> Vectors:
        """Scores float32[m] that rounding may have moved by a little."""
        narrow = query.astype(np.float32)
        count = len(self) if rows is None else len(rows)
        quick = np.empty(count, dtype=np.float32)
        for low in range(0, count, ROWS):
            part = slice(low, low + ROWS)
            quick[part] = self._quick_part(part if rows is None else rows[part], narrow)
        return quick

    def _quick_part(self, rows: IntArray | slice, query: Vectors) -> Vectors:
        if self.metric == "l2":
            apart = self.rows(rows) - query
            squared: Vectors = np.einsum("ij,ij->i", apart, apart)
            return -squared
        quick: Vectors = self.matrix[rows].astype(np.float32, copy=False) @ query
        return quick if self.scales is None else quick * self.scales[rows]


def ordered(rows: IntArray, scores: FloatArray, k: int) -> tuple[IntArray, FloatArray]:
    """The k best, by falling score, then by row."""
    order = np.lexsort((rows, -scores))[:k]
    return rows[order], scores[order]


def _not_below_the_kth(quick: Vectors, k: int, *, slack: float) -> IntArray:
    """Places of all that are among the best k, or would be if rounding had gone against them."""
    if k >= len(quick):
        return np.arange(len(quick))
    kth = float(np.partition(quick, len(quick) - k)[len(quick) - k])
    return np.flatnonzero(quick >= kth - slack * max(1.0, 2 * abs(kth)))


def open_stored(folder: Path, *, shape: tuple[int, int], precision: Precision, metric: Metric) -> Stored:
    """Map the vectors of a folder."""
    path, scales = folder / "vectors.npy", None
    try:
        matrix = np.load(path, mmap_mode="r")
        if precision == "i8":
            scales = np.load(folder / "scales.npy")
    except (OSError, ValueError) as error:
        raise FormatError(Fault(str(path), "vectors", f"broken content ({error})", "build the index again")) from None
    if matrix.shape != shape or matrix.dtype != TYPES[precision] or (scales is not None and len(scales) != shape[0]):
        got = f"{list(matrix.shape)} of {matrix.dtype}"
        expected = f"{list(shape)} of {np.dtype(TYPES[precision])}"
        raise FormatError(Fault(str(path), expected, got, "build the index again"))
    return Stored(matrix, scales, metric)


def create(folder: Path, *, shape: tuple[int, int], precision: Precision, metric: Metric) -> Stored:
    """Make the files of vectors that are yet to be filled in."""
    matrix = np.lib.format.open_memmap(folder / "vectors.npy", mode="w+", dtype=TYPES[precision], shape=shape)
    scales = np.empty(shape[0], dtype=np.float32) if precision == "i8" else None
    return Stored(matrix, scales, metric)


def fill(stored: Stored, low: int, vectors: Vectors) -> None:
    """Round comparable vectors to what is stored, from row `low` on."""
    part = slice(low, low + len(vectors))
    if stored.scales is None:
        stored.matrix[part] = vectors
    else:
        stored.matrix[part], stored.scales[part] = _codes(vectors, stored.metric)


def copy(stored: Stored, low: int, other: Stored, rows: IntArray) -> None:
    """Take rows of another matrix bit by bit, from row `low` on."""
    for start in range(0, len(rows), ROWS):
        taken = rows[start : start + ROWS]
        part = slice(low + start, low + start + len(taken))
        stored.matrix[part] = other.matrix[taken]
        if stored.scales is not None and other.scales is not None:
            stored.scales[part] = other.scales[taken]


def finish(stored: Stored, folder: Path) -> None:
    """Bring what was filled in to the disk."""
    stored.matrix.flush()  # type: ignore[attr-defined]
    if stored.scales is not None:
        np.save(folder / "scales.npy", stored.scales)


def comparable(vectors: Vectors, where: str, *, metric: Metric, precision: Precision, name: Named) -> Vectors:
    """Refuse vectors that cannot be compared or stored; for cosine, bring the others to length 1."""
    if metric == "cosine":
        return unit(vectors, where, name=name)
    most = np.finfo(np.float16).max if precision == "f16" else np.finfo(np.float32).max
    bad = np.flatnonzero(~(np.abs(vectors) <= most).all(axis=1))
    if len(bad):
        faults = [Fault(f"{where}, {name(int(row))}", f"numbers within {precision}", "others") for row in bad[:20]]
        raise InputError(faults, total=len(bad))
    return vectors


def _codes(vectors: Vectors, metric: Metric) -> tuple[npt.NDArray[np.int8], Vectors]:
    """Codes int8[n, d] and scales float32[n]; for cosine the scales give each vector the length 1 again."""
    largest = np.abs(vectors).max(axis=1, keepdims=True)
    step = np.where(largest > 0, largest / LEVELS, 1).astype(np.float32)
    codes = np.rint(vectors / step).astype(np.int8)
    if metric == "l2":
        return codes, step[:, 0]
    lengths = np.linalg.norm(codes.astype(np.float64), axis=1)
    return codes, (1 / lengths).astype(np.float32)
