"""Units: the pieces of one group, scored in one pass, or part by part where their queries do not stand together."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl

from rankgauge.engines import batch
from rankgauge.engines.budget import Budget
from rankgauge.engines.chunks import START, Closed, NotGrouped, Place, Rows, ahead, whole_rankings
from rankgauge.engines.held import Judged, groups_of, only
from rankgauge.engines.parts import Group, drop_later, part_files, read_part, room, whole
from rankgauge.engines.plan import QUERY, Plan
from rankgauge.engines.spilling import Spill, parts_for
from rankgauge.engines.working import Work
from rankgauge.records import Note

PART_QUERIES = 100_000
MOST_CLOSED = 32_000_000
DEEPEST = 3

Progress = Callable[[int, int, str], None]
"""Called with the rows that are done, those there are, and what is being done."""


@dataclass
class Meter:
    """Counts rows for whoever watches."""

    total: int
    watch: Progress | None = None
    done: int = 0

    def add(self, rows: int, doing: str = "scoring") -> None:
        """Count rows that are done."""
        self.done += rows
        if self.watch is not None:
            self.watch(self.done, self.total, doing)


@dataclass(frozen=True)
class Task:
    """What every unit of a run shares; judgments that come apart are in memory, or parted on disk by their queries."""

    source: Rows
    plan: Plan
    budget: Budget
    work: Work
    meter: Meter
    judged: Judged | None = None
    parted: Spill | None = None
    numbers: Iterator[int] = field(default_factory=itertools.count)

    @property
    def keys(self) -> tuple[str, ...]:
        """Columns that tell rankings apart."""
        return (*self.plan.by, QUERY)

    def spill(self) -> Path:
        """Name a folder for rows on disk."""
        return self.work.spill / str(next(self.numbers))


@dataclass(frozen=True)
class Pieces:
    """A unit's pieces, by their numbers; its rows, and its group where that stands in the paths."""

    key: str
    group: Group
    numbers: tuple[int, ...]
    rows: int


def score(task: Task, unit: Pieces) -> None:
    """Score a unit, or what is left of it, into score files of the working folder."""
    known = task.work.unit(unit.key)
    before = task.meter.done
    if known.done:
        task.meter.add(unit.rows)
        return
    folder = task.work.scores(task.plan.by, unit.group)
    drop_later(folder, known.parts)
    writer = _Writer(task, unit.key, known.parts)
    apart = known.apart or task.parted is not None
    if not apart:
        try:
            _in_one_pass(task, unit, writer)
        except NotGrouped:
            apart = True
            task.meter.done = before
            shutil.rmtree(folder, ignore_errors=True)
            task.work.mark(unit.key, at=START, parts=0, apart=True, notes=())
            writer = _Writer(task, unit.key, 0)
    if apart:
        _part_by_part(task, unit, writer)
    if task.judged is not None:
        _missing(task, folder, writer)
    task.work.mark(unit.key, done=True, parts=writer.parts)


class _Writer:
    """Gathers tables and writes them as score files."""

    def __init__(self, task: Task, key: str, parts: int) -> None:
        self.task, self.key, self.parts = task, key, parts
        self._tables: list[pl.DataFrame] = []
        self._queries = 0

    @property
    def full(self) -> bool:
        return self._queries >= PART_QUERIES

    def add(self, table: pl.DataFrame) -> None:
        """Take a table; its queries are in no other."""
        self._tables.append(table)
        self._queries += len(table)

    def flush(self, at: Place | None = None) -> None:
        """Write what was gathered; with `at`, a killed run goes on from there."""
        if self._queries:
            table, by = pl.concat(self._tables), self.task.plan.by
            groups = table.partition_by(by, as_dict=True, include_key=False) if by else {(): table}
            for group, rows in groups.items():
                self._write(rows, group)
            self.parts += 1
            self._tables, self._queries = [], 0
        if at is not None:
            self.task.work.mark(self.key, at=at, parts=self.parts)

    def _write(self, table: pl.DataFrame, group: Group) -> None:
        folder = self.task.work.scores(self.task.plan.by, group)
        with room(folder, int(table.estimated_size())):
            folder.mkdir(parents=True, exist_ok=True)
            whole(folder / f"part-{self.parts:05}.parquet", lambda path: table.write_parquet(path, compression="zstd"))


def _in_one_pass(task: Task, unit: Pieces, writer: _Writer) -> None:
    """Score chunks as they come, and mark how far this has come with every score file."""
    closed, known = Closed(task.keys, MOST_CLOSED), task.work.unit(unit.key)
    for path in part_files(task.work.scores(task.plan.by, unit.group)):
        rows = read_part(path, task.work.scores(), task.plan.by, [QUERY])
        closed.add(np.unique(rows.select(task.keys).hash_rows().to_numpy()))
    size = unit.rows + 1 if task.budget.rows is None else task.budget.rows
    chunks = whole_rankings(task.source, unit.numbers, task.keys, rows=size, start=known.at)
    with closing(ahead(chunks)) as coming:
        for chunk in coming:
            closed.close(chunk)
            _score(task, unit.key, writer, chunk.rows)
            if writer.full:
                writer.flush(chunk.after)
    writer.flush(Place(len(unit.numbers), 0))


