"""The engine for clusters: Spark DataFrames to per-query scores, by the same measures as everywhere.

Rows are brought together by query with Spark's own aggregates, and whole rankings go to the measures in Arrow
batches. Where ranks are trusted and rankings are short, what travels is not rows but `states`. Works on classic
DataFrames and through Spark Connect.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from rankgauge import errors
from rankgauge.conventions import Convention
from rankgauge.engines._spark_code import check, executors, remote, ship
from rankgauge.engines._spark_columns import quoted
from rankgauge.engines._spark_plans import by_rows, by_states, schema
from rankgauge.engines._spark_rows import Seen, judgment_rows, log_rows, look
from rankgauge.engines._spark_session import session
from rankgauge.engines.plan import QUERY, Plan, plan
from rankgauge.engines.states import Layout, layout
from rankgauge.errors import ConventionError, EngineError, Fault, InputError, ParameterError
from rankgauge.measures import Measure, parse
from rankgauge.records.run import OnDuplicate
from rankgauge.records.summary import STATUSES, Summary

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["Prepared", "check", "evaluate", "executors", "prepare", "session", "ship", "summary", "write"]

AnyMeasures = str | Measure | Sequence[str | Measure]


@dataclass(frozen=True)
class Prepared:
    """What `prepare` found and planned: the plan, the lazy table of its scores, and what was seen of the rows.

    `states` says how rankings travel as states, None where their rows travel.
    """

    plan: Plan
    scores: DataFrame
    seen: Seen
    states: Layout | None


def evaluate(
    rows: DataFrame,
    measures: AnyMeasures,
    *,
    qrels: DataFrame | None = None,
    query: str | None = None,
    doc: str | None = None,
    rank: str | None = None,
    score: str | None = None,
    grade: str | None = None,
    by: str | Sequence[str] = (),
    convention: Convention | str = "default",
    on_duplicate: OnDuplicate = "error",
    trusted: bool = False,
    qrels_columns: Mapping[str, str] | None = None,
) -> DataFrame:
    """Score every ranking of a Spark DataFrame.

    The rows are gone through once at once, to refuse what cannot be evaluated; all else is lazy.

    Parameters
    ----------
    rows : a row per retrieved document, with its grade where it has one; a row without a rank was judged and not
        retrieved
    measures : names such as "nDCG@10", or measures
    qrels : judgments that come apart: query, doc, grade
    query, doc, rank, score, grade : names of the columns of `rows`; usual names are found
    by : columns that part rankings besides the query (days, say)
    on_duplicate : "error", or "max" to keep the best of a document's rows
    trusted : the ranks are 1..n and no document is in a ranking twice: ids are not read
    qrels_columns : {role: column} of the qrels

    Returns
    -------
    A row per query: by..., query, status, counts, the measures' values, the share of unjudged documents, and
    what ties and unjudged documents could change (see `Plan.schema`). Rows whose status is "left out" or "not
    counted" have no values.

    Raises
    ------
    InputError
        For rows that are not what they should be, each fault with its count and an example.
    ConventionError
        For choices that need the order of the input, which Spark does not keep.
    MeasureError
        For measures that cannot be had.
    EngineError
        For executors that lack what is needed.
    """
    given = {"query": query, "doc": doc, "rank": rank, "score": score, "grade": grade}
    return prepare(
        rows, measures, qrels=qrels, columns=given, qrels_columns=qrels_columns, by=by, convention=convention,
        on_duplicate=on_duplicate, trusted=trusted,
    ).scores  # fmt: skip


def prepare(
    rows: DataFrame,
    measures: AnyMeasures,
    *,
    qrels: DataFrame | None = None,
    columns: Mapping[str, str | None] | None = None,
    qrels_columns: Mapping[str, str] | None = None,
    by: str | Sequence[str] = (),
    convention: Convention | str = "default",
    on_duplicate: OnDuplicate = "error",
    trusted: bool = False,
    text: bool = False,
) -> Prepared:
    """Do what `evaluate` does, and keep what was found on the way; `text`: numbers may be written as text."""
    parted = [by] if isinstance(by, str) else list(by)
    log = log_rows(rows, columns or {}, parted, ids=not trusted, text=text, apart=qrels is not None)
    assert log.columns.order is not None
    chosen = plan(
        measures, convention, order=log.columns.order, by=tuple(parted), on_duplicate=on_duplicate, trusted=trusted
    )
    _refuse(chosen, apart=qrels is not None)
    judged = None if qrels is None else judgment_rows(qrels, qrels_columns or {}, parted, text=text)
    check(rows.sparkSession)
    seen = look(log)
    other = None if judged is None else look(judged)
    top = max(seen.top_grade, other.top_grade if other else 1.0)
    chosen = chosen.but(top_grade=top, from_zero=seen.first_rank == 0)
    packing = None
    if judged is None:
        last = seen.last_rank + chosen.from_zero
        packing = layout(chosen, last_rank=last, lowest=seen.lowest, highest=seen.highest, whole=seen.whole)
    if packing is not None:
        return Prepared(chosen, by_states(log, chosen, packing), seen, packing)
    return Prepared(
        chosen, by_rows(log, chosen, judged, seen.longest(chosen.order) + (other.rows if other else 0)), seen, None
    )


def _refuse(chosen: Plan, *, apart: bool) -> None:
    """Refuse what has no meaning here."""
    if not chosen.measures:
        raise ParameterError("expected at least one measure, got none; try nDCG@10")
    if chosen.on_duplicate == "first":
        raise ParameterError(str(Fault("on_duplicate", "'error' or 'max'", "'first'", _NO_ORDER)))
    for measure in chosen.measures:
        rules = chosen.how.of(str(measure))
        if rules.order == "input" or (rules.ties == "input" and chosen.order == "score"):
            what = "order" if rules.order == "input" else "ties"
            raise ConventionError(str(Fault(f"{what} of {measure}", "one by scores and ids", "the input's", _NO_ORDER)))
        if measure.declared.cutoff == "required" and measure.cutoff is None:
            raise ParameterError(f"{measure.name} needs a cutoff, as in {measure.name}@10")
    if chosen.trusted and apart:
        got = "separate judgments"
        raise ParameterError(str(Fault("trusted", "grades on the rows", got, "leave trusted out")))
    lowered = [name.lower() for name in chosen.schema]
    if twice := next((name for name in chosen.schema if lowered.count(name.lower()) > 1), None):
        advice = "Spark takes upper and lower case as one: rename the column of by, or the measure"
        raise ParameterError(str(Fault(f"column {twice!r}", "a name of its own", "another in other case", advice)))


_NO_ORDER = "Spark does not keep the order of rows"


def write(prepared: Prepared, address: str) -> DataFrame:
    """Compute the scores, write them as parquet, a folder for each group of `by`, and return what was written.

    Groups (days) that the scores do not have stay as they are.
    """
    by, scores = prepared.plan.by, prepared.scores
    writer = scores.write.mode("overwrite").option("mapreduce.fileoutputcommitter.marksuccessfuljobs", "false")
    if by:
        writer = writer.option("partitionOverwriteMode", "dynamic").partitionBy(*by)
    with spoken():
        writer.parquet(address)
    return scores.sparkSession.read.schema(schema(prepared.plan)).parquet(address)


def summary(scores: DataFrame, *, by: str | Sequence[str] = (), measures: AnyMeasures = ()) -> Summary:
    """Sum up a table of scores exactly, on the executors; the same to the bit in whatever parts the rows lie.

    Parameters
    ----------
    by : columns that part the queries
    measures : needed for those with a geometric mean only (GMAP)

    Raises what the evaluation raises, as the table is computed now.
    """
    parted = [by] if isinstance(by, str) else list(by)
    listed = [measures] if isinstance(measures, (str, Measure)) else measures
    found = [parse(one) if isinstance(one, str) else one for one in listed]
    geometric = [str(one) for one in found if one.declared.average == "geometric"]
    logs = [name for name in scores.columns if any(name == one or name.startswith(f"{one} ") for one in geometric)]
    partial = ", ".join([*(f"{quoted(name)} string" for name in parted), _PARTIAL])
    names = list(scores.columns)
    numbered = scores.toDF(*(f"column{number}" for number in range(len(names))))  # no dots, for mapInArrow
    with spoken():
        parts = numbered.mapInArrow(remote("sum_up", names, parted, logs), partial).toArrow()
    return _merged(pl.DataFrame(pl.from_arrow(parts)), parted)


_PARTIAL = "`column` string, n bigint, `sum` array<double>, squares array<double>, statuses array<bigint>"


def _merged(rows: pl.DataFrame, by: Sequence[str]) -> Summary:
    if not len(rows):
        return Summary.of(pl.DataFrame(schema=dict.fromkeys((*by, QUERY, "status"), pl.String)), by)
    totals = rows.filter(pl.col("column").is_not_null()).drop("statuses")
    wide = [pl.col("statuses").list.get(place).alias(status) for place, status in enumerate(STATUSES)]
    counts = rows.filter(pl.col("column").is_null()).select(*by, *wide)
    return Summary.merge([Summary(tuple(by), totals, counts)])


@contextmanager
def spoken() -> Iterator[None]:
    """Raise what executors raised on purpose as what it was, without Spark's pages around it."""
    try:
        yield
    except Exception as error:
        if told := re.search(r"RuntimeError: (the executor on [^\n]+)", str(error)):
            raise EngineError(told[1]) from error
        found = re.search(r"rankgauge\.errors\.(\w+): (.+?)(?:\n\s*\n|\Z)", str(error), re.DOTALL)
        kind = getattr(errors, found[1], None) if found else None
        if found is None or kind is None:
            raise
        if issubclass(kind, InputError):
            raise kind(_faults(found[2])) from error
        raise kind(found[2]) from error


def _faults(text: str) -> list[Fault]:
    lines = [re.fullmatch(r"(.*?): expected (.*?), got (.*?)(?:; (.*))?", line) for line in text.splitlines()]
    return [Fault(*(part or "" for part in line.groups())) for line in lines if line]
