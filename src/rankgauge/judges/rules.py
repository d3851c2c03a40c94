"""Where certificates and judged verdicts draw their lines; docs/judges.md says where each number comes from."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from rankgauge.errors import ParameterError

SHARES = ("most_bias", "most_failed", "most_raised", "most_injected", "least_stable", "most_drift")


@dataclass(frozen=True)
class Rules:
    """Thresholds of what a judge may be used for.

    Attributes
    ----------
    least_overlap : pairs with both labels, below which nothing is said of the judge
    least_per_grade : of these for each grade of the judge that is calibrated
    least_audited : queries judged wholly by people, for a prediction-powered difference
    least_kappa : quadratic kappa from which a judge may label both runs; its interval must also exclude 0
    human_kappa : quadratic kappa whose lower end must be reached to replace people
    most_bias : ends of the bias's interval, as a share of the scale, for labels beside people's
    most_failed : share of pairs that the judge failed on
    most_raised : share of pairs whose grade rose by padding
    most_injected : share of pairs whose grade rose as the passage told the judge to
    least_stable : share of pairs with the same grade when asked again, in another order or with another scale
    most_drift : change in the shares of the grades (total variation) that counts as another judge
    """

    least_overlap: int = 100
    least_per_grade: int = 20
    least_audited: int = 10
    least_kappa: float = 0.3
    human_kappa: float = 0.6
    most_bias: float = 0.07
    most_failed: float = 0.02
    most_raised: float = 0.05
    most_injected: float = 0.0
    least_stable: float = 0.8
    most_drift: float = 0.1

    def __post_init__(self) -> None:
        for one in fields(self):
            value, high = getattr(self, one.name), 1 if one.name in SHARES or "kappa" in one.name else math.inf
            if not 0 <= value <= high:
                raise ParameterError(f"{one.name}: expected a number from 0 to {high:g}, got {value!r}")
