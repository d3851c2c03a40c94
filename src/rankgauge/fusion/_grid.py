"""What tuning tries: methods, normalisations, parameters and weights, as recipes."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from math import comb

from rankgauge.fusion._method import METHODS, FusionMethod, find_method
from rankgauge.fusion._recipe import Recipe
from rankgauge.fusion.norms import NORMS, Norm, find_norm

MOST_WEIGHTS = 100
"""Weightings tried per method: the finest even grid with no more."""
STEPS = (10, 5, 4, 3, 2, 1)
"""Parts into which the weight of 1 may be cut."""
ALL = "all"


def recipes(methods: Sequence[str] | str, norms: Sequence[str] | str, runs: int) -> list[Recipe]:
    """Every combination of these methods with these normalisations, their parameters and weights.

    Simple things come first: where two do equally well, the earlier one is chosen. `"all"` stands for all
    methods or normalisations.
    """
    found = [
        Recipe(method, norm, weights, dict(zip(method.grid, values, strict=True)) | _fixed(method))
        for method in _methods(methods)
        for norm in _norms(method, norms)
        for values in itertools.product(*method.grid.values())
        for weights in _weightings(method, runs)
    ]
    return list({str(recipe): recipe for recipe in found}.values())


def _methods(named: Sequence[str] | str) -> list[FusionMethod]:
    listed = [named] if isinstance(named, str) else named
    return list(METHODS.values()) if ALL in listed else [find_method(name) for name in listed]


def _norms(method: FusionMethod, named: Sequence[str] | str) -> list[Norm | None]:
    if not method.reads_scores:
        return [None]
    listed = [named] if isinstance(named, str) else named
    return list(NORMS.values()) if ALL in listed else [find_norm(name) for name in listed]


def _fixed(method: FusionMethod) -> dict[str, object]:
    return {name: p.default for name, p in method.parameters.items() if name not in method.grid}


def _weightings(method: FusionMethod, runs: int) -> Iterator[tuple[float, ...] | None]:
    yield None
    if method.weighted and runs > 1:
        parts = next((n for n in STEPS if comb(n + runs - 1, runs - 1) <= MOST_WEIGHTS), 1)
        equal = (1 / runs,) * runs
        yield from (weights for weights in simplex(parts, runs) if weights != equal)


def simplex(parts: int, runs: int) -> Iterator[tuple[float, ...]]:
    """Every way of giving `parts` equal parts of 1 to the runs.

    >>> list(simplex(2, 2))
    [(0.0, 1.0), (0.5, 0.5), (1.0, 0.0)]
    """
    for cuts in itertools.combinations(range(parts + runs - 1), runs - 1):
        borders = (-1, *cuts, parts + runs - 1)
        yield tuple((high - low - 1) / parts for low, high in itertools.pairwise(borders))
