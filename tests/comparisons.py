"""Comparisons for the tests of reports, with few resamples: quick to make."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from typing import Any

import numpy as np

import rankgauge as rg

RESAMPLES = 200
GOLDEN = ("nDCG@10", "RBP(p=0.8)", "AP", "P@5", "Judged@10")


@dataclass(frozen=True)
class Case:
    """A comparison with what it was made from."""

    comparison: rg.Comparison
    qrels: rg.Qrels
    runs: tuple[rg.Run, ...]
    texts: Mapping[str, str] = field(default_factory=dict)
    queries: Mapping[str, str] = field(default_factory=dict)


def golden(measures: Sequence[str] = GOLDEN, *, later: bool = False) -> Case:
    """The bundled golden set: keyword and vector, and with them a third run that mixes both."""
    folder = resources.files("rankgauge") / "data" / "golden"
    qrels = rg.read_qrels(folder / f"qrels{'.second-round' if later else ''}.txt")
    keyword, vector = (rg.read_run(folder / f"{name}.run", name=name) for name in ("keyword", "vector"))
    texts = {line["_id"]: f"{line['title']}. {line['text']}" for line in _lines(folder / "corpus.jsonl")}
    queries = {line["_id"]: line["text"] for line in _lines(folder / "queries.jsonl")}
    runs = (keyword, vector, mixed(keyword, vector))
    return case(qrels, runs, measures, texts, queries)


def mixed(first: rg.Run, second: rg.Run) -> rg.Run:
    """A run of both, by reciprocal rank."""
    scores: dict[str, dict[str, float]] = {}
    for run in (first, second):
        for query, docs in run.ranked().to_dict().items():
            into = scores.setdefault(query, {})
            for rank, doc in enumerate(docs, 1):
                into[doc] = into.get(doc, 0.0) + 1 / (60 + rank)
    return rg.Run.from_dict(scores, name="hybrid")


def simulated(
    runs: int, queries: int, *, depth: int = 20, measures: Sequence[str] = ("nDCG@10", "RBP(p=0.8)", "AP")
) -> Case:
    """Runs over made-up documents whose grades are all known, which is quick; better runs have a higher number."""
    rng = np.random.default_rng(7)
    grades = rng.choice(4, size=(queries, 60), p=[0.7, 0.15, 0.1, 0.05])
    qrels = {f"query-{q:04}": {f"document-{q:04}-{d:02}": int(grades[q, d]) for d in range(60)} for q in range(queries)}
    made = tuple(_simulated_run(f"run-{r}", grades, 0.15 * r, depth, rng) for r in range(runs))
    built = rg.Qrels.from_dict(qrels)
    return case(built, made, measures)


def _simulated_run(name: str, grades: np.ndarray, skill: float, depth: int, rng: np.random.Generator) -> rg.Run:
    noisy = (0.5 + skill) * grades + rng.normal(size=grades.shape)
    order = (-noisy).argsort(axis=1)[:, :depth]
    return rg.Run.from_dict(
        {f"query-{q:04}": {f"document-{q:04}-{d:02}": float(noisy[q, d]) for d in row} for q, row in enumerate(order)},
        name=name,
    )


def case(
    qrels: rg.Qrels,
    runs: Sequence[rg.Run],
    measures: str | Sequence[str] = "nDCG@10",
    texts: Mapping[str, str] | None = None,
    queries: Mapping[str, str] | None = None,
) -> Case:
    """Compare all runs with the first one."""
    return Case(rg.compare(qrels, runs, measures, resamples=RESAMPLES), qrels, tuple(runs), texts or {}, queries or {})


def _lines(file: Any) -> list[dict[str, str]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]
