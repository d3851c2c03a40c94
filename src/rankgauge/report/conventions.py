"""The docs' page of conventions: the choices of each tool side by side, and what it does in words."""

from __future__ import annotations

from rankgauge.conventions import CONVENTIONS, Convention, Rules
from rankgauge.report.grid import Grid

CHOICES = ("order", "ties", "score_type", "queries", "undefined", "negative", "ideal")
HEAD = """# Conventions

Written from the registry by `scripts/docs`; a test fails when it is out of date.

A convention holds all in which tools differ. `--convention NAME`, or `convention=NAME` in Python, takes a tool's
choices; `rankgauge.CONVENTIONS[NAME].but(ties="input")` changes some of them. What the columns mean is said in the
docstring of `rankgauge.Convention`; how near each comes to its tool, in [oracles.md](oracles.md).

"""


def page() -> str:
    """The page as Markdown."""
    rows = [(f"`{c.name}`", *(str(getattr(c, choice)) for choice in CHOICES)) for c in CONVENTIONS.values()]
    table = Grid(("convention", *(choice.replace("_", " ") for choice in CHOICES)), rows).markdown()
    return HEAD + table + "".join(map(_section, CONVENTIONS.values()))


def _section(convention: Convention) -> str:
    lines = [f"\n## {convention.name}\n\n{convention.says}.\n"]
    more = {"drop_self": convention.drop_self, "mean_decimals": convention.mean_decimals}
    listed = [f"- `{name}={value}`\n" for name, value in more.items() if value]
    listed += [f"- by default `{said}`: {measures}\n" for said, measures in _said(convention.defaults)]
    listed += [f"- `{said}` for {measures} only\n" for said, measures in _said(convention.apart)]
    return "".join([*lines, "\n" if listed else "", *listed])


def _said(rules: Rules) -> list[tuple[str, str]]:
    """Rules in words, each with the measures that share it."""
    shared: dict[str, list[str]] = {}
    for measure, chosen in rules.items():
        said = ", ".join(f"{name}={value!r}" for name, value in chosen.items())
        shared.setdefault(said, []).append(f"`{measure}`")
    return [(said, ", ".join(measures)) for said, measures in shared.items() if said]
