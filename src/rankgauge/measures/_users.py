"""How a user model is declared: from its chance to read on follow a measure, its values and its residual."""

from __future__ import annotations

import inspect
import textwrap
import typing
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from rankgauge.errors import ParameterError
from rankgauge.judged import FloatArray, JudgedRun
from rankgauge.measures import _follow
from rankgauge.measures._measure import Cutoff, Measure, measure
from rankgauge.measures._walk import HORIZON, Continuation, Frame, Model, Reader

HELP = """
value : EU gain per document read, ETU total gain, EC cost per document, ETC total cost, ED documents read
gain : linear, exp, a table {grade: gain}, or a function of the grade; divided by that of the top grade
rel : binary gains instead: 1 from this grade, 0 below
max_grade : top of the scale; None: the highest grade of the whole qrels
scale : highest grade of the whole collection, or of each query (trec_eval's RBP), or gains unscaled (ranx's RBP)
horizon : rank at which the last user stops; None: no such rank
tail : what becomes of users who would read on at the horizon: they stop there, or are forgotten (cwl_eval)
""".strip()


def user_model(
    *,
    cite: str = "",
    cutoff: Cutoff = "optional",
    horizon: int | None = HORIZON,
    monotone: bool = False,
    shown: tuple[str, ...] | None = None,
) -> Callable[[Continuation], Measure]:
    """Declare a measure by its user's chance to read on.

    The function takes a Reader `u` (`u.rank` float64[N]; `u.gain`, `u.total`, `u.above` float64[Q, N]) and returns
    C(i): a number or float64[N] of a static user, float64[Q, N] of one who adapts to what was read.

    Parameters
    ----------
    cite : key in `measures.sources`
    cutoff : "required": the user stops at the cutoff; "optional": gains are read down to it, the user goes on
    horizon : rank at which the last user stops; None for a chance that is the same at every rank
    monotone : of a model that adapts: a better document higher up never lowers EU (it never does in a static one)
    shown : parameters that the printed name always says; None: all of the function's own

    A user who loses patience, to be asked for as "Impatient(p=0.5)"::

        @rg.user_model()
        def Impatient(u, *, p: float = 0.3):
            return p ** u.rank
    """

    def declare(function: Continuation) -> Measure:
        model = Model.of(function)
        declared: Measure = measure(
            cite=cite,
            range=_range,
            cutoff=cutoff,
            linear=not model.adaptive,
            monotone=(lambda m: monotone and m.parameters["value"] == "EU") if model.adaptive else True,
            shown=tuple(model.own) if shown is None else shown,
            residual=lambda j, **given: _follow.residual(model, j, *_split(model, j, given)),
            profile=function,
        )(_formula(model, cutoff, horizon))
        return declared

    return declare


def weights(name: str, values: Sequence[float], *, cite: str = "") -> Measure:
    """Declare a static user model by the weight of each rank, from rank 1; only their ratios count.

    Raises ParameterError for weights that rise: who reaches a rank has passed all above it.

    A user of three ranks, to be asked for as "Glance"::

        rg.weights("Glance", [0.5, 0.3, 0.2])
    """
    w = np.asarray(values, dtype=np.float64)
    if w.ndim != 1 or not len(w) or not np.isfinite(w).all() or w[0] <= 0 or (w < 0).any() or (np.diff(w) > 0).any():
        raise ParameterError(f"{name}: expected weights from rank 1 on that start above 0 and never rise, got {values}")
    ratios = np.append(w[1:], 0) / np.where(w > 0, w, 1)

    def continuation(u: Reader) -> FloatArray:
        return np.append(ratios, np.zeros(max(len(u.rank) - len(w), 0)))[: len(u.rank)]

    continuation.__name__ = name
    continuation.__doc__ = f"Gain weighed by rank: {', '.join(f'{x:g}' for x in w[:5])}{', ...' * (len(w) > 5)}."
    return user_model(cite=cite, horizon=len(w))(continuation)


def _range(measure: Measure) -> tuple[float, float]:
    """Gains per document are shares of the top grade's, costs per document are 1; all else has no bound."""
    value, scale = measure.parameters["value"], measure.parameters["scale"]
    return (0.0, 1.0) if value == "EC" or (value == "EU" and scale != "none") else (0.0, np.inf)


def _formula(model: Model, cutoff: Cutoff, horizon: int | None) -> Callable[..., FloatArray]:
    """The measure's function of a JudgedRun, with the model's own parameters and the frame's."""

    def formula(j: JudgedRun, **given: Any) -> FloatArray:
        return _follow.value(model, j, *_split(model, j, given))

    hints = typing.get_type_hints(Frame, include_extras=True)
    left_out = {"horizon", "tail"} if cutoff == "required" else set()
    framed = {f.name: horizon if f.name == "horizon" else f.default for f in fields(Frame) if f.name not in left_out}
    own = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in model.own.values()]
    first = inspect.Parameter("j", inspect.Parameter.POSITIONAL_ONLY)
    more = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=value) for name, value in framed.items()]
    formula.__signature__ = inspect.Signature([first, *own, *more])  # type: ignore[attr-defined]
    formula.__annotations__ = typing.get_type_hints(model.continuation, include_extras=True) | hints
    formula.__name__, formula.__module__ = model.name, model.continuation.__module__
    formula.__doc__ = _doc(model.continuation, [line for line in HELP.splitlines() if line.split()[0] in framed])
    return formula


def _doc(function: Continuation, framed: list[str]) -> str:
    doc = inspect.cleandoc(function.__doc__ or "")
    header = "" if "Parameters\n" in doc else "\n\nParameters\n----------"
    return textwrap.indent("\n".join([doc + header, *framed]), "    ")


def _split(model: Model, j: JudgedRun, given: dict[str, Any]) -> tuple[dict[str, Any], Frame]:
    """Part the model's parameters from the frame's; a required cutoff is where the user stops."""
    own = {name: value for name, value in given.items() if name in model.own}
    framed = {name: value for name, value in given.items() if name not in model.own}
    return own, Frame(**({"horizon": j.cutoff} | framed))