def _score(task: Task, key: str, writer: _Writer, rows: pl.DataFrame, judged: Judged | None = None) -> None:
    known = judged or task.judged
    writer.add(batch.score(rows, task.plan, None if known is None else known.share(rows, task.plan.by)))
    if task.budget.most is not None and len(rows) > task.budget.most:
        _note_size(task, key, rows)
    task.meter.add(len(rows))


def _note_size(task: Task, key: str, rows: pl.DataFrame) -> None:
    """Say that a batch is larger than was planned, since a query is."""
    largest = rows.group_by(task.keys).len("rows").sort("rows", descending=True, maintain_order=True).row(0, named=True)
    text = f"query {largest[QUERY]!r} has {largest['rows']:,} rows ({int(rows.estimated_size()) >> 20:,} MB), "
    note = Note(
        "large query", largest["rows"], text + "more than the memory it was to have: it was scored in one piece"
    )
    task.work.mark(key, notes=(*task.work.unit(key).notes, note))


def _part_by_part(task: Task, unit: Pieces, writer: _Writer) -> None:
    """Part the rows on disk by the hash of their query, then score each part."""
    each = task.budget.rows or unit.rows
    parts = parts_for(unit.rows, each) if task.parted is None else task.parted.parts
    groups: dict[Group, None] = {}
    frames = (frame for piece in unit.numbers for frame in task.source.batches(piece, rows=each))
    with Spill(task.spill(), QUERY, parts) as spill, closing(ahead(frames)) as coming, room(spill.folder):
        for frame in coming:
            spill.add(frame)
            groups |= dict.fromkeys(groups_of(frame, task.plan.by))
            task.meter.add(0, "parting on disk")
    for rows, judged in _parts(task, spill, task.parted):
        if rows is not None:
            _score(task, unit.key, writer, rows, judged)
        if judged is not None:
            _never_asked(task, writer, judged, rows, list(groups))
        if writer.full:
            writer.flush()
    writer.flush()
    shutil.rmtree(spill.folder)


def _parts(task: Task, rows: Spill, judged: Spill | None) -> Iterator[tuple[pl.DataFrame | None, Judged | None]]:
    """Read parts with their judgments; one that is too large is parted again, unless a single query fills it."""
    most = task.budget.most
    for number in range(rows.parts):
        held = rows.rows[number] + (0 if judged is None else judged.rows[number])
        if most is None or held <= most or rows.seed >= DEEPEST:
            yield rows.read(number), _judged(task, judged, number)
        else:
            parts = parts_for(held, task.budget.rows or held)
            again = [None if one is None else one.parted(number, parts, task.spill()) for one in (rows, judged)]
            rows.drop(number)
            assert again[0] is not None
            yield from _parts(task, again[0], again[1])
            for one in again:
                if one is not None:
                    shutil.rmtree(one.folder)
        rows.drop(number)


def _judged(task: Task, judged: Spill | None, number: int) -> Judged | None:
    rows = None if judged is None else judged.read(number)
    return None if rows is None else Judged.of(rows, task.plan.by)


def _never_asked(
    task: Task, writer: _Writer, judged: Judged, rows: pl.DataFrame | None, groups: Sequence[Group]
) -> None:
    """Score a part's judged queries that have no ranking, in each group."""
    by = task.plan.by
    for group in groups:
        seen = pl.DataFrame(schema={QUERY: pl.String})
        if rows is not None:
            seen = only(rows.select(task.keys), dict(zip(by, group, strict=True))).unique()
        for table in judged.never_asked(group, by, seen).tables(task.plan, task.budget.rows or len(judged)):
            writer.add(table)


def _missing(task: Task, folder: Path, writer: _Writer) -> None:
    """Score the judged queries that have no ranking, once all rankings of the unit are in score files."""
    assert task.judged is not None
    root, by = task.work.scores(), task.plan.by
    files: dict[Path, list[Path]] = {}
    for path in part_files(folder):
        files.setdefault(path.parent, []).append(path)
    for paths in files.values():
        seen = pl.concat(read_part(path, root, by, [QUERY]) for path in paths)
        group = groups_of(seen, by)[0]
        for table in task.judged.never_asked(group, by, seen).tables(task.plan, task.budget.rows or len(task.judged)):
            writer.add(table)
            if writer.full:
                writer.flush()
    writer.flush()
