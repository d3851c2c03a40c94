"""Sums by unit of randomisation, from a log of any size; what is wrong with its rows is counted first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl

from rankgauge.errors import EmptyInputError, Fault, InputError, ParameterError, did_you_mean
from rankgauge.formats.scanning import Source, scan
from rankgauge.judged import FloatArray
from rankgauge.online.metrics import ROWS
from rankgauge.records import Note
from rankgauge.records.notes import examples

OnBad = Literal["error", "drop"]
Sources = Source | Mapping[str, Source]
MOST_ARMS = 20
ARM, UNIT, BEFORE = "_arm", "_unit", "_before:"
TRUE, FALSE = ("true", "True", "TRUE"), ("false", "False", "FALSE")


@dataclass(frozen=True, eq=False)
class Units:
    """What each unit of each arm added up to.

    Attributes
    ----------
    arms : names, the control first
    sums : {column: float[n]} by arm; "rows" is there always
    before : {column: float[n]} by arm, NaN where a unit has no value of before
    unit : column of units; None: each row is a unit
    rows : read, with those that were left out
    """

    label: str
    arms: tuple[str, ...]
    sums: tuple[Mapping[str, FloatArray], ...]
    before: tuple[Mapping[str, FloatArray], ...]
    unit: str | None
    rows: int
    notes: tuple[Note, ...] = ()

    def counts(self) -> tuple[int, ...]:
        """Units by arm."""
        return tuple(len(sums[ROWS]) for sums in self.sums)


def read_units(
    source: Sources,
    *,
    columns: Sequence[str],
    arm: str | None = None,
    unit: str | None = None,
    control: str | None = None,
    before: Sequence[str] = (),
    on_bad: OnBad = "error",
    format: str | None = None,
) -> Units:
    """Add up columns by unit and arm. The rows are streamed; what is held is a number per unit and column.

    Parameters
    ----------
    source : files or a frame (`formats.scanning`), or {arm: files or frame}, the control first
    arm : column that names the arm; none where `source` names them
    unit : column of what was randomised, as a user id; without it each row is a unit
    control : needed where the arms are a column
    before : columns with a value of before the experiment, the same in all rows of a unit
    on_bad : refuse a log with rows or units that cannot be counted, or leave them out and say how many

    Raises
    ------
    InputError
        For columns that are not there, fewer than two arms, rows without arm or unit, values that are no finite
        numbers, and units in two arms: how many, and in which file.
    """
    label, rows = _rows(source, arm, unit, [*columns], [*before], format)
    by_arm = _survey(rows, [*columns], [*before], unit is not None)
    seen = [str(name) for name in by_arm[ARM].drop_nulls()]
    given = [*map(str, source)] if isinstance(source, Mapping) else None
    names = _arms(given, seen, control, label)
    faults, notes = _bad_rows(by_arm, label, on_bad, arm, unit)
    if faults:
        raise InputError(faults)
    valid = rows.filter(_valid([*columns], [*before], unit is not None))
    number = pl.col(ARM).replace_strict(list(names), list(range(len(names))), return_dtype=pl.UInt8)
    frame = _summed(valid.with_columns(number), [*columns], [*before], unit is not None)
    frame, more = _in_one_arm(frame, [*before], label, on_bad) if unit is not None else (frame, [])
    frame = frame.sort(*columns, ROWS, *(BEFORE + name for name in before))  # a result depends on no order of rows
    parts = [frame.filter(pl.col(ARM) == at) for at in range(len(names))]
    return Units(
        label, names, tuple(_arrays(part, [*columns, ROWS]) for part in parts),
        tuple(_arrays(part, [BEFORE + name for name in before]) for part in parts),
        unit, int(by_arm["rows"].sum()), (*notes, *more),
    )  # fmt: skip


def _rows(
    source: Sources, arm: str | None, unit: str | None, columns: list[str], before: list[str], format: str | None
) -> tuple[str, pl.LazyFrame]:
    """Label, and the columns under fixed names: numbers that cannot be read are NaN, missing ones null."""
    if not isinstance(source, Mapping):
        label, frame = scan(source, format=format, label="events")
        if arm is None:
            raise ParameterError("arm: expected the name of a column, got none; or give one file per arm, NAME=FILE")
        return label, _typed(frame, label, pl.col(arm), arm, unit, columns, before)
    if arm is not None:
        raise ParameterError("arm: expected no column, as each file is an arm; leave it out")
    parts, labels = [], []
    for name, one in source.items():
        label, frame = scan(one, format=format, label=name)
        labels.append(label)
        parts.append(_typed(frame, label, pl.lit(name), None, unit, columns, before))
    return ", ".join(labels), pl.concat(parts, how="vertical_relaxed")


def _typed(
    frame: pl.LazyFrame, label: str, arm: pl.Expr, arm_column: str | None, unit: str | None, columns: list[str],
    before: list[str],
) -> pl.LazyFrame:  # fmt: skip
    schema = frame.collect_schema()
    for name in (arm_column, unit, *columns, *before):
        if name is not None and name not in schema:
            near = did_you_mean(name, schema)[2:]
            raise InputError(Fault(label, f"a column {name!r}", f"the columns {', '.join(schema)}", near))
    named = [arm.cast(pl.String).replace("", None).alias(ARM)]
    if unit is not None:
        text = schema[unit] == pl.String
        named.append((pl.col(unit).replace("", None) if text else pl.col(unit)).alias(UNIT))
    numbers = [_number(name, schema[name]).alias(name) for name in columns]
    return frame.select(*named, *numbers, *(_number(name, schema[name]).alias(BEFORE + name) for name in before))


def _number(name: str, kind: pl.DataType) -> pl.Expr:
    if kind.is_numeric() or kind == pl.Boolean or kind == pl.Null:
        return pl.col(name).cast(pl.Float64)
    text = pl.col(name).cast(pl.String).str.strip_chars()
    flag = pl.when(text.is_in(TRUE)).then(1.0).when(text.is_in(FALSE)).then(0.0)
    read = flag.otherwise(text.cast(pl.Float64, strict=False).fill_null(float("nan")))
    return pl.when(text.is_null() | (text == "")).then(None).otherwise(read)


def _survey(rows: pl.LazyFrame, columns: list[str], before: list[str], units: bool) -> pl.DataFrame:
    """Per arm: rows, and what is wrong with them."""
    earlier = [BEFORE + name for name in before]
    asked = [pl.len().alias("rows"), (~_valid(columns, before, units)).sum().alias("invalid")]
    asked += [pl.col(UNIT).is_null().sum().alias("no unit")] if units else []
    asked += [(~pl.col(name).is_finite()).sum().alias(f"bad {name}") for name in (*columns, *earlier)]
    asked += [pl.col(name).is_null().sum().alias(f"no {name}") for name in columns]
    return rows.group_by(ARM).agg(asked).sort(ARM).collect(engine="streaming")


def _valid(columns: list[str], before: list[str], units: bool) -> pl.Expr:
    """Rows that can be counted: a missing value of before is no fault."""
    there = [pl.col(ARM).is_not_null(), *([pl.col(UNIT).is_not_null()] if units else [])]
    there += [pl.col(name).is_finite().fill_null(False) for name in columns]
    there += [pl.col(BEFORE + name).is_finite().fill_null(True) for name in before]
    return pl.all_horizontal(there)


def _arms(given: list[str] | None, seen: list[str], control: str | None, label: str) -> tuple[str, ...]:
    """Names of the arms, the control first: the one named so, or the first of the arms that were given."""
    named = seen if given is None else given
    if not seen:
        raise EmptyInputError(Fault(label, "at least one row with an arm", "none", "check the path"))
    if lacking := [name for name in named if name not in seen]:
        raise EmptyInputError(Fault(label, f"rows of the arm {lacking[0]!r}", "none", "check its file"))
    if not 2 <= len(named) <= MOST_ARMS:
        got = f"{len(named)}: {examples(named)}"
        raise InputError(Fault(label, f"from 2 to {MOST_ARMS} arms", got, "is it the column of arms?"))
    if control is None and given is None:
        raise ParameterError(f"control: expected one of the arms {', '.join(named)}, got none; name it")
    first = named[0] if control is None else control
    if first not in named:
        raise ParameterError(f"control: expected one of the arms {', '.join(named)}, got {first!r}")
    return (first, *(name for name in named if name != first))


def _bad_rows(
    by_arm: pl.DataFrame, label: str, on_bad: OnBad, arm: str | None, unit: str | None
) -> tuple[list[Fault], list[Note]]:
    if on_bad not in ("error", "drop"):
        raise ParameterError(f"on_bad: expected 'error' or 'drop', got {on_bad!r}")
    if on_bad == "drop":
        bad = by_arm.filter(pl.col("invalid") > 0)
        total = int(bad["invalid"].sum())
        parts = ", ".join(
            f"{n:,} of {name}" for name, n in bad.select(pl.col(ARM).fill_null("no arm"), "invalid").rows()
        )
        text = f"{total:,} rows that cannot be counted were left out: {parts}"
        return [], [Note("bad rows", total, text)] if total else []
    advice, said = 'correct the log, or leave such rows out (on_bad="drop")', []
    sums = by_arm.select(pl.exclude(ARM, "rows", "invalid").sum()).to_dicts()[0]
    without = int(by_arm.filter(pl.col(ARM).is_null())["rows"].sum())
    if without:
        said.append((f"column {arm!r}", "an arm in every row", f"{without:,} rows without"))
    for name, count in sums.items():
        kind, _, column = name.partition(" ")
        column = column.removeprefix(BEFORE)
        if count and name == "no unit":
            said.append((f"column {unit!r}", "a unit in every row", f"{count:,} rows without"))
        elif count and kind == "bad":
            said.append((f"column {column!r}", "finite numbers", f"{count:,} other values"))
        elif count:
            said.append((f"column {column!r}", "a number in every row, 0 for nothing", f"{count:,} without"))
    return [Fault(f"{label}, {where}", expected, got, advice) for where, expected, got in said], []


def _summed(rows: pl.LazyFrame, columns: list[str], before: list[str], units: bool) -> pl.DataFrame:
    if not units:
        return rows.with_columns(pl.lit(1.0).alias(ROWS)).collect(engine="streaming")
    earlier = [BEFORE + name for name in before]
    asked = [pl.col(ARM).min(), (pl.col(ARM).max() != pl.col(ARM).min()).alias("crossed")]
    asked += [pl.len().cast(pl.Float64).alias(ROWS), *(pl.col(name).sum() for name in columns)]
    asked += [pl.col(name).min() for name in earlier]
    asked += [(pl.col(name).max() != pl.col(name).min()).alias(f"uneven {name}") for name in earlier]
    return rows.group_by(UNIT).agg(asked).collect(engine="streaming")


def _in_one_arm(frame: pl.DataFrame, before: list[str], label: str, on_bad: OnBad) -> tuple[pl.DataFrame, list[Note]]:
    """Refuse or leave out units that were in several arms."""
    for name in before:
        uneven = frame.filter(pl.col(f"uneven {BEFORE}{name}"))[UNIT]
        if len(uneven):
            got = f"several for {len(uneven):,} units, as {_some(uneven)}"
            advice = "add it up by unit first"
            raise InputError(Fault(f"{label}, column {name!r}", "one value of before per unit", got, advice))
    crossed = frame.filter(pl.col("crossed"))[UNIT]
    if not len(crossed):
        return frame, []
    got = f"{len(crossed):,} units in several, as {_some(crossed)}"
    if on_bad == "error":
        advice = 'find out how they crossed, or leave them out (on_bad="drop")'
        raise InputError(Fault(label, "each unit in one arm", got, advice))
    return frame.filter(~pl.col("crossed")), [
        Note("crossed units", len(crossed), f"{got}: left out, which is fair only if no arm makes them cross")
    ]


def _some(units: pl.Series) -> str:
    return ", ".join(repr(one) for one in sorted(units)[:3])


def _arrays(frame: pl.DataFrame, names: list[str]) -> dict[str, FloatArray]:
    return {
        name.removeprefix(BEFORE): frame[name].fill_null(float("nan")).to_numpy().astype(np.float64, copy=False)
        for name in names
    }
