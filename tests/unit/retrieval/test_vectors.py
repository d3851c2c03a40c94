"""Vector indexes: what is found, in which order, after which changes; what is refused; reported faults of others."""

from __future__ import annotations

import json
import threading

import numpy as np
import pytest

from rankgauge.errors import DuplicateError, FormatError, InputError
from rankgauge.records import Run
from rankgauge.retrieval.embedding import of_callable
from rankgauge.retrieval.protocols import Retriever
from rankgauge.retrieval.vectors import VectorIndex, VectorRetriever

PRECISIONS = ["f32", "f16", "i8"]


def some_vectors(count: int, *, dimension: int = 16, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(count, dimension)).astype(np.float32)


def names(count: int, first: int = 0) -> list[str]:
    return [f"d{number}" for number in range(first, first + count)]


def truth(ids: list[str], vectors: np.ndarray, query: np.ndarray, k: int) -> list[str]:
    lengths = np.linalg.norm(vectors.astype(float), axis=1) * np.linalg.norm(query.astype(float))
    scores = vectors.astype(float) @ query.astype(float) / lengths
    return [ids[row] for row in np.argsort(-scores, kind="stable")[:k]]


def test_the_nearest_come_first_with_their_cosines(tmp_path):
    index = VectorIndex.build(tmp_path, ["east", "north", "west"], [[2, 0], [0, 3], [-1, 0]])
    hits = index.search([1, 1], 2)
    assert hits.docs == ("east", "north")
    assert hits.scores == pytest.approx([np.sqrt(0.5), np.sqrt(0.5)], abs=1e-7)
    assert (hits.scores.dtype, len(index), index.dimension, index.exact) == (np.float64, 3, 2, True)
    assert "north" in index and "south" not in index and 5 not in index
    assert index.ids == ["east", "north", "west"]


@pytest.mark.parametrize("precision", PRECISIONS)
def test_a_graph_finds_what_a_scan_finds_also_after_opening(tmp_path, precision):
    ids, vectors, queries = names(3000), some_vectors(3000), some_vectors(30, seed=1)
    built = VectorIndex.build(tmp_path, ids, vectors, precision=precision, exact_below=500)
    for index in (built, VectorIndex.open(tmp_path)):
        assert not index.exact
        found = [hits.docs for hits in index.search_many(queries, 10)]
        exact = [hits.docs for hits in index.search_many(queries, 10, exact=True)]
        overlap = [len(set(a) & set(b)) / 10 for a, b in zip(found, exact, strict=True)]
        assert np.mean(overlap) >= 0.98
        same = [truth(ids, vectors, query, 10) for query in queries]
        if precision == "f32":
            assert exact == [tuple(docs) for docs in same]
        near = [len(set(a) & set(b)) / 10 for a, b in zip(exact, same, strict=True)]
        assert np.mean(near) >= {"f32": 1.0, "f16": 0.99, "i8": 0.95}[precision]


@pytest.mark.parametrize(("precision", "off"), [("f32", 1e-6), ("f16", 1e-3), ("i8", 0.02)])
def test_scores_are_cosines_as_far_as_the_precision_allows(tmp_path, precision, off):
    vectors, query = some_vectors(200), some_vectors(1, seed=1)[0]
    hits = VectorIndex.build(tmp_path, names(200), vectors, precision=precision).search(query, 200)
    expected = vectors @ query / np.linalg.norm(vectors, axis=1) / np.linalg.norm(query)
    of = dict(zip(names(200), expected, strict=True))
    assert max(abs(score - of[doc]) for doc, score in hits) < off
    assert (np.diff(hits.scores) <= 0).all()


def test_the_size_on_disk_follows_the_precision(tmp_path):
    sizes = {}
    for precision in PRECISIONS:
        VectorIndex.build(tmp_path / precision, names(100), some_vectors(100), precision=precision)
        sizes[precision] = sum(path.stat().st_size for path in (tmp_path / precision).rglob("vectors.npy"))
    assert [sizes[p] - 128 for p in PRECISIONS] == [100 * 16 * 4, 100 * 16 * 2, 100 * 16]


