"""The command line in this process, beside a copy of the golden set."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import NamedTuple

import pytest

from rankgauge.cli import main

GOLDEN = Path(str(resources.files("rankgauge") / "data" / "golden"))


class Outcome(NamedTuple):
    """How a command exited, and what it wrote to stdout and stderr."""

    code: int
    out: str
    err: str


@pytest.fixture
def rankgauge(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Callable[..., Outcome]:
    """Run `rankgauge` with these words, in a folder that holds the golden set's files."""
    shutil.copytree(GOLDEN, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)

    def call(*words: object) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["rankgauge", *map(str, words)])
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = int(stop.code or 0)
        said = capsys.readouterr()
        return Outcome(code, said.out, said.err)

    return call
