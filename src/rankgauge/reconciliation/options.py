"""Which options each axis has, for one measure on the data at hand."""

from __future__ import annotations

import itertools
import types
import typing
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal

import numpy as np

from rankgauge.conventions import Convention
from rankgauge.errors import ParameterError
from rankgauge.judged import FloatArray
from rankgauge.measures import Measure
from rankgauge.measures._values import OneOf, Table
from rankgauge.measures._weights import GAINS, LARGEST_EXPONENT, gains
from rankgauge.reconciliation.space import Axis, Changes, Space

RULES: dict[str, tuple[Any, ...]] = {
    "undefined": ("skip", "zero", "one"),
    "queries": ("judged", "both", "relevant"),
    "ties": ("docid-desc", "docid-asc", "input", "expected"),
    "ideal": ("judged", "retrieved"),
    "order": ("score", "rank", "input"),
    "negative": ("pooled", "unjudged", "judged"),
    "drop_self": (False, True),
    "score_type": ("float64", "float32"),
    "decimals": (None, 5, 4),
}
"""Options of the axes that are rules of a convention."""

COMMON: dict[str, tuple[Any, ...]] = {
    "base": (2.0, 10.0),
    "beta": (1.0, 2.0, 0.5),
    "p": (0.8, 0.5, 0.9, 0.95),
    "T": (1.0, 2.0, 3.0),
    "value": ("EU", "ETU"),
    "horizon": (None, 1000),
}
"""Values of measures' parameters that are in use and cannot be read off their types."""

CUTOFFS = (1, 3, 5, 10, 20, 50, 100, 1000)
LARGEST_SCALE = 5
MOST_LEVELS = 6
MOST_TABLES = 2

FIRST = ("gain", "denominator", "rel", *RULES)
"""Axes in the order in which they come to mind; the measure's other parameters follow, the cutoff is last."""


def space_of(
    measure: Measure, conventions: Iterable[Convention], grades: FloatArray, *, without: Sequence[Changes] = ()
) -> Space:
    """Lay out the axes of a measure; each convention has a setting on them.

    What the user wrote into the measure stays as it is: nDCG(gain='linear')@10 has no axis of gains.

    Parameters
    ----------
    grades : float64, the different grades of the judgments
    without : options that are left out unless a convention has them
    """
    axes = [*_of_parameters(measure, grades), *_of_rules(), *_of_cutoffs(measure)]
    rank = {name: number for number, name in enumerate(FIRST)}
    axes.sort(key=lambda axis: (axis.part == "cutoff", rank.get(axis.name, len(FIRST))))
    axes = [Axis.of(axis.name, axis.part, [o for o in axis.options if o not in without]) for axis in axes]
    known = Space(measure, tuple(axes))
    choices = [known.choices(convention) for convention in conventions]
    full = []
    for number, axis in enumerate(axes):
        more = [chosen[number] for chosen in choices]
        wider = Axis.of(axis.name, axis.part, [*axis.options, *(o for o in more if o not in axis.alike)])
        full.append(_without_doubles(wider, grades))
    return Space(measure, tuple(full))


def _of_rules() -> Iterator[Axis]:
    for name, values in RULES.items():
        yield Axis.of(name, "rules", [((name, value),) for value in values])


def _of_cutoffs(measure: Measure) -> Iterator[Axis]:
    if measure.declared.cutoff == "none":
        return
    asked = measure.cutoff
    near = () if asked is None else tuple(k for k in (asked - 1, asked + 1) if k >= 1)
    others: tuple[int | None, ...] = CUTOFFS if measure.declared.cutoff == "required" else (*CUTOFFS, None)
    yield Axis.of("cutoff", "cutoff", [(("cutoff", k),) for k in (asked, *near, *others)])


def _of_parameters(measure: Measure, grades: FloatArray) -> Iterator[Axis]:
    fixed = dict(measure.chosen)
    for name, parameter in measure.declared.parameters.items():
        if name in fixed or name == "base":
            continue
        values = [parameter.default, *_values(name, parameter.hint, grades)]
        options: list[Changes] = [((name, value),) for value in _valid(measure, name, values)]
        if name == "discount" and "base" in measure.declared.parameters:
            bases = [fixed["base"]] if "base" in fixed else COMMON["base"]
            options = [o for o in options if o[0][1] != "jk"]
            options += [(("discount", "jk"), ("base", float(base))) for base in bases]
        if len(options) > 1:
            yield Axis.of(name, "parameters", options)


def _values(name: str, hint: Any, grades: FloatArray) -> Sequence[Any]:
    """Values of a parameter that are in use, from its name, the data or its type."""
    if name == "rel":
        return [float(level) for level in _levels(grades)]
    if name == "max_grade":
        top = max(1.0, float(grades.max(initial=0)))
        return [float(g) for g in range(1, LARGEST_SCALE + 1) if g > top]
    if name in COMMON:
        return COMMON[name]
    named = list(_named(hint))
    return [*named, *_tables(grades)] if name == "gain" else named


def _levels(grades: FloatArray) -> FloatArray:
    positive = np.unique(grades[grades > 0])
    levels: FloatArray = positive[:MOST_LEVELS]
    return levels


def _named(hint: Any) -> Iterator[Any]:
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is Literal:
        yield from args
    elif origin is typing.Annotated:
        yield from (name for bound in args[1:] if isinstance(bound, OneOf) for name in bound.names)
    elif origin in (typing.Union, types.UnionType):
        yield from itertools.chain.from_iterable(_named(option) for option in args)
    elif hint is bool:
        yield from (False, True)


def _tables(grades: FloatArray) -> Iterator[Table]:
    """Gains that begin at a level above the lowest grade, as tools have that let the level cut gains."""
    positive = np.unique(grades[grades > 0])
    for level in positive[1 : 1 + MOST_TABLES]:
        for name in ("linear", "exp", "binary"):
            if name == "exp" and positive.max() > LARGEST_EXPONENT:
                continue
            gained = np.where(positive >= level, gains(positive, name), 0.0)
            yield Table.of(dict(zip(positive.tolist(), gained.tolist(), strict=True)))


def _valid(measure: Measure, name: str, values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        try:
            yield value if value is None else measure(**{name: value}).parameters[name]
        except ParameterError:
            continue  # a value that is common for another measure's parameter of this name


def _without_doubles(axis: Axis, grades: FloatArray) -> Axis:
    """Merge options that are the same on these grades: levels that pick the same documents, gains that agree."""
    seen: dict[Any, int] = {}
    stands_for = [seen.setdefault(_effect(axis, option, grades), n) for n, option in enumerate(axis.options)]
    return axis.merged(stands_for)


def _effect(axis: Axis, option: Changes, grades: FloatArray) -> Any:
    value = option[0][1]
    if axis.name == "rel" and value is not None:
        return tuple((grades >= value).tolist())
    if axis.name == "max_grade" and value == max(1.0, float(grades.max(initial=0))):
        return (("max_grade", None),)
    known = value in GAINS if isinstance(value, str) else isinstance(value, Table)
    if axis.name == "gain" and known and not (value == "exp" and grades.max(initial=0) > LARGEST_EXPONENT):
        return tuple(gains(grades, value).tolist())
    return option
