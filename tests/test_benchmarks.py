"""The benchmark runs, and tells when tools differ."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

FOLDER = Path(__file__).resolve().parents[1] / "benchmarks"


@pytest.fixture(scope="module")
def run() -> ModuleType:
    sys.path.insert(0, str(FOLDER))
    try:
        spec = importlib.util.spec_from_file_location("benchmarks_run", FOLDER / "run.py")
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        return module
    finally:
        sys.path.remove(str(FOLDER))


def test_tools_are_measured_and_agree(tmp_path: Path) -> None:
    command = [sys.executable, str(FOLDER / "run.py"), "--sizes", "XS", "--repeat", "1", "--data", str(tmp_path)]
    command += ["--forms", "files", "frames", "--tools", "rankgauge", "pytrec_eval"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "All tools found the same means." in done.stdout
    told = json.loads((tmp_path / "results.json").read_text())
    names = {title: [row["name"] for row in rows] for title, rows in told["sets"].items()}
    tools = ["rankgauge", "pytrec_eval"]
    assert names == {"XS from files": ["rankgauge (command)", *tools], "XS from frames": tools}
    assert all(sample["wall"] > 0 for rows in told["sets"].values() for row in rows for sample in row["samples"])


def test_a_tool_that_finds_another_mean_is_named(run: ModuleType) -> None:
    def told(value: float) -> dict[str, float]:
        return {"AP": value}

    values = {"ours": 0.5, "same": 0.5 + 1e-12, "other": 0.5 + 1e-8, "none": float("nan")}
    rows = [
        run.Contestant(name, (), told, samples=[run.Sample(1.0, 1.0, 1.0, value)]) for name, value in values.items()
    ]
    expected = ["other, AP: 0.50000001 instead of 0.5", "none, AP: nan instead of 0.5"]
    assert run.differences(rows) == expected


def test_trec_evals_reciprocal_rank_is_cut_at_ten(run: ModuleType) -> None:
    names = ["ndcg_cut_10", "map", "P_10", "recall_100", "recall_1000"]
    lines = [f"{name} {query} 0.5" for name in names for query in ("1", "2", "all")]
    output = "\n".join([*lines, "recip_rank 1 0.1000", "recip_rank 2 0.0909", "recip_rank all 0.0955"])
    assert run.told_by_trec_eval(output)["RR@10"] == 0.05


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    """Six runs over the same documents, each with its own mistakes; all that they show is judged."""
    rng = np.random.default_rng(3)
    folder = tmp_path / "small"
    (folder / "runs").mkdir(parents=True)
    grades = rng.choice([0, 0, 0, 1, 2], size=(12, 30))
    lines = [f"q{q} 0 d{d} {g}\n" for q, row in enumerate(grades) for d, g in enumerate(row)]
    (folder / "qrels.txt").write_text("".join(lines))
    for name, noise in (("a", 0.5), ("b", 0.7), ("c", 1.0), ("d", 1.5), ("e", 2.0), ("f", 3.0)):
        scores = grades + rng.normal(0, noise, grades.shape)
        rows = [f"q{q} Q0 d{d} 0 {s:.4f} {name}\n" for q, row in enumerate(scores) for d, s in enumerate(row)]
        (folder / "runs" / f"{name}.run").write_text("".join(rows))
    return folder


def test_the_study_of_unjudged_documents_counts_wrong_signs_and_what_a_rule_says(
    collection: Path, tmp_path: Path
) -> None:
    (tmp_path / "rules.py").write_text("def always(qrels, baseline, run, measure, seed):\n    return 'better'\n")
    command = [sys.executable, str(FOLDER / "unjudged.py"), str(collection), "--draws", "30", "--json"]
    command += [str(tmp_path / "draws.json"), "--rule", "rules:always"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    assert "small: 12 queries, 6 runs (0 left out), 30 draws, seed 1" in done.stdout
    draws = json.loads((tmp_path / "draws.json").read_text())["small"]
    tables = [part.splitlines() for part in done.stdout.split("\n\n") if part.startswith("| unjudged")]
    assert sum(int(line.split("|")[2]) for line in tables[0][2:]) == sum(abs(d["true"]["nDCG"]) >= 0.02 for d in draws)
    assert sum(int(line.split("|")[4]) for line in tables[1][2:]) == sum(d["true"]["nDCG"] < 0 for d in draws)
    for draw in draws:  # the truth is one of the completions, but for relevant documents that neither run shows
        low, high = draw["bounds"]["DCG"]
        assert low - 1e-9 <= draw["true"]["DCG"] <= high + 1e-9
