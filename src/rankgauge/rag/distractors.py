"""Distractors: what passages that do not answer do to the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from rankgauge.errors import Fault, InputError
from rankgauge.judged import FloatArray
from rankgauge.rag.cases import Case
from rankgauge.rag.generating import Generator, Prompt, Right, holds_reference, outcomes
from rankgauge.rag.udcg import alone
from rankgauge.records.answers import Answer
from rankgauge.records.notes import Note, counted
from rankgauge.statistics.intervals import interval
from rankgauge.statistics.pairs_of_outcomes import mcnemar
from rankgauge.statistics.results import Interval, PairedTest


@dataclass(frozen=True)
class Flips:
    """What one more passage changed, over the questions that have an outcome with and without it.

    Attributes
    ----------
    flips : right before, wrong with it
    rescues : wrong before, right with it
    flip_rate, rescue_rate : of all n questions; None for none
    test : McNemar's, exact
    """

    flips: int
    rescues: int
    n: int
    flip_rate: float | None
    rescue_rate: float | None
    test: PairedTest


@dataclass(frozen=True, eq=False)
class Added:
    """Passages added one at a time to those that answer.

    Attributes
    ----------
    before, after : mean outcome without and with one more passage
    distraction : before - after: what a passage costs, a mean per question, with a bootstrap interval
    by_place : flips and rescues of the first, the second... of the passages: each question once in each
    deltas : float[Q, D], s(q, G) - s(q, G ∪ {p}); NaN: unknown
    """

    before: Interval
    after: Interval
    distraction: Interval
    by_place: tuple[Flips, ...]
    deltas: FloatArray


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Passages taken out one at a time.

    Attributes
    ----------
    utility : mean of u_i = s(q, C) - s(q, C \\ c_i) over questions, with a bootstrap interval
    harmful : share of passages with u_i < 0: the distractors; None where nothing is known
    by_slot : mean utility of each slot, with intervals
    utilities : float[Q, k], NaN where a prompt has no such slot, or an outcome is unknown
    """

    utility: Interval
    harmful: float | None
    by_slot: tuple[Interval, ...]
    utilities: FloatArray


@dataclass(frozen=True, eq=False)
class Distractors:
    """All that was measured of distractors.

    Attributes
    ----------
    effect : distracting effect, 1 - P(abstain), of passages that do not answer, alone; mean per question
    effects : float[Q, D]
    added, left_out : None where not asked for
    worst : the passages that cost most when added: question, document, place, cost
    """

    effect: Interval
    effects: FloatArray
    added: Added
    left_out: LeftOut | None
    worst: tuple[tuple[str, str, int, float], ...]
    generator: str = ""
    failed: int = 0
    notes: tuple[Note, ...] = ()


def flips(before: npt.ArrayLike, after: npt.ArrayLike) -> Flips:
    """Count the questions that one more passage turned wrong, and those that it turned right.

    >>> found = flips([1, 1, 0, 0], [0, 1, 1, 0])
    >>> found.flips, found.rescues, found.test.p
    (1, 1, 1.0)
    """
    one, other = np.asarray(before, np.float64), np.asarray(after, np.float64)
    test = mcnemar(one, other)
    lost, won = int(((one == 1) & (other == 0)).sum()), int(((one == 0) & (other == 1)).sum())
    n = test.n
    return Flips(lost, won, n, lost / n if n else None, won / n if n else None, test)


def added(
    before: npt.ArrayLike,
    after: npt.ArrayLike,
    *,
    rng: np.random.Generator,
    confidence: float = 0.95,
    resamples: int = 10_000,
) -> Added:
    """Analyse outcomes with the passages that answer alone, and with each of D others beside them.

    Parameters
    ----------
    before : float[Q], 0 or 1 (or the share of samples that were right: then flips are not counted)
    after : float[Q, D]
    """
    one, other = np.asarray(before, np.float64), np.asarray(after, np.float64)
    if one.ndim != 1 or other.ndim != 2 or len(one) != len(other):
        raise InputError(Fault("outcomes", "arrays of shape (Q,) and (Q, D)", f"{one.shape} and {other.shape}"))
    deltas = one[:, None] - other

    def spread(rows: FloatArray) -> Interval:
        return interval(rows, rng=rng, confidence=confidence, resamples=resamples)

    yes_or_no = all(((part == 0) | (part == 1) | np.isnan(part)).all() for part in (one, other))
    changed = [flips(one, other[:, place]) for place in range(other.shape[1])] if yes_or_no else []
    return Added(spread(one), spread(row_means(other)), spread(row_means(deltas)), tuple(changed), deltas)


