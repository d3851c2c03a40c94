"""From a retriever and queries to a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import polars as pl

from rankgauge.errors import MethodError
from rankgauge.fusion import empty_run
from rankgauge.records import Note, Run
from rankgauge.records._columns import Groups
from rankgauge.records.notes import examples
from rankgauge.retrieval.protocols import Hits, Retriever

Progress = Callable[[int, int], None]


def retrieve(
    retriever: Retriever,
    queries: Mapping[str, str],
    k: int,
    *,
    name: str | None = None,
    allowed: frozenset[str] | None = None,
    progress: Progress | None = None,
) -> Run:
    """Search for every query, and return the hits as a run, in the retriever's order.

    Queries that find nothing are not in the run; they are counted in its notes.

    Raises MethodError for a k below 1.
    """
    if k < 1:
        raise MethodError(f"k: expected 1 or more, got {k}")
    hits: dict[str, Hits] = {}
    for number, (query, text) in enumerate(queries.items(), 1):
        hits[query] = retriever.search(text, k, allowed=allowed)
        if progress is not None:
            progress(number, len(queries))
    return run_of(hits, name=name or retriever.name)


def hits_of(run: Run) -> dict[str, Hits]:
    """Take each query's list out of a run: the reverse of `run_of`."""
    ranked = run.ranked()
    ends = zip(ranked.queries, ranked.offsets[:-1].tolist(), ranked.offsets[1:].tolist(), strict=True)
    return {query: Hits(tuple(ranked.docs[low:high].to_list()), ranked.scores[low:high]) for query, low, high in ends}


def run_of(hits: Mapping[str, Hits], *, name: str) -> Run:
    """Make a run of each query's hits."""
    found = {query: got for query, got in hits.items() if len(got)}
    notes = []
    if lacking := [query for query in hits if query not in found]:
        text = f"{len(lacking)} of {len(hits)} queries found nothing: {examples(lacking)}"
        notes.append(Note("queries without hits", len(lacking), text))
    if not found:
        run = empty_run(name)
        return Run(run.queries, run.offsets, run.docs, run.scores, name, tuple(notes))
    offsets = np.concatenate([[0], np.cumsum([len(got) for got in found.values()])]).astype(np.int64)
    docs = pl.Series([doc for got in found.values() for doc in got.docs], dtype=pl.String)
    scores = np.concatenate([got.scores for got in found.values()]).astype(np.float64)
    groups = Groups(pl.Series(list(found), dtype=pl.String), offsets, None)
    return Run.from_groups(groups, docs, scores, name=name, notes=notes)
