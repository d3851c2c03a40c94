"""The engine for what fits in memory: qrels and runs to judged runs, and measures over them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from rankgauge import conventions
from rankgauge.conventions import Convention
from rankgauge.engines import ranking, remarks, subtopics
from rankgauge.engines import ties as ties_
from rankgauge.errors import EmptyInputError, Fault, InputError, ParameterError
from rankgauge.judged import BoolArray, FloatArray, IntArray, JudgedRun, Judgments, ratio
from rankgauge.measures import Measure, parse
from rankgauge.records import Note, Qrels, Run
from rankgauge.records.scores import Counts, Scores

MOST_KINDS, MOST_CELLS = 64, 16
"""Judgments are sorted by counting while they have at most so many grades, and so many cells each to count them in."""

AnyRun = Run | Mapping[Any, Mapping[Any, Any]]
AnyQrels = Qrels | Mapping[Any, Mapping[Any, Any]]


def judgments(qrels: Qrels) -> Judgments:
    """Take from the qrels what measures may know before any run is seen."""
    flat = qrels.flat
    pairs = None if qrels.subtopics is None else subtopics.of_qrels(qrels)
    known = by_grade(flat.row_query, flat.grades, len(flat.queries), flat.top_grade)
    return replace(known, subtopics=pairs)


def by_grade(query: IntArray, grade: FloatArray, Q: int, top_grade: float) -> Judgments:
    """Put judgments of Q queries in order, best first within each."""
    low, high = grade.min(initial=0.0), grade.max(initial=0.0)
    kinds = int(high - low) + 1 if high - low < MOST_KINDS else 0
    if not kinds or Q * kinds > MOST_CELLS * len(grade) or (np.rint(grade) != grade).any():
        order = np.lexsort((-grade, query))
        return Judgments(query[order], grade[order], Q, top_grade)
    # Few whole grades are counted, which is much faster than a sort.
    counts = np.bincount(query * kinds + (high - grade).astype(np.int64), minlength=Q * kinds)
    grades = np.tile(high - np.arange(kinds), Q)
    of_query = counts.reshape(Q, kinds).sum(axis=1)
    return Judgments(np.repeat(np.arange(Q), of_query), np.repeat(grades, counts), Q, top_grade)


def judge(qrels: Qrels, run: Run, how: Convention | str = "default", *, known: Judgments | None = None) -> JudgedRun:
    """Replace the documents of a run by their judgments.

    Parameters
    ----------
    known : the qrels' judgments, where several runs share them
    """
    numbers = ranking.query_numbers(qrels.flat, run)
    found = ranking.match(qrels.flat, run, numbers)
    known = judgments(qrels) if known is None else known
    return placed(qrels, run, conventions.convention(how), known=known, numbers=numbers, found=found)


def placed(
    qrels: Qrels, run: Run, chosen: Convention, *, known: Judgments, numbers: IntArray, found: ranking.Matches
) -> JudgedRun:
    """Put judged documents at their ranks: the part of `judge` that runs with the same documents do not share."""
    flat = qrels.flat
    at = ranking.place(run, found.row, chosen)
    query, grade = flat.row_query[found.judgment], flat.grades[found.judgment]
    order = _in_order(query, at.rank)
    return JudgedRun(
        query=query[order],
        grade=grade[order],
        rank=at.rank[order],
        first=at.first[order],
        last=at.last[order],
        known=is_known(grade, chosen)[order],
        depth=ranking.depths(run, numbers, known.Q),
        judgments=known,
        subtopics=known.subtopics and subtopics.placed(known.subtopics, len(flat), found.judgment, at.rank),
        level=chosen.level,
        candidates=None if chosen.ideal == "judged" else by_grade(query, grade, known.Q, known.top_grade),
        negative=chosen.negative,
    )


def _in_order(query: IntArray, rank: IntArray) -> IntArray | slice:
    """Order by query and rank; nothing to do where rows lie so already."""
    later = (query[1:] > query[:-1]) | ((query[1:] == query[:-1]) & (rank[1:] >= rank[:-1]))
    return slice(None) if later.all() else np.lexsort((rank, query))


def rejudged(judged: JudgedRun, how: Convention) -> JudgedRun:
    """Return the same ranking under other rules for negative grades, the ideal and the level, without a new join."""
    known = judged.judgments
    pool = None if how.ideal == "judged" else by_grade(judged.query, judged.grade, known.Q, known.top_grade)
    marks = is_known(judged.grade, how)
    return replace(judged, known=marks, negative=how.negative, candidates=pool, level=how.level)


def is_known(grade: FloatArray, how: Convention) -> BoolArray:
    """Whether each grade is a judgment at all, bool[H]: what a grade below 0 says differs between tools."""
    if how.negative == "judged":
        return np.ones(len(grade), dtype=np.bool_)
    return grade >= 0 if how.negative == "unjudged" else (grade >= 0) | (grade < -1)


def evaluate(
    qrels: AnyQrels,
    runs: AnyRun | Mapping[str, AnyRun] | Sequence[Run],
    measures: str | Measure | Sequence[str | Measure],
    *,
    convention: Convention | str = "default",
    ties: conventions.Ties | None = None,
) -> Scores:
    """Score every run with every measure.

    Parameters
    ----------
    qrels : Qrels, or {query: {doc: grade}}
    runs : one Run, several, {name: run}, or a run as {query: {doc: score}}
    measures : names such as "nDCG@10", or measures such as `rg.ERR @ 10`
    convention : name of a tool whose choices hold, or a Convention
    ties : order of tied documents if not the convention's: "docid-desc", "docid-asc", "input", "expected"

    Raises
    ------
    InputError
        For inputs that cannot be read for sure, and for a run that shares no query with the qrels.
    MeasureError
        For a measure that does not exist or does not fit.

    >>> scores = evaluate({"q": {"a": 2, "b": 0}}, {"q": {"b": 2.0, "a": 1.0}}, ["nDCG@10", "RR"])
    >>> scores.mean()["mean"].round(4).to_list()
    [0.6309, 0.5]
    """
    how = conventions.convention(convention).but(ties=ties)
    judged, named = as_qrels(qrels), as_runs(runs)
    chosen = as_measures(measures, how)
    known = judgments(judged)
    parts = [_score(judged, run, chosen, how, known) for run in named]
    stacked = {name: np.stack([part.arrays[name] for part in parts]) for name in parts[0].arrays}
    said = [*judged.notes, *[note for run in named for note in run.notes]]
    return Scores(
        runs=tuple(run.name for run in named),
        measures=tuple(str(m) for m in chosen),
        queries=judged.flat.queries,
        averages=tuple(m.declared.average for m in chosen),
        counts=tuple(part.counts for part in parts),
        convention=how.name,
        judgments=len(judged.flat),
        mean_decimals=how.mean_decimals,
        notes=(*said, *[note for part in parts for note in part.notes], *remarks.of_measures(known, chosen)),
        **stacked,
    )


@dataclass(frozen=True)
class _Part:
    """One run's share of the scores."""

    arrays: dict[str, Any]
    counts: Counts
    notes: list[Note]


