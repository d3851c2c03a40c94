"""Which column of a Spark DataFrame plays which role, and the SQL that makes canonical columns of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rankgauge.engines.plan import DOC, GRADE, QUERY, RANK, SCORE, Order
from rankgauge.errors import Fault, InputError, did_you_mean
from rankgauge.formats._names import ROLES, bare

Types = Mapping[str, str]
Roles = dict[str, str]

WHOLE = ("tinyint", "smallint", "int", "bigint")
TEXTS = ("string", "varchar", "char")
NUMBERS = (*WHOLE, "float", "double", "decimal")
IDS = (*TEXTS, *WHOLE)
GROUPS = (*IDS, "date")
EITHER = bare("relevance_score")
"""A name that people give to scores and to grades."""


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
    types: Types, given: Mapping[str, str | None], by: Sequence[str], *, where: str, ids: bool, text: bool
) -> Columns:
    """Find the columns of a log or a run.

    Parameters
    ----------
    types : {column: Spark's name of its type}
    given : {role: column} of those that the caller named
    ids : whether documents' ids are read
    text : whether numbers may be written as text, as in CSV
    """
    wanted = (QUERY, *[DOC] * ids, RANK, GRADE, SCORE)
    named = _named(given, wanted, types, where)
    roles = named | _usual([role for role in wanted if role not in named], types, [*named.values(), *by])
    if SCORE in roles and bare(roles[SCORE]) == EITHER and {RANK, SCORE, GRADE}.isdisjoint(named) and RANK in roles:
        got = f"{roles[SCORE]!r}, which could be either, beside {roles[RANK]!r}"
        raise InputError(Fault(where, "a score or a grade", got, f"say which: grade={roles[SCORE]!r} or score=..."))
    by_rank = RANK in roles and (SCORE not in roles or (RANK in named and SCORE not in named))
    order: Order = "rank" if by_rank else "score"
    _lacking(roles, (QUERY, *[DOC] * ids, order), types, where)
    select, checks = _ids(roles, (QUERY, *[DOC] * ids), by, types, where)
    _number(order, roles[order], types, where, text, select, checks)
    if GRADE in roles:
        _number(GRADE, roles[GRADE], types, where, text, select, checks)
    if order == "score":
        checks.append(Check("score IS NULL OR isnan(score)", "a score that is a number", "none or NaN"))
    else:
        lacks = "rank IS NULL AND grade IS NULL" if GRADE in roles and ids else "rank IS NULL"
        checks.append(Check(lacks, "a rank or a grade" if GRADE in roles and ids else "a rank", "none"))
        checks.append(Check("rank < 0", "a rank from 0 or 1 on", "one below 0", "mend the ranks"))
    return Columns(select, tuple(checks), order, GRADE in roles)


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
    wanted = (QUERY, DOC, GRADE)
    named = _named(given, wanted, types, where)
    roles = named | _usual(
        [role for role in wanted if role not in named], types, [*named.values(), *there], scores=True
    )
    _lacking(roles, wanted, types, where)
    select, checks = _ids(roles, (QUERY, DOC), there, types, where)
    _number(GRADE, roles[GRADE], types, where, text, select, checks)
    checks.append(Check("grade IS NULL", "a grade", "none"))
    return Columns(select, tuple(checks), None, True)


def quoted(column: str) -> str:
    """Write a column's name in SQL."""
    return "`" + column.replace("`", "``") + "`"


def _named(given: Mapping[str, str | None], wanted: Sequence[str], types: Types, where: str) -> Roles:
    named = {role: column for role, column in given.items() if column is not None and role in wanted}
    for role, column in named.items():
        if column not in types:
            got = f"the columns {', '.join(map(repr, types))}"
            near = did_you_mean(column, types).removeprefix("; ")
            raise InputError(Fault(where, f"a column {column!r} for {role}", got, near))
    return named


def _usual(roles: Iterable[str], types: Types, taken: Iterable[str], *, scores: bool = False) -> Roles:
    """Find columns by the names they usually have; judgments may call a grade a score."""
    used, found = set(taken), {}
    for role in roles:
        names = [name for name in ROLES[role] if scores or role != GRADE or name != SCORE]
        free = {bare(column): column for column in reversed(list(types)) if column not in used}
        if column := next((free[name] for name in names if name in free), None):
            found[role] = column
            used.add(column)
    return found


def _lacking(roles: Roles, needed: Iterable[str], types: Types, where: str) -> None:
    lacking = ["score or rank" if role == SCORE else role for role in needed if role not in roles]
    if lacking:
        got = f"the columns {', '.join(map(repr, types))}"
        example = ", ".join(f'{role.split()[0]}="NAME"' for role in lacking)
        raise InputError(Fault(where, f"columns for {', '.join(lacking)}", got, f"name them: {example}"))


def _ids(
    roles: Roles, named: Sequence[str], by: Sequence[str], types: Types, where: str
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
