"""The fast path of the TREC run reader: plain files only, and `None` for everything that is not plain.

A file is plain when every line holds six non-empty fields, one blank (or one tab) apart, with an integer
rank and a finite score, in valid UTF-8, and no query and document come twice, unless the caller takes twins.
The bytes are cut into blocks at line ends; each block is checked and parsed while it is in the cache. Whatever is
unusual is left to the tolerant reader, which can name the line: this module never guesses and never reports.
"""

from __future__ import annotations

import inspect
import mmap
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

BLOCK = 4 << 20  # bytes parsed at a time; more would leave the cache
MOST_THREADS = 8
FIELDS = 6
_BOM = b"\xef\xbb\xbf"
_PIECE = 1 << 18  # bytes whose masks stay in the cache of one core
_HEAD = 1 << 16  # bytes in which the separator must appear
_SHORTEST_LINE = len("q 0 d 1 1 t\n")
_MIX = np.uint64(0x9E3779B97F4A7C15)  # odd: multiplying by it loses no bit of a hash

# The seventh column is there to be empty: a value in it shows a line with too many fields.
_SCHEMA: dict[str, Any] = {f"column_{i}": pl.String for i in range(1, FIELDS + 2)}
_SCHEMA |= {"column_4": pl.Int64, "column_5": pl.Float64, "column_7": pl.Boolean}
_OPTIONS: dict[str, Any] = {
    "schema": _SCHEMA,
    "columns": [0, 2, 3, 4, 6],
    "has_header": False,
    "quote_char": None,
}
if "missing_columns" in inspect.signature(pl.read_csv).parameters:  # polars 2 pads only when asked
    _OPTIONS["missing_columns"] = "insert"

Source = Path | bytes | mmap.mmap | memoryview
_Read = Callable[[int, int], bytes]
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class FastRun:
    """Rows of a run in file order, cut into segments: stretches of rows with the same query.

    A query whose rows are not together has several segments. No query and document come twice, unless asked for.
    Row i stands on line i + 1. `docs` has one chunk per block.
    """

    query_ids: pl.Series  # String[S]
    offsets: NDArray[np.int64]  # int64[S + 1]
    docs: pl.Series  # String[n]
    scores: NDArray[np.float64]  # float64[n]
    doc_hash: NDArray[np.uint64]  # uint64[n], what docs.hash() gives
    rank_conflicts: int  # neighbours of one query whose rank and score both grow or both fall
    first_conflict_line: int | None  # of the second row of the first such pair


@dataclass(frozen=True, slots=True)
class _Block:
    query_ids: pl.Series
    starts: NDArray[np.int64]  # first row of each segment
    docs: pl.Series
    scores: NDArray[np.float64]
    doc_hash: NDArray[np.uint64]
    outer_ranks: tuple[int, int]
    conflicts: int
    first_conflict: int  # row, when there are conflicts


