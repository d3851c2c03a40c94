"""What Spark's executors run: Arrow batches of whole rankings to rows of the table, and tables to summaries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any

import numpy as np
import polars as pl

from rankgauge.engines import batch, states
from rankgauge.engines._spark_code import unpacked
from rankgauge.engines.plan import DOC, GRADE, QUERY, Plan
from rankgauge.errors import InputError
from rankgauge.records.summary import STATUSES, Summary

Batch = Any
"""A pyarrow.RecordBatch."""

ROWS_AT_ONCE = 400_000
QUERIES_AT_ONCE = 50_000
ANSWERS_AT_ONCE = 10_000
LIST, JUDGMENT, LENGTH = "rows", "judgment", "length"


def score_rows(batches: Iterable[Batch], written: bytes, apart: bool) -> Iterator[Batch]:
    """Score rankings that come as lists, one ranking a row.

    Columns: by..., query, rows: a list of doc, rank or score, grade; and `judgment`, where judgments come apart.
    """
    plan = unpacked(written)
    for lists in _portions(batches):
        yield from _answers(_score(lists, plan, apart), plan.schema)


def score_parts(batches: Iterable[Batch], written: bytes, apart: bool) -> Iterator[Batch]:
    """Score rankings that come in parts, in any order; columns as in `score_rows`, and the expected number of rows.

    A ranking is scored when all of its rows are there.
    """
    plan = unpacked(written)
    keys = [*plan.by, QUERY]
    held: dict[tuple[Any, ...], list[pl.DataFrame]] = {}
    lacking: dict[tuple[Any, ...], int] = {}
    for batch_ in batches:
        parts = pl.DataFrame(pl.from_arrow(batch_))
        for key, part in parts.partition_by(keys, as_dict=True).items():
            lacking[key] = lacking.get(key, part["expected"][0]) - int(part[LIST].list.len().sum())
            held.setdefault(key, []).append(part.drop("expected"))
            if not lacking[key]:
                yield from _answers(_scored(pl.concat(held.pop(key)), plan, apart), plan.schema)
    assert not held, f"rows of {next(iter(held))} are missing: the input changed while it was read"


def score_states(
    batches: Iterable[Batch], written: bytes, depth: int, lowest: int, kinds: int, complete: bool
) -> Iterator[Batch]:
    """Score rankings that come as states; see `states.Layout`. Columns: by..., query, rows, last, words, counts."""
    plan, layout = unpacked(written), states.Layout(depth, lowest, kinds, complete)
    for batch_ in batches:
        frame = pl.DataFrame(pl.from_arrow(batch_))
        words = [frame[f"word{number}"].to_numpy() for number in range(len(layout.words))]
        below = [frame[f"below{number}"].to_numpy() for number in range(len(layout.counted))]
        known = states.States(
            keys=frame.select(*plan.by, QUERY),
            rows=frame["rows"].to_numpy(),
            last=frame["last"].to_numpy(),
            codes=states.unpacked(words, layout),
            below=np.stack(below, axis=1) if below else np.zeros((len(frame), layout.kinds), dtype=np.int64),
        )
        yield from _answers(states.score(known, layout, plan), plan.schema)


def _portions(batches: Iterable[Batch]) -> Iterator[pl.DataFrame]:
    """Put small batches together and cut large ones, so that each holds some hundred thousand rows.

    How many queries Spark puts in a batch is the session's setting, and says nothing of the rows.
    """
    held: list[pl.DataFrame] = []
    for batch_ in batches:
        frame = pl.DataFrame(pl.from_arrow(batch_)).with_columns(pl.col(LIST).list.len().alias(LENGTH))
        held.append(frame)
        if sum(int(one[LENGTH].sum()) for one in held) < ROWS_AT_ONCE and sum(map(len, held)) < QUERIES_AT_ONCE:
            continue
        yield from _cut(pl.concat(held))
        held = []
    if held:
        yield from _cut(pl.concat(held))


def _cut(frame: pl.DataFrame) -> Iterator[pl.DataFrame]:
    part = frame[LENGTH].cast(pl.Int64).cum_sum() // ROWS_AT_ONCE
    start = 0
    for end in [*(part.diff().fill_null(0) > 0).arg_true().to_list(), len(frame)]:
        if end > start:
            yield frame[start:end].drop(LENGTH)
        start = end


def _score(lists: pl.DataFrame, plan: Plan, apart: bool) -> pl.DataFrame:
    if not plan.by:
        return _scored(lists, plan, apart)
    # Days lie mixed here: one number for each ranking spares a batch for each day.
    numbered = lists.drop(QUERY, *plan.by).with_columns(pl.Series(QUERY, np.arange(len(lists))).cast(pl.String))
    if plan.how.drop_self:
        return _scored(lists, plan, apart)
    try:
        table = _scored(numbered, plan.but(by=()), apart)
    except InputError:
        return _scored(lists, plan, apart)  # raises with the names
    at = table[QUERY].cast(pl.Int64)
    return table.with_columns(lists.select(*plan.by, QUERY)[at])


def _scored(lists: pl.DataFrame, plan: Plan, apart: bool) -> pl.DataFrame:
    rows = lists.explode(LIST).unnest(LIST)
    if not apart:
        return batch.score(rows, plan).select(list(plan.schema))
    judged = rows.filter(JUDGMENT).select(*plan.by, QUERY, DOC, GRADE)
    return batch.score(rows.filter(~pl.col(JUDGMENT)), plan, judged).select(list(plan.schema))


def _answers(table: pl.DataFrame, schema: dict[str, Any]) -> Iterator[Batch]:
    """Write rows as Spark reads them."""
    arrow = import_module("pyarrow")
    kinds = {pl.String: arrow.string(), pl.Int64: arrow.int64(), pl.Float64: arrow.float64()}
    wanted = arrow.schema([(name, kinds[kind]) for name, kind in schema.items()])
    yield from table.select(list(schema)).to_arrow().cast(wanted).to_batches(ANSWERS_AT_ONCE)


def sum_up(batches: Iterable[Batch], names: list[str], by: list[str], logs: list[str]) -> Iterator[Batch]:
    """Sum up a part of a table with these columns exactly.

    The answer has rows of by..., column, n, sum, squares, and rows of by..., statuses.

    Raises AssertionError where a query stands twice, which would mean that its rows were torn apart.
    """
    arrow = import_module("pyarrow")
    parts: list[Summary] = []
    hashes = []
    for batch_ in batches:
        table = pl.DataFrame(pl.from_arrow(batch_))
        table.columns = names
        hashes.append(table.select(pl.struct(*by, QUERY).hash()).to_series())
        parts.append(Summary.of(table, by, logs))
    if not parts:
        return
    known = pl.concat(hashes)
    assert known.n_unique() == len(known), "one row per query: rows of a query were torn apart"
    whole = Summary.merge(parts)
    counts = whole.counts.select(*by, pl.concat_list(STATUSES).alias("statuses"))
    rows = pl.concat([whole.totals, counts], how="diagonal")
    text, whole_number, numbers = arrow.string(), arrow.int64(), arrow.list_(arrow.float64())
    fields = [*((name, text) for name in (*by, "column")), ("n", whole_number), ("sum", numbers), ("squares", numbers)]
    wanted = arrow.schema([*fields, ("statuses", arrow.list_(whole_number))])
    yield from rows.select(wanted.names).to_arrow().cast(wanted).to_batches()
