"""Folders of results day by day, as an engine writes them, and days of which the truth is known."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from rankgauge.engines import batch
from rankgauge.engines.plan import Plan, plan
from rankgauge.engines.results import Results, about_of, write_results

FIRST = dt.date(2026, 6, 1)


def date(number: int) -> dt.date:
    """The day with this number, from 0."""
    return FIRST + dt.timedelta(days=number)


def day_rows(day: str, grades: Iterable[Sequence[float | None]], **parts: str) -> pl.DataFrame:
    """One query per list of grades, in order of rank; None is unjudged."""
    rows = [
        (day, *parts.values(), f"q{query}", f"d{rank}", rank, grade)
        for query, listed in enumerate(grades)
        for rank, grade in enumerate(listed, 1)
    ]
    ids = dict.fromkeys(("date", *parts, "query", "doc"), pl.String)
    return pl.DataFrame(rows, schema=ids | {"rank": pl.Int64, "grade": pl.Float64}, orient="row")


def write(folder: Path, rows: pl.DataFrame, how: Plan, qrels: pl.DataFrame | None = None) -> Results:
    """Score rows and write them as an engine does."""
    table = batch.score(rows, how, qrels)
    for key, part in table.partition_by(how.by, as_dict=True).items():
        parts = [f"{name}={value}" for name, value in zip(how.by, key, strict=True)]
        place = folder.joinpath("scores", *parts)
        place.mkdir(parents=True, exist_ok=True)
        part.drop(how.by).write_parquet(place / "part.parquet")
    summary = how.summary(table)
    return write_results(folder, about_of(how, summary, engine="stream", source="logs/"), summary)


def simulated(
    folder: Path,
    days: int = 30,
    *,
    drop: float = 0.0,
    at: int = 10_000,
    lasting: int = 10_000,
    queries: int = 200,
    unjudged: dict[int, float] | None = None,
    skip: Sequence[int] = (),
    measures: Sequence[str] = ("P@5", "Judged@5"),
    seed: int = 1,
) -> Results:
    """Days of five graded documents per query, each relevant with chance 0.5, less `drop` from day `at` on."""
    rng = np.random.default_rng(seed)
    parts = []
    for number in range(days):
        chance = 0.5 - (drop if at <= number < at + lasting else 0.0)
        grades = (rng.random((queries, 5)) < chance).astype(float)
        grades[rng.random((queries, 5)) < (unjudged or {}).get(number, 0.0)] = np.nan
        if number not in skip:
            parts.append(day_rows(date(number).isoformat(), grades.tolist()))
    return write(folder, pl.concat(parts), plan(list(measures), order="rank", by=("date",)))
