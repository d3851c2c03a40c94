"""Each way to score a log, as its users would call it: one process, one call, the means as JSON. Run by scale.py.

A contestant gets the folder of a log, the measures, and what it may use; it returns the means in order. What it
loads and starts before (a library, a Spark session) is not in `seconds`, nor in `cpu`, which is this process's alone.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import scale_queries as queries

COLUMNS = {"query": "query_id", "doc": "document_id", "rank": "model_rank", "grade": "relevance_score"}
PARTITIONS = 16  # of Spark's shuffles: eight for each of two cores
Means = Sequence[float]
Call = Callable[[], Means]


@dataclass(frozen=True)
class Task:
    """A log and what may be used: measures by name, bytes as "2GB", threads, Spark's master and its driver's heap."""

    log: Path
    measures: list[str]
    memory: str
    threads: int
    master: str
    heap: str

    @property
    def files(self) -> str:
        return str(self.log / "*.parquet")


def reading(task: Task) -> Call:
    """Reads the three columns and does nothing with them but count what is there."""
    import polars as pl

    columns = pl.scan_parquet(task.files).select("query_id", "model_rank", "relevance_score")
    lengths = columns.select(pl.col("query_id").str.len_bytes().sum(), pl.col("model_rank", "relevance_score").sum())
    return lambda: lengths.collect(engine="streaming").row(0) and ()


def rankgauge(task: Task, *, trusted: bool = False) -> Call:
    from rankgauge.engines import stream

    def call() -> Means:
        found = stream.evaluate(
            [str(task.log)], task.measures, columns=COLUMNS, memory=task.memory, trusted=trusted, by=()
        )
        return _averages(found.summary, found.about.measures)

    return call


def rankgauge_trusting(task: Task) -> Call:
    return rankgauge(task, trusted=True)


def _averages(summary: Any, columns: Any) -> Means:
    return [summary.average(one.name, one.average) for one in columns]


def polars_sums(task: Task, build: Callable[..., Any] = queries.sums_polars) -> Call:
    import polars as pl

    log = pl.scan_parquet(task.files).select(q="query_id", r="model_rank", g="relevance_score")
    return lambda: build(log, task.measures).collect(engine="streaming").row(0)


def polars_groups(task: Task) -> Call:
    return polars_sums(task, queries.grouped_polars)


def duckdb_windows(task: Task, sql: Callable[[list[str]], str] = queries.windows_sql) -> Call:
    import duckdb

    database = duckdb.connect()
    database.execute(f"set memory_limit = '{task.memory}'; set threads = {task.threads}")
    database.execute("set enable_progress_bar = false")
    spill = task.log.with_name(f"spill-{os.getpid()}")
    database.execute(f"set temp_directory = '{spill}'")
    files = f"read_parquet('{task.files}')"
    database.execute(f"create view log as {_view(files)}")
    return lambda: database.execute(sql(task.measures)).fetchall()[0]


def duckdb_sums(task: Task) -> Call:
    return duckdb_windows(task, queries.sums_sql)


def _view(table: str) -> str:
    return f"select query_id as q, model_rank as r, relevance_score as g from {table}"


def spark_windows(task: Task, sql: Callable[[list[str]], str] = queries.windows_sql) -> Call:
    frame = _frame(task)
    frame.createOrReplaceTempView("rows")
    frame.sparkSession.sql(_view("rows")).createOrReplaceTempView("log")
    return lambda: tuple(frame.sparkSession.sql(sql(task.measures)).collect()[0])


def spark_sums(task: Task) -> Call:
    return spark_windows(task, queries.sums_sql)


def spark_wrong(task: Task) -> Call:
    return spark_windows(task, lambda measures: queries.wrong_sql())


def rankgauge_spark(task: Task, *, trusted: bool = False) -> Call:
    from rankgauge.engines import spark

    frame = _frame(task)

    def call() -> Means:
        found = spark.prepare(frame, task.measures, columns=COLUMNS, trusted=trusted)
        return _averages(spark.summary(found.scores, measures=found.plan.measures), found.plan.columns)

    return call


def rankgauge_spark_trusting(task: Task) -> Call:
    return rankgauge_spark(task, trusted=True)


def _frame(task: Task) -> Any:
    """The log as a Spark DataFrame, in a session that has run one job."""
    from pyspark.sql import SparkSession

    os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    options = {
        "spark.driver.memory": task.heap,
        "spark.sql.shuffle.partitions": PARTITIONS,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.local.dir": str(task.log.with_name("spark")),
    }
    builder = SparkSession.builder.master(task.master).appName("scale")
    for name, value in options.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.range(1000).selectExpr("sum(id)").collect()
    return session.read.parquet(str(task.log))


CONTESTANTS: dict[str, Callable[[Task], Call]] = {
    "reading alone": reading,
    "rankgauge": rankgauge,
    "rankgauge, ranks trusted": rankgauge_trusting,
    "polars sums": polars_sums,
    "polars groups": polars_groups,
    "DuckDB sums": duckdb_sums,
    "DuckDB windows": duckdb_windows,
    "rankgauge on Spark": rankgauge_spark,
    "rankgauge on Spark, ranks trusted": rankgauge_spark_trusting,
    "Spark sums": spark_sums,
    "Spark windows": spark_windows,
    "Spark, the wrong query": spark_wrong,
}
WITHOUT_MEANS = {"reading alone"}
WRONG = {"Spark, the wrong query"}
NEEDS = {"polars": "polars", "DuckDB": "duckdb", "Spark": "pyspark", "rankgauge on Spark": "pyspark"}


def needs(name: str) -> str:
    """The module without which a contestant can't run."""
    return next((module for start, module in NEEDS.items() if name.startswith(start)), "rankgauge")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=CONTESTANTS)
    parser.add_argument("log", type=Path)
    parser.add_argument("measures", nargs="+")
    parser.add_argument("--memory", default="2GB")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--master", default="local[2]")
    parser.add_argument("--heap", default="4g")
    given = vars(parser.parse_args())
    call = CONTESTANTS[given.pop("name")](Task(**given))
    start, cpu = time.perf_counter(), time.process_time()
    means = call()
    spent = {"seconds": time.perf_counter() - start, "cpu": time.process_time() - cpu}
    json.dump({**spent, "means": [float(mean) for mean in means]}, sys.stdout)


if __name__ == "__main__":
    main()
