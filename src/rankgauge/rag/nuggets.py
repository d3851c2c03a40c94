"""Nugget recall: the share of the facts that an answer should hold, as TREC's RAG track counts it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from rankgauge.errors import ParameterError
from rankgauge.rag.values import Value, failed, not_applicable

Importance = Literal["vital", "okay"]
Assignment = Literal["support", "partial_support", "not_support"]
Convention = Literal["rankgauge", "nuggetizer", "open-rag-eval"]

WEIGHTS: dict[Assignment, float] = {"support": 1.0, "partial_support": 0.5, "not_support": 0.0}
OKAY = 0.5
"""What an okay nugget counts for in the weighted scores."""


@dataclass(frozen=True)
class Nugget:
    """A fact that an answer should hold, and whether it does; `assignment` None: the judge failed."""

    text: str
    importance: Importance
    assignment: Assignment | None


@dataclass(frozen=True)
class NuggetScores:
    """Nugget recall of one answer.

    Attributes
    ----------
    A, A_strict : of all nuggets; half a point for partial support, or none
    V, V_strict : of the vital ones; V_strict is the track's headline
    W, W_strict : of all, an okay nugget counting half
    """

    A: Value
    A_strict: Value
    V: Value
    V_strict: Value
    W: Value
    W_strict: Value


def nugget_recall(nuggets: Sequence[Nugget], *, convention: Convention = "rankgauge") -> NuggetScores:
    """Score the nuggets of one answer.

    V = (#support + ½ #partial) / #vital over the vital nuggets, V_strict = #support / #vital; A likewise over all.
    A nugget without an assignment is left out and counted.

    Parameters
    ----------
    convention : what a score over no nuggets is: not applicable; 0 in "nuggetizer" and in "open-rag-eval" (whose W of
        no nuggets at all divides by 0 and does not apply)

    Source: Pradeep et al. (2024), Initial nugget evaluation results for the TREC 2024 RAG track with the AutoNuggetizer
    framework, arXiv:2411.09607.

    >>> found = nugget_recall([Nugget("a", "vital", "support"), Nugget("b", "vital", "partial_support")])
    >>> found.V.value, found.V_strict.value
    (0.75, 0.5)
    """
    if convention not in ("rankgauge", "nuggetizer", "open-rag-eval"):
        raise ParameterError(f"convention: expected 'rankgauge', 'nuggetizer' or 'open-rag-eval', got {convention!r}")
    vital = [nugget for nugget in nuggets if nugget.importance == "vital"]
    none = None if convention == "rankgauge" else 0.0
    equal: Callable[[Nugget], float] = lambda nugget: 1.0  # noqa: E731
    return NuggetScores(
        A=_recall(nuggets, equal, none, strict=False),
        A_strict=_recall(nuggets, equal, none, strict=True),
        V=_recall(vital, equal, none, strict=False),
        V_strict=_recall(vital, equal, none, strict=True),
        W=_recall(nuggets, _weight, None, strict=False),
        W_strict=_recall(nuggets, _weight, None, strict=True),
    )


def _weight(nugget: Nugget) -> float:
    return 1.0 if nugget.importance == "vital" else OKAY


def _recall(nuggets: Sequence[Nugget], weight: Callable[[Nugget], float], none: float | None, *, strict: bool) -> Value:
    known = [(nugget, nugget.assignment) for nugget in nuggets if nugget.assignment is not None]
    unknown = len(nuggets) - len(known)
    if not known:
        if unknown:
            return failed(unknown)
        return not_applicable("no nugget") if none is None else Value(none)
    gained = sum(weight(nugget) * _credit(assignment, strict) for nugget, assignment in known)
    return Value(gained / sum(weight(nugget) for nugget, _ in known), len(known), unknown)


def _credit(assignment: Assignment, strict: bool) -> float:
    return float(assignment == "support") if strict else WEIGHTS[assignment]
