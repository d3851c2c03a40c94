"""Orders of tied documents: all that differ, or a sample of them where there are too many."""

from __future__ import annotations

import itertools
import math
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from rankgauge.engines import subtopics
from rankgauge.judged import BoolArray, FloatArray, IntArray, JudgedRun, Judgments, Subtopics

MOST_ORDERS = 2_000
ROWS_AT_ONCE = 1_000_000


@dataclass(frozen=True)
class Orders:
    """Orders of the ties of some queries, as one ranking in which every order is a query of its own.

    Attributes
    ----------
    judged : the ranking, with E queries
    query : int64[E], the query that each order belongs to; orders of a query lie together, equally likely
    sampled : bool[E], whether the orders of the query are a sample
    """

    judged: JudgedRun
    query: IntArray
    sampled: BoolArray


def orders(judged: JudgedRun, *, depth: int | None, seed: int) -> Iterator[Orders]:
    """Go through the queries that have ties among their first `depth` documents, some queries at a time.

    Documents of a tie that have the same grade are one kind, and so are the unjudged; orders that differ in
    kinds only are counted once. With subtopics every judged document is a kind of its own. A sample depends
    on the seed and on the query's own ties, not on other queries.
    """
    tied = judged.last > judged.first
    if depth is not None:
        tied &= judged.first <= depth
    batch: list[_Ordered] = []
    for query in np.unique(judged.query[tied]):
        batch.append(_order(judged, int(query), tied, seed))
        if sum(one.size for one in batch) > ROWS_AT_ONCE:
            yield _joined(judged, batch)
            batch = []
    if batch:
        yield _joined(judged, batch)


@dataclass(frozen=True)
class _Ordered:
    """One query: its rows `low` to `high` of the ranking, and their rank in each of n orders, int64[n, rows].

    `pairs` is how many judged pairs of documents and subtopics it has.
    """

    query: int
    low: int
    high: int
    rank: IntArray
    sampled: bool
    pairs: int

    @property
    def size(self) -> int:
        return len(self.rank) * max(1, self.high - self.low, self.pairs)


@dataclass(frozen=True)
class _Tie:
    """The judged documents of one tie: their rows within the query, by kind, and how many there are of each."""

    rows: IntArray
    first: int
    size: int
    counts: tuple[int, ...]

    @property
    def arrangements(self) -> int:
        left, ways = self.size, 1
        for count in self.counts:
            ways *= math.comb(left, count)
            left -= count
        return ways


def _order(judged: JudgedRun, query: int, tied: BoolArray, seed: int) -> _Ordered:
    low, high = np.searchsorted(judged.query, [query, query + 1])
    ties = [_tie(judged, low, rows) for rows in _by_first(judged, low, high, tied)]
    sampled = math.prod(tie.arrangements for tie in ties) > MOST_ORDERS
    places = _sample(ties, judged, slice(low, high), seed) if sampled else _all(ties)
    rank = np.repeat(judged.rank[None, low:high], len(places[0]), axis=0)
    for tie, place in zip(ties, places, strict=True):
        rank[:, tie.rows] = tie.first + place
    pairs = 0 if judged.subtopics is None else int((judged.subtopics.query == query).sum())
    return _Ordered(query, int(low), int(high), rank, sampled, pairs)


def _by_first(judged: JudgedRun, low: int, high: int, tied: BoolArray) -> Iterator[IntArray]:
    """Rows of each tie of a query, which lie together."""
    rows = low + np.flatnonzero(tied[low:high])
    return iter(np.split(rows, np.flatnonzero(np.diff(judged.first[rows])) + 1))


def _tie(judged: JudgedRun, low: int, rows: IntArray) -> _Tie:
    rows = rows[np.argsort(judged.grade[rows], kind="stable")]
    kinds = np.unique(judged.grade[rows], return_counts=True)[1].tolist()
    counts = tuple(kinds) if judged.subtopics is None else (1,) * len(rows)
    first, last = int(judged.first[rows[0]]), int(judged.last[rows[0]])
    return _Tie(rows - low, first, last - first + 1, counts)


