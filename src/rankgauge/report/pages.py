"""The generated pages of the docs: `python -m rankgauge.report.pages docs` writes them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from rankgauge.formats import FORMATS
from rankgauge.report import checkup, conventions, fusion_page
from rankgauge.report.grid import Grid
from rankgauge.report.measures import reference

PAGES: Mapping[str, Callable[[], str]] = {
    "measures.md": reference,
    "formats.md": lambda: formats(),
    "conventions.md": conventions.page,
    "checks.md": checkup.page,
    "fusion.md": fusion_page.page,
}


def formats() -> str:
    """The page of all file formats, from their registry."""
    head = (
        "# Formats\n\nWritten from the registry by `scripts/docs`; a test fails when it is out of date.\n\n"
        "A file's content decides its format, and its suffix only where the content leaves a choice; `--run-format`\n"
        "and `--qrels-format` (in Python `format=`) name one. Any file may be compressed with gzip or zstd, whatever\n"
        "it is called. Columns of tables are known by their usual names, or named with\n"
        "`--columns query=...,doc=...,score=...`.\n\n"
    )
    rows = [
        (f"`{f.name}`", f.description, " ".join(f.suffixes), ", ".join(f.reads), ", ".join(f.writes) or "-")
        for f in FORMATS.values()
    ]
    return head + Grid(("format", "what it is", "suffixes when writing", "reads", "writes"), rows).markdown()


def write(folder: Path) -> None:
    """Write every generated page into a folder."""
    for name, page in PAGES.items():
        (folder / name).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
