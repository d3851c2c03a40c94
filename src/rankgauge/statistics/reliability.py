"""Agreement of labellings beyond chance with bootstrap intervals: kappa, Krippendorff's alpha, Gwet's AC2."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from rankgauge.errors import Fault, InputError
from rankgauge.judged import BoolArray, FloatArray, IntArray
from rankgauge.statistics._samples import draws, one_of, share
from rankgauge.statistics.agreement import Weighting, weights_of

Scale = Literal["nominal", "ordinal", "interval"]

MOST_LABELS = 100
ONE_LABEL = "one label only: chance agrees as well"
NOTHING_TWICE = "no item with two labels"


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """How an interval is had: items are drawn, or whole clusters of items that belong together.

    Attributes
    ----------
    clusters : a name per item, as its query; None: each item stands for itself
    """

    rng: np.random.Generator
    clusters: Sequence[Any] | None = None
    confidence: float = 0.95
    resamples: int = 2000


@dataclass(frozen=True)
class Coefficient:
    """An agreement beyond chance: 1 for full agreement, 0 for that of chance.

    Attributes
    ----------
    value : None where it is 0/0 or nothing has two labels; `outcome` then says why
    low, high : percentile interval of the bootstrap; None where none was asked for or none exists
    n : number of items that count
    left_out : items without two labels
    clusters : that were drawn; None where items were
    outcome : empty, or what is degenerate
    """

    name: str
    value: float | None
    n: int
    left_out: int = 0
    low: float | None = None
    high: float | None = None
    confidence: float | None = None
    clusters: int | None = None
    outcome: str = ""


def kappa(ratings: npt.ArrayLike, *, weighting: Weighting = "none", bootstrap: Bootstrap | None = None) -> Coefficient:
    """Cohen's kappa of two labellings as `agreement.cohen_kappa` has it, with an interval.

    Parameters
    ----------
    ratings : float[2, U], NaN where an item has no label; such items are left out and counted

    Source: Cohen (1960), doi:10.1177/001316446002000104; Cohen (1968), doi:10.1037/h0026256.

    >>> kappa([[1, 1, 0, 0], [1, 1, 1, 0]]).value
    0.5
    """
    one_of("weighting", weighting, get_args(Weighting))
    items = _Items.of(ratings)
    if items.codes.shape[1] != 2:
        raise InputError(Fault("ratings", "two labellings", f"{items.codes.shape[1]}", "try krippendorff_alpha"))
    k = len(items.labels)
    both: BoolArray = np.all(items.codes >= 0, axis=1)
    a, b = np.where(both[:, None], items.codes, 0).T
    cells = np.eye(k * k)[a * k + b] * both[:, None]
    weights = weights_of(k, weighting)

    def formula(counts: FloatArray) -> FloatArray:
        table = _shares((counts @ cells).reshape(-1, k, k))
        expected = table.sum(axis=2)[:, :, None] * table.sum(axis=1)[:, None, :]
        return _beyond((weights * table).sum(axis=(1, 2)), (weights * expected).sum(axis=(1, 2)))

    name = {"none": "kappa", "linear": "linear kappa", "quadratic": "quadratic kappa"}[weighting]
    return _with_interval(name, items, formula, both, bootstrap)


def krippendorff_alpha(
    ratings: npt.ArrayLike, *, scale: Scale = "nominal", bootstrap: Bootstrap | None = None
) -> Coefficient:
    """Krippendorff's alpha of two or more labellings, where labels may be missing.

    alpha = 1 - (n - 1) Σ o(c, k) δ²(c, k) / Σ n_c n_k δ²(c, k),  o the coincidences, n_c = Σ_k o(c, k)

    δ² is [c ≠ k] on a nominal scale, (c - k)² on an interval scale, and on an ordinal one
    (n_c / 2 + Σ of the n between + n_k / 2)².

    Parameters
    ----------
    ratings : float[R, U], a row per labelling, NaN where it has no label; items with one label are left out

    Source: Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, repository.upenn.edu/asc_papers/43.

    >>> round(krippendorff_alpha([[1, 2, 3, 3], [1, 2, 3, 2]], scale="interval").value, 4)
    0.8205
    """
    one_of("scale", scale, get_args(Scale))
    items = _Items.of(ratings)
    counts = items.counts()
    labels = counts.sum(axis=1)
    pairs = np.einsum("pc,pk->pck", counts, counts) - np.einsum("pc,ck->pck", counts, np.eye(counts.shape[1]))
    pairs = pairs / np.maximum(labels - 1, 1)[:, None, None]

    def formula(drawn: FloatArray) -> FloatArray:
        seen = np.einsum("bp,pck->bck", drawn, pairs)
        n_c = seen.sum(axis=2)
        apart = _apart(scale, items.labels, n_c)
        expected = (n_c[:, :, None] * n_c[:, None, :] * apart).sum(axis=(1, 2))
        return _beyond((n_c.sum(axis=1) - 1) * (seen * apart).sum(axis=(1, 2)), expected)

    return _with_interval(f"alpha ({scale})", items, formula, labels > 1, bootstrap)


def gwet_ac2(
    ratings: npt.ArrayLike,
    *,
    weighting: Weighting = "quadratic",
    labels: Sequence[float] | None = None,
    bootstrap: Bootstrap | None = None,
) -> Coefficient:
    """Gwet's AC2, which stays high where nearly all labels are the same and kappa does not; unweighted it is AC1.

    AC2 = (p_a - p_e) / (1 - p_e),  p_e = Σ w / (q (q - 1)) · Σ_k π_k (1 - π_k),  w = 1 - disagreement / the largest

    Parameters
    ----------
    ratings : float[R, U], a row per labelling, NaN where it has no label
    labels : the q labels of the scale; None: those that occur

    Source: Gwet (2014), Handbook of Inter-Rater Reliability, 4th edition, chapters 4 and 5.

    >>> round(gwet_ac2([[1, 1, 1, 0], [1, 1, 1, 1]], weighting="none").value, 2)
    0.68
    """
    one_of("weighting", weighting, get_args(Weighting))
    items = _Items.of(ratings, labels)
    counts, q = items.counts(), len(items.labels)
    given = counts.sum(axis=1)
    alike = 1 - weights_of(q, weighting) / max(weights_of(q, weighting).max(), 1)
    pairs = np.maximum(given * (given - 1), 1)
    agreed = np.where(given > 1, (counts * (counts @ alike - 1)).sum(axis=1) / pairs, 0)
    shares = counts / np.maximum(given, 1)[:, None]

    def formula(drawn: FloatArray) -> FloatArray:
        with np.errstate(invalid="ignore", divide="ignore"):
            seen = (drawn @ agreed) / (drawn @ (given > 1).astype(np.float64))
            pi = (drawn @ shares) / (drawn @ (given > 0).astype(np.float64))[:, None]
            chance = alike.sum() / (q * (q - 1)) * (pi * (1 - pi)).sum(axis=1)
        return _beyond(1 - seen, 1 - chance)

    name = "AC1" if weighting == "none" else f"AC2 ({weighting})"
    return _with_interval(name, items, formula, given > 1, bootstrap)


@dataclass(frozen=True, eq=False)
class _Items:
    """Items by the pattern of their labels: labels float64[k], codes int64[P, R] (-1: none), pattern int64[U]."""

    labels: FloatArray
    codes: IntArray
    pattern: IntArray

    @classmethod
    def of(cls, ratings: npt.ArrayLike, scale: Sequence[float] | None = None) -> _Items:
        values = np.asarray(ratings, dtype=np.float64)
        if values.ndim != 2 or len(values) < 2 or not values.shape[1] or np.isinf(values).any():
            got = f"an array of shape {values.shape}" if not np.isinf(values).any() else "an infinite label"
            advice = "a row per labelling, NaN where a label is missing"
            raise InputError(Fault("ratings", "two or more labellings of the same items", got, advice))
        there = ~np.isnan(values)
        occur = np.unique(values[there])
        labels = occur if scale is None else np.unique(np.asarray(scale, dtype=np.float64))
        if strange := sorted(set(occur.tolist()) - set(labels.tolist())):
            raise InputError(Fault("ratings", f"labels of the scale {labels.tolist()}", f"{strange[0]:g}"))
        if len(labels) > MOST_LABELS:
            advice = "round them to the grades of a scale"
            raise InputError(Fault("ratings", f"at most {MOST_LABELS} different labels", f"{len(labels)}", advice))
        codes = np.where(there, np.searchsorted(labels, np.where(there, values, 0)), -1)
        patterns, pattern = np.unique(codes.T, axis=0, return_inverse=True)
        return cls(labels, patterns, pattern.reshape(-1))

    def counts(self) -> FloatArray:
        """How often each pattern has each label, float64[P, k]."""
        each = self.codes[:, :, None] == np.arange(max(len(self.labels), 1))
        return np.asarray(each.sum(axis=1), dtype=np.float64)

    def drawn(self, bootstrap: Bootstrap) -> tuple[FloatArray, int | None]:
        """Patterns in each bootstrap sample, float64[B, P], and the number of clusters drawn from."""
        draw, P = draws(bootstrap.rng, bootstrap.resamples), len(self.codes)
        if bootstrap.clusters is None:
            seen = np.bincount(self.pattern, minlength=P)
            rng = np.random.default_rng(draw.seed)
            return rng.multinomial(seen.sum(), seen / seen.sum(), size=draw.resamples).astype(np.float64), None
        names, cluster = np.unique(np.asarray(bootstrap.clusters), return_inverse=True)
        if len(cluster) != len(self.pattern):
            raise InputError(Fault("clusters", f"one per item, {len(self.pattern)}", f"{len(cluster)}"))
        tables = np.bincount(cluster * P + self.pattern, minlength=len(names) * P).reshape(len(names), P)
        return np.concatenate([counts @ tables for counts in draw.counts(len(names))]), len(names)


def _with_interval(
    name: str,
    items: _Items,
    formula: Callable[[FloatArray], FloatArray],
    counts_if: BoolArray,
    bootstrap: Bootstrap | None,
) -> Coefficient:
    seen = np.bincount(items.pattern, minlength=len(items.codes)).astype(np.float64)
    n = int(seen[counts_if].sum())
    left_out = int(seen.sum()) - n
    value = float(formula(seen[None, :])[0]) if n and len(items.labels) > 1 else np.nan
    if np.isnan(value):
        return Coefficient(name, None, n, left_out, outcome=ONE_LABEL if n else NOTHING_TWICE)
    if bootstrap is None:
        return Coefficient(name, value, n, left_out)
    share("confidence", bootstrap.confidence)
    drawn, clusters = items.drawn(bootstrap)
    if clusters is not None and clusters < 2:
        return Coefficient(name, value, n, left_out, clusters=clusters, outcome="one cluster: no interval")
    found = formula(drawn)
    undefined = int(np.isnan(found).sum())
    outcome = f"{undefined} of {len(found)} resamples have one label only and are left out" if undefined else ""
    tails = [(1 - bootstrap.confidence) / 2, (1 + bootstrap.confidence) / 2]
    if undefined == len(found):
        return Coefficient(name, value, n, left_out, clusters=clusters, outcome=outcome)
    low, high = np.quantile(found[~np.isnan(found)], tails).tolist()
    return Coefficient(name, value, n, left_out, low, high, bootstrap.confidence, clusters, outcome)


def _shares(tables: FloatArray) -> FloatArray:
    with np.errstate(invalid="ignore"):
        shares: FloatArray = tables / tables.sum(axis=(1, 2), keepdims=True)
    return shares


def _beyond(disagreement: FloatArray, by_chance: FloatArray) -> FloatArray:
    """1 - seen / expected disagreement; NaN where chance has none."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(by_chance > 0, 1 - disagreement / by_chance, np.nan)


def _apart(scale: Scale, labels: FloatArray, n_c: FloatArray) -> FloatArray:
    """Squared distances float64[B or 1, k, k]."""
    if scale == "nominal":
        return (1 - np.eye(len(labels)))[None]
    places = labels[None] if scale == "interval" else np.cumsum(n_c, axis=1) - n_c / 2
    return np.asarray((places[:, :, None] - places[:, None, :]) ** 2)
