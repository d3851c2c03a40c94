"""`rankgauge train`: a reranker learned from judgments."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from rankgauge.cli import inputs, options, talk
from rankgauge.cli.outputs import write
from rankgauge.cli.rerank import First, Folder, Queries, hits_of

SHOWN = 5

Qrels = Annotated[Path, typer.Argument(help="Judgments to learn from.")]
Output = Annotated[Path, typer.Option("-o", "--output", help="Folder for the model.")]
Depth = Annotated[int, typer.Option(min=1, help="How many of each list are learned from.")]
Folds = Annotated[int, typer.Option(min=2, help="Parts that queries are dealt into: a model more for each.")]
Honest = Annotated[
    Path | None,
    typer.Option("--oof", help="Write the run in which each query is reranked by a model that has not seen it."),
]
Letor = Annotated[Path | None, typer.Option(help="Write the features and grades as LETOR.")]
Rounds = Annotated[int, typer.Option(min=1, help="Trees.")]
Leaves = Annotated[int, typer.Option(min=2, help="Leaves of a tree.")]
Rate = Annotated[float, typer.Option("--learning-rate", help="How much each tree counts.")]


def train(
    index: Folder,
    run: First,
    queries: Queries,
    qrels: Qrels,
    output: Output,
    depth: Depth = 100,
    folds: Folds = 5,
    oof: Honest = None,
    letor: Letor = None,
    rounds: Rounds = 200,
    leaves: Leaves = 7,
    learning_rate: Rate = 0.03,
    seed: options.Seed = 0,
    run_format: options.RunFormat = None,
    qrels_format: options.QrelsFormat = None,
) -> None:
    """Learn a reranker (LambdaMART) from a run's judged candidates; `rerank`, `sweep` and `serve` take its folder.

    On queries that it was trained on, a model looks better than it is. So a model more is trained without each fold
    of the queries, and `rerank` and `sweep` score these queries by the one that has not seen them, as --oof does.

    Example: rankgauge train idx l1.run queries.jsonl qrels.txt -o ltr --oof oof.run
    """
    ltr, tables = talk.late("rankgauge.retrieval.ltr"), talk.late("rankgauge.retrieval.ltr_table")
    opened = talk.late("rankgauge.retrieval.index").Index.open(index)
    texts = talk.late("rankgauge.retrieval.documents").read_queries(queries)
    reading = inputs.Reading(qrels_format=qrels_format, run_format=run_format)
    first = hits_of(reading.runs([run])[0], texts, run)
    trees = ltr.Trees(rounds=rounds, leaves=leaves, learning_rate=learning_rate, seed=seed)
    with talk.working("training") as step:
        step("features")
        features = talk.late("rankgauge.retrieval.features").Features(opened)
        table = tables.table_of(features, texts, first, reading.qrels(qrels), depth=depth)
        if letor is not None:
            table.write_letor(letor)
        step(f"{folds} folds")
        apart = talk.late("rankgauge.retrieval.unseen").Folds.trained(table, texts, folds=folds, trees=trees)
        step("all queries")
        model = ltr.train(table, trees)
    model.save(output)
    apart.save(output)
    talk.remark(table.notes)
    if oof is not None:
        found = ltr.reranked(table, apart.scores(table, texts), first)
        write(talk.late("rankgauge.retrieval.running").run_of(found, name="lambdamart"), oof)
    talk.stderr().print(_said(table, model.gains, output))


def _said(table: Any, gains: Mapping[str, float], output: Path) -> str:
    best = sorted(gains.items(), key=lambda item: -item[1])[:SHOWN]
    shown = ", ".join(f"{name} {share:.0%}" for name, share in best)
    found = f"{len(table):,} candidates of {len(table.queries):,} queries, {len(table.names)} features"
    return f"{found} -> {output}; most gain: {shown}"
