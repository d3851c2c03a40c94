"""Vector indexes against plain lists: whatever is added, deleted and asked for, the answers are the same."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankgauge.retrieval.vectors import VectorIndex

NUMBERS = st.integers(-3, 3)
ROWS = st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS).filter(any), min_size=1, max_size=40)
IDS = st.sampled_from([f"d{number}" for number in range(12)])
CHANGES = st.lists(
    st.one_of(
        st.tuples(st.just("upsert"), st.lists(IDS, unique=True, min_size=1, max_size=5)),
        st.tuples(st.just("delete"), st.lists(IDS, max_size=4)),
        st.tuples(st.just("commit"), st.just([])),
        st.tuples(st.just("open"), st.just([])),
    ),
    max_size=15,
)


def cosines(vectors: np.ndarray, query: np.ndarray) -> np.ndarray:
    """Cosines of integer vectors by their squares: exact, with their signs."""
    dots = vectors @ query
    return np.sign(dots) * dots**2 / ((vectors**2).sum(axis=1) * (query**2).sum())


def check(index: VectorIndex, known: dict[str, tuple[int, ...]], query: tuple[int, ...], k: int, allowed=None) -> None:
    """The index returns the best k of the known vectors, whatever stands among those with equal cosines."""
    ids = [id_ for id_ in known if allowed is None or id_ in allowed]
    hits = index.search(query, k, None if allowed is None else frozenset(allowed))
    assert len(hits) == min(k, len(ids)) == len(set(hits.docs)) and set(hits.docs) <= set(ids)
    if not ids:
        return
    scores = cosines(np.array([known[id_] for id_ in ids]), np.array(query))
    best = np.sort(scores)[::-1][:k]
    found = cosines(np.array([known[id_] for id_ in hits.docs]), np.array(query))
    assert found == pytest.approx(best, abs=1e-5)
    assert np.sign(hits.scores) * hits.scores**2 == pytest.approx(best, abs=1e-5)


@given(rows=ROWS, query=st.tuples(NUMBERS, NUMBERS, NUMBERS).filter(any), k=st.integers(1, 50), data=st.data())
def test_an_exact_index_returns_the_best_of_those_allowed(rows, query, k, data):
    known = {f"d{number}": row for number, row in enumerate(rows)}
    with tempfile.TemporaryDirectory() as folder:
        index = VectorIndex.build(folder, list(known), rows)
        check(index, known, query, k)
        check(index, known, query, k, data.draw(st.sets(st.sampled_from([*known, "unknown"]))))


@given(rows=ROWS, seed=st.integers(0, 2**32 - 1))
def test_vectors_that_are_one_anothers_multiples_stand_in_the_order_of_adding(rows, seed):
    query = np.random.default_rng(seed).normal(size=3)
    vectors = np.array(rows + [tuple(2 * number for number in row) for row in rows], dtype=np.float32)
    with tempfile.TemporaryDirectory() as folder:
        hits = VectorIndex.build(folder, [str(row) for row in range(len(vectors))], vectors).search(query, len(vectors))
    order = list(zip((-hits.scores).tolist(), map(int, hits.docs), strict=True))
    assert order == sorted(order)
    score_of = {int(doc): score for doc, score in hits}
    assert all(score_of[row] == score_of[row + len(rows)] for row in range(len(rows)))


@settings(max_examples=60)
@given(changes=CHANGES, exact_below=st.sampled_from([0, 3, 1000]), seed=st.integers(0, 1000))
def test_an_index_that_changes_answers_as_a_list_that_changes(changes, exact_below, seed):
    rng = np.random.default_rng(seed)

    def some(count: int) -> list[tuple[int, ...]]:
        return [tuple(row) for row in rng.integers(1, 9, size=(count, 3)).tolist()]

    with tempfile.TemporaryDirectory() as folder:
        index = VectorIndex.build(Path(folder, "i"), [], np.empty((0, 3)), exact_below=exact_below)
        committed: dict[str, tuple[int, ...]] = {}
        pending: dict[str, tuple[int, ...]] = {}
        for change, ids in changes:
            if change == "upsert":
                rows = some(len(ids))
                index.upsert(ids, rows)
                for id_, row in zip(ids, rows, strict=True):
                    pending.pop(id_, None)
                    pending[id_] = row
            elif change == "delete":
                assert index.delete(ids) == len({id_ for id_ in ids if pending.pop(id_, None) is not None})
            elif change == "commit":
                index.commit()
                committed = dict(pending)
            else:
                index, pending = VectorIndex.open(Path(folder, "i")), dict(committed)
            assert index.ids == list(committed) and len(index) == len(committed)
            check(index, committed, some(1)[0], int(rng.integers(1, 15)))
            check(index, committed, some(1)[0], 3, {"d1", "d2", "d3", "d4"})