def test_equal_vectors_stand_in_the_order_of_adding(tmp_path):
    rng = np.random.default_rng(0)
    vectors = np.repeat(some_vectors(3), 50, axis=0)[rng.permutation(150)]
    index = VectorIndex.build(tmp_path, names(150), vectors)
    index.add(names(150, 150), vectors)
    index.commit()
    for k in (1, 7, 100, 300):
        docs = index.search(vectors[0], k).docs
        assert list(docs) == truth(names(300), np.vstack([vectors, vectors]), vectors[0], k)


def test_more_hits_than_vectors_and_none_at_all(tmp_path):
    index = VectorIndex.build(tmp_path / "a", names(3), some_vectors(3))
    assert len(index.search(some_vectors(1)[0], 1000)) == 3
    empty = VectorIndex.build(tmp_path / "b", [], np.empty((0, 16)))
    assert (len(empty), empty.search(some_vectors(1)[0], 5).docs, empty.ids) == (0, (), [])
    empty.add(["a"], some_vectors(1))
    empty.commit()
    assert VectorIndex.open(tmp_path / "b").search(some_vectors(1)[0], 5).docs == ("a",)


@pytest.mark.parametrize("exact_below", [0, 20_000])
def test_filters_deletions_and_adding_again_on_ten_vectors(tmp_path, exact_below):
    """Others raise, repeat a vector or return a deleted one: case hnsw-filter-and-delete."""
    vectors = np.arange(10)[:, None] * np.ones((1, 2))
    ids = [f"v{number}" for number in range(10)]
    index = VectorIndex.build(tmp_path, ids, vectors, metric="l2", exact_below=exact_below)
    assert index.search([0, 0], 5).docs == ("v0", "v1", "v2", "v3", "v4")
    assert index.search([0, 0], 5, frozenset({"v3", "v7"})).docs == ("v3", "v7")
    assert index.search([0, 0], 5, frozenset({"v3", "unknown"})).docs == ("v3",)
    assert index.search([0, 0], 5, frozenset()).docs == ()
    assert index.delete(["v0", "v1", "unknown"]) == 2
    index.commit()
    assert index.search([0, 0], 5).docs == ("v2", "v3", "v4", "v5", "v6")
    assert index.search([0, 0], 5, frozenset({"v0", "v9"})).docs == ("v9",)
    index.add(["v1", "v0"], [[9, 9], [0, 0]])
    index.commit()
    hits = VectorIndex.open(tmp_path).search([0, 0], 10)
    assert sorted(hits.docs[-2:]) == ["v1", "v9"] and hits.scores[-2:].tolist() == [-162, -162]
    assert len(hits) == len(set(hits.docs)) == 10
    index.delete(ids)
    index.commit()
    assert index.search([0, 0], 5).docs == () and len(VectorIndex.open(tmp_path)) == 0


@pytest.mark.parametrize("exact_below", [0, 20_000])
def test_there_are_no_fillers_where_k_exceeds_the_vectors(tmp_path, exact_below):
    """Others give id -1, key 0 or NaN: case index-filler-ids."""
    index = VectorIndex.build(tmp_path, ["a", "b", "c"], [[0, 1], [2, 3], [4, 5]], metric="l2", exact_below=exact_below)
    for hits in (index.search([0, 0], 5), *index.search_many([[0, 0], [0, 0]], 5)):
        assert (hits.docs, hits.scores.tolist()) == (("a", "b", "c"), [-1, -13, -41])
    run = Run.from_dict({query: dict(index.search([0, 0], 5)) for query in ("q1", "q2")})
    assert len(run) == 6


