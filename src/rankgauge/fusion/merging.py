"""Fusing runs: several rankings in, one out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rankgauge.errors import MethodError
from rankgauge.fusion._collect import AnyRuns, as_list, collect
from rankgauge.fusion._lists import Lists
from rankgauge.fusion._recipe import Recipe, recipe
from rankgauge.fusion._training import Training
from rankgauge.judged import FloatArray
from rankgauge.records import Note, Qrels, Run


def fuse(
    runs: AnyRuns,
    *,
    method: str = "rrf",
    norm: str | None = None,
    weights: Sequence[float] | None = None,
    qrels: Qrels | Mapping[Any, Mapping[Any, Any]] | None = None,
    level: float = 1.0,
    depth: int | None = None,
    name: str | None = None,
    lower_is_better: Sequence[str] | bool = (),
    **parameters: Any,
) -> Run:
    """Merge several runs into one.

    Ranks are those of `run.ranked()`, from 1. A document that a run does not hold gets nothing from it; a
    query that a run lacks is fused from the others, and counted in the notes.

    Parameters
    ----------
    runs : several runs, as [a, b] or {name: run}
    method : name of a method (`rankgauge fuse --methods` lists them)
    norm : normalisation of scores, "none" for none; by default the method's
    weights : a weight per run, for methods that take weights; by default all are equal
    qrels : training judgments, for methods that learn
    level : grade from which a training document is relevant
    depth : how many documents per query to keep; by default all
    name : name of the fused run; by default the method's
    lower_is_better : names of the runs whose lower scores are better, True for all: they are negated first
    parameters : those of the method, such as k=60

    Raises
    ------
    MethodError
        For choices that do not exist or do not fit each other.
    ParameterError
        For a parameter outside its bounds.
    InputError
        For runs or judgments that cannot be fused.

    >>> fused = fuse({"a": {"q": {"x": 9.0, "y": 8.0}}, "b": {"q": {"z": 0.4, "y": 0.3}}}, k=60)
    >>> fused.to_dict()["q"]["y"] == 2 / 62, list(fused.docs)
    (True, ['y', 'z', 'x'])
    """
    given = as_list(runs)
    chosen = recipe(method, len(given), norm=norm, weights=weights, parameters=parameters)
    lists = collect(given, lower_is_better=lower_is_better)
    learned = chosen.learned(None if qrels is None else training(lists, qrels, level))
    return finished(lists, chosen, learned, depth=depth, name=name)


def training(lists: Lists, qrels: Qrels | Mapping[Any, Mapping[Any, Any]], level: float) -> Training:
    """Mark the lists' relevant documents."""
    return Training.of(lists, qrels if isinstance(qrels, Qrels) else Qrels.from_dict(qrels), level=level)


def finished(lists: Lists, chosen: Recipe, learned: FloatArray | None, *, depth: int | None, name: str | None) -> Run:
    """Fuse by a recipe: documents in order, no more than `depth` of each query."""
    if depth is not None and depth < 1:
        raise MethodError(f"expected a depth of 1 or more, got {depth}")
    scores = chosen.scores(chosen.prepared(lists), learned)
    run = lists.to_run(scores, name or chosen.method.name, lists.notes).ranked()
    if depth is None or not (beyond := int((lists.pool - depth).clip(0).sum())):
        return run
    text = f"the first {depth} documents of each query were kept, {beyond} were left out"
    return run.only(np.flatnonzero(run.row_place <= depth), Note("depth", beyond, text))
