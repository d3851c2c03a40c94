"""The app: every verb, and what errors become."""

from __future__ import annotations

import sys

import typer

from rankgauge.cli import (
    cache_study,
    certify,
    classify,
    compare,
    convert,
    demo,
    doctor,
    evaluate,
    fuse,
    gate,
    holes,
    index,
    judge,
    measures,
    online,
    quantize,
    rag,
    reconcile,
    rerank,
    search,
    serve,
    sweep,
    train,
    trend,
)
from rankgauge.cli.talk import complain
from rankgauge.errors import ConventionError, MeasureError, MethodError, RankgaugeError

app = typer.Typer(
    name="rankgauge",
    help="Measures rankings for search and RAG: trec_eval's numbers, with the doubt beside every score.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
VERBS = (
    demo.demo,
    evaluate.evaluate,
    compare.compare,
    gate.gate,
    trend.trend,
    holes.holes,
    judge.judge,
    certify.certify,
    doctor.doctor,
    reconcile.reconcile,
    fuse.fuse,
    index.index,
    search.search,
    serve.serve,
    rerank.rerank,
    train.train,
    sweep.sweep,
    cache_study.cache_study,
    measures.measures,
    convert.convert,
    classify.classify,
    quantize.quantize,
)
for verb in VERBS:
    app.command()(verb)
app.add_typer(rag.app)
app.add_typer(online.app)

MISUSE = 2
BAD_INPUT = 1


def main() -> None:
    """Run the command line; exit 0 done, 1 an input is bad or a check failed, 2 misuse, 3 nobody can tell."""
    try:
        app(prog_name="rankgauge")
    except (MeasureError, ConventionError, MethodError) as error:
        complain(error)
        sys.exit(MISUSE)
    except (RankgaugeError, OSError) as error:
        complain(error)
        sys.exit(BAD_INPUT)
