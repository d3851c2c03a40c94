"""Vector indexes on files of vectors: build time, size, recall and milliseconds of CPU per search.

    python benchmarks/vectors.py --vectors vectors.npy --queries queries.npy --count 60000

rankgauge's index in its three precisions, beside the graphs of usearch and faiss alone. The files hold float32 rows of
length 1, as `embed_many` writes them. One thread; recall is that of the exact hits in full precision.
"""

from __future__ import annotations

import argparse
import importlib
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

from rankgauge.retrieval.vectors import VectorIndex

Search = Callable[[np.ndarray, int], list[int]]
LINKS, BUILDING = 16, 128


def exact(vectors: np.ndarray, queries: np.ndarray, k: int) -> list[set[int]]:
    """Rows of the nearest k of each query."""
    return [set(np.argpartition(-(vectors @ query), k - 1)[:k].tolist()) for query in queries]


def report(
    name: str, built: float, size: int, search: Search, queries: np.ndarray, truth: dict[int, list[set[int]]]
) -> None:
    """Print a line: recall and median CPU time at each k."""
    said = []
    for k, nearest in truth.items():
        times, found = [], 0
        for query, near in zip(queries, nearest, strict=True):
            begun = time.thread_time()
            rows = search(query, k)
            times.append(time.thread_time() - begun)
            found += len(near.intersection(rows))
        said.append(f"recall@{k} {found / k / len(queries):.4f} in {np.median(times) * 1e3:.2f} ms")
    print(f"{name:24} built {built:6.1f} CPU s  {size / 1e6:7.1f} MB  {'  '.join(said)}", flush=True)


def ours(folder: Path, vectors: np.ndarray, queries: np.ndarray, truth: dict[int, list[set[int]]]) -> None:
    """The index as it is used, ids and all."""
    for precision in ("f32", "f16", "i8"):
        begun, place = time.process_time(), folder / precision
        VectorIndex.build(place, [str(row) for row in range(len(vectors))], vectors, precision=precision)
        built, index = time.process_time() - begun, VectorIndex.open(place)
        size = sum(path.stat().st_size for path in place.rglob("*") if path.is_file())

        def search(query: np.ndarray, k: int, index: VectorIndex = index) -> list[int]:
            return [int(doc) for doc in index.search(query, k).docs]

        report(f"rankgauge {precision}", built, size, search, queries, truth)


def again(rows: np.ndarray, vectors: np.ndarray, query: np.ndarray, k: int) -> list[int]:
    """The best k of some candidates by full vectors."""
    scores = np.vecdot(vectors[rows].astype(np.float64), query)
    return [int(row) for row in rows[np.argsort(-scores)[:k]]]


def usearch(folder: Path, vectors: np.ndarray, queries: np.ndarray, truth: dict[int, list[set[int]]], ef: int) -> None:
    """Its graph mapped from the file, alone and with twice the candidates scored again."""
    index_of = importlib.import_module("usearch.index").Index
    for kind in ("i8", "f16", "f32"):
        begun, path = time.process_time(), folder / f"usearch.{kind}"
        index = index_of(ndim=vectors.shape[1], metric="cos", dtype=kind, connectivity=LINKS, expansion_add=BUILDING)
        index.add(np.arange(len(vectors), dtype=np.uint64), vectors, threads=1)
        built = time.process_time() - begun
        index.save(str(path))
        mapped = index_of.restore(str(path), view=True)
        mapped.expansion_search = ef

        def near(query: np.ndarray, k: int, index: object = mapped) -> np.ndarray:
            return index.search(query, k, threads=1).keys.astype(np.int64)  # type: ignore[attr-defined]

        def rescored(query: np.ndarray, k: int, near: Callable[..., np.ndarray] = near) -> list[int]:
            return again(near(query, max(2 * k, 50)), vectors, query, k)

        size = path.stat().st_size
        report(f"usearch {kind}", built, size, lambda q, k, n=near: n(q, k).tolist(), queries, truth)  # type: ignore[misc]
        report(f"usearch {kind}, + again", built, size, rescored, queries, truth)


def faiss(folder: Path, vectors: np.ndarray, queries: np.ndarray, truth: dict[int, list[set[int]]], ef: int) -> None:
    """Its HNSW in full precision, and with a byte per number, scored again."""
    lib = importlib.import_module("faiss")
    lib.omp_set_num_threads(1)
    quantizer = lib.ScalarQuantizer.QT_8bit
    for name, index in (
        ("f32", lib.IndexHNSWFlat(vectors.shape[1], LINKS, lib.METRIC_INNER_PRODUCT)),
        ("SQ8, + again", lib.IndexHNSWSQ(vectors.shape[1], quantizer, LINKS, lib.METRIC_INNER_PRODUCT)),
    ):
        index.hnsw.efConstruction, index.hnsw.efSearch = BUILDING, ef
        begun, path = time.process_time(), folder / "faiss"
        if not index.is_trained:
            index.train(vectors[:20_000])
        index.add(vectors)
        built = time.process_time() - begun
        lib.write_index(index, str(path))

        def search(query: np.ndarray, k: int, index: object = index, full: bool = name == "f32") -> list[int]:
            rows = index.search(query[None], k if full else max(2 * k, 50))[1][0]  # type: ignore[attr-defined]
            return rows.tolist() if full else again(rows[rows >= 0], vectors, query, k)

        report(f"faiss {name}", built, path.stat().st_size, search, queries, truth)


def main() -> None:
    """Measure all on the files that are named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vectors", type=Path, required=True)
    parser.add_argument("--queries", type=Path, required=True)
    parser.add_argument("--count", type=int, default=60_000)
    parser.add_argument("--ef", type=int, nargs="+", default=[200, 400])
    given = parser.parse_args()
    every, queries = np.load(given.vectors), np.load(given.queries)
    vectors = np.ascontiguousarray(every[np.random.default_rng(0).permutation(len(every))[: given.count]])
    truth = {k: exact(vectors, queries, k) for k in (10, 100)}
    with tempfile.TemporaryDirectory() as folder:
        ours(Path(folder), vectors, queries, truth)
        for ef in given.ef:
            print(f"the graphs alone, ef={ef}")
            usearch(Path(folder), vectors, queries, truth, ef)
            faiss(Path(folder), vectors, queries, truth, ef)


if __name__ == "__main__":
    main()
