"""Opening: paths to datasets, and files of formats that are only read whole to one piece of a dataset."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NoReturn

import polars as pl

from rankgauge.conventions import Convention
from rankgauge.engines.plan import GRADE, RANK, Order
from rankgauge.errors import Fault, InputError
from rankgauge.formats import read_qrels, read_run
from rankgauge.formats._api import _NAMELESS, sniff
from rankgauge.formats._dataset_columns import is_log
from rankgauge.formats._dataset_files import KINDS, Files, find, plain, suffix_kind
from rankgauge.formats._dataset_reading import reader_of
from rankgauge.formats._names import ROLES, bare
from rankgauge.formats.datasets import Dataset, Piece, Sources, Survey, open_dataset
from rankgauge.records import Note
from rankgauge.records.run import OnDuplicate

_JUDGED = ("query", "doc", "grade")


@dataclass(frozen=True)
class WholeFile:
    """A file that was read whole, as a dataset of one piece."""

    label: str
    order: Order
    graded: bool
    frame: pl.DataFrame
    top_grade: float
    notes: tuple[Note, ...]
    state: str
    by: tuple[str, ...] = ()
    trusted: bool = False
    pieces: tuple[Piece, ...] = (Piece("", 0, ""),)

    def identity(self) -> str:
        """Digest of where the file is, how long, how old, and how it was read."""
        return hashlib.sha256(self.state.encode()).hexdigest()

    def survey(self) -> Survey:
        """Say what was seen when it was read."""
        return Survey(len(self.frame), (len(self.frame),), self.top_grade, False, 0, self.notes)

    def batches(self, piece: int, *, start: int = 0, rows: int) -> Iterator[pl.DataFrame]:
        """Give the rows, so many at a time."""
        return self.frame[start:].iter_slices(rows)


Input = Dataset | WholeFile


@dataclass(frozen=True)
class Wanted:
    """How inputs are to be read, as the caller said; see `stream.evaluate`."""

    columns: Mapping[str, str] | None
    by: Sequence[str] | None
    format: str | None
    qrels_format: str | None
    trusted: bool
    on_duplicate: OnDuplicate
    how: Convention


def open_rankings(sources: Sources, wanted: Wanted, *, apart: bool) -> Input:
    """Open logs, or where judgments come apart, logs or a run: grades on its rows count where a column names them."""
    if (path := _whole_path(sources, wanted.format)) is not None:
        return _run(path, wanted) if apart else _refuse_alone(path)
    found = _open(sources, wanted, holds="log") if not apart else _log_of(sources, wanted)
    found = _open(sources, wanted, holds="run") if found is None else found
    return _by_rank(found, sources, wanted) if wanted.how.order == "rank" and found.order == "score" else found


def _refuse_alone(path: Path) -> NoReturn:
    expected = f"logs with grades on their rows ({', '.join(KINDS)})"
    advice = "give judgments and a run: rankgauge evaluate QRELS RUN"
    raise InputError(Fault(str(path), expected, "a file of another format", advice))


def open_judgments(sources: Sources, wanted: Wanted, by: tuple[str, ...]) -> Input:
    """Open judgments; of the columns that were named, those count that their table has."""
    if (path := _whole_path(sources, wanted.qrels_format)) is not None:
        return _qrels(path, wanted)
    found = open_files(sources, wanted.qrels_format)
    names = reader_of(found.found[0], found.kind).names()
    columns = {role: name for role, name in (wanted.columns or {}).items() if role in _JUDGED and name in names}
    chosen = columns or None
    return open_dataset(sources, holds="qrels", columns=chosen, by=None if by else (), format=wanted.qrels_format)


def open_files(sources: Sources, format: str | None) -> Files:
    """Find the files of a dataset."""
    named = [sources] if isinstance(sources, str | os.PathLike) else list(sources)
    return find([plain(os.fspath(source)) for source in named], format)


def _open(sources: Sources, wanted: Wanted, *, holds: Literal["log", "run"], **more: str) -> Dataset:
    columns = {**(wanted.columns or {}), **more} or None
    return open_dataset(
        sources, holds=holds, columns=columns, by=wanted.by, format=wanted.format, trusted=wanted.trusted
    )


def _log_of(sources: Sources, wanted: Wanted) -> Dataset | None:
    """Open a log beside judgments, if a column tells that it is one: a score may be called relevance, too."""
    try:
        found = _open(sources, wanted, holds="log")
    except InputError:
        return None
    return found if is_log(found.roles.get(GRADE), wanted.columns or {}) else None


def _by_rank(found: Dataset, sources: Sources, wanted: Wanted) -> Dataset:
    """Open again by the rank column, which a convention wants, where there is one."""
    names = reader_of(found.pieces[0], found.kind).names()
    rank = next((name for name in names if bare(name) in ROLES[RANK] and name not in found.roles.values()), None)
    return found if rank is None else _open(sources, wanted, holds=found.holds, rank=rank)  # type: ignore[arg-type]


def _whole_path(sources: Sources, format: str | None) -> Path | None:
    """Return the path of a file that is not read in batches, and of a BEIR folder."""
    only = sources if isinstance(sources, str | os.PathLike) else sources[0] if len(sources) == 1 else ""
    path = Path(only)
    if path.is_dir() and (path / "qrels").is_dir():
        return path
    kind = format or suffix_kind(path.name)
    return path if path.is_file() and kind not in KINDS else None


def _run(path: Path, wanted: Wanted) -> WholeFile:
    order: Any = "rank" if wanted.how.order == "rank" else "score"
    columns = {role: name for role, name in (wanted.columns or {}).items() if role != GRADE} or None
    run = read_run(path, format=wanted.format, columns=columns, on_duplicate=wanted.on_duplicate, order=order)
    frame = run.to_polars()
    if run.ranks is not None:
        frame = frame.select("query", "doc", pl.Series(RANK, run.ranks))
    state = _state(path, wanted.format, columns, wanted.on_duplicate, order)
    return WholeFile(str(path), "score" if run.ranks is None else "rank", False, frame, 1.0, run.notes, state)


def _qrels(path: Path, wanted: Wanted) -> WholeFile:
    format = wanted.qrels_format or (None if path.is_dir() else sniff(path).format)
    columns = {role: name for role, name in (wanted.columns or {}).items() if role in _JUDGED} or None
    columns = None if format in _NAMELESS or path.is_dir() else columns
    qrels = read_qrels(path, format=wanted.qrels_format, columns=columns, on_duplicate=wanted.on_duplicate)
    if qrels.subtopics is not None:
        advice = "measure in memory: rankgauge evaluate QRELS RUN"
        raise InputError(Fault(str(path), "judgments of documents", "judgments by subtopic", advice))
    frame = qrels.to_polars().select("query", "doc", pl.col(GRADE).cast(pl.Float64))
    state = _state(path, wanted.qrels_format, columns, wanted.on_duplicate)
    return WholeFile(str(path), "score", True, frame, qrels.flat.top_grade, qrels.notes, state)


def _state(path: Path, *read: object) -> str:
    known = path.stat()
    return repr((str(path), known.st_size, known.st_mtime_ns, *read))