def _score(qrels: Qrels, run: Run, measures: Sequence[Measure], how: Convention, known: Judgments) -> _Part:
    said: list[Note] = []
    if how.drop_self:
        run, said = without_self(run)
    numbers = ranking.query_numbers(qrels.flat, run)
    found = ranking.match(qrels.flat, run, numbers)
    judge_by = functools.cache(lambda rules: placed(qrels, run, rules, known=known, numbers=numbers, found=found))
    judged = judge_by(how)
    counts = _counts(qrels.flat, run, judged)
    if len(counts.left_out) == counts.queries:
        raise InputError(remarks.no_common_query(qrels, run))
    values = measured(measures, how, judge_by)
    arrays: dict[str, Any] = {name: np.stack([one.arrays[name] for one in values]) for name in values[0].arrays}
    for measure, one in zip(measures, values, strict=True):
        said.extend(remarks.of_expected(run, str(measure), one.sampled, one.error))
    arrays["counted"] = counted(judged, how)
    return _Part(arrays, counts, [*said, *remarks.of_run(qrels.flat, run, judged, counts)])


@dataclass(frozen=True)
class Measured:
    """One measure's values, and the doubt beside them, float64[Q] each by the names that `Scores` gives them.

    `sampled` and `error` as in `ties.Expected`.
    """

    arrays: dict[str, FloatArray]
    sampled: int
    error: float


def measured(
    measures: Sequence[Measure], how: Convention, judge_by: Callable[[Convention], JudgedRun]
) -> list[Measured]:
    """Score one run with every measure: what all engines do, however its judged documents were found.

    `judge_by` gives the judged run under a convention's rules.
    """
    done = []
    for measure in measures:
        rules = how.of(str(measure))
        seen = judge_by(rules)
        found = ties_.expected(measure, seen) if rules.ties == "expected" else ties_.Expected(measure.of(seen))
        done.append(Measured(_values(measure, seen, found.values, rules), found.sampled, found.error))
    return done


