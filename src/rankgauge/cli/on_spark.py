"""`evaluate --engine spark`: addresses to DataFrames, and the table and its summary to a folder of results."""

from __future__ import annotations

import re
import shutil
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import reduce
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import polars as pl

from rankgauge.cli import talk
from rankgauge.cli.scale import Request
from rankgauge.engines import noted, spark
from rankgauge.engines.results import ABOUT, About, Results, about_of, key_of, read_results, refuse_other
from rankgauge.engines.working import Work
from rankgauge.errors import EngineError, Fault, InputError
from rankgauge.formats._dataset_files import NO_VALUE, dated, partitions
from rankgauge.records import Note
from rankgauge.records.summary import NOT_COUNTED, SCORED, Summary

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

READERS = {
    "parquet": ("parquet", {}),
    "csv": ("csv", {"header": "true"}),
    "tsv": ("csv", {"header": "true", "sep": "\t"}),
    "json": ("json", {}),
    "jsonl": ("json", {}),
    "orc": ("orc", {}),
}
AS_TEXT = ("csv", "tsv")
PACKED = (".gz", ".bz2", ".zst", ".lz4", ".snappy")
PARTITION = re.compile(r"([^=/]+)=([^=/]+)")


def evaluate(request: Request) -> Results:
    """Evaluate what a request names on Spark.

    The inputs may lie wherever Spark can read. The folder for the results is one that this machine and the
    executors share: any for a Spark on this machine.
    """
    out = None if request.out is None else _shared(request.out)
    with talk.working("Spark") as step, _work(out) as work, _plain():
        step("starting a session")
        session = spark.session(request.master, memory=request.memory)
        step("looking at the files")
        rows, format_ = _read(session, request.sources, request.run_format)
        qrels, other = (None, "") if request.qrels is None else _read(session, [request.qrels], request.qrels_format)
        step("checking the rows")
        prepared = spark.prepare(
            rows,
            request.measures,
            qrels=qrels,
            columns=request.columns,
            by=_days(rows) if request.by is None else request.by,
            convention=request.how,
            on_duplicate=request.on_duplicate,
            trusted=request.trusted,
            text=bool({format_, other} & set(AS_TEXT)),
        )
        return work.finish(*_computed(prepared, request, out, work, step))


@contextmanager
def _work(out: Path | None) -> Iterator[Work]:
    """Open a working folder; what did not come to an end here is not taken up again."""
    with Work(out, job=f"spark {uuid.uuid4()}") as work:
        try:
            yield work
        except BaseException:
            shutil.rmtree(work.folder, ignore_errors=True)
            raise


@contextmanager
def _plain() -> Iterator[None]:
    """Say what Spark says in one line."""
    try:
        yield
    except Exception as error:
        if type(error).__module__.split(".")[0] not in ("pyspark", "py4j", "grpc"):
            raise
        named = re.search(r"\[[A-Z_.]+\][^\n]*", str(error))  # Spark's own sentence, among Java's lines
        raise EngineError(f"Spark: {named[0] if named else str(error).strip().splitlines()[0]}") from error


def _computed(
    prepared: spark.Prepared, request: Request, out: Path | None, work: Work, step: Callable[[str], None]
) -> tuple[About, Summary]:
    plan, scores, source = prepared.plan, prepared.scores, ", ".join(request.sources)
    if out is not None:
        if (out / ABOUT).exists():
            none = about_of(plan, plan.summary(pl.DataFrame(schema=plan.schema)), engine="spark", source=source)
            refuse_other(read_results(out).about, none, out)
        step(f"scoring {prepared.seen.rows:,} rows")
        scores = spark.write(prepared, work.scores().resolve().as_uri())
    step("summing up")
    summary = spark.summary(scores, by=plan.by, measures=plan.measures)
    if not summary.count(SCORED) + summary.count(NOT_COUNTED):
        got = f"none of {summary.queries}"
        raise InputError(Fault(source, "queries that have both results and judgments", got, "compare the ids"))
    about = about_of(plan, summary, engine="spark", source=source)
    everywhere = [*_seen(prepared), *noted.of_input(plan, label=source, apart=request.qrels is not None)]
    notes = {
        key_of(group): [*everywhere, *noted.notes_of(summary, plan, label=source, **group)]
        for group in summary.groups()
    }
    return replace(about, notes=notes), summary


def _seen(prepared: spark.Prepared) -> list[Note]:
    """What the look at all rows found, in the words of the other engines."""
    seen, plan, said = prepared.seen, prepared.plan, []
    if seen.unjudged and seen.unjudged < seen.rows:
        said.append(Note("empty grades", seen.unjudged, f"{seen.unjudged} rows without a grade were read as unjudged"))
    if plan.order == "rank":
        raised = "; ranks count from 0 and were raised by 1" if plan.from_zero else ""
        said.append(Note("rank as score", seen.rows, f"the rank column decides{raised}"))
    return said


def _shared(out: Path) -> Path:
    """Refuse an address: the summary is written from here."""
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]+:/", str(out)):
        advice = "name such a folder, or write the table with rankgauge.engines.spark.evaluate(...).write"
        raise InputError(Fault("-o", "a folder that this machine and Spark's executors share", str(out), advice))
    return out.absolute()


def _read(session: SparkSession, sources: Sequence[str], format_: str | None) -> tuple[DataFrame, str]:
    """Read addresses with Spark itself; the columns that partition a folder are there even if one part is named."""
    chosen = format_ or _format(sources)
    if chosen not in READERS:
        got = f"format {chosen!r}"
        raise InputError(
            Fault(sources[0], f"one of {', '.join(READERS)} on Spark", got, "convert it: rankgauge convert")
        )
    kind, options = READERS[chosen]
    bases: dict[str, list[str]] = {}
    for source in sources:
        bases.setdefault(_base(source), []).append(source)
    frames = []
    for base, paths in bases.items():
        reader = session.read.format(kind).options(**options)
        frames.append((reader.option("basePath", base) if base else reader).load(paths))
    return reduce(lambda one, other: one.unionByName(other), frames), chosen


def _format(sources: Sequence[str]) -> str:
    """Tell the format by the names' ends; folders are taken for parquet."""
    found = set()
    for source in sources:
        path = PurePosixPath(source)
        path = path.with_suffix("") if path.suffix in PACKED else path
        found.add(path.suffix.removeprefix(".").lower() if path.suffix and "=" not in path.name else "parquet")
    if len(found) > 1:
        raise InputError(Fault(sources[0], "files of one format", ", ".join(sorted(found)), "name it: --run-format"))
    return found.pop()


def _base(source: str) -> str:
    """Return the folder above the first that names a partition (date=2026-06-26), empty for none."""
    parts = source.split("/")
    first = next((place for place, part in enumerate(parts) if PARTITION.fullmatch(part)), 0)
    return "/".join(parts[:first]) if first else ""


def _days(rows: DataFrame) -> tuple[str, ...]:
    """Name the partitions that are dates and stand in every path, as the streaming engine does."""
    keys = [partitions(path) for path in rows.inputFiles()]
    return tuple(name for name in dated(keys) if all(one.get(name, NO_VALUE) != NO_VALUE for one in keys))
