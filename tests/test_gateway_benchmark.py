"""The gateway's benchmark runs: three servers answer, and each has its row."""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
GOLDEN = ROOT / "src" / "rankgauge" / "data" / "golden"


def test_all_servers_are_asked_and_the_plain_one_is_what_the_others_are_measured_by(tmp_path):
    (tmp_path / "golden").mkdir()
    shutil.copy(GOLDEN / "queries.jsonl", tmp_path / "golden")
    (tmp_path / "golden" / "corpus.jsonl.gz").write_bytes(gzip.compress((GOLDEN / "corpus.jsonl").read_bytes()))
    command = [sys.executable, str(ROOT / "benchmarks" / "gateway.py"), str(tmp_path), "golden", "--rounds", "1"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run([*command, "--requests", "16"], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in done.stdout.strip().splitlines()[2:]]
    assert [(row[0], row[1]) for row in rows] == [
        (name, k) for k in ("10", "100") for name in ("gateway", "plain", "plain, orjson")
    ]  # fmt: skip
    assert all(float(cell) > 0 for row in rows for cell in (row[2], row[3], row[5]))
    assert [row[6].endswith("%") for row in rows] == [True, False, True] * 2
