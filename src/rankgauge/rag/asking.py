"""The calls that fill the matrices: claims, their verdicts against a text, grades, and questions made of answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from rankgauge.judges.asking import Failed, Message, Model, Reply, Request
from rankgauge.judges.fencing import LONGEST, fence
from rankgauge.judges.parsing import Unreadable, read_object, verdict
from rankgauge.judges.prompting import Prompt
from rankgauge.rag.verdicts import Verdict

SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
AT_ONCE = 10
"""Claims per call: longer lists lose their end."""
PER_CLAIM, PER_SENTENCE, PER_GRADE = 120, 120, 200

Read = TypeVar("Read")


def _of(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "additionalProperties": False,
        "required": list(properties),
        "properties": dict(properties),
    }


def _list_of(name: str, properties: Mapping[str, Any]) -> dict[str, Any]:
    return _of({name: {"type": "array", "items": _of(properties)}})


TEXT, WHOLE, YES = {"type": "string"}, {"type": "integer"}, {"type": "boolean"}
CLAIMS = _list_of("claims", {"sentence": WHOLE, "claim": TEXT})
VERDICTS = _list_of("verdicts", {"claim": WHOLE, "quote": TEXT, "supported": YES})
RELATES = _list_of("verdicts", {"claim": WHOLE, "relevant": YES})
GRADE = _of({"reason": TEXT, "grade": {"type": "integer", "enum": [0, 1, 2, 3]}})
QUESTION = _of({"question": TEXT, "evades": YES})


@dataclass(frozen=True)
class Claim:
    """A claim, and the place (from 0) of the sentence that makes it."""

    text: str
    sentence: int


@dataclass(frozen=True)
class Asker:
    """Writes the calls for a model."""

    model: Model
    how: Prompt
    longest: int = LONGEST

    @property
    def source(self) -> str:
        """How verdicts are signed."""
        return f"llm:{self.model.name}:{self.how.called}-{self.how.digest}"

    def claims(self, question: str, sentences: Sequence[str]) -> Request:
        """Ask which claims some sentences make."""
        listed = "\n".join(f"({number}) {sentence}" for number, sentence in enumerate(sentences, 1))
        tokens = 200 + PER_SENTENCE * len(sentences)
        return self._request("claims", CLAIMS, tokens, question=question, text=listed)

    def verdicts(self, claims: Sequence[str], text: str) -> Request:
        """Ask which claims follow from a text."""
        tokens = 100 + PER_CLAIM * len(claims)
        return self._request("verdicts", VERDICTS, tokens, text=text, claims=numbered(claims), count=len(claims))

    def relates(self, claims: Sequence[str], question: str) -> Request:
        """Ask which claims speak to a question."""
        tokens = 100 + 20 * len(claims)
        return self._request("relates", RELATES, tokens, question=question, claims=numbered(claims), count=len(claims))

    def grade(self, question: str, text: str) -> Request:
        """Ask how far an answer deals with its question."""
        return self._request("answer", GRADE, PER_GRADE, question=question, text=text)

    def question(self, text: str, *, sample: int, temperature: float) -> Request:
        """Ask for the question that an answer answers."""
        return self._request("question", QUESTION, PER_GRADE, text=text, sample=sample, temperature=temperature)

    def _request(
        self, section: str, schema: Mapping[str, Any], tokens: int, *, count: int = 0, sample: int = 0,
        temperature: float = 0.0, **texts: str,
    ) -> Request:  # fmt: skip
        fenced = {name: fence(text, longest=self.longest).text for name, text in texts.items()}
        messages = (Message("system", self.how.sections["system"]),
                    Message("user", self.how.fill(section, count=str(count), **fenced)))  # fmt: skip
        called = f"{self.how.called}-{self.how.digest}"
        return Request(messages, called, schema, temperature=temperature, max_tokens=tokens, sample=sample)


def numbered(claims: Sequence[str]) -> str:
    """Write claims as a list with numbers from 1."""
    return "\n".join(f"{number}. {' '.join(claim.split())}" for number, claim in enumerate(claims, 1))


def sentences_of(text: str) -> list[str]:
    """Part a text into sentences, at the ends that English, Vietnamese and Chinese mark.

    >>> sentences_of("It is blue. Is it? Yes!\\n天是蓝的。对。")
    ['It is blue.', 'Is it?', 'Yes!', '天是蓝的。', '对。']
    """
    return [part.strip() for part in SENTENCE.split(text) if part and part.strip()]


def read(outcome: Reply | Failed, reader: Callable[[Any], Read]) -> Read | Failed:
    """Read an answer's JSON; what cannot be read is a failure that keeps the text."""
    if isinstance(outcome, Failed):
        return outcome
    try:
        return read_object(outcome.text, reader)
    except Unreadable as error:
        return Failed("unparseable", f"{error}: {outcome.text}")


def claims_in(count: int) -> Callable[[Any], tuple[Claim, ...]]:
    """Make a reader of claims; nulls and blanks, which models also list, say nothing and are dropped."""
    return lambda value: _claims(value, count)


def _claims(value: Any, count: int) -> tuple[Claim, ...]:
    found = []
    for one in value["claims"]:
        text = one["claim"]
        if text is not None and not isinstance(text, str):
            raise ValueError(f"expected a claim as text, got {text!r}")
        if text is not None and text.strip():
            found.append(Claim(text.strip(), number_in(one["sentence"], count, "sentences")))
    return tuple(found)


def verdicts_in(count: int) -> Callable[[Any], dict[int, Verdict | bool | Failed]]:
    """Make a reader of verdicts by the place of their claim; those that are not there were left out."""

    def take(one: Any) -> Verdict:
        return Verdict(verdict(one["supported"]), str(one.get("quote") or ""))

    return lambda value: _by_claim(value, count, take)


def relates_in(count: int) -> Callable[[Any], dict[int, Verdict | bool | Failed]]:
    """Make a reader of whether claims speak to the question, by their place."""
    return lambda value: _by_claim(value, count, lambda one: verdict(one["relevant"]))


def question_in(value: Any) -> tuple[str, bool]:
    """Take a question, and whether the answer evades."""
    if not isinstance(value["question"], str) or not value["question"].strip():
        raise ValueError("expected a question, got none")
    return value["question"].strip(), verdict(value["evades"])


def number_in(value: Any, count: int, what: str) -> int:
    """Take a number from 1 to `count` as a place from 0. Raises ValueError for any other."""
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= count:
        raise ValueError(f"expected {what} 1 to {count}, got {value!r}")
    return value - 1


def _by_claim(value: Any, count: int, take: Callable[[Any], Verdict | bool]) -> dict[int, Verdict | bool | Failed]:
    found: dict[int, Verdict | bool | Failed] = {}
    for one in value["verdicts"]:
        place = number_in(one["claim"], count, "claims")
        try:
            given: Verdict | bool | Failed = take(one)
        except ValueError as error:
            given = Failed("unparseable", str(error))
        if found.setdefault(place, given) != given:
            found[place] = Failed("unparseable", f"two verdicts on claim {place + 1}")
    return found
