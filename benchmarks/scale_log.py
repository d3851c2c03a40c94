"""A seeded log of rankings with grades on the rows, as parquet of any size, written in bounded memory.

    python benchmarks/scale_log.py --million-rows 10 --data FOLDER

A row is a document that a ranker showed: query_id, document_id, model_rank (1 to 50 in each query) and
relevance_score (0 to 3; none where nobody judged, more often further down). Documents follow Zipf's law and are
distinct within a query; queries differ in how much there is to find: some have nothing relevant, and some were not
judged at all. A smaller log is the beginning of a larger one.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

DEPTH = 50
BLOCK = 20_000  # queries: a row group of one million rows
GROUPS = 5  # row groups of a file
CATALOGUE = 5_000_000  # documents
STRENGTH = 1.2  # of the ranker: what its scores know of the documents' worth, in units of its noise
STEPS = (0.9, 1.5, 2.1)  # worth from which a document has grade 1, 2, 3
UNJUDGED_QUERIES = 0.02
SEED = 20260626

Ints = np.ndarray[tuple[int, ...], np.dtype[np.int64]]


def log(folder: Path, rows: int, *, scattered: bool = False) -> Path:
    """Return the folder of a log of so many rows, written if it is not there yet."""
    place = folder / f"log-{rows}{'-scattered' if scattered else ''}"
    if place.exists():
        return place
    beside = place.with_name(f".{place.name}")
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir(parents=True)
    if scattered:
        _scatter(log(folder, rows), beside)
    else:
        _write(beside, rows // DEPTH)
    beside.rename(place)
    return place


def block(number: int, queries: int = BLOCK, *, strength: float = STRENGTH, seed: int = SEED) -> pl.DataFrame:
    """Rows of one block's queries, those of a query together and in order of their ranks."""
    rng = np.random.default_rng([seed, number])
    wealth = rng.normal(0, 0.5, (queries, 1))
    worth = rng.normal(size=(queries, DEPTH)) + wealth
    order = np.argsort(-(strength * worth + rng.normal(size=worth.shape)), axis=1)
    grade = np.searchsorted(STEPS, np.take_along_axis(worth, order, axis=1), side="right")
    ranks = np.arange(1, DEPTH + 1)
    judged = rng.random(grade.shape) < 0.95 - 0.6 * ranks / DEPTH
    judged &= rng.random((queries, 1)) >= UNJUDGED_QUERIES
    names = (np.arange(queries) + number * BLOCK) * 2_654_435_761 % 2**32  # one to one below 2**32: no two alike
    return pl.DataFrame(
        {
            "query_id": pl.Series(np.repeat(names, DEPTH)).cast(pl.String),
            "document_id": pl.Series(_distinct(rng, queries).ravel()).cast(pl.String),
            "model_rank": pl.Series(np.tile(ranks, queries), dtype=pl.Int32),
            "relevance_score": pl.Series(grade.ravel(), dtype=pl.Int32),
            "judged": judged.ravel(),
        }
    ).select(
        pl.format("q{}", "query_id").alias("query_id"),
        pl.format("doc-{}", pl.col("document_id").str.zfill(7)).alias("document_id"),
        "model_rank",
        pl.when("judged").then("relevance_score").alias("relevance_score"),
    )


def _distinct(rng: np.random.Generator, queries: int) -> Ints:
    """Documents of each query, int64[queries, DEPTH]: by Zipf's law, a second draw of one replaced by any other."""
    docs = np.exp(rng.random((queries, DEPTH)) * np.log(CATALOGUE)).astype(np.int64)
    while True:
        order = np.argsort(docs, axis=1, kind="stable")
        ordered = np.take_along_axis(docs, order, axis=1)
        query, place = np.nonzero(ordered[:, 1:] == ordered[:, :-1])
        if not len(query):
            return docs
        docs[query, order[query, place + 1]] = rng.integers(1, CATALOGUE, len(query))


def _write(folder: Path, queries: int) -> None:
    numbers = [*range(-(-queries // BLOCK))]
    for part, first in enumerate(numbers[::GROUPS]):
        some = numbers[first : first + GROUPS]
        frame = pl.concat(block(number) for number in some).head(queries * DEPTH - first * BLOCK * DEPTH)
        _save(frame, folder / f"part-{part:05}.parquet")


def _scatter(log: Path, folder: Path, parts: int = DEPTH) -> None:
    """Deal the rows of a log to files like cards, so that each file has at most one row of a query."""
    for part in range(parts):
        dealt = [frame.gather_every(parts, part) for frame in blocks(log)]
        _save(pl.concat(dealt), folder / f"part-{part:05}.parquet")


def blocks(log: Path) -> Iterator[pl.DataFrame]:
    """The row groups of a log, one after the other."""
    for path in sorted(log.glob("*.parquet")):
        rows = pl.scan_parquet(path).select(pl.len()).collect().item()
        for start in range(0, rows, BLOCK * DEPTH):
            yield pl.scan_parquet(path).slice(start, BLOCK * DEPTH).collect()


def _save(frame: pl.DataFrame, path: Path) -> None:
    frame.write_parquet(path, compression="snappy", row_group_size=BLOCK * DEPTH)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--million-rows", type=float, default=1)
    parser.add_argument("--data", type=Path, required=True, help="where logs are kept from run to run")
    parser.add_argument("--scattered", action="store_true", help="no two rows of a query in one file")
    given = parser.parse_args()
    print(log(given.data, round(given.million_rows * 1e6), scattered=given.scattered))


if __name__ == "__main__":
    main()
