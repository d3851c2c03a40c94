"""The app: every verb, and what errors become."""

from __future__ import annotations

import sys

import typer

from rankgauge.cli import classify, convert, demo, evaluate, holes, measures
from rankgauge.cli.talk import complain
from rankgauge.errors import ConventionError, MeasureError, RankgaugeError

app = typer.Typer(
    name="rankgauge",
    help="Measures rankings for search and RAG: trec_eval's numbers, with the doubt beside every score.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for verb in (demo.demo, evaluate.evaluate, measures.measures, convert.convert, classify.classify, holes.holes):
    app.command()(verb)

MISUSE = 2
BAD_INPUT = 1


def main() -> None:
    """Run the command line; exit 0 when done, 1 when an input is bad, 2 for misuse."""
    try:
        app(prog_name="rankgauge")
    except (MeasureError, ConventionError) as error:
        complain(error)
        sys.exit(MISUSE)
    except (RankgaugeError, OSError) as error:
        complain(error)
        sys.exit(BAD_INPUT)
