"""Fusion as text: the methods and normalisations there are, and what tuning found."""

from __future__ import annotations

import json
from typing import Any

from rankgauge.fusion import METHODS, NORMS, FusionMethod, Norm, Tuned
from rankgauge.fusion.sources import SOURCES
from rankgauge.measures._values import describe, show_value
from rankgauge.report.grid import Cell, Format, Grid

SHOWN_TRIALS = 10


def render_methods(*, format: Format = "table") -> str:
    """Write every method and every normalisation with formula, parameters and source."""
    if format == "json":
        known = {"methods": [_record(m) for m in METHODS.values()], "norms": [_norm_record(n) for n in NORMS.values()]}
        return json.dumps(known, ensure_ascii=False, indent=2) + "\n"
    methods = _methods_grid(code="")
    return methods.render(format) if format == "csv" else methods.render(format) + "\n" + _norms_grid("").render(format)


def _record(method: FusionMethod) -> dict[str, Any]:
    return {
        "method": method.name,
        "aliases": list(method.aliases),
        "summary": method.summary,
        "formula": method.equation,
        "reads": "scores" if method.reads_scores else "ranks",
        "norm": method.norm,
        "weights": method.weighted,
        "learns": method.train is not None,
        "parameters": [
            {"name": p.name, "default": show_value(p.default), "takes": describe(p.hint), "help": p.help}
            for p in method.parameters.values()
        ],
        "source": SOURCES.get(method.cite, method.cite),
    }


def _norm_record(norm: Norm) -> dict[str, Any]:
    record = {"norm": norm.name, "aliases": list(norm.aliases), "summary": norm.summary, "formula": norm.equation}
    return record | {"source": SOURCES.get(norm.cite, norm.cite)}


def _needs(method: FusionMethod) -> str:
    takes = ["weights"] * method.weighted + [
        f"{p.name}={show_value(p.default)}: {describe(p.hint)}" for p in method.parameters.values()
    ]
    return "; ".join(takes + ["training qrels"] * (method.train is not None)) or "-"


def _methods_grid(code: str) -> Grid:
    rows = [
        (
            f"{code}{m.name}{code}",
            " ".join(m.equation.split()),
            _needs(m),
            "scores" if m.reads_scores else "ranks",
            _short(m.cite),
        )
        for m in METHODS.values()
    ]
    return Grid(("method", "formula", "takes", "reads", "source"), rows)


def _norms_grid(code: str) -> Grid:
    rows = [(f"{code}{n.name}{code}", n.summary, n.equation, _short(n.cite)) for n in NORMS.values()]
    return Grid(("normalisation", "scores become", "formula", "source"), rows)


def _short(cite: str) -> str:
    """Authors and year of a source."""
    return SOURCES[cite].split(")")[0] + ")" if cite else "-"


def filled(template: str) -> str:
    """Put the tables into the docs' page, at {{methods}}, {{norms}} and {{sources}}."""
    cited = {m.cite for m in METHODS.values()} | {n.cite for n in NORMS.values()}
    tables = {
        "methods": _methods_grid("`").markdown(),
        "norms": _norms_grid("`").markdown(),
        "sources": "".join(f"- {SOURCES[cite]}\n" for cite in sorted(cited - {""})),
    }
    for name, text in tables.items():
        template = template.replace(f"{{{{{name}}}}}", text.rstrip("\n"))
    return template.rstrip("\n") + "\n"


def render_tuned(tuned: Tuned, *, format: Format = "table", digits: int = 4) -> str:
    """Write the best ways of fusing and, below, what the choice is worth on queries it was not made on."""
    if format == "json":
        return json.dumps(as_json(tuned), ensure_ascii=False, indent=2) + "\n"
    if format == "csv":
        return tuned.to_polars().write_csv()
    rows: list[list[Cell]] = [[str(t), t.score, *t.folds] for t in tuned.trials[:SHOWN_TRIALS]]
    columns = ("way of fusing", tuned.measure, *(f"fold {n}" for n in range(1, len(tuned.fold_choices) + 1)))
    return Grid(columns, rows, digits).render(format) + "\n" + summary(tuned, digits)


def summary(tuned: Tuned, digits: int = 4) -> str:
    """Say what was chosen and what it is worth, in a few lines."""
    gain = (tuned.queries["held_out"] - tuned.queries["best_run"]).to_numpy()
    wins, losses = int((gain > 0).sum()), int((gain < 0).sum())
    lines = [
        f"chosen of {len(tuned.trials):,} ways: {tuned.chosen}",
        f"held out: {tuned.held_out:.{digits}f} {tuned.measure} on {len(gain)} queries, chosen without them",
        f"best single run: {tuned.best_run_held_out:.{digits}f} held out, chosen in the same manner"
        f" ({tuned.best_run} has {tuned.best_run_in_sample:.{digits}f} on all)",
        f"the difference: {gain.mean():+.{digits}f} held out; better on {wins} queries, worse on {losses},"
        f" equal on {len(gain) - wins - losses}",
        f"in sample: {tuned.in_sample:.{digits}f}, on the queries it was chosen on: too good, not for reports",
    ]
    return "".join(line + "\n" for line in lines)


def as_json(tuned: Tuned) -> dict[str, Any]:
    """Everything that tuning found, as plain values."""
    return {
        "measure": tuned.measure,
        "runs": list(tuned.runs),
        "chosen": str(tuned.chosen),
        "held_out": tuned.held_out,
        "in_sample": tuned.in_sample,
        "best_run": {
            "name": tuned.best_run,
            "held_out": tuned.best_run_held_out,
            "in_sample": tuned.best_run_in_sample,
        },
        "fold_choices": list(tuned.fold_choices),
        "trials": tuned.to_polars().to_dicts(),
        "queries": tuned.queries.to_dicts(),
    }
