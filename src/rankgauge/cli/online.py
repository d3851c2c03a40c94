"""`rankgauge online`: what real users do, in the same terms."""

from __future__ import annotations

import typer

from rankgauge.cli import online_ab, online_plan

app = typer.Typer(
    name="online", help="Experiments with real users, in the same terms.", no_args_is_help=True, rich_markup_mode=None
)
app.command()(online_ab.ab)
app.command()(online_plan.plan)
