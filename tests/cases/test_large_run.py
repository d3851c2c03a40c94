"""Case large-run-memory: ten million run lines and one very long id stay within 4 GB."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

QUERIES, DEPTH = 100_000, 100
LONG_ID = "x" * 5000
MOST_GB = 4

SCORE = """
import json, resource, sys
import rankgauge as rg
scores = rg.evaluate(rg.read_qrels(sys.argv[1]), rg.read_run(sys.argv[2]), ["RR", "nDCG@10"])
means = dict(zip(scores.measures, scores.mean()["mean"]))
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(json.dumps({"means": means, "documents": scores.counts[0].documents, "peak": peak}))
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


def test_ten_million_lines_are_scored_right_within_four_gigabytes(files):
    done = subprocess.run([sys.executable, "-c", SCORE, *map(str, files)], capture_output=True, text=True, check=True)
    said = json.loads(done.stdout)
    assert said["documents"] == QUERIES * DEPTH + 1
    assert {name: round(mean, 6) for name, mean in said["means"].items()} == {
        "RR": 0.051874,
        "nDCG(gain='exp')@10": 0.045436,
    }
    assert said["peak"] < MOST_GB * 2**30
