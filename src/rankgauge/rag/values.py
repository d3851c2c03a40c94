"""What a measure says of one answer: a number with how many verdicts it rests on, or why there is none."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from rankgauge.rag.verdicts import Entry

Missing = Literal["abstained", "failed", "not applicable"]

JUDGE_FAILED = "the judge failed"


@dataclass(frozen=True)
class Value:
    """A measure's value of one answer.

    Attributes
    ----------
    value : None where there is none; `missing` and `reason` then say why
    n : verdicts (or grades) that it rests on
    unknown : verdicts that are not there, since the judge failed; left out of n
    missing : "abstained": nothing was answered; "failed": the judge; "not applicable": there is nothing to measure
    """

    value: float | None
    n: int = 0
    unknown: int = 0
    missing: Missing | None = None
    reason: str = ""


def not_applicable(reason: str) -> Value:
    """Say that there is nothing to measure."""
    return Value(None, missing="not applicable", reason=reason)


def failed(unknown: int = 0, reason: str = JUDGE_FAILED) -> Value:
    """Say that the judge failed where it mattered."""
    return Value(None, unknown=unknown, missing="failed", reason=reason)


def mean(numbers: Iterable[float | None], of: str, *, empty: float | None = None) -> Value:
    """Mean of what is there.

    Parameters
    ----------
    of : what is averaged, as "claim in the answer"
    empty : the value of a mean of nothing; None: it does not apply
    """
    given = list(numbers)
    known = [x for x in given if x is not None]
    if known:
        return Value(math.fsum(known) / len(known), len(known), len(given) - len(known))
    if given:
        return failed(len(given))
    return not_applicable(f"no {of}") if empty is None else Value(empty)


def share(entries: Iterable[Entry], of: str, *, empty: float | None = None) -> Value:
    """Share of the verdicts that hold, of those that are there; see `mean`.

    >>> share([True, False, None], "claim in the answer")
    Value(value=0.5, n=2, unknown=1, missing=None, reason='')
    >>> share([], "claim in the answer").reason
    'no claim in the answer'
    """
    return mean(((None if entry is None else float(entry)) for entry in entries), of, empty=empty)


def ordered_precision(useful: Sequence[Entry], of: str = "context", *, slack: float = 0.0) -> Value:
    """Mean of the precisions at the places of the useful ones: Σ_i v_i P@i / Σ_i v_i; 0 where none is useful.

    An unknown verdict moves every precision below it, so that there is no value.
    """
    if not useful:
        return not_applicable(f"no {of}")
    if None in useful:
        return failed(useful.count(None), "the judge failed for a context, and the order counts")
    places = [place for place, holds in enumerate(useful, 1) if holds]
    total = sum(hits / place for hits, place in enumerate(places, 1))
    return Value(total / (len(places) + slack) if places else 0.0, len(useful))


def f_measure(precision: Value, recall: Value) -> Value:
    """Harmonic mean of two shares, 0 where both are; what is missing of one is missing of it."""
    lacking = next((one for one in (precision, recall) if one.value is None), None)
    if lacking is not None:
        return lacking
    p, r = precision.value or 0.0, recall.value or 0.0
    n, unknown = precision.n + recall.n, precision.unknown + recall.unknown
    return Value(2 * p * r / (p + r) if p + r else 0.0, n, unknown)
