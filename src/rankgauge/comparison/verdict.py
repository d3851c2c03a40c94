"""The verdict on a pair of runs: which is better, or that nobody can tell, with the rule that decided."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Literal

from rankgauge.errors import ParameterError

Word = Literal["better", "worse", "equivalent", "no difference seen", "not comparable offline"]
Rule = Literal[
    "judged", "judged, with a warning", "bounds", "policies agree", "holes", "no results", "judge", "prediction-powered"
]
"""The last two are those of `judges.verdict`: a judge's labels in the holes, and people's with a judge's."""


@dataclass(frozen=True)
class Thresholds:
    """Where the verdict draws its lines; docs/verdict.md says where each number comes from.

    Attributes
    ----------
    alpha : chance of a false alarm that is accepted; intervals have the confidence 1 - alpha
    margin : differences up to this size do not matter, in units of the measure
    power : chance to see a difference that is there, for the number of queries that are needed
    clean : unjudged share up to which the test decides
    apart : difference between the two shares from which the runs are not treated alike
    warned : unjudged share up to which the test decides with a warning
    refused : unjudged share from which no verdict is given; below it only where all policies agree
    missing : share of queries for which a run has no results, from which no verdict is given
    """

    alpha: float = 0.05
    margin: float = 0.01
    power: float = 0.8
    clean: float = 0.05
    apart: float = 0.05
    warned: float = 0.10
    refused: float = 0.20
    missing: float = 0.20

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            low, high = (0, math.inf) if one.name == "margin" else (0, 1)
            inside = low < value < high if one.name in {"alpha", "power"} else low <= value <= high
            if not inside:
                raise ParameterError(f"{one.name}: expected a number from {low:g} to {high:g}, got {value!r}")
        if not self.clean <= self.warned <= self.refused:
            got = f"{self.clean:g}, {self.warned:g}, {self.refused:g}"
            raise ParameterError(f"unjudged shares: expected clean <= warned <= refused, got {got}")


@dataclass(frozen=True)
class Verdict:
    """What can be said of a run beside its baseline.

    Attributes
    ----------
    word : of the run; the five possible ones are those of `Word`
    rule : which rule decided
    sentence : one sentence that is enough to act on
    because : what it rests on, and what it should be read with
    do : what would settle the matter, where it is not settled
    """

    word: Word
    rule: Rule
    sentence: str
    because: tuple[str, ...] = ()
    do: tuple[str, ...] = ()

    @property
    def decided(self) -> bool:
        """Whether the comparison has an answer."""
        return self.word in {"better", "worse", "equivalent"}
