"""Answers written for the sake of an experiment: by a language model, or by a plain function."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from rankgauge.judged import FloatArray
from rankgauge.judges.asking import Failed, Model, Reply, Request
from rankgauge.judges.prompting import prompt
from rankgauge.rag.prompts import DECLINED, declines, messages
from rankgauge.records.answers import Answer

Right = Callable[[str, Answer], bool | None]
"""Whether a text answers a question; None where nobody can tell."""

SURE_PREFIX = 2
"""Letters of a first token from which it is taken for the beginning of the refusal: "N" begins many words."""


@dataclass(frozen=True)
class Prompt:
    """A question with the passages of one prompt, in their order; `sample` tells repetitions apart."""

    question: str
    passages: tuple[str, ...] = ()
    sample: int = 0


class Generator(Protocol):
    """Writes answers to prompts."""

    @property
    def name(self) -> str:
        """What results are signed with."""
        ...

    def write(self, prompts: Sequence[Prompt]) -> list[Reply | Failed]:
        """Answer each prompt, in this order; a failure is a value."""
        ...


@dataclass(frozen=True)
class Function:
    """A plain function of a question and its passages as a generator.

    >>> Function(lambda question, passages: passages[0].upper()).write([Prompt("Who?", ("ada",))])[0].text
    'ADA'
    """

    generate: Callable[[str, Sequence[str]], str]
    name: str = "function"

    def write(self, prompts: Sequence[Prompt]) -> list[Reply | Failed]:
        """Call the function for each prompt."""
        return [Reply(self.generate(prompt.question, prompt.passages)) for prompt in prompts]


@dataclass(frozen=True)
class Asked:
    """A language model as a generator.

    Attributes
    ----------
    temperature : of repeated samples; a single one is asked for at 0
    logprobs : alternatives of each token that are asked for, to know how near an abstention was
    """

    model: Model
    language: str = "en"
    temperature: float = 0.7
    max_tokens: int = 128
    logprobs: int = 0

    @property
    def name(self) -> str:
        """The model's name and the prompt's."""
        return f"{self.model.name} ({prompt('answer', self.language).called})"

    def write(self, prompts: Sequence[Prompt]) -> list[Reply | Failed]:
        """Ask the model for all answers at once."""
        how = prompt("answer", self.language)
        several = any(one.sample for one in prompts)
        return self.model.ask(
            [
                Request(
                    messages(one.question, one.passages, how), f"{how.called}-{how.digest}",
                    temperature=self.temperature if several else 0.0, max_tokens=self.max_tokens,
                    logprobs=self.logprobs, sample=one.sample,
                )
                for one in prompts
            ]
        )  # fmt: skip


def holds_reference(text: str, answer: Answer) -> bool | None:
    """Whether a text contains a right answer, case, accents' form, punctuation and blanks apart.

    None where no right answer is known.

    >>> holds_reference("It was Ada  LOVELACE.", Answer("q", "Who?", None, references=("Ada Lovelace",)))
    True
    """
    wanted = [plain for reference in answer.references if (plain := _plain(reference))]
    if not wanted:
        return None
    said = f" {_plain(text)} "
    return any(f" {plain} " in said or (_unspaced(plain) and plain in said) for plain in wanted)


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(re.sub(r"[\W_]+", " ", folded).split())


def _unspaced(text: str) -> bool:
    """Whether a text is of a writing that puts no blanks between words: there a part of a run of letters counts."""
    return any("\u3040" <= letter <= "\u30ff" or "\u3400" <= letter <= "\u9fff" for letter in text)


def outcomes(
    generator: Generator, prompts: Sequence[Prompt], answers: Sequence[Answer], right: Right, *, samples: int = 1
) -> tuple[FloatArray, int]:
    """Share of each prompt's samples that are right, float64[n], NaN where any failed or nobody can tell.

    Also returns how many calls failed. An abstention is not right.
    """
    asked = [Prompt(one.question, one.passages, sample) for one in prompts for sample in range(samples)]
    said = generator.write(asked)
    assert len(said) == len(asked), "a generator answers each prompt"
    graded = [_graded(reply, answers[place // samples], right) for place, reply in enumerate(said)]
    failed = sum(isinstance(reply, Failed) for reply in said)
    return np.array(graded, dtype=np.float64).reshape(len(prompts), samples).mean(axis=1), failed


def _graded(reply: Reply | Failed, answer: Answer, right: Right) -> float:
    if isinstance(reply, Failed):
        return math.nan
    if declines(reply.text):
        return 0.0
    verdict = right(reply.text, answer)
    return math.nan if verdict is None else float(verdict)


def abstention(replies: Sequence[Reply | Failed]) -> float | None:
    """Chance that the model abstains: from the first token's alternatives, else as the share of the samples.

    With alternatives it is the probability of all that begin the refusal; a refusal that is not among them has 0: it
    is rarer than any shown. None where every sample failed.

    >>> abstention([Reply("NO-RESPONSE"), Reply("Ada"), Failed("timeout")])
    0.5
    """
    there = [reply for reply in replies if isinstance(reply, Reply)]
    if not there:
        return None
    chances = [_refusal_chance(reply) if reply.tokens else float(declines(reply.text)) for reply in there]
    return sum(chances) / len(chances)


def _refusal_chance(reply: Reply) -> float:
    first = reply.tokens[0]
    shown = {**first.others, first.text: first.logprob}
    return min(1.0, sum(math.exp(logprob) for text, logprob in shown.items() if _begins_refusal(text)))


def _begins_refusal(token: str) -> bool:
    text = token.strip()
    return len(text) >= SURE_PREFIX and (DECLINED.startswith(text) or text.startswith(DECLINED))
