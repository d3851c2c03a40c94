"""`rankgauge quantize`: a model in 8 bits, and what that changed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

import rankgauge as rg
from rankgauge.cli import inputs, talk
from rankgauge.errors import Fault, InputError

Model = Annotated[str, typer.Argument(help="A folder with a model, an .onnx file, package:NAME or a name on the hub.")]
Output = Annotated[Path, typer.Option("-o", "--output", help="The new folder.")]
Int8 = Annotated[
    bool, typer.Option("--int8/--no-int8", help="Weights in 8 bits, activations as they come (the only way yet).")
]
PerChannel = Annotated[
    bool, typer.Option("--per-channel/--per-tensor", help="A scale per column of a weight, or one per weight.")
]
Queries = Annotated[Path | None, typer.Option(help="Queries to compare on: JSON lines, or id, tab and text.")]
Corpus = Annotated[Path | None, typer.Option(help="Documents to compare on, likewise.")]
Qrels = Annotated[Path | None, typer.Option(help="With --run: judgments, for the difference in nDCG.")]
Candidates = Annotated[Path | None, typer.Option("--run", help="With --qrels: a run whose heads both models rerank.")]
Depth = Annotated[int, typer.Option(min=1, help="Documents per query of --run to rerank.")]
Sample = Annotated[int, typer.Option(min=1, help="Queries, and documents, to compare scores on: the first ones.")]
Threads = Annotated[int, typer.Option(min=1, help="Threads of each model.")]


def quantize(
    model: Model,
    output: Output,
    int8: Int8 = True,
    per_channel: PerChannel = True,
    queries: Queries = None,
    corpus: Corpus = None,
    qrels: Qrels = None,
    run: Candidates = None,
    depth: Depth = 20,
    sample: Sample = 30,
    threads: Threads = 1,
) -> None:
    """Write an ONNX model in 8 bits, and measure what that changed: ranks, scores, size, speed, nDCG.

    Example: rankgauge quantize models/minilm -o models/minilm-int8 --int8
    """
    if not int8:
        raise typer.BadParameter("expected --int8, the only precision yet", param_hint="--int8")
    judged = {"--qrels": qrels, "--run": run, "--queries": queries, "--corpus": corpus}
    missing = [name for name, given in judged.items() if given is None]
    if (qrels or run) and missing:
        raise typer.BadParameter(f"the difference in nDCG needs {', '.join(missing)} too", param_hint="--qrels, --run")
    texts, work = inputs.texts(corpus, queries), talk.late("rankgauge.retrieval.quantize")
    with talk.working("quantizing") as step:
        written = work.quantize(model, output, per_channel=per_channel)
        step("comparing both")
        given = {"queries": _first(texts.queries, sample), "texts": _first(texts.docs, sample)}
        drift = work.compare(model, written, threads=threads, **{name: found for name, found in given.items() if found})
    typer.echo("\n".join(_lines(drift)))
    if qrels is not None and run is not None:
        candidates = _candidates(inputs.Reading().runs([run])[0], texts, depth)
        load = talk.late("rankgauge.retrieval.stages").load_stage
        reranked = [_reranked(load(each, threads=threads), candidates, depth, texts) for each in (model, written)]
        named = [ranking.named(name) for ranking, name in zip(reranked, ("full", "int8"), strict=True)]
        compared = rg.compare(inputs.Reading().qrels(qrels), named, ["nDCG@10"])
        typer.echo(talk.late("rankgauge.report.comparison").render_comparison(compared), nl=False)
    talk.stderr().print(f"written: {written.onnx.parent}")


def _first(texts: dict[str, str] | None, count: int) -> list[str]:
    return list((texts or {}).values())[:count]


def _lines(drift: Any) -> Iterator[str]:
    """What 8 bits changed, a line each."""
    smaller = drift.size_full / drift.size_quantized
    megabytes = [size / 1e6 for size in (drift.size_full, drift.size_quantized)]
    faster = drift.rate_quantized / drift.rate_full
    yield f"size: {megabytes[0]:.1f} MB -> {megabytes[1]:.1f} MB ({smaller:.1f} times smaller)"
    yield f"{drift.unit} per second: {drift.rate_full:.0f} -> {drift.rate_quantized:.0f} ({faster:.2f} times as many)"
    yield f"rank correlation of {drift.pairs:,} scores: {drift.rank_correlation:.5f}"
    yield f"largest difference of a score: {drift.largest:.5f} (their standard deviation is {drift.spread:.5f})"
    if drift.vector_cosine is not None:
        yield f"least cosine of a text's two vectors: {drift.vector_cosine:.5f}"


def _candidates(run: rg.Run, texts: inputs.Texts, depth: int) -> dict[str, Any]:
    """The head of each query's ranking; texts that are missing are an error."""
    lists = talk.late("rankgauge.retrieval.running").hits_of(run)
    heads = {query: hits.top(depth) for query, hits in lists.items()}
    docs, queries = texts.docs or {}, texts.queries or {}
    lost = [doc for head in heads.values() for doc in head.docs if doc not in docs]
    lost += [query for query in heads if query not in queries]
    if lost:
        got = f"{len(lost)} ids of the run without a text (as {lost[0]!r})"
        raise InputError(Fault("--corpus and --queries", "a text per id of the run", got, "pass the texts it is from"))
    return heads


def _reranked(stage: Any, candidates: dict[str, Any], depth: int, texts: inputs.Texts) -> rg.Run:
    docs, queries = texts.docs or {}, texts.queries or {}
    with talk.counting("queries reranked") as progress:
        scores = talk.late("rankgauge.study.scoring").scored(
            stage, queries, candidates, lambda ids: [docs[doc] for doc in ids], depth, progress=progress
        )
    found = {query: dict(zip(head.docs, scores[query].tolist(), strict=True)) for query, head in candidates.items()}
    return rg.Run.from_dict(found)
