"""Qrels and runs from lines of text, through columns: the reported cases as they were written."""

from __future__ import annotations

from typing import Any

import polars as pl

import rankgauge as rg


def qrels(text: str, **how: Any) -> rg.Qrels:
    """Take lines `query 0 doc grade`."""
    query, _, doc, grade = zip(*(line.split() for line in text.strip().splitlines()), strict=True)
    return rg.Qrels.from_columns(pl.Series(query), pl.Series(doc), pl.Series([float(g) for g in grade]), **how)


def run(text: str, **how: Any) -> rg.Run:
    """Take lines `query Q0 doc rank score tag`; the rank is ignored."""
    query, _, doc, _, score, _ = zip(*(line.split() for line in text.strip().splitlines()), strict=True)
    return rg.Run.from_columns(pl.Series(query), pl.Series(doc), pl.Series([float(s) for s in score]), **how)


def values(qrels: rg.Qrels, run: rg.Run, *measures: str, **how: Any) -> dict[str, dict[str, float | None]]:
    """{query: {measure as asked: value}}."""
    scores = rg.evaluate(qrels, run, list(measures), **how)
    asked = dict(zip(measures, scores.measures, strict=True))
    return {
        q: {name: scores.of(run.name, asked[name])[q] for name in measures}
        for q in scores.of(run.name, asked[measures[0]])
    }


def value(qrels: rg.Qrels, run: rg.Run, measure: str, **how: Any) -> float | None:
    """Value of the only query."""
    (found,) = values(qrels, run, measure, **how).values()
    return found[measure]


def kinds(scores: rg.Scores) -> set[str]:
    """What the notes speak of."""
    return {note.kind for note in scores.notes}
