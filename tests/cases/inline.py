"""Qrels and runs from lines of text: the reported cases as they were written, through columns and through a file."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl

import rankgauge as rg


def qrels(text: str, **how: Any) -> rg.Qrels:
    """Take lines `query 0 doc grade`."""
    query, _, doc, grade = zip(*(line.split() for line in text.strip().splitlines()), strict=True)
    found = rg.Qrels.from_columns(pl.Series(query), pl.Series(doc), pl.Series([float(g) for g in grade]), **how)
    assert found.to_polars().equals(_from_file(rg.read_qrels, text, how).to_polars())
    return found


def run(text: str, **how: Any) -> rg.Run:
    """Take lines `query Q0 doc rank score tag`; the rank is ignored."""
    query, _, doc, _, score, _ = zip(*(line.split() for line in text.strip().splitlines()), strict=True)
    found = rg.Run.from_columns(pl.Series(query), pl.Series(doc), pl.Series([float(s) for s in score]), **how)
    assert found.to_polars().equals(_from_file(rg.read_run, text, how).to_polars())
    return found


def _from_file(read: Callable[..., Any], text: str, how: dict[str, Any]) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "case.txt")
        path.write_text(text + "\n", encoding="utf-8")
        return read(path, **how)


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
