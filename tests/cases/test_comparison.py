"""Faults reported around comparison and significance."""

from __future__ import annotations

from pathlib import Path

import pytest

import rankgauge as rg
from cases.inline import qrels, run
from rankgauge.errors import EmptyInputError

EIGHT = "\n".join(f"t{i} 0 d{i} 1" for i in range(8))
RUN_A = "\n".join(f"t{i} Q0 {'x' if i % 2 else f'd{i}'} 1 2 sys" for i in range(8))


def test_an_arm_that_never_ran_is_refused_with_its_name(tmp_path: Path):
    """Case arm-never-ran: an empty run says nothing about the quality of a ranking."""
    empty = tmp_path / "run_b_empty.txt"
    empty.write_text("")
    with pytest.raises(EmptyInputError, match=r"run_b_empty\.txt"):
        rg.read_run(empty)
    with pytest.raises(EmptyInputError, match="run 'run_b_empty': expected at least one retrieved document, got none"):
        rg.compare(qrels(EIGHT), {"run_a": run(RUN_A), "run_b_empty": {}}, "nDCG")


def test_an_arm_that_answered_one_query_of_eight_gets_no_verdict():
    """Case arm-never-ran, nearly: the arm is flagged, the other's value stands."""
    found = rg.compare(qrels(EIGHT), {"run_a": run(RUN_A), "run_b": {"t1": {"x": 1.0}}}, "nDCG")
    assert found.verdicts[0].verdict.word == "not comparable offline"
    assert "run_b has no results for 88% of the queries" in found.verdicts[0].verdict.sentence
    assert found.scores.mean()["mean"][0] == 0.5
