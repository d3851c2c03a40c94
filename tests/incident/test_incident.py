"""The incident that the guard is for, replayed: 5,000 candidates per query, four times the load that can be borne, and
memory that the system caps. Nothing fails, every answer says what it is, and afterwards all is as before.

`pytest tests/incident` plays ten seconds of load per scene, `-m slow` a minute. What the scenes are is said in
`benchmarks/incident.py`, which prints their latencies; those asserted here leave room for a machine that is busy with
other tests, but none for a queue that grows.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, get_args

import pytest

from rankgauge.retrieval.safety import Reason

PROGRAM = Path(__file__).resolve().parents[2] / "benchmarks" / "incident.py"
BUDGET = 0.3
TOGETHER = pytest.mark.xdist_group("incident")
KINDS = {"full"} | {f"{status} {reason}" for status in ("partial", "skipped") for reason in get_args(Reason)}


def played(folder: Path, *scenes: str, seconds: float, load: float = 4.0) -> dict[str, dict[str, Any]]:
    """What came of each scene."""
    command = [sys.executable, str(PROGRAM), "--scenes", *scenes, "--json", str(folder / "told.json")]
    command += ["--seconds", str(seconds), "--budget", str(BUDGET), "--measuring", "2", "--load", str(load)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return {one["scene"]: one for one in json.loads((folder / "told.json").read_text())}


def check(told: dict[str, Any], *, slack: float) -> None:
    """What every guarded scene owes."""
    assert "died" not in told
    assert (told["errors"], told["wrong"]) == ({}, 0)
    assert set(told["answers"]) <= KINDS
    assert told["answers"]["skipped over_limit"] > 0
    assert told["goodput"] > 0
    assert told["p99"] <= slack * BUDGET
    assert told["peak"]["VmHWM"] <= told["loaded"]["VmHWM"] + 100
    assert told["recovery"] < 10


@pytest.fixture(scope="module")
def short(tmp_path_factory):
    return played(tmp_path_factory.mktemp("short"), "guarded", "killed", "gateway killed", seconds=10)


@TOGETHER
@pytest.mark.parametrize("scene", ["guarded", "killed", "gateway killed"])
def test_the_incident_costs_the_second_stage_and_nothing_else(short, scene):
    """Through the gateway, an error is also whatever is no answer with status 200."""
    check(short[scene], slack=4)


@TOGETHER
def test_a_gateway_ends_well_after_it(short):
    assert short["gateway killed"]["end"]["code"] == 0


@TOGETHER
def test_a_killed_reranker_comes_back(short):
    assert short["killed"]["starts"] >= 3
    for scene in ("killed", "gateway killed"):
        assert any("worker_lost" in kind for kind in short[scene]["answers"])


@TOGETHER
def test_without_a_guard_few_requests_run_out_of_memory(tmp_path):
    """Else the scenes would show nothing."""
    told = played(tmp_path, "unguarded", seconds=1, load=0.3)["unguarded"]
    assert "died" in told or "MemoryError" in told["errors"]


@pytest.mark.slow
def test_a_minute_of_each_scene(tmp_path):
    told = played(tmp_path, "guarded", "apart", "killed", "hangs", "gateway", "gateway killed", seconds=60)
    for one in told.values():
        check(one, slack=1.2)
        assert one["alone"] == "full"
