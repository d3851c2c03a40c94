"""Both halves of a RAG system as text: the verdict, the blame, and one table."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from rankgauge.rag.blame import Blame
from rankgauge.rag.evaluation import Evaluated, RagEvaluation
from rankgauge.rag.outcomes import OUTCOMES, Outcomes
from rankgauge.rag.table import Mean
from rankgauge.rag.verdict import Change
from rankgauge.report.grid import Cell, Format, Grid
from rankgauge.statistics.results import Interval

COLUMNS = ("system", "measure", "mean", "low", "high", "n", "failed", "abstained", "not applicable")
MARKS = {"better": "+", "worse": "-", "equivalent": "=", "mixed": "±", "cannot tell": "?"}


def render_rag(found: RagEvaluation, *, format: Format = "table", digits: int = 4) -> str:
    """Write the verdict first, then whose fault the wrong answers are, then every measure of both halves."""
    if format == "json":
        return json.dumps(as_json(found), ensure_ascii=False, indent=2) + "\n"
    grid = measures_grid(found, digits)
    if format in ("csv", "latex"):
        return grid.render(format)
    bullet = "- " if format == "markdown" else ""
    lines = [f"{bullet}{line}" for line in sentences(found)]
    return "\n".join([*lines, "", grid.render(format)])


def sentences(found: RagEvaluation) -> list[str]:
    """The verdict, and for each system whose fault the wrong answers are and what became of its questions."""
    lines = []
    if found.verdict is not None:
        verdict = found.verdict
        lines.append(f"{MARKS[verdict.word]} {verdict.word.upper()}: {verdict.sentence}")
        lines += verdict.because
    for one in found.systems:
        lines.append(f"{one.name}: {blame_sentence(one)}.")
        lines.append(f"{one.name}: {outcomes_sentence(one.outcomes)}.")
    return lines


def blame_sentence(one: Evaluated) -> str:
    """Whose fault, or why nobody can say."""
    if one.blame is not None:
        return one.blame.sentence
    if one.retrieval is None:
        return "whose fault wrong answers are is not known: no judgments of the passages (--retrieval)"
    return "whose fault wrong answers are is not known: there are no references"


def outcomes_sentence(outcomes: Outcomes) -> str:
    """How many questions were answered, and how many of those that could be."""
    kinds = {
        "answerable": outcomes.answerable,
        "unanswerable": outcomes.unanswerable,
        "of unknown kind": outcomes.unknown,
    }
    said = []
    for name, kind in kinds.items():
        counts = [f"{kind.counts[one]} {one.replace('_', ' ')}" for one in OUTCOMES if kind.counts[one]]
        if counts:
            total = sum(kind.counts.values())
            said.append(f"{total} {'question' if total == 1 else 'questions'} {name}: {', '.join(counts)}")
    return "; ".join(said)


def measures_grid(found: RagEvaluation, digits: int = 4) -> Grid:
    """One row per system and measure: retrieval first, then the answers."""
    rows = [row for one in found.systems for row in _rows(one)]
    return Grid(COLUMNS, rows, digits=digits)


def _rows(one: Evaluated) -> list[list[Cell]]:
    rows: list[list[Cell]] = []
    if one.retrieval is not None:
        drawn, lacking = one.retrieval.mean, one.questions - one.retrieval.mean.n
        rows.append([one.name, one.retrieval.measure, drawn.estimate, drawn.low, drawn.high, drawn.n, 0, 0, lacking])
        rows.append([one.name, "unjudged passages", one.retrieval.unjudged, None, None, drawn.n, 0, 0, lacking])
    return rows + [_row(one.name, mean) for mean in (*one.means, *one.overlap)]


def _row(system: str, mean: Mean) -> list[Cell]:
    name = f"{mean.measure} ↓" if mean.lower_is_better else mean.measure
    drawn = mean.interval
    return [system, name, mean.mean, drawn.low, drawn.high, mean.n, mean.failed, mean.abstained, mean.not_applicable]


def as_json(found: RagEvaluation) -> dict[str, Any]:
    """One object: the verdict, and each system with its means, outcomes, blame and values by question."""
    verdict = found.verdict
    told = None if verdict is None else {
        "verdict": verdict.word, "sentence": verdict.sentence, "because": list(verdict.because),
        "retrieval": _change(verdict.retrieval), "answers": [_change(one) for one in verdict.answers],
    }  # fmt: skip
    return {"verdict": told, "systems": [_system(one) for one in found.systems]}


def _system(one: Evaluated) -> dict[str, Any]:
    retrieval = None if one.retrieval is None else {
        "measure": one.retrieval.measure, **_interval(one.retrieval.mean), "unjudged": one.retrieval.unjudged,
        "values": dict(one.retrieval.values),
    }  # fmt: skip
    return {
        "system": one.name,
        "questions": one.questions,
        "retrieval": retrieval,
        "measures": [_mean(mean) for mean in (*one.means, *one.overlap)],
        "outcomes": {
            name: dict(getattr(one.outcomes, name).counts) for name in ("answerable", "unanswerable", "unknown")
        },
        "blame": None if one.blame is None else _blame(one.blame),
    }


def _mean(mean: Mean) -> dict[str, Any]:
    return {
        "measure": mean.measure, **_interval(mean.interval), "failed": mean.failed, "abstained": mean.abstained,
        "not_applicable": mean.not_applicable, "unknown_verdicts": mean.unknown, "reasons": dict(mean.reasons),
        "lower_is_better": mean.lower_is_better,
    }  # fmt: skip


def _blame(found: Blame) -> dict[str, Any]:
    return {**asdict(found), "sentence": found.sentence}


def _change(one: Change) -> dict[str, Any]:
    return {
        "measure": one.measure, "a": one.a, "b": one.b, "difference": _interval(one.difference), "p": one.p,
        "says": one.word, "left_out": one.left_out,
    }  # fmt: skip


def _interval(drawn: Interval) -> dict[str, Any]:
    return {"mean": drawn.estimate, "low": drawn.low, "high": drawn.high, "n": drawn.n, "outcome": drawn.outcome}
