"""Spilling: rows parted by the hash of their query into files on disk, so that each part fits in memory."""

from __future__ import annotations

import io
from collections.abc import Iterator
from io import FileIO
from pathlib import Path

import numpy as np
import polars as pl

MOST_PARTS = 128
"""Files that are open at once; what is still too large is parted again."""

OLDEST = pl.CompatLevel.oldest()
"""Text in one buffer: a slice takes its own bytes along and no others."""


class Spill:
    """Rows in so many files, each a row of compressed Arrow streams; rows of a part keep their order.

    A context: rows are added in it, and read after it.
    """

    def __init__(self, folder: Path, key: str, parts: int, *, seed: int = 0) -> None:
        self.folder, self.key, self.parts, self.seed = folder, key, parts, seed
        self.rows = [0] * parts
        self._pieces: list[list[tuple[int, int]]] = [[] for _ in range(parts)]
        self._files: dict[int, FileIO] = {}
        folder.mkdir(parents=True)

    def add(self, frame: pl.DataFrame) -> None:
        """Part the rows of a frame."""
        if not len(frame):
            return
        part = (frame[self.key].hash(self.seed) % self.parts).to_numpy()
        order = np.argsort(part.astype(np.uint8), kind="stable")
        ends = np.cumsum(np.bincount(part, minlength=self.parts))
        rows = frame[order]
        for number, end in enumerate(ends.tolist()):
            start = int(ends[number - 1]) if number else 0
            if end > start:
                self._write(number, rows[start:end])

    def _write(self, number: int, rows: pl.DataFrame) -> None:
        file = self._files.get(number) or self._path(number).open("wb", buffering=0)
        self._files[number] = file
        packed = io.BytesIO()
        rows.write_ipc_stream(packed, compression="lz4", compat_level=OLDEST)
        self._pieces[number].append((file.tell(), packed.tell()))
        left = packed.getbuffer()
        while left:
            left = left[file.write(left) :]
        self.rows[number] += len(rows)

    def __enter__(self) -> Spill:
        return self

    def __exit__(self, *error: object) -> None:
        """Close the files; nothing can be added any more."""
        for file in self._files.values():
            file.close()

    def frames(self, number: int) -> Iterator[pl.DataFrame]:
        """Read a part again, frame by frame."""
        if not self._pieces[number]:
            return
        with self._path(number).open("rb") as file:
            for offset, length in self._pieces[number]:
                file.seek(offset)
                yield pl.read_ipc_stream(io.BytesIO(file.read(length)))

    def read(self, number: int) -> pl.DataFrame | None:
        """Read a whole part; None where it has no rows."""
        frames = list(self.frames(number))
        return pl.concat(frames) if frames else None

    def drop(self, number: int) -> None:
        """Remove a part's file."""
        self._path(number).unlink(missing_ok=True)

    def parted(self, number: int, parts: int, folder: Path) -> Spill:
        """Part one part again, by another hash, in a folder of its own."""
        with Spill(folder, self.key, parts, seed=self.seed + 1) as again:
            for frame in self.frames(number):
                again.add(frame)
        return again

    def _path(self, number: int) -> Path:
        return self.folder / f"{number:03}.arrow"


def parts_for(rows: int, each: int) -> int:
    """How many parts make each of them small enough, also where they differ in size."""
    return max(2, min(MOST_PARTS, -(-rows * 4 // (each * 3))))
