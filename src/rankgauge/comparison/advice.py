"""What would settle a comparison that the judgments cannot decide: the documents to judge first, or a test online."""

from __future__ import annotations

from dataclasses import replace

from rankgauge.comparison.holes import DEPTH, holes
from rankgauge.comparison.verdict import Thresholds, Verdict
from rankgauge.conventions import Convention
from rankgauge.measures import Measure
from rankgauge.records import Qrels, Run
from rankgauge.statistics.sessions import interleaving_sessions

NAMED = 5
"""Documents that the advice names; `rankgauge holes` lists them all."""

PREFERENCE = 0.55
"""Share of sessions that prefer the better ranking, for the size of a test online."""


def with_advice(
    verdict: Verdict, qrels: Qrels, baseline: Run, run: Run, measure: Measure, *, how: Convention, t: Thresholds
) -> Verdict:
    """Add to a verdict that was refused for its holes which documents to judge first, and the size of a test online."""
    sessions = interleaving_sessions(PREFERENCE, alpha=t.alpha, power=t.power)
    online = f"or interleave both online: {sessions:,} sessions with a preference show one of {PREFERENCE:.0%}"
    if measure.declared.subtopics:  # what an unjudged document could cover is no grade: none can be put first
        return replace(verdict, do=("judge the unjudged documents of both for every subtopic", online))
    depth = min(measure.cutoff or DEPTH, DEPTH)  # deeper documents matter less, and there are many
    found = holes(qrels, [baseline, run], measure=measure, k=depth, budget=NAMED, convention=how)
    if not len(found):
        return replace(verdict, do=(online,))
    named = ", ".join(f"{query} {doc}" for query, doc in found.table.select("query", "doc").iter_rows())
    share = found.table["share"][-1]
    first = (
        f"judge first, of {found.found:,} unjudged documents in the first {found.depth} (these carry {share:.0%} of "
    )
    return replace(verdict, do=(f"{first}what could change): {named}; `rankgauge holes` lists them all", online))
