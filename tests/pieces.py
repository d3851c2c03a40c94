"""A dataset made of frames: what `formats.datasets` gives, without files."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field

import polars as pl

from rankgauge.records import Note


@dataclass(frozen=True)
class Piece:
    group: tuple[str, ...] = ()


@dataclass(frozen=True)
class Survey:
    rows: int
    pieces: tuple[int, ...]
    top_grade: float
    from_zero: bool = False
    empty_grades: int = 0
    notes: tuple[Note, ...] = ()


@dataclass
class Frames:
    """Frames as pieces; `by` columns are in them, and in `groups` where paths would name them."""

    frames: list[pl.DataFrame]
    order: str = "rank"
    by: tuple[str, ...] = ()
    groups: list[tuple[str, ...]] | None = None
    graded: bool = True
    trusted: bool = False
    label: str = "log"
    read: list[tuple[int, int]] = field(default_factory=list)

    @property
    def pieces(self) -> tuple[Piece, ...]:
        return tuple(Piece(group) for group in self.groups or [()] * len(self.frames))

    def identity(self) -> str:
        text = repr([frame.to_dict(as_series=False) for frame in self.frames])
        return hashlib.sha256(text.encode()).hexdigest()

    def survey(self) -> Survey:
        grades = pl.concat(f["grade"] for f in self.frames) if self.graded else pl.Series([1.0])
        top = max(1.0, grades.fill_nan(None).max() or 1.0)
        return Survey(sum(map(len, self.frames)), tuple(map(len, self.frames)), top)

    def batches(self, piece: int, *, start: int = 0, rows: int) -> Iterator[pl.DataFrame]:
        frame = self.frames[piece]
        for row in range(start, len(frame), rows):
            self.read.append((piece, row))
            yield frame[row : row + rows]
