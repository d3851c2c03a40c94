"""What would settle a comparison that the judgments cannot decide: documents to judge, a cutoff, or a test online."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankgauge.comparison.holes import DEPTH, holes
from rankgauge.comparison.verdict import Thresholds, Verdict
from rankgauge.conventions import Convention
from rankgauge.engines.memory import evaluate
from rankgauge.measures import Measure
from rankgauge.measures.incomplete import Unjudged
from rankgauge.records import Qrels, Run
from rankgauge.statistics.sessions import plan_sessions

NAMED = 5
"""Documents that the advice names; `rankgauge holes` lists them all."""

CUTOFFS = (1, 3, 5, 10, 20, 50, 100, 200, 500)
"""Depths at which both runs may have been judged."""

PREFERENCE = 0.55
"""Share of sessions that prefer the better ranking, for the size of a test online."""


def with_advice(
    verdict: Verdict, qrels: Qrels, baseline: Run, run: Run, measure: Measure, *, how: Convention, t: Thresholds
) -> Verdict:
    """Add to a verdict that was refused for its holes which documents to judge first, and the plan of a test online."""
    planned = plan_sessions(PREFERENCE, alpha=t.alpha, power=t.power)
    online = f"or {planned.sentence}; `rankgauge online plan` says how many days, and what an A/B test takes"
    cut = _where_both_are_judged(qrels, baseline, run, measure, how=how, t=t)
    if measure.declared.subtopics:  # what an unjudged document could cover is no grade: none can be put first
        return replace(verdict, do=("judge the unjudged documents of both for every subtopic", *cut, online))
    depth = min(measure.cutoff or DEPTH, DEPTH)  # deeper documents matter less, and there are many
    found = holes(qrels, [baseline, run], measure=measure, k=depth, budget=NAMED, convention=how)
    if not len(found):
        return replace(verdict, do=(*cut, online))
    named = ", ".join(f"{query} {doc}" for query, doc in found.table.select("query", "doc").iter_rows())
    share = found.table["share"][-1]
    first = (
        f"judge first, of {found.found:,} unjudged documents in the first {found.depth} (these carry {share:.0%} of "
    )
    return replace(verdict, do=(f"{first}what could change): {named}; `rankgauge holes` lists them all", *cut, online))


def _where_both_are_judged(
    qrels: Qrels, baseline: Run, run: Run, measure: Measure, *, how: Convention, t: Thresholds
) -> tuple[str, ...]:
    """Name the deepest usual cutoff down to which hardly anything is unjudged, where the measure looks deeper."""
    depths = [k for k in CUTOFFS if measure.cutoff is None or k < measure.cutoff]
    if measure.declared.cutoff == "none" or not depths:
        return ()
    shares = evaluate(qrels, [baseline, run], [Unjudged @ k for k in depths], convention=how)
    seen = np.where(shares.counted[:, None, :], shares.values, np.nan)
    most = np.nan_to_num(np.nanmean(seen, axis=2), nan=1.0).max(axis=0)  # no query of either run: nothing is judged
    clean = np.flatnonzero(most <= t.clean)
    if not len(clean):
        return ()
    k = depths[int(clean[-1])]
    return (f"look less deep: under {measure @ k} at most {most[clean[-1]]:.1%} of what either shows is unjudged",)
