"""All engines behind one signature: from a case (rankings as rows) to the table of per-query scores.

`memory` is the reference. It shares no code with the others up to the measures: judgments and rankings are put
together here from plain dicts.
"""

from __future__ import annotations

import itertools
import math
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import polars as pl

import rankgauge as rg
from pieces import Frames, Survey
from rankgauge.engines import batch as batch_
from rankgauge.engines import streaming
from rankgauge.engines.budget import Budget
from rankgauge.engines.plan import COUNTS, Order, Plan, plan
from rankgauge.engines.stream import Choices, evaluate_dataset
from rankgauge.measures import Measure

Measures = Sequence[Measure | str]


@dataclass(frozen=True)
class Case:
    """Rankings as rows, and judgments on them (column `grade`), apart, or both.

    Attributes
    ----------
    rows : columns by..., query, doc, score or rank, and grade where rows carry one
    qrels : columns query, doc, grade, or None
    by : columns that part rankings
    """

    rows: pl.DataFrame
    qrels: pl.DataFrame | None = None
    by: tuple[str, ...] = ()

    @property
    def order(self) -> Order:
        return "rank" if "rank" in self.rows.columns else "score"

    @property
    def top_grade(self) -> float:
        grades = [
            frame["grade"].fill_nan(None)
            for frame in (self.rows, self.qrels)
            if frame is not None and "grade" in frame.columns
        ]
        return max(1.0, *(float(column.max() or 0) for column in grades))


@dataclass(frozen=True)
class Engine:
    """A way from a case to its table."""

    name: str
    table: Callable[..., pl.DataFrame] = field(repr=False)

    def __str__(self) -> str:
        return self.name


def planned(case: Case, measures: Measures, how: Any, **choices: Any) -> Plan:
    """The plan that all engines owe the table of."""
    return plan(list(measures), how, order=case.order, by=case.by, **({"top_grade": case.top_grade} | choices))


# --- the reference ---


def memory(case: Case, measures: Measures, how: Any = "default") -> pl.DataFrame:
    """What `rg.evaluate` gives for qrels and a run made of the case's rows."""
    wanted = planned(case, measures, how)
    groups = case.rows.partition_by(case.by, as_dict=True, include_key=False) if case.by else {(): case.rows}
    tables = []
    for key, rows in groups.items():
        named = [pl.lit(value, pl.String).alias(name) for name, value in zip(case.by, key, strict=True)]
        judged = case.qrels
        if judged is not None and set(case.by) <= set(judged.columns):
            here = dict(zip(case.by, key, strict=True))
            judged = judged.filter(**here).drop(case.by)
        tables.append(_by_memory(rows, judged, wanted.but(by=())).select(*named, pl.all()))
    return pl.concat(tables)


def _by_memory(rows: pl.DataFrame, qrels: pl.DataFrame | None, wanted: Plan) -> pl.DataFrame:
    judged, conflicts = _judgments(rows, qrels)
    ranking = _ranking(rows, wanted.order)
    run = _run(ranking, wanted.order)
    scores = rg.evaluate(rg.Qrels.from_dict(judged), run, list(wanted.measures), convention=wanted.how)
    places = {query: place for place, query in enumerate(scores.queries)}
    found = [
        _row(query, judged, ranking, conflicts, wanted.order, wanted) for query in dict.fromkeys([*ranking, *judged])
    ]
    at = [places.get(row["query"], -1) for row in found]
    for row, place in zip(found, at, strict=True):
        counted = place >= 0 and bool(scores.counted[0, place])
        both = row["query"] in judged and row["retrieved"] > 0
        row["status"] = "left out" if place < 0 else "not counted" if not counted else "scored" if both else "missing"
        row |= {name: value if counted else None for name, value in _numbers(scores, place, wanted).items()}
    return pl.DataFrame(found, schema=wanted.schema)


