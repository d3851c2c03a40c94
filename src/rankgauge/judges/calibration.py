"""What a judge's grade is worth in people's grades, learnt from the pairs that both labelled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from rankgauge.errors import Fault, InputError, ParameterError
from rankgauge.judged import FloatArray
from rankgauge.judges.labels import Overlap

GainScale = Literal["exp", "linear"]


@dataclass(frozen=True)
class CalibratedGrade:
    """What one grade of the judge stands for.

    Attributes
    ----------
    judge : the judge's grade, a whole one
    n : pairs of the overlap with it; a grade between two whole ones counts in part for either
    mean : mean human grade of these
    value : the grade, fractional, whose gain is the expected one, drawn towards the gain of all pairs
    """

    judge: float
    n: float
    mean: float
    value: float


@dataclass(frozen=True)
class Calibration:
    """Expected human grades by grade of the judge.

    Attributes
    ----------
    grades : one for each grade that the judge gave in the overlap
    prior : the value of a grade that it never gave there
    """

    grades: tuple[CalibratedGrade, ...]
    prior: float
    gain: GainScale
    smoothing: float

    @classmethod
    def of(cls, both: Overlap, *, gain: GainScale = "exp", smoothing: float = 5.0) -> Calibration:
        """Learn from pairs that people and the judge labelled.

        value(g) = gain⁻¹((Σ w gain(human) + s · mean gain) / (Σ w + s)),  w = max(0, 1 - |judge - g|)

        For whole grades w is 1 for the pairs with this grade; between two values the value is interpolated.

        Parameters
        ----------
        gain : what is averaged: "exp" 2^grade - 1 (nDCG's and DCG's default), or "linear" the grade itself. The mean
            grade's gain is less than the mean gain where gains grow faster than grades.
        smoothing : s, pairs of mean gain that each grade gets besides its own

        Raises InputError without such pairs.
        """
        if smoothing < 0:
            raise ParameterError(f"smoothing: expected 0 or more, got {smoothing!r}")
        if not len(both):
            advice = "let the judge label pairs that people judged, too"
            raise InputError(Fault("calibration", "pairs with both labels", "none", advice))
        human, judge = both.table["human"].to_numpy(), both.table["judge"].to_numpy()
        gains = np.exp2(human) - 1 if gain == "exp" else human
        prior = float(gains.mean())
        found = []
        for grade in np.arange(np.floor(judge.min()), np.ceil(judge.max()) + 1).tolist():
            weight = np.maximum(0, 1 - np.abs(judge - grade))
            n = float(weight.sum())
            if n == 0:
                continue
            expected = (float(weight @ gains) + smoothing * prior) / (n + smoothing)
            found.append(CalibratedGrade(grade, n, float(weight @ human) / n, _grade(expected, gain)))
        return cls(tuple(found), _grade(prior, gain), gain, smoothing)

    def apply(self, grades: npt.ArrayLike) -> FloatArray:
        """Turn the judge's grades into expected human ones."""
        given, table = np.asarray(grades, dtype=np.float64), {one.judge: one.value for one in self.grades}
        low = np.floor(given)
        left, right = (np.array([table.get(g, self.prior) for g in side.tolist()]) for side in (low, low + 1))
        part = given - low
        return np.asarray(np.where(part > 0, (1 - part) * left + part * right, left), dtype=np.float64)

    def unseen(self, grades: npt.ArrayLike) -> int:
        """How many of these grades the judge never gave in the overlap, nor any near them."""
        given, known = np.asarray(grades, dtype=np.float64), [one.judge for one in self.grades]
        return int((~np.isin(np.floor(given), known) & ~np.isin(np.ceil(given), known)).sum())


def _grade(gain: float, scale: GainScale) -> float:
    return float(np.log2(1 + gain)) if scale == "exp" else gain
