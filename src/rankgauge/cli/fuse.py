"""`rankgauge fuse`: several runs into one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

import rankgauge as rg
from rankgauge.cli import inputs, options, talk
from rankgauge.cli.outputs import write
from rankgauge.errors import EmptyInputError, MethodError

Runs = Annotated[list[Path] | None, typer.Argument(help="Two or more rankings, in any known format.")]
Methods = Annotated[
    list[str] | None, typer.Option("--method", help="How to fuse: rrf, if not said. With --tune: several to try.")
]
Norms = Annotated[list[str] | None, typer.Option("--norm", help="Normalisation; with --tune: several to try, or all.")]
Weights = Annotated[str | None, typer.Option(help="A weight per run, as 0.3,0.7.")]
K = Annotated[float | None, typer.Option("-k", help="The k of RRF.")]
Parameters = Annotated[list[str] | None, typer.Option("-p", "--parameter", help="One of the method's, as phi=0.9.")]
Distances = Annotated[list[str] | None, typer.Option(help="A run whose lower scores are better; may be repeated.")]
Depth = Annotated[int | None, typer.Option(min=1, help="Documents per query to keep.")]
Output = Annotated[Path | None, typer.Option("-o", "--output", help="The fused run; without it, TREC to stdout.")]
Name = Annotated[str | None, typer.Option(help="Name of the fused run; the method's, if not said.")]
Train = Annotated[Path | None, typer.Option(help="Training judgments, for --tune and for methods that learn.")]
Tune = Annotated[str | None, typer.Option(metavar="MEASURE", help="Find what has most of this measure on --train.")]
Folds = Annotated[int, typer.Option(min=2, help="Parts of the queries, for --tune.")]
Seed = Annotated[int, typer.Option(help="How --tune deals queries into folds.")]
HeldOut = Annotated[
    Path | None, typer.Option(help="With --tune: where each query goes as fused by a choice without it.")
]
List = Annotated[bool, typer.Option("--methods", help="List methods and normalisations instead.")]


def fuse(
    runs: Runs = None,
    method: Methods = None,
    norm: Norms = None,
    weights: Weights = None,
    k: K = None,
    parameter: Parameters = None,
    distances: Distances = None,
    depth: Depth = None,
    output: Output = None,
    name: Name = None,
    train: Train = None,
    tune: Tune = None,
    folds: Folds = 5,
    seed: Seed = 0,
    held_out: HeldOut = None,
    level: options.Level = None,
    methods: List = False,
    format: options.Output = options.Shape.table,
    on_duplicate: options.OnDuplicate = options.Duplicates.error,
    columns: options.Columns = None,
    qrels_format: options.QrelsFormat = None,
    run_format: options.RunFormat = None,
) -> None:
    """Merge several rankings into one, or find on judged queries how to do that best.

    Example: rankgauge fuse keyword.run vector.run --method rrf -k 60 -o fused.run
    """
    if methods:
        typer.echo(talk.late("rankgauge.report.fusion").render_methods(format=format.value), nl=False)
        return
    reading = inputs.Reading(on_duplicate, columns, qrels_format, run_format)
    read, judged = _read(reading, runs or []), None if train is None else reading.qrels(train)
    how: dict[str, Any] = {"level": 1.0 if level is None else level, "lower_is_better": _names(distances, runs or [])}
    if tune is None:
        how |= {"method": _one(method, "--method") or "rrf", "norm": _one(norm, "--norm")}
        how |= {"weights": _weights(weights), **_parameters(parameter, k)}
        write(rg.fuse(read, qrels=judged, depth=depth, name=name, **how), output)
    else:
        _refuse(weights=weights, k=k, parameter=parameter)
        how |= {option: given for option, given in (("methods", method), ("norms", norm)) if given}
        tuned = _tuned(judged, read, measure=tune, folds=folds, seed=seed, **how)
        typer.echo(talk.late("rankgauge.report.fusion").render_tuned(tuned, format=format.value), nl=False)
        _write_tuned(tuned, read, output, held_out, depth=depth, name=name)


def _read(reading: inputs.Reading, paths: list[Path]) -> list[rg.Run]:
    """Read the runs; an empty file is an empty run."""
    if len(paths) < 2:
        raise MethodError(f"expected two or more runs to fuse, got {len(paths)}")
    return [_or_empty(reading, path, name) for path, name in zip(paths, inputs.names(paths), strict=True)]


def _or_empty(reading: inputs.Reading, path: Path, name: str) -> rg.Run:
    try:
        return reading.runs([path])[0].named(name)
    except EmptyInputError:
        run: rg.Run = talk.late("rankgauge.fusion").empty_run(name)
        return run


def _names(distances: list[str] | None, paths: list[Path]) -> list[str]:
    """Names of the runs that are called by their names or by their files."""
    name_of = dict(zip(map(str, paths), inputs.names(paths), strict=True))
    return [name_of.get(given, given) for given in distances or []]


def _parameters(texts: list[str] | None, k: float | None) -> dict[str, Any]:
    found: dict[str, Any] = {} if k is None else {"k": k}
    for text in texts or []:
        name, _, value = text.partition("=")
        try:
            found[name.strip()] = float(value)
        except ValueError:
            message = f"expected name=number, got {text!r}"
            raise typer.BadParameter(message, param_hint="--parameter") from None
    return found


def _weights(text: str | None) -> list[float] | None:
    try:
        return None if text is None else [float(part) for part in text.split(",")]
    except ValueError:
        raise typer.BadParameter(f"expected numbers, as 0.3,0.7, got {text!r}", param_hint="--weights") from None


def _one(given: list[str] | None, option: str) -> str | None:
    if given and len(given) > 1:
        raise typer.BadParameter(f"expected one, got {len(given)}; several are for --tune", param_hint=option)
    return given[0] if given else None


def _refuse(**given: object) -> None:
    """Tuning chooses these: they cannot be given as well."""
    for name, value in given.items():
        if value:
            raise typer.BadParameter("--tune chooses it; leave it out", param_hint=f"--{name}")


def _tuned(judged: rg.Qrels | None, runs: list[rg.Run], **choices: Any) -> rg.Tuned:
    if judged is None:
        raise typer.BadParameter("expected training judgments for --tune, got none", param_hint="--train")
    with talk.counting("ways of fusing tried") as progress:
        tuned = rg.tune(judged, runs, progress=progress, **choices)
    talk.remark(tuned.notes)
    return tuned


def _write_tuned(tuned: rg.Tuned, runs: list[rg.Run], output: Path | None, held_out: Path | None, **how: Any) -> None:
    """Write what was asked for; the runs' notes have been said."""
    wanted = [] if held_out is None else [(tuned.held_out_run, held_out)]
    wanted += [] if output is None else [(tuned.fuse(runs, **how), output)]
    for run, path in wanted:
        write(replace(run, notes=tuple(note for note in run.notes if note not in tuned.notes)), path)
