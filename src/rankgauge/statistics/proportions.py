"""Intervals of shares, and the share behind a test that errs: Wilson; Rogan and Gladen."""

from __future__ import annotations

import math

from scipy import special

from rankgauge.errors import Fault, InputError
from rankgauge.statistics._samples import share
from rankgauge.statistics.results import Interval


def wilson(hits: float, n: int, *, confidence: float = 0.95) -> Interval:
    """Share of hits with Wilson's score interval, which stays within 0 and 1 and is there for 0 and n hits.

    (p + z²/2n ± z √(p (1 - p) / n + z²/4n²)) / (1 + z²/n)

    Source: Wilson (1927), doi:10.1080/01621459.1927.10502953.

    >>> found = wilson(9, 10)
    >>> round(found.low, 4), round(found.high, 4)
    (0.5958, 0.9821)
    """
    share("confidence", confidence)
    if not 0 <= hits <= n:
        raise InputError(Fault("hits", f"from 0 to {n}", f"{hits}"))
    if n == 0:
        return Interval(None, None, None, confidence, "Wilson", 0, "nothing was counted")
    z, p = float(special.ndtri((1 + confidence) / 2)), hits / n
    middle = p + z**2 / (2 * n)
    half = z * math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    low, high = (middle - half) / (1 + z**2 / n), (middle + half) / (1 + z**2 / n)
    return Interval(p, 0.0 if hits == 0 else low, 1.0 if hits == n else high, confidence, "Wilson", n)


def rogan_gladen(
    passed: int, n: int, *, sensitivity: tuple[int, int], specificity: tuple[int, int], confidence: float = 0.95
) -> Interval:
    """Share that people would pass, from a judge's passes and from how often it errs.

    θ = (p + specificity - 1) / (sensitivity + specificity - 1), cut at 0 and 1

    Parameters
    ----------
    passed, n : passes of the judge among items that people did not see
    sensitivity : passes of the judge among items that people passed, and how many these are
    specificity : fails of the judge among items that people failed, and how many these are

    Where the judge is no better than chance there is no number, and `outcome` says so. The interval allows for the
    doubt about all three shares. It holds where the errors are those of the labelled items, even if the share of
    passes is another one there; `prediction_powered` is narrower where the labelled items are a random sample.

    Source: Rogan & Gladen (1978), doi:10.1093/oxfordjournals.aje.a112510; interval of Lang & Reiczigel (2014),
    doi:10.1016/j.prevetmed.2013.09.015.

    >>> round(rogan_gladen(780, 1000, sensitivity=(72, 80), specificity=(14, 20)).estimate, 3)
    0.8
    """
    share("confidence", confidence)
    method = "Rogan-Gladen, Lang-Reiczigel"
    for hits, of in ((passed, n), sensitivity, specificity):
        if not 0 <= hits <= of:
            raise InputError(Fault("passes", f"from 0 to {of}", f"{hits}"))
        if of == 0:
            outcome = "nothing was labelled, or people gave one label only"
            return Interval(None, None, None, confidence, method, n, outcome)
    better = sensitivity[0] / sensitivity[1] + specificity[0] / specificity[1] - 1
    if better <= 0:
        outcome = "the judge's passes do not tell passes from fails"
        return Interval(None, None, None, confidence, method, n, outcome)
    estimate = (passed / n + specificity[0] / specificity[1] - 1) / better
    z = float(special.ndtri((1 + confidence) / 2))
    p = (passed + z**2 / 2) / (n + z**2)
    (se, of_se), (sp, of_sp) = (((hits + 1) / (of + 2), of + 2) for hits, of in (sensitivity, specificity))
    slope = se + sp - 1
    theta = (p + sp - 1) / slope
    shift = 2 * z**2 * (theta * se * (1 - se) / of_se - (1 - theta) * sp * (1 - sp) / of_sp)
    spread = p * (1 - p) / (n + z**2) + theta**2 * se * (1 - se) / of_se + (1 - theta) ** 2 * sp * (1 - sp) / of_sp
    half = z * math.sqrt(spread) / slope
    low, high = (min(1.0, max(0.0, theta + shift + sign * half)) for sign in (-1, 1))
    return Interval(min(1.0, max(0.0, estimate)), low, high, confidence, method, n)