@lru_cache(maxsize=1024)
def _arrangements(size: int, counts: tuple[int, ...]) -> IntArray:
    """Every way to put kinds of so many documents on `size` places, int64[n, documents], places from 0."""
    found: list[tuple[int, ...]] = [()]
    for count in counts:
        found = [
            (*taken, *chosen)
            for taken in found
            for chosen in itertools.combinations([p for p in range(size) if p not in taken], count)
        ]
    return np.array(found, dtype=np.int64)


def _all(ties: Sequence[_Tie]) -> list[IntArray]:
    each = [_arrangements(tie.size, tie.counts) for tie in ties]
    picks = np.indices([len(one) for one in each]).reshape(len(each), -1)
    return [one[pick] for one, pick in zip(each, picks, strict=True)]


def _sample(ties: Sequence[_Tie], judged: JudgedRun, rows: slice, seed: int) -> list[IntArray]:
    own = b"".join(column[rows].tobytes() for column in (judged.first, judged.last, judged.grade))
    rng = np.random.default_rng([seed, zlib.crc32(own)])
    return [rng.permuted(np.tile(np.arange(t.size), (MOST_ORDERS, 1)), axis=1)[:, : len(t.rows)] for t in ties]


def _joined(judged: JudgedRun, batch: Sequence[_Ordered]) -> Orders:
    sizes = [len(one.rank) for one in batch]
    query = np.repeat([one.query for one in batch], sizes)
    starts = np.cumsum([0, *sizes])
    columns = [_rows(judged, one, int(start)) for one, start in zip(batch, starts[:-1], strict=True)]
    number, row, rank = (np.concatenate(column) for column in zip(*columns, strict=True))
    ranking = replace(
        judged, query=number, grade=judged.grade[row], known=judged.known[row], rank=rank, first=rank, last=rank,
        depth=judged.depth[query], judgments=_judgments(judged.judgments, query),
        candidates=None if judged.candidates is None else _judgments(judged.candidates, query),
        subtopics=None if judged.subtopics is None else _subtopics(judged, judged.subtopics, batch, query),
    )  # fmt: skip
    return Orders(ranking, query, np.repeat([one.sampled for one in batch], sizes))


def _rows(judged: JudgedRun, one: _Ordered, start: int) -> tuple[IntArray, IntArray, IntArray]:
    """Number of the order, row of the ranking and rank of every document, by order and rank."""
    by_rank = np.argsort(one.rank, axis=1, kind="stable")
    number = np.repeat(start + np.arange(len(one.rank)), one.high - one.low)
    return number, (one.low + by_rank).ravel(), np.take_along_axis(one.rank, by_rank, axis=1).ravel()


def _judgments(known: Judgments, query: IntArray) -> Judgments:
    low, high = np.searchsorted(known.query, query), np.searchsorted(known.query, query + 1)
    number, row = subtopics.stretches(low, high)
    return Judgments(number, known.grade[row], len(query), known.top_grade)


def _subtopics(judged: JudgedRun, known: Subtopics, batch: Sequence[_Ordered], query: IntArray) -> Subtopics:
    ranks: list[IntArray] = []
    for one in batch:
        low, high = np.searchsorted(known.query, [one.query, one.query + 1])
        before = known.rank[low:high]
        found = np.flatnonzero(before > 0)
        at = np.searchsorted(judged.rank[one.low : one.high], before[found])
        rank = np.repeat(before[None, :], len(one.rank), axis=0)
        rank[:, found] = one.rank[:, at]
        ranks.append(rank.ravel())
    return replace(subtopics.repeated(known, query), rank=np.concatenate(ranks))


def mean_and_error(values: FloatArray, found: Orders, Q: int) -> tuple[FloatArray, FloatArray]:
    """Mean of each query's orders, and its standard error (0 where all orders were seen), float64[Q] each."""
    new = np.append(True, found.query[1:] != found.query[:-1])
    base = values[np.flatnonzero(new)][np.cumsum(new) - 1]
    count = np.maximum(np.bincount(found.query, minlength=Q), 1)
    offset = np.zeros(Q)
    offset[found.query] = base  # orders that all give one value have that value as mean, to the bit
    mean = offset + np.bincount(found.query, weights=values - base, minlength=Q) / count
    square = np.bincount(found.query, weights=(values - mean[found.query]) ** 2, minlength=Q)
    sampled = np.bincount(found.query, weights=found.sampled, minlength=Q) > 0
    return mean, np.where(sampled, np.sqrt(square / np.maximum(count - 1, 1) / count), 0.0)
