"""Rank columns: followed where they decide, checked against the scores where they do not."""

from __future__ import annotations

import numpy as np
import polars as pl

from rankgauge.errors import Fault, FormatError
from rankgauge.formats._bytes import Source
from rankgauge.formats._rows import Faults, Rows
from rankgauge.records import Note
from rankgauge.records._columns import FloatArray, IntArray


def followed(rows: Rows, source: Source) -> tuple[FloatArray, IntArray | None, Note]:
    """Scores that put documents in the order of their ranks, the ranks where they have gaps, and a note.

    Ranks that start at 0 anywhere in the file are all raised by 1.

    Raises
    ------
    FormatError
        For ranks below 0, and for one rank twice within a query.
    """
    if rows.rank is None:
        raise FormatError(Fault(source.label, "a score or a rank", "neither", "name the column: columns="))
    ranks = rows.rank + 1 if int(rows.rank.min()) == 0 else rows.rank
    counts = _checked(rows, ranks)
    gaps = int((counts["last"] > counts["count"]).sum())
    said = "there are no scores: the rank column decides" if rows.value is None else "the rank column decides"
    if ranks is not rows.rank:
        said += "; ranks count from 0 and were raised by 1"
    if gaps:
        said += f"; in {gaps} queries ranks are left out, and documents keep the rank that is given"
    return -ranks.astype(np.float64), ranks if gaps else None, Note("rank as score", len(rows), said)


def _checked(rows: Rows, ranks: IntArray) -> pl.DataFrame:
    """Refuse ranks that cannot be ranks; return the count and the highest rank of each query."""
    faults = Faults()
    below = np.flatnonzero(ranks < 1)
    for where, row in zip(rows.locate(below[:100].tolist()), below, strict=False):
        faults.add(where, "a rank from 1, or from 0, on", repr(int(ranks[row])), "mend the rank")
    faults.total = len(below)
    faults.check()
    table = pl.DataFrame({"query": rows.query, "rank": ranks, "doc": rows.doc}).with_row_index("row")
    counts = table.group_by("query").agg(pl.len().alias("count"), pl.col("rank").max().alias("last"))
    distinct = table.select("query", "rank").n_unique()
    if distinct < len(table):
        _refuse_twice(rows, table)
    return counts


def _refuse_twice(rows: Rows, table: pl.DataFrame) -> None:
    # The same document twice is a duplicate, not a tie: that is told later, with its own policy.
    pairs = table.unique(["query", "rank", "doc"])
    ties = pairs.filter(pl.len().over("query", "rank") > 1).sort("row")
    groups = ties.group_by("query", "rank", maintain_order=True).agg("row")
    faults = Faults()
    for query, rank, group in groups.head(100).iter_rows():
        where = " and ".join(rows.locate(group[:3]))
        got = f"rank {rank} for {len(group)} documents"
        faults.add(where, f"each rank once in query {query!r}", got, "give a score column, or mend the ranks")
    faults.total = len(groups)
    faults.check()


def conflict_note(rows: Rows) -> Note | None:
    """Count neighbouring rows of a query whose rank and score rise together."""
    if rows.rank is None or rows.value is None or len(rows) < 2:
        return None
    rank, score = rows.rank, rows.value
    rise = (rank[1:] > rank[:-1]) & (score[1:] > score[:-1])
    together = rise | ((rank[1:] < rank[:-1]) & (score[1:] < score[:-1]))
    hashes = rows.query.hash().to_numpy()
    bad = np.flatnonzero(together & (hashes[1:] == hashes[:-1]))
    if not len(bad):
        return None
    return rank_conflict_note(len(bad), rows.locate([int(bad[0]) + 1])[0])


def rank_conflict_note(count: int, first: str) -> Note:
    """Word the note on a rank column that contradicts the scores."""
    said = f"in {count} places the rank column contradicts the scores (first at {first})"
    return Note("rank conflict", count, f"{said}: scores are used, as trec_eval does; order='rank' follows the ranks")
