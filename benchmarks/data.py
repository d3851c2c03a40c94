"""Seeded rankings and judgments of the shape of TREC Deep Learning (S) and of MS MARCO's dev queries (M).

Scores have four decimals, so that float32 and float64 order them alike. Ties are among unjudged documents only:
tools differ in the order of ties, and here every tool should find the same values.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

DEPTH = 1000
COLLECTION = 8_841_823  # passages of MS MARCO


@dataclass(frozen=True)
class Shape:
    queries: int
    judged: int  # per query
    top_grade: int
    depth: int = DEPTH


SHAPES = {"XS": Shape(20, 10, 3, 50), "S": Shape(50, 200, 3), "M": Shape(7000, 1, 1)}


def write(shape: Shape, folder: Path, *, seed: int = 20260101) -> None:
    """Write `qrels.txt` and `bm25.run` into the folder."""
    rng = np.random.default_rng(seed)
    folder.mkdir(parents=True, exist_ok=True)
    queries = rng.choice(1_100_000, shape.queries, replace=False).astype(str)
    docs = np.stack([_distinct(rng, shape.depth) for _ in queries])
    judged = _judged_places(rng, shape)
    scores = _scores(rng, judged)
    rows = pl.DataFrame(
        {
            "query": np.repeat(queries, shape.depth),
            "q0": pl.repeat("Q0", docs.size, eager=True),
            "doc": docs.ravel(),
            "rank": np.tile(np.arange(1, shape.depth + 1), shape.queries),
            "score": scores.ravel(),
            "tag": pl.repeat("bm25", docs.size, eager=True),
        }
    )
    rows.write_csv(folder / "bm25.run", separator=" ", include_header=False, float_precision=4)
    _qrels(rng, shape, queries, docs, judged).write_csv(folder / "qrels.txt", separator=" ", include_header=False)


def _distinct(rng: np.random.Generator, count: int) -> np.ndarray:
    drawn = np.unique(rng.integers(0, COLLECTION, count + 100))
    return rng.permutation(drawn)[:count]


def _judged_places(rng: np.random.Generator, shape: Shape) -> np.ndarray:
    """Which retrieved documents are judged, bool[queries, depth]: mostly near the top, a third not retrieved."""
    places = np.minimum(rng.exponential(shape.depth / 10, (shape.queries, shape.judged)), shape.depth - 1).astype(int)
    retrieved = rng.random(places.shape) < 2 / 3
    flags = np.zeros((shape.queries, shape.depth), dtype=bool)
    flags[np.nonzero(retrieved)[0], places[retrieved]] = True
    return flags


def _scores(rng: np.random.Generator, judged: np.ndarray) -> np.ndarray:
    """Falling scores, each judged document's its own, every fiftieth unjudged one tied with its neighbour."""
    steps = rng.geometric(1 / 250, judged.shape)
    alone = judged[:, 1:] | judged[:, :-1]
    steps[:, 1:][~alone & (rng.random(alone.shape) < 0.02)] = 0
    falling: np.ndarray = 300_000 + steps.sum(axis=1, keepdims=True) - np.cumsum(steps, axis=1)
    return falling / 10_000


def _qrels(
    rng: np.random.Generator, shape: Shape, queries: np.ndarray, docs: np.ndarray, judged: np.ndarray
) -> pl.DataFrame:
    query, place = np.nonzero(judged)
    missing = np.repeat(np.arange(shape.queries), np.maximum(shape.judged - judged.sum(axis=1), 0))
    found = pl.DataFrame({"query": query, "doc": docs[query, place].astype(str)})
    lost = pl.DataFrame({"query": missing, "doc": np.char.add("x", np.arange(len(missing)).astype(str))})
    pairs = pl.concat([found, lost]).sort("query", maintain_order=True)
    grades = rng.integers(-1 if shape.top_grade > 1 else 1, shape.top_grade + 1, len(pairs)).clip(0)
    grades[np.unique(pairs["query"].to_numpy(), return_index=True)[1]] = shape.top_grade
    return pl.DataFrame(
        {
            "query": queries[pairs["query"].to_numpy()],
            "zero": pl.repeat(0, len(pairs), eager=True),
            "doc": pairs["doc"],
            "grade": grades,
        }
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("size", choices=SHAPES)
    parser.add_argument("folder", type=Path)
    given = parser.parse_args()
    write(SHAPES[given.size], given.folder)
