"""The streaming engine: logs and runs of any size, scored in bounded memory on one machine."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType
from typing import NoReturn

from rankgauge.conventions import Convention
from rankgauge.conventions import convention as convention_
from rankgauge.engines import streaming
from rankgauge.engines.budget import bytes_of
from rankgauge.engines.opening import Input, Wanted, open_judgments, open_rankings
from rankgauge.engines.plan import Plan, plan
from rankgauge.engines.results import ABOUT, About, Results, read_results, refuse_other
from rankgauge.engines.streaming import Inputs
from rankgauge.engines.units import Progress
from rankgauge.engines.working import Work
from rankgauge.errors import EmptyInputError, Fault, InputError
from rankgauge.formats.datasets import Sources
from rankgauge.measures import Measure
from rankgauge.records.run import OnDuplicate


@dataclass(frozen=True)
class Choices:
    """How to compute, as `evaluate` takes it.

    Attributes
    ----------
    memory : bytes; None takes all rows of a group in one batch
    spill : folder for rows parted on disk; None: in `out`, or where temporary files go
    say : called with what a user should know before the end
    """

    convention: Convention | str = "default"
    on_duplicate: OnDuplicate = "error"
    out: Path | None = None
    memory: int | None = 2 << 30
    spill: Path | None = None
    progress: Progress | None = None
    say: Callable[[str], None] | None = None


def evaluate(
    sources: Sources,
    measures: str | Measure | Sequence[str | Measure],
    *,
    qrels: Sources | None = None,
    columns: Mapping[str, str] | None = None,
    by: str | Sequence[str] | None = None,
    convention: Convention | str = "default",
    on_duplicate: OnDuplicate = "error",
    trusted: bool = False,
    out: str | os.PathLike[str] | None = None,
    memory: int | str | None = "2GB",
    spill: str | os.PathLike[str] | None = None,
    format: str | None = None,
    qrels_format: str | None = None,
    progress: Progress | None = None,
    say: Callable[[str], None] | None = None,
) -> Results:
    """Score logs, or a run, of any size, with bounded memory.

    Parameters
    ----------
    sources : files, folders, globs or addresses of the rankings; without `qrels` their rows carry grades
    measures : as in `rankgauge.evaluate`
    qrels : judgments that come apart; they hold against grades on rows
    columns : {"query": NAME, "doc": NAME, "rank" or "score": NAME, "grade": NAME}; usual names are known
    by : columns that part rankings, days say; without it, the dates in the paths
    trusted : ranks are 1..n without gaps and documents distinct: ids are not read
    out : folder for per-query scores and their summary; what an earlier call left unfinished there goes on, and
        groups that were computed take the place of those of the same name
    memory : what the process may use, as "2GB" or in bytes; None reads each group in one batch
    spill : folder for rows parted on disk; without it `out`, or where temporary files go
    progress : called with the rows done, those there are, and what is being done
    say : called with what a user should know before the end

    Returns
    -------
    What this call computed; `read_results(out)` gives all that the folder holds.

    Raises
    ------
    InputError
        For inputs that cannot be read for sure, rankings that share no query with the qrels, and an `out` that
        holds other results.
    OSError
        For a full disk.
    """
    amount = None if memory is None else bytes_of(memory)
    parted = (by,) if isinstance(by, str) else by
    how = convention_(convention)
    wanted = Wanted(columns, parted, format, qrels_format, trusted, on_duplicate, how)
    rankings = open_rankings(sources, wanted, apart=qrels is not None)
    judged = None if qrels is None else open_judgments(qrels, wanted, rankings.by)
    folders = [None if folder is None else Path(folder) for folder in (out, spill)]
    choices = Choices(how, on_duplicate, folders[0], amount, folders[1], progress, say)
    return evaluate_dataset(rankings, measures, choices, judged)


def evaluate_dataset(
    rankings: Input, measures: str | Measure | Sequence[str | Measure], choices: Choices, qrels: Input | None = None
) -> Results:
    """Score the rankings of a dataset; see `evaluate`."""
    survey = rankings.survey()
    if not survey.rows:
        raise EmptyInputError(Fault(rankings.label, "at least one row", "none"))
    judged = None if qrels is None else qrels.survey()
    top = max(survey.top_grade, 1.0 if judged is None else judged.top_grade)
    how = plan(
        measures,
        choices.convention,
        order=rankings.order,
        by=rankings.by,
        on_duplicate=choices.on_duplicate,
        top_grade=top,
        from_zero=survey.from_zero,
        trusted=rankings.trusted,
    )
    _check(rankings, qrels, how)
    if choices.out is not None:
        _refuse_folder(choices.out, how, rankings.label)
    inputs = Inputs(rankings, survey, qrels, judged)
    with _until_terminated(), Work(choices.out, _job(inputs, how), choices.spill) as work:
        _tell(work, choices)
        return streaming.run(inputs, how, work, memory=choices.memory, progress=choices.progress)


def _check(rankings: Input, qrels: Input | None, how: Plan) -> None:
    if qrels is None and not rankings.graded:
        advice = "name it with columns={'grade': ...}, or give judgments as qrels"
        raise InputError(Fault(rankings.label, "a column of grades", "none", advice))
    if qrels is None:
        return
    if how.trusted:
        advice = "do not trust the ranks, or leave the qrels out"
        raise InputError(Fault(rankings.label, "documents to join with the qrels", "ids that are not read", advice))
    if qrels.by not in ((), how.by):
        got = f"{', '.join(qrels.by)} there and {', '.join(how.by) or 'nothing'} in the rankings"
        raise InputError(
            Fault(qrels.label, "judgments parted like the rankings, or not parted", got, "name them with by")
        )


def _refuse_folder(out: Path, how: Plan, label: str) -> None:
    """Refuse a folder of other results before anything is computed."""
    if (out / ABOUT).exists():
        new = About(how.columns, how.how.name, how.order, how.by, source=label)
        refuse_other(read_results(out).about, new, out)


def _job(inputs: Inputs, how: Plan) -> str:
    """Digest of all that decides the results: what must be equal to go on where another run stopped."""
    names = [str(measure) for measure in how.measures]
    given = [inputs.rankings.identity(), None if inputs.qrels is None else inputs.qrels.identity()]
    text = json.dumps([given, names, repr(replace(how, measures=()))])
    return hashlib.sha256(text.encode()).hexdigest()


def _tell(work: Work, choices: Choices) -> None:
    if choices.say is None:
        return
    if work.resumed:
        choices.say(f"{work.out}: going on where the last run stopped")
    elif work.begun_anew:
        choices.say(f"{work.out}: what a stopped run had left is of other inputs or choices; begun anew")


TERMINATED = 128 + signal.SIGTERM


@contextmanager
def _until_terminated() -> Iterator[None]:
    """Let SIGTERM end this block as an exit does, so that files on disk are removed."""
    here = threading.current_thread() is threading.main_thread()
    if not here or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, _exit)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _exit(number: int, frame: FrameType | None) -> NoReturn:
    raise SystemExit(TERMINATED)