def left_out(
    whole: npt.ArrayLike,
    without: npt.ArrayLike,
    *,
    rng: np.random.Generator,
    confidence: float = 0.95,
    resamples: int = 10_000,
) -> LeftOut:
    """Analyse outcomes with all passages, and with each of them taken out.

    Parameters
    ----------
    whole : float[Q]
    without : float[Q, k], NaN where a prompt has no such slot
    """
    one, other = np.asarray(whole, np.float64), np.asarray(without, np.float64)
    if one.ndim != 1 or other.ndim != 2 or len(one) != len(other):
        raise InputError(Fault("outcomes", "arrays of shape (Q,) and (Q, k)", f"{one.shape} and {other.shape}"))
    utilities = one[:, None] - other
    known = utilities[~np.isnan(utilities)]
    means, *slots = (
        interval(row, rng=rng, confidence=confidence, resamples=resamples)
        for row in (row_means(utilities), *utilities.T)
    )
    return LeftOut(means, float((known < 0).mean()) if len(known) else None, tuple(slots), utilities)


def row_means(rows: FloatArray) -> FloatArray:
    """Mean of what is known of each row, NaN where nothing is, float[Q]."""
    known = ~np.isnan(rows)
    count = known.sum(axis=1)
    total = np.where(known, rows, 0.0).sum(axis=1)
    means: FloatArray = np.where(count > 0, total / np.maximum(count, 1), np.nan)
    return means


def measure_distractors(
    cases: Sequence[Case],
    generator: Generator,
    *,
    rng: np.random.Generator,
    right: Right = holds_reference,
    many: int = 3,
    samples: int = 1,
    leave_one_out: bool = False,
    confidence: float = 0.95,
    resamples: int = 10_000,
) -> Distractors:
    """Ask each question with the gold passage, with one other beside it, and with that other alone.

    Makes questions × (1 + 2 × `many`) × samples calls; leaving one out makes one more per passage and question.
    Each case needs `many` passages that do not answer.
    """
    if short := [case for case in cases if len(case.others) < many]:
        got = f"{len(short[0].others)} of question {short[0].answer.query_id!r}"
        raise InputError(Fault("cases", f"{many} passages that do not answer", got, "ask for fewer"))
    sets = [[(case.gold.text,), *((case.gold.text, other.text) for other in case.others[:many])] for case in cases]
    prompts = [Prompt(case.answer.question, texts) for case, some in zip(cases, sets, strict=True) for texts in some]
    asked = [case.answer for case in cases for _ in range(1 + many)]
    values, failed = outcomes(generator, prompts, asked, right, samples=samples)
    table = values.reshape(len(cases), 1 + many)
    pairs = [(case.answer.question, other.text) for case in cases for other in case.others[:many]]
    chances = alone(generator, pairs, samples)
    effects = 1 - np.array(chances, dtype=np.float64).reshape(len(cases), many)
    found = added(table[:, 0], table[:, 1:], rng=rng, confidence=confidence, resamples=resamples)
    one = interval(row_means(effects), rng=rng, confidence=confidence, resamples=resamples)
    done = Distractors(one, effects, found, None, _worst(cases, found.deltas), generator.name)
    if leave_one_out:
        whole, without, more = ask_without([case.answer for case in cases], generator, right, samples)
        failed += more
        rest = left_out(whole, without, rng=rng, confidence=confidence, resamples=resamples)
        done = replace(done, left_out=rest)
    return replace(done, failed=failed, notes=counted({
        "failed calls": (failed, "{} calls gave no answer"),
        "failed passages": (chances.count(None), "{} passages have no chance of abstention"),
    }))  # fmt: skip


def ask_without(
    answers: Sequence[Answer], generator: Generator, right: Right, samples: int
) -> tuple[FloatArray, FloatArray, int]:
    """Outcomes with all passages, float[Q], and without each of them, float[Q, k]; and how many calls failed."""
    prompts, asked = [], []
    for answer in answers:
        texts = [answer.contexts[place].text for place in answer.readable]
        some = [texts, *(texts[:place] + texts[place + 1 :] for place in range(len(texts)))]
        prompts += [Prompt(answer.question, tuple(one)) for one in some]
        asked += [answer] * len(some)
    values, failed = outcomes(generator, prompts, asked, right, samples=samples)
    widest = max((len(answer.readable) for answer in answers), default=0)
    whole, without, at = np.zeros(len(answers)), np.full((len(answers), widest), np.nan), 0
    for row, answer in enumerate(answers):
        many = len(answer.readable)
        whole[row], without[row, :many] = values[at], values[at + 1 : at + 1 + many]
        at += 1 + many
    return whole, without, failed


def _worst(cases: Sequence[Case], deltas: FloatArray, most: int = 10) -> tuple[tuple[str, str, int, float], ...]:
    order = np.argsort(-np.nan_to_num(deltas, nan=-np.inf), axis=None, kind="stable")[:most]
    found = []
    for row, place in zip(*np.unravel_index(order, deltas.shape), strict=True):
        cost = float(deltas[row, place])
        if cost > 0:
            other = cases[row].others[place]
            found.append((cases[row].answer.query_id, other.doc_id or other.text[:60], int(place) + 1, cost))
    return tuple(found)
