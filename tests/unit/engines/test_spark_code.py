"""Plans that travel: read in another process, they are the same plan."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import rankgauge as rg
from rankgauge.engines import _spark_code
from rankgauge.engines.memory import judge
from rankgauge.engines.plan import plan

pytest.importorskip("pyspark", reason="needs pyspark: scripts/test installs it")

QRELS = {"q": {"a": 3, "b": 0, "c": 1, "d": 2}}
RUN = {"q": {"b": 4.0, "a": 3.0, "x": 2.0, "c": 1.0}}
READ = """
import sys
from rankgauge.engines import _spark_code, memory
import rankgauge as rg

plan = _spark_code.unpacked(sys.stdin.buffer.read())
judged = memory.judge(rg.Qrels.from_dict(%r), rg.Run.from_dict(%r))
print(repr((plan.how.name, plan.how.ties, plan.by, [(str(m), m.of(judged).tolist()) for m in plan.measures])))
"""


def test_a_plan_with_measures_of_ones_own_is_the_same_in_another_process():
    def helper(values):
        return np.sqrt(values)

    @rg.measure()
    def CodeRoots(j):
        """Sum of roots of grades."""
        return j.sum(helper(np.maximum(j.grade, 0)))

    @rg.user_model()
    def CodeImpatient(u, *, p: float = 0.3):
        """A user who loses patience."""
        return p**u.rank

    @rg.discount
    def code_steep(rank):
        return 1 / rank**2

    rg.weights("CodeGlance", [0.5, 0.3, 0.2])
    try:
        how = rg.CONVENTIONS["trec_eval"].but(ties="docid-asc")
        named = ["nDCG@3", "RBP(p=0.8)", "CodeRoots@2", "CodeImpatient(p=0.5)", "CodeGlance"]
        tables = [rg.nDCG(gain={0: 0, 1: 2, 2: 3, 3: 7}), rg.CG(gain=lambda grade: grade + 1)]
        wanted = plan([*named, "DCG(discount='code_steep')", *tables], how, order="score", by=("day",))
        written = _spark_code.packed(wanted)
        judged = judge(rg.Qrels.from_dict(QRELS), rg.Run.from_dict(RUN))
        expected = [(str(m), m.of(judged).tolist()) for m in wanted.measures]
    finally:
        for name in ("CodeRoots", "CodeImpatient", "CodeGlance"):
            del rg.REGISTRY[name]
    answer = subprocess.run([sys.executable, "-c", READ % (QRELS, RUN)], input=written, capture_output=True)
    assert answer.stderr == b"", answer.stderr.decode()
    assert eval(answer.stdout) == (how.name, "docid-asc", ("day",), expected)


def test_a_version_is_told_by_its_code():
    assert _spark_code.digest() == _spark_code.digest()
    assert len(_spark_code.digest()) == 16
    names = [name for name, _ in _spark_code._sources()]
    assert "rankgauge/engines/_spark_work.py" in names
    assert not [name for name in names if "__pycache__" in name or not name.endswith(".py")]
