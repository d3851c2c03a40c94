"""How rankings travel on Spark: as lists of rows, long ones in parts, or as states that add up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from rankgauge.engines._spark_code import packed, remote
from rankgauge.engines._spark_columns import quoted
from rankgauge.engines._spark_rows import Rows, expressions, pyspark
from rankgauge.engines.plan import DOC, GRADE, QUERY, Plan
from rankgauge.engines.states import FIRST_GRADE, UNJUDGED, Layout
from rankgauge.errors import Fault, InputError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

LONG = 10_000
"""Rows of a query from which it travels in parts: Spark holds up to 128 lists as objects before it counts bytes."""
MOST_ROWS = 50_000_000
"""Rows of a query that one Python worker is trusted to hold: some 200 bytes each while it is scored."""


def by_rows(log: Rows, chosen: Plan, judged: Rows | None, longest: int) -> DataFrame:
    """Bring the rows of each ranking together as one list, and score these.

    `longest`: rows that a query has at most, as far as that is known without counting.
    """
    frame, fields = _together(log, chosen, judged)
    work = (packed(chosen), judged is not None)
    whole = f"collect_list(struct({', '.join(fields)})) AS rows"
    long = _long(frame, chosen) if longest > LONG else []
    if not long:
        lists = frame.groupBy(*_names(chosen)).agg(*expressions(frame, [whole]))
        return lists.mapInArrow(remote("score_rows", *work), schema(chosen))
    types = pyspark().types
    known = [types.StructField(name, types.StringType()) for name in _names(chosen)]
    counts = types.StructType([*known, types.StructField("expected", types.LongType())])
    names = log.frame.sparkSession.createDataFrame(long, counts).hint("broadcast")
    short = frame.join(names, _names(chosen), "left_anti")
    lists = short.groupBy(*_names(chosen)).agg(*expressions(frame, [whole]))
    place = f"xxhash64({DOC})" if DOC in fields else "rank"
    part = f"pmod({place}, CAST(ceil(expected / {LONG}) AS BIGINT)) AS part"
    cut = frame.join(names, _names(chosen)).selectExpr(*_keys(chosen), "expected", part, *fields)
    parts = cut.groupBy(*_names(chosen), "expected", "part").agg(*expressions(frame, [whole])).drop("part")
    beside = parts.repartition(*expressions(frame, _keys(chosen)))
    scored = beside.mapInArrow(remote("score_parts", *work), schema(chosen))
    return lists.mapInArrow(remote("score_rows", *work), schema(chosen)).unionByName(scored)


def by_states(log: Rows, chosen: Plan, packing: Layout) -> DataFrame:
    """Add up each ranking's state with plain aggregates, before anything moves, and score these."""
    rank = f"(rank + {int(chosen.from_zero)})"
    code = f"coalesce(CAST(grade AS BIGINT) + {FIRST_GRADE - packing.lowest}L, {UNJUDGED}L)"
    if not log.columns.graded:
        code = f"{UNJUDGED}L"
    sql = ["count(1) AS rows", f"max({rank}) AS last"]
    for number, ranks in enumerate(packing.words):
        shifted = f"shiftleft({code}, CAST({packing.bits} * ({rank} - {ranks[0]}) AS INT))"
        sql.append(f"bit_or(if({rank} BETWEEN {ranks[0]} AND {ranks[-1]}, {shifted}, 0L)) AS word{number}")
    for number, grade in enumerate(packing.counted):
        below = f"grade = {grade}" if log.columns.graded else "false"
        sql.append(f"count_if({rank} > {packing.depth} AND {below}) AS below{number}")
    added = log.frame.groupBy(*_names(chosen)).agg(*expressions(log.frame, sql))
    layout = (packing.depth, packing.lowest, packing.kinds, packing.complete)
    return added.mapInArrow(remote("score_states", packed(chosen), *layout), schema(chosen))


def schema(chosen: Plan) -> Any:
    """Return the table's columns and their types, as Spark says them."""
    types = pyspark().types
    kinds = {pl.String: types.StringType(), pl.Int64: types.LongType(), pl.Float64: types.DoubleType()}
    return types.StructType([types.StructField(name, kinds[kind]) for name, kind in chosen.schema.items()])


def _names(chosen: Plan) -> list[str]:
    return [*chosen.by, QUERY]


def _keys(chosen: Plan) -> list[str]:
    return [quoted(name) for name in _names(chosen)]


def _together(log: Rows, chosen: Plan, judged: Rows | None) -> tuple[DataFrame, list[str]]:
    """Rows and separate judgments in one frame, and the names of what travels of each."""
    value = chosen.order
    if judged is None:
        return log.frame, [name for name in (DOC, value, GRADE) if name in log.columns.select]
    grade = GRADE if log.columns.graded else f"CAST(NULL AS DOUBLE) AS {GRADE}"
    rows = log.frame.selectExpr(*_keys(chosen), DOC, value, grade, "false AS judgment")
    nothing = f"CAST(NULL AS {'BIGINT' if value == 'rank' else 'DOUBLE'}) AS {value}"
    qrels = _in_all_groups(judged, log, chosen)
    fields = [DOC, value, GRADE, "judgment"]
    return rows.unionByName(qrels.selectExpr(*_keys(chosen), DOC, nothing, GRADE, "true AS judgment")), fields


def _in_all_groups(judged: Rows, log: Rows, chosen: Plan) -> DataFrame:
    """Judgments that name no group hold in each."""
    if not chosen.by or judged.by:
        return judged.frame
    groups = log.frame.select(*_keys(chosen)[:-1]).distinct()
    return judged.frame.crossJoin(groups.hint("broadcast"))


def _long(frame: DataFrame, chosen: Plan) -> Sequence[Any]:
    """Name the queries with many rows, and count these.

    Raises InputError for one that no worker could hold.
    """
    counted = frame.groupBy(*_names(chosen)).agg(*expressions(frame, ["count(1) AS expected"]))
    found: list[Any] = counted.filter(f"expected > {LONG}").collect()
    longest = max(found, key=lambda row: row["expected"], default=None)
    if longest is not None and longest["expected"] > MOST_ROWS:
        got = f"{longest['expected']} in query {longest[QUERY]!r}"
        advice = "split or cut that query, or trust its ranks and cut the measures (nDCG@10)"
        raise InputError(Fault("the rankings", f"at most {MOST_ROWS} rows a query", got, advice))
    return [tuple(row) for row in found]
