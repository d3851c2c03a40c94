"""`rankgauge fuse` in this process: what it prints, what it says, how it exits."""

from __future__ import annotations

import functools
import json
from importlib import resources
from pathlib import Path

import pytest

import rankgauge as rg
from rankgauge.cli.fuse import fuse

GOLDEN = Path(str(resources.files("rankgauge") / "data" / "golden"))
TUNE = ("--tune", "nDCG@10", "--train", "qrels.second-round.txt", "--method", "CombSUM", "--method", "ISR")


@pytest.fixture
def fuse_with(rankgauge):
    return functools.partial(rankgauge, "fuse")


def test_the_fused_run_is_written_and_what_was_noticed_is_said(fuse_with):
    done = fuse_with("keyword.run", "vector.run", "--method", "rrf", "-k", "10", "-o", "fused.run")
    assert (done.code, done.out) == (0, "")
    runs = [rg.read_run(GOLDEN / f"{name}.run") for name in ("keyword", "vector")]
    assert rg.read_run("fused.run").to_dict() == rg.fuse(runs, method="rrf", k=10).to_dict()
    assert "note: run 'keyword' lacks 1 of 33 queries ('q33'): they are fused from the other runs" in done.err
    assert "698 documents of 33 queries -> fused.run" in done.err


def test_without_a_file_a_trec_run_goes_to_stdout(fuse_with):
    done = fuse_with("keyword.run", "vector.run", "--depth", "2", "--name", "mine")
    lines = [line.split() for line in done.out.splitlines()]
    assert len(lines) == 66 and {line[5] for line in lines} == {"mine"}
    assert lines[0][:4] == ["q01", "Q0", "refund-how-long", "1"]
    assert float(lines[0][4]) == 2 / 61
    assert "the first 2 documents of each query were kept" in done.err


def test_norm_weights_and_parameters_reach_the_method(fuse_with):
    runs = [rg.read_run(GOLDEN / f"{name}.run") for name in ("keyword", "vector")]
    fuse_with(
        "keyword.run", "vector.run", "--method", "wsum", "--norm", "z-score", "--weights", "0.3,0.7", "-o", "w.json"
    )
    assert rg.read_run("w.json").to_dict() == rg.fuse(runs, method="wsum", norm="z-score", weights=[0.3, 0.7]).to_dict()
    fuse_with("keyword.run", "vector.run", "--method", "rbc", "-p", "phi=0.9", "-o", "r.json")
    assert rg.read_run("r.json").to_dict() == rg.fuse(runs, method="rbc", phi=0.9).to_dict()


@pytest.mark.parametrize("called", ["near", "near.run"])
def test_distances_are_called_by_name_or_by_file(fuse_with, tmp_path, called):
    (tmp_path / "near.run").write_text("q Q0 a 1 0.1 t\nq Q0 b 2 0.9 t\n")
    (tmp_path / "like.run").write_text("q Q0 a 1 3 t\nq Q0 b 2 1 t\n")
    done = fuse_with("near.run", "like.run", "--distances", called, "--method", "CombSUM")
    assert [line.split()[2:5:2] for line in done.out.splitlines()] == [["a", "2.0"], ["b", "0.0"]]


def test_an_empty_file_is_an_empty_run_and_said(fuse_with, tmp_path):
    (tmp_path / "none.run").write_text("")
    done = fuse_with("keyword.run", "vector.run", "none.run")
    assert done.code == 0 and done.out == fuse_with("keyword.run", "vector.run").out
    assert "note: run 'none' is empty: it changes nothing" in done.err


def test_a_method_that_learns_takes_training_judgments(fuse_with):
    done = fuse_with("keyword.run", "vector.run", "--method", "MAPFuse", "--train", "qrels.second-round.txt")
    assert done.code == 0 and done.out.startswith("q01 Q0 ")
    without = fuse_with("keyword.run", "vector.run", "--method", "MAPFuse")
    assert without.code == 2
    assert "error: MAPFuse learns from judged queries: pass qrels (--train QRELS)" in without.err


