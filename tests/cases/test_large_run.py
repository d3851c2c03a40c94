"""Case large-run-memory: ten million run lines and one very long id stay within 4 GB, and within what is allowed.

The streaming engine reads them as Parquet and may use half a gigabyte.

The peak is VmHWM, not `ru_maxrss`: a started program inherits the latter from the process that started it, here a
test worker that may have held more.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

QUERIES, DEPTH = 100_000, 100
LONG_ID = "x" * 5000
MOST_GB = 4
STREAM_MB = 512
MEANS = {"RR": 0.051874, "nDCG(gain='exp')@10": 0.045436}

SCORE = """
import json, sys
import rankgauge as rg
scores = rg.evaluate(rg.read_qrels(sys.argv[1]), rg.read_run(sys.argv[2]), ["RR", "nDCG@10"])
means = dict(zip(scores.measures, scores.mean()["mean"]))
peak = 1024 * next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM:"))
print(json.dumps({"means": means, "documents": scores.counts[0].documents, "peak": peak}))
"""

STREAM = """
import json, sys
from rankgauge.engines import stream
from rankgauge.statistics.summaries import summary_means
found = stream.evaluate(sys.argv[2], ["RR", "nDCG@10"], qrels=sys.argv[1], memory=sys.argv[3])
means = dict(summary_means(found.summary, found.about.measures).select("measure", "mean").iter_rows())
peak = 1024 * next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM:"))
print(json.dumps({"means": means, "documents": found.summary.total("retrieved"), "peak": peak}))
"""


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """A run of 10,000,001 lines and one relevant document per query, at each rank equally often."""
    query = pl.select(q=pl.int_range(QUERIES)).lazy()
    rank = pl.select(i=pl.int_range(DEPTH)).lazy()
    rows = query.join(rank, how="cross").select(
        pl.format("q{}", "q").alias("query"), pl.lit("Q0").alias("Q0"), pl.format("d{}", "i").alias("doc"),
        (pl.col("i") + 1).alias("rank"), (100 - pl.col("i")).alias("score"),
        pl.lit("sys").alias("tag"),
    )  # fmt: skip
    run, qrels = tmp_path / "large.run", tmp_path / "qrels.txt"
    rows.sink_csv(run, separator=" ", include_header=False, maintain_order=True)
    with run.open("a") as file:
        file.write(f"q{QUERIES - 1} Q0 {LONG_ID} 101 -1 sys\n")
    qrels.write_text("".join(f"q{i} 0 d{i % DEPTH} 1\n" for i in range(QUERIES)))
    return qrels, run


def said(program: str, *given: object) -> dict[str, Any]:
    done = subprocess.run([sys.executable, "-c", program, *map(str, given)], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert found["documents"] == QUERIES * DEPTH + 1
    assert {name: round(mean, 6) for name, mean in found["means"].items()} == MEANS
    return found


def test_ten_million_lines_are_scored_right_within_four_gigabytes(files):
    assert said(SCORE, *files)["peak"] < MOST_GB * 2**30


def test_ten_million_rows_of_parquet_are_scored_right_within_the_memory_that_was_allowed(files, tmp_path):
    qrels, run = files
    names = ["query", "Q0", "doc", "rank", "score", "tag"]
    lines = pl.scan_csv(run, separator=" ", has_header=False, new_columns=names, quote_char=None)
    lines.select("query", "doc", pl.col("score").cast(pl.Float64)).sink_parquet(tmp_path / "run.parquet")
    assert said(STREAM, qrels, tmp_path / "run.parquet", f"{STREAM_MB}MB")["peak"] < STREAM_MB * 2**20
