"""How verbs read judgments and runs from the files that a command names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import rankgauge as rg
from rankgauge.cli import options, talk


@dataclass(frozen=True)
class Reading:
    """The choices of one command that hold for every file it reads."""

    on_duplicate: options.Duplicates = options.Duplicates.error
    columns: str | None = None
    qrels_format: str | None = None
    run_format: str | None = None
    by_rank: bool = False

    def qrels_for(self, path: Path, measures: Sequence[rg.Measure]) -> rg.Qrels:
        """Read judgments, by subtopic where a measure asks for subtopics."""
        return self.qrels(path, subtopics=True if any(m.declared.subtopics for m in measures) else None)

    def qrels(self, path: Path, *, subtopics: bool | None = None) -> rg.Qrels:
        """Read judgments."""
        return rg.read_qrels(
            path,
            on_duplicate=self.on_duplicate.value,
            columns=_without(options.columns_of(self.columns), "score"),
            subtopics=subtopics,
            format=self.qrels_format,
        )

    def runs(self, paths: list[Path]) -> list[rg.Run]:
        """Read runs, named by their files, with a progress bar each."""
        return [self._run(path, name) for path, name in zip(paths, names(paths), strict=True)]

    def _run(self, path: Path, name: str) -> rg.Run:
        with talk.reading(path.name) as progress:
            return rg.read_run(
                path,
                name=name,
                on_duplicate=self.on_duplicate.value,
                columns=_without(options.columns_of(self.columns), "grade"),
                format=self.run_format,
                order="rank" if self.by_rank else "score",
                progress=progress,
            )


def names(paths: list[Path]) -> list[str]:
    """Name runs by their files, without suffixes where that still tells them apart.

    >>> names([Path("a/bm25.run.gz"), Path("a/dense.run")])
    ['bm25', 'dense']
    >>> names([Path("answers.old.jsonl"), Path("answers.new.jsonl")])
    ['answers.old', 'answers.new']
    >>> names([Path("old/bm25.run"), Path("new/bm25.run")])
    ['old/bm25.run', 'new/bm25.run']
    """
    short = [path.name.split(".")[0] or path.name for path in paths]
    stems = [Path(path.name.removesuffix(".gz")).stem for path in paths]
    for candidate in (short, stems, [path.name for path in paths]):
        if len(set(candidate)) == len(paths):
            return candidate
    return [str(path) for path in paths]


def _without(columns: dict[str, str] | None, other: str) -> dict[str, str] | None:
    """Leave out the one name that only the other kind of file has."""
    return None if columns is None else {name: column for name, column in columns.items() if name != other}


@dataclass(frozen=True)
class Texts:
    """Texts by id, as far as they were named: of documents and of queries."""

    docs: dict[str, str] | None
    queries: dict[str, str] | None


def texts(corpus: Path | None, queries: Path | None) -> Texts:
    """Read the texts that a command names."""
    read = talk.late("rankgauge.formats.texts").read_texts
    docs, asked = (None if path is None else read(path) for path in (corpus, queries))
    return Texts(docs, asked)
