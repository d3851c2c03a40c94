"""Measures of a prompt: gain weighed by the slot in which a language model reads a passage."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from rankgauge.errors import Fault, FormatError, InputError, MeasureError, ParameterError
from rankgauge.judged import FloatArray, JudgedRun
from rankgauge.measures import _follow
from rankgauge.measures._measure import Measure, Residual, measure
from rankgauge.measures._values import Between, Table
from rankgauge.measures._walk import Frame, Reader
from rankgauge.measures._weights import Gain

UNIFORM = "uniform"
NO_USER = "a U-shaped profile is no C/W/L model: nobody stops, so it has no expected depth, cost or total"
ADVICE = "write it with rankgauge rag position -o"


@dataclass(frozen=True)
class _GainAlone:
    """The one reading that weights by slot have."""

    def __contains__(self, value: str) -> bool:
        return value == "EU"

    def __str__(self) -> str:
        return f"'EU', the weighed gain ({NO_USER})"


def slot_weights(profile: str | Table, k: int) -> FloatArray:
    """Weight of each slot of a prompt of k passages, float64[k], which add up to 1.

    Parameters
    ----------
    profile : "uniform", a table {slot: weight}, or a file that `rag.profile` wrote

    Raises
    ------
    ParameterError
        For a profile of prompts of another size, and for weights below 0 or without any above it.
    FormatError
        For a file that holds no profile.
    """
    if profile == UNIFORM:
        return np.full(k, 1 / k)
    found = _of_table(profile) if isinstance(profile, Table) else np.array(_of_file(profile))
    if len(found) != k:
        said = f"a profile of prompts of {len(found)} passages"
        raise ParameterError(f"PromptGain: expected a profile of {k} slots at @{k}, got {said}; ask for @{len(found)}")
    if not np.isfinite(found).all() or (found < 0).any() or found.sum() <= 0:
        raise ParameterError(f"PromptGain: expected weights of 0 or more, some above it, got {found.tolist()}")
    weights: FloatArray = found / found.sum()
    return weights


def _of_table(profile: Table) -> FloatArray:
    slots = [slot for slot, _ in profile.entries]
    if slots != list(range(1, len(slots) + 1)):
        raise ParameterError(f"PromptGain: expected a weight for each slot from 1 on, got {profile}")
    return np.array([weight for _, weight in profile.entries])


def _of_file(path: str) -> tuple[float, ...]:
    try:
        when = os.stat(path).st_mtime_ns
    except OSError:
        raise InputError(Fault(path, "a file with a slot profile, or 'uniform'", "no such file", ADVICE)) from None
    return _read(path, when)


@lru_cache(maxsize=16)
def _read(path: str, when: int) -> tuple[float, ...]:
    """Weights of a file, read again once it has changed."""
    try:
        found: Any = json.loads(Path(path).read_bytes())
        weights = [float(weight) for weight in found["weights"]]
    except (ValueError, TypeError, KeyError, OSError) as error:
        got = f"{type(error).__name__}: {error}"[:120]
        raise FormatError(Fault(path, 'a slot profile {"weights": [...]}', got, ADVICE)) from None
    return tuple(weights)


def _never_rises(measure: Measure) -> bool:
    """Whether a better passage one slot earlier never lowers the value: not where weights rise."""
    profile = measure.parameters["profile"]
    if profile == UNIFORM:
        return True
    if measure.cutoff is None:
        return False
    return bool((np.diff(slot_weights(profile, measure.cutoff)) <= 0).all())


def _reads_by_slot(u: Reader, *, profile: str | Table = UNIFORM) -> FloatArray:
    """C(i) = w(i + 1) / w(i), where weights never rise."""
    weights = slot_weights(profile, len(u.rank))
    if (np.diff(weights) > 0).any():
        raise MeasureError(f"PromptGain: expected weights that never rise, got a profile that does; {NO_USER}")
    return np.append(weights[1:], 0) / np.where(weights > 0, weights, 1)


def _residual(
    j: JudgedRun,
    *,
    profile: str | Table,
    value: str,
    gain: Gain,
    rel: float | None,
    max_grade: float | None,
) -> Residual:
    """Weight of the slots that hold what nobody judged, and of those below the end."""
    weights = _weights(j, profile)
    seen = np.minimum(j.seen, len(weights))
    filled = np.append(0.0, np.cumsum(weights))[seen]
    unjudged = filled - j.sum(_at(weights, j) * j.known)
    below = np.append(np.cumsum(weights[::-1])[::-1], 0.0)[seen]
    return Residual(np.maximum(unjudged, 0.0) / weights.sum(), below / weights.sum())


def _weights(j: JudgedRun, profile: str | Table) -> FloatArray:
    """Weights as shares of the largest: the sums of equal ones are then exact in any order."""
    assert j.cutoff is not None
    weights = slot_weights(profile, j.cutoff)
    largest: FloatArray = weights / weights.max()
    return largest


def _at(weights: FloatArray, j: JudgedRun) -> FloatArray:
    found: FloatArray = np.append(weights, 0.0)[np.minimum(j.rank, len(weights) + 1) - 1]
    return found


@measure(
    cite="liu2024",
    cutoff="required",
    linear=True,
    monotone=_never_rises,
    shown=("profile",),
    residual=_residual,
    profile=_reads_by_slot,
)
def PromptGain(
    j: JudgedRun,
    *,
    profile: str | Table = UNIFORM,
    value: Annotated[str, _GainAlone()] = "EU",
    gain: Gain = "linear",
    rel: float | None = None,
    max_grade: Annotated[float, Between(0, open=True)] | None = None,
) -> FloatArray:
    """Gain of the passages of a prompt, weighed by how well the model reads each slot; ranks stand for slots.

    PromptGain@k = Σ_{i≤k} w(i) · g(i), w ≥ 0, Σ w = 1

    Parameters
    ----------
    profile : weights by slot: uniform, a table {slot: weight}, or a file that `rankgauge rag position` wrote
    value : EU alone; a profile that rises again is no C/W/L model, and has no expected depth
    gain : linear, exp, a table {grade: gain}, or a function of the grade; divided by that of the top grade
    rel : binary gains instead: 1 from this grade, 0 below
    max_grade : top of the scale; None: the highest grade of the whole qrels
    """
    weights = _weights(j, profile)
    gains = _follow.scaled_gain("PromptGain", j, Frame(gain=gain, rel=rel, max_grade=max_grade))
    value_of: FloatArray = j.sum(gains * _at(weights, j)) / weights.sum()
    return value_of
