"""How runs come together: queries, documents, ranks, and what is said about them."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import rankgauge as rg
from rankgauge.errors import EmptyInputError, InputError, MethodError
from rankgauge.fusion import _collect
from rankgauge.fusion._collect import as_list, collect

A = {"q1": {"a": 3.0, "b": 2.0}, "q2": {"c": 1.0}}
B = {"q3": {"a": 3.0}, "q1": {"b": 9.0, "d": 1.0}}


def kinds(run):
    return [note.kind for note in run.notes]


def test_queries_are_united_and_those_that_a_run_lacks_are_counted():
    fused = rg.fuse({"A": A, "B": B})
    assert list(fused.queries) == ["q1", "q2", "q3"]
    assert [note.text for note in fused.notes] == [
        "run 'A' lacks 1 of 3 queries ('q3'): they are fused from the other runs",
        "run 'B' lacks 1 of 3 queries ('q2'): they are fused from the other runs",
    ]
    assert fused.to_dict()["q3"] == {"a": 1 / 61}


def test_an_empty_run_is_said_and_changes_no_order_whatever_the_method():
    for method in ("RRF", "CombSUM", "CombMNZ", "BordaFuse", "Condorcet", "ISR"):
        with_it, alone = rg.fuse({"A": A, "B": B, "none": {}}, method=method), rg.fuse({"A": A, "B": B}, method=method)
        assert list(with_it.docs) == list(alone.docs), method
        assert kinds(with_it) == [*kinds(alone), "empty run"], method


def test_nothing_but_empty_runs_is_an_error():
    with pytest.raises(EmptyInputError, match="runs: expected at least one retrieved document, got none"):
        rg.fuse({"a": {}, "b": {"q": {}}})
    with pytest.raises(EmptyInputError, match="runs: expected at least one run, got none"):
        rg.fuse([])


@pytest.mark.parametrize("one", [rg.Run.from_dict(A), A])
def test_one_run_where_several_are_meant_is_an_error(one):
    with pytest.raises(InputError, match=r"runs: expected several runs, got one; pass \[a, b\]"):
        rg.fuse(one)


def test_runs_may_come_as_runs_or_dicts_in_a_list_or_by_name():
    made = [rg.Run.from_dict(A), rg.Run.from_dict(B)]
    expected = rg.fuse(made).to_dict()
    assert rg.fuse([A, B]).to_dict() == rg.fuse({"x": made[0], "y": B}).to_dict() == expected
    assert [run.name for run in as_list([A, B])] == ["run1", "run2"]


def test_a_run_may_be_fused_with_itself():
    run = rg.Run.from_dict({"q": {"a": 3.0, "b": 2.5, "c": -1.0}})
    assert list(rg.fuse([run, run], method="CombSUM").docs) == ["a", "b", "c"]


def test_tied_documents_rank_by_falling_id_as_everywhere():
    fused = rg.fuse([{"q": {"a": 1.0, "b": 1.0, "c": 1.0}}], method="rrf", k=0)
    assert fused.to_dict()["q"] == {"c": 1.0, "b": 1 / 2, "a": 1 / 3}


def test_ranks_that_a_run_was_given_hold():
    docs, scores = pl.Series(["a", "b"]), np.array([1.0, 2.0])
    groups = rg.records._columns.grouped(pl.Series(["q", "q"]))
    run = rg.Run.from_groups(groups, docs, scores, name="r", ranks=np.array([1, 3]))
    assert rg.fuse([run], method="rrf", k=0).to_dict()["q"] == {"a": 1.0, "b": 1 / 3}
    assert rg.fuse([run], method="CombSUM", norm="rank").to_dict()["q"] == {"a": 1.0, "b": pytest.approx(1 / 3)}
    assert rg.fuse([run], method="CombSUM", norm="z-score").to_dict()["q"] == {"b": 1.0, "a": -1.0}


def test_depth_keeps_the_first_of_each_query_and_counts_the_rest():
    fused = rg.fuse({"A": A, "B": B}, depth=1)
    assert [len(docs) for docs in fused.to_dict().values()] == [1, 1, 1]
    assert fused.notes[-1].text == "the first 1 documents of each query were kept, 2 were left out"
    assert kinds(rg.fuse({"A": A, "B": B}, depth=3)) == kinds(rg.fuse({"A": A, "B": B}))
    with pytest.raises(MethodError, match="expected a depth of 1 or more, got 0"):
        rg.fuse([A, B], depth=0)


def test_the_fused_run_has_the_method_as_its_name_or_another():
    assert rg.fuse([A, B], method="mnz").name == "CombMNZ"
    assert rg.fuse([A, B], name="hybrid").name == "hybrid"


def test_the_inputs_notes_are_kept():
    noted = rg.Run.from_columns(
        pl.Series(["q", "q"]), pl.Series(["a", "a"]), pl.Series([2.0, 1.0]), on_duplicate="first"
    )
    assert kinds(rg.fuse([noted, {"q": {"b": 1.0}}])) == ["duplicates"]


def test_a_run_of_distances_is_called_by_its_name():
    with pytest.raises(MethodError, match="lower_is_better names no run 'dence'; did you mean 'dense'"):
        rg.fuse({"dense": A, "sparse": B}, lower_is_better=["dence"])


def test_two_documents_with_the_same_key_are_told_apart_by_their_ids(monkeypatch):
    expected = rg.fuse({"A": A, "B": B}, method="CombSUM").to_dict()
    monkeypatch.setattr(_collect, "pair_keys", lambda hashes, offsets, codes: np.zeros(len(hashes), dtype=np.uint64))
    assert rg.fuse({"A": A, "B": B}, method="CombSUM").to_dict() == expected


def test_the_order_of_the_runs_cannot_change_the_last_bit():
    lists = collect(as_list([{"q": {"a": s}} for s in (0.1, 0.2, 0.3, 1e16, -1e16)]))
    assert lists.sum(lists.score) == collect(as_list([{"q": {"a": s}} for s in (-1e16, 0.3, 1e16, 0.1, 0.2)])).sum(
        np.array([-1e16, 0.3, 1e16, 0.1, 0.2])
    )


def test_ids_that_look_like_numbers_stay_as_they_are():
    fused = rg.fuse([{"007": {"1e5": 1.0, "NA": 0.5}}, {"007": {"100000": 1.0}}])
    assert set(fused.to_dict()["007"]) == {"1e5", "NA", "100000"}
