"""Checks of the runs: too short, tied, identical to another, or too good to be true."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import polars as pl

from rankgauge.checkup.evidence import Evidence
from rankgauge.checkup.findings import Severity
from rankgauge.checkup.registry import Found, Skipped, check, weigh
from rankgauge.checkup.wording import many, percent, queries
from rankgauge.judged import BoolArray, IntArray, JudgedRun
from rankgauge.records import Run
from rankgauge.records.notes import examples


@check(
    do="ask the system for at least as many results as the cutoff: the ranks that are empty count as not relevant",
    finds=("warning", "info"),
    needs=("runs",),
)
def short_results(e: Evidence) -> Iterator[Found]:
    """Queries with fewer results than the deepest requested cutoff."""
    cutoff = max((m.cutoff for m in e.measures if m.cutoff is not None), default=e.cutoff)
    for run, judged in zip(e.runs, e.judged, strict=True):
        given = judged.depth > 0
        short, at_first = given & (judged.depth < cutoff), given & (judged.depth < e.cutoff)
        count, of = int(short.sum()), int(given.sum())
        share = int(at_first.sum()) / of if of else 0.0
        severity: Severity = "warning" if share > e.limits.short_results else "info" if count else "ok"
        says = f"run {run.name!r}: {queries(count)} of {of:,} with fewer than {cutoff} results"
        if cutoff != e.cutoff and count:
            says += f", {int(at_first.sum()):,} with fewer than {e.cutoff}"
        yield Found(severity, count, of, says, _shortest(e, judged, short) if count else "", run.name)


def _shortest(e: Evidence, judged: JudgedRun, short: BoolArray) -> str:
    least = int(np.where(short, judged.depth, np.iinfo(np.int64).max).argmin())
    return f"query {e.name(least)!r} has {many(int(judged.depth[least]), 'result')}"


@check(do="find out why the system returns a document twice: tools disagree about what counts", finds=("warning",),
       needs=("runs",))  # fmt: skip
def repeated_results(e: Evidence) -> Iterator[Found]:
    """Documents that stood more than once under a query of a run."""
    for run in e.runs:
        count = sum(note.count for note in run.notes if note.kind == "duplicates")
        says = f"run {run.name!r}: {many(count, 'repeated document')} dropped while reading"
        yield Found("warning" if count else "ok", count, len(run) + count, says, "", run.name)


@check(do="find out where they come from: they tie, whatever the documents are", finds=("warning",), needs=("runs",))
def infinite_scores(e: Evidence) -> Iterator[Found]:
    """Scores that are infinite."""
    for run in e.runs:
        bad = np.flatnonzero(np.isinf(run.scores))
        says = f"run {run.name!r}: {many(len(bad), 'infinite score')}"
        example = f"document {run.docs[int(bad[0])]!r}" if len(bad) else ""
        yield Found("warning" if len(bad) else "ok", len(bad), len(run), says, example, run.name)


@check(
    do="write scores with more digits, or measure with --ties expected: the order within a tie is arbitrary",
    finds=("warning", "info"),
    needs=("runs",),
)
def ties(e: Evidence) -> Iterator[Found]:
    """Results that share their score with others of the same query."""
    for run in e.runs:
        tied = _tied(run)
        count, share = int(tied.sum()), float(tied.mean())
        says = f"run {run.name!r}: {many(count, 'result')} of {len(run):,} ({percent(share)}) share a score"
        example = ""
        if count:
            row = int(tied.argmax())
            query = run.queries[int(np.searchsorted(run.offsets, row, side="right")) - 1]
            example = f"query {query!r}, document {run.docs[row]!r}: {run.scores[row]:g}"
        severity = weigh(share, info=0.0, warning=e.limits.ties)
        yield Found(severity, count, len(run), says, example, run.name)


def _tied(run: Run) -> BoolArray:
    """Whether each row shares its score with another of its query, bool[n]; nothing ties where ranks were given."""
    tied = np.zeros(len(run), dtype=np.bool_)
    if run.ranks is not None:
        return tied
    query = run.row_query
    new = query[1:] != query[:-1]
    order: IntArray | None = None
    scores = run.scores
    if ((scores[1:] > scores[:-1]) & ~new).any():
        order = np.lexsort((-scores, query))
        scores = scores[order]
    same = (scores[1:] == scores[:-1]) & ~new
    found = np.append(False, same) | np.append(same, False)
    tied[slice(None) if order is None else order] = found
    return tied


@check(do="write the system's scores: rankings whose scores are all equal are in no order", finds=("error", "warning"),
       needs=("runs",))  # fmt: skip
def constant_scores(e: Evidence) -> Iterator[Found]:
    """Queries whose results all have the same score."""
    for run in e.runs:
        sizes = np.diff(run.offsets)
        top, bottom = (f.reduceat(run.scores, run.offsets[:-1]) for f in (np.maximum, np.minimum))
        flat = (top == bottom) & (sizes > 1) & (run.ranks is None)
        count, of = int(flat.sum()), int((sizes > 1).sum())
        severity = weigh(count / of if of else 0.0, warning=0.0, error=0.5)
        says = f"run {run.name!r}: {queries(count)} of {of:,} with one score for all results"
        names = run.queries.filter(pl.Series(flat)).to_list()
        yield Found(severity, count, of, says, examples(names) if count else "", run.name)


@check(do="check that the right files were given: comparing a run with itself decides nothing", finds=("error",),
       needs=("two runs",))  # fmt: skip
def identical_runs(e: Evidence) -> Iterator[Found]:
    """Runs with the same rankings."""
    pairs = list(itertools.combinations(range(len(e.runs)), 2))
    same = [(a, b) for a, b in pairs if _alike(e.judged[a], e.judged[b]) and _same_ranking(e.runs[a], e.runs[b])]
    says = f"{many(len(same), 'pair')} of {len(pairs):,} with the same documents in the same order"
    example = f"{e.runs[same[0][0]].name!r} and {e.runs[same[0][1]].name!r}" if same else ""
    yield Found("error" if same else "ok", len(same), len(pairs), says, example)


def _alike(a: JudgedRun, b: JudgedRun) -> bool:
    """Whether two runs have judged documents of the same grades at the same ranks, as identical ones have."""
    columns = ((a.depth, b.depth), (a.query, b.query), (a.rank, b.rank), (a.grade, b.grade))
    return all(np.array_equal(left, right) for left, right in columns)


def _same_ranking(a: Run, b: Run) -> bool:
    if len(a) != len(b) or len(a.queries) != len(b.queries):
        return False
    left, right = (_ranking(run) for run in (a, b))
    return left.sort("query", "rank").equals(right.sort("query", "rank"))


def _ranking(run: Run) -> pl.DataFrame:
    return run.ranked().to_polars().select("query", "doc").with_columns(rank=run.row_place)


@check(
    do="check that the judgments, or the queries of the training data, did not reach the system",
    finds=("warning",),
    needs=("runs",),
)
def too_good(e: Evidence) -> Iterator[Found | Skipped]:
    """Runs that return relevant documents only, or all of them first: an oracle, or judgments that leaked."""
    for run, judged in zip(e.runs, e.judged, strict=True):
        at = judged.at(e.limits.level)
        some = (at.R > 0) & (at.depth > 0)
        if not some.any():
            yield Skipped(f"run {run.name!r} answers no query with a relevant document")
            continue
        pure = float(at.sum(at.rel)[some].sum() / at.depth[some].sum())
        first = at.sum(at.rel & (at.rank <= at.each(at.R))) == at.R
        perfect = int((first & some).sum())
        share = max(pure, perfect / int(some.sum()))
        says = (
            f"run {run.name!r}: {percent(pure)} of what it returned is relevant; "
            f"{queries(perfect)} of {int(some.sum()):,} with all relevant documents first"
        )
        severity = weigh(share, warning=e.limits.oracle)
        names = e.names(first & some) if severity != "ok" else []
        yield Found(severity, perfect, int(some.sum()), says, f"query {names[0]!r}" if names else "", run.name)
