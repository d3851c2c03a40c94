"""A fusion fully chosen: method, normalisation, weights and parameters, and its scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rankgauge.errors import Fault, InputError, MethodError
from rankgauge.fusion._lists import Lists
from rankgauge.fusion._method import FusionMethod, find_method
from rankgauge.fusion._training import Training
from rankgauge.fusion.norms import Norm, find_norm
from rankgauge.judged import FloatArray
from rankgauge.measures._values import show_value


@dataclass(frozen=True, eq=False)
class Recipe:
    """One way of fusing M runs.

    Attributes
    ----------
    method : the method
    norm : the normalisation of scores, None for a method that reads ranks
    weights : a weight per run, None for equal ones
    parameters : every parameter of the method
    """

    method: FusionMethod
    norm: Norm | None
    weights: tuple[float, ...] | None
    parameters: Mapping[str, Any]

    def __str__(self) -> str:
        said = [f"{name}={show_value(value)}" for name, value in self.parameters.items()]
        said += [] if self.norm is None else [f"norm={self.norm.name}"]
        said += [] if self.weights is None else [f"weights={','.join(f'{w:g}' for w in self.weights)}"]
        return f"{self.method.name}({', '.join(said)})"

    def prepared(self, lists: Lists) -> Lists:
        """Normalise the lists' scores.

        Raises InputError for scores that are not finite, where the method reads scores.
        """
        if self.norm is None:
            return lists
        wrong = np.flatnonzero(~np.isfinite(lists.score))
        if len(wrong):
            row = int(wrong[0])
            where = f"run {lists.names[lists.run[row]]!r}, document {lists.docs[int(lists.doc[row])]!r}"
            advice = "mend the run, or choose a method that reads ranks only: RRF"
            raise InputError(Fault(where, "a finite score", str(lists.score[row]), advice), total=len(wrong))
        lists = lists.completed() if self.norm.complete else lists
        with _overflow_said():
            return replace(lists, score=self.norm.of(lists))

    def learned(self, training: Training | None) -> FloatArray | None:
        """Learn what the method needs; None for a method that needs nothing.

        Raises MethodError where it needs training qrels and there are none.
        """
        if self.method.train is None:
            return None
        if training is None:
            raise MethodError(f"{self.method.name} learns from judged queries: pass qrels (--train QRELS)")
        return self.method.learn(training, self.parameters)

    def scores(self, prepared: Lists, learned: FloatArray | None = None) -> FloatArray:
        """Score the candidates, float64[C], all finite."""
        given: dict[str, Any] = dict(self.parameters)
        if self.method.weighted:
            given["weights"] = np.array(self.weights or [1.0] * prepared.M)
        if self.method.train is not None:
            given["learned"] = learned
        with _overflow_said():
            scores = self.method.formula(prepared, **given)
            if not np.isfinite(scores).all():
                raise FloatingPointError("overflow")
        return scores


@contextmanager
def _overflow_said() -> Iterator[None]:
    """Turn an overflow into an InputError that says what to do."""
    try:
        with np.errstate(over="raise", invalid="raise", divide="raise"):
            yield
    except FloatingPointError as error:
        fault = Fault("runs", "scores that can be added up", "scores near the largest number", "rescale them")
        raise InputError(fault) from error


def recipe(
    method: str, runs: int, *, norm: str | None, weights: Sequence[float] | None, parameters: Mapping[str, Any]
) -> Recipe:
    """Check a user's choices and fill in the method's defaults.

    Raises
    ------
    MethodError
        For an unknown method or normalisation, a normalisation for a method that reads ranks, weights for one
        that has none, and weights that are not one number of 0 or more per run.
    ParameterError
        For an unknown parameter or a value outside its bounds.
    """
    found = find_method(method)
    chosen = None if norm is None and found.norm is None else find_norm(norm or found.norm or "none")
    if chosen is not None and not found.reads_scores:
        if chosen.name != "none":
            raise MethodError(f"{found.name} reads ranks and no scores: a normalisation ({norm}) has nothing to change")
        chosen = None
    return Recipe(found, chosen, _checked(found, weights, runs), found.check(parameters))


def _checked(method: FusionMethod, weights: Sequence[float] | None, runs: int) -> tuple[float, ...] | None:
    if weights is None:
        return None
    if not method.weighted:
        raise MethodError(f"{method.name} takes no weights; methods that do: WSUM, RRF, BordaFuse (see --methods)")
    given = tuple(float(weight) for weight in weights)
    if len(given) != runs or not np.isfinite(given).all() or min(given) < 0 or max(given) == 0:
        expected = f"{runs} weights of 0 or more, not all 0, one per run"
        raise MethodError(f"{method.name}: expected {expected}, got {', '.join(f'{w:g}' for w in given) or 'none'}")
    return given
