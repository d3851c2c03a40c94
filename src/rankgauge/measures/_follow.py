"""What users gain who follow a judged run: values and residuals of user models."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rankgauge.errors import ParameterError
from rankgauge.judged import BoolArray, FloatArray, IntArray, JudgedRun
from rankgauge.measures._measure import Residual
from rankgauge.measures._values import Table
from rankgauge.measures._walk import Frame, Model, Reader, Walk, sum_ranks
from rankgauge.measures._weights import gains

CELLS = 1_000_000
"""Ranks of all queries that are worked on at once: bounds the memory, changes no number."""

Own = dict[str, Any]


def value(model: Model, j: JudgedRun, own: Own, frame: Frame) -> FloatArray:
    """Compute what the frame asks for, float64[Q]."""
    return (_adaptive if model.adaptive else _static)(model, j, own, frame)


def scaled_gain(name: str, j: JudgedRun, frame: Frame) -> FloatArray:
    """Gain of each row, in [0, 1] unless it is unscaled."""
    if frame.rel is not None:
        return (j.grade >= frame.rel).astype(np.float64)
    if frame.scale == "none":
        return gains(j.grade, frame.gain)
    if isinstance(frame.gain, Table) and frame.max_grade is None:
        top = np.array([max(value for _, value in frame.gain.entries)])
    elif frame.scale == "query" and frame.max_grade is None:
        top = gains(np.maximum(j.judgments.best_grade, 1.0), frame.gain)[j.query]
    else:
        top = gains(np.array([j.judgments.top_grade if frame.max_grade is None else frame.max_grade]), frame.gain)
    scaled: FloatArray = gains(j.grade, frame.gain) / np.where(top > 0, top, np.nan)
    if not ((scaled >= 0) & (scaled <= 1)).all():
        wrong = j.grade[~((scaled >= 0) & (scaled <= 1))][0]
        raise ParameterError(
            f"{name}: expected gains from 0 to that of the top grade, got grade {wrong:g}; set max_grade or gain"
        )
    return scaled


def _static(model: Model, j: JudgedRun, own: Own, frame: Frame) -> FloatArray:
    """Value of each query, float64[Q], under weights that no ranking changes."""
    walk = model.static_walk(own, frame, int(j.rank.max(initial=0)))
    if frame.value not in ("EU", "ETU"):
        return np.full(j.Q, walk.value(frame.value, 0.0, 0.0))
    gain = scaled_gain(model.name, j, frame)
    read = j.rank <= len(walk.V)
    won = j.sum(gain * np.append(walk.V, 0.0)[np.minimum(j.rank, len(walk.V) + 1) - 1])
    found: FloatArray = walk.value(frame.value, won, j.sum(gain * read))
    return found


def _adaptive(model: Model, j: JudgedRun, own: Own, frame: Frame) -> FloatArray:
    """Value of each query, float64[Q], each user following their own ranking."""
    values = [_follow(model, block.gain, own, frame) for block in _blocks(model.name, j, frame)]
    return np.concatenate([np.zeros(0), *values])


def _follow(model: Model, gain: FloatArray, own: Own, frame: Frame) -> FloatArray:
    C = model.chances(Reader(np.arange(1.0, gain.shape[1] + 1), gain), own)
    walk = Walk.of(C, ends=frame.tail == "kept")
    found: FloatArray = walk.value(frame.value, sum_ranks(walk.V * gain), sum_ranks(gain))
    return found


def residual(model: Model, j: JudgedRun, own: Own, frame: Frame) -> Residual:
    """How much the value rises if what nobody judged, and what follows below the end, has the top gain."""
    unscaled = frame.scale == "none" and frame.rel is None  # no gain is the highest
    if not model.adaptive and not unscaled:
        return _static_residual(model, j, own, frame)
    if frame.value != "EU" or unscaled:
        nothing = np.full(j.Q, np.nan)
        return Residual(nothing, nothing)
    unjudged, tail = [np.zeros(0)], [np.zeros(0)]
    for block in _blocks(model.name, j, frame):
        low = _follow(model, block.gain, own, frame)
        middle = _follow(model, np.where(block.unjudged, 1.0, block.gain), own, frame)
        high = _follow(model, np.where(block.unjudged | block.below, 1.0, block.gain), own, frame)
        bound = (middle >= low) & (high >= middle)
        unjudged.append(np.where(bound, middle - low, np.nan))
        tail.append(np.where(bound, high - middle, np.nan))
    return Residual(np.concatenate(unjudged), np.concatenate(tail))


def _static_residual(model: Model, j: JudgedRun, own: Own, frame: Frame) -> Residual:
    deepest = int(max(j.seen.max(initial=0), j.rank.max(initial=0)))
    walk = model.static_walk(own, frame, deepest + 1)
    weight = walk.weight(frame.value)
    at = np.append(weight, 0.0)[np.minimum(j.rank, len(weight) + 1) - 1]
    seen = np.minimum(j.seen, len(weight))
    below = _below(walk, weight, frame)[seen]
    unjudged = np.append(0.0, np.cumsum(weight))[seen] - j.sum(at * j.known)
    return Residual(np.maximum(unjudged, 0.0), below)


def _below(walk: Walk, weight: FloatArray, frame: Frame) -> FloatArray:
    """Weight of all ranks below each depth from 0, float64[N + 1]."""
    if frame.horizon is not None:
        return np.append(np.cumsum(weight[::-1])[::-1], 0.0)
    below: FloatArray = weight / walk.first
    return below


@dataclass(frozen=True)
class _Block:
    """Some queries' rankings down to the horizon, [q, N] each: the gains, and where they are not known."""

    gain: FloatArray
    known: BoolArray
    seen: IntArray

    @cached_property
    def below(self) -> BoolArray:
        """Ranks below the ranking's end."""
        return np.arange(1, self.gain.shape[1] + 1) > self.seen[:, None]

    @cached_property
    def unjudged(self) -> BoolArray:
        """Ranks of documents that nobody judged."""
        return ~self.known & ~self.below


def _blocks(name: str, j: JudgedRun, frame: Frame) -> Iterator[_Block]:
    assert j.share is None, "a user who adapts has no meaning over spread ties"
    N = frame.horizon
    if N is None:
        raise ParameterError(f"{name}: expected a horizon, as its users adapt to what they read, got None")
    gain = scaled_gain(name, j, frame)
    size = max(1, CELLS // N)
    for low in range(0, j.Q, size):
        high = min(low + size, j.Q)
        rows = slice(*np.searchsorted(j.query, [low, high]))
        read = np.flatnonzero(j.rank[rows] <= N) + rows.start
        at = j.query[read] - low, j.rank[read] - 1
        block = np.zeros((high - low, N))
        known = np.zeros((high - low, N), dtype=np.bool_)
        block[at], known[at] = gain[read], j.known[read]
        yield _Block(block, known, j.seen[low:high])
