"""Bringing runs together: one numbering of queries and documents for all of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from rankgauge.errors import EmptyInputError, Fault, InputError, MethodError, did_you_mean
from rankgauge.fusion._lists import Lists
from rankgauge.judged import IntArray
from rankgauge.records import Note, Run
from rankgauge.records._columns import HashArray, frozen, pair_keys
from rankgauge.records.notes import examples

AnyRun = Run | Mapping[Any, Mapping[Any, Any]]
AnyRuns = Sequence[AnyRun] | Mapping[str, AnyRun]


def as_list(runs: AnyRuns) -> list[Run]:
    """Take several runs, as a sequence or {name: run}; a run without any document stays, as an empty list.

    Raises InputError for one run where several were meant.
    """
    if isinstance(runs, Run) or (isinstance(runs, Mapping) and not all(_is_run(run) for run in runs.values())):
        raise InputError(Fault("runs", "several runs", "one", "pass [a, b] or {name: run}"))
    pairs: Iterable[tuple[str | None, AnyRun]] = (
        runs.items() if isinstance(runs, Mapping) else ((None, r) for r in runs)
    )
    found = [_as_run(run, name, number) for number, (name, run) in enumerate(pairs, start=1)]
    if not found:
        raise EmptyInputError(Fault("runs", "at least one run", "none"))
    return found


def _is_run(value: object) -> bool:
    return isinstance(value, Run) or (
        isinstance(value, Mapping) and all(isinstance(inner, Mapping) for inner in value.values())
    )


def _as_run(run: AnyRun, name: str | None, number: int) -> Run:
    if isinstance(run, Run):
        return run if name is None else run.named(name)
    called = f"run{number}" if name is None else name
    return Run.from_dict(run, name=called) if any(run.values()) else empty_run(called)


def empty_run(name: str) -> Run:
    """Make a run that returned nothing."""
    nothing = pl.Series([], dtype=pl.String)
    return Run(nothing, np.zeros(1, dtype=np.int64), nothing, np.zeros(0), name)


def collect(runs: Sequence[Run], *, lower_is_better: Sequence[str] | bool = ()) -> Lists:
    """Bring the lists of several runs together: union of queries, union of documents, ranks from 1.

    Raises
    ------
    EmptyInputError
        Where no run returned anything.
    MethodError
        For a name in `lower_is_better` that no run has.
    """
    ordered = [_in_order(run) for run in turned(runs, lower_is_better)]
    if not any(len(run) for run in ordered):
        raise EmptyInputError(Fault("runs", "at least one retrieved document", "none", "check that the systems ran"))
    queries = pl.concat([run.queries for run in ordered]).unique(maintain_order=True)
    number = dict(zip(queries, range(len(queries)), strict=True))
    numbers = [np.array([number[query] for query in run.queries], dtype=np.int64) for run in ordered]
    query = np.concatenate([np.repeat(n, np.diff(run.offsets)) for n, run in zip(numbers, ordered, strict=True)])
    docs = pl.concat([run.docs for run in ordered])
    keys = np.concatenate([pair_keys(run.doc_hash, run.offsets, n) for n, run in zip(numbers, ordered, strict=True)])
    first, doc = _candidates(keys, query, docs)
    return Lists(
        names=tuple(run.name for run in ordered),
        queries=queries,
        offsets=frozen(np.searchsorted(query[first], np.arange(len(queries) + 1))),
        docs=docs.gather(first),
        run=np.repeat(np.arange(len(ordered)), [len(run) for run in ordered]),
        query=query,
        doc=doc,
        rank=np.concatenate([_ranks(run) for run in ordered]),
        score=np.concatenate([run.scores for run in ordered]),
        sizes=(sizes := np.stack([_sizes(run, n, len(queries)) for n, run in zip(numbers, ordered, strict=True)])),
        notes=tuple(_remarks(ordered, queries, sizes)),
    )


def _ranks(run: Run) -> IntArray:
    """Rank of each row of an ordered run, from 1, or as it was given."""
    return run.row_place if run.ranks is None else run.ranks


def _sizes(run: Run, numbers: IntArray, Q: int) -> IntArray:
    """Length of each query's list, int64[Q]: the last rank where ranks were given."""
    sizes = np.zeros(Q, dtype=np.int64)
    sizes[numbers] = np.diff(run.offsets) if run.ranks is None else run.ranks[run.offsets[1:] - 1]
    return sizes


def turned(runs: Sequence[Run], lower_is_better: Sequence[str] | bool) -> list[Run]:
    """Negate the scores of runs whose lower scores are better."""
    if isinstance(lower_is_better, bool):
        return [replace(run, scores=-run.scores) if lower_is_better else run for run in runs]
    named = [lower_is_better] if isinstance(lower_is_better, str) else lower_is_better
    known = {run.name for run in runs}
    for name in named:
        if name not in known:
            raise MethodError(f"lower_is_better names no run {name!r}{did_you_mean(name, known)}")
    return [replace(run, scores=-run.scores) if run.name in named else run for run in runs]


def _in_order(run: Run) -> Run:
    """Order each query's documents, unless they fall without a tie already."""
    falling = run.scores[1:] < run.scores[:-1]
    falling[run.offsets[1:-1] - 1] = True
    return run if run.ranks is None and len(run) and falling.all() else run.ranked()


def _candidates(keys: HashArray, query: IntArray, docs: pl.Series) -> tuple[IntArray, IntArray]:
    """First row of each (query, document) pair, by query, and the number of each row's pair."""
    first, inverse = _distinct(keys)
    if (query[first][inverse] != query).any() or (docs.gather(first[inverse]) != docs).any():
        exact = docs.rank("dense").cast(pl.Int64).to_numpy()  # two pairs have one key by accident
        first, inverse = _distinct(query * len(docs) + exact - 1)
    by_query = np.argsort(query[first] * len(docs) + first)
    number = np.empty(len(first), dtype=np.int64)
    number[by_query] = np.arange(len(first))
    return first[by_query], number[inverse]


def _distinct(keys: HashArray | IntArray) -> tuple[IntArray, IntArray]:
    """First row of each distinct key, and the number of each row's key; much faster than np.unique."""
    order = np.argsort(keys)
    new = np.append(True, np.diff(keys[order]) != 0)
    inverse = np.empty(len(keys), dtype=np.int64)
    inverse[order] = np.cumsum(new) - 1
    return np.minimum.reduceat(order, np.flatnonzero(new)), inverse


def _remarks(runs: Sequence[Run], queries: pl.Series, sizes: IntArray) -> Iterator[Note]:
    """What the runs' own notes say, which runs are empty, and which lack queries of the others."""
    for run, size in zip(runs, sizes, strict=True):
        yield from run.notes
        missing = queries.filter(pl.Series(size == 0))
        if not len(run):
            yield Note("empty run", 1, f"run {run.name!r} is empty: it changes nothing")
        elif len(missing):
            text = f"run {run.name!r} lacks {len(missing)} of {len(queries)} queries ({examples(missing)})"
            yield Note("missing queries", len(missing), f"{text}: they are fused from the other runs")
