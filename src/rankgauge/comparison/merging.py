"""New judgments into old ones: nothing is overwritten in silence, and each label keeps its source."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import polars as pl

from rankgauge.errors import DuplicateError, Fault, InputError
from rankgauge.records import Note, Qrels
from rankgauge.records.notes import examples

OnConflict = Literal["error", "keep", "replace"]
POOLED = -1
KEY = ["query", "doc"]


@dataclass(frozen=True, eq=False)
class MergedQrels:
    """Judgments after new ones were added.

    Attributes
    ----------
    qrels : old and new
    provenance : query, doc, grade, source, replaced: for each judgment its source, and the grade that it replaced
        where it did
    notes : what was added, agreed, kept or replaced
    """

    qrels: Qrels = field(repr=False)
    provenance: pl.DataFrame = field(repr=False)
    notes: tuple[Note, ...]


def merge_qrels(
    qrels: Qrels,
    pool: Qrels,
    *,
    source: str,
    on_conflict: OnConflict = "error",
    provenance: pl.DataFrame | None = None,
) -> MergedQrels:
    """Add the judgments of a pool to others.

    A document of the pool with the grade -1 is not judged yet, and one with -1 in the old judgments may get a grade.

    Parameters
    ----------
    source : where the new judgments come from, as "human:round2" or "llm:model:prompt"
    on_conflict : for another grade than before: "error", "keep" the old one, or "replace" it; both are counted
    provenance : of the old judgments, as an earlier merge gave it; None: their source is the old qrels' name

    Raises
    ------
    DuplicateError
        For documents with another grade than before, unless `on_conflict` says what holds.
    InputError
        For judgments by subtopic, and for an empty source.

    >>> old, new = Qrels.from_dict({"q": {"a": 1}}, name="old"), Qrels.from_dict({"q": {"b": 2}})
    >>> merged = merge_qrels(old, new, source="human:round2")
    >>> merged.qrels.to_dict(), merged.provenance["source"].to_list()
    ({'q': {'a': 1.0, 'b': 2.0}}, ['old', 'human:round2'])
    """
    if not source.strip():
        raise InputError(Fault("source", "where the new judgments come from", "nothing", "as human:round2"))
    _refuse_subtopics(qrels, pool)
    old = _with_sources(qrels, provenance)
    given = pool.to_polars()
    new = given.filter(pl.col("grade") != POOLED)
    both = new.join(old.select(*KEY, before="grade"), on=KEY, maintain_order="left")
    clash = both.filter((pl.col("grade") != pl.col("before")) & (pl.col("before") != POOLED))
    if len(clash) and on_conflict == "error":
        raise DuplicateError(_faults(clash, qrels, pool), total=len(clash))
    if on_conflict != "replace":
        new = new.join(clash, on=KEY, how="anti", maintain_order="left")
    agreed = both.filter(pl.col("grade") == pl.col("before"))
    added = new.join(agreed, on=KEY, how="anti", maintain_order="left")
    merged = _put_together(old, added, clash, source)
    result = Qrels.from_columns(merged["query"], merged["doc"], merged["grade"], name=qrels.name)
    counts = _notes(given, new, added, agreed, clash, on_conflict)
    return MergedQrels(result, merged, (*_stale(qrels, provenance), *counts))


def _refuse_subtopics(qrels: Qrels, pool: Qrels) -> None:
    for one in (qrels, pool):
        if one.subtopics is not None:
            advice = "merge judgments without subtopics"
            raise InputError(Fault(f"qrels {one.name!r}", "one grade per document", "subtopics", advice))


def _with_sources(qrels: Qrels, provenance: pl.DataFrame | None) -> pl.DataFrame:
    old = qrels.to_polars()
    if provenance is None:
        provenance = pl.DataFrame(
            schema={"query": pl.String, "doc": pl.String, "source": pl.String, "replaced": pl.Float64}
        )
    known = provenance.select(*KEY, "source", "replaced")
    return old.join(known, on=KEY, how="left", maintain_order="left").with_columns(
        pl.col("source").fill_null(qrels.name)
    )


def _put_together(old: pl.DataFrame, added: pl.DataFrame, clash: pl.DataFrame, source: str) -> pl.DataFrame:
    """Old rows, those that change in their place, then new ones; queries in the order in which they came."""
    replaced = added.join(clash.select(*KEY, "before"), on=KEY, how="left", maintain_order="left")
    new = replaced.select(*KEY, "grade", source=pl.lit(source), replaced="before")
    changed = old.select(KEY).join(new, on=KEY, how="inner", maintain_order="left")
    kept = old.join(changed, on=KEY, how="anti", maintain_order="left")
    whole = pl.concat([kept, new], how="vertical")
    place = old.select(KEY).with_row_index("place")
    order = pl.concat([old.select("query"), new.select("query")]).unique(maintain_order=True).with_row_index("group")
    placed = whole.join(order, on="query", maintain_order="left").join(place, on=KEY, how="left", maintain_order="left")
    return placed.sort("group", "place", nulls_last=True, maintain_order=True).drop("group", "place")


def _faults(clash: pl.DataFrame, qrels: Qrels, pool: Qrels) -> list[Fault]:
    advice = 'look at both, then pass on_conflict="keep" or "replace"'
    return [
        Fault(
            f"qrels {pool.name!r}, query {row['query']!r}, document {row['doc']!r}",
            f"the grade that {qrels.name!r} has, {row['before']:g}",
            f"{row['grade']:g}",
            advice,
        )
        for row in clash.head(100).iter_rows(named=True)
    ]


def _notes(
    given: pl.DataFrame,
    new: pl.DataFrame,
    added: pl.DataFrame,
    agreed: pl.DataFrame,
    clash: pl.DataFrame,
    on_conflict: OnConflict,
) -> list[Note]:
    open_ = int((given["grade"] == POOLED).sum())
    replaced = len(clash) if on_conflict == "replace" else 0
    fresh = len(added) - replaced
    said = [Note("added", fresh, f"{fresh} judgments were added")]
    if len(agreed):
        said.append(Note("agreed", len(agreed), f"{len(agreed)} judgments were there before, with the same grade"))
    if len(clash):
        named = examples(f"{query}/{doc}" for query, doc in clash.select(KEY).rows())
        verb = "replaced" if replaced else "left out, the old ones kept"
        said.append(Note(f"conflicts {on_conflict}", len(clash), f"{len(clash)} other grades were {verb}: {named}"))
    if open_:
        said.append(Note("not judged", open_, f"{open_} documents of the pool have no grade yet"))
    return said


def _stale(qrels: Qrels, provenance: pl.DataFrame | None) -> list[Note]:
    """Say where judgments are no longer those that the provenance speaks of."""
    if provenance is None:
        return []
    both = qrels.to_polars().join(provenance.select(*KEY, told="grade"), on=KEY)
    other = int((both["grade"] != both["told"]).sum())
    text = f"{other} judgments have another grade than their provenance says: the file was changed in between"
    return [Note("provenance", other, text)] if other else []
