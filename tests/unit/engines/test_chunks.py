"""Chunks of whole rankings, hashes of those that were scored, and the budget in rows."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgauge.engines.budget import NO_BOUND, budget, bytes_of
from rankgauge.engines.chunks import Chunk, Closed, NotGrouped, Place, ahead, whole_rankings
from rankgauge.errors import InputError


class Letters:
    """Pieces whose rows are letters: each is a query."""

    def __init__(self, *pieces: str) -> None:
        self.pieces = [pl.DataFrame({"query": list(piece)}, schema={"query": pl.String}) for piece in pieces]

    def batches(self, piece: int, *, start: int = 0, rows: int) -> Iterator[pl.DataFrame]:
        yield from self.pieces[piece][start:].iter_slices(rows)


def chunks(source: Letters, rows: int, start: Place = Place()) -> list[tuple[str, Place, bool]]:  # noqa: B008
    found = whole_rankings(source, range(len(source.pieces)), ["query"], rows=rows, start=start)
    return [("".join(chunk.rows["query"]), chunk.after, chunk.last) for chunk in found]


def test_the_last_ranking_of_a_batch_waits_for_the_next_also_across_files():
    assert chunks(Letters("aab", "bbc", "", "cd"), 3) == [
        ("aa", Place(0, 2), False),
        ("bbb", Place(1, 2), False),
        ("cc", Place(3, 1), False),
        ("d", Place(4, 0), True),
    ]


def test_a_ranking_longer_than_a_batch_stays_whole():
    assert chunks(Letters("abbbbbb", "bc"), 2) == [
        ("a", Place(0, 1), False),
        ("bbbbbbb", Place(1, 1), False),
        ("c", Place(2, 0), True),
    ]


@given(st.lists(st.text("abc", max_size=12), min_size=1, max_size=4), st.integers(1, 8))
def test_chunks_hold_every_row_once_and_begin_where_the_one_before_ended(pieces, rows):
    source = Letters(*pieces)
    found = chunks(source, rows)
    assert "".join(text for text, _, _ in found) == "".join(pieces)
    for (text, after, _), (following, _, _) in itertools.pairwise(found):
        assert text[-1] != following[0]
        assert "".join(rest for rest, _, _ in chunks(source, rows, after)) == "".join(
            rest for rest, _, _ in found[found.index((text, after, False)) + 1 :]
        )


def closed_after(*texts: str, most: int | None = None) -> int:
    """How many of these chunks pass until a query comes back."""
    closed = Closed(["query"], most)
    for number, text in enumerate(texts):
        try:
            closed.close(Chunk(pl.DataFrame({"query": list(text)}), Place(), last=number == len(texts) - 1))
        except NotGrouped:
            return number
    return len(texts)


@pytest.mark.parametrize(
    ("texts", "passed"),
    [
        (("aab", "cd", "e"), 3),
        (("aab", "cd", "a"), 2),
        (("aba", "c"), 0),  # seen in the first batch
        (("aba",), 1),  # one batch holds everything
        (("ab", "cdc"), 1),
    ],
)
def test_a_query_that_comes_back_is_noticed(texts, passed):
    assert closed_after(*texts) == passed


def test_too_many_queries_to_remember_are_parted_too():
    assert closed_after("ab", "cd", "e", most=4) == 2


def test_many_batches_are_remembered_in_few_arrays():
    closed = Closed(["query"])
    hashes = np.random.default_rng(1).permutation(5000).astype(np.uint64)
    for some in np.split(hashes, 100):
        closed.add(np.sort(some))
    assert len(closed) == 5000
    assert len(closed._runs) <= 8
    for one in (hashes[0], hashes[2500], hashes[-1]):
        with pytest.raises(NotGrouped):
            closed.add(np.array([one]))


def test_what_is_fetched_ahead_comes_in_order_and_errors_come_where_they_happened():
    assert list(ahead(range(5))) == [0, 1, 2, 3, 4]

    def failing() -> Iterator[int]:
        yield 1
        raise ValueError("broken")

    taken = ahead(failing())
    assert next(taken) == 1
    with pytest.raises(ValueError, match="broken"):
        next(taken)


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("2GB", 2 << 30),
        ("500MB", 500 << 20),
        ("1.5 GiB", 3 << 29),
        ("1t", 1 << 40),
        (1 << 30, 1 << 30),
        ("268435456", 1 << 28),
    ],
)
def test_memory_is_read_in_powers_of_1024(text, amount):
    assert bytes_of(text) == amount


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("lots", "memory: expected an amount such as 2GB or 500MB, got 'lots'"),
        ("-2GB", "an amount such as"),
        ("100MB", "memory: expected 256MB or more, got '100MB'; less does not hold a batch"),
        (4096, "256MB or more"),
    ],
)
def test_an_amount_that_is_none_or_too_small_is_refused(text, message):
    with pytest.raises(InputError, match=message):
        bytes_of(text)


def test_more_memory_is_more_rows_up_to_a_million_and_long_ids_are_fewer():
    short = pl.DataFrame({"query": ["q"] * 100, "doc": ["d"] * 100})
    long = pl.DataFrame({"query": ["q" * 500] * 100, "doc": ["d" * 500] * 100})
    rows = [budget(memory, short).rows for memory in (1 << 28, 1 << 29, 1 << 34)]
    assert rows[0] < rows[1] <= rows[2] == 1_000_000
    assert budget(1 << 28, long).rows < rows[0]
    assert budget(1 << 34, short).most > 1_000_000
    assert budget(None, short) == NO_BOUND
