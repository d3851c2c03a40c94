"""Rows as they stand in a file: what every reader delivers and what qrels and runs are built from."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from rankgauge.errors import Fault, FormatError
from rankgauge.formats._bytes import Source
from rankgauge.records import Note
from rankgauge.records._columns import FloatArray, IntArray

MOST_FAULTS = 100
HIGHEST_RANK = 1 << 53  # whole numbers below it are the same as float64
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(inf|infinity|nan)", re.ASCII | re.IGNORECASE)
_DECIMAL_COMMA = re.compile(r"[+-]?[\d.' ]*\d,\d+", re.ASCII)
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(,\d{3})+\.\d+", re.ASCII)

Locate = Callable[[Sequence[int]], list[str]]


@dataclass(frozen=True)
class Rows:
    """Columns of equal length in the order of the file.

    Attributes
    ----------
    query, doc : String[n]
    value : float64[n] or None; grades or scores
    rank : int64[n] or None, as given
    second : String[n] or None; column 2 of TREC qrels, or a named subtopic
    subtopics : whether `second` is known to be the subtopic
    locate : names the place of rows, "file:line" where the file has lines
    """

    query: pl.Series
    doc: pl.Series
    value: FloatArray | None
    locate: Locate
    rank: IntArray | None = None
    second: pl.Series | None = None
    subtopics: bool = False
    notes: tuple[Note, ...] = ()

    def __len__(self) -> int:
        return len(self.doc)

    def taken(self, keep: pl.Series, note: Note) -> Rows:
        """Return the rows that are marked, with a note on the others."""
        kept = np.flatnonzero(keep.to_numpy())
        return Rows(
            query=self.query.gather(kept),
            doc=self.doc.gather(kept),
            value=None if self.value is None else self.value[kept],
            locate=lambda rows: self.locate(kept[list(rows)].tolist()),
            rank=None if self.rank is None else self.rank[kept],
            second=None if self.second is None else self.second.gather(kept),
            subtopics=self.subtopics,
            notes=(*self.notes, note),
        )


@dataclass
class Faults:
    """Collects what is wrong with a file, counts all of it, and keeps the first hundred."""

    kept: list[Fault] = field(default_factory=list)
    total: int = 0

    def add(self, where: str, expected: str, got: str, advice: str = "") -> None:
        """Count one fault, and keep it while there is room."""
        self.total += 1
        if len(self.kept) < MOST_FAULTS:
            self.kept.append(Fault(where, expected, got, advice))

    def take(self, faults: Sequence[Fault], total: int) -> None:
        """Count faults that were found elsewhere, and keep them while there is room."""
        self.total += total
        self.kept += faults[: MOST_FAULTS - len(self.kept)]

    def check(self) -> None:
        """Raise what was collected, if anything was."""
        if self.total:
            raise FormatError(self.kept, total=self.total)


def pair_place(source: Source, query: Sequence[str], doc: Sequence[str]) -> Locate:
    """Name rows of a file that has no lines by their query and document."""
    return lambda rows: [f"{source.label}, query {query[row]!r}, document {doc[row]!r}" for row in rows]


def line_place(source: Source, lines: Callable[[], Iterable[int]]) -> Locate:
    """Name rows by their line; the line numbers are counted only when they are needed."""
    known: list[IntArray] = []

    def locate(rows: Sequence[int]) -> list[str]:
        if not known:
            known.append(np.fromiter(lines(), dtype=np.int64))
        return [source.at(int(known[0][row])) for row in rows]

    return locate


def number(text: str) -> float | None:
    """Read a number as C does, or None for text that is none.

    >>> number("1e-3"), number("1_000"), number("0,91")
    (0.001, None, None)
    """
    return float(text) if _NUMBER.fullmatch(text) else None


def numbers(column: pl.Series) -> FloatArray | None:
    """Read a column of text as float64, or None where any of it is not a number."""
    values = column.cast(pl.Float64, strict=False)
    if values.null_count():
        return None
    return values.to_numpy()


def not_a_number(text: str) -> str:
    """Say how a text fails to be a number, with a guess at the cause.

    >>> not_a_number("0,91")
    "'0,91', which is not a number (decimal comma?)"
    """
    guess = " (decimal comma?)" if _DECIMAL_COMMA.fullmatch(text) else ""
    guess = " (thousands signs?)" if _THOUSANDS.fullmatch(text) else guess
    return f"{text!r}, which is not a number{guess}"


def number_advice(text: str) -> str:
    """Say what to do about a text that should be a number."""
    if _DECIMAL_COMMA.fullmatch(text) or _THOUSANDS.fullmatch(text):
        return "write numbers with a point and without thousands signs"
    return "mend or remove the line"


def ranks_of(column: pl.Series) -> IntArray | None:
    """Read a column of text as ranks, or None where any of it is not a whole number."""
    values = column.cast(pl.Int64, strict=False)
    if values.null_count() or (values >= HIGHEST_RANK).any():
        return None
    return values.to_numpy()


def blocks(rows: Iterable[Any], size: int = 1 << 18) -> Iterator[list[Any]]:
    """Cut an iterable into lists of at most `size`."""
    block: list[Any] = []
    for row in rows:
        block.append(row)
        if len(block) == size:
            yield block
            block = []
    if block:
        yield block
