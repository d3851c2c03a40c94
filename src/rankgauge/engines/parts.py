"""Parts: the files in which per-query scores are written, and the folders that name their groups."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from errno import EDQUOT, ENOSPC
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import polars as pl

from rankgauge.errors import Fault

NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
FULL = (ENOSPC, EDQUOT)

Group = tuple[str | None, ...]
"""Values of the columns that part rankings (days)."""


def directories(by: Iterable[str], group: Iterable[str | None]) -> list[str]:
    """Name a group's folders as Hive does: date=2026-06-26; none for no group.

    >>> directories(["date", "market"], ["2026-06-26", "a/b"])
    ['date=2026-06-26', 'market=a%2Fb']
    """
    values = (NO_VALUE if value is None else quote(value, safe="") for value in group)
    return [f"{name}={value}" for name, value in zip(by, values, strict=False)]


def whole(path: Path, write: Callable[[Path], Any]) -> None:
    """Write a file beside its place and move it there once it is whole."""
    beside = path.with_name(f".{path.name}")
    try:
        write(beside)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def part_files(folder: Path) -> list[Path]:
    """Score files in a folder and the folders in it, in order."""
    return sorted(folder.rglob("part-*.parquet"))


def drop_later(folder: Path, parts: int) -> None:
    """Remove what was written after the last mark: score files from a number on, and files that are not whole."""
    for path in folder.rglob("*part-*.parquet"):
        if path.name.startswith(".") or int(path.stem.removeprefix("part-")) >= parts:
            path.unlink()


def read_part(path: Path, root: Path, by: Sequence[str], columns: Sequence[str] = ()) -> pl.DataFrame:
    """Read a score file, or some columns of it, with the columns of `by`, which stand in its path below `root`."""
    values = [_value(folder.partition("=")[2]) for folder in path.relative_to(root).parts[:-1]]
    named = [pl.lit(value, pl.String).alias(name) for name, value in zip(by, values, strict=True)]
    return pl.read_parquet(path, columns=list(columns) or None).select(*named, pl.all())


def _value(text: str) -> str | None:
    return None if text == NO_VALUE else unquote(text)


@contextmanager
def room(folder: Path, needed: int = 0) -> Iterator[None]:
    """Say which folder is full, where writing fails for that."""
    try:
        yield
    except (OSError, pl.exceptions.ComputeError) as error:
        if getattr(error, "errno", None) not in FULL and "os error 28" not in str(error):
            raise
        free = shutil.disk_usage(_there(folder)).free
        more = f"room for {needed >> 20:,} MB more" if needed >> 20 else "room to write"
        advice = "free some, or name another folder with -o or --spill; the same command goes on from what is finished"
        full = OSError(str(Fault(str(folder), more, f"a full disk ({free >> 20:,} MB free)", advice)))
        full.errno = ENOSPC
        raise full from error


def _there(folder: Path) -> Path:
    return next(path for path in (folder, *folder.parents) if path.exists())
