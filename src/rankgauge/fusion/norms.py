"""Normalisations: scores of different systems on one scale."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rankgauge.errors import Fault, InputError, MethodError, did_you_mean
from rankgauge.fusion._lists import Lists
from rankgauge.judged import BoolArray, FloatArray

Formula = Callable[[Lists], FloatArray]

FLAT = 1.0
"""What a list of equal scores, or of one document, is worth where its normalisation would be 0/0.

As in Anserini: a document that was returned is worth more than one that was not. min-max and max give it to each
document, sum shares it among them; a z-score needs no such rule: it is 0, the mean.
"""


@dataclass(frozen=True, eq=False)
class Norm:
    """A declared normalisation; `complete` ones also give scores to candidates that a run did not return."""

    name: str
    aliases: tuple[str, ...]
    formula: Formula
    summary: str
    equation: str
    cite: str
    complete: bool

    def of(self, lists: Lists) -> FloatArray:
        """Scores of the rows, float64[n]."""
        return self.formula(lists)


NORMS: dict[str, Norm] = {}


def normalization(name: str, *aliases: str, cite: str = "", complete: bool = False) -> Callable[[Formula], Norm]:
    """Declare a normalisation: a function of Lists that returns a score per row, float64[n]."""

    def declare(formula: Formula) -> Norm:
        paragraphs = [re.sub(r"\s+", " ", p) for p in inspect.cleandoc(formula.__doc__ or "").split("\n\n")]
        NORMS[name] = Norm(name, aliases, formula, paragraphs[0], paragraphs[1], cite, complete)
        return NORMS[name]

    return declare


def find_norm(name: str) -> Norm:
    """Find a normalisation by its name or an alias.

    >>> find_norm("zmuv").name
    'z-score'
    """
    known = {alias: norm for norm in NORMS.values() for alias in (norm.name, *norm.aliases)}
    if (plain := name.lower().replace("_", "-")) not in known:
        raise MethodError(f"no normalisation named {name!r}{did_you_mean(name, known)} (there are: {', '.join(NORMS)})")
    return known[plain]


@normalization("none")
def none(lists: Lists) -> FloatArray:
    """The scores as they are.

    s
    """
    return lists.score


@normalization("min-max", "minmax", cite="lee1997")
def min_max(lists: Lists) -> FloatArray:
    """From 0 for the list's lowest score to 1 for its highest.

    (s - min) / (max - min); 1 where all are equal
    """
    low, spread, flat = _range(lists)
    return np.where(flat, FLAT, (lists.score - low) / spread)


@normalization("max")
def maximum(lists: Lists) -> FloatArray:
    """Parts of the list's highest score, which must be above 0.

    s / max; 1 where all are equal
    """
    high = lists.over_list(np.maximum, lists.score)
    _, _, flat = _range(lists)
    wrong = np.flatnonzero((high <= 0) & ~flat)
    if len(wrong):
        row = int(wrong[0])
        where = f"run {lists.names[lists.run[row]]!r}, query {lists.queries[int(lists.query[row])]!r}"
        got = f"{high[row]:g}"
        raise InputError(Fault(where, "a highest score above 0", got, "choose another normalisation: min-max"))
    return np.where(flat, FLAT, lists.score / np.where(flat, 1.0, high))


@normalization("sum", cite="montague2001")
def total(lists: Lists) -> FloatArray:
    """Distances from the list's lowest score, as parts of their sum.

    (s - min) / Σ (s - min); 1/n where all n are equal
    """
    low, _, flat = _range(lists)
    above = lists.score - low
    return np.where(flat, FLAT / _count(lists), above / np.where(flat, 1.0, lists.over_list(np.add, above)))


@normalization("z-score", "zscore", "zmuv", cite="montague2001")
def z_score(lists: Lists) -> FloatArray:
    """Distances from the list's mean, in standard deviations (of the population).

    (s - mean) / sd; 0 where all are equal
    """
    low, spread, flat = _range(lists)
    shifted = (lists.score - low) / spread  # the same z, and no overflow
    centred = shifted - lists.over_list(np.add, shifted) / _count(lists)
    deviation = np.sqrt(lists.over_list(np.add, centred**2) / _count(lists))
    return np.where(flat, 0.0, centred / np.where(flat, 1.0, deviation))


@normalization("rank", cite="renda2003")
def rank(lists: Lists) -> FloatArray:
    """From 1 for the first of n documents in equal steps to 1/n for the last.

    1 - (rank - 1) / n
    """
    return 1 - (lists.rank - 1) / lists.size


@normalization("borda", cite="renda2003", complete=True)
def borda(lists: Lists) -> FloatArray:
    """Borda counts as parts of 1; those not returned share what is left.

    1 - (rank - 1) / C; not returned: 1/2 - (n - 1) / 2C, for C candidates of which the run returned n
    """
    pool = lists.pool[lists.query]
    return np.where(lists.rank > 0, 1 - (lists.rank - 1) / pool, 0.5 - (lists.size - 1) / (2 * pool))


def _range(lists: Lists) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Per row its list's lowest score, the distance to the highest (1 where flat), and whether all are equal."""
    low, high = lists.over_list(np.minimum, lists.score), lists.over_list(np.maximum, lists.score)
    flat = low == high
    return low.astype(np.float64), np.where(flat, 1.0, high - low), flat


def _count(lists: Lists) -> FloatArray:
    """Number of documents in each row's list."""
    return lists.over_list(np.add, np.ones(len(lists.run))).astype(np.float64)
