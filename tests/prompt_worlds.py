"""Fake generators whose chance of success is known, and questions for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from rankgauge.judges.asking import Failed, Reply
from rankgauge.rag.generating import Prompt
from rankgauge.records.answers import Answer, Answers, Context


def question(number: int, passages: int = 5) -> Answer:
    """A question whose first passage holds the answer."""
    gold = Context(f"the answer is word{number}", f"gold{number}", rank=1)
    others = [
        Context(f"nothing about it, {place}", f"other{number}-{place}", rank=place) for place in range(2, passages + 1)
    ]
    return Answer(f"q{number}", f"Which word {number}?", None, (gold, *others), (f"word{number}",))


def questions(many: int, passages: int = 5) -> Answers:
    """Many such questions."""
    return Answers(tuple(question(number, passages) for number in range(many)), "fake")


class BySlot:
    """Right with the chance of the slot in which the gold passage stands; `closed` without passages."""

    name = "by slot"

    def __init__(self, chances: Sequence[float], *, closed: float, alone: float, seed: int) -> None:
        self.chances, self.closed, self.alone = chances, closed, alone
        self.rng = np.random.default_rng(seed)
        self.calls = 0

    def write(self, prompts: Sequence[Prompt]) -> list[Reply | Failed]:
        self.calls += len(prompts)
        return [Reply(self._answer(prompt)) for prompt in prompts]

    def _answer(self, prompt: Prompt) -> str:
        word = "word" + prompt.question.removeprefix("Which word ").rstrip("?")
        slot = next((place for place, text in enumerate(prompt.passages) if word in text.split()), None)
        chance = self.closed if slot is None else self.alone if len(prompt.passages) == 1 else self.chances[slot]
        return word if self.rng.random() < chance else "NO-RESPONSE"


class Scripted:
    """A generator that says what a function says, Failed where it says None."""

    name = "scripted"

    def __init__(self, say: Callable[[Prompt], str | None]) -> None:
        self.say = say

    def write(self, prompts: Sequence[Prompt]) -> list[Reply | Failed]:
        return [Failed("timeout") if (said := self.say(prompt)) is None else Reply(said) for prompt in prompts]
