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
    judge : the judge's grade
    n : pairs of the overlap with it
    mean : mean human grade of these; None without any
    value : the grade, fractional, whose gain is the expected one, drawn towards the gain of all pairs
    """

    judge: float
    n: int
    mean: float | None
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

        value(g) = gain⁻¹((Σ gain(human) + s · mean gain) / (n + s)), over the n pairs to which the judge gave g

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
        for grade in np.unique(judge).tolist():
            mine = judge == grade
            n = int(mine.sum())
            expected = (float(gains[mine].sum()) + smoothing * prior) / (n + smoothing)
            found.append(CalibratedGrade(grade, n, float(human[mine].mean()), _grade(expected, gain)))
        return cls(tuple(found), _grade(prior, gain), gain, smoothing)

    def apply(self, grades: npt.ArrayLike) -> FloatArray:
        """Turn the judge's grades into expected human ones."""
        table = {one.judge: one.value for one in self.grades}
        return np.array([table.get(one, self.prior) for one in np.asarray(grades).tolist()], dtype=np.float64)

    def unseen(self, grades: npt.ArrayLike) -> int:
        """How many of these grades the judge never gave in the overlap."""
        return int((~np.isin(np.asarray(grades), [one.judge for one in self.grades])).sum())


def _grade(gain: float, scale: GainScale) -> float:
    return float(np.log2(1 + gain)) if scale == "exp" else gain
