"""Every code block of README, CONTRIBUTING and docs/ runs, beside a copy of the golden set.

Beside it lies the same in the shape of logs: `rag-logs/` of two days, its rows with their grades, and `judgments.parquet`.

A ```python block runs after the earlier ones of its page, in the same namespace; one written as a Python
session (>>>) is compared with the output it shows. In a ```console block each line after a `$` is run by a
shell, and what it prints is compared with the lines below it, if there are any (`...` stands for anything).
A comment at the line's end names the exit code where it is not 0:  $ rankgauge evaluate bad.txt  # exit 1
"""

from __future__ import annotations

import doctest
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pytest

import rankgauge as rg
from rankgauge.measures import REGISTRY

ROOT = Path(__file__).resolve().parents[1]
GOLDEN = ROOT / "src" / "rankgauge" / "data" / "golden"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
LENIENT = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True)
class Block:
    """One fenced block of a page: its language, the line it begins on, its text."""

    language: str
    line: int
    text: str


@dataclass(frozen=True)
class Command:
    """One line of a console block: the command, the exit code it owes, the output shown (or none)."""

    line: int
    text: str
    code: int
    shown: str


def blocks(page: Path, *, language: str) -> list[Block]:
    """The fenced blocks of a page in one language."""
    text = page.read_text("utf-8")
    fences = re.finditer(r"^```(\w*)[^\n]*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    found = [Block(f[1], text.count("\n", 0, f.start(2)) + 1, f[2]) for f in fences]
    return [block for block in found if block.language == language]


def commands(block: Block) -> Iterator[Command]:
    """The commands of a console block with what is shown below each."""
    for part in re.finditer(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", block.text, re.MULTILINE):
        code = re.search(r"# exit (\d)\s*$", part[1])
        line = block.line + block.text.count("\n", 0, part.start())
        yield Command(line, part[1], int(code[1]) if code else 0, part[2])


def pages_with(language: str) -> list[Path]:
    """The pages that hold a block in this language."""
    return [page for page in PAGES if blocks(page, language=language)]


def name(page: Path) -> str:
    """A page's place in the project, as a test's id."""
    return str(page.relative_to(ROOT))


@pytest.fixture
def golden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with copies of the golden set's files, made the current one."""
    place = tmp_path / "golden"
    shutil.copytree(GOLDEN, place)
    as_logs(place)
    monkeypatch.chdir(place)
    return place


def as_logs(place: Path) -> None:
    """Write the golden set as logs: what the keyword ranker showed on one day, and the vector ranker on the next."""
    judgments = rg.read_qrels(place / "qrels.txt").to_polars()
    judgments.write_parquet(place / "judgments.parquet")
    for date, run in (("2026-06-26", "keyword.run"), ("2026-06-27", "vector.run")):
        ranked = rg.read_run(place / run).to_polars().sort("query", "score", "doc", descending=[False, True, True])
        rows = ranked.with_columns(model_rank=pl.int_range(1, pl.len() + 1).over("query"))
        log = rows.join(judgments, on=["query", "doc"], how="left", maintain_order="left")
        names = {"query_id": "query", "document_id": "doc", "model_rank": "model_rank", "relevance_score": "grade"}
        (place / "rag-logs" / f"date={date}").mkdir(parents=True)
        log.select(**names).write_parquet(place / "rag-logs" / f"date={date}" / "part-0.parquet")


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """An environment whose `rankgauge` is the one under test, without colour and of fixed width."""
    command = tmp_path / "bin" / "rankgauge"
    command.parent.mkdir()
    call = "import sys; sys.argv[0] = 'rankgauge'; from rankgauge.cli import main; sys.exit(main())"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "{call}" "$@"\n')
    command.chmod(0o755)
    path = f"{command.parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT / "src"), "NO_COLOR": "1", "COLUMNS": "120"}


@pytest.fixture
def registry() -> Iterator[None]:
    """Forgets afterwards the measures that a page declares."""
    before = dict(REGISTRY)
    yield
    REGISTRY.clear()
    REGISTRY.update(before)


def check_session(block: Block, namespace: dict[str, object], page: Path) -> None:
    """Run a block written as a Python session and compare what it prints."""
    test = doctest.DocTestParser().get_doctest(block.text, namespace, name(page), str(page), block.line - 1)
    test.globs = namespace
    report: list[str] = []
    result = doctest.DocTestRunner(optionflags=LENIENT, verbose=False).run(test, out=report.append, clear_globs=False)
    assert result.failed == 0, "".join(report)


@pytest.mark.parametrize("page", pages_with("python"), ids=name)
def test_the_python_of_a_page_runs_from_top_to_bottom(page: Path, golden: Path, registry: None) -> None:
    namespace: dict[str, object] = {"__name__": "page"}
    for block in blocks(page, language="python"):
        if block.text.lstrip().startswith(">>>"):
            check_session(block, namespace, page)
        else:
            source = "\n" * (block.line - 1) + block.text
            exec(compile(source, str(page), "exec"), namespace)
    assert len(namespace) > 1


@pytest.mark.parametrize("page", pages_with("console"), ids=name)
def test_the_commands_of_a_page_do_what_it_shows(page: Path, golden: Path, environment: dict[str, str]) -> None:
    for block in blocks(page, language="console"):
        for command in commands(block):
            if not command.text.startswith("rankgauge "):
                continue
            ran = subprocess.run(command.text, shell=True, capture_output=True, text=True, env=environment)
            where = f"{name(page)}:{command.line}: {command.text}"
            assert ran.returncode == command.code, f"{where}\n{ran.stdout}{ran.stderr}"
            if command.shown.strip():
                output = ran.stdout + ran.stderr
                same = doctest.OutputChecker().check_output(command.shown, output, LENIENT)
                assert same, f"{where}\nthe page shows:\n{command.shown}\nit printed:\n{output}"


@pytest.mark.parametrize("name", ["measures.md", "formats.md", "conventions.md", "checks.md", "fusion.md"])
def test_a_generated_page_is_what_the_registry_says(name: str, tmp_path: Path) -> None:
    # In a process of its own: other tests declare measures.
    subprocess.run([sys.executable, "-X", "utf8", "-m", "rankgauge.report.pages", str(tmp_path)], check=True)
    assert (ROOT / "docs" / name).read_text("utf-8") == (tmp_path / name).read_text("utf-8"), "run scripts/docs"


def test_the_readme_has_code_that_is_run() -> None:
    readme = ROOT / "README.md"
    assert blocks(readme, language="python")
    assert [c for block in blocks(readme, language="console") for c in commands(block)]


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_a_link_to_a_file_of_the_project_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)", page.read_text("utf-8"))
    local = [link for link in links if not re.match(r"[a-z]+:", link)]
    assert [link for link in local if not (page.parent / link).exists()] == []
