"""The benchmarks of statistics run: values agree with scipy's, and every table has its rows."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "benchmarks"


def output(program: str, *options: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(FOLDER.parent / "src"), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, str(FOLDER / program), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_resampling_agrees_with_scipy_and_is_timed() -> None:
    sizes = ["--runs", "6", "--queries", "60", "--resamples", "500", "--repeat", "1", "--peer-rows", "2"]
    said = output("resampling.py", *sizes, "--peer-permutations", "100")
    assert "All values agree." in said
    assert said.count("\n| ") == 9


def test_simulations_print_a_table_for_each_question() -> None:
    few = ["--samples", "20", "--resamples", "100", "--families", "3", "--permutations", "100", "--series", "2"]
    said = output("simulations.py", *few)
    rows = [text.count("\n| ") for text in said.split("standard error")[1:]]
    assert rows == [1 + 16, 1 + 12, 1 + 4, 1 + 12, 1 + 10]


def test_experiments_print_a_table_for_each_question() -> None:
    said = output("experiments.py", "--samples", "20", "--most", "300")
    assert [text.count("\n| ") for text in said.split("\n\n| ")[1:]] == [16, 6, 12, 4, 8, 3]
