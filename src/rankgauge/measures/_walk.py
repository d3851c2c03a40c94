"""The C/W/L frame: a user model is its chance to read on, and every value follows from it.

A user at rank i goes on to rank i+1 with chance C(i) (Moffat, Bailey, Scholer & Thomas 2017). So
V(i) = Π_{j<i} C(j) is the chance to reach rank i, W(i) = V(i) / Σ V its share of the user's attention, and
L(i) = V(i) (1 - C(i)) the chance that rank i is the last one read. With gains g(i) and a cost of 1 per document:

EU = Σ W g    ETU = Σ_i L(i) Σ_{j≤i} g(j) = Σ V g    EC = Σ W = 1    ETC = Σ_i L(i) i = ED    ED = Σ V = 1 / W(1)

The user reads at most N documents (the horizon): C(N) = 0, so that ΣL = 1 and ETU = EU · ED always.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Annotated, Any, Literal

import numpy as np

from rankgauge.errors import ParameterError
from rankgauge.judged import FloatArray
from rankgauge.measures._values import Between
from rankgauge.measures._weights import Gain

Value = Literal["EU", "ETU", "EC", "ETC", "ED"]
Continuation = Callable[..., Any]

HORIZON = 1000


@dataclass(frozen=True)
class Reader:
    """What a user who goes down the ranking knows at each rank: the words of a continuation function.

    Attributes
    ----------
    rank : float64[N], from 1
    gain : float64[Q, N] in [0, 1], of the document at each rank
    """

    rank: FloatArray
    gain: FloatArray

    @cached_property
    def total(self) -> FloatArray:
        """Gain down to and with each rank, float64[Q, N]."""
        return np.cumsum(self.gain, axis=-1)

    @cached_property
    def above(self) -> FloatArray:
        """Gain above each rank, float64[Q, N]."""
        return np.concatenate([np.zeros_like(self.total[..., :1]), self.total[..., :-1]], axis=-1)


@dataclass(frozen=True)
class Walk:
    """How far users get: C and V, float64[N] or [Q, N]; W(1), and what ΣL lacks to 1, numbers or float64[Q]."""

    C: FloatArray
    V: FloatArray
    first: Any
    lost: Any

    @classmethod
    def of(cls, C: FloatArray, *, ends: bool) -> Walk:
        """Follow users with these chances to read on, who go no further than the last rank if it `ends` there."""
        if ends:
            C = np.concatenate([C[..., :-1], np.zeros_like(C[..., :1])], axis=-1)
        V = np.ones_like(C)
        np.cumprod(C[..., :-1], axis=-1, out=V[..., 1:])
        return cls(C, V, 1 / sum_ranks(V), V[..., -1] * C[..., -1])

    @classmethod
    def endless(cls, C: FloatArray) -> Walk:
        """Follow users whose chance to read on is the same at every rank, without a last rank."""
        V = np.ones_like(C)
        np.cumprod(C[:-1], out=V[1:])
        return cls(C, V, 1 - C[0], 0.0)

    def value(self, which: Value, won: Any, total: Any) -> Any:
        """Compute a value from Σ V g and Σ g of each query."""
        if which == "EU":
            return self.first * won
        if which == "ETU":
            return won - self.lost * total
        if which == "EC":
            return np.ones_like(self.first)
        return 1 / self.first - (self.lost * self.C.shape[-1] if which == "ETC" else 0.0)

    def weight(self, which: Value) -> FloatArray:
        """Weight of each rank's gain in the value of a static user, float64[N]."""
        if which in ("EU", "ETU"):
            return np.asarray(self.first * self.V if which == "EU" else self.V - self.lost)
        return np.zeros_like(self.V)

    @property
    def last(self) -> FloatArray:
        """L: the chance that each rank is the last one read."""
        return self.V * (1 - self.C)


@dataclass(frozen=True)
class Frame:
    """Parameters that every user model has."""

    value: Value = "EU"
    gain: Gain = "linear"
    rel: float | None = None
    max_grade: Annotated[float, Between(0, open=True)] | None = None
    scale: Literal["collection", "query", "none"] = "collection"
    horizon: Annotated[int, Between(1)] | None = HORIZON
    tail: Literal["kept", "lost"] = "kept"


@dataclass(frozen=True, eq=False)
class Model:
    """A user model under its name: its continuation function and what it takes."""

    name: str
    continuation: Continuation
    own: dict[str, inspect.Parameter]

    @classmethod
    def of(cls, function: Continuation, name: str | None = None) -> Model:
        """Read the parameters of a continuation function."""
        own = dict(list(inspect.signature(function).parameters.items())[1:])
        if taken := own.keys() & {f.name for f in fields(Frame)}:
            name = min(taken)
            raise ParameterError(f"{function.__name__}: the frame has a parameter {name!r}; choose another name")
        return cls(name or function.__name__, function, own)

    @cached_property
    def adaptive(self) -> bool:
        """Whether the chance to read on depends on what was read, asked of the function with its defaults."""
        return np.ndim(self.continuation(Reader(np.array([1.0, 2.0, 3.0]), np.zeros((2, 3))))) == 2

    def chances(self, reader: Reader, own: dict[str, Any]) -> FloatArray:
        """C at each rank, float64[N], or [Q, N] of an adaptive model.

        Raises ParameterError where these are not chances.
        """
        with np.errstate(divide="ignore", invalid="ignore"):  # gains above 1 are no use to some; what they give is seen
            found = np.asarray(self.continuation(reader, **own), dtype=np.float64)
        C = np.broadcast_to(found, reader.gain.shape if self.adaptive else reader.rank.shape)
        if not (C >= 0).all() or not (C <= 1).all():
            wrong = C[~((C >= 0) & (C <= 1))][0]
            raise ParameterError(f"{self.name}: expected chances to read on in [0, 1], got {wrong:g}")
        return C

    def static_walk(self, own: dict[str, Any], frame: Frame, deepest: int) -> Walk:
        """Follow the users of a static model, who need no ranking; endless ones as far as `deepest`."""
        if frame.horizon is None:
            return Walk.endless(self.constant(own, max(deepest, 2)))
        return Walk.of(self.chances(_blind(frame.horizon), own), ends=frame.tail == "kept")

    def constant(self, own: dict[str, Any], N: int) -> FloatArray:
        """C of a user who needs no horizon, float64[N]; a ParameterError for any other."""
        C = self.chances(_blind(N), own)
        if self.adaptive or (C != C[0]).any() or C[0] == 1:
            expected = "expected a horizon, as only users with one same chance C < 1 at every rank have none"
            raise ParameterError(f"{self.name}: {expected}, got None")
        return C


def _blind(N: int) -> Reader:
    return Reader(np.arange(1.0, N + 1), np.zeros((0, N)))


def sum_ranks(values: FloatArray) -> Any:
    """Sum over the ranks, one after the other: the same alone and in any batch."""
    return np.cumsum(values, axis=-1)[..., -1]
