"""Comparisons as text: the verdict first, then the table; and the object that programs read."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import numpy as np

from rankgauge.comparison.comparison import Comparison, Everyone
from rankgauge.comparison.decision import percent, show_p
from rankgauge.comparison.pairs import Pair
from rankgauge.report.grid import Cell, Format, Grid
from rankgauge.report.scores import as_json as scores_as_json

MARKS = {
    "better": "▲",
    "worse": "▼",
    "equivalent": "=",
    "no difference seen": "~",
    "not comparable offline": "?",
}
"""What stands before a verdict, for eyes that skim."""


def render_comparison(comparison: Comparison, *, format: Format = "table", digits: int = 4) -> str:
    """Write the verdicts and the table of all pairs; JSON is one object, CSV and LaTeX are the table alone."""
    if format == "json":
        return json.dumps(as_json(comparison), ensure_ascii=False, indent=2) + "\n"
    if format == "csv":
        return _everything(comparison).csv()
    table = pairs_grid(comparison, digits).render(format)
    if format == "latex":
        return table
    said = "\n".join(verdict_lines(comparison, bullet="- " if format == "markdown" else ""))
    more = "".join(f"\n{everyone_grid(comparison, one).render(format)}" for one in comparison.everyone)
    return f"{said}\n\n{table}{more}"


def verdict_lines(comparison: Comparison, *, bullet: str = "") -> list[str]:
    """The verdict on each run, with what it rests on and what to do."""
    lines = []
    for pair in comparison.verdicts:
        verdict = pair.verdict
        lines.append(f"{bullet}{MARKS[verdict.word]} {verdict.word.upper()}: {verdict.sentence}")
        lines += [f"  {bullet}{reason}" for reason in verdict.because]
        lines += [f"  {bullet}next: {step}" for step in verdict.do]
    return lines + [f"{bullet}{note.text}" for note in comparison.notes]


def pairs_grid(comparison: Comparison, digits: int = 4) -> Grid:
    """One row per measure and run, the baseline first under each measure."""
    confidence = f"{1 - comparison.thresholds.alpha:.0%} interval"
    columns = ["measure", "run", "mean", "difference", confidence, "p", "wins/ties/losses", "unjudged",
               "bounds of the difference", "verdict"]  # fmt: skip
    rows: list[list[Cell]] = []
    for measure in comparison.scores.measures:
        pairs = [pair for pair in comparison.pairs if pair.measure == measure]
        mean = _mean(pairs[0].baseline_values)
        share = percent(pairs[0].unjudged[0])
        rows.append([measure, comparison.baseline, mean, None, None, None, None, share, None, "baseline"])
        rows += [_row(pair, digits) for pair in pairs]
    return Grid(columns, rows, digits, booktabs=True)


def _row(pair: Pair, digits: int) -> list[Cell]:
    d, bounds = pair.difference, pair.bounds
    span = None if d.low is None or d.high is None else f"[{d.low:+.{digits}f}, {d.high:+.{digits}f}]"
    return [
        pair.measure,
        pair.run,
        _mean(pair.run_values),
        None if d.estimate is None else f"{d.estimate + 0.0:+.{digits}f}",
        span,
        show_p(pair.p_adjusted),
        f"{pair.wins}/{pair.ties}/{pair.losses}",
        percent(pair.unjudged[1]),
        None if bounds is None else f"[{bounds[0] + 0.0:+.{digits}f}, {bounds[1] + 0.0:+.{digits}f}]",
        f"{MARKS[pair.verdict.word]} {pair.verdict.word}",
    ]


def everyone_grid(comparison: Comparison, everyone: Everyone) -> Grid:
    """The p of every two runs under one measure."""
    runs = comparison.scores.runs
    rows = [[run, *(None if one == run else _p(everyone, i, j) for j, one in enumerate(runs))]
            for i, run in enumerate(runs)]  # fmt: skip
    return Grid([f"{everyone.measure}: p of every two (Tukey)", *runs], rows)


def _p(everyone: Everyone, row: int, column: int) -> str:
    p = float(everyone.p[row, column])
    return "-" if np.isnan(p) else show_p(p)


def _mean(values: Any) -> float | None:
    return float(values.mean()) if len(values) else None


def _everything(comparison: Comparison) -> Grid:
    """Every number of every pair, one row each."""
    rows = [_flat(pair_json(pair)) for pair in comparison.pairs]
    return Grid(list(rows[0]), [list(row.values()) for row in rows])


def _flat(pair: dict[str, Any]) -> dict[str, Any]:
    bounds, policies = pair.pop("bounds") or {}, pair.pop("policies")
    for nested in ("tests", "because", "do"):
        pair.pop(nested)
    ends = {f"bounds_{name}": bounds.get(name) for name in ("low", "high", "method")}
    return pair | ends | {f"difference {name}": value for name, value in policies.items()}


def as_json(comparison: Comparison, *, per_query: bool = True) -> dict[str, Any]:
    """One object: the verdicts, every pair, every two runs, the queries' values, the scores."""
    return scores_as_json(comparison.scores) | {
        "baseline": comparison.baseline,
        "measure": comparison.measure,
        "verdicts": [verdict_json(pair) for pair in comparison.verdicts],
        "pairs": [pair_json(pair) for pair in comparison.pairs],
        "means": [
            {"measure": measure, "run": run} | asdict(interval)
            for measure, row in zip(comparison.scores.measures, comparison.means, strict=True)
            for run, interval in zip(comparison.scores.runs, row, strict=True)
        ],
        "everyone": [
            {"measure": one.measure, "queries": one.queries, "runs": list(comparison.scores.runs), "p": _matrix(one.p)}
            for one in comparison.everyone
        ],
        "thresholds": asdict(comparison.thresholds),
        "correction": comparison.correction,
        "resamples": comparison.resamples,
        "seed": comparison.seed,
        "notes": [asdict(note) for note in comparison.notes],
        "per_query": per_query_json(comparison) if per_query else None,
    }


