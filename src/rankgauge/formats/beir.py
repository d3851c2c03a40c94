"""BEIR: a folder with qrels/test.tsv, and qrels as TSV with the header query-id, corpus-id, score."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rankgauge.errors import Fault, FormatError, InputError
from rankgauge.formats.tables import tsv_lines
from rankgauge.records import Qrels

NAMES = {"query": "query-id", "doc": "corpus-id", "grade": "score"}


def qrels_file(folder: Path) -> Path:
    """Choose the qrels of a folder: qrels/test.tsv, or the only TSV there is."""
    places = [place for place in (folder / "qrels", folder) if place.is_dir()]
    for place in places:
        if (place / "test.tsv").is_file():
            return place / "test.tsv"
        found = sorted(file for file in place.iterdir() if file.suffix == ".tsv" or file.name.endswith(".tsv.gz"))
        if len(found) == 1:
            return found[0]
        if found:
            names = ", ".join(str(file.relative_to(folder)) for file in found)
            raise FormatError(Fault(str(folder), "qrels/test.tsv, or one qrels file", names, "name the file you mean"))
    raise FormatError(Fault(str(folder), "a BEIR folder with qrels/test.tsv", "no .tsv in it", "name the file"))


def target(path: Path) -> Path:
    """Where qrels are written: qrels/test.tsv of a folder, which a path without a suffix is; else the file."""
    if path.suffix and not path.is_dir():
        return path
    try:
        (path / "qrels").mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        advice = "choose another name, or one with a suffix to write a file"
        raise InputError(Fault(str(path), "a place for a BEIR folder", "a file in the way", advice)) from None
    return path / "qrels" / "test.tsv"


def qrels_lines(qrels: Qrels) -> Iterator[bytes]:
    """Lines of a BEIR qrels file."""
    yield from tsv_lines(qrels, NAMES)