def _values(measure: Measure, judged: JudgedRun, values: FloatArray, how: Convention) -> dict[str, FloatArray]:
    """One measure's values float64[Q], and what is said beside them."""
    low, high = ties_.interval(measure, judged, known=values)
    bound = ties_.residual(measure, judged, averaged=how.ties == "expected")
    nothing = np.full(judged.Q, np.nan)
    view = measure.view(judged)
    return {
        "values": finished(values, how),
        "low": finished(low, how),
        "high": finished(high, how),
        "unjudged": ratio(view.unjudged, view.seen),
        "residual_unjudged": nothing if bound is None else bound.unjudged,
        "residual_tail": nothing if bound is None else bound.tail,
    }


def counted(judged: JudgedRun, how: Convention) -> BoolArray:
    """Which queries the convention's means are over, bool[Q]."""
    if how.queries == "judged":
        return np.ones(judged.Q, dtype=np.bool_)
    return judged.depth > 0 if how.queries == "both" else (judged.depth > 0) & (judged.R > 0)


def defined(values: FloatArray, how: Convention) -> FloatArray:
    """Give undefined values what the convention gives them: they stay NaN where it skips them."""
    if how.undefined == "skip":
        return values
    return np.where(np.isnan(values), 0.0 if how.undefined == "zero" else 1.0, values)


def finished(values: FloatArray, how: Convention) -> FloatArray:
    """Give undefined values what the convention gives them, and round as the tool rounds."""
    values = defined(values, how)
    return values if how.decimals is None else np.array([round(value, how.decimals) for value in values.tolist()])


def _counts(qrels: Qrels, run: Run, judged: JudgedRun) -> Counts:
    present = set(qrels.queries)
    known = np.array([query in present for query in run.queries], dtype=np.bool_)
    return Counts(
        documents=len(run),
        queries=len(run.queries),
        missing=tuple(qrels.queries.filter(pl.Series(judged.depth == 0))),
        left_out=tuple(run.queries.filter(pl.Series(~known))),
        without_judgments=int(np.diff(run.offsets)[~known].sum()),
        judged=len(judged.rank),
        tied=int((judged.last > judged.first).sum()),
    )


def without_self(run: Run) -> tuple[Run, list[Note]]:
    """Drop the documents whose id is the query's id, and say how many."""
    query = run.queries.gather(run.row_query)
    kept = np.flatnonzero((run.docs != query).to_numpy())
    if (dropped := len(run) - len(kept)) == 0:
        return run, []
    text = f"run {run.name!r}: {dropped} documents whose id equals the query's were dropped"
    smaller = run.only(kept, Note("self", dropped, text))
    return smaller, [smaller.notes[-1]]


def as_qrels(qrels: AnyQrels) -> Qrels:
    """Take qrels as they are, or from {query: {doc: grade}}."""
    return qrels if isinstance(qrels, Qrels) else Qrels.from_dict(qrels)


def as_runs(runs: AnyRun | Mapping[str, AnyRun] | Sequence[Run]) -> list[Run]:
    """Take one run, several, {name: run} or a nested dict as a list of runs with distinct names."""
    if isinstance(runs, Run):
        return [runs]
    named: list[Run]
    if isinstance(runs, Mapping):
        nested: Mapping[Any, Any] = runs
        first = next(iter(runs.values()), None)
        if not isinstance(first, Run) and not _is_nested(first):
            return [Run.from_dict(nested)]
        named = [_named(name, run) for name, run in runs.items()]
    else:
        named = list(runs)
    if not named:
        raise EmptyInputError(Fault("runs", "at least one run", "none"))
    names = [run.name for run in named]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(Fault("runs", "a name of its own for each run", f"{twice!r} twice", "pass {name: run}"))
    return named


def _is_nested(value: object) -> bool:
    return isinstance(value, Mapping) and isinstance(next(iter(value.values()), None), Mapping)


def _named(name: str, run: AnyRun) -> Run:
    return run.named(name) if isinstance(run, Run) else Run.from_dict(run, name=name)


def as_measures(measures: str | Measure | Sequence[str | Measure], how: Convention) -> list[Measure]:
    """Read the measures' names and fill in the convention's defaults; a measure named twice counts once."""
    listed = [measures] if isinstance(measures, (str, Measure)) else measures
    found = [(parse(m) if isinstance(m, str) else m).under(how) for m in listed]
    if not found:
        raise ParameterError("expected at least one measure, got none; try nDCG@10")
    return list(dict.fromkeys(found))
