"""The study of judges runs on a small collection and prints its tables."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).resolve().parents[1] / "benchmarks"


def output(*options: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(FOLDER.parent / "src"), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, str(FOLDER / "judging.py"), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twenty-five queries with forty documents each, four runs, and a judge that is half a grade too kind."""
    folder: Path = tmp_path_factory.mktemp("small")
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 4, (25, 40))
    judge = np.clip(truth + rng.integers(0, 2, truth.shape), 0, 3)
    (folder / "runs").mkdir()
    (folder / "llm_labels").mkdir()

    def lines(grades: np.ndarray) -> str:
        return "".join(f"q{q} 0 d{d} {grades[q, d]}\n" for q in range(25) for d in range(40))

    (folder / "qrels.txt").write_text(lines(truth))
    (folder / "llm_labels" / "kind.txt").write_text(lines(judge))
    for number, noise in enumerate((1.0, 2.0, 3.0, 4.0)):
        scores = truth + noise * rng.normal(size=truth.shape)
        rows = [f"q{q} Q0 d{d} 0 {scores[q, d]:.4f} r\n" for q in range(25) for d in range(40)]
        (folder / "runs" / f"r{number}.run").write_text("".join(rows))
    return folder


def test_certificates_have_a_row_per_judge(collection: Path) -> None:
    said = output("certify", str(collection / "qrels.txt"), str(collection / "llm_labels" / "kind.txt"))
    assert said.splitlines()[2].startswith("| kind | 1,000 | ")


def test_filling_has_a_row_per_policy_and_judge(collection: Path) -> None:
    said = output("fill", str(collection), "--draws", "6")
    heads = [line.split(" | ")[0].strip("| ") for line in said.splitlines() if line.startswith("| ")]
    assert heads[2:] == ["pairs", "unjudged=0", "condensed", "holes: kind", "calibrated: kind", "both-arms: kind"]


def test_verdicts_are_counted_by_unjudged_share(collection: Path) -> None:
    rows = [
        line.strip("| ").split(" | ") for line in output("verdict", str(collection), "--draws", "6").splitlines()[4:]
    ]
    assert sum(int(row[2]) for row in rows if len(row) > 2) == 6


def test_powered_differences_and_the_simulation_have_a_row_per_size(collection: Path) -> None:
    assert output("power", str(collection), "--draws", "5").count("| kind |") == 3
    said = output("simulate", "--draws", "20")
    assert (said.count("| PPI++ |"), said.count("| skewed |")) == (3, 4)