def test_tuning_reports_the_held_out_value_beside_the_flattering_one(fuse_with):
    done = fuse_with("keyword.run", "vector.run", *TUNE, "-o", "fused.run", "--held-out", "apart.run")
    assert done.code == 0
    assert "chosen of 3 ways: CombSUM(norm=z-score)" in done.out
    lines = dict(line.split(": ", 1) for line in done.out.splitlines() if ": " in line)
    assert list(lines) == ["chosen of 3 ways", "held out", "best single run", "the difference", "in sample"]
    assert lines["held out"].endswith("nDCG(gain='exp')@10 on 31 queries, chosen without them")
    assert lines["in sample"].endswith("too good, not for reports")
    qrels = rg.read_qrels("qrels.second-round.txt")
    found = rg.evaluate(qrels, [rg.read_run("apart.run")], "nDCG@10").mean()["mean"][0]
    assert f"{found:.4f}" == lines["held out"].split()[0]
    assert len(rg.read_run("fused.run").queries) == 33
    assert done.err.count("run 'keyword' lacks") == 1
    assert "note: 1 judged queries without a value of nDCG(gain='exp')@10 were left out: 'q18'" in done.err


def test_tuning_as_json_holds_everything(fuse_with):
    said = json.loads(fuse_with("keyword.run", "vector.run", *TUNE, "--format", "json", "--folds", "3").out)
    assert len(said["trials"]) == 3 and len(said["queries"]) == 31 and len(said["fold_choices"]) == 3
    assert said["best_run"]["name"] == "vector"
    assert set(said) >= {"measure", "chosen", "held_out", "in_sample"}


@pytest.mark.parametrize(
    ("format", "sign"), [("csv", "method,norm,weights"), ("markdown", "| --- |"), ("latex", "tabular")]
)
def test_tuning_in_other_formats(fuse_with, format, sign):
    assert sign in fuse_with("keyword.run", "vector.run", *TUNE, "--format", format).out


def test_methods_are_listed_with_formula_parameters_and_source(fuse_with):
    said = fuse_with("--methods").out
    assert "score = Σ_i w_i / (k + rank_i)" in said and "k=60: a number in [0, inf]" in said
    assert "Cormack, Clarke & Büttcher (2009)" in said and "(s - min) / (max - min)" in said
    listed = json.loads(fuse_with("--methods", "--format", "json").out)
    assert len(listed["methods"]) == len(rg.fusion.METHODS) and len(listed["norms"]) == 7


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["keyword.run"], "error: expected two or more runs to fuse, got 1"),
        (["keyword.run", "vector.run", "--method", "rff"], "no fusion method named 'rff'; did you mean 'RRF'?"),
        (["keyword.run", "vector.run", "-p", "k"], "expected name=number, got 'k'"),
        (["keyword.run", "vector.run", "--weights", "a,b"], "expected numbers, as 0.3,0.7, got 'a,b'"),
        (["keyword.run", "vector.run", "--weights", "1,1,1"], "RRF: expected 2 weights of 0 or more"),
        (["keyword.run", "vector.run", "--tune", "AP"], "expected training judgments for --tune, got none"),
        (["keyword.run", "vector.run", "--method", "rrf", "--method", "isr"], "expected one, got 2; several are for"),
        (["keyword.run", "vector.run", *TUNE, "--weights", "1,2"], "--tune chooses it; leave it out"),
        (["keyword.run", "vector.run", *TUNE, "--folds", "90"], "expected 2 to 31 folds for 31 judged queries"),
    ],
)
def test_misuse_is_told_and_exits_with_2(fuse_with, arguments, said):
    done = fuse_with(*arguments)
    assert done.code == 2
    assert said in " ".join(done.err.replace("│", " ").split())


def test_the_help_ends_with_an_example_that_runs(fuse_with):
    example = (fuse.__doc__ or "").strip().splitlines()[-1].strip()
    assert example.startswith("Example: rankgauge fuse ")
    assert fuse_with(*example.split()[3:]).code == 0
    assert Path("fused.run").is_file()
