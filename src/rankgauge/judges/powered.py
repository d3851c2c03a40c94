"""The difference of two runs from a judge's labels of all queries and people's of some that were drawn at random."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from rankgauge import conventions
from rankgauge.conventions import Convention
from rankgauge.engines.memory import as_measures, evaluate
from rankgauge.errors import Fault, InputError
from rankgauge.judged import FloatArray
from rankgauge.judges.filling import shown
from rankgauge.judges.labels import JudgeLabels, judged
from rankgauge.measures import Measure
from rankgauge.records import Note, Qrels, Run
from rankgauge.records.notes import examples
from rankgauge.statistics.prediction_powered import PredictionPowered, prediction_powered
from rankgauge.statistics.results import Alternative


@dataclass(frozen=True, eq=False)
class PoweredDifference:
    """Run - baseline, by people and by the judge.

    Attributes
    ----------
    found : the prediction-powered mean of the differences
    queries : those that the judge labelled
    people, judge : differences per query, NaN where not (wholly) labelled
    notes : which queries were left out
    """

    found: PredictionPowered
    queries: tuple[str, ...] = field(repr=False)
    people: FloatArray = field(repr=False)
    judge: FloatArray = field(repr=False)
    notes: tuple[Note, ...]


def powered_difference(
    human: Qrels,
    labels: JudgeLabels,
    baseline: Run,
    run: Run,
    measure: str | Measure = "nDCG@10",
    *,
    audited: Sequence[str],
    k: int = 10,
    convention: Convention | str = "default",
    confidence: float = 0.95,
    alternative: Alternative = "two-sided",
) -> PoweredDifference:
    """Mean difference that people would find, from few queries of theirs and all of the judge's (PPI++).

    Parameters
    ----------
    labels : of the first k of both runs, for every query that is to count; further ones enter nDCG's ideal ranking
    audited : queries drawn at random, for which people judged the first k of both runs. Queries that happen to be
        judged won't do: they are those where the runs resemble what was judged before.

    An audited query in which either run shows, in its first k, a document that people did not judge is left out of
    people's side; one in which the judge failed on a document, or was not asked, is left out of both. Both are said.
    """
    how = conventions.convention(convention)
    chosen = as_measures(measure, how)[0]
    pairs = shown([baseline, run], k)
    given = labels.graded
    if not len(given.join(pairs, on=["query", "doc"], how="semi")):
        raise InputError(Fault(f"labels of {labels.source}", f"some of the first {k} of both runs", "none"))
    by_judge = Qrels.from_columns(given["query"], given["doc"], given["grade"], name=labels.source)
    opened = _open(pairs, given)
    unread = _open(pairs, judged(human))
    judge = _differences(by_judge, baseline, run, chosen, how)
    people = _differences(human, baseline, run, chosen, how)
    queries = tuple(judge)
    wanted = set(audited)
    whole = {query for query in wanted if query not in unread}
    f = np.array([np.nan if q in opened else judge[q] for q in queries])
    y = np.array([people.get(q, np.nan) if q in whole else np.nan for q in queries])
    said = _notes(sorted(wanted & unread), sorted(set(queries) & opened))
    return PoweredDifference(
        prediction_powered(y, f, confidence=confidence, alternative=alternative), queries, y, f, said
    )


def _open(pairs: pl.DataFrame, known: pl.DataFrame) -> set[str]:
    """Queries in which a pair has no label."""
    return set(pairs.join(known, on=["query", "doc"], how="anti")["query"].to_list())


def _differences(qrels: Qrels, baseline: Run, run: Run, measure: Measure, how: Convention) -> dict[str, float]:
    scores = evaluate(qrels, [baseline, run], [measure], convention=how)
    values = np.where(scores.counted, scores.values[:, 0], np.nan)
    return dict(zip(scores.queries, (values[1] - values[0]).tolist(), strict=True))


def _notes(unread: list[str], opened: list[str]) -> tuple[Note, ...]:
    said = []
    if unread:
        text = f"{len(unread)} audited queries were not judged wholly by people and are left out: {examples(unread)}"
        said.append(Note("not wholly audited", len(unread), text))
    if opened:
        text = f"{len(opened)} queries are left out, as the judge did not label all of them: {examples(opened)}"
        said.append(Note("not wholly labelled", len(opened), text))
    return tuple(said)
