"""`rankgauge demo`: the bundled golden set from end to end, and what its numbers mean."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Annotated

import typer

import rankgauge as rg
from rankgauge.cli import options, talk

MEASURES = ["nDCG@10", "RBP(p=0.8)", "ERR@10", "AP", "Judged@10"]
DECIDING = "nDCG@10"


@dataclass(frozen=True)
class Question:
    """A question that the golden set's files can answer, or can't."""

    asks: str
    qrels: str
    baseline: str
    run: str

    @property
    def command(self) -> str:
        """The command that asks it, beside a copy of the golden set."""
        return f"rankgauge compare {self.qrels} {self.baseline}.run {self.run}.run -m {DECIDING}"


QUESTIONS = (
    Question("The vector engine scores lower than the keyword engine. Drop it?", "qrels.txt", "keyword", "vector"),
    Question(
        "Now the first ten results of both were judged. Ship both engines together?",
        "qrels.second-round.txt", "keyword", "hybrid",
    ),
    Question(
        "The vector engine's scores kept in one byte each would save memory. Any harm?",
        "qrels.second-round.txt", "vector", "vector-8bit",
    ),
    Question(
        "Would the first eight queries have been enough to choose?", "qrels.first-eight.txt", "keyword", "vector"
    ),
)  # fmt: skip


def demo(
    retrieval: Annotated[
        bool, typer.Option("--retrieval", help="Index, search, rerank, sweep and serve it, then judge that.")
    ] = False,
    by_query: options.ByQuery = False,
    format: options.Output = options.Shape.table,
    copy_to: Annotated[
        Path | None, typer.Option(help="Copy the golden set into this folder, to try other verbs on it.")
    ] = None,
) -> None:
    """Score two search engines on the bundled golden set, and answer four questions about them.

    Example: rankgauge demo
    """
    with resources.as_file(resources.files("rankgauge") / "data" / "golden") as folder:
        if copy_to is not None:
            shutil.copytree(folder, copy_to, dirs_exist_ok=True)
            talk.stderr().print(f"the golden set is in {copy_to}")
        if retrieval:
            talk.late("rankgauge.cli.demo_retrieval").run(folder, copy_to)
            return
        qrels = rg.read_qrels(folder / "qrels.txt", name="qrels")
        runs = [rg.read_run(folder / f"{name}.run", name=name) for name in ("keyword", "vector")]
        scores = rg.evaluate(qrels, runs, MEASURES)
        talk.remark(scores.notes)
        report = talk.late("rankgauge.report.scores")
        typer.echo(report.render_scores(scores, format=format.value, by_query=by_query), nl=False)
        if format is options.Shape.table:
            typer.echo("\n" + "\n\n".join(answered(question, folder) for question in QUESTIONS))


def answered(question: Question, folder: Path) -> str:
    """The question, the command that asks it, and the verdict."""
    qrels = rg.read_qrels(folder / question.qrels)
    runs = [rg.read_run(folder / f"{name}.run", name=name) for name in (question.baseline, question.run)]
    comparison = rg.compare(qrels, runs, DECIDING)
    lines = talk.late("rankgauge.report.comparison").verdict_lines(comparison)
    return "\n".join([question.asks, f"$ {question.command}", *lines])
