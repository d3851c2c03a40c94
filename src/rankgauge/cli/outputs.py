"""How verbs write the runs that they make."""

from __future__ import annotations

import sys
from pathlib import Path

import rankgauge as rg
from rankgauge.cli import talk


def write(run: rg.Run, output: Path | None) -> None:
    """Write a run to a file, or in TREC's format to stdout, and say what was noticed on the way."""
    talk.remark(run.notes)
    if output is not None:
        rg.write_run(run, output)
        talk.stderr().print(f"{len(run):,} documents of {len(run.queries):,} queries -> {output}")
        return
    for lines in talk.late("rankgauge.formats.trec").run_lines(run, tag=None):
        sys.stdout.write(lines.decode())
