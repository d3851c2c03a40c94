"""UDCG: what a prompt's passages are worth to a model: relevant ones help, distracting ones harm, where it answers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankgauge.errors import ParameterError
from rankgauge.judged import FloatArray
from rankgauge.rag.cases import relevant
from rankgauge.rag.generating import Generator, Prompt, abstention
from rankgauge.records.answers import Answer
from rankgauge.records.notes import Note, counted
from rankgauge.records.qrels import Qrels
from rankgauge.statistics.intervals import interval
from rankgauge.statistics.results import Interval

HELPS, HARMS = 1.0, -1 / 3
"""γ of a relevant passage, and of one that is not."""


@dataclass(frozen=True)
class Utility:
    """UDCG of one prompt.

    Attributes
    ----------
    value : σ of the mean, in (0, 1); 0.5 for passages on which the model always abstains
    mean : before σ, in [-1/3, 1]; it can be averaged
    skipped : passages without a probability; they gain nothing and still count
    """

    value: float
    mean: float
    skipped: int = 0


def udcg(abstains: Sequence[float | None], relevance: Sequence[bool]) -> Utility | None:
    """Compute UDCG as its released code does: no discount by position; None for a prompt without passages.

    UDCG = σ((1/k) Σ_i γ_i (1 - P_abstain(q, c_i))), γ = 1 for a relevant passage, -1/3 for another

    Parameters
    ----------
    abstains : chance that the model abstains when the passage stands alone; None where it is not known
    relevance : whether each passage is relevant

    Source: Trappolini et al. (2025), arXiv:2510.21440, by its code; pages on the web give another formula.

    >>> found = udcg([0.2, 0.5], [True, False])
    >>> round(found.mean, 4), round(found.value, 4)
    (0.3167, 0.5785)
    """
    if len(abstains) != len(relevance):
        raise ParameterError(f"relevance: expected one for each of {len(abstains)} passages, got {len(relevance)}")
    if wrong := [chance for chance in abstains if chance is not None and not 0 <= chance <= 1]:
        raise ParameterError(f"abstains: expected chances in [0, 1], got {wrong[0]!r}")
    if not len(abstains):
        return None
    gains = [
        (HELPS if yes else HARMS) * (1 - chance)
        for chance, yes in zip(abstains, relevance, strict=True)
        if chance is not None
    ]
    mean = math.fsum(gains) / len(abstains)
    return Utility(1 / (1 + math.exp(-mean)), mean, len(abstains) - len(gains))


@dataclass(frozen=True, eq=False)
class Utilities:
    """UDCG of each question of a set.

    Attributes
    ----------
    queries : of the questions that have passages
    values, means : float[Q]; NaN where no passage has a probability
    value, mean : their means over questions, with bootstrap intervals
    """

    queries: tuple[str, ...]
    values: FloatArray
    means: FloatArray
    value: Interval
    mean: Interval
    notes: tuple[Note, ...] = ()


def measure_udcg(
    answers: Sequence[Answer],
    generator: Generator,
    qrels: Qrels | None = None,
    *,
    rng: np.random.Generator,
    level: float = 1.0,
    samples: int = 1,
    confidence: float = 0.95,
    resamples: int = 10_000,
) -> Utilities:
    """Ask each question with each of its passages alone, and compute UDCG of its prompt.

    Makes one call per passage and sample. Passages that nobody judged count as irrelevant, and are counted.
    """
    known = None if qrels is None else qrels.to_dict()
    some = [answer for answer in answers if answer.readable]
    read = [(answer, answer.contexts[place]) for answer in some for place in answer.readable]
    chances = alone(generator, [(answer.question, context.text) for answer, context in read], samples)
    says = [
        relevant(answer, context, None if known is None else known.get(answer.query_id, {}), level)
        for answer, context in read
    ]
    found, at = [], 0
    for answer in some:
        many = len(answer.readable)
        found.append(udcg(chances[at : at + many], [bool(yes) for yes in says[at : at + many]]))
        at += many
    values, means = (
        np.array([math.nan if one is None or blind(one, answer) else getattr(one, name)
                  for one, answer in zip(found, some, strict=True)])
        for name in ("value", "mean")
    )  # fmt: skip
    spread = [interval(row, rng=rng, confidence=confidence, resamples=resamples) for row in (values, means)]
    notes = counted(
        {
            "unjudged passages": (says.count(None), "{} passages that nobody judged count as irrelevant"),
            "failed passages": (chances.count(None), "{} passages have no chance of abstention and gain nothing"),
            "no passages": (len(answers) - len(some), "{} questions without a passage to read were left out"),
        }
    )
    return Utilities(tuple(answer.query_id for answer in some), values, means, spread[0], spread[1], notes)


def blind(found: Utility, answer: Answer) -> bool:
    """Whether no passage of a prompt has a probability."""
    return found.skipped == len(answer.readable)


def alone(generator: Generator, pairs: Sequence[tuple[str, str]], samples: int) -> list[float | None]:
    """Chance of abstention for each question with one passage."""
    prompts = [Prompt(question, (text,), sample) for question, text in pairs for sample in range(samples)]
    replies = generator.write(prompts)
    return [abstention(replies[start : start + samples]) for start in range(0, len(replies), samples)]
