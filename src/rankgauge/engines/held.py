"""Judgments that come apart from the rankings: held in memory, a batch's share of them, and those never asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from rankgauge.engines import batch
from rankgauge.engines.parts import Group
from rankgauge.engines.plan import DOC, GRADE, QUERY, RANK, SCORE, Plan
from rankgauge.engines.subtopics import stretches
from rankgauge.records._columns import HashArray


@dataclass(frozen=True, eq=False)
class Judged:
    """Judgments in order of their queries' hashes.

    Attributes
    ----------
    rows : by... (or none of them), query, doc, grade
    hashes : uint64[n], ascending
    keys : columns that tell which ranking a judgment is for
    """

    rows: pl.DataFrame
    hashes: HashArray
    keys: tuple[str, ...]

    @classmethod
    def of(cls, rows: pl.DataFrame, by: Sequence[str]) -> Judged:
        """Take judgments in any order; those of one query keep theirs."""
        keys = tuple(name for name in (*by, QUERY) if name in rows.columns)
        hashes = rows.select(keys).hash_rows().to_numpy()
        order = np.argsort(hashes, kind="stable")
        return cls(rows.select(*keys, DOC, GRADE)[order], hashes[order], keys)

    def __len__(self) -> int:
        return len(self.rows)

    def share(self, rankings: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame | None:
        """Return the judgments for these rankings, each with its ranking's group; None where there are none."""
        wanted = rankings.select(*by, QUERY).unique(maintain_order=True)
        hashes = np.unique(wanted.select(self.keys).hash_rows().to_numpy())
        low, high = (np.searchsorted(self.hashes, hashes, side=side) for side in ("left", "right"))
        near = self.rows[stretches(low, high)[1]]
        found = near.join(wanted, on=list(self.keys), nulls_equal=True, maintain_order="left_right")
        return found.select(*by, QUERY, DOC, GRADE) if len(found) else None

    def never_asked(self, group: Group, by: Sequence[str], seen: pl.DataFrame) -> NeverAsked:
        """Find the judgments that hold in a group, for queries without rankings there; `seen`: those with any."""
        key = dict(zip(by, group, strict=True))
        rows = only(self.rows, {name: value for name, value in key.items() if name in self.keys})
        return NeverAsked(group, rows.join(seen.select(QUERY), on=QUERY, how="anti", maintain_order="left"))


@dataclass(frozen=True)
class NeverAsked:
    """Judgments of one group for queries without rankings."""

    group: Group
    rows: pl.DataFrame

    def tables(self, plan: Plan, most: int) -> Iterator[pl.DataFrame]:
        """Score them as missing, about so many rows at a time."""
        rows = self.rows.select(QUERY, DOC, GRADE)
        begins = np.flatnonzero((rows[QUERY] != rows[QUERY].shift()).fill_null(True).to_numpy())
        start = 0
        while start < len(rows):
            at = int(np.searchsorted(begins, start + most))
            end = int(begins[at]) if at < len(begins) else len(rows)
            table = batch.score(no_rows(plan), plan.but(by=()), rows[start:end])
            yield batch.named(table, plan.by, self.group)
            start = end


def no_rows(plan: Plan) -> pl.DataFrame:
    """Return rankings without a row, `by` left out."""
    order = {RANK: pl.Int64} if plan.order == "rank" else {SCORE: pl.Float64}
    return pl.DataFrame(schema={QUERY: pl.String, DOC: pl.String} | order | {GRADE: pl.Float64})


def groups_of(frame: pl.DataFrame, by: Sequence[str]) -> list[Group]:
    """List the groups that a frame has, in order of their first rows; one without columns to part by."""
    return list(frame.select(by).unique(maintain_order=True).iter_rows()) if by else [()] * bool(len(frame))


def only(frame: pl.DataFrame, key: Mapping[str, str | None]) -> pl.DataFrame:
    """Keep the rows with these values."""
    for name, value in key.items():
        frame = frame.filter(pl.col(name).eq_missing(pl.lit(value, pl.String)))
    return frame
