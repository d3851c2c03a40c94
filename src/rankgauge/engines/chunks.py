"""Chunks: a stream of rows as batches of whole rankings, and the proof that no ranking is in two of them."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np
import polars as pl

from rankgauge.records._columns import HashArray

T = TypeVar("T")


class Rows(Protocol):
    """What chunks are made from: the pieces of a dataset."""

    def batches(self, piece: int, *, start: int = 0, rows: int) -> Iterator[pl.DataFrame]:
        """Read rows of a piece from one on, so many at a time."""
        ...


@dataclass(frozen=True)
class Place:
    """A row of the input: the piece (by its number in the unit), and the row in it."""

    piece: int = 0
    row: int = 0


START = Place()


@dataclass(frozen=True)
class Chunk:
    """Whole rankings, as far as neighbouring rows tell; `after`: the first row that is not in them."""

    rows: pl.DataFrame
    after: Place
    last: bool = False


class NotGrouped(Exception):
    """The rows of a query do not stand together."""


def whole_rankings(
    source: Rows, pieces: Sequence[int], keys: Sequence[str], *, rows: int, start: Place = START
) -> Iterator[Chunk]:
    """Read chunks of about so many rows; the last ranking of one, perhaps unfinished, is kept for the next.

    Parameters
    ----------
    pieces : numbers of the pieces to read, in order; rankings may go on from one to the next
    keys : columns that tell rankings apart
    start : where to begin; `Place.piece` counts in `pieces`
    """
    held = _Held(list(keys))
    for number, piece in list(enumerate(pieces))[start.piece :]:
        row = start.row if number == start.piece else 0
        for frame in source.batches(piece, start=row, rows=rows):
            held.add(frame, Place(number, row))
            row += len(frame)
            if held.rows >= rows and held.closed:
                yield held.split()
    if held.rows:
        yield Chunk(pl.concat(held.frames), Place(len(pieces), 0), last=True)


class _Held:
    """Frames that were read, and where the last ranking in them begins."""

    def __init__(self, keys: list[str]) -> None:
        self.keys = keys
        self.frames: list[pl.DataFrame] = []
        self.rows = 0
        self._last: tuple[Any, ...] | None = None
        self._cut, self._at = (0, 0), START

    @property
    def closed(self) -> bool:
        """Whether a ranking is known to be over, as far as neighbouring rows tell."""
        return self._cut != (0, 0)

    def add(self, frame: pl.DataFrame, at: Place) -> None:
        """Take the next frame."""
        if not len(frame):
            return
        last = frame.select(self.keys).row(-1)
        others = frame.select(pl.any_horizontal(pl.col(k).ne_missing(v) for k, v in zip(self.keys, last, strict=True)))
        row = len(frame) - int(np.argmax(others.to_series().to_numpy()[::-1])) if others.to_series().any() else 0
        if row or last != self._last:
            self._cut, self._at = (len(self.frames), row), Place(at.piece, at.row + row)
        self._last = last
        self.frames.append(frame)
        self.rows += len(frame)

    def split(self) -> Chunk:
        """Give away all but the last ranking."""
        number, row = self._cut
        whole = [*self.frames[:number], self.frames[number][:row]]
        self.frames = [self.frames[number][row:], *self.frames[number + 1 :]]
        self.rows = sum(map(len, self.frames))
        self._cut = (0, 0)
        return Chunk(pl.concat(frame for frame in whole if len(frame)), self._at)


class Closed:
    """64-bit hashes of the rankings that were scored, in sorted arrays of growing length."""

    def __init__(self, keys: Sequence[str], most: int | None = None) -> None:
        self.keys, self.most = list(keys), most
        self._runs: list[HashArray] = []

    def __len__(self) -> int:
        return sum(map(len, self._runs))

    def close(self, chunk: Chunk) -> None:
        """Close a chunk's rankings; raises NotGrouped where one of them is closed already, or too many are.

        Two queries of one hash look like one that came back: that costs the time to part the rows, no value.
        """
        heads = heads_of(chunk.rows, self.keys)
        hashes = np.unique(heads)
        alone = chunk.last and not self._runs  # one batch holds everything, in whatever order
        if len(hashes) < len(heads) and not alone:
            raise NotGrouped
        self.add(hashes)

    def add(self, hashes: HashArray) -> None:
        """Add distinct hashes in ascending order."""
        for run in self._runs:
            at = np.minimum(np.searchsorted(run, hashes), len(run) - 1)
            if (run[at] == hashes).any():
                raise NotGrouped
        if self.most is not None and len(self) + len(hashes) > self.most:
            raise NotGrouped
        if len(hashes):
            self._runs.append(hashes)
        while len(self._runs) > 1 and len(self._runs[-2]) < 2 * len(self._runs[-1]):
            both = np.concatenate([self._runs.pop(), self._runs.pop()])
            both.sort(kind="stable")  # it merges what is sorted already
            self._runs.append(both)


def heads_of(rows: pl.DataFrame, keys: Sequence[str]) -> HashArray:
    """Hash the first row's keys of each stretch of rows with equal keys, which their hashes tell apart."""
    hashes = rows.select(keys).hash_rows().to_numpy()
    heads: HashArray = hashes[np.append(True, hashes[1:] != hashes[:-1])[: len(hashes)]]
    return heads


def ahead(items: Iterable[T]) -> Generator[T, None, None]:
    """Fetch the next item in a thread of its own while the caller works on this one."""
    coming = iter(items)
    with ThreadPoolExecutor(1, "ahead") as pool:
        pending = pool.submit(next, coming, None)
        while (item := pending.result()) is not None:
            pending = pool.submit(next, coming, None)
            yield item
