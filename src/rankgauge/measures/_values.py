"""Values of measures' parameters: their types and bounds, and how they are written and read."""

from __future__ import annotations

import numbers
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from rankgauge.errors import ParameterError, did_you_mean
from rankgauge.judged import FloatArray


@dataclass(frozen=True)
class Between:
    """Bounds of a number, for use in `Annotated[float, Between(0, 1)]`; `open` leaves the ends out."""

    low: float
    high: float = np.inf
    open: bool = False

    def __contains__(self, value: float) -> bool:
        return self.low < value < self.high if self.open else self.low <= value <= self.high

    def __str__(self) -> str:
        left, right = ("(", ")") if self.open else ("[", "]")
        return f"a number in {left}{self.low:g}, {self.high:g}{right}"


@dataclass(frozen=True, eq=False)
class OneOf:
    """Names in a registry that may grow, for use in `Annotated[str, OneOf(GAINS)]`."""

    names: Mapping[str, Any]

    def __contains__(self, value: str) -> bool:
        return value in self.names

    def __str__(self) -> str:
        return " or ".join(repr(name) for name in self.names)


@dataclass(frozen=True)
class Table:
    """A gain for each grade, written {grade: gain}. Grades of 0 and below have no gain unless listed.

    >>> Table.of({1: 1, 2: 3})(np.array([2.0, 1.0, 0.0])).tolist()
    [3.0, 1.0, 0.0]
    """

    entries: tuple[tuple[float, float], ...]

    @classmethod
    def of(cls, gains: Mapping[Any, Any]) -> Table:
        """Take the entries of {grade: gain}."""
        return cls(tuple(sorted((float(grade), float(gain)) for grade, gain in gains.items())))

    def __call__(self, grade: FloatArray) -> FloatArray:
        """Look up the gain of each grade; a positive grade that is not listed is an error."""
        known = np.array([0.0, *(g for g, _ in self.entries)])
        gains = np.array([0.0, *(value for _, value in self.entries)])
        order = np.argsort(known, kind="stable")
        at = np.searchsorted(known[order], grade, side="right") - 1
        found = known[order][at] == grade
        missing = ~found & (grade > 0)
        if missing.any():
            raise ParameterError(f"the gain table {self} has no entry for grade {grade[missing][0]:g}")
        result: FloatArray = np.where(found, gains[order][at], 0.0)
        return result

    def __str__(self) -> str:
        return "{" + ", ".join(f"{show_value(grade)}: {show_value(gain)}" for grade, gain in self.entries) + "}"


def show_value(value: Any) -> str:
    """Write a parameter's value so that the grammar reads it back.

    >>> show_value(2.0), show_value("exp"), show_value(Table.of({1: 1.5}))
    ('2', "'exp'", '{1: 1.5}')
    """
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, Table):
        return str(value)
    return getattr(value, "__name__", None) or repr(value)


def check_value(measure: str, parameters: Mapping[str, Any], name: str, value: Any) -> Any:
    """Return the value in its plain form, or raise ParameterError saying what was expected."""
    if name not in parameters:
        known = ", ".join(parameters)
        raise ParameterError(f"{measure} has no parameter {name!r}{did_you_mean(name, parameters)} (it has: {known})")
    fitted = _fit(parameters[name].hint, value)
    if fitted is _NO:
        expected = describe(parameters[name].hint)
        raise ParameterError(f"{measure}: expected {name} to be {expected}, got {value!r}")
    return fitted


_NO = object()


def _fit(hint: Any, value: Any) -> Any:
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        fitted = _fit(args[0], value)
        return fitted if fitted is not _NO and (fitted is None or all(fitted in bound for bound in args[1:])) else _NO
    if origin in (typing.Union, types.UnionType):
        return next((f for option in args if (f := _fit(option, value)) is not _NO), _NO)
    if origin is Literal:
        return value if isinstance(value, str) and value in args else _NO
    return _fit_plain(origin or hint, value)


def _fit_plain(kind: Any, value: Any) -> Any:
    number = isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_))
    if kind is Any:
        return value
    if kind is float:
        return float(value) if number and np.isfinite(value) else _NO
    if kind is int:
        return int(value) if number and float(value).is_integer() else _NO
    if kind in (bool, str):
        return value if isinstance(value, kind) else _NO
    if kind is type(None):
        return value if value is None else _NO
    if kind is Table:
        return Table.of(value) if isinstance(value, Mapping) and value else value if isinstance(value, Table) else _NO
    return value if kind is Callable and callable(value) else _NO


def describe(hint: Any) -> str:
    """Say in words what a parameter takes.

    >>> describe(Literal["exp", "linear"] | None)
    "'exp' or 'linear' or None"
    """
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return str(args[1]) if not _optional(args[0]) else f"{args[1]} or None"
    if origin in (typing.Union, types.UnionType):
        return " or ".join(describe(option) for option in args)
    if origin is Literal:
        return " or ".join(repr(option) for option in args)
    names = {float: "a number", int: "a whole number", bool: "True or False", type(None): "None"}
    names |= {str: "text", Table: "a table {grade: gain}"}
    return names.get(hint, "a function" if callable(hint) or origin else str(hint))


def _optional(hint: Any) -> bool:
    return type(None) in typing.get_args(hint)
