"""Budget: how many rows may be in memory at once."""

from __future__ import annotations

import re
from dataclasses import dataclass

import polars as pl

from rankgauge.errors import Fault, InputError

SMALLEST = 256 << 20
AT_REST = 220 << 20
"""What does not grow with the rows of a batch: Python with polars and numpy, the allocators' slack, score files."""

SCORING = 180
"""Bytes a row needs while it is scored, beyond the row itself; measured, with half the rows judged."""

FRAMES = 4
"""How often a row is held: read ahead, put in a batch, in the order of its queries, and as decoded from the file."""

MOST_ROWS = 1_000_000
"""More rows at once are not faster."""

FEWEST_ROWS = 10_000
SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)I?B?\s*", re.IGNORECASE)
POWERS = {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}


def bytes_of(memory: int | str) -> int:
    """Read an amount of memory; prefixes are powers of 1024.

    Raises InputError for what is no amount, and for less than 256 MB.

    >>> bytes_of("2GB") == 2 * 1024**3
    True
    """
    found = SIZE.fullmatch(memory) if isinstance(memory, str) else None
    if found is None and isinstance(memory, str):
        raise InputError(Fault("memory", "an amount such as 2GB or 500MB", repr(memory)))
    amount = int(float(found[1]) * (1 << POWERS[found[2].upper()])) if found else int(memory)
    if amount < SMALLEST:
        raise InputError(Fault("memory", "256MB or more", repr(memory), "less does not hold a batch of rankings"))
    return amount


@dataclass(frozen=True)
class Budget:
    """Rows that are scored together, rows that fit at most, and bytes for judgments held all the time.

    `rows` None: no bound, everything in one batch.
    """

    rows: int | None
    most: int | None
    judgments: int | None


NO_BOUND = Budget(None, None, None)


def budget(memory: int | None, sample: pl.DataFrame) -> Budget:
    """Make a budget of so many bytes for rows like those of a sample."""
    if memory is None:
        return NO_BOUND
    free = memory - AT_REST
    each = SCORING + FRAMES * row_bytes(sample)
    most = int(max(FEWEST_ROWS, free * 0.75 / each))
    return Budget(min(MOST_ROWS, most), most, free // 4)


def row_bytes(sample: pl.DataFrame) -> float:
    """Bytes of one row; a guess where there is none."""
    return sample.estimated_size() / len(sample) if len(sample) else 64.0
