"""`rankgauge measures`: what can be measured, how, and after whom."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import rankgauge as rg
from rankgauge.cli import options, talk


def measures(
    names: Annotated[list[str] | None, typer.Argument(help="Measures to explain or draw; all where none is.")] = None,
    profile: Annotated[
        bool, typer.Option("--profile", help="Draw the measures' user models: continuation, weight, last seen.")
    ] = False,
    output: Annotated[
        Path, typer.Option("-o", "--output", help="Where the drawing goes: .svg, .png, .html or .json.")
    ] = Path("profiles.svg"),
    depth: Annotated[int, typer.Option(min=2, help="Ranks to draw.")] = 20,
    conventions: Annotated[bool, typer.Option("--conventions", help="List the conventions instead.")] = False,
    format: options.Output = options.Shape.table,
    measures_from: options.MeasuresFrom = None,
) -> None:
    """List every measure with its formula, range and source, explain some, or draw their user models.

    Example: rankgauge measures nDCG
    """
    options.load_measures(measures_from)
    report = talk.late("rankgauge.report.measures")
    if conventions:
        typer.echo(report.conventions_page(), nl=False)
        return
    if profile:
        _draw(names or ["P@10", "RBP(p=0.8)", "DCG", "ERR"], output, depth)
        return
    chosen = [rg.parse(name) for name in names] if names else sorted(rg.REGISTRY.values(), key=lambda m: m.name.lower())
    typer.echo(report.render_measures(chosen, format=format.value, full=bool(names)), nl=False)


def _draw(names: list[str], output: Path, depth: int) -> None:
    chart = talk.late("rankgauge.report.profiles").profile_chart(names, depth=depth)
    talk.late("rankgauge.report.charts").save_chart(chart, output, title="User models")
    talk.stderr().print(f"drawn: {output}")
