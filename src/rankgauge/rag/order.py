"""Order: whether the order in which passages were really given mattered, against random orders of the same ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from rankgauge.errors import Fault, InputError, ParameterError
from rankgauge.judged import FloatArray
from rankgauge.rag.cases import orders
from rankgauge.rag.generating import Generator, Prompt, Right, holds_reference, outcomes
from rankgauge.records.answers import Answer
from rankgauge.records.notes import Note, counted
from rankgauge.statistics.conditions import exchange_p
from rankgauge.statistics.intervals import interval
from rankgauge.statistics.results import Interval

NO_QUESTION = "no question whose outcome is known in every order"
NEVER_CHANGES = "no question's outcome changes with the order"


@dataclass(frozen=True, eq=False)
class OrderTest:
    """Outcomes of the same passages in the order that they had, reversed, and in random orders.

    Attributes
    ----------
    natural, reversed : mean outcome in that order
    random : mean outcome of each random order, float[m]
    sd : standard deviation of `random`: how far the mean moves by the order alone
    changed : share of questions whose outcome is not the same in all orders
    natural_random, natural_reversed : paired differences, with bootstrap intervals
    p : chance of a natural order as far from the mean of all orders, if it were one of the random ones
    n, left_out : questions with and without an outcome in every order
    outcome : empty, or why there is no p
    """

    natural: float | None
    reversed: float | None
    random: FloatArray
    sd: float | None
    changed: float | None
    natural_random: Interval
    natural_reversed: Interval
    p: float | None
    n: int
    left_out: int
    outcome: str = ""
    failed: int = 0
    notes: tuple[Note, ...] = ()


def order_test(
    natural: npt.ArrayLike,
    backwards: npt.ArrayLike,
    random: npt.ArrayLike,
    *,
    rng: np.random.Generator,
    confidence: float = 0.95,
    resamples: int = 10_000,
) -> OrderTest:
    """Compare the natural order with random ones, question by question.

    p: within each question the natural outcome is exchanged with any of its random ones, as it may be where the
    natural order is nothing special; how often is the mean then as far from the mean of all orders?

    Parameters
    ----------
    natural, backwards : float[Q], NaN where there is no outcome; such questions are left out and counted
    random : float[Q, m], two random orders or more
    """
    first, last, other = (np.asarray(values, dtype=np.float64) for values in (natural, backwards, random))
    if first.ndim != 1 or last.shape != first.shape or other.ndim != 2 or len(other) != len(first):
        got = f"shapes {first.shape}, {last.shape} and {other.shape}"
        raise InputError(Fault("outcomes", "arrays of shape (Q,), (Q,) and (Q, m)", got))
    if other.shape[1] < 2:
        raise ParameterError(f"random orders: expected two or more, got {other.shape[1]}")
    there = ~np.isnan(np.column_stack([first, last, other])).any(axis=1)
    first, last, other = first[there], last[there], other[there]
    n, left_out = len(first), int((~there).sum())
    spread = partial(interval, rng=rng, confidence=confidence, resamples=resamples)
    against, turned = spread(first - other.mean(axis=1)), spread(first - last)
    if not n:
        return OrderTest(None, None, np.zeros(0), None, None, against, turned, None, 0, left_out, NO_QUESTION)
    changed = float((np.ptp(np.column_stack([first, last, other]), axis=1) > 0).mean())
    means = other.mean(axis=0)
    p = exchange_p(np.column_stack([first, other]), rng=rng, resamples=resamples) if changed else None
    return OrderTest(
        float(first.mean()), float(last.mean()), means, float(means.std(ddof=1)), changed, against, turned, p, n,
        left_out, "" if changed else NEVER_CHANGES,
    )  # fmt: skip


def measure_order(
    answers: Sequence[Answer],
    generator: Generator,
    *,
    rng: np.random.Generator,
    many: int = 5,
    right: Right = holds_reference,
    confidence: float = 0.95,
    resamples: int = 10_000,
) -> OrderTest:
    """Ask each question with its own passages in the order of its prompt, reversed, and in `many` random orders.

    Questions with fewer than two passages to read are left out and counted. Makes questions × (many + 2) calls.
    """
    some = [answer for answer in answers if len(answer.readable) > 1]
    prompts = [
        Prompt(answer.question, tuple(context.text for context in order))
        for answer in some
        for order in orders([answer.contexts[place] for place in answer.readable], many, rng)
    ]
    values, failed = outcomes(generator, prompts, [answer for answer in some for _ in range(many + 2)], right)
    table = values.reshape(len(some), many + 2)
    found = order_test(
        table[:, 0], table[:, 1], table[:, 2:], rng=rng, confidence=confidence, resamples=resamples
    )  # fmt: skip
    few = len(answers) - len(some)
    notes = counted(
        {
            "single passages": (few, "{} questions with fewer than two passages were left out"),
            "failed calls": (failed, "{} calls gave no answer"),
        }
    )
    return replace(found, failed=failed, notes=notes)
