"""Working folder: what a long run has finished, so that it can stop at any moment and go on from there.

    FOLDER/.rankgauge/state.json    the job, and how far each unit of it has come
    FOLDER/.rankgauge/new/          results in the making: score files as in FOLDER, put there once everything is done
    FOLDER/.rankgauge/joined/       the folder's summary as it will be; where it stands, only moving is left to do
    FOLDER/.rankgauge/spill/        rows parted on disk

FOLDER itself changes at the end, in steps that the next run completes if this one is killed between them; while they
last, it has no about.json and is no folder of results.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import tempfile
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from rankgauge.engines.chunks import START, Place
from rankgauge.engines.parts import directories, whole
from rankgauge.engines.results import ABOUT, COUNTS_, SCORES, TOTALS, About, Results, read_results, write_results
from rankgauge.errors import Fault, InputError
from rankgauge.records import Note
from rankgauge.records.summary import Summary

HIDDEN = ".rankgauge"
STATE, NEW, JOINED, SPILL = "state.json", "new", "joined", "spill"
SUMMARY = (TOTALS, COUNTS_, ABOUT)


@dataclass(frozen=True)
class Unit:
    """How far a unit (the pieces of one group) has come.

    Attributes
    ----------
    at : first row that is not in a score file
    parts : score files that are whole
    apart : whether its rows have to be parted on disk
    done : whether nothing is left to do
    notes : what was noticed on the way
    """

    at: Place = START
    parts: int = 0
    apart: bool = False
    done: bool = False
    notes: tuple[Note, ...] = field(default=())


class Work:
    """The working folder of one run; a context that removes what must not stay."""

    def __init__(self, out: Path | None, job: str, spill: Path | None = None) -> None:
        self.out, self.job = out, job
        self.begun_anew = False
        self._leave = ExitStack()
        self._where = spill
        self.units: dict[str, Unit] = {}

    def __enter__(self) -> Work:
        if self.out is None:
            self.folder = Path(tempfile.mkdtemp(prefix="rankgauge-", dir=self._where))
            self._leave.callback(shutil.rmtree, self.folder, ignore_errors=True)
        else:
            self.folder = self.out / HIDDEN
            self.folder.mkdir(parents=True, exist_ok=True)
            self._lock()
            put_in_place(self.out)
            self.folder.mkdir(exist_ok=True)
        try:
            self._take_up()
        except BaseException:
            self._leave.close()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        shutil.rmtree(self.spill, ignore_errors=True)
        self._leave.close()

    def _lock(self) -> None:
        # The folder itself is locked: a lock file in it would vanish with it. The kernel unlocks for the dead.
        handle = os.open(self.out or self.folder, os.O_RDONLY)
        self._leave.callback(os.close, handle)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._leave.close()
            got = "one that another run is writing into"
            raise InputError(
                Fault(str(self.out), "a folder of one's own", got, "wait for it, or name another")
            ) from None

    def _take_up(self) -> None:
        """Go on where a run of the same job stopped; else begin anew."""
        state = _read_state(self.folder / STATE)
        if (left := state.get("spill")) is not None:
            shutil.rmtree(left, ignore_errors=True)
        if state.get("job") == self.job:
            self.units = {key: _unit(known) for key, known in state["units"].items()}
        else:
            self.begun_anew = bool(state.get("units"))
            shutil.rmtree(self.folder / NEW, ignore_errors=True)
        self.spill = self.folder / SPILL
        if self._where is not None and self.out is not None:
            self._where.mkdir(parents=True, exist_ok=True)
            self.spill = Path(tempfile.mkdtemp(prefix="rankgauge-spill-", dir=self._where))
        self._save()

    def unit(self, key: str) -> Unit:
        """Say how far a unit has come."""
        return self.units.get(key, Unit())

    def mark(self, key: str, **changes: Any) -> Unit:
        """Keep how far a unit has come."""
        self.units[key] = replace(self.unit(key), **changes)
        self._save()
        return self.units[key]

    def _save(self) -> None:
        units = {key: asdict(unit) for key, unit in self.units.items()}
        text = json.dumps({"job": self.job, "spill": str(self.spill), "units": units}, ensure_ascii=False)
        whole(self.folder / STATE, lambda path: path.write_text(text, "utf-8"))

    @property
    def resumed(self) -> bool:
        """Whether anything of an earlier run is used."""
        return any(unit.done or unit.parts for unit in self.units.values())

    def scores(self, by: Iterable[str] = (), group: Iterable[str | None] = ()) -> Path:
        """Return the folder of the score files of all groups, or of one."""
        return self.folder.joinpath(NEW, SCORES, *directories(by, group))

    def finish(self, about: About, summary: Summary) -> Results:
        """Put the new results into the folder, beside the other groups that it holds."""
        if self.out is None:
            return Results(None, about, summary)
        write_results(self.folder / NEW, about, summary)
        put_in_place(self.out)
        return Results(self.out, about, summary)


def put_in_place(out: Path) -> None:
    """Move finished results from the working folder into theirs; each step may already have been done."""
    work = out / HIDDEN
    if not (work / JOINED).exists() and (work / NEW / ABOUT).exists():
        _join(out, work)
    if not (work / JOINED).exists():
        return
    if (work / JOINED / ABOUT).exists():
        (out / ABOUT).unlink(missing_ok=True)
        by = read_about_by(work / JOINED / ABOUT)
        _move_groups(work / NEW / SCORES, out / SCORES, len(by))
        for name in SUMMARY:
            if (work / JOINED / name).exists():
                (work / JOINED / name).replace(out / name)
    shutil.rmtree(work)


def _join(out: Path, work: Path) -> None:
    """Write the folder's summary as it will be, beside its place."""
    new = read_results(work / NEW)
    joining = work / "joining"
    shutil.rmtree(joining, ignore_errors=True)
    joining.mkdir()
    if (out / ABOUT).exists():
        for name in SUMMARY:
            shutil.copyfile(out / name, joining / name)
    write_results(joining, new.about, new.summary)
    joining.rename(work / JOINED)


def read_about_by(path: Path) -> list[str]:
    """Read which columns part a folder's results."""
    by: list[str] = json.loads(path.read_text("utf-8"))["by"]
    return by


def _move_groups(new: Path, old: Path, depth: int) -> None:
    """Put each group's new files in the place of its old ones."""
    if not new.exists():
        return
    if depth == 0:
        shutil.rmtree(old, ignore_errors=True)
        new.rename(old)
        return
    for group in sorted(new.iterdir()):
        old.mkdir(parents=True, exist_ok=True)
        _move_groups(group, old / group.name, depth - 1)


def _read_state(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _unit(known: dict[str, Any]) -> Unit:
    notes = tuple(Note(**note) for note in known["notes"])
    return Unit(**known | {"at": Place(**known["at"]), "notes": notes})
