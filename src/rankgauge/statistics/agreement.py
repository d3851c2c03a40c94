"""Agreement of two labellings beyond chance: Cohen's kappa, plain and weighted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from rankgauge.errors import Fault, InputError, ParameterError
from rankgauge.judged import FloatArray

Weighting = Literal["none", "linear", "quadratic"]


@dataclass(frozen=True)
class Agreement:
    """How far two labellings of the same items agree.

    Attributes
    ----------
    n : number of items
    agreement : share of items with the same label
    kappa : agreement beyond chance, weighted if asked; None where it is 0/0, `outcome` then says why
    weighting : "none", "linear" or "quadratic"
    outcome : empty, or what is degenerate about the input
    """

    n: int
    agreement: float
    kappa: float | None
    weighting: Weighting
    outcome: str = ""


@dataclass(frozen=True)
class CrossTable:
    """How often each label of one side stands beside each of the other: a row per label of the first."""

    rows: tuple[float, ...]
    columns: tuple[float, ...]
    counts: tuple[tuple[int, ...], ...]


def cross_table(a: Sequence[float], b: Sequence[float]) -> CrossTable:
    """Count pairs of labels of the same items.

    >>> cross_table([0, 1, 1], [0, 1, 2])
    CrossTable(rows=(0.0, 1.0), columns=(0.0, 1.0, 2.0), counts=((1, 0, 0), (0, 1, 1)))
    """
    rows, x = np.unique(np.asarray(a, dtype=np.float64), return_inverse=True)
    columns, y = np.unique(np.asarray(b, dtype=np.float64), return_inverse=True)
    counts = np.bincount(x * len(columns) + y, minlength=len(rows) * len(columns)).reshape(len(rows), len(columns))
    return CrossTable(tuple(rows.tolist()), tuple(columns.tolist()), tuple(map(tuple, counts.tolist())))


def cohen_kappa(a: Sequence[Any], b: Sequence[Any], *, weighting: Weighting = "none") -> Agreement:
    """Compare two labellings of the same items.

    kappa = 1 - Σ w(x, y) observed(x, y) / Σ w(x, y) expected(x, y), w = [x ≠ y], |x - y| or (x - y)² of the labels'
    places among the labels that occur

    Parameters
    ----------
    a, b : one label per item, in the same order; numbers where labels are weighted
    weighting : how much a disagreement counts

    Where all labels on both sides are one and the same, chance agrees as well and kappa is 0/0: None, and said.

    Source: Cohen (1960), doi:10.1177/001316446002000104; Cohen (1968), doi:10.1037/h0026256.

    >>> cohen_kappa([1, 1, 0, 0], [1, 1, 1, 0]).kappa
    0.5
    """
    if weighting not in ("none", "linear", "quadratic"):
        raise ParameterError(f"weighting: expected 'none', 'linear' or 'quadratic', got {weighting!r}")
    if len(a) != len(b) or not len(a):
        raise InputError(Fault("labels", "the same items on both sides, at least one", f"{len(a)} and {len(b)}"))
    labels, codes = np.unique(np.concatenate([np.asarray(a), np.asarray(b)]), return_inverse=True)
    n, k = len(a), len(labels)
    x, y = codes[:n], codes[n:]
    same = float(np.mean(x == y))
    if k == 1:
        return Agreement(n, same, None, weighting, f"one label only ({labels[0]}): chance agrees as well")
    observed = np.bincount(x * k + y, minlength=k * k).reshape(k, k) / n
    expected = np.outer(observed.sum(axis=1), observed.sum(axis=0))
    weights = weights_of(k, weighting)
    kappa = 1 - (weights * observed).sum() / (weights * expected).sum()
    return Agreement(n, same, float(kappa), weighting)


def weights_of(k: int, weighting: Weighting) -> FloatArray:
    """How much a disagreement between two of k ordered labels counts, float64[k, k]."""
    apart = np.abs(np.subtract.outer(np.arange(k), np.arange(k))).astype(np.float64)
    return {"none": (apart > 0).astype(np.float64), "linear": apart, "quadratic": apart**2}[weighting]
