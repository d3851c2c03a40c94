"""The benchmark runs, and tells when tools differ."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

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
