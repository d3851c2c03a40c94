"""Vectors of length 1: what cosine is a dot product of. Vectors that have no direction are refused by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from rankgauge.errors import Fault, InputError
from rankgauge.retrieval.protocols import Vectors


def matrix(vectors: npt.ArrayLike, where: str, *, dimension: int | None = None) -> Vectors:
    """Vectors as float32[n, d], of the dimension that is asked for."""
    given = np.asarray(vectors)
    if given.ndim != 2 or given.dtype.kind not in "fiu":
        raise InputError(Fault(where, "a matrix of numbers, a row per vector", f"{given.dtype}{list(given.shape)}"))
    if dimension is not None and given.shape[1] != dimension:
        advice = "use the model that the index was built with"
        raise InputError(Fault(where, f"vectors of {dimension} numbers", f"{given.shape[1]} numbers", advice))
    return np.ascontiguousarray(given, dtype=np.float32)


def unit(vectors: Vectors, where: str, *, name: Callable[[int], str] | None = None) -> Vectors:
    """Bring every row to length 1; rows with NaN, infinities or nothing but zeros are refused and named."""
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1)
    bad = np.flatnonzero(~(np.isfinite(lengths) & (lengths > 0)))
    if len(bad):
        faults = [_fault(where, vectors[row], (name or _row)(int(row))) for row in bad[:20]]
        raise InputError(faults, total=len(bad))
    scaled: Vectors = (vectors / lengths[:, None]).astype(np.float32)
    return scaled


def _fault(where: str, row: npt.NDArray[Any], called: str) -> Fault:
    got = "only zeros" if not np.any(row) else f"{int((~np.isfinite(row)).sum())} that are NaN or infinite"
    advice = "leave it out, or see why the model gave it"
    return Fault(f"{where}, {called}", "finite numbers, not all zero", got, advice)


def _row(row: int) -> str:
    return f"row {row + 1}"
