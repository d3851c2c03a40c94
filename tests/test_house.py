"""The rules of the house (the rules in CONTRIBUTING.md, the layers in ARCHITECTURE.md), read off the source."""

from __future__ import annotations

import ast
import graphlib
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src"

LONGEST_MODULE = 400
LONGEST_FUNCTION = 40

# Lowest first. A module imports from lower rows and from its own row. "" is the package's own __init__.
LAYERS = (
    ("data", "errors", "_extras"),
    ("records",),
    ("formats",),
    ("conventions", "_convention", "_presets"),
    ("judged",),
    ("measures",),
    ("engines",),
    ("statistics",),
    ("comparison", "fusion", "reconciliation", "checkup"),
    ("retrieval",),
    ("study",),
    ("judges", "online"),
    ("rag",),
    ("report",),
    ("service",),
    ("", "testing"),
    ("cli",),
    ("__main__",),
)
ROW = {place: row for row, places in enumerate(LAYERS) for place in places}
LOADED_ON_DEMAND = {"pandas", "pyarrow", "scipy", "scipy.stats", "altair", "typer", "rich", "sklearn"}


@dataclass(frozen=True)
class Module:
    """One source file: its dotted name, its place and its parsed text."""

    name: str
    path: Path
    tree: ast.Module

    @property
    def place(self) -> str:
        """The folder or file right below the package that the module stands in."""
        return (self.name + ".").split(".")[1]

    def where(self, node: ast.stmt | ast.expr) -> str:
        """The place of a node, as an editor opens it."""
        return f"{self.path.relative_to(ROOT)}:{node.lineno}"


@cache
def modules() -> dict[str, Module]:
    """Every module of the package by its dotted name."""
    found = {}
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = Module(name, path, ast.parse(path.read_text("utf-8"), str(path)))
    return found


def imported(module: Module) -> Iterator[tuple[str, ast.stmt]]:
    """The modules of the package that one imports, wherever in it, each with the statement."""
    for node in ast.walk(module.tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [name if name in modules() else node.module for name in inner]
        for name in names:
            if name in modules():
                assert isinstance(node, ast.stmt)
                yield name, node


def length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of a function from its def to its end, without the docstring."""
    assert function.end_lineno is not None
    lines = function.end_lineno - function.lineno + 1
    if ast.get_docstring(function) is not None:
        said = function.body[0]
        assert said.end_lineno is not None
        lines -= said.end_lineno - said.lineno + 1
    return lines


def test_every_module_stands_in_a_layer() -> None:
    homeless = [m.name for m in modules().values() if m.place not in ROW]
    assert homeless == [], "add the new folder to LAYERS here and to the drawing in ARCHITECTURE.md"


def test_no_module_imports_from_a_higher_layer() -> None:
    upward = [
        f"{module.where(node)}: {module.name} imports {name}"
        for module in modules().values()
        for name, node in imported(module)
        if ROW.get(modules()[name].place, 0) > ROW.get(module.place, 0)
    ]
    assert upward == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    graph = {m.name: {name for name, _ in imported(m)} for m in modules().values()}
    graphlib.TopologicalSorter(graph).prepare()


def test_no_import_is_relative() -> None:
    relative = [
        module.where(node)
        for module in modules().values()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ImportFrom) and node.level
    ]
    assert relative == []


def test_no_module_is_longer_than_a_reader_holds_in_mind() -> None:
    lengths = {m.name: len(m.path.read_text("utf-8").splitlines()) for m in modules().values()}
    assert {name: lines for name, lines in lengths.items() if lines > LONGEST_MODULE} == {}


def test_no_function_is_longer_than_a_screen() -> None:
    lengths = {
        f"{module.where(node)} {node.name}": length(node)
        for module in modules().values()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert {name: lines for name, lines in lengths.items() if lines > LONGEST_FUNCTION} == {}


def test_only_the_command_line_prints() -> None:
    prints = [
        module.where(node)
        for module in modules().values()
        if module.place not in {"cli", "__main__"}
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    ]
    assert prints == []


def test_every_module_says_in_its_first_line_what_it_is_for() -> None:
    silent = [m.name for m in modules().values() if len((ast.get_docstring(m.tree) or "").split("\n")[0]) < 10]
    assert silent == []


@pytest.mark.parametrize(
    ("use", "needs"),
    [
        ("", set()),
        ("rankgauge.evaluate({'q': {'a': 1}}, {'q': {'a': 1.0}}, 'nDCG@10').mean()", {"numpy", "polars"}),
        ("[getattr(rankgauge, name) for name in rankgauge.__all__]", {"numpy", "polars", "scipy"}),
    ],
)
def test_the_package_loads_only_what_every_user_needs_and_when_it_is_used(use: str, needs: set[str]) -> None:
    names = "sorted(sys.modules)"
    code = f"import json, sys, rankgauge; {use or 'None'}; print(json.dumps({names}))"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(json.loads(answer.stdout)) & (LOADED_ON_DEMAND | {"numpy", "polars"}) == needs


def test_the_public_names_are_the_documented_ones() -> None:
    import rankgauge

    ours = {name for name, m in rankgauge.REGISTRY.items() if m.declared.formula.__module__.startswith("rankgauge.")}
    documented = re.findall(r"^\| `(\w+)` \|", (ROOT / "docs" / "api.md").read_text("utf-8"), re.MULTILINE)
    assert sorted([*documented, *ours]) == sorted(rankgauge.__all__)


def test_every_public_name_is_there_and_none_is_hidden_by_a_module() -> None:
    import rankgauge

    kinds = {name: type(getattr(rankgauge, name, None)).__name__ for name in rankgauge.__all__}
    assert {name: kind for name, kind in kinds.items() if kind in {"module", "NoneType"}} == {}


def test_every_folder_has_its_heading_in_the_architecture() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    headed = set(re.findall(r"^##+ `(\w+)(?:/|\.py)`", text, re.MULTILINE))
    places = {m.place for m in modules().values() if m.place and not m.place.startswith("_")}
    assert headed == places | {"data"}


def test_every_extra_that_an_error_names_can_be_installed() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    named = {
        node.args[-1].value: module.where(node)
        for module in modules().values()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "optional"
        if isinstance(node.args[-1], ast.Constant)
    }
    assert named.keys() >= {"ranx", "retrieval", "spark"}
    assert {extra: where for extra, where in named.items() if extra not in extras} == {}


def test_the_changelog_has_a_place_for_the_next_change() -> None:
    assert "\n## [Unreleased]\n" in (ROOT / "CHANGELOG.md").read_text("utf-8")


@pytest.mark.parametrize("lock", sorted(ROOT.glob("requirements*.txt")), ids=lambda path: path.name)
def test_a_lock_file_names_hashes_and_no_address(lock: Path) -> None:
    text = lock.read_text("utf-8")
    assert text.count("==") <= text.count("--hash=sha256:")
    assert re.findall(r".*(?:://|--index|--extra-index|--find-links).*", text) == []
