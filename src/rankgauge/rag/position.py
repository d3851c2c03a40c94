"""Position: how often a model is right when the passage that answers stands at each slot of the prompt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from rankgauge.errors import Fault, InputError
from rankgauge.judged import FloatArray
from rankgauge.rag.cases import Case, CurvePlan
from rankgauge.rag.generating import Generator, Prompt, Right, holds_reference, outcomes
from rankgauge.records.notes import Note
from rankgauge.statistics.conditions import QTest, cochran_q, range_of_means
from rankgauge.statistics.intervals import interval
from rankgauge.statistics.proportions import wilson
from rankgauge.statistics.results import Interval

NOT_BINARY = "outcomes of several samples are shares: Cochran's Q needs one yes or no each"
NO_EDGES = "the first or the last slot was not tried"
NO_MIDDLE = "no slot of the middle third was tried"


@dataclass(frozen=True)
class SlotPoint:
    """One slot: the share of questions that were right there, and its interval; Wilson's of yes-or-no outcomes."""

    slot: int
    accuracy: Interval


@dataclass(frozen=True, eq=False)
class Curve:
    """Accuracy by slot, and what follows from it.

    Attributes
    ----------
    plan : sizes and slots
    points : one per slot, each of all questions that have an outcome there
    test : Cochran's Q over the slots
    edge_middle : ½(acc(1) + acc(k)) - mean of the middle third
    primacy_recency : acc(1) - acc(k)
    range : largest less smallest accuracy; never below 0, also where all slots are alike
    closed, oracle : accuracy without passages, and with the gold passage alone; None: not asked
    over_closed, under_oracle : mean of the slots less closed, oracle less that mean; paired
    outcomes : float[Q, S], share of samples that were right; NaN: unknown
    closed_outcomes, oracle_outcomes : float[Q] or None
    generator : its name
    failed : calls without an answer
    """

    plan: CurvePlan
    points: tuple[SlotPoint, ...]
    test: QTest
    edge_middle: Interval
    primacy_recency: Interval
    range: Interval
    closed: Interval | None
    oracle: Interval | None
    over_closed: Interval | None
    under_oracle: Interval | None
    outcomes: FloatArray
    closed_outcomes: FloatArray | None
    oracle_outcomes: FloatArray | None
    generator: str = ""
    failed: int = 0
    notes: tuple[Note, ...] = ()


def curve(
    outcomes: npt.ArrayLike,
    plan: CurvePlan,
    *,
    closed: npt.ArrayLike | None = None,
    oracle: npt.ArrayLike | None = None,
    rng: np.random.Generator,
    confidence: float = 0.95,
    resamples: int = 10_000,
) -> Curve:
    """Analyse outcomes of the same questions at each slot; differences are paired, and bootstrapped over questions.

    Parameters
    ----------
    outcomes : float[Q, S], columns as `plan.slots`; NaN where there is no outcome
    closed, oracle : float[Q], of the same questions

    Raises
    ------
    InputError
        For arrays of other shapes, and values outside 0 to 1.

    Source: Liu et al. (2024), doi:10.1162/tacl_a_00638, for the experiment.
    """
    rows = _shaped(outcomes, (None, len(plan.slots)), "outcomes")
    shut, alone = (None if one is None else _shaped(one, (len(rows),), name)
                   for one, name in ((closed, "closed"), (oracle, "oracle")))  # fmt: skip

    def spread(values: FloatArray) -> Interval:
        return interval(values, rng=rng, confidence=confidence, resamples=resamples)

    mean = rows.mean(axis=1)
    edges, turn = _edges(rows, plan, spread, confidence)
    points = [SlotPoint(slot, _accuracy(rows[:, s], confidence)) for s, slot in enumerate(plan.slots)]
    return Curve(
        plan, tuple(points), _test(rows), edges, turn,
        range_of_means(rows, rng=rng, confidence=confidence, resamples=resamples),
        None if shut is None else _accuracy(shut, confidence), None if alone is None else _accuracy(alone, confidence),
        None if shut is None else spread(mean - shut), None if alone is None else spread(alone - mean),
        rows, shut, alone,
    )  # fmt: skip


