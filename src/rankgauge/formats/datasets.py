"""Datasets: logs, runs and judgments in many files or in one too large for memory, read in batches of rows.

A dataset is files of one kind (Parquet, Arrow, CSV, TSV, JSON lines) on a disk or behind an address. Nothing is
read whole: `survey` looks through the numbers once and finds early what is wrong, `batches` delivers the rows.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Literal

import polars as pl

from rankgauge.errors import EmptyInputError, Fault, InputError, did_you_mean
from rankgauge.formats import _dataset_files as files
from rankgauge.formats._dataset_columns import Casting, Holds, Roles, roles_of
from rankgauge.formats._dataset_reading import Looked, batches, look, reader_of
from rankgauge.formats._dataset_remote import Found, is_remote
from rankgauge.formats._rows import MOST_FAULTS
from rankgauge.records import Note

AT_ONCE = 8  # addresses that are looked at side by side
Advance = Callable[[int, int], None]
Sources = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


@dataclass(frozen=True)
class Piece(Found):
    """One file of a dataset; `group`: the values of `by`, where all of them stand in the path, else ()."""

    group: tuple[str, ...] = ()


@dataclass(frozen=True)
class Survey:
    """What one look through a dataset finds.

    Attributes
    ----------
    rows, pieces : rows in all, and in each piece
    top_grade : the highest grade, at least 1
    from_zero : ranks count from 0
    empty_grades : rows without a grade (null or NaN): read as unjudged
    notes : what was noticed, chosen or left out
    """

    rows: int
    pieces: tuple[int, ...]
    top_grade: float
    from_zero: bool
    empty_grades: int
    notes: tuple[Note, ...]


@dataclass(frozen=True)
class Dataset:
    """Files of one kind, and what their columns are.

    Attributes
    ----------
    roles : {role: column}: query, doc, rank or score, grade
    order : what decides: the rank where it was named or there is no score
    by : keys in the paths, or columns, that part rankings besides the query
    graded : rows carry grades
    trusted : ids of documents are not read, as the caller vouches for the ranks
    """

    label: str
    kind: str
    holds: Holds
    roles: Mapping[str, str]
    order: Literal["rank", "score"]
    by: tuple[str, ...]
    graded: bool
    trusted: bool
    pieces: tuple[Piece, ...]
    notes: tuple[Note, ...] = ()

    def identity(self) -> str:
        """Digest of the files' paths, sizes and times and of the columns' roles: equal as long as nothing changed."""
        pieces = [(piece.path, piece.size, piece.modified) for piece in self.pieces]
        known = (self.kind, self.holds, sorted(self.roles.items()), self.order, self.by, self.trusted, pieces)
        return hashlib.sha256(json.dumps(known).encode()).hexdigest()

    def survey(self, advance: Advance | None = None) -> Survey:
        """Look through all files once; of Parquet and Arrow files only the numbers are read.

        `advance` is called with the bytes looked through so far and in all.

        Raises
        ------
        InputError
            With the faults of all files, each naming the file and the row: broken files, columns that are not
            there or of another type, ids and scores that are missing, ranks below 0, infinite grades.
        """
        found, rows = Casting(self._typed, self.label), []
        for looked in self._looks(advance or (lambda done, total: None)):
            found.add(looked.casting)
            rows.append(looked.rows)
        found.check()
        if not sum(rows):
            raise EmptyInputError(Fault(self.label, "at least one row", f"none in {len(rows)} files", "check the path"))
        empty = sum(count == 0 for count in rows)
        notes = [*self.notes, *found.notes(sum(rows))]
        notes += [Note("empty files", empty, f"{empty} files hold no rows")] if empty else []
        from_zero = self.order == "rank" and found.lowest_rank == 0
        return Survey(sum(rows), tuple(rows), found.top_grade, from_zero, found.empty_grades, tuple(notes))

    def batches(self, piece: int, *, start: int = 0, rows: int) -> Iterator[pl.DataFrame]:
        """Rows of one file from row `start` on, in the file's order, at most `rows` in a batch.

        Columns by..., query, doc (none where trusted), rank (Int64) or score (Float64), and grade (Float64, null for
        unjudged). Judgments without a grade are left out of qrels.

        Raises
        ------
        InputError
            For what `survey` finds, in the rows of the batch.
        """
        values = files.partitions(self.pieces[piece].path)
        parted = [pl.lit(values[name]).alias(name) if name in values else pl.col(name) for name in self.by]
        for frame in batches(self.pieces[piece], self.kind, self._typed, start=start, rows=rows):
            judged = frame.drop_nulls("grade") if self.holds == "qrels" else frame
            yield judged.select(*parted, pl.exclude(self.by) if self.by else pl.all())

    @property
    def _typed(self) -> Roles:
        parted = files.partitions(self.pieces[0].path)
        columns = {role: name for role, name in self.roles.items() if role != "doc" or not self.trusted}
        return Roles(columns, tuple(name for name in self.by if name not in parted))

    def _looks(self, advance: Advance) -> Iterator[Looked]:
        """Look through each file, in order; addresses side by side, as each answer takes its time."""
        sizes = [max(1, piece.size) for piece in self.pieces]
        before = [0, *itertools.accumulate(sizes)]

        def told(number: int, share: float) -> None:
            advance(before[number] + int(share * sizes[number]), before[-1])

        def looked(number: int, tell: Callable[[float], None]) -> Looked:
            return look(self.pieces[number], self.kind, self._typed, tell)

        if not is_remote(self.pieces[0].path):
            for number in range(len(self.pieces)):
                yield looked(number, partial(told, number))
            return
        with ThreadPoolExecutor(AT_ONCE) as pool:
            for number, one in enumerate(pool.map(lambda n: looked(n, lambda share: None), range(len(self.pieces)))):
                told(number, 1.0)
                yield one


def open_dataset(
    sources: Sources,
    *,
    holds: Holds,
    columns: Mapping[str, str] | None = None,
    by: Sequence[str] | None = None,
    format: str | None = None,
    trusted: bool = False,
) -> Dataset:
    """Find the files of a dataset and say what its columns are; the rows are not read yet.

    Parameters
    ----------
    sources : path, folder, glob or address (s3://, gs://, az://, hdfs://, file://), or several
        Files come in plain byte order of their paths.
    holds : {"log", "run", "qrels"}
        A log's rows carry their grades.
    columns : mapping, optional
        {role: column} for query, doc, rank, score, grade; usual names are known.
    by : names, optional
        Keys of the paths (`date=2026-06-26/`) or columns that part rankings besides the query; without it the keys
        of the paths whose values are all dates, or dates with an hour. () is none.
    format : {"parquet", "arrow", "csv", "tsv", "jsonl"}, optional
        Without it the files' suffixes decide.
    trusted : bool
        Ranks are 1..n and documents distinct: ids of documents are not read.

    Raises
    ------
    InputError
        Where there are no files, files of several kinds, or columns that cannot be told.
    MissingExtraError
        For addresses that need pyarrow, where it is not installed.
    """
    named = [sources] if isinstance(sources, str | os.PathLike) else list(sources)
    labels = [os.fspath(source) for source in named]
    found = files.find([files.plain(label) for label in labels], format)
    label = ", ".join(labels)
    names, where = _first_names(found.found, found.kind, label)
    parted = _parted_by([files.partitions(one.path) for one in found.found], names, by, found.found)
    in_path = set(files.partitions(found.found[0].path))
    free = [name for name in names if name not in in_path]
    roles = roles_of(free, columns, holds=holds, by=[name for name in parted if name not in in_path], where=where)
    if trusted and roles.order != "rank":
        raise InputError(Fault(where, "a rank column, as ranks are trusted", "scores", "name it: --columns rank=NAME"))
    pieces = tuple(Piece(one.path, one.size, one.modified, _group(one.path, parted)) for one in found.found)
    notes = tuple(_notes(found, parted, in_path, roles))
    chosen = (dict(roles.columns), roles.order, parted, roles.graded, trusted, pieces, notes)
    return Dataset(label, found.kind, holds, *chosen)


def _first_names(found: Sequence[Found], kind: str, label: str) -> tuple[list[str], str]:
    """Columns of the first file that names any."""
    for one in found:
        if names := reader_of(one, kind).names():
            return names, one.path
    raise EmptyInputError(Fault(label, "at least one row", f"none in {len(found)} files", "check what wrote them"))


def _parted_by(
    keys: Sequence[Mapping[str, str]], names: Sequence[str], by: Sequence[str] | None, found: Sequence[Found]
) -> tuple[str, ...]:
    """The keys and columns that part rankings, each path checked to have the keys."""
    every = dict.fromkeys(key for one in keys for key in one)
    parted = tuple(files.dated(keys) if by is None else by)
    for name in parted:
        if name in every:
            _refuse_pathless(name, keys, found)
        elif name not in names:
            got = f"the keys {', '.join(every) or '(none)'} in the paths, and the columns {', '.join(names)}"
            near = did_you_mean(name, [*every, *names])[2:]
            raise InputError(Fault("by", f"a key of the paths or a column {name!r}", got, near or "by=() is none"))
    return parted


def _refuse_pathless(name: str, keys: Sequence[Mapping[str, str]], found: Sequence[Found]) -> None:
    bad = [
        (file, key.get(name)) for file, key in zip(found, keys, strict=True) if key.get(name) in (None, files.NO_VALUE)
    ]
    faults = [
        Fault(file.path, f"a folder {name}=VALUE in the path", value or "none", "move the file, or pass by=()")
        for file, value in bad
    ]
    if faults:
        raise InputError(faults[:MOST_FAULTS], total=len(faults))


def _group(path: str, by: Sequence[str]) -> tuple[str, ...]:
    values = files.partitions(path)
    return tuple(values[name] for name in by) if all(name in values for name in by) else ()


def _notes(found: files.Files, by: Sequence[str], in_path: Iterable[str], roles: Roles) -> Iterator[Note]:
    if found.twice:
        yield Note("files named twice", found.twice, f"{found.twice} files were named twice and are read once")
    if by and set(by) <= set(in_path):
        groups = len({_group(one.path, by) for one in found.found})
        yield Note("groups", groups, f"the paths part rankings by {', '.join(by)}: {groups} groups")
    if roles.left_out is not None:
        said = f"the column {roles.left_out!r} was taken for a grade and left out: the rank column decides"
        yield Note("left out", 1, f"{said} (columns score={roles.left_out} makes it decide)")