def read_run(
    source: Source, *, block_size: int = BLOCK, progress: Progress | None = None, twins: bool = False
) -> FastRun | None:
    """Rows of a plain TREC run, or None when the file needs the tolerant reader.

    Parameters
    ----------
    source : Path, bytes, mmap or memoryview
        The file or its whole content, not compressed. A path takes the least memory.
    block_size : int
        About how many bytes are parsed at a time.
    progress : callable, optional
        Called with the bytes read so far and in all.
    twins : bool
        Take a document that stands twice under a query, instead of returning None.
    """
    size = source.stat().st_size if isinstance(source, Path) else len(source)
    read = partial(_from_file, source) if isinstance(source, Path) else partial(_from_memory, source)
    head = read(0, min(size, _HEAD)).partition(b"\n")[0]
    separator = next((mark for mark in ("\t", " ") if mark.encode() in head), None)
    if separator is None:
        return None
    with ThreadPoolExecutor(min(os.cpu_count() or 1, MOST_THREADS)) as pool:
        try:
            starts, ends = zip(*_cuts(read, size, block_size), strict=True)
            blocks = pool.map(partial(_block, read, separator, twins), starts, ends)
            rows = _Rows(most=size // _SHORTEST_LINE + 1)
            for block, end in zip(blocks, ends, strict=True):
                if block is None:
                    return None
                rows.add(block)
                if progress is not None:
                    progress(end, size)
            return rows.run(twins=twins)
        finally:
            pool.shutdown(cancel_futures=True)


def _from_file(path: Path, start: int, end: int) -> bytes:
    with path.open("rb", buffering=0) as file:
        file.seek(start)
        return file.read(end - start)


def _from_memory(data: bytes | mmap.mmap | memoryview, start: int, end: int) -> bytes:
    return bytes(data[start:end])


def _cuts(read: _Read, size: int, block_size: int) -> Iterator[tuple[int, int]]:
    """Start and end of blocks of whole lines."""
    start = 0
    while start < size:
        end = min(start + block_size, size)
        while end < size and (found := read(end - 1, min(end + _PIECE, size)).find(b"\n")) != 0:
            end = min(end + (found if found > 0 else _PIECE), size)
        yield start, end
        start = end


def _block(read: _Read, separator: str, twins: bool, start: int, end: int) -> _Block | None:
    """One block of whole lines, or None when it is not plain."""
    text = read(start, end)
    if not text.endswith(b"\n"):
        text += b"\n"
    if text.startswith((_BOM, b"#")) or (b"#" in text and b"\n#" in text):
        return None
    rows = _regular_lines(np.frombuffer(text, np.uint8), ord(separator))
    if rows is None:
        return None
    try:
        frame = pl.read_csv(text, separator=separator, **_OPTIONS)
    except (pl.exceptions.PolarsError, OSError):  # OSError: an id like 'x^' that begins as zlib's streams do
        return None
    if frame.height != rows or frame.null_count().row(0) != (0, 0, 0, 0, rows):
        return None
    query, docs, ranks, scores, _ = frame.rechunk().get_columns()
    return _checked(query, docs, ranks.to_numpy(), scores.to_numpy(), twins=twins)


def _regular_lines(text: NDArray[np.uint8], separator: int) -> int | None:
    """Number of lines, if five separators go with each, none beside another, and no other white space."""
    lines = separators = white = 0
    before = True
    for start in range(0, len(text), _PIECE):
        piece = text[start : start + _PIECE]
        is_white = piece <= ord(" ")
        if (before and is_white[0]) or (is_white[1:] & is_white[:-1]).any():
            return None
        before = bool(is_white[-1])
        white += int(np.count_nonzero(is_white))
        separators += int(np.count_nonzero(piece == separator))
        lines += int(np.count_nonzero(piece == ord("\n")))
    return lines if separators == (FIELDS - 1) * lines and white == FIELDS * lines else None


def _checked(
    query: pl.Series, docs: pl.Series, ranks: NDArray[np.int64], scores: NDArray[np.float64], *, twins: bool
) -> _Block | None:
    """The block, or None when a score is not finite or, unless twins are taken, a query and document come twice."""
    changes = (query[1:] != query[:-1]).to_numpy()
    starts = np.flatnonzero(np.concatenate([[True], changes]))
    ids, doc_hash = query.gather(starts), docs.hash().to_numpy()
    if not np.isfinite(scores).all():
        return None
    if not twins and _twins(ids, np.diff(starts, append=len(docs)), doc_hash):
        return None
    conflicts = _conflicts(ranks[:-1], ranks[1:], scores[:-1], scores[1:]) & ~changes
    return _Block(
        query_ids=ids,
        starts=starts,
        docs=docs,
        scores=scores,
        doc_hash=doc_hash,
        outer_ranks=(ranks[0], ranks[-1]),
        conflicts=int(np.count_nonzero(conflicts)),
        first_conflict=int(conflicts.argmax()) + 1 if conflicts.any() else 0,
    )


def _conflicts(rank: Any, next_rank: Any, score: Any, next_score: Any) -> Any:
    """Where rank and score grow together or fall together; of arrays or of single values."""
    return ((next_rank > rank) & (next_score > score)) | ((next_rank < rank) & (next_score < score))


def _twins(query_ids: pl.Series, lengths: NDArray[np.int64], doc_hash: NDArray[np.uint64]) -> bool:
    """Whether a query and document come twice, or have hashes that say so (once in 10^6 runs)."""
    keys = np.repeat(query_ids.hash().to_numpy() * _MIX, lengths)
    keys ^= doc_hash
    keys.sort()
    return bool((keys[1:] == keys[:-1]).any())


class _Rows:
    """All blocks put together in file order."""

    def __init__(self, most: int) -> None:
        # Pages that stay untouched take no memory.
        self.scores = np.empty(most, np.float64)
        self.doc_hash = np.empty(most, np.uint64)
        self.query_ids: list[pl.Series] = []
        self.starts: list[NDArray[np.int64]] = []
        self.docs: list[pl.Series] = []
        self.count = self.conflicts = 0
        self.first_conflict: int | None = None
        self.last_rank: int | None = None

    def add(self, block: _Block) -> None:
        start, end = self.count, self.count + len(block.docs)
        self.scores[start:end], self.doc_hash[start:end] = block.scores, block.doc_hash
        if self._conflict_at_border(block):
            self._note(1, start)
        self._note(block.conflicts, start + block.first_conflict)
        self.query_ids.append(block.query_ids)
        self.starts.append(block.starts + start)
        self.docs.append(block.docs)
        self.count, self.last_rank = end, block.outer_ranks[1]

    def _conflict_at_border(self, block: _Block) -> bool:
        if self.last_rank is None or self.query_ids[-1][-1] != block.query_ids[0]:
            return False
        last_score = self.scores[self.count - 1]
        return bool(_conflicts(self.last_rank, block.outer_ranks[0], last_score, block.scores[0]))

    def _note(self, conflicts: int, row: int) -> None:
        if conflicts and self.first_conflict is None:
            self.first_conflict = row
        self.conflicts += conflicts

    def run(self, *, twins: bool) -> FastRun | None:
        """The run, or None when, unless twins are taken, a query and document come twice in two blocks."""
        ids, starts = pl.concat(self.query_ids), np.concatenate([*self.starts, [self.count]])
        new = np.concatenate([[True], (ids[1:] != ids[:-1]).to_numpy()])  # False at a border inside a query
        ids, offsets = ids.filter(pl.Series(new)), starts[np.append(new, True)]
        doc_hash = self.doc_hash[: self.count]
        # Twins inside a block are found before; a query in several segments can have them anywhere.
        suspect = np.full(len(ids), ids.n_unique() != len(ids))
        suspect[np.searchsorted(offsets, starts[:-1][~new], side="right") - 1] = True
        lengths = np.diff(offsets)
        rows = np.repeat(suspect, lengths)
        if not twins and suspect.any() and _twins(ids.filter(pl.Series(suspect)), lengths[suspect], doc_hash[rows]):
            return None
        first_line = None if self.first_conflict is None else self.first_conflict + 1
        docs, scores = pl.concat(self.docs).alias("doc"), self.scores[: self.count]
        return FastRun(ids.alias("query"), offsets, docs, scores, doc_hash, self.conflicts, first_line)