def _numbers(scores: rg.Scores, place: int, wanted: Plan) -> dict[str, float | None]:
    """Every number of the table for one query, None where it is undefined."""
    found = {}
    for number, columns in enumerate(wanted.columns):
        pairs = [("values", columns.name), *columns.doubts]
        pairs += [("unjudged", columns.unjudged)] if columns.unjudged else []
        for array, column in pairs:
            value = float(getattr(scores, array)[0, number, place])
            value = None if math.isnan(value) else value
            assert found.setdefault(column, value) == value or place < 0, f"two measures share {column!r} and differ"
    return found


def _judgments(rows: pl.DataFrame, qrels: pl.DataFrame | None) -> tuple[dict[str, dict[str, float]], dict[str, int]]:
    judged: dict[str, dict[str, float]] = {}
    conflicts: dict[str, int] = {}
    if "grade" in rows.columns:
        for query, doc, grade in rows.select("query", "doc", "grade").iter_rows():
            if grade is not None and not math.isnan(grade):
                judged.setdefault(query, {})[doc] = grade
    for query, doc, grade in [] if qrels is None else qrels.iter_rows():
        if judged.get(query, {}).get(doc, grade) != grade:
            conflicts[query] = conflicts.get(query, 0) + 1
        judged.setdefault(query, {})[doc] = grade
    return judged, conflicts


def _ranking(rows: pl.DataFrame, order: Order) -> dict[str, dict[str, float]]:
    """{query: {doc: its score or rank}}, in the order of the rows."""
    ranking: dict[str, dict[str, float]] = {}
    for query, doc, place in rows.select("query", "doc", order).iter_rows():
        if place is not None:
            ranking.setdefault(query, {})[doc] = place
    return ranking


def _run(ranking: dict[str, dict[str, float]], order: Order) -> rg.Run:
    if order == "score":
        return rg.Run.from_dict(ranking)
    run = rg.Run.from_dict({q: {doc: -float(rank) for doc, rank in docs.items()} for q, docs in ranking.items()})
    return replace(run, ranks=-run.scores.astype(np.int64))


def _row(
    query: str,
    judged: dict[str, dict[str, float]],
    ranking: dict[str, dict[str, float]],
    conflicts: dict[str, int],
    order: Order,
    wanted: Plan,
) -> dict[str, Any]:
    docs, known = ranking.get(query, {}), judged.get(query, {})
    if wanted.how.drop_self:
        dropped = int(query in docs)
        docs = {doc: place for doc, place in docs.items() if doc != query}
    else:
        dropped = 0
    hits = [doc for doc in docs if doc in known]
    precise = [np.dtype(wanted.how.score_type).type(place) for place in docs.values()] if order == "score" else []
    tied = sum(precise.count(np.dtype(wanted.how.score_type).type(docs[doc])) > 1 for doc in hits) if precise else 0
    if wanted.how.order == "input":
        tied = 0
    retrieved = len(docs) if order == "score" else int(max(docs.values(), default=0))
    counts = (retrieved, len(hits), tied, dropped, conflicts.get(query, 0))
    return {"query": query} | dict(zip(COUNTS, counts, strict=True))


# --- the engines ---


def whole(case: Case, measures: Measures, how: Any = "default", **choices: Any) -> pl.DataFrame:
    """One batch."""
    return batch_.score(case.rows, planned(case, measures, how, **choices), case.qrels)


def pieces(case: Case, measures: Measures, how: Any = "default", **choices: Any) -> pl.DataFrame:
    """The queries dealt out to two batches, each with the judgments of its own queries."""
    wanted = planned(case, measures, how, **choices)
    return pl.concat(batch_.score(rows, wanted, qrels) for rows, qrels in _dealt(case, 2))


def single(case: Case, measures: Measures, how: Any = "default", **choices: Any) -> pl.DataFrame:
    """Every query a batch of its own."""
    wanted = planned(case, measures, how, **choices)
    return pl.concat(batch_.score(rows, wanted, qrels) for rows, qrels in _dealt(case, 10**6))


