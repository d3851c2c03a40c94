"""The benchmark of scale runs on a small log, tells when contestants differ, and forgets no process."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import polars as pl
import pytest

FOLDER = Path(__file__).resolve().parents[1] / "benchmarks"
ALWAYS = ["rankgauge", "rankgauge, ranks trusted", "polars sums", "polars groups"]

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="trees of processes are measured on Linux only")


@pytest.fixture(scope="module", autouse=True)
def beside() -> Iterator[None]:
    """Let the benchmark's modules import each other, as when they are run."""
    sys.path.insert(0, str(FOLDER))
    yield
    sys.path.remove(str(FOLDER))


def module(name: str) -> ModuleType:
    return importlib.import_module(name)


def ran(*arguments: str) -> str:
    command = [sys.executable, *arguments]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=os.environ | {"PYTHONHASHSEED": "0"}
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_contestants_are_measured_and_agree(tmp_path: Path) -> None:
    options = ["--data", str(tmp_path), "--million-rows", "0.003", "--repeat", "1", "--contestants", *ALWAYS]
    said = ran(str(FOLDER / "scale.py"), *options, "reading alone")
    assert "All but the wrong query agree." in said
    told = json.loads((tmp_path / "scale.json").read_text())
    names = {title: [row["name"] for row in rows] for title, rows in told["sets"].items()}
    assert names == {title: [*ALWAYS, "reading alone"] for title in ("nDCG@10, 3000", "six measures, 3000")}
    for rows in told["sets"].values():
        assert all(sample["wall"] > 0 and sample["memory"] > 10 for row in rows for sample in row["samples"])


@pytest.mark.parametrize("names", [["DuckDB sums", "DuckDB windows"]])
def test_queries_of_engines_that_may_be_missing_agree(names: list[str], tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    options = [
        "--data",
        str(tmp_path),
        "--million-rows",
        "0.003",
        "--repeat",
        "1",
        "--contestants",
        "rankgauge",
        *names,
    ]
    said = ran(str(FOLDER / "scale.py"), *options)
    assert all(said.count(f"| {name} |") == 2 for name in names)
    assert "All but the wrong query agree." in said


def test_rows_of_a_query_in_different_files_make_no_difference(tmp_path: Path) -> None:
    options = ["--data", str(tmp_path), "--million-rows", "0.003", "--repeat", "1", "--contestants", "rankgauge"]
    means = []
    for how in ([], ["--scattered"]):
        ran(str(FOLDER / "scale.py"), *options, *how)
        told = json.loads((tmp_path / "scale.json").read_text())["sets"]
        means.append([json.loads(rows[0]["samples"][0]["output"])["means"] for rows in told.values()])
    assert len(list((tmp_path / "log-3000-scattered").iterdir())) == 50
    assert means[0] == means[1]


def test_a_contestant_that_finds_another_mean_is_named_and_the_wrong_one_is_not() -> None:
    scale = module("scale")

    def entry(name: str, mean: float) -> object:
        output = json.dumps({"seconds": 1.0, "means": [mean]})
        return scale.Entry(name, (), [scale.Sample(1.0, 1.0, 1.0, 0, output)])

    told = {"rankgauge": 0.5, "polars sums": 0.5 + 1e-12, "DuckDB sums": 0.5 + 1e-8, "Spark, the wrong query": 0.9}
    rows = [entry(name, mean) for name, mean in told.items()]
    assert scale.differences(rows) == ["DuckDB sums: 0.50000001 instead of 0.5"]


def test_growth_says_how_far_from_linear_and_flat_it_is() -> None:
    scale = module("scale")

    def entry(seconds: float, memory: float) -> object:
        output = json.dumps({"seconds": 2 * seconds, "cpu": seconds, "means": [0.5]})
        return scale.Entry("rankgauge", (), [scale.Sample(seconds + 1, seconds, memory, 0, output)])

    tables = {10_000_000: [entry(3.3, 500.0)], 100_000_000: [entry(30.0, 550.0)]}
    last = scale.growth(tables, ["rankgauge"]).splitlines()[-1]
    assert last == (
        "rankgauge: processor time per row within 10% of that of the largest log; peak memory 500 to 550 MiB."
    )


def test_a_small_log_is_the_beginning_of_a_large_one_and_has_what_hand_written_queries_trip_over(
    tmp_path: Path,
) -> None:
    logs = module("scale_log")
    small, large = (pl.read_parquet(logs.log(tmp_path, rows) / "*.parquet") for rows in (1_000, 20_000))
    assert large.head(1_000).equals(small)
    queries = large.group_by("query_id").agg(
        docs=pl.col("document_id").n_unique(),
        ranks=pl.col("model_rank").sort().implode().list.first(),
        judged=pl.col("relevance_score").count(),
        best=pl.col("relevance_score").max(),
    )
    assert len(queries) == 400
    assert queries["docs"].unique().to_list() == [50]
    assert (queries["judged"] == 0).any()
    assert (queries["best"] == 0).any()
    assert large["relevance_score"].unique().sort().to_list() == [None, 0, 1, 2, 3]


def test_processor_time_of_a_process_that_outlives_its_parent_counts() -> None:
    child = "import time\nwhile time.process_time() < 0.5: pass"
    parent = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {child!r}])"
    code = (
        f"import sys; sys.path.insert(0, {str(FOLDER)!r}); from scale_processes import measured; import os\n"
        f"print(measured([sys.executable, '-c', {parent!r}], dict(os.environ)).cpu)"
    )
    assert float(ran("-c", code)) >= 0.5


def test_the_study_of_the_window_query_finds_two_where_a_tenth_is_right(tmp_path: Path) -> None:
    windows = module("windows")
    log = pl.DataFrame({"query": ["q"] * 4, "doc": list("abcd"), "rank": [1, 2, 3, 4], "grade": [1.0, 0.0, 3.0, 2.0]})
    assert windows.wrong(log, 2)["wrong"].to_list() == [2.0]


def test_the_study_of_the_window_query_compares_the_order_of_runs(tmp_path: Path) -> None:
    folder = tmp_path / "small"
    (folder / "runs").mkdir(parents=True)
    grades = {"a": 3, "b": 2, "c": 1, "d": 0}
    (folder / "qrels.txt").write_text("".join(f"q{q} 0 {doc} {g}\n" for q in (1, 2) for doc, g in grades.items()))
    for name, order in (("best", "abcd"), ("mixed", "bcad"), ("worst", "dcba")):
        lines = [f"q{q} Q0 {doc} {i} {9 - i} {name}\n" for q in (1, 2) for i, doc in enumerate(order, 1)]
        (folder / "runs" / f"{name}.run").write_text("".join(lines))
    said = ran(str(FOLDER / "windows.py"), str(folder), "--queries", "50", "--all")
    assert "| best | 1.000 | 1.000 | 1.000 | 0.0% | 0.0% | 0.0% | 1.00 |" in said
    assert "3 rankers: means from " in said
    assert "0 of 3 pairs change sides" in said
