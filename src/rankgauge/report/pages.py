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
    return (
        head + Grid(("format", "what it is", "suffixes when writing", "reads", "writes"), rows).markdown() + _DATASETS
    )


_DATASETS = """
## Datasets

Logs, runs and judgments that are too large for memory are read in batches, from Parquet, Arrow files, CSV, TSV
(both with a header line) and JSON lines; text may be compressed with gzip or zstd.

- **Which files.** A path, a folder, a glob (`*`, `?`, `[...]`, `**`; a folder that matches stands for all below it), an
  address, or several. Files are taken in the plain byte order of their paths. Names that begin with `.` or `_` and
  checksums (`.crc`) are left out. The suffix says the kind; files of several kinds in one dataset are an error.
- **Addresses.** `s3://`, `gs://` and `az://` for Parquet, with credentials from the environment. For text behind an
  address, and for `hdfs://`, pyarrow is needed: `pip install 'rankgauge[remote]'`. Without it a change of a file
  behind an address is noticed only by its number of rows.
- **Which columns.** Known by their usual names, or named by role: query, doc, rank, score, grade. In a log
  `relevance_score` is the grade. The rank decides where it is named or where there is no score.
- **Days.** Keys in the path whose values are all dates, or dates with an hour (`date=2026-06-26/`), part rankings:
  one query on two days is two rankings. `by` names other keys or columns, or none.
- **Ids** stay as they stand, blanks around them in CSV apart, which are taken off and counted. Floats are refused.
- **No grade** (null, NaN, an empty cell, a field that a line of JSON lacks) is unjudged, and counted.
"""


def write(folder: Path) -> None:
    """Write every generated page into a folder."""
    for name, page in PAGES.items():
        (folder / name).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
