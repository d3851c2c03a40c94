"""`rankgauge demo --retrieval`: every command runs, a real gateway answers, and it ends with the verdict."""

from __future__ import annotations

import json
import re
from pathlib import Path

import rankgauge as rg
from rankgauge.cli.demo_retrieval import QRELS, STEPS, VERDICT


def test_it_builds_searches_reranks_sweeps_serves_and_judges(rankgauge, tmp_path):
    done = rankgauge("demo", "--retrieval", "--copy-to", tmp_path / "kept")
    assert done.code == 0
    shown = re.findall(r"^\$ rankgauge (.*)$", done.out, re.MULTILINE)
    assert shown[:5] == [step.command for step in STEPS]
    assert shown[5].startswith("serve idx ") and shown[6] == VERDICT.command
    answer = json.loads(done.out[done.out.index("\n{\n") : done.out.index("\n}\n") + 3])
    assert (answer["degraded"], answer["rerank"]["status"], len(answer["hits"])) == (False, "full", 2)
    kept = tmp_path / "kept"
    verdict = rg.compare(
        rg.read_qrels(kept / QRELS), [rg.read_run(kept / f"{name}.run", name=name) for name in ("l1", "l2")]
    )
    assert done.out.rstrip().splitlines()[-1].endswith(verdict.verdicts[0].verdict.word)
    assert (kept / "sweep.html").exists()


def test_nothing_is_left_where_it_was_called(rankgauge, tmp_path):
    before = sorted(Path().iterdir())
    assert rankgauge("demo", "--retrieval").code == 0
    assert sorted(Path().iterdir()) == before
