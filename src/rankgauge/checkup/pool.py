"""Checks of the pool: how much of what the runs return was judged, how deep, and for whom."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from rankgauge.checkup.evidence import Evidence
from rankgauge.checkup.findings import Severity
from rankgauge.checkup.registry import Found, Skipped, check, weigh
from rankgauge.checkup.wording import many, percent
from rankgauge.judged import FloatArray, JudgedRun, ratio

DEPTHS = (1, 5, 10, 20, 50, 100)
DEEPEST = 1000
SIGN_MUST_HOLD = (
    "judge these documents first, or trust a difference only if its sign is the same with unjudged documents as "
    "worthless, left out (judged_only) and bootstrapped"
)
BOUNDS = "read differences beside their bounds, or judge these documents"
POSITIVES_ONLY = (
    "only relevant documents were written down, so that nobody can tell unseen from bad: if all others were looked "
    "at, write them with grade 0; if not, judge the first results of every run"
)


def judged_share(judged: JudgedRun, depth: int) -> float | None:
    """Mean over the queries with results of the share of the first `depth` documents that were judged."""
    return _mean(_judged_share(judged, depth))


def _judged_share(judged: JudgedRun, depth: int) -> FloatArray:
    top = judged.top(depth)
    return ratio(top.sum(top.known), top.seen)


def _mean(values: FloatArray) -> float | None:
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else None


@check(
    do="judge these documents first; until then values count what nobody looked at as worthless",
    finds=("error", "warning"),
    needs=("runs",),
)
def unjudged(e: Evidence) -> Iterator[Found | Skipped]:
    """Documents among a run's first results that nobody judged."""
    for number, (run, judged) in enumerate(zip(e.runs, e.judged, strict=True)):
        share = judged_share(judged, e.cutoff)
        if share is None:
            yield Skipped(f"run {run.name!r} has no results for any judged query")
            continue
        top = judged.top(e.cutoff)
        of = int(top.seen.sum())
        count = of - int(top.known.sum())
        severity = weigh(1 - share, warning=e.limits.some_unjudged, error=e.limits.much_unjudged)
        says = f"run {run.name!r}: {percent(1 - share)} of the first {e.cutoff} documents were not judged"
        do = _advice(e, 1 - share)
        yield Found(severity, count, of, says, _unjudged_example(e, number) if count else "", run.name, do)


def _advice(e: Evidence, rate: float) -> str:
    """What to do about an unjudged rate; empty for the check's own advice."""
    if not e.non_relevant.any():
        return POSITIVES_ONLY
    if rate > e.limits.much_unjudged:
        return ""
    return SIGN_MUST_HOLD if rate > e.limits.more_unjudged else BOUNDS


def _unjudged_example(e: Evidence, number: int) -> str:
    """The first unjudged document of the query that has most of them."""
    top = e.judged[number].top(e.cutoff)
    query = e.name(int(top.unjudged.argmax()))
    known = set(e.pairs.filter(pl.col("query") == query)["doc"])
    docs = e.first_docs(number, query, e.cutoff)
    missing = [(rank, doc) for rank, doc in enumerate(docs, 1) if doc not in known]
    return f"query {query!r}, rank {missing[0][0]}: document {missing[0][1]!r}" if missing else f"query {query!r}"


@check(
    do="keep cutoffs within the pool's depth, or judge the runs deeper",
    finds=("warning", "info"),
    needs=("runs",),
)
def pool_depth(e: Evidence) -> Iterator[Found | Skipped]:
    """How deep each run was judged."""
    for run, judged in zip(e.runs, e.judged, strict=True):
        deepest = int(judged.depth.max(initial=0))
        if not deepest:
            yield Skipped(f"run {run.name!r} has no results for any judged query")
            continue
        depth = estimated_depth(judged, e.limits.pool_share)
        depths = [d for d in DEPTHS if d <= deepest] or [deepest]
        shares = ", ".join(f"@{d} {percent(judged_share(judged, d) or 0.0)}" for d in depths)
        enough = percent(e.limits.pool_share)
        end = ", its end" if depth == deepest else ""
        reached = f"{enough} or more judged down to rank {depth:,}{end}" if depth else f"below {enough} at any depth"
        says = f"run {run.name!r}: {reached}; judged {shares}"
        severity: Severity = "ok" if depth >= min(e.cutoff, deepest) else "warning" if depth == 0 else "info"
        yield Found(severity, depth, min(deepest, DEEPEST), says, "", run.name)


def estimated_depth(judged: JudgedRun, share: float) -> int:
    """Deepest rank down to which at least this share of the run's documents was judged, over all queries.

    At most `DEEPEST` ranks are looked at.
    """
    deepest = min(int(judged.depth.max(initial=0)), DEEPEST)
    rows = judged.rank[judged.known & (judged.rank <= deepest)]
    found = np.cumsum(np.bincount(rows, minlength=deepest + 1)[1:])
    sizes = np.bincount(np.minimum(judged.depth, deepest), minlength=deepest + 1)
    given = np.cumsum(np.cumsum(sizes[::-1])[::-1][1:])
    enough = np.flatnonzero(found >= share * given)
    return int(enough[-1]) + 1 if len(enough) else 0


@check(
    do="judge the first results of the run that was judged least, to the same depth as the others'",
    finds=("warning",),
    needs=("two runs",),
)
def pool_bias(e: Evidence) -> Iterator[Found | Skipped]:
    """Runs that were judged to a different extent: the one that made the pool looks better."""
    shares = {run.name: judged_share(judged, e.cutoff) for run, judged in zip(e.runs, e.judged, strict=True)}
    known = {name: share for name, share in shares.items() if share is not None}
    if len(known) < 2:
        yield Skipped("fewer than two runs have results for judged queries")
        return
    least, most = min(known, key=known.__getitem__), max(known, key=known.__getitem__)
    gap = known[most] - known[least]
    behind = sum(known[most] - share > e.limits.pool_bias for share in known.values())
    says = f"judged shares of the first {e.cutoff} differ by {100 * gap:.1f} points between runs"
    example = f"{most!r} {percent(known[most])}, {least!r} {percent(known[least])}"
    yield Found(weigh(gap, warning=e.limits.pool_bias), behind, len(known), says, example if gap else "")


@check(
    do="expect recall to be low for every run; check that the runs searched the judged collection",
    finds=("warning", "info"),
    needs=("runs",),
)
def judged_not_returned(e: Evidence) -> Iterator[Found]:
    """Relevant documents that no run returned."""
    seen = np.zeros(len(e.flat), dtype=np.bool_)
    for rows in e.returned:
        seen[rows] = True
    relevant = e.flat.grades >= e.limits.level
    lost = relevant & ~seen
    count, of = int(lost.sum()), int(relevant.sum())
    share = count / of if of else 0.0
    severity = weigh(share, info=0.0, warning=e.limits.unreturned)
    says = f"{many(count, 'relevant document')} of {of:,} ({percent(share)}) in no run"
    row = int(lost.argmax()) if count else 0
    example = f"query {e.name(e.flat.row_query[row])!r}, document {e.flat.docs[row]!r}" if count else ""
    yield Found(severity, count, of, says, example)
