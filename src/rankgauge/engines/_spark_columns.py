"""Which column of a Spark DataFrame plays which role, and the SQL that makes canonical columns of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from rankgauge.engines.plan import DOC, GRADE, QUERY, RANK, SCORE, Order
from rankgauge.errors import Fault, InputError, did_you_mean
from rankgauge.formats._dataset_columns import Roles, is_log, roles_of
from rankgauge.formats._names import ROLES, bare

Types = Mapping[str, str]

WHOLE = ("tinyint", "smallint", "int", "bigint")
TEXTS = ("string", "varchar", "char")
NUMBERS = (*WHOLE, "float", "double", "decimal")
IDS = (*TEXTS, *WHOLE)
GROUPS = (*IDS, "date")


@dataclass(frozen=True)
class Check:
    """What no row may be: a condition in SQL over canonical columns, and how it is said."""

    condition: str
    expected: str
    got: str
    advice: str = "remove these rows"


@dataclass(frozen=True)
class Columns:
    """Canonical columns {name: SQL} over the given ones, and what must hold of their rows."""

    select: dict[str, str]
    checks: tuple[Check, ...]
    order: Order | None
    graded: bool


def log_columns(
    types: Types, given: Mapping[str, str | None], by: Sequence[str], *, where: str, ids: bool, text: bool, apart: bool
) -> Columns:
    """Find the columns of a log, or of a run where judgments come apart, as the streaming engine finds them.

    Parameters
    ----------
    types : {column: Spark's name of its type}
    given : {role: column} of those that the caller named
    ids : whether documents' ids are read
    text : whether numbers may be written as text, as in CSV
    """
    _there(by, types, where)
    found = list(types) if ids or any(bare(name) in ROLES[DOC] for name in types) else [*types, DOC]
    roles = _log_roles(found, _named(given), by, where, apart=apart)
    select, checks = _ids(roles.columns, (QUERY, *[DOC] * ids), by, types, where)
    _number(roles.order, roles.columns[roles.order], types, where, text, select, checks)
    if roles.graded:
        _number(GRADE, roles.columns[GRADE], types, where, text, select, checks)
    if roles.order == "score":
        checks.append(Check("score IS NULL OR isnan(score)", "a score that is a number", "none or NaN"))
    else:
        either = roles.graded and ids
        condition, expected = ("rank IS NULL AND grade IS NULL", "a rank or a grade") if either else _PLACED
        checks.append(Check(condition, expected, "none"))
        checks.append(Check("rank < 0", "a rank from 0 or 1 on", "one below 0", "mend the ranks"))
    return Columns(select, tuple(checks), roles.order, roles.graded)


def _log_roles(found: Sequence[str], named: Mapping[str, str], by: Sequence[str], where: str, *, apart: bool) -> Roles:
    """Find roles of a log; beside judgments, of a run, unless a column tells that it is a log."""
    if apart:
        with suppress(InputError):
            roles = roles_of(found, named, holds="log", by=by, where=where)
            if is_log(roles.columns.get(GRADE), named):
                return roles
    return roles_of(found, named, holds="run" if apart else "log", by=by, where=where)


def judgment_columns(
    types: Types, given: Mapping[str, str | None], by: Sequence[str], *, where: str, text: bool
) -> Columns:
    """Find the columns of judgments; those of `by` count where all of them are there."""
    there = [name for name in by if name in types]
    if there and len(there) < len(by):
        got = f"only {', '.join(map(repr, there))}"
        raise InputError(
            Fault(where, f"all of {', '.join(map(repr, by))} or none", got, "drop that column, or add one")
        )
    roles = roles_of(list(types), _named(given), holds="qrels", by=there, where=where)
    select, checks = _ids(roles.columns, (QUERY, DOC), there, types, where)
    _number(GRADE, roles.columns[GRADE], types, where, text, select, checks)
    checks.append(Check("grade IS NULL", "a grade", "none"))
    return Columns(select, tuple(checks), None, True)


_PLACED = ("rank IS NULL", "a rank")


def quoted(column: str) -> str:
    """Write a column's name in SQL."""
    return "`" + column.replace("`", "``") + "`"


def _named(given: Mapping[str, str | None]) -> dict[str, str]:
    return {role: column for role, column in given.items() if column is not None}


def _there(by: Sequence[str], types: Types, where: str) -> None:
    if missing := next((name for name in by if name not in types), None):
        got = f"the columns {', '.join(map(repr, types))}"
        raise InputError(Fault(where, f"a column {missing!r} of by", got, did_you_mean(missing, types)[2:]))


def _ids(
    roles: Mapping[str, str], named: Sequence[str], by: Sequence[str], types: Types, where: str
) -> tuple[dict[str, str], list[Check]]:
    """Ids and groups as text; none may be missing or empty."""
    select, checks = {}, []
    for name, column in [*((name, name) for name in by), *((role, roles[role]) for role in named)]:
        allowed = GROUPS if name in by else IDS
        _typed(name, column, allowed, types, where, "cast it to text: 1.0 is not silently equal to '1'")
        select[name] = f"CAST({quoted(column)} AS STRING)"
        checks.append(Check(f"{quoted(name)} IS NULL OR {quoted(name)} = ''", f"a {name}", "none"))
    return select, checks


def _number(
    role: str, column: str, types: Types, where: str, text: bool, select: dict[str, str], checks: list[Check]
) -> None:
    """Add a number's column, and what tells that one could not be read."""
    _typed(role, column, (*NUMBERS, *TEXTS * text), types, where, "cast it to numbers")
    kind, source = _base(types[column]), quoted(column)
    number = f"try_cast({source} AS DOUBLE)"
    unread = f"{source} IS NOT NULL AND {number} IS NULL" if kind in TEXTS else "false"
    if kind in TEXTS:
        unread = f"trim({source}) != '' AND {unread}"
    if role == RANK:
        select[RANK] = f"CAST({source} AS BIGINT)" if kind in WHOLE else f"try_cast({number} AS BIGINT)"
        if kind not in WHOLE:
            whole = f"try_cast({number} AS BIGINT) IS NOT NULL AND {number} % 1D = 0D"
            unread = f"({unread}) OR ({number} IS NOT NULL AND NOT ({whole}))"
    elif role == GRADE:
        select[GRADE] = f"nanvl({number}, CAST(NULL AS DOUBLE))"
        checks.append(Check("abs(grade) = double('infinity')", "a finite grade", "an infinite one"))
    else:
        select[SCORE] = number
    if unread != "false":
        select[f"{role}_unread"] = f"coalesce({unread}, false)"
        checks.append(Check(f"{role}_unread", f"a {'whole ' * (role == RANK)}number as {role}", "something else"))


def _typed(name: str, column: str, allowed: Sequence[str], types: Types, where: str, advice: str) -> None:
    if _base(types[column]) not in allowed:
        kinds = "text, whole numbers or dates" if "date" in allowed else "text or whole numbers"
        expected = f"{'numbers' if 'double' in allowed else kinds} as {name}"
        raise InputError(Fault(where, expected, f"a column {column!r} of {types[column]}", advice))


def _base(type_: str) -> str:
    """Name a type without its size."""
    return type_.partition("(")[0].partition(" ")[0]
