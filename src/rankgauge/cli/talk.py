"""What is said on stderr: notes, errors, progress."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from types import ModuleType
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

if TYPE_CHECKING:
    from rankgauge import Note

Advance = Callable[[int, int], None]


def stderr() -> Console:
    """Console for people; plain where stderr is not a terminal."""
    return Console(file=sys.stderr, stderr=True, highlight=False, markup=False, emoji=False, soft_wrap=True)


def complain(error: BaseException) -> None:
    """Say an error, without a traceback."""
    lines = str(error).splitlines() or [type(error).__name__]
    for line in lines:
        stderr().print(f"error: {line}", style="red")


def remark(notes: Sequence[Note]) -> None:
    """Say what was noticed, dropped or chosen."""
    for note in notes:
        mention(note.text)


def mention(text: str) -> None:
    """Say one thing."""
    stderr().print(f"note: {text}", style="yellow")


def late(module: str) -> ModuleType:
    """Import a module that only some calls need, so that `--help` need not wait for it."""
    return importlib.import_module(module)


def reading(name: str) -> AbstractContextManager[Advance]:
    """Draw a bar while a file is read; nothing where stderr is not a terminal."""
    return _bar(f"reading {name}", DownloadColumn())


def counting(what: str) -> AbstractContextManager[Advance]:
    """Draw a bar while things are done one by one; nothing where stderr is not a terminal."""
    return _bar(what, MofNCompleteColumn())


class _RowsPerSecond(ProgressColumn):
    """Rows done, rows there are, and rows per second."""

    def render(self, task: Task) -> Text:
        """Write them in millions."""
        done, total, speed = (number or 0.0 for number in (task.completed, task.total, task.speed))
        return Text(f"{done / 1e6:.1f}/{total / 1e6:.1f} M rows, {speed / 1e6:.2f} M rows/s")


@contextmanager
def flowing() -> Iterator[Callable[[int, int, str], None]]:
    """Draw a bar with rows per second while rows pass; nothing where stderr is not a terminal."""
    with _bars(_RowsPerSecond()) as bar:
        task = bar.add_task("reading", total=None)

        def advance(done: int, total: int, doing: str) -> None:
            bar.update(task, completed=done, total=total, description=doing)

        yield advance


class _Spent(ProgressColumn):
    """What calls have cost so far."""

    def render(self, task: Task) -> Text:
        """Write it with four decimals; nothing where no price is known."""
        spent = task.fields.get("spent", 0.0)
        return Text(f"spent {spent:.4f}" if spent else "")


@contextmanager
def paying(what: str) -> Iterator[Callable[[int, int, float], None]]:
    """Draw a bar of calls with what they cost; nothing where stderr is not a terminal."""
    with _bars(MofNCompleteColumn(), _Spent()) as bar:
        task = bar.add_task(what, total=None)

        def advance(done: int, total: int, spent: float) -> None:
            bar.update(task, completed=done, total=total, spent=spent)

        yield advance


def _bars(*amounts: ProgressColumn) -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), *amounts, TimeRemainingColumn())
    return Progress(*columns, console=stderr(), transient=True, disable=not sys.stderr.isatty())


@contextmanager
def _bar(label: str, amount: ProgressColumn) -> Iterator[Advance]:
    with _bars(amount) as bar:
        task = bar.add_task(label, total=None)

        def advance(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        yield advance


@contextmanager
def working(what: str) -> Iterator[Callable[[str], None]]:
    """Say on which step a long work is; nothing where stderr is not a terminal."""
    console = stderr()
    if not sys.stderr.isatty():
        yield lambda step: None
        return
    with console.status(what) as status:
        yield lambda step: status.update(f"{what}: {step}")


@contextmanager
def steps() -> Iterator[Callable[[str, int, int], None]]:
    """Draw a bar for each step of a long work; nothing where stderr is not a terminal."""
    with _bars(MofNCompleteColumn()) as bar:
        tasks: dict[str, TaskID] = {}

        def advance(step: str, done: int, total: int) -> None:
            if step not in tasks:
                tasks[step] = bar.add_task(step, total=None)
            bar.update(tasks[step], completed=done, total=total)

        yield advance
