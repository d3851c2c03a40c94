"""Results: the folder in which per-query scores and their summary are kept, so that days add up.

    FOLDER/about.json                        what was computed, from what, and what was noticed
    FOLDER/totals.parquet, counts.parquet    the summary
    FOLDER/scores/[date=2026-06-26/]*.parquet    one row per query; `by` columns are in the path, not in the files

A run into a folder that exists replaces the groups (days) that it computes and keeps the others, if it computes
the same measures in the same way.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import polars as pl

from rankgauge.engines.parts import whole
from rankgauge.engines.plan import Plan
from rankgauge.errors import Fault, InputError
from rankgauge.records import Note
from rankgauge.records.summary import STATUSES, MeasureColumns, Summary

FORMAT = 1
ABOUT, TOTALS, COUNTS_, SCORES = "about.json", "totals.parquet", "counts.parquet", "scores"


@dataclass(frozen=True)
class About:
    """What a folder of results holds.

    Attributes
    ----------
    measures : with their columns, in order
    convention, order, by : of the plan
    top_grade : highest grade that was seen, by group of `by` joined with "/" ("" without groups)
    engine, source : what computed it, from what
    notes : what was noticed, dropped or chosen, by group as `top_grade`
    """

    measures: tuple[MeasureColumns, ...]
    convention: str
    order: str
    by: tuple[str, ...] = ()
    top_grade: dict[str, float] = field(default_factory=dict)
    engine: str = "stream"
    source: str = ""
    notes: dict[str, list[Note]] = field(default_factory=dict)

    def settings(self) -> tuple[Any, ...]:
        """What must be equal for results to share a folder."""
        return tuple((m.name, m.unjudged, m.doubts) for m in self.measures), self.convention, self.order, self.by


@dataclass(frozen=True)
class Results:
    """What one folder holds, or what was computed and is kept in none; see `About` and `Summary`."""

    folder: Path | None
    about: About
    summary: Summary

    def scores(self) -> pl.LazyFrame:
        """Per-query scores: by..., query, status, counts, one column per measure, and its doubt.

        Raises InputError where no folder keeps them.
        """
        if self.folder is None:
            raise InputError(Fault("these results", "a folder that keeps scores", "none", "name one: out=FOLDER"))
        files = str(self.folder / SCORES / "**" / "*.parquet")
        parted = {name: pl.String for name in self.about.by}
        return pl.scan_parquet(files, hive_partitioning=bool(parted), hive_schema=parted or None)


def key_of(group: dict[str, Any]) -> str:
    """Name a group, as `About.top_grade` does."""
    return "/".join(str(value) for value in group.values())


def read_results(folder: str | os.PathLike[str]) -> Results:
    """Read a folder that an engine has written.

    Raises InputError where it is none, or is not finished.
    """
    folder = Path(folder)
    if absent := next((name for name in (ABOUT, TOTALS, COUNTS_) if not (folder / name).is_file()), None):
        advice = "rankgauge evaluate ... -o writes one"
        raise InputError(Fault(str(folder), "a folder of results", f"no {absent}", advice))
    try:
        about = _about(json.loads((folder / ABOUT).read_text("utf-8")))
        totals, counts = (pl.read_parquet(folder / name) for name in (TOTALS, COUNTS_))
        return Results(folder, about, _whole(Summary(about.by, totals, counts)))
    except (AttributeError, KeyError, TypeError, ValueError, pl.exceptions.PolarsError) as error:
        got = str(error).splitlines()[0][:120]
        raise InputError(Fault(str(folder), "a whole folder of results", got, "compute it again")) from None


def _whole(summary: Summary) -> Summary:
    """Raise ValueError where the files are of two different runs."""
    known = summary.totals.filter(pl.col("column") == "retrieved").select(*summary.by, "n")
    queries = summary.counts.select(*summary.by, n=pl.sum_horizontal(STATUSES).cast(pl.Int64))
    if len(known) and sorted(known.rows(), key=repr) != sorted(queries.rows(), key=repr):
        raise ValueError(f"{TOTALS} and {COUNTS_} of different runs")
    return summary


def write_results(folder: Path, about: About, summary: Summary) -> Results:
    """Write what is said of the scores in a folder, beside the other groups that it holds already."""
    if (folder / ABOUT).exists():
        old = read_results(folder)
        refuse_other(old.about, about, folder)
        about, summary = _joined(old, about, summary)
    folder.mkdir(parents=True, exist_ok=True)
    for name, frame in ((TOTALS, summary.totals), (COUNTS_, summary.counts)):
        whole(folder / name, frame.write_parquet)
    said = json.dumps({"format": FORMAT} | asdict(about), ensure_ascii=False, indent=1)
    whole(folder / ABOUT, lambda path: path.write_text(said + "\n", "utf-8"))
    return Results(folder, about, summary)


def about_of(plan: Plan, summary: Summary, *, engine: str, source: str, notes: Iterable[Note] = ()) -> About:
    """Say what a plan has computed."""
    keys = [key_of(group) for group in summary.groups()]
    noted = {key: list(notes) for key in keys}
    tops = dict.fromkeys(keys, plan.top_grade)
    return About(plan.columns, plan.how.name, plan.order, plan.by, tops, engine, source, noted)


def refuse_other(old: About, new: About, folder: Path) -> None:
    """Raise InputError where a folder holds results of other measures, or computed in another way."""
    if old.settings() != new.settings():
        got = f"{', '.join(m.name for m in old.measures)} under {old.convention!r}, by {old.order}, parted by {old.by}"
        raise InputError(Fault(str(folder), "an empty folder or results of the same kind", got, "name another with -o"))


def _joined(old: Results, about: About, summary: Summary) -> tuple[About, Summary]:
    """Put new groups in the place of old ones of the same name."""
    if not about.by:
        return about, summary
    kept = old.summary.without(summary.counts.select(about.by))
    both = replace(about, top_grade=old.about.top_grade | about.top_grade, notes=old.about.notes | about.notes)
    return both, Summary.merge([kept, summary])


def _about(known: dict[str, Any]) -> About:
    if known.pop("format") != FORMAT:
        raise ValueError(f"another version of the format than {FORMAT}")
    measures = tuple(
        MeasureColumns(**one | {"doubts": tuple(tuple(pair) for pair in one["doubts"])}) for one in known["measures"]
    )
    notes = {key: [Note(**note) for note in said] for key, said in known["notes"].items()}
    return About(**known | {"measures": measures, "by": tuple(known["by"]), "notes": notes})
