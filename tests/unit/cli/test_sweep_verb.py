"""`rankgauge sweep` in this process: what it prints, keeps and refuses."""

from __future__ import annotations

import functools
import json
from pathlib import Path

import pytest

import rankgauge as rg
from onnx_bert import write_folder

QUICK = ("--requests", "5", "--depths", "0,3,10", "-m", "nDCG@3")


@pytest.fixture
def sweep(rankgauge, tmp_path):
    """The verb, beside an index of the golden set's words and a tiny reranker."""
    assert rankgauge("index", "corpus.jsonl", "-o", "idx").code == 0
    write_folder(tmp_path / "tiny", labels=1)
    return functools.partial(rankgauge, "sweep", "idx", "queries.jsonl", "qrels.txt", *QUICK)


def test_every_depth_and_precision_is_a_point_and_the_choice_is_said(sweep, rankgauge):
    done = sweep("--model", "tiny", "--precision", "fp32,int8", "--budget", "p99=60s", "--format", "json")
    assert done.code == 0
    found = json.loads(done.out)
    named = [(point["stage"], point["depth"]) for point in found["points"]]
    depths = (3, 10)
    assert named == [("first stage", 0), *(("fp32", one) for one in depths), *(("int8", one) for one in depths)]
    assert found["said"][0].startswith("Best within p99 <= 60000 ms: ")
    assert rankgauge("search", "idx", "queries.jsonl", "-o", "l1.run").code == 0
    own = rg.evaluate(rg.read_qrels("qrels.txt"), rg.read_run("l1.run"), "nDCG@3").mean()["mean"].item()
    assert found["points"][0]["mean"] == pytest.approx(own, abs=1e-12)


def test_what_is_done_is_kept_and_a_page_is_written(sweep):
    first = sweep("--model", "tiny", "--precision", "int8", "-o", "kept", "--report", "sweep.html")
    assert first.code == 0 and "written: sweep.html" in first.err
    assert "Best within no limit: first stage: nDCG@3 0.7341" in first.out
    written = sorted(path.name for path in Path("kept").rglob("*") if path.is_file())
    assert "model.onnx" in written and any(name.startswith("scores0-") for name in written)
    again = sweep("--model", "tiny", "--precision", "int8", "-o", "kept")
    assert again.out == first.out
    assert "data:image/svg+xml;base64," in Path("sweep.html").read_text()


def test_prices_make_costs(sweep):
    done = sweep("--model", "tiny", "--price", "pairs=2", "--price", "cpu-hour=0", "--format", "json")
    costs = {point["depth"]: point["cost"] for point in json.loads(done.out)["points"]}
    assert costs[0] == 0 and 5 < costs[3] <= 6
    assert "cost of 1,000" in sweep("--price", "pairs=2").out


def test_without_a_second_stage_there_is_the_first(sweep):
    assert json.loads(sweep("--format", "json").out)["said"][0].startswith("Best within no limit: first stage: nDCG@3")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--budget", "p99=300"), "budget: expected a limit such as p99=300ms"),
        (("--precision", "fp16"), "expected fp32, int8 or both, got 'fp16'"),
        (("--price", "eur=1"), "expected cpu-hour=PRICE or pairs=PRICE, got 'eur=1'"),
        (("--depths", "0;10"), "expected whole numbers with commas between, got '0;10'"),
        (("--depths", "-1"), "depths: expected numbers of at least 0, got [-1]"),
        (("--budget", "cost=1"), "expected prices for a budget of cost, got none"),
    ],
)
def test_misuse_is_told(sweep, words, said):
    done = sweep(*words)
    assert done.code == 2
    assert said in " ".join(done.err.replace("│", "").split())


def test_a_folder_of_ones_own_files_is_not_taken(sweep):
    Path("kept/kept").mkdir(parents=True)
    Path("kept/kept/mine").write_text("")
    done = sweep("-o", "kept")
    assert done.code == 1 and "expected an empty folder, or that of a sweep, got other files" in done.err
