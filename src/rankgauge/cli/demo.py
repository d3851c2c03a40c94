"""`rankgauge demo`: the bundled golden set from end to end, and what its numbers mean."""

from __future__ import annotations

import shutil
from importlib import resources
from pathlib import Path
from typing import Annotated, Any

import typer

import rankgauge as rg
from rankgauge.cli import options, talk

MEASURES = ["nDCG@10", "RBP(p=0.8)", "ERR@10", "AP", "Judged@10"]


def demo(
    by_query: options.ByQuery = False,
    format: options.Output = options.Shape.table,
    copy_to: Annotated[
        Path | None, typer.Option(help="Copy the golden set into this folder, to try other verbs on it.")
    ] = None,
) -> None:
    """Score two search engines on the bundled golden set, and say what the numbers mean.

    Example: rankgauge demo
    """
    with resources.as_file(resources.files("rankgauge") / "data" / "golden") as folder:
        if copy_to is not None:
            shutil.copytree(folder, copy_to, dirs_exist_ok=True)
            talk.stderr().print(f"the golden set is in {copy_to}")
        qrels = rg.read_qrels(folder / "qrels.txt", name="qrels")
        later = rg.read_qrels(folder / "qrels.second-round.txt", name="second round")
        runs = [rg.read_run(folder / f"{name}.run", name=name) for name in ("keyword", "vector")]
    scores = rg.evaluate(qrels, runs, MEASURES)
    talk.remark(scores.notes)
    report = talk.late("rankgauge.report.scores")
    typer.echo(report.render_scores(scores, format=format.value, by_query=by_query), nl=False)
    if format is options.Shape.table:
        typer.echo("\n" + meaning(scores, rg.evaluate(later, runs, MEASURES)))


def meaning(scores: rg.Scores, later: rg.Scores) -> str:
    """Say in two sentences what the demo's numbers mean."""
    (old, new), (old_later, new_later) = _ndcg(scores), _ndcg(later)
    lead = "leads" if old["mean"] > new["mean"] else "does not lead"
    return (
        f"The {old['run']} engine {lead} the {new['run']} engine, {old['mean']:.3f} to {new['mean']:.3f} in "
        f"{old['measure']}, but {new['unjudged']:.0%} of what the {new['run']} engine shows first was never judged, "
        f"against {old['unjudged']:.0%}, because only the {old['run']} engine's results went to the judges: these "
        "judgments cannot tell which engine is better.\n"
        f"Once the first ten results of both are judged (qrels.second-round.txt), the {new['run']} engine has "
        f"{new_later['mean']:.3f} and the {old_later['run']} engine {old_later['mean']:.3f}: judge what is unjudged "
        "before you decide."
    )


def _ndcg(scores: rg.Scores) -> list[dict[str, Any]]:
    """The rows of the first measure, one per run."""
    return scores.mean().filter(measure=scores.measures[0]).to_dicts()
