"""Every registered measure with every parameter tried: a new measure joins by itself."""

from __future__ import annotations

import typing
from collections.abc import Iterator
from typing import Any, Literal

from rankgauge.measures import REGISTRY, Measure
from rankgauge.measures._measure import Parameter
from rankgauge.measures._values import Between, OneOf

CUTOFFS = {"none": [None], "optional": [None, 1, 3, 10], "required": [1, 3, 10]}
FEWER = {"none": [None], "optional": [None, 3], "required": [3]}
"""Cutoffs of a measure with its defaults, and with other parameters."""

SPECIAL: dict[str, list[dict[str, Any]]] = {
    "nDCG": [
        {"gain": {1: 1, 2: 10, 3: 11}},
        {"gain": {1: 0.5, 2: 0.5, 3: 0.25}},
        {"gain": "linear", "discount": "jk", "base": 3.5},
    ],
    "DCG": [{"gain": {1: 1, 2: 1, 3: 1}}, {"discount": "jk", "base": 10}],
    "PromptGain": [{"profile": {1: 5, 2: 1, 3: 4}}, {"profile": {1: 5, 2: 1, 3: 4}, "rel": 2.0}],
    "AP": [{"denominator": "retrieved", "judged_only": True}],
}
"""Values that cannot be derived from a parameter's type, and combinations worth a test of their own."""

FALLING = "{1: 0.5, 2: 0.5, 3: 0.25}"
"""A gain that falls with the grade."""

VALUES = {"rel": [2.0], "judged_only": [True], "max_grade": [4.0]}
"""Values by the parameter's name, where they depend on the judgments of the worlds."""


NEED_SCALED_GAINS = ("INST", "NERR8", "NERR9", "NERR10", "NERR11")
"""Measures whose users need gains in [0, 1], so that scale='none' is refused once a grade is above 1."""


def refused() -> list[Measure]:
    """Variants that cannot be had of the worlds' grades."""
    return [REGISTRY[name](scale="none") for name in NEED_SCALED_GAINS]


def values_of(parameter: Parameter) -> list[Any]:
    """Some values that a parameter takes, its default left out."""
    found = VALUES.get(parameter.name, list(_by_type(parameter.hint)))
    return [value for value in found if value != parameter.default]


def _by_type(hint: Any, bounds: tuple[Any, ...] = ()) -> Iterator[Any]:
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        yield from _by_type(args[0], args[1:])
    elif origin is Literal:
        yield from args
    elif hint is bool:
        yield from (True, False)
    elif hint is str:
        yield from (name for bound in bounds if isinstance(bound, OneOf) for name in bound.names)
    elif hint in (float, int):
        numbers = [0.3, 2.0, 5.0] if hint is float else [2, 5]
        yield from [n for n in numbers if all(n in bound for bound in bounds if isinstance(bound, Between))][:1]
    elif args:
        for option in args:
            yield from _by_type(option, bounds)


def variants(measure: Measure) -> Iterator[Measure]:
    """The measure with its defaults, with each parameter changed on its own, and in its special forms."""
    yield measure
    for parameter in measure.declared.parameters.values():
        for value in values_of(parameter):
            if (variant := measure(**{parameter.name: value})) not in refused():
                yield variant
    for chosen in SPECIAL.get(measure.name, []):
        yield measure(**chosen)


def samples() -> list[Measure]:
    """Every variant of every measure at several cutoffs."""
    return [
        variant if cutoff is None else variant @ cutoff
        for measure in REGISTRY.values()
        for variant in variants(measure)
        for cutoff in (FEWER if variant.chosen else CUTOFFS)[measure.declared.cutoff]
    ]


SAMPLES = list(dict.fromkeys(samples()))
NAMES = [str(measure) for measure in SAMPLES]