def _dealt(case: Case, hands: int) -> Iterator[tuple[pl.DataFrame, pl.DataFrame | None]]:
    named = [case.rows["query"]] + ([] if case.qrels is None else [case.qrels["query"]])
    hand = {query: place % hands for place, query in enumerate(dict.fromkeys(itertools.chain(*named)))}
    frames = [None if frame is None else _with_hand(frame, hand) for frame in (case.rows, case.qrels)]
    for number in sorted(set(hand.values())):
        rows, qrels = (frame and frame[1].filter(frame[0] == number) for frame in frames)
        assert rows is not None
        yield rows, qrels


def _with_hand(frame: pl.DataFrame, hand: dict[str, int]) -> tuple[pl.Series, pl.DataFrame]:
    return pl.Series([hand[query] for query in frame["query"]], dtype=pl.Int64), frame


def stream(case: Case, measures: Measures, how: Any = "default", **choices: Any) -> pl.DataFrame:
    """The streaming engine over three pieces, in four batches or so."""
    return _streamed(case, measures, how, _budget(case, 4), choices)


def parted_stream(case: Case, measures: Measures, how: Any = "default", **choices: Any) -> pl.DataFrame:
    """The same in smaller batches, with judgments that may not be held in memory."""
    return _streamed(case, measures, how, replace(_budget(case, 8), judgments=0), choices)


def _budget(case: Case, batches: int) -> Budget:
    rows = len(case.rows) // batches + 1
    return Budget(rows=rows, most=4 * rows, judgments=None)


@dataclass
class _Log(Frames):
    from_zero: bool = False

    def survey(self) -> Survey:
        return replace(super().survey(), from_zero=self.from_zero)


def _streamed(case: Case, measures: Measures, how: Any, budget: Budget, choices: dict[str, Any]) -> pl.DataFrame:
    rows, size = case.rows, len(case.rows) // 3 + 1
    cut = [rows[start : start + size] for start in range(0, len(rows), size)]
    of_rows = {"trusted": choices.pop("trusted", False), "from_zero": choices.pop("from_zero", False)}
    rankings = _Log(cut, order=case.order, by=case.by, graded="grade" in rows.columns, **of_rows)
    by = case.by if case.qrels is not None and set(case.by) <= set(case.qrels.columns) else ()
    qrels = None if case.qrels is None else Frames([case.qrels], by=by, label="qrels")
    with tempfile.TemporaryDirectory() as folder, mock.patch.object(streaming, "budget", return_value=budget):
        given = Choices(convention=how, out=Path(folder, "out"), **choices)
        return evaluate_dataset(rankings, list(measures), given, qrels).scores().collect()


ENGINES = {
    engine.name: engine
    for engine in (
        Engine("batch", whole),
        Engine("pieces", pieces),
        Engine("queries", single),
        Engine("stream", stream),
        Engine("parted stream", parted_stream),
    )
}


# --- sameness ---


def differences(found: pl.DataFrame, expected: pl.DataFrame, by: Sequence[str] = ()) -> list[str]:
    """What differs between two tables, row by row whatever their order, numbers to the bit."""
    if set(found.columns) != set(expected.columns):
        return [f"columns {sorted(set(found.columns) ^ set(expected.columns))}"]
    keys = [*by, "query"]
    found, expected = (frame.select(expected.columns).sort(keys) for frame in (found, expected))
    if found.schema != expected.schema:
        return [f"types {found.schema} instead of {expected.schema}"]
    if not found.select(keys).equals(expected.select(keys)):
        return [f"queries {found.select(keys).rows()} instead of {expected.select(keys).rows()}"]
    said = []
    for name in expected.columns:
        ours, theirs = bits(found[name]), bits(expected[name])
        for row in np.flatnonzero((ours != theirs).to_numpy())[:1].tolist():
            said.append(f"{name} of {expected.row(row)[: len(keys)]}: {found[name][row]!r} not {expected[name][row]!r}")
    return said


def bits(column: pl.Series) -> pl.Series:
    """The column as numbers that are equal where all bits are, -1 for null; other columns as text."""
    if column.dtype != pl.Float64:
        return column.cast(pl.String).fill_null("\0")
    return pl.Series(column.fill_null(math.nan).to_numpy().view(np.int64))
