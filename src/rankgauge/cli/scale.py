"""What `evaluate` is asked to do at scale, and which engine does it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

import rankgauge as rg
from rankgauge.cli import inputs, options, talk
from rankgauge.errors import InputError
from rankgauge.records.run import OnDuplicate

INTERRUPTED = 130


class Engine(StrEnum):
    """What computes."""

    auto = "auto"
    memory = "memory"
    stream = "stream"
    spark = "spark"


class Counted(StrEnum):
    """Which queries means are over."""

    judged = "judged"
    both = "both"
    relevant = "relevant"


Sources = Annotated[
    list[str],
    typer.Argument(
        metavar="INPUT",
        help="Judgments (a file of any known format, or a BEIR folder) and one or more rankings; or logs with "
        "grades on their rows: a table, a folder, a glob in quotes, an address such as s3://lake/logs/.",
    ),
]
EngineName = Annotated[
    Engine, typer.Option(help="auto: stream for logs, folders, globs, addresses and with -o; memory else.")
]
Out = Annotated[
    Path | None, typer.Option("-o", "--out", help="Folder for per-query scores and their summary; days add up in it.")
]
By = Annotated[
    list[str] | None,
    typer.Option("--by", help="Column that parts rankings, days say; `none` for none. Without it, dates in paths do."),
]
Memory = Annotated[str, typer.Option(help="Memory that may be used, as 2GB or 500MB.")]
SpillFolder = Annotated[
    Path | None,
    typer.Option("--spill", help="Folder for rows that do not fit; else -o or the temporary one."),
]
QrelsFile = Annotated[str | None, typer.Option("--qrels", help="Judgments beside logs; all inputs are logs then.")]
TrustRanks = Annotated[
    bool, typer.Option("--trust-ranks", help="Ranks are 1..n and documents distinct: ids are not read.")
]
Queries = Annotated[
    Counted | None, typer.Option(help="Queries that means are over: judged, with results too, or relevant ones.")
]
Master = Annotated[str | None, typer.Option(help="Spark: spark://host:7077, sc://host:15002, local[*].")]


@dataclass(frozen=True)
class Request:
    """One call of `evaluate` on logs, or on a run too large for memory.

    Attributes
    ----------
    sources : paths, folders, globs or addresses of the logs or the run
    qrels : judgments that come apart, None where the logs carry them
    measures : names as given
    how : the convention
    columns : {role: column} as given with --columns
    by : columns that part rankings (days); None: the hive partitions that are dates, if any
    trusted : ranks are 1..n and documents distinct, says the user
    out : folder for the results, None to keep none
    memory : bytes that may be used
    spill : folder for what does not fit, None for the engine's choice
    master : of Spark
    """

    sources: tuple[str, ...]
    qrels: str | None
    measures: tuple[str, ...]
    how: rg.Convention
    columns: Mapping[str, str] | None = None
    by: tuple[str, ...] | None = None
    on_duplicate: OnDuplicate = "error"
    trusted: bool = False
    out: Path | None = None
    memory: int = 2 << 30
    spill: Path | None = None
    master: str | None = None
    run_format: str | None = None
    qrels_format: str | None = None


@dataclass(frozen=True)
class Given:
    """What stands on the command line: which inputs, and who is to compute."""

    sources: tuple[str, ...]
    qrels: str | None
    named: Engine
    out: Path | None

    @property
    def engine(self) -> Engine:
        """Engine that computes."""
        if self.named is not Engine.auto:
            return self.named
        judgments, rankings = self._parted
        large = judgments is None or self.out is not None or _is_address(judgments) or any(map(_is_many, rankings))
        return Engine.stream if large else Engine.memory

    @property
    def is_small(self) -> bool:
        """Whether judgments and runs are read into memory, as they always were."""
        return self.engine is Engine.memory and len(self.sources) > 1 and self.qrels is None and self.out is None

    def inputs(self) -> tuple[tuple[str, ...], str | None]:
        """Rankings and judgments of one evaluation at scale."""
        judgments, rankings = self._parted
        if self.qrels is None and len(rankings) > 1:
            advice = "put a glob in quotes, or give the judgments with --qrels"
            raise typer.BadParameter(f"expected judgments and one run, got {len(rankings)} runs; {advice}")
        return rankings, judgments

    @property
    def _parted(self) -> tuple[str | None, tuple[str, ...]]:
        if self.qrels is not None or len(self.sources) == 1:
            return self.qrels, self.sources
        return self.sources[0], self.sources[1:]


def _is_address(source: str) -> bool:
    return "://" in source or (any(sign in source for sign in "*?[") and not os.path.exists(source))


def _is_many(source: str) -> bool:
    return _is_address(source) or os.path.isdir(source)


@dataclass(frozen=True)
class Room:
    """Where results go, and what may be used on the way."""

    out: Path | None
    memory: str
    spill: Path | None
    master: str | None

    @property
    def bytes(self) -> int:
        """The memory as a number."""
        try:
            amount: int = talk.late("rankgauge.engines.budget").bytes_of(self.memory)
        except InputError as error:
            raise typer.BadParameter(str(error), param_hint="--memory") from None
        return amount


def request(
    given: Given,
    measures: Sequence[str],
    how: rg.Convention,
    reading: inputs.Reading,
    by: list[str] | None,
    trusted: bool,
    room: Room,
) -> Request:
    """Put together what an engine is asked."""
    rankings, judgments = given.inputs()
    return Request(
        sources=rankings,
        qrels=judgments,
        measures=tuple(measures),
        how=how,
        columns=options.columns_of(reading.columns),
        by=None if not by else tuple(name for name in by if name != "none"),
        on_duplicate=reading.on_duplicate.value,
        trusted=trusted,
        out=room.out,
        memory=room.bytes,
        spill=room.spill,
        master=room.master,
        run_format=reading.run_format,
        qrels_format=reading.qrels_format,
    )


def refuse_by_query(by_query: bool) -> None:
    """Refuse to print what may be millions of lines."""
    if by_query:
        raise typer.BadParameter("queries' values are not printed at scale; -o FOLDER keeps them as parquet")


def answer(engine: Engine, asked: Request, format: options.Shape, digits: int) -> None:
    """Compute, say what was noticed, and print the means."""
    try:
        results = _ENGINES[engine](asked)
    except KeyboardInterrupt:
        kept = f"the same command goes on from what is finished in {asked.out}"
        talk.complain(KeyboardInterrupt(f"interrupted; {kept if asked.out else 'without -o nothing is kept'}"))
        raise typer.Exit(INTERRUPTED) from None
    notes = talk.late("rankgauge.engines.noted").together(results.about.notes)
    talk.remark(notes)
    report = talk.late("rankgauge.report.summaries")
    typer.echo(report.render_summary(results, notes, format=format.value, digits=digits), nl=False)


def _stream(asked: Request, memory: int | None = None) -> Any:
    stream = talk.late("rankgauge.engines.stream")
    with talk.flowing() as progress:
        return stream.evaluate(
            asked.sources,
            asked.measures,
            qrels=asked.qrels,
            columns=asked.columns,
            by=asked.by,
            convention=asked.how,
            on_duplicate=asked.on_duplicate,
            trusted=asked.trusted,
            out=asked.out,
            memory=memory,
            format=asked.run_format,
            qrels_format=asked.qrels_format,
            spill=asked.spill,
            progress=progress,
            say=talk.mention,
        )


def _spark(asked: Request) -> Any:
    return talk.late("rankgauge.cli.on_spark").evaluate(asked)


_ENGINES = {
    Engine.memory: _stream,
    Engine.stream: lambda asked: _stream(asked, asked.memory),
    Engine.spark: _spark,
}
"""In memory, a log is one batch of the streaming engine."""
