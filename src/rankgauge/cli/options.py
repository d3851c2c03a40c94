"""Options that verbs share, and how their texts become values."""

from __future__ import annotations

import importlib
import importlib.util
from enum import StrEnum
from pathlib import Path
from typing import Annotated, TypeVar

import typer

import rankgauge as rg
from rankgauge.errors import Fault, InputError, MeasureError

Number = TypeVar("Number", int, float)


class Shape(StrEnum):
    """How results are written."""

    table = "table"
    json = "json"
    csv = "csv"
    markdown = "markdown"
    latex = "latex"


class Duplicates(StrEnum):
    """What becomes of a document that stands twice under one query."""

    error = "error"
    first = "first"
    max = "max"


class TieOrder(StrEnum):
    """Order of documents with equal scores."""

    docid_desc = "docid-desc"
    docid_asc = "docid-asc"
    input = "input"
    expected = "expected"


def _measure_names(incomplete: str) -> list[str]:
    return [name for name in rg.REGISTRY if name.lower().startswith(incomplete.lower())]


def _convention_names(incomplete: str) -> list[str]:
    return [name for name in rg.CONVENTIONS if name.startswith(incomplete)]


MeasureNames = Annotated[
    list[str],
    typer.Option("-m", "--measure", help="A measure, as nDCG@10 or 'RBP(p=0.8)'.", autocompletion=_measure_names),
]
Output = Annotated[Shape, typer.Option("--format", help="How to write the results.")]
ConventionName = Annotated[
    str,
    typer.Option(help="Whose choices hold where tools differ; see `rankgauge measures --conventions`.",
                 autocompletion=_convention_names),
]  # fmt: skip
Level = Annotated[float | None, typer.Option("-l", "--level", help="Grade from which a document is relevant.")]
Ties = Annotated[TieOrder | None, typer.Option(help="Order of documents with equal scores; expected: the mean of all.")]
OnDuplicate = Annotated[
    Duplicates, typer.Option(help="A document twice under one query: refuse, or keep one and say so.")
]
Columns = Annotated[str | None, typer.Option(help="Names of a table's columns: query=query_id,doc=doc_id,score=...")]
QrelsFormat = Annotated[str | None, typer.Option(help="Format of the judgments, where their content does not tell.")]
RunFormat = Annotated[str | None, typer.Option(help="Format of the runs, where their content does not tell.")]
ByQuery = Annotated[bool, typer.Option("--by-query", help="Write every query's values as well.")]
Digits = Annotated[int, typer.Option(min=0, max=17, help="Decimals in tables; JSON and CSV carry every digit.")]
Alpha = Annotated[float, typer.Option(help="Chance of a false alarm that is accepted.")]
Resamples = Annotated[int, typer.Option(min=100, help="Resamples of bootstrap and randomization.")]
Seed = Annotated[int, typer.Option(help="Seed of all that is random; the same seed gives the same result.")]
Corpus = Annotated[Path | None, typer.Option(help="Texts of the documents: JSONL with _id, title, text (BEIR).")]
Queries = Annotated[Path | None, typer.Option(help="Texts of the queries: JSONL with _id, text (BEIR).")]
MeasuresFrom = Annotated[
    list[Path] | None, typer.Option("--measures-from", help="A Python file that declares measures of your own.")
]


def load_measures(files: list[Path] | None) -> None:
    """Run the files in which users declare measures."""
    for number, path in enumerate(files or []):
        spec = importlib.util.spec_from_file_location(f"rankgauge_measures_{number}", path)
        if spec is None or spec.loader is None or not path.is_file():
            raise InputError(Fault(str(path), "a Python file that declares measures", "none"))
        module = importlib.util.module_from_spec(spec)
        try:
            spec.loader.exec_module(module)
        except MeasureError:
            raise
        except Exception as error:
            got = f"{type(error).__name__}: {error}"
            raise InputError(Fault(str(path), "a file that runs", got)) from error


def convention_of(name: str, level: float | None = None, ties: TieOrder | None = None) -> rg.Convention:
    """Find a convention and change what the user chose otherwise."""
    found: rg.Convention = importlib.import_module("rankgauge.conventions").convention(name)
    return found.but(level=level, ties=None if ties is None else ties.value)


def columns_of(text: str | None) -> dict[str, str] | None:
    """Read `query=query_id,doc=document_id` as a dict.

    >>> columns_of("query=query_id,doc=document_id")
    {'query': 'query_id', 'doc': 'document_id'}
    """
    if text is None:
        return None
    pairs = [part.split("=", 1) for part in text.split(",")]
    if not all(len(pair) == 2 and all(pair) for pair in pairs):
        raise typer.BadParameter(f"expected name=column,name=column, got {text!r}", param_hint="--columns")
    return {name.strip(): column.strip() for name, column in pairs}


def numbers_of(text: str, kind: type[Number], option: str) -> list[Number]:
    """Read `0,10,100` as numbers of a kind.

    >>> numbers_of("0, 10", int, "--depths"), numbers_of("0.5", float, "--thresholds")
    ([0, 10], [0.5])
    """
    try:
        return [kind(one) for one in text.split(",")]
    except ValueError:
        what = "whole numbers" if kind is int else "numbers"
        got = f"expected {what} with commas between, got {text!r}"
        raise typer.BadParameter(got, param_hint=option) from None