def _shaped(values: npt.ArrayLike, shape: tuple[int | None, ...], what: str) -> FloatArray:
    found = np.asarray(values, dtype=np.float64)
    if found.ndim != len(shape) or any(want not in (None, have) for want, have in zip(shape, found.shape, strict=True)):
        raise InputError(Fault(what, f"an array of shape {shape}", f"one of shape {found.shape}"))
    known = found[~np.isnan(found)]
    if ((known < 0) | (known > 1)).any():
        raise InputError(Fault(what, "outcomes from 0 to 1", str(known[(known < 0) | (known > 1)][0])))
    return found


def _binary(values: FloatArray) -> bool:
    known = values[~np.isnan(values)]
    return bool(((known == 0) | (known == 1)).all())


def _accuracy(values: FloatArray, confidence: float) -> Interval:
    """Interval of a mean outcome: Wilson's of yes or no, Student's of shares of several samples."""
    known = values[~np.isnan(values)]
    if not _binary(known):
        return interval(values, method="t", confidence=confidence)
    found = wilson(float(known.sum()), len(known), confidence=confidence)
    return Interval(found.estimate, found.low, found.high, confidence, found.method, found.n, found.outcome,
                    len(values) - len(known))  # fmt: skip


def _test(rows: FloatArray) -> QTest:
    if _binary(rows):
        return cochran_q(rows)
    whole = int((~np.isnan(rows).any(axis=1)).sum())
    return QTest(None, None, rows.shape[1] - 1, whole, 0, len(rows) - whole, NOT_BINARY)


def _edges(
    rows: FloatArray, plan: CurvePlan, spread: Callable[[FloatArray], Interval], confidence: float
) -> tuple[Interval, Interval]:
    """Edge-middle gap, and primacy less recency."""
    k = plan.size
    middle = [s for s, slot in enumerate(plan.slots) if abs(slot - (k + 1) / 2) <= k / 6]
    if plan.slots[0] != 1 or plan.slots[-1] != k:
        none = Interval(None, None, None, confidence, "BCa bootstrap", 0, NO_EDGES)
        return none, none
    first, last = rows[:, 0], rows[:, -1]
    if not middle:
        return Interval(None, None, None, confidence, "BCa bootstrap", 0, NO_MIDDLE), spread(first - last)
    return spread((first + last) / 2 - rows[:, middle].mean(axis=1)), spread(first - last)


def measure_curve(
    cases: Sequence[Case],
    generator: Generator,
    plan: CurvePlan,
    *,
    rng: np.random.Generator,
    right: Right = holds_reference,
    samples: int = 1,
    anchors: bool = True,
    confidence: float = 0.95,
    resamples: int = 10_000,
) -> Curve:
    """Ask each question with its gold passage at each slot, without passages, and with the gold passage alone.

    Makes questions × (slots + 2) × samples calls, in one batch.
    """
    sets: list[list[tuple[str, ...]]] = []
    for case in cases:
        texts = [tuple(context.text for context in prompt) for prompt in plan.prompts(case)]
        sets.append([*texts, *([(), (case.gold.text,)] if anchors else [])])
    prompts = [Prompt(case.answer.question, texts) for case, some in zip(cases, sets, strict=True) for texts in some]
    asked = [case.answer for case, some in zip(cases, sets, strict=True) for _ in some]
    values, failed = outcomes(generator, prompts, asked, right, samples=samples)
    table, S = values.reshape(len(cases), -1), len(plan.slots)
    found = curve(
        table[:, :S], plan, closed=table[:, S] if anchors else None, oracle=table[:, S + 1] if anchors else None,
        rng=rng, confidence=confidence, resamples=resamples,
    )  # fmt: skip
    notes = (
        [Note("failed calls", failed, f"{failed} of {len(prompts) * samples} calls gave no answer")] if failed else []
    )
    return replace(found, generator=generator.name, failed=failed, notes=tuple(notes))
