"""A document twice under one query: found exactly, and settled as the caller says."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgauge.errors import DuplicateError
from rankgauge.records import Qrels, Run
from rankgauge.records._columns import grouped

ROWS = st.lists(st.tuples(st.sampled_from("pq"), st.sampled_from("abc"), st.integers(0, 3)), min_size=1, max_size=12)


def run_of(rows, policy, *, hashes=None):
    query, docs, scores = zip(*rows, strict=True)
    return Run.from_groups(
        grouped(pl.Series(query)),
        pl.Series(docs),
        np.array(scores, dtype=np.float64),
        name="r",
        on_duplicate=policy,
        known_hash=hashes,
    )


@given(ROWS)
def test_the_first_of_each_pair_is_kept_in_its_place(rows):
    wanted = {}
    for query, doc, score in rows:
        wanted.setdefault(query, {}).setdefault(doc, score)
    found = run_of(rows, "first").to_dict()
    assert [(query, list(docs.items())) for query, docs in found.items()] == [
        (query, list(docs.items())) for query, docs in wanted.items()
    ]


@given(ROWS)
def test_the_best_of_each_pair_is_kept(rows):
    wanted = {}
    for query, doc, score in rows:
        best = wanted.setdefault(query, {})
        best[doc] = max(score, best.get(doc, score))
    assert run_of(rows, "max").to_dict() == wanted


@given(ROWS, st.sampled_from(["first", "max"]))
def test_hashes_that_are_equal_by_accident_change_nothing(rows, policy):
    same = np.zeros(len(rows), dtype=np.uint64)
    assert run_of(rows, policy, hashes=same).to_dict() == run_of(rows, policy).to_dict()


def test_only_pairs_that_repeat_are_named_when_hashes_are_equal_by_accident():
    rows = [("p", "a", 1), ("p", "b", 2), ("q", "a", 3), ("q", "a", 4)]
    with pytest.raises(DuplicateError) as caught:
        run_of(rows, "error", hashes=np.zeros(4, dtype=np.uint64))
    assert [(fault.where, fault.got) for fault in caught.value.faults] == [
        ("run 'r', query 'q', document 'a'", "2 times (scores 3, 4)")
    ]


def test_judgments_that_contradict_each_other_are_counted_apart_from_those_that_agree() -> None:
    columns = pl.Series(["q"] * 5), pl.Series(["a", "a", "a", "b", "b"]), pl.Series([1.0, 0.0, 1.0, 2.0, 2.0])
    notes = Qrels.from_columns(*columns, on_duplicate="first").notes
    assert [(note.kind, note.count) for note in notes] == [("duplicates", 3), ("conflicting judgments", 1)]
    assert notes[1].text.endswith("as query 'q', document 'a': grades 1, 0, 1")
