"""Questions for experiments with prompts: the passage that answers, those that do not, and the orders to try."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from rankgauge.errors import Fault, InputError, ParameterError
from rankgauge.rag.generating import holds_reference
from rankgauge.records.answers import Answer, Answers, Context
from rankgauge.records.notes import Note
from rankgauge.records.qrels import Qrels

Design = Literal["cyclic", "fixed"]


@dataclass(frozen=True)
class Case:
    """A question with a passage that answers it, and passages that do not.

    Attributes
    ----------
    answer : the question and its right answers
    gold : the first passage that answers
    others : the passages that do not, in their order
    """

    answer: Answer
    gold: Context
    others: tuple[Context, ...]


def relevant(answer: Answer, context: Context, grades: Mapping[str, float] | None, level: float = 1.0) -> bool | None:
    """Whether a passage answers: by its judgment, or without judgments by whether it holds a right answer.

    None where it was not judged, or no right answer is known.
    """
    if grades is None:
        return holds_reference(context.text, answer)
    grade = grades.get(context.doc_id or "")
    return None if grade is None else grade >= level


def cases_of(
    answers: Answers, qrels: Qrels | None = None, *, level: float = 1.0, distractors: int | None = None
) -> tuple[list[Case], list[Note]]:
    """Find the questions whose passages hold one that answers and enough that do not; counts the others.

    Parameters
    ----------
    qrels : which passages answer; None: those whose text holds one of the answer's references
    distractors : how many passages that do not answer each question needs; None: any number

    Raises
    ------
    InputError
        Where no question is left.
    """
    known = None if qrels is None else qrels.to_dict()
    found, lost = [], {"no passage that answers": 0, "too few passages that do not answer": 0}
    for row in answers:
        grades = None if known is None else known.get(row.query_id, {})
        read = [row.contexts[place] for place in row.readable]
        says = [relevant(row, context, grades, level) for context in read]
        gold = next((context for context, yes in zip(read, says, strict=True) if yes), None)
        others = tuple(context for context, yes in zip(read, says, strict=True) if yes is False)
        if gold is None:
            lost["no passage that answers"] += 1
        elif distractors is not None and len(others) < distractors:
            lost["too few passages that do not answer"] += 1
        else:
            found.append(Case(row, gold, others if distractors is None else others[:distractors]))
    notes = [
        Note(f"questions with {why}", n, f"{n} questions with {why} were left out") for why, n in lost.items() if n
    ]
    if not found:
        got = "; ".join(note.text for note in notes) or "no question"
        advice = "give judgments of the passages, or references that stand in them, and smaller prompts"
        raise InputError(Fault(answers.name, "a question with a passage that answers and others", got, advice))
    return found, notes


@dataclass(frozen=True)
class CurvePlan:
    """Where the passage that answers is put, in prompts of one size.

    Attributes
    ----------
    size : passages of each prompt
    slots : where it is put, from 1
    design : "cyclic": the whole list is turned, so that each passage takes each slot once over all of them;
        "fixed": the others keep their order, and the gold passage is put between them
    """

    size: int
    slots: tuple[int, ...]
    design: Design = "cyclic"

    def __post_init__(self) -> None:
        if self.size < 2:
            raise ParameterError(f"size: expected prompts of two passages or more, got {self.size}")
        if list(self.slots) != sorted(set(self.slots)) or len(self.slots) < 2:
            raise ParameterError(f"slots: expected two or more, rising, got {list(self.slots)}")
        if not 1 <= self.slots[0] <= self.slots[-1] <= self.size:
            raise ParameterError(f"slots: expected 1 to {self.size}, got {list(self.slots)}")

    @classmethod
    def every(cls, size: int, design: Design = "cyclic") -> CurvePlan:
        """Put it at each slot."""
        return cls(size, tuple(range(1, size + 1)), design)

    @classmethod
    def five(cls, size: int, design: Design = "cyclic") -> CurvePlan:
        """Put it first, last, and at the quarters: the cheap design.

        >>> CurvePlan.five(20).slots
        (1, 5, 10, 15, 20)
        """
        quarters = {1, *(max(1, round(size * part / 4)) for part in (1, 2, 3)), size}
        return cls(size, tuple(sorted(quarters)), design)

    def prompts(self, case: Case) -> list[tuple[Context, ...]]:
        """Passages of the prompt for each slot."""
        assert len(case.others) >= self.size - 1
        others = case.others[: self.size - 1]
        if self.design == "fixed":
            return [(*others[: slot - 1], case.gold, *others[slot - 1 :]) for slot in self.slots]
        ring = (case.gold, *others)
        return [ring[-turn:] + ring[:-turn] if turn else ring for turn in (slot - 1 for slot in self.slots)]


def orders(contexts: Sequence[Context], many: int, rng: np.random.Generator) -> Iterator[tuple[Context, ...]]:
    """The passages as they are, reversed, and in random orders."""
    yield tuple(contexts)
    yield tuple(reversed(contexts))
    for _ in range(many):
        yield tuple(contexts[place] for place in rng.permutation(len(contexts)).tolist())
