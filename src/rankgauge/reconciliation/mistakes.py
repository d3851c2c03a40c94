"""Known mistakes of home-made evaluation code, which no convention has: what they would give on this data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from rankgauge.conventions import Convention
from rankgauge.judged import FloatArray, Judgments, ratio
from rankgauge.measures import DCG, Measure
from rankgauge.measures._weights import gains
from rankgauge.reconciliation.judging import Judging
from rankgauge.reconciliation.space import Change
from rankgauge.records import Qrels, Run

Values = FloatArray
Mistake = Callable[[Judging, Measure, Convention], Values | None]
SHARES_OF_K = ("P", "Judged", "Unjudged")
SEPARATOR = "\x1f"


def mistaken(judging: Judging, measure: Measure, rules: Convention) -> Iterator[tuple[Change, FloatArray]]:
    """Each mistake that the measure allows, with the queries' values (one alone where queries are put together)."""
    for change, give in MISTAKES.items():
        values = give(judging, measure, rules)
        if values is not None:
            yield change, values


def _over_returned(judging: Judging, measure: Measure, rules: Convention) -> Values | None:
    """P@k of a short ranking, divided by its length."""
    if measure.name not in SHARES_OF_K or measure.cutoff is None:
        return None
    _, judged, _ = judging.form(rules)
    seen = measure.view(judged).seen
    if (seen == measure.cutoff).all():
        return None
    return np.where(seen > 0, judging.values(measure, rules) * measure.cutoff / np.maximum(seen, 1), 0.0)


def _ideal_of_first(judging: Judging, measure: Measure, rules: Convention) -> Values | None:
    """nDCG@k whose ideal is the sorted top k instead of all judged documents."""
    if measure.name != "nDCG" or measure.cutoff is None:
        return None
    _, judged, _ = judging.form(rules)
    top = measure.view(judged)
    order = np.lexsort((-top.grade, top.query))
    pool = Judgments(top.query[order], top.grade[order], judged.Q, judged.judgments.top_grade)
    return measure.of(replace(judged, candidates=pool))


def _gains_mixed(own: str, ideal: str) -> Mistake:
    """nDCG whose ranking has one gain and whose ideal has another."""

    def values(judging: Judging, measure: Measure, rules: Convention) -> Values | None:
        if measure.name != "nDCG":
            return None
        _, judged, _ = judging.form(rules)
        shared = {name: measure.parameters[name] for name in ("discount", "base", "judged_only")}
        top = measure.view(judged)
        best = top.ideal(gains(top.pool.grade, ideal))
        below = DCG(**{**shared, "judged_only": False, "gain": ideal}).of(best)
        won = DCG(**{**shared, "judged_only": False, "gain": own}).of(top)
        return ratio(won, below)

    return values


def _together(judging: Judging, measure: Measure, rules: Convention) -> Values | None:
    """All queries' documents in one ranking, float64[1]."""
    if judging.known.Q < 2 or measure.declared.subtopics or measure.declared.average != "mean":
        return None
    qrels, run = _one_query(judging.qrels, judging.run(rules))
    flat = Judging(qrels, run)
    return flat.values(measure, replace(rules, order="score", drop_self=False))


def _one_query(qrels: Qrels, run: Run) -> tuple[Qrels, Run]:
    judged, ranked = qrels.to_polars(), run.to_polars()
    ranked = ranked.filter(pl.col("query").is_in(judged["query"].unique().implode()))
    columns: list[Mapping[str, Any]] = [
        {"query": pl.lit("all"), "doc": pl.concat_str("query", "doc", separator=SEPARATOR)} for _ in range(2)
    ]
    return (
        Qrels.from_frame(judged.with_columns(**columns[0])),
        Run.from_frame(ranked.with_columns(**columns[1]), name=run.name),
    )


MISTAKES: Mapping[Change, Mistake] = {
    Change("short rankings", "divided by k", "divided by the documents returned"): _over_returned,
    Change("ideal", "all judged", "the first k documents, sorted"): _ideal_of_first,
    Change("gain", "the same in ranking and ideal", "exp in the ranking, linear in the ideal"): _gains_mixed(
        "exp", "linear"
    ),
    Change("gain", "the same in ranking and ideal", "linear in the ranking, exp in the ideal"): _gains_mixed(
        "linear", "exp"
    ),
    Change("gain", "the same in ranking and ideal", "binary in the ranking, linear in the ideal"): _gains_mixed(
        "binary", "linear"
    ),
    Change("queries", "one ranking each", "all documents in one ranking"): _together,
}
