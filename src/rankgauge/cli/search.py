"""`rankgauge search`: an index asked one query or many."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from rankgauge.cli import options, talk
from rankgauge.cli.outputs import write
from rankgauge.errors import Fault, InputError

FILES = (".jsonl", ".json", ".tsv", ".txt", ".gz", ".zst", ".csv")


class Stage(StrEnum):
    """By what the index is searched."""

    bm25 = "bm25"
    vector = "vector"
    hybrid = "hybrid"


Folder = Annotated[Path, typer.Argument(metavar="INDEX", help="What `rankgauge index` made.")]
Asked = Annotated[
    str, typer.Argument(metavar="QUERIES", help="A file of queries (JSONL, TSV, BEIR folder), or a query.")
]
By = Annotated[Stage | None, typer.Option("--l1", help="By words, by vectors or by both, fused. Words, if indexed.")]
K = Annotated[int | None, typer.Option("-k", min=1, help="Hits per query: 1000, and 10 for a single query.")]
Output = Annotated[Path | None, typer.Option("-o", "--output", help="The run; without it, TREC to stdout.")]
Explain = Annotated[bool, typer.Option("--explain", help="For a single query: how each score comes about.")]
Method = Annotated[str, typer.Option("--method", help="How hybrid fuses; see `rankgauge fuse --methods`.")]
Depth = Annotated[int, typer.Option(min=1, help="Candidates that hybrid takes from each list.")]
Name = Annotated[str | None, typer.Option(help="Name of the run; the stage's, if not said.")]
Rows = Annotated[options.Shape, typer.Option("--format", help="How a single query's hits are written.")]


def search(
    index: Folder,
    queries: Asked,
    l1: By = None,
    k: K = None,
    output: Output = None,
    explain: Explain = False,
    method: Method = "rrf",
    depth: Depth = 1000,
    name: Name = None,
    format: Rows = options.Shape.table,
) -> None:
    """Search an index for every query of a file, and write a run; or for one query, and show the hits.

    Example: rankgauge search idx queries.jsonl --l1 bm25 -k 100 -o l1.run
    """
    opened = talk.late("rankgauge.retrieval.index").Index.open(index)
    stage = l1 or Stage(opened.first_stage)
    retriever = opened.retriever(stage.value, depth=depth, method=method)
    if _is_file(queries):
        if explain:
            raise typer.BadParameter("it is for a single query: write its text", param_hint="--explain")
        asked = talk.late("rankgauge.retrieval.documents").read_queries(queries)
        with talk.counting("queries") as progress:
            how = {"name": name or stage.value, "progress": progress}
            run = talk.late("rankgauge.retrieval.running").retrieve(retriever, asked, k or 1000, **how)
        write(run, output)
    elif output is not None:
        raise typer.BadParameter("it is for a file of queries", param_hint="--output")
    else:
        _show(opened, stage, retriever, queries, k or 10, explain, format)


def _is_file(queries: str) -> bool:
    """Whether it names a file or a folder; what looks like a file but is none is refused."""
    path = Path(queries)
    try:
        if path.exists():
            return True
    except OSError:  # a text too long for a name
        return False
    if path.suffix.lower() in FILES and not any(blank in queries.strip() for blank in " \t\n"):
        raise InputError(Fault(queries, "a file of queries, or a query", "no such file", "check the path"))
    return False


def _show(opened: Any, stage: Stage, retriever: Any, query: str, k: int, explain: bool, format: options.Shape) -> None:
    if explain and stage is Stage.vector:
        raise typer.BadParameter("a vector's score has no terms: search by bm25 or hybrid", param_hint="--explain")
    hits, how = retriever.search(query, k), {}
    if explain and stage is Stage.bm25:
        how["explanations"] = [opened.lexical.explain(query, doc) for doc in hits.docs]
    elif explain:
        how["placed"] = retriever.placed(query, k)
    render = talk.late("rankgauge.report.hits").render_hits
    typer.echo(render(hits, opened.documents.get(hits.docs), format=format.value, **how), nl=False)
    if not len(hits):
        talk.stderr().print("note: no document matches", style="yellow")