@pytest.mark.parametrize("exact_below", [0, 20_000])
def test_ids_come_back_as_the_same_texts_and_stay_with_their_vectors(tmp_path, exact_below):
    """Others wrap, hash or shift them: case external-id-types."""
    ids = ["doc-7", "007", "7", "-5", "638727826393444353", "18446744073709551616", "ключ é", "a\nb\t\x00c"]
    vectors = [[number, number] for number in range(len(ids))]
    built = VectorIndex.build(tmp_path, ids, vectors, metric="l2", exact_below=exact_below)
    for index in (built, VectorIndex.open(tmp_path)):
        assert list(index.search([0, 0], 8).docs) == ids
    index.delete(["007"])
    index.commit()
    for changed in (index, VectorIndex.open(tmp_path)):
        assert list(changed.search([0, 0], 8).docs) == [id_ for id_ in ids if id_ != "007"]


@pytest.mark.parametrize("share", [0.001, 0.01, 0.3, 0.9])
def test_filters_on_a_graph_give_k_hits_wherever_k_are_allowed(tmp_path, share):
    ids, vectors = names(4000), some_vectors(4000)
    index = VectorIndex.build(tmp_path, ids, vectors, exact_below=10)
    rng = np.random.default_rng(1)
    for query in some_vectors(5, seed=2):
        rows = np.flatnonzero(rng.random(4000) < share)
        allowed = frozenset(ids[row] for row in rows)
        hits = index.search(query, 20, allowed)
        assert len(hits) == min(20, len(allowed)) and set(hits.docs) <= allowed
        best = truth([ids[row] for row in rows], vectors[rows], query, 20)
        assert len(set(best) & set(hits.docs)) >= 0.9 * len(best)


def test_a_filter_of_what_is_farthest_away_gives_k_hits_all_the_same(tmp_path):
    ids, vectors = names(2000), some_vectors(2000)
    index = VectorIndex.build(tmp_path, ids, vectors, exact_below=10)
    farthest = truth(ids, vectors, vectors[0], 2000)[-200:]
    assert list(index.search(vectors[0], 50, frozenset(farthest)).docs) == farthest[:50]


def test_changes_are_seen_from_the_commit_on(tmp_path):
    index = VectorIndex.build(tmp_path, ["a", "b"], [[1, 0], [0, 1]])
    index.add(["c"], [[1, 1]])
    index.delete(["a"])
    assert index.search([1, 0], 5).docs == ("a", "b") and "c" not in index
    index.commit()
    assert index.search([1, 0], 5).docs == ("c", "b") and index.generation == 2
    index.commit()
    assert index.generation == 2
    index.upsert(["b", "d"], [[1, 0], [-1, 0]])
    index.delete(["d"])
    index.commit()
    assert index.search([1, 0], 5).docs == ("b", "c")
    assert VectorIndex.open(tmp_path).search([1, 0], 5).docs == ("b", "c")


def test_an_index_opened_before_goes_on_with_what_it_saw(tmp_path):
    writer = VectorIndex.build(tmp_path, names(100), some_vectors(100))
    reader = VectorIndex.open(tmp_path)
    before = reader.search(some_vectors(1)[0], 10).docs
    writer.delete(names(90))
    writer.commit()
    assert reader.search(some_vectors(1)[0], 10).docs == before
    assert len(VectorIndex.open(tmp_path)) == 10


def test_many_small_commits_leave_few_segments(tmp_path):
    index = VectorIndex.build(tmp_path, names(10), some_vectors(10), exact_below=40)
    everything = some_vectors(130)
    for number in range(10, 130):
        index.add([f"d{number}"], everything[number : number + 1])
        index.commit()
    assert len(list(tmp_path.glob("segment-*"))) <= 8
    assert index.ids == names(130) and VectorIndex.open(tmp_path).ids == names(130)
    assert index.search(everything[77], 1).docs == ("d77",)


def test_a_segment_that_is_mostly_deleted_is_written_again_without_the_dead(tmp_path):
    index = VectorIndex.build(tmp_path, names(100), some_vectors(100))
    index.delete(names(49))
    index.commit()
    assert np.load(next(tmp_path.rglob("vectors.npy"))).shape[0] == 100
    index.delete(["d49", "d50"])
    index.commit()
    assert [np.load(path).shape[0] for path in tmp_path.rglob("vectors.npy")] == [49]
    assert index.ids == names(49, 51) and list(tmp_path.glob("alive-*")) == []


