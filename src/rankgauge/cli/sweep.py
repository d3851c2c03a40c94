"""`rankgauge sweep`: quality, latency and cost of every rerank depth, and which to take."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from rankgauge.cli import inputs, options, talk
from rankgauge.cli.search import By, Folder, Stage

Queries = Annotated[Path, typer.Argument(help="A file of queries: JSONL, TSV, BEIR folder.")]
Qrels = Annotated[Path, typer.Argument(help="Their judgments.")]
Models = Annotated[
    list[str] | None,
    typer.Option("--model", metavar="MODEL", help="Second stage: folder, .onnx, package:NAME, hub name. Repeatable."),
]
Precisions = Annotated[
    str | None,
    typer.Option("--precision", metavar="LIST", help="Of each model: fp32 (as it is), int8 (quantized here)."),
]
Depths = Annotated[str, typer.Option(metavar="LIST", help="How many candidates are reranked; 0: none.")]
MeasureName = Annotated[str, typer.Option("--measure", "-m", help="What is to be high.")]
Budgets = Annotated[
    list[str] | None, typer.Option("--budget", metavar="LIMIT", help="p50=, p95= or p99=300ms, cost=0.5. Repeatable.")
]
Rate = Annotated[float, typer.Option(min=0, help="Requests per second, at random moments; 0: one after another.")]
Requests = Annotated[int, typer.Option(min=1, help="Requests that are timed per point.")]
Seconds = Annotated[float, typer.Option(help="Time for a point's requests, after which no more are sent.")]
Workers = Annotated[int, typer.Option(min=1, help="With --rate: requests that are worked on at a time.")]
Price = Annotated[
    list[str] | None,
    typer.Option(metavar="WHAT=PRICE", help="cpu-hour=0.04 (one core), pairs=0.002 (1,000 scored pairs). Repeatable."),
]
Threads = Annotated[int, typer.Option(min=1, help="Threads of each model.")]
Output = Annotated[
    Path | None, typer.Option("-o", "--output", help="Folder that keeps what is done; the same sweep goes on there.")
]
Report = Annotated[Path | None, typer.Option(help="Write a page with the chart and every point.")]

PRICES = {"cpu-hour": "cpu_hour", "pairs": "pairs"}
PRECISIONS = ("fp32", "int8")


def sweep(
    index: Folder,
    queries: Queries,
    qrels: Qrels,
    model: Models = None,
    precision: Precisions = None,
    l1: By = None,
    depths: Depths = "0,10,20,50,100,200,500,1000",
    measure: MeasureName = "nDCG@10",
    budget: Budgets = None,
    rate: Rate = 0.0,
    requests: Requests = 200,
    seconds: Seconds = 20.0,
    workers: Workers = 1,
    price: Price = None,
    threads: Threads = 1,
    output: Output = None,
    report: Report = None,
    qrels_format: options.QrelsFormat = None,
    format: options.Output = options.Shape.table,
    digits: options.Digits = 4,
) -> None:
    """Score every query once, judge every depth, time every depth, and say which to take.

    Example: rankgauge sweep idx queries.jsonl qrels.txt --model models/minilm --budget p99=300ms --report sweep.html
    """
    work, choice = talk.late("rankgauge.study.sweep"), talk.late("rankgauge.study.choice")
    budgets = [choice.Budget.parse(text) for text in budget or []]
    load = talk.late("rankgauge.study.load").Load(rate, requests, seconds, workers)
    plan = work.Plan(options.numbers_of(depths, int, "--depths"), measure, load, work.Prices(**_prices(price or [])))
    opened = talk.late("rankgauge.retrieval.index").Index.open(index)
    stage = l1 or Stage(opened.first_stage)
    asked = talk.late("rankgauge.retrieval.documents").read_queries(queries)
    judged = inputs.Reading(qrels_format=qrels_format).qrels(qrels)
    with _stages(opened, model or [], _precisions(precision), threads, output) as stages:
        engine = work.Engine(opened.retriever(stage.value), opened.texts, stages, f"{index}, {opened.generation}")
        kept = None if output is None else output / "kept"
        with talk.steps() as progress:
            found = work.sweep(engine, asked, judged, plan, folder=kept, progress=progress)
    _tell(found, choice.choose(found, budgets), format, digits, report)


def _tell(found: Any, chosen: Any, format: options.Shape, digits: int, report: Path | None) -> None:
    talk.remark(found.notes)
    render = talk.late("rankgauge.report.sweep").render_sweep
    typer.echo(render(found, chosen, format=format.value, digits=digits), nl=False)
    if report is not None:
        talk.late("rankgauge.report.page.sweeps").save_sweep(found, chosen, report)
        talk.stderr().print(f"written: {report}")


@contextmanager
def _stages(
    index: Any, models: Sequence[str], precisions: Sequence[str], threads: int, output: Path | None
) -> Iterator[Any]:
    """Load every model in every precision; models that are quantized here are kept beside the results."""
    late = talk.late("rankgauge.retrieval.stages")
    with tempfile.TemporaryDirectory(prefix="rankgauge-sweep-") as passing:
        place = Path(passing) if output is None else output / "models"
        found: dict[str, Any] = {}
        for number, named in enumerate(models):
            for precision in precisions or [""]:
                source = _quantized(named, place / f"{number}-int8") if precision == "int8" else named
                loaded = late.load_stage(source, index=index, threads=threads, unseen=True)
                short = loaded.name.partition("@")[0]
                name = precision if precision and len(models) == 1 else " ".join(filter(None, (short, precision)))
                found[name if name not in found else loaded.name] = loaded
        yield found


def _quantized(named: str, place: Path) -> Any:
    if (place / "model.onnx").exists():
        return place
    return talk.late("rankgauge.retrieval.quantize").quantize(named, place)


def _precisions(text: str | None) -> list[str]:
    found = [] if text is None else [one.strip() for one in text.split(",")]
    if unknown := [one for one in found if one not in PRECISIONS]:
        got = f"expected fp32, int8 or both, got {', '.join(map(repr, unknown))}"
        raise typer.BadParameter(got, param_hint="--precision")
    return list(dict.fromkeys(found))


def _prices(texts: Sequence[str]) -> Mapping[str, float]:
    found = {}
    for text in texts:
        what, _, number = text.partition("=")
        try:
            found[PRICES[what.strip()]] = float(number)
        except (KeyError, ValueError):
            got = f"expected cpu-hour=PRICE or pairs=PRICE, got {text!r}"
            raise typer.BadParameter(got, param_hint="--price") from None
    return found
