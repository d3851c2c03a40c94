"""Checks of what judgments and runs have in common: queries, and ids that would match if written alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import polars as pl

from rankgauge.checkup.evidence import Evidence, odd
from rankgauge.checkup.registry import Found, check, weigh
from rankgauge.checkup.wording import many, percent, queries
from rankgauge.engines.remarks import TURNS
from rankgauge.records import Run
from rankgauge.records.notes import examples


@check(
    do="find out why the system returned nothing: each of these queries scores 0",
    finds=("error", "warning"),
    needs=("runs",),
)
def missing_queries(e: Evidence) -> Iterator[Found]:
    """Judged queries for which a run has no results."""
    for run, judged in zip(e.runs, e.judged, strict=True):
        lacking = judged.depth == 0
        count = int(lacking.sum())
        severity = weigh(count / e.Q, warning=0.0, error=e.limits.missing_queries)
        says = f"run {run.name!r}: no results for {queries(count)} of {e.Q:,}"
        yield Found(severity, count, e.Q, says, examples(e.names(lacking)) if count else "", run.name)


@check(
    do="judge them, or say that they are left out",
    finds=("error", "info"),
    needs=("runs",),
)
def unknown_queries(e: Evidence) -> Iterator[Found]:
    """Queries of a run without judgments."""
    for run, numbers in zip(e.runs, e.numbers, strict=True):
        unknown = numbers < 0
        count, of = int(unknown.sum()), len(numbers)
        severity = weigh(count / of, info=0.0, error=0.999_999)
        says = f"run {run.name!r}: {queries(count)} of {of:,} without judgments"
        names = run.queries.filter(pl.Series(unknown)).to_list()
        yield Found(severity, count, of, says, examples(names) if count else "", run.name)


@check(
    do="write the ids alike on both sides: these documents count as not judged and these judgments as not found",
    finds=("error",),
    needs=("runs",),
)
def near_misses(e: Evidence) -> Iterator[Found]:
    """Ids of a run that would match the judgments' if they were written alike."""
    alike = _alike_documents(e)
    for number, run in enumerate(e.runs):
        said = [*_missed_queries(e, number), *_missed_documents(e, number, alike)]
        count = sum(size for size, _, _ in said)
        says = f"run {run.name!r}: " + ("; ".join(text for _, text, _ in said) or "no id misses by its writing")
        yield Found("error" if count else "ok", count, None, says, said[0][2] if said else "", run.name)


Miss = tuple[int, str, str]  # how many, in words, example


def _missed_queries(e: Evidence, number: int) -> Iterator[Miss]:
    """Queries that a run and the judgments have under two writings."""
    known, unknown = e.judged[number].depth > 0, e.numbers[number] < 0
    ours = e.flat.queries.filter(pl.Series(~known))
    theirs = e.runs[number].queries.filter(pl.Series(unknown))
    for how, turn in TURNS.items():
        pairs = _turned_pairs(ours, theirs, turn)
        if len(pairs):
            yield len(pairs), f"{queries(len(pairs))} would match {how}", _pair(pairs)


def _alike_documents(e: Evidence) -> dict[str, pl.DataFrame]:
    """Per way of writing, pairs of a judged document and one that only runs have; empty ones are left out."""
    theirs = e.doc_ids.filter(~e.doc_ids.is_in(e.judged_ids.implode()))
    strange = odd(theirs)
    found = {how: _turned_pairs(e.judged_ids, theirs, turn, odd=strange) for how, turn in TURNS.items()}
    return {how: pairs for how, pairs in found.items() if len(pairs)}


def _missed_documents(e: Evidence, number: int, alike: dict[str, pl.DataFrame]) -> Iterator[Miss]:
    """Judged documents that a run returned under another writing."""
    if not alike:
        return
    lost = np.ones(len(e.flat), dtype=np.bool_)
    lost[e.returned[number]] = False
    rows = e.pairs.filter(pl.Series(lost))
    for how, pairs in alike.items():
        same = _in_one_query(rows, pairs, e.runs[number])
        if len(same):
            yield len(same), f"{many(len(same), 'judged document')} would match {how}", _pair(same)


def _in_one_query(rows: pl.DataFrame, pairs: pl.DataFrame, run: Run) -> pl.DataFrame:
    """Keep the pairs of ids that stand under the same query in judgments and run; one row per judgment."""
    at = np.flatnonzero(run.docs.is_in(pairs["theirs"].implode()).to_numpy())
    query = run.queries.gather(np.searchsorted(run.offsets, at, side="right") - 1)
    found = pl.DataFrame({"query": query, "theirs": run.docs.gather(at)})
    wanted = rows.join(pairs, left_on="doc", right_on="ours").rename({"doc": "ours"})
    return wanted.join(found, on=["query", "theirs"], how="semi").unique(["query", "ours"]).sort("query", "ours")


def _turned_pairs(
    ours: pl.Series, theirs: pl.Series, turn: Callable[[pl.Series], pl.Series], *, odd: pl.Series | None = None
) -> pl.DataFrame:
    """Pairs of different ids that become the same: ours, theirs; `odd` are those of theirs that may change."""
    mine = pl.DataFrame({"ours": ours, "turned": turn(ours)}).filter(pl.col("turned").str.len_bytes() > 0)
    wanted = mine["turned"].implode()
    turned = turn(theirs if odd is None else odd)
    other = pl.DataFrame({"theirs": theirs if odd is None else odd, "turned": turned})
    same = theirs.filter(theirs.is_in(wanted))
    other = pl.concat([other, pl.DataFrame({"theirs": same, "turned": turn(same)})])
    other = other.filter(pl.col("turned").is_in(wanted)).unique()
    pairs = mine.join(other, on="turned").filter(pl.col("ours") != pl.col("theirs"))
    return pairs.select("ours", "theirs").sort("ours", "theirs")


def _pair(pairs: pl.DataFrame) -> str:
    return f"{pairs['theirs'][0]!r} in the run, {pairs['ours'][0]!r} in the judgments"


@check(
    do="decide whether a query's own document may be found, and drop it everywhere or nowhere: BEIR always does",
    finds=("warning", "info"),
)
def self_ids(e: Evidence) -> Iterator[Found]:
    """Documents whose id is their query's: judged for it, returned for it, or in the same name space."""
    judged = e.pairs.filter(pl.col("query") == pl.col("doc"))
    known = e.judged_ids if e.texts is None else pl.concat([e.judged_ids, e.texts["id"]])
    shared = e.flat.queries.filter(e.flat.queries.is_in(known.implode()))
    says = f"{many(len(judged), 'judgment')} of a document whose id is the query's"
    says += f"; {queries(len(shared))} of {e.Q:,} share an id with a document"
    example = f"query and document {(judged['doc'] if len(judged) else shared)[0]!r}" if len(shared) else ""
    yield Found("info" if len(shared) else "ok", len(judged), len(e.flat), says, example)
    for run in e.runs:
        hits = np.flatnonzero((run.docs == run.queries.gather(run.row_query)).to_numpy())
        share = len(hits) / len(run.queries)
        says = f"run {run.name!r}: {queries(len(hits))} ({percent(share)}) return a document with their own id"
        example = f"query and document {run.docs[int(hits[0])]!r}" if len(hits) else ""
        severity = weigh(share, info=0.0, warning=e.limits.self_ids)
        yield Found(severity, len(hits), len(run.queries), says, example, run.name)