@pytest.mark.parametrize("precision", PRECISIONS)
def test_writing_segments_as_one_changes_no_stored_bit(tmp_path, precision):
    vectors = some_vectors(60)
    index = VectorIndex.build(tmp_path, names(30), vectors[:30], precision=precision)
    before = dict(index.search(vectors[5], 30))
    index.add(names(30, 30), vectors[30:])
    index.commit()
    assert len(list(tmp_path.glob("segment-*"))) == 1
    after = dict(index.search(vectors[5], 60))
    assert {doc: after[doc] for doc in before} == before


def test_searches_of_many_threads_go_on_while_vectors_are_added(tmp_path):
    vectors = some_vectors(3000)
    index = VectorIndex.build(tmp_path, names(1000), vectors[:1000], exact_below=300)
    stop, failures, seen = threading.Event(), [], set()

    def search() -> None:
        rng = np.random.default_rng()
        while not stop.is_set():
            row = int(rng.integers(1000))
            hits = index.search(vectors[row], 5)
            seen.add(index.generation)
            if hits.docs[0] != f"d{row}" or len(set(hits.docs)) != 5:
                failures.append(hits.docs)

    searchers = [threading.Thread(target=search) for _ in range(4)]
    for searcher in searchers:
        searcher.start()
    for low in range(1000, 3000, 250):
        index.add(names(250, low), vectors[low : low + 250])
        index.delete([f"d{low}"])
        index.commit()
    stop.set()
    for searcher in searchers:
        searcher.join()
    assert failures == [] and len(index) == 2992 and len(seen) > 1


def test_one_index_at_a_time_commits(tmp_path):
    one = VectorIndex.build(tmp_path, ["a"], [[1, 0]])
    other = VectorIndex.open(tmp_path)
    for index, id_ in ((one, "b"), (other, "c")):
        index.add([id_], [[0, 1]])
    one.commit()
    with pytest.raises(InputError, match="expected commit 1, got commit 2, which another writer made; open the index"):
        other.commit()
    assert VectorIndex.open(tmp_path).ids == ["a", "b"]