def verdict_json(pair: Pair) -> dict[str, Any]:
    """The verdict on one pair."""
    verdict = pair.verdict
    return {
        "run": pair.run,
        "baseline": pair.baseline,
        "measure": pair.measure,
        "verdict": verdict.word,
        "rule": verdict.rule,
        "sentence": verdict.sentence,
        "because": list(verdict.because),
        "do": list(verdict.do),
    }


def pair_json(pair: Pair) -> dict[str, Any]:
    """Every number of one pair."""
    d, bounds, method = pair.difference, pair.bounds, pair.coverage.bounds
    return {
        "measure": pair.measure,
        "baseline": pair.baseline,
        "run": pair.run,
        "n": pair.n,
        "left_out": pair.left_out,
        "baseline_mean": _mean(pair.baseline_values),
        "run_mean": _mean(pair.run_values),
        "difference": d.estimate,
        "low": d.low,
        "high": d.high,
        "confidence": d.confidence,
        "interval_method": d.method,
        "test": pair.test.method,
        "statistic": pair.test.statistic,
        "p": pair.test.p,
        "p_adjusted": pair.p_adjusted,
        "exact": pair.test.exact,
        "outcome": pair.test.outcome,
        "tests": [asdict(test) for test in (pair.test, *pair.others)],
        "effect_size": pair.effect_size,
        "wins": pair.wins,
        "ties": pair.ties,
        "losses": pair.losses,
        "detectable": pair.detectable,
        "needed": pair.needed,
        "baseline_missing": pair.baseline_missing,
        "run_missing": pair.run_missing,
        "baseline_unjudged": pair.unjudged[0],
        "run_unjudged": pair.unjudged[1],
        "bounds": None if bounds is None or method is None else
        {"low": bounds[0], "high": bounds[1], "method": method.method},
        "policies": dict(pair.policies),
        **{key: value for key, value in verdict_json(pair).items() if key not in {"run", "baseline", "measure"}},
    }  # fmt: skip


def per_query_json(comparison: Comparison) -> dict[str, Any]:
    """The queries' values by column: {"queries": [...], "values": {measure: {run: [value or null]}}}."""
    scores = comparison.scores
    values = np.where(scores.counted[:, None, :], scores.values, np.nan)
    return {
        "queries": scores.queries.to_list(),
        "values": {
            measure: {run: _list(values[i, j]) for i, run in enumerate(scores.runs)}
            for j, measure in enumerate(scores.measures)
        },
    }


def _list(values: Any) -> list[float | None]:
    return [None if value != value else value for value in values.tolist()]


def _matrix(values: Any) -> list[list[float | None]]:
    return [_list(row) for row in values]
