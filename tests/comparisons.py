"""Comparisons for the tests of reports: real scores, with intervals and tests that are quick to make."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources

import numpy as np

import rankgauge as rg
from rankgauge.comparison.comparison import Comparison, Everyone
from rankgauge.comparison.coverage import Bounds, Coverage
from rankgauge.comparison.decision import Evidence, decide
from rankgauge.comparison.pairs import Pair
from rankgauge.comparison.verdict import Thresholds
from rankgauge.records import Note
from rankgauge.records.scores import Scores
from rankgauge.statistics.results import Interval, PairedTest

GOLDEN = ("nDCG@10", "RBP(p=0.8)", "AP", "P@5", "Judged@10")


@dataclass(frozen=True)
class Case:
    """A comparison with what it was made from."""

    comparison: Comparison
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
    return Case(compared(rg.evaluate(qrels, runs, measures)), qrels, runs, texts, queries)


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
    """Runs over made-up documents whose grades are known for most; better runs have a higher number."""
    rng = np.random.default_rng(7)
    grades = rng.choice(4, size=(queries, 60), p=[0.7, 0.15, 0.1, 0.05])
    judged = rng.random((queries, 60)) < 0.9
    qrels = {
        f"query-{q:04}": {f"document-{q:04}-{d:02}": int(grades[q, d]) for d in np.flatnonzero(judged[q])}
        for q in range(queries)
    }
    made = tuple(_simulated_run(f"run-{r}", grades, 0.15 * r, depth, rng) for r in range(runs))
    built = rg.Qrels.from_dict(qrels)
    return Case(compared(rg.evaluate(built, made, measures)), built, made)


def _simulated_run(name: str, grades: np.ndarray, skill: float, depth: int, rng: np.random.Generator) -> rg.Run:
    noisy = (0.5 + skill) * grades + rng.normal(size=grades.shape)
    order = (-noisy).argsort(axis=1)[:, :depth]
    return rg.Run.from_dict(
        {f"query-{q:04}": {f"document-{q:04}-{d:02}": float(noisy[q, d]) for d in row} for q, row in enumerate(order)},
        name=name,
    )


def compared(scores: Scores, *, notes: Sequence[Note] = (), bounded: bool = True) -> Comparison:
    """Compare all runs with the first one."""
    pairs = [
        _pair(scores, run, measure, bounded)
        for measure in range(len(scores.measures))
        for run in range(1, len(scores.runs))
    ]
    return Comparison(
        scores, scores.runs[0], tuple(pairs), _everyone(scores), Thresholds(), "holm", 10_000, 42, tuple(notes)
    )


def _everyone(scores: Scores) -> tuple[Everyone, ...]:
    count = len(scores.runs)
    if count < 3:
        return ()
    p = np.random.default_rng(3).random((len(scores.measures), count, count)) ** 4
    p = (p + p.transpose(0, 2, 1)) / 2
    p[:, range(count), range(count)] = np.nan
    return tuple(Everyone(measure, p[m], len(scores.queries)) for m, measure in enumerate(scores.measures))


def _pair(scores: Scores, run: int, measure: int, bounded: bool) -> Pair:
    both = scores.counted[0] & scores.counted[run]
    base, other = scores.values[0, measure], scores.values[run, measure]
    query = np.flatnonzero(both & ~np.isnan(base) & ~np.isnan(other))
    d = other[query] - base[query]
    n = len(d)
    error = float(d.std(ddof=1) / np.sqrt(n)) if n > 1 else None
    mean = float(d.mean()) if n else None
    low, high = (None, None) if error is None or mean is None else (mean - 1.96 * error, mean + 1.96 * error)
    p = None if not error or mean is None else float(np.exp(-((abs(mean) / error) ** 2)))
    names = (scores.measures[measure], scores.runs[0], scores.runs[run])
    tests = [
        PairedTest(method, 1.5 if p else None, p, n, outcome="" if p else "too few queries")
        for method in ("randomization", "t", "wilcoxon")
    ]
    cover = _coverage(scores, run, measure, names, bounded)
    evidence = _evidence(
        names, query, cover, Interval(mean, low, high, 0.95, "BCa bootstrap, 10,000 resamples", n), p, error
    )
    return Pair(
        query=query.astype(np.int64),
        baseline_values=base[query],
        run_values=other[query],
        left_out=int(both.sum()) - n,
        baseline_missing=len(scores.counts[0].missing),
        run_missing=len(scores.counts[run].missing),
        test=tests[0],
        others=tuple(tests[1:]),
        effect_size=None if not error else float(d.mean() / d.std(ddof=1)),
        wins=int((d > 0).sum()),
        ties=int((d == 0).sum()),
        losses=int((d < 0).sum()),
        coverage=cover,
        evidence=evidence,
        verdict=decide(evidence, Thresholds()),
    )


def _evidence(
    names: tuple[str, str, str],
    query: np.ndarray,
    cover: Coverage,
    difference: Interval,
    p: float | None,
    error: float | None,
) -> Evidence:
    low, high = difference.low, difference.high
    within = low is not None and high is not None and -0.01 < low and high < 0.01
    bounds = None
    if cover.bounds is not None and len(query):
        bounds = _mean(cover.bounds.low[query]), _mean(cover.bounds.high[query])
    return Evidence(
        *names,
        n=len(query),
        difference=difference,
        p=p,
        outcome="" if p else "too few queries",
        equivalent=within,
        unjudged=(_mean(cover.unjudged_baseline[query]), _mean(cover.unjudged_run[query])),
        bounds=bounds,
        policies={name: _mean(values[query]) for name, values in cover.policies.items()},
        detectable=None if error is None else 2.8 * error,
        needed=None if not error else int((2.8 * error) ** 2 * len(query) / 0.01**2),
    )


def _mean(values: np.ndarray) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else 0.0


def _coverage(scores: Scores, run: int, measure: int, names: tuple[str, str, str], bounded: bool) -> Coverage:
    base, other = scores.unjudged[0, measure], scores.unjudged[run, measure]
    difference = scores.values[run, measure] - scores.values[0, measure]
    bounds = Bounds(difference - 0.6 * base, difference + 0.6 * other, "coupled, exact") if bounded else None
    return Coverage(*names, base, other, bounds, {"unjudged=0": difference, "condensed": difference + 0.1 * other})


def _lines(file: object) -> list[dict[str, str]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]  # type: ignore[attr-defined]
