"""What the columns of a dataset are, and their casts: ids to text, ranks to whole numbers, grades to float64."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

import polars as pl

from rankgauge.errors import Fault, InputError
from rankgauge.formats._names import assigned, bare
from rankgauge.formats._rows import HIGHEST_RANK, MOST_FAULTS, Faults, Locate, not_a_number, number_advice
from rankgauge.records import Note
from rankgauge.records._columns import id_column, number_column

Holds = Literal["log", "run", "qrels"]
IDS = ("query", "doc")
NUMBERS = ("rank", "score", "grade")
Said = tuple[str, str, str]


@dataclass(frozen=True)
class Chunk:
    """Some rows as they stand in a file, their columns named by role.

    `text`: the cells are text, as in CSV; `share`: how much of the file was read with them, in [0, 1].
    """

    frame: pl.DataFrame
    locate: Locate
    text: bool = False
    share: float = 1.0

    def cut(self, start: int, rows: int) -> Chunk:
        """A stretch of the rows."""
        locate: Locate = lambda numbers: self.locate([start + number for number in numbers])  # noqa: E731
        return Chunk(self.frame.slice(start, rows), locate, self.text, self.share)


EITHER = "relevancescore"
"""A name, as `bare` writes it, that people give to scores and to grades."""


@dataclass(frozen=True)
class Roles:
    """Which column plays which role: query, doc, rank or score, and grade where rows carry one.

    `by`: data columns that part rankings besides the query; `left_out`: one that was not read, to be said.
    """

    columns: Mapping[str, str]
    by: tuple[str, ...] = ()
    left_out: str | None = None

    @property
    def order(self) -> Literal["rank", "score"]:
        """What decides; judgments have no order and count as if scored."""
        return "rank" if "rank" in self.columns else "score"

    @property
    def graded(self) -> bool:
        """Whether rows carry grades."""
        return "grade" in self.columns

    @property
    def wanted(self) -> dict[str, str]:
        """{name in a chunk: column of the file}."""
        return {name: name for name in self.by} | dict(self.columns)


def is_log(grade: str | None, named: Collection[str]) -> bool:
    """Whether a table beside judgments is a log with grades, by its column of grades and the roles that were named.

    What may be a score as well tells nothing, unless it was named.
    """
    return grade is not None and ("grade" in named or bare(grade) != EITHER)


def roles_of(
    found: Sequence[str], columns: Mapping[str, str] | None, *, holds: Holds, by: Sequence[str], where: str
) -> Roles:
    """Say which columns of a file are needed, and for what; raises InputError as `assigned` does."""
    taken = assigned([name for name in found if name not in by], columns, holds=holds, where=where)
    if "subtopic" in taken:
        advice = "name the grade and drop the column, or evaluate without the streaming engines"
        raise InputError(Fault(where, "judgments without subtopics", f"the column {taken['subtopic']!r}", advice))
    named = columns or {}
    left_out = None
    if holds == "run":
        if "rank" in taken and "score" not in named and bare(taken.get("score", "")) == EITHER:
            left_out = taken.pop("score")  # In logs this is the grade; other judgments were given.
        if "score" in taken:
            taken.pop("rank", None)
        if "grade" in named:
            taken["grade"] = named["grade"]
    return Roles(taken, tuple(by), left_out)


@dataclass
class Casting:
    """Casts chunks, collects what is wrong with them, and counts what is to be said."""

    roles: Roles
    source: str
    faults: Faults = field(default_factory=Faults)
    blanks: int = 0
    empty_grades: int = 0
    infinite_scores: int = 0
    narrow: int = 0
    top_grade: float = 1.0
    lowest_rank: int = 1

    def cast(self, chunk: Chunk) -> pl.DataFrame:
        """Cast the columns that a chunk holds; where rows are at fault, the result is not to be used."""
        frame = chunk.frame
        there = set(frame.columns)
        columns = {name: self._id(frame[name], name, chunk) for name in (*self.roles.by, *IDS) if name in there}
        columns |= {role: self._number(frame[role], role, chunk) for role in NUMBERS if role in there}
        grade = columns["grade"].fill_nan(None) if "grade" in columns else None
        if grade is not None:
            self._refuse(grade.is_infinite(), chunk.locate, partial(_not_finite, grade, "grade"))
            columns["grade"] = grade
            self.empty_grades += grade.null_count()
            self.top_grade = max(self.top_grade, _most(grade.filter(grade.is_finite())))
        if "rank" in columns:
            columns["rank"] = self._rank(columns["rank"], grade, chunk.locate)
        if "score" in columns:
            score = columns["score"]
            self._refuse(score.is_null() | score.is_nan(), chunk.locate, partial(_not_finite, score, "score"))
            self.infinite_scores += int(score.is_infinite().sum())
        return pl.DataFrame(columns)

    def add(self, other: Casting) -> None:
        """Add what another one counted and collected."""
        self.faults.take(other.faults.kept, other.faults.total)
        self.blanks += other.blanks
        self.empty_grades += other.empty_grades
        self.infinite_scores += other.infinite_scores
        self.narrow += other.narrow
        self.top_grade = max(self.top_grade, other.top_grade)
        self.lowest_rank = min(self.lowest_rank, other.lowest_rank)

    def check(self) -> None:
        """Raise what was found wrong."""
        self.faults.check()

    def notes(self, rows: int) -> list[Note]:
        """What was noticed in the rows that were cast."""
        found = [
            Note("blanks", self.blanks, f"blanks around {self.blanks} ids were taken off"),
            Note("empty grades", self.empty_grades, f"{self.empty_grades} rows without a grade were read as unjudged"),
            Note("score precision", self.narrow, "scores came as Float32: what differs beyond that precision is tied"),
            Note("infinite scores", self.infinite_scores, f"{self.infinite_scores} scores are infinite; they tie"),
        ]
        if self.roles.order == "rank":
            said = "the rank column decides"
            said += "; ranks count from 0 and were raised by 1" if self.lowest_rank == 0 else ""
            found.append(Note("rank as score", rows, said))
        return [note for note in found if note.count]

    def _id(self, values: pl.Series, role: str, chunk: Chunk) -> pl.Series:
        if values.dtype == pl.Null or (values.dtype in (pl.Date, pl.Datetime) and role in self.roles.by):
            values = values.cast(pl.String)
        id_column(values.clear(), f"{self.source}, column {self.roles.wanted[role]!r}")
        values = values.cast(pl.String)
        if chunk.text:
            trimmed = values.str.strip_chars(" \t")
            self.blanks += int((trimmed != values).sum())
            values = trimmed
        empty = values.is_null() | (values == "")
        self._refuse(empty, chunk.locate, lambda row: (f"a {role} id", "none", "fill it or remove the row"))
        return values

    def _number(self, values: pl.Series, role: str, chunk: Chunk) -> pl.Series:
        """Cast a column to numbers, null where nothing stands."""
        if chunk.text:
            return self._parsed(values, role, chunk.locate)
        if values.dtype == pl.Null:
            return values.cast(pl.Float64)
        number_column(values.clear(), f"{self.source}, column {self.roles.wanted[role]!r}")
        self.narrow += len(values) if role == "score" and values.dtype in (pl.Float32, pl.Float16) else 0
        return values if role == "rank" else values.cast(pl.Float64)

    def _parsed(self, values: pl.Series, role: str, locate: Locate) -> pl.Series:
        texts = values.str.strip_chars(" \t")
        texts = texts.set(texts == "", None)
        read = texts.cast(pl.Float64, strict=False)
        bad = read.is_null() & texts.is_not_null()
        self._refuse(bad, locate, lambda row: _not_a_number(texts[row], role))
        return read

    def _rank(self, values: pl.Series, grade: pl.Series | None, locate: Locate) -> pl.Series:
        values = values.fill_nan(None) if values.dtype.is_float() else values
        expected = "a rank" if grade is None else "a rank or a grade"
        lacking = values.is_null() if grade is None else values.is_null() & grade.is_null()
        self._refuse(lacking, locate, lambda row: (expected, "none", "fill it or remove the row"))
        ranks = values.cast(pl.Int64, strict=False)
        odd = (ranks.is_null() | (ranks >= HIGHEST_RANK)) & values.is_not_null()
        if not values.dtype.is_integer():
            odd |= (ranks.cast(pl.Float64) != values.cast(pl.Float64)).fill_null(False)
        self._refuse(odd, locate, lambda row: ("a whole number as rank", str(values[row]), "is it a score?"))
        below = (ranks < 0).fill_null(False) & ~odd
        self._refuse(below, locate, lambda row: ("a rank from 1, or from 0, on", str(values[row]), "mend the rank"))
        lowest = ranks.min()
        self.lowest_rank = min(self.lowest_rank, lowest if isinstance(lowest, int) else 1)
        return ranks

    def _refuse(self, bad: pl.Series, locate: Locate, said: Callable[[int], Said]) -> None:
        if not bad.any():
            return
        rows = bad.arg_true()
        shown = rows.head(max(0, MOST_FAULTS - len(self.faults.kept))).to_list()
        for row, where in zip(shown, locate(shown), strict=True):
            self.faults.add(where, *said(row))
        self.faults.total += len(rows) - len(shown)


def _most(values: pl.Series) -> float:
    most = values.max()
    return most if isinstance(most, float) else 1.0


def _not_finite(values: pl.Series, what: str, row: int) -> Said:
    value = values[row]
    advice = "leave it empty where there is no judgment" if what == "grade" else "NaN has no place in an order"
    return f"a finite {what}", "none" if value is None else repr(value), f"{advice}; mend the {what} or remove the row"


def _not_a_number(text: str, role: str) -> Said:
    return f"a number as {role}", not_a_number(text), number_advice(text)
