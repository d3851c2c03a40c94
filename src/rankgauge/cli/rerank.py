"""`rankgauge rerank`: the head of each list in a better order."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

import rankgauge as rg
from rankgauge.cli import inputs, options, talk
from rankgauge.cli.outputs import write
from rankgauge.errors import Fault, InputError
from rankgauge.records.notes import examples


class RuntimeName(StrEnum):
    """What runs a cross-encoder."""

    onnxruntime = "onnxruntime"
    openvino = "openvino"
    openvino_bf16 = "openvino-bf16"


Folder = Annotated[Path, typer.Argument(metavar="INDEX", help="What `rankgauge index` made: it has the texts.")]
First = Annotated[Path, typer.Argument(metavar="RUN", help="The first stage's run.")]
Queries = Annotated[Path, typer.Argument(help="Texts of its queries: JSONL, TSV, BEIR folder.")]
Model = Annotated[
    str,
    typer.Option(
        "--model", help="A folder (ONNX, or what `train` made), .onnx, package:NAME, hub name, or http(s)://API#MODEL."
    ),
]
Depth = Annotated[int, typer.Option(min=0, help="How many of each list are scored; the rest stays below, as it was.")]
Output = Annotated[Path | None, typer.Option("-o", "--output", help="The new run; without it, TREC to stdout.")]
Name = Annotated[str | None, typer.Option(help="Name of the run; the model's, if not said.")]
Keep = Annotated[
    Path | None, typer.Option(help="Folder that keeps scores as they come; the same command goes on there.")
]
Runtime = Annotated[RuntimeName, typer.Option(help="What runs a cross-encoder.")]
Threads = Annotated[int, typer.Option(min=1, help="Threads of the model.")]


def rerank(
    index: Folder,
    run: First,
    queries: Queries,
    model: Model,
    depth: Depth = 100,
    output: Output = None,
    name: Name = None,
    threads: Threads = 1,
    runtime: Runtime = RuntimeName.onnxruntime,
    keep: Keep = None,
    run_format: options.RunFormat = None,
) -> None:
    """Score the head of each query's list by a second stage, and write the run in that order.

    Scores of the new run are places counted from the end: those of two stages have no common scale. A rerank API gets
    its key from RANKGAUGE_RERANK_KEY.

    Example: rankgauge rerank idx l1.run queries.jsonl --model models/minilm --depth 100 -o l2.run
    """
    work, stages = talk.late("rankgauge.study.scoring"), talk.late("rankgauge.retrieval.stages")
    opened = talk.late("rankgauge.retrieval.index").Index.open(index)
    texts = talk.late("rankgauge.retrieval.documents").read_queries(queries)
    first = hits_of(inputs.Reading(run_format=run_format).runs([run])[0], texts, run)
    _check_documents(opened, first, depth, run)
    stage = stages.load_stage(model, index=opened, threads=threads, runtime=runtime.value, unseen=True)
    asked = {query: (texts[query], hits.top(depth).docs) for query, hits in first.items()}
    kept = work.Kept.open(keep, ["rerank", str(index), opened.generation, stage.name, depth, asked])
    with talk.counting("queries reranked") as progress:
        scores = work.scored(stage, texts, first, opened.texts, depth, kept=kept, progress=progress)
    found = work.at_depth(first, scores, depth)
    talk.remark(stages.notes_of(stage))
    write(talk.late("rankgauge.retrieval.running").run_of(found, name=name or stage.name), output)


def _check_documents(opened: Any, first: Mapping[str, Any], depth: int, place: Path) -> None:
    """Refuse a run whose head has documents that the index lacks, before anything is scored."""
    wanted = list(dict.fromkeys(doc for hits in first.values() for doc in hits.docs[:depth]))
    if lost := opened.documents.lacking(wanted):
        got = f"{len(lost):,} of {len(wanted):,} that it lacks: {examples(lost)}"
        raise InputError(Fault(str(place), "documents of the index", got, "is it the index that made the run?"))


def hits_of(run: rg.Run, texts: Mapping[str, str], place: Path) -> dict[str, Any]:
    """Each query's list; queries of the run without a text are an error."""
    found: dict[str, Any] = talk.late("rankgauge.retrieval.running").hits_of(run)
    if lost := [query for query in found if query not in texts]:
        got = f"{len(lost)} queries without one (as {lost[0]!r})"
        raise InputError(Fault(str(place), "a text for each query", got, "pass the queries it was made from"))
    return found
