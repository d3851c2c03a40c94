"""One run of the streaming engine: units one by one, then the summary and what is to be said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import NoReturn

import polars as pl

from rankgauge.engines import noted, remarks
from rankgauge.engines.budget import budget, row_bytes
from rankgauge.engines.held import Judged, groups_of
from rankgauge.engines.opening import Input
from rankgauge.engines.parts import Group, part_files, read_part, room
from rankgauge.engines.plan import DOC, GRADE, QUERY, Plan
from rankgauge.engines.results import Results, about_of, key_of
from rankgauge.engines.spilling import Spill, parts_for
from rankgauge.engines.units import Meter, Pieces, Progress, Task, score
from rankgauge.engines.working import Work
from rankgauge.errors import EmptyInputError, Fault, InputError
from rankgauge.formats.datasets import Survey
from rankgauge.records import Note, Qrels, Run
from rankgauge.records.summary import LEFT_OUT, Summary

SAMPLE = 20_000
HOLD = 3
"""How often judgments are in memory while they are brought into order."""


@dataclass(frozen=True)
class Inputs:
    """Rankings and perhaps judgments, with what a first look said of them."""

    rankings: Input
    survey: Survey
    qrels: Input | None = None
    judged: Survey | None = None


def run(inputs: Inputs, how: Plan, work: Work, *, memory: int | None, progress: Progress | None) -> Results:
    """Score what has not been scored, and put the results in their place."""
    rankings, meter = inputs.rankings, Meter(inputs.survey.rows, progress)
    units = _units(rankings, inputs.survey)
    bound = budget(memory, _sample(rankings))
    task = Task(rankings, how, bound, work, meter)
    task, judged_groups = _with_judgments(task, inputs, max(unit.rows for unit in units))
    for unit in units:
        score(task, unit)
    summary = _summed(task, inputs)
    about = about_of(how, summary, engine="stream", source=rankings.label)
    about = replace(about, notes=_notes(task, inputs, summary, judged_groups))
    return work.finish(about, summary)


def _units(rankings: Input, survey: Survey) -> list[Pieces]:
    """Put pieces of one group together, groups in order of their first pieces."""
    groups: dict[Group, list[int]] = {}
    for number, piece in enumerate(rankings.pieces):
        groups.setdefault(piece.group, []).append(number)
    return [
        Pieces("/".join(map(str, group)), group, tuple(numbers), sum(survey.pieces[number] for number in numbers))
        for group, numbers in groups.items()
    ]


def _frames(dataset: Input, rows: int) -> Iterator[pl.DataFrame]:
    return chain.from_iterable(dataset.batches(piece, rows=rows) for piece in range(len(dataset.pieces)))


def _sample(dataset: Input) -> pl.DataFrame:
    """Read some rows, to see how large they are."""
    return next((frame for frame in _frames(dataset, SAMPLE) if len(frame)), pl.DataFrame())


def _with_judgments(task: Task, inputs: Inputs, largest: int) -> tuple[Task, set[Group]]:
    """Hold the judgments in memory if they are small enough, else part them on disk; list their groups."""
    qrels, survey, bound = inputs.qrels, inputs.judged, task.budget
    if qrels is None or survey is None:
        return task, set()
    groups: set[Group] = set()
    frames = (_noting(frame, qrels.by, groups) for frame in _frames(qrels, bound.rows or max(1, survey.rows)))
    if bound.judgments is None or survey.rows * row_bytes(_sample(qrels)) * HOLD <= bound.judgments:
        held = list(frames)
        if not held:
            raise EmptyInputError(Fault(qrels.label, "at least one judgment", "none"))
        return replace(task, judged=Judged.of(pl.concat(held), task.plan.by)), groups
    parts = parts_for(largest + survey.rows, bound.rows or largest)
    with Spill(task.spill(), QUERY, parts) as spill, room(spill.folder):
        for frame in frames:
            spill.add(frame)
    return replace(task, parted=spill), groups


def _noting(frame: pl.DataFrame, by: Sequence[str], groups: set[Group]) -> pl.DataFrame:
    groups.update(groups_of(frame, by))
    return frame


def _summed(task: Task, inputs: Inputs) -> Summary:
    """Sum up the score files."""
    root, parts, common = task.work.scores(), [], False
    for path in part_files(root):
        table = read_part(path, root, task.plan.by)
        parts.append(task.plan.summary(table))
        common |= bool(((table["status"] != LEFT_OUT) & (table["retrieved"] > 0)).any())
    if not common:
        _refuse_strangers(inputs)
    return Summary.merge(parts)


def _notes(task: Task, inputs: Inputs, summary: Summary, judged_groups: set[Group]) -> dict[str, list[Note]]:
    """What is to be said of each group."""
    how, label = task.plan, inputs.rankings.label
    groups = summary.groups()
    surveys = [*inputs.survey.notes, *(inputs.judged.notes if inputs.judged else ())]
    everywhere = [*surveys, *noted.of_input(how, label=label, apart=inputs.qrels is not None)]
    strangers = judged_groups - {tuple(group.values()) for group in groups} - {()}
    if strangers:
        text = f"{len(strangers)} groups that are judged have no rankings here and were left out"
        everywhere.append(Note("groups left out", len(strangers), f"{label}: {text}"))
    own = {key: list(unit.notes) for key, unit in task.work.units.items()}
    return {
        key: [*everywhere, *own.get(key, own.get("", [])), *noted.notes_of(summary, how, label=label, **group)]
        for group in groups
        for key in (key_of(group),)
    }


def _refuse_strangers(inputs: Inputs) -> NoReturn:
    """Say that nothing was judged, and what may be the matter."""
    rankings, qrels = inputs.rankings, inputs.qrels
    if qrels is None:
        advice = "name another column of grades, or give judgments as qrels"
        raise EmptyInputError(Fault(rankings.label, "at least one judged row", "grades that are all empty", advice))
    rows, judged = _sample(rankings), _sample(qrels)
    run = Run.from_columns(
        rows[QUERY], rows[DOC], pl.zeros(len(rows), eager=True), name=rankings.label, on_duplicate="first"
    )
    known = Qrels.from_columns(judged[QUERY], judged[DOC], judged[GRADE], on_duplicate="first")
    raise InputError(remarks.no_common_query(known, run))