def test_a_crash_before_the_manifest_leaves_the_last_commit(tmp_path, monkeypatch):
    index = VectorIndex.build(tmp_path, ["a"], [[1, 0]])

    def crash(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("rankgauge.retrieval._commits._publish", crash)
        index.add(["b"], [[0, 1]])
        with pytest.raises(KeyboardInterrupt):
            index.commit()
    again = VectorIndex.open(tmp_path)
    assert again.ids == ["a"]
    again.add(["c"], [[0, 1]])
    again.commit()
    assert VectorIndex.open(tmp_path).ids == ["a", "c"]


def test_vectors_without_a_direction_are_refused_by_the_names_of_their_documents(tmp_path):
    bad = np.ones((4, 2))
    bad[1], bad[2], bad[3] = 0, np.nan, np.inf
    message = (
        r"vectors, document 'd1': expected finite numbers, not all zero, got only zeros; .*\n.*'d2'.*1? ?2 that are NaN"
    )
    with pytest.raises(InputError, match=message) as raised:
        VectorIndex.build(tmp_path, names(4), bad)
    assert raised.value.total == 3
    index = VectorIndex.build(tmp_path, ["a"], [[1, 1]])
    with pytest.raises(InputError, match=r"document 'b'.*only zeros"):
        index.add(["b"], [[0, 0]])
    index.commit()
    assert index.ids == ["a"]
    for query in ([0, 0], [np.nan, 1]):
        with pytest.raises(InputError, match="query vector: expected finite numbers, not all zero"):
            index.search(query, 1)


def test_distances_allow_zero_and_refuse_what_the_precision_cannot_hold(tmp_path):
    assert VectorIndex.build(tmp_path / "a", ["a"], [[0, 0]], metric="l2").search([0, 0], 1).scores.tolist() == [0]
    with pytest.raises(InputError, match=r"document 'a': expected numbers within f16, got others"):
        VectorIndex.build(tmp_path / "b", ["a"], [[1e6, 0]], metric="l2", precision="f16")


def test_shapes_that_do_not_fit_are_refused(tmp_path):
    index = VectorIndex.build(tmp_path / "a", ["a"], [[1, 1]])
    with pytest.raises(InputError, match="vectors: expected vectors of 2 numbers, got 3 numbers; use the model that"):
        index.add(["b"], [[1, 1, 1]])
    with pytest.raises(InputError, match="query vector: expected vectors of 2 numbers, got 3 numbers"):
        index.search([1, 1, 1], 1)
    with pytest.raises(InputError, match="vectors: expected one per id, 1, got 2"):
        index.add(["b"], [[1, 1], [1, 2]])
    with pytest.raises(InputError, match="expected a matrix of numbers, a row per vector"):
        VectorIndex.build(tmp_path / "b", ["a"], [1, 1])
    with pytest.raises(InputError, match="k: expected 1 or more, got 0"):
        index.search([1, 1], 0)


def test_ids_that_stand_twice_or_are_none_are_refused(tmp_path):
    with pytest.raises(DuplicateError, match="ids: expected each id once, got 'a' again"):
        VectorIndex.build(tmp_path / "b", ["a", "b", "a"], np.eye(3))
    for bad in ([""], [None], [1.5]):
        with pytest.raises(InputError):
            VectorIndex.build(tmp_path / "c", bad, [[1, 1]])
    index = VectorIndex.build(tmp_path / "a", ["a"], [[1, 1]])
    with pytest.raises(DuplicateError, match=r"expected new ones, got known ones \('a'\); upsert replaces them"):
        index.add(["a"], [[1, 1]])
    index.add(["b"], [[1, 1]])
    with pytest.raises(DuplicateError, match="known ones"):
        index.add(["b"], [[1, 1]])


def test_an_index_is_not_built_over_another(tmp_path):
    VectorIndex.build(tmp_path, ["a"], [[1, 1]])
    with pytest.raises(InputError, match="expected a new folder, got an index; open it, or delete the folder"):
        VectorIndex.build(tmp_path, ["b"], [[1, 1]])


def test_what_is_no_index_or_a_broken_one_is_said(tmp_path):
    with pytest.raises(InputError, match=r"expected an index of vectors, got no vectors.json"):
        VectorIndex.open(tmp_path)
    VectorIndex.build(tmp_path, names(300), some_vectors(300), exact_below=100)
    graph, rows = next(tmp_path.rglob("graph.bin")), next(tmp_path.rglob("vectors.npy"))
    whole = graph.read_bytes()
    graph.write_bytes(whole[:-1])
    with pytest.raises(FormatError, match=r"graph.bin: expected a graph of [\d,]+ bytes, got [\d,]+ bytes; build"):
        VectorIndex.open(tmp_path)
    graph.write_bytes(whole)
    kept = rows.read_bytes()
    for broken in (kept[:-100], b"nothing"):
        rows.write_bytes(broken)
        with pytest.raises(FormatError, match=r"vectors.npy: expected vectors, got broken content"):
            VectorIndex.open(tmp_path)
    rows.write_bytes(kept)
    next(tmp_path.rglob("ids.arrow")).write_bytes(b"ARROW")
    with pytest.raises(FormatError, match=r"ids.arrow: expected ids, got broken content"):
        VectorIndex.open(tmp_path)
    manifest = json.loads((tmp_path / "vectors.json").read_text())
    (tmp_path / "vectors.json").write_text(json.dumps(manifest | {"format": 99}))
    with pytest.raises(FormatError, match=r"vectors.json: expected format 1, got 99"):
        VectorIndex.open(tmp_path)
    (tmp_path / "vectors.json").write_text("{")
    with pytest.raises(FormatError, match=r"vectors.json: expected a manifest, got broken content"):
        VectorIndex.open(tmp_path)


def test_recall_is_measured_against_the_exact_hits(tmp_path):
    index = VectorIndex.build(tmp_path, names(2000), some_vectors(2000), exact_below=100, connectivity=2, expansion=2)
    recall = index.recall(10, sample=50)
    assert (recall.k, recall.queries) == (10, 50) and 0.05 < recall.mean < 0.98 and recall.lowest <= recall.mean
    assert recall == index.recall(10, sample=50) != index.recall(10, sample=50, seed=1)
    queries = some_vectors(20, seed=3)
    shares = [
        len(set(index.search(query, 10).docs) & set(truth(names(2000), some_vectors(2000), query, 10))) / 10
        for query in queries
    ]
    given = index.recall(10, queries=queries)
    assert given.mean == pytest.approx(np.mean(shares)) and given.lowest == min(shares)
    assert str(given).startswith(f"recall@10 {given.mean:.4f} over 20 queries (lowest ")


def test_an_exact_index_recalls_everything(tmp_path):
    index = VectorIndex.build(tmp_path, names(50), some_vectors(50))
    assert (index.recall(10).mean, index.recall(10).lowest, index.recall(1000).queries) == (1, 1, 50)
    with pytest.raises(InputError, match="recall: expected at least two vectors and one query, got 1 and 1"):
        VectorIndex.build(tmp_path / "one", ["a"], [[1, 1]]).recall(10)


def test_the_same_vectors_and_seed_give_the_same_graph(tmp_path):
    graphs = []
    for name, seed in (("a", 0), ("b", 0), ("c", 1)):
        VectorIndex.build(tmp_path / name, names(500), some_vectors(500), exact_below=100, seed=seed)
        graphs.append(next((tmp_path / name).rglob("graph.bin")).read_bytes())
    assert graphs[0] == graphs[1] != graphs[2]


def test_progress_counts_what_was_linked(tmp_path):
    told = []
    VectorIndex.build(
        tmp_path, names(5000), some_vectors(5000, dimension=2), exact_below=100, progress=lambda *n: told.append(n)
    )
    assert told == [(4096, 5000), (5000, 5000)]


def lengths(texts: list[str]) -> list[list[float]]:
    return [[float(len(text)), 1.0] for text in texts]


def test_a_retriever_embeds_the_query_and_searches(tmp_path):
    embedder = of_callable(lengths, name="lengths", dimension=2)
    index = VectorIndex.build(tmp_path, ["short", "long"], lengths(["a", "a" * 50]), model=embedder.name)
    retriever = VectorRetriever(index, embedder)
    assert isinstance(retriever, Retriever)
    assert (retriever.name, len(retriever)) == ("vectors:lengths", 2)
    assert retriever.search("b" * 50, 2).docs == ("long", "short")
    assert retriever.search("b" * 50, 2, allowed=frozenset({"short"})).docs == ("short",)


def test_a_retriever_with_another_model_than_the_indexs_is_refused(tmp_path):
    index = VectorIndex.build(tmp_path, ["a"], [[1, 1]], model="lengths@1")
    with pytest.raises(InputError, match="expected the index's own, 'lengths@1', got 'lengths@2'; use the model"):
        VectorRetriever(index, of_callable(lengths, name="lengths@2", dimension=2))
    with pytest.raises(InputError, match="embedder 'wide': expected vectors of 2 numbers, got 3 numbers"):
        VectorRetriever(index, of_callable(lengths, name="wide", dimension=3))
    unknown = VectorIndex.build(tmp_path / "b", ["a"], [[1, 1]])
    assert len(VectorRetriever(unknown, of_callable(lengths, name="any", dimension=2))) == 1


def test_threads_of_one_call_give_what_one_thread_gives(tmp_path):
    index = VectorIndex.build(tmp_path, names(2000), some_vectors(2000), exact_below=100)
    queries = some_vectors(40, seed=1)
    alone, together = index.search_many(queries, 10), index.search_many(queries, 10, threads=4)
    assert [hits.docs for hits in alone] == [hits.docs for hits in together]
    assert index.search_many(np.empty((0, 16)), 10) == []
