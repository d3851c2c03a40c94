"""Reported faults in statistics and fusion, each as it was written."""

import pytest

import rankgauge as rg
from cases.inline import run

DENSE = """
q Q0 m 1 0.9 sys
q Q0 n 2 0.8 sys
q Q0 t 3 0.7 sys
"""
SPARSE = """
q Q0 p 1 31 sys
q Q0 q 2 22 sys
q Q0 t 3 13 sys
"""


def test_rrf_fusion_counts_ranks_from_one_and_an_absent_document_adds_nothing():
    fused = rg.fuse([run(DENSE, name="dense"), run(SPARSE, name="sparse")], method="rrf", k=60)
    expected = {"m": 0.01639344, "n": 0.01612903, "t": 0.03174603, "p": 0.01639344, "q": 0.01612903}
    assert fused.to_dict() == {"q": pytest.approx(expected, abs=5e-9)}
    assert list(fused.docs) == ["t", "p", "m", "q", "n"]  # ties by falling id, as everywhere


def test_rrf_fusion_with_an_empty_run_changes_nothing_and_says_so():
    both = {"dense": run(DENSE), "sparse": run(SPARSE)}
    fused = rg.fuse({**both, "none": {}}, method="rrf", k=60)
    alone = rg.fuse(both, method="rrf", k=60)
    assert fused.to_dict() == alone.to_dict() and list(fused.docs) == list(alone.docs)
    assert [note.text for note in fused.notes] == ["run 'none' is empty: it changes nothing"]


def test_minmax_constant_lists_are_worth_one_and_no_score_is_undefined():
    one = run("q Q0 a 1 7.0 sys", name="one")
    flat = run("q Q0 b 1 3.3 sys\nq Q0 a 2 3.3 sys\nq Q0 c 3 3.3 sys", name="flat")
    wide = run("q Q0 c 1 10 sys\nq Q0 b 2 5 sys\nq Q0 a 3 0 sys", name="wide")
    assert rg.fuse([wide], method="CombSUM", norm="min-max").to_dict() == {"q": {"c": 1.0, "b": 0.5, "a": 0.0}}
    fused = rg.fuse([one, flat, wide], method="CombSUM", norm="min-max")
    assert fused.to_dict() == {"q": {"a": 2.0, "b": 1.5, "c": 2.0}}


def test_minmax_constant_distances_are_turned_round_before_they_are_mixed():
    near = run("q Q0 a 1 0.1 sys\nq Q0 b 2 0.5 sys\nq Q0 c 3 0.9 sys", name="near")
    like = run("q Q0 a 1 9 sys\nq Q0 b 2 5 sys\nq Q0 c 3 1 sys", name="like")
    fused = rg.fuse([near, like], method="CombSUM", norm="min-max", lower_is_better=["near"])
    assert fused.to_dict()["q"] == pytest.approx({"a": 2.0, "b": 1.0, "c": 0.0})
    assert list(rg.fuse([near, like], method="rrf", lower_is_better=["near"]).docs) == ["a", "b", "c"]
