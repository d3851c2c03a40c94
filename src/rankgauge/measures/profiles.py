"""User models to look at: continuation, weight and last-seen rank by rank, for any measure that has a user."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import get_args

import numpy as np

from rankgauge.errors import MeasureError, ParameterError
from rankgauge.judged import FloatArray
from rankgauge.measures._grammar import parse
from rankgauge.measures._measure import REGISTRY, Measure
from rankgauge.measures._walk import HORIZON, Model, Reader, Value, Walk, sum_ranks

FOUND_AT_3 = (0.0, 0.0, 1.0)


@dataclass(frozen=True, eq=False)
class Profile:
    """What a measure's users do at each rank of one ranking, and the values that follow.

    Attributes
    ----------
    measure : its name
    adaptive : whether the user's choices depend on the gains
    gains : float64[depth], of the ranking that was followed
    C, W, L : float64[depth], chance to read on, share of the attention, chance that the rank is the last one read
    EU, ETU, EC, ETC, ED : gain per document, total gain, cost per document, total cost, documents read
    """

    measure: str
    adaptive: bool
    gains: FloatArray = field(repr=False)
    C: FloatArray = field(repr=False)
    W: FloatArray = field(repr=False)
    L: FloatArray = field(repr=False)
    EU: float
    ETU: float
    EC: float
    ETC: float
    ED: float


def profile(measure: str | Measure, *, depth: int = 20, gains: Sequence[float] | None = None) -> Profile:
    """Follow a measure's users down one ranking.

    Parameters
    ----------
    depth : ranks to return; the values are those of the whole walk, to the measure's cutoff or horizon
    gains : in [0, 1], of each document from rank 1; nothing below. None: one relevant document at rank 3.

    Raises
    ------
    MeasureError
        For a measure that has no user model.

    >>> profile("RBP(p=0.5)", depth=3).W.tolist()
    [0.5, 0.25, 0.125]
    >>> profile("P@2", depth=3, gains=[1, 0, 1]).EU
    0.5
    """
    chosen = parse(measure) if isinstance(measure, str) else measure
    if chosen.declared.profile is None:
        known = ", ".join(name for name, m in REGISTRY.items() if m.declared.profile is not None)
        raise MeasureError(f"{chosen.name}: expected a measure that is a user model; these are: {known}")
    given = _gains(FOUND_AT_3 if gains is None else gains)
    model, walk = _walk(chosen, given, depth)
    N = walk.V.shape[-1]
    gain = _fit(given, N)
    won, total = sum_ranks(walk.V * gain), sum_ranks(gain)
    ranks = {"gains": gain, "C": walk.C, "W": walk.V * walk.first, "L": walk.last}
    values = {which: float(walk.value(which, won, total)) for which in get_args(Value)}
    arrays = {name: _fit(array, depth) for name, array in ranks.items()}
    return Profile(measure=str(chosen), adaptive=model.adaptive, **arrays, **values)  # type: ignore[arg-type]


def _walk(measure: Measure, gains: FloatArray, depth: int) -> tuple[Model, Walk]:
    """Follow the users to the horizon: the cutoff where the measure has no horizon of its own."""
    assert measure.declared.profile is not None
    model, parameters = Model.of(measure.declared.profile, measure.name), measure.parameters
    own = {name: parameters[name] for name in inspect.signature(model.continuation).parameters if name in parameters}
    N = parameters["horizon"] if "horizon" in parameters else measure.cutoff or HORIZON
    if measure.declared.cutoff == "required" and measure.cutoff is None:
        raise ParameterError(f"{measure.name} needs a cutoff, as in {measure.name}@10")
    if N is None:
        return model, Walk.endless(model.constant(own, max(depth, len(gains), 2)))
    reader = Reader(np.arange(1.0, N + 1), _fit(gains, N)[None, :])
    C = model.chances(reader, own)
    walk = Walk.of(C[0] if model.adaptive else C, ends=parameters.get("tail", "kept") == "kept")
    return model, walk


def _gains(values: Sequence[float]) -> FloatArray:
    found = np.asarray(values, dtype=np.float64)
    if found.ndim != 1 or not ((found >= 0) & (found <= 1)).all():
        raise ParameterError(f"gains: expected one number in [0, 1] for each rank, got {values!r}")
    return found


def _fit(values: FloatArray, length: int) -> FloatArray:
    """Cut to a length, or go on with zeros."""
    return np.append(values[:length], np.zeros(max(length - len(values), 0)))
