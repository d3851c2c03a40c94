"""Checks of the judgments: how many queries, how many relevant documents in each, and who holds them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rankgauge.checkup.evidence import Evidence
from rankgauge.checkup.findings import Severity
from rankgauge.checkup.registry import Found, check, weigh
from rankgauge.checkup.wording import many, percent, queries

TENTH = 0.1
ALIKE = ("RR", "AP", "nDCG")
HALF = 0.5


@check(do="judge more queries before deciding anything on this set", finds=("error", "warning"))
def number_of_queries(e: Evidence) -> Iterator[Found]:
    """Fewer queries with a relevant document than a test needs."""
    n = int((e.relevant > 0).sum())
    severity: Severity = "error" if n < e.limits.min_queries else "warning" if n < e.limits.few_queries else "ok"
    says = f"{queries(n)} of {e.Q:,} with a relevant document"
    if severity == "error":
        says += f": no two-sided test of signs can have p below {2.0 ** (1 - n) if n else 1:.3g}"
    elif severity == "warning":
        says += f", fewer than {e.limits.few_queries:g}"
    yield Found(severity, n, e.Q, says)


@check(
    do="find relevant documents for them, or leave them out: most measures are undefined there",
    finds=("error", "warning"),
)
def no_relevant(e: Evidence) -> Iterator[Found]:
    """Queries without a relevant document."""
    none = e.relevant == 0
    count = int(none.sum())
    share = count / e.Q
    severity = weigh(share, warning=0.0, error=e.limits.much_empty)
    says = f"{queries(count)} of {e.Q:,} without a document of grade {e.limits.level:g} or higher"
    yield Found(severity, count, e.Q, says, "".join(f"query {name!r}" for name in e.names(none)[:1]))


@check(
    do="choose one of these measures, the others add no evidence; judge more documents to tell them apart",
    finds=("warning", "info"),
)
def one_relevant(e: Evidence) -> Iterator[Found]:
    """Queries with one relevant document only: RR, AP and nDCG tell the same story there.

    With the relevant document at rank r, RR = AP = 1/r and nDCG = 1/log2(r+1): they order all rankings of the query
    alike. A warning where two of them were asked for.
    """
    one = e.relevant == 1
    some, count = int((e.relevant > 0).sum()), int(one.sum())
    share = count / some if some else 0.0
    asked = [str(m) for m in e.measures if m.name in ALIKE]
    severity = weigh(share, info=HALF, warning=e.limits.much_single if len(asked) > 1 else None)
    says = f"{queries(count)} of {some:,} ({percent(share)}) have one relevant document"
    if severity != "ok":
        says += ": with it at rank r, RR = AP = 1/r and nDCG = 1/log2(r+1), which order rankings alike"
    if severity == "warning":
        says += f", and {', '.join(asked)} were asked for"
    example = "" if not count else f"query {e.names(one)[0]!r}"
    yield Found(severity, count, some, says, example)


@check(
    do="measure at a deeper cutoff, or use nDCG@k or RelativeP@k, which a perfect ranking can bring to 1",
    finds=("warning", "info"),
)
def more_relevant_than_cutoff(e: Evidence) -> Iterator[Found]:
    """Queries with more relevant documents than a requested cutoff has ranks: recall cannot be perfect."""
    some = e.relevant[e.relevant > 0]
    for cutoff in sorted({m.cutoff for m in e.measures if m.cutoff is not None}):
        beyond = e.relevant > cutoff
        count = int(beyond.sum())
        recalls = sorted({str(m) for m in e.measures if m.name in ("R", "AP") and m.cutoff == cutoff})
        limit = e.limits.beyond_cutoff
        severity = weigh(count / e.Q, info=0.0, warning=limit if recalls else None)
        says = f"{queries(count)} of {e.Q:,} have more than {cutoff} relevant documents"
        if count:
            best = float(np.minimum(1.0, cutoff / some).mean())
            says += f": the perfect ranking has R@{cutoff} = {best:.4f}, and nDCG@{cutoff} sees {cutoff} of them"
        most = int(e.relevant.argmax())
        example = f"query {e.name(most)!r} has {int(e.relevant[most]):,}" if count else ""
        yield Found(severity, count, e.Q, says, example)


@check(do="read P@k against its highest possible value, or use Rprec or nDCG@k", finds=("info",))
def fewer_relevant_than_cutoff(e: Evidence) -> Iterator[Found]:
    """Queries with fewer relevant documents than P@k has ranks: precision cannot be perfect."""
    some = e.relevant[e.relevant > 0]
    for cutoff in sorted({m.cutoff for m in e.measures if m.name == "P" and m.cutoff is not None}):
        count = int((some < cutoff).sum())
        says = f"{queries(count)} of {len(some):,} have fewer than {cutoff} relevant documents"
        if count:
            says += f": the perfect ranking has P@{cutoff} = {float(np.minimum(1.0, some / cutoff).mean()):.4f}"
        yield Found("info" if count else "ok", count, len(some), says)


@check(
    do="judge some of what the systems return and is not relevant: without it unjudged and bad cannot be told apart",
    finds=("warning", "info"),
)
def nothing_non_relevant(e: Evidence) -> Iterator[Found]:
    """Queries for which nothing was judged non-relevant: bpref, infAP and condensed lists tell nothing there."""
    none = e.non_relevant == 0
    count = int(none.sum())
    asked = sorted({str(m) for m in e.measures if m.name in ("bpref", "infAP") or m.parameters["judged_only"]})
    severity: Severity = "ok" if not count else "warning" if asked else "info"
    says = f"{queries(count)} of {e.Q:,} have no document that was judged non-relevant"
    if asked and count:
        says += f": {', '.join(asked)} cannot count mistakes there"
    yield Found(severity, count, e.Q, says, f"query {e.names(none)[0]!r}" if count else "")


@check(do="judge the other queries more deeply, so that all are judged alike", finds=("warning",))
def concentration(e: Evidence) -> Iterator[Found]:
    """A tenth of the queries holds most of the judgments."""
    sizes = np.sort(np.diff(e.flat.offsets))[::-1]
    few = max(1, int(np.ceil(TENTH * e.Q)))
    held = int(sizes[:few].sum())
    severity = weigh(held / len(e.flat), warning=e.limits.concentration) if e.Q > 1 / TENTH else "ok"
    says = (
        f"the {queries(few)} with most judgments hold {percent(held / len(e.flat))} of them; "
        f"{many(int(np.median(sizes)), 'judgment')} in the median query, {sizes[-1]:,} to {sizes[0]:,}"
    )
    most = e.name(int(np.diff(e.flat.offsets).argmax()))
    yield Found(severity, held, len(e.flat), says, f"query {most!r} has {sizes[0]:,}" if severity != "ok" else "")


@check(do="keep each judgment once", finds=("info",))
def repeated_judgments(e: Evidence) -> Iterator[Found]:
    """Documents that were judged more than once for a query."""
    count = sum(note.count for note in e.qrels.notes if note.kind == "duplicates")
    says = f"{many(count, 'judgment')} stood again for the same query and document" if count else "none stands twice"
    yield Found("info" if count else "ok", count, len(e.qrels) + count, says)


@check(
    do="decide which grade holds; until then every value depends on the order of the lines",
    finds=("error",),
)
def conflicting_judgments(e: Evidence) -> Iterator[Found]:
    """Documents that were judged more than once for a query, with different grades."""
    notes = [note for note in e.qrels.notes if note.kind == "conflicting judgments"]
    count = sum(note.count for note in notes)
    says = f"{many(count, 'document')} judged inconsistently for the same query" if count else "no pair has two grades"
    example = notes[0].text.partition(", as ")[2] if notes else ""
    yield Found("error" if count else "ok", count, len(e.qrels), says, example)
