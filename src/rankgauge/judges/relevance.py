"""The relevance judge: grades from 0 to 3 for passages, each signed with the model and the prompt."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import polars as pl

from rankgauge.errors import Fault, InputError, MethodError
from rankgauge.judges.asking import Failed, Message, Model, Reply, Request
from rankgauge.judges.fencing import LONGEST, Fenced, fence
from rankgauge.judges.labels import KEY, JudgeLabels
from rankgauge.judges.parsing import Unreadable, read_object, score
from rankgauge.judges.prompting import Prompt, prompt
from rankgauge.records import Note
from rankgauge.records.notes import examples

TOP = 3
GRADES = tuple(range(TOP + 1))
Pair = tuple[str, str]
Order = Literal["ascending", "descending"]

REASONED = {
    "type": "object", "additionalProperties": False, "required": ["reason", "grade"],
    "properties": {"reason": {"type": "string"}, "grade": {"type": "integer", "enum": list(GRADES)}},
}  # fmt: skip
MANY = {
    "type": "object", "additionalProperties": False, "required": ["grades"],
    "properties": {"grades": {"type": "array", "items": {
        "type": "object", "additionalProperties": False, "required": ["passage", "reason", "grade"],
        "properties": {"passage": {"type": "integer"}, **REASONED["properties"]},  # type: ignore[dict-item]
    }}},
}  # fmt: skip
ALTERNATIVES = 20
SURE = 0.5
"""Share of the probability that must lie on the grades' digits, where grades are read from probabilities."""
PER_PASSAGE, PER_ANSWER = 80, 200
"""Tokens of an answer that a passage may take in a batch, and alone."""


@dataclass(frozen=True)
class Graded:
    """What a judge says of pairs of query and document.

    Attributes
    ----------
    grades : float in [0, 3] by (query, document); fractional where it is an expected grade
    failed : pairs without a grade, and why; they stay unjudged
    source : who says so, "llm:<model>:<prompt>-<digest>"
    notes : what was cut, and which texts read like orders to a judge
    """

    grades: Mapping[Pair, float]
    failed: Mapping[Pair, Failed]
    source: str
    notes: tuple[Note, ...] = ()

    def labels(self) -> JudgeLabels:
        """The same as a table, for certificates and for filling holes."""
        given: dict[Pair, float | Failed] = {**self.grades, **self.failed}
        pairs = pl.DataFrame(list(given), schema=dict.fromkeys(KEY, pl.String), orient="row")
        return JudgeLabels.from_grades(pairs, list(given.values()), source=self.source)


@dataclass(frozen=True)
class RelevanceJudge:
    """Grades passages by a language model: 0 off topic, 1 on topic, 2 answers in part, 3 is the answer.

    Parameters
    ----------
    model : the one that is asked
    how : its prompt; by default the package's, in English
    batch : passages of a query per call; more than one are shuffled, and graded by number
    expected : read the expected grade off the probabilities of the four digits; the server must give log-probabilities.
        A small model that always says "3" may still order passages well by them.
    order : in which the grades are explained
    temperature : of the sampling, 0 for the likeliest answer
    seed : of the shuffles
    longest : characters of a passage; what is beyond is cut, and counted

    Source: the criteria follow the idea of UMBRELA (Upadhyay et al. 2024, arXiv:2406.06519), in our own words.

    >>> from rankgauge.judges.client import open_model
    >>> judge = RelevanceJudge(open_model(function=lambda messages: '{"reason": "it is", "grade": 2}', model="m"))
    >>> graded = judge.grade([("q1", "d1")], {"q1": "how long"}, {"d1": "nine days"})
    >>> graded.grades, graded.source.partition("-")[0]
    ({('q1', 'd1'): 2.0}, 'llm:m:relevance/en@1')
    """

    model: Model
    how: Prompt = field(default_factory=lambda: prompt("relevance"))
    batch: int = 1
    expected: bool = False
    order: Order = "ascending"
    temperature: float = 0.0
    seed: int = 0
    longest: int = LONGEST

    def __post_init__(self) -> None:
        if self.batch < 1:
            raise MethodError(f"batch: expected 1 passage or more, got {self.batch}")
        if self.expected and self.batch > 1:
            raise MethodError("batch: expected 1 passage per call with expected grades, got more")

    @property
    def source(self) -> str:
        """How labels are signed; whatever changes them is in it."""
        ways = [f"batch{self.batch}"] * (self.batch > 1) + ["expected"] * self.expected
        ways += [self.order] * (self.order != "ascending")
        return ":".join([f"llm:{self.model.name}:{self.how.called}-{self.how.digest}", *ways])

    def requests(
        self, pairs: Sequence[Pair], queries: Mapping[str, str], docs: Mapping[str, str], *, sample: int = 0
    ) -> list[Request]:
        """Write the calls for the pairs; passages that are left out of an answer are asked for again beside them."""
        return [self._request(queries[group[0][0]], [docs[doc] for _, doc in group], sample)
                for group in self._groups(pairs)]  # fmt: skip

    def grade(
        self, pairs: Sequence[Pair], queries: Mapping[str, str], docs: Mapping[str, str], *, sample: int = 0
    ) -> Graded:
        """Grade pairs of query and document, given the texts by id; `sample` numbers repeated answers.

        A passage that an answer for several leaves out is asked for once more, with the others that were left out.

        Raises InputError for a pair without a text.
        """
        _check(pairs, queries, docs)
        groups = list(self._groups(list(dict.fromkeys(pairs))))
        found = self._answers(groups, queries, docs, sample)
        again = [[pair for pair in group if pair not in found] for group in groups]
        again = [group for group in again if group]
        if again:
            found |= self._answers(again, queries, docs, sample)
        missing = Failed("unparseable", "the answer leaves it out, twice")
        outcomes = {pair: found.get(pair, missing) for group in groups for pair in group}
        grades = {pair: one for pair, one in outcomes.items() if not isinstance(one, Failed)}
        failed = {pair: one for pair, one in outcomes.items() if isinstance(one, Failed)}
        return Graded(grades, failed, self.source, self._notes(pairs, docs))

    def _answers(
        self, groups: Sequence[Sequence[Pair]], queries: Mapping[str, str], docs: Mapping[str, str], sample: int
    ) -> dict[Pair, float | Failed]:
        requests = [self._request(queries[group[0][0]], [docs[doc] for _, doc in group], sample) for group in groups]
        found: dict[Pair, float | Failed] = {}
        for group, outcome in zip(groups, self.model.ask(requests), strict=True):
            if isinstance(outcome, Failed):
                found |= dict.fromkeys(group, outcome)
            else:
                found |= {group[place]: grade for place, grade in self._read(outcome, len(group)).items()}
        return found

    def _read(self, reply: Reply, count: int) -> dict[int, float | Failed]:
        """Grades by place; a place that is not there was left out."""
        try:
            if self.expected:
                return {0: expected_grade(reply)}
            if self.batch == 1:
                return {0: _alone(reply.text)}
            return read_object(reply.text, lambda value: _by_number(value, count))
        except Unreadable as error:
            said = f"{error}: {reply.text}"
            return {place: Failed("unparseable", said) for place in range(count)}

    def _groups(self, pairs: Sequence[Pair]) -> Iterator[list[Pair]]:
        """Parts of each query's pairs, shuffled by the seed and the query alone."""
        by_query: dict[str, list[Pair]] = {}
        for pair in pairs:
            by_query.setdefault(pair[0], []).append(pair)
        for query, own in by_query.items():
            if self.batch > 1:
                rng = np.random.default_rng([self.seed, *query.encode()])
                own = [own[place] for place in rng.permutation(len(own))]
            yield from (own[first : first + self.batch] for first in range(0, len(own), self.batch))

    def _request(self, query: str, passages: Sequence[str], sample: int) -> Request:
        grades = [self.how.sections[f"grade {grade}"] for grade in GRADES]
        shared = {"query": self._fence(query).text,
                  "grades": "\n".join(grades if self.order == "ascending" else grades[::-1])}  # fmt: skip
        if self.batch == 1:
            asked = self.how.fill("one", passage=self._fence(passages[0]).text, **shared)
            asked = f"{asked}\n\n{self.how.sections['digit' if self.expected else 'reasoned']}"
        else:
            listed = [self.how.fill("passage", number=str(number), passage=self._fence(passage).text)
                      for number, passage in enumerate(passages, 1)]  # fmt: skip
            asked = self.how.fill("many", passages="\n\n".join(listed), count=str(len(passages)), **shared)
        messages = (Message("system", self.how.sections["system"]), Message("user", asked))
        called, how = f"{self.how.called}-{self.how.digest}", {"temperature": self.temperature, "sample": sample}
        if self.expected:
            return Request(messages, called, max_tokens=1, logprobs=ALTERNATIVES, **how)  # type: ignore[arg-type]
        schema, tokens = (REASONED, PER_ANSWER) if self.batch == 1 else (MANY, 40 + PER_PASSAGE * len(passages))
        return Request(messages, called, schema, max_tokens=tokens, **how)  # type: ignore[arg-type]

    def _fence(self, text: str) -> Fenced:
        return fence(text, longest=self.longest)

    def _notes(self, pairs: Sequence[Pair], docs: Mapping[str, str]) -> tuple[Note, ...]:
        ids = list(dict.fromkeys(doc for _, doc in pairs))
        fenced = {doc: self._fence(docs[doc]) for doc in ids}
        cut = [doc for doc in ids if fenced[doc].cut]
        orders = [doc for doc in ids if fenced[doc].orders]
        notes = []
        if cut:
            said = f"passages judged by their first {self.longest} characters: {examples(cut)}"
            notes.append(Note("cut passages", len(cut), f"{len(cut)} {said}"))
        if orders:
            said = f"passages read as if they told a judge what to do: {examples(orders)}; look at their grades"
            notes.append(Note("passages with orders", len(orders), f"{len(orders)} {said}"))
        return tuple(notes)


def _check(pairs: Sequence[Pair], queries: Mapping[str, str], docs: Mapping[str, str]) -> None:
    """Raise InputError for pairs whose texts are not there."""
    lacking = [f"{query!r}, {doc!r}" for query, doc in pairs if query not in queries or doc not in docs]
    if lacking:
        raise InputError(Fault("texts", "those of every pair", f"none of {lacking[0]}", "leave such pairs out"))


def expected_grade(reply: Reply) -> float:
    """Read the mean of the grades, each with the probability that the model gives to its digit.

    Raises
    ------
    Unreadable
        Where the server gave no probabilities, or the digits have less than half of the probability together.
    """
    if not reply.tokens:
        raise Unreadable("no log-probabilities")
    first = reply.tokens[0]
    chances = dict.fromkeys(GRADES, 0.0)
    for text, logprob in {first.text: first.logprob, **first.others}.items():
        if re.fullmatch(rf"\s*[0-{TOP}]\s*", text):
            chances[int(text)] += math.exp(logprob)
    total = sum(chances.values())
    if total < SURE:
        raise Unreadable(f"the grades have {total:.0%} of the probability together")
    return sum(grade * chance for grade, chance in chances.items()) / total


def _alone(text: str) -> float:
    """One grade: of JSON, or where there is none, of a sentence with one number on the scale."""
    try:
        return read_object(text, lambda value: grade_of(value["grade"]))
    except Unreadable as error:
        if str(error) != "no JSON":
            raise
    return grade_of(score(text, 0, TOP))


def _by_number(value: Any, count: int) -> dict[int, float | Failed]:
    found: dict[int, float | Failed] = {}
    for one in value["grades"]:
        number = one["passage"]
        if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= count:
            raise ValueError(f"expected passages 1 to {count}, got {number!r}")
        try:
            grade: float | Failed = grade_of(one["grade"])
        except ValueError as error:
            grade = Failed("unparseable", str(error))
        if found.setdefault(number - 1, grade) != grade:
            found[number - 1] = Failed("unparseable", f"two grades for passage {number}")
    return found


def grade_of(value: Any) -> float:
    """Take a whole grade of the scale; raises Unreadable (a ValueError) for anything else."""
    if isinstance(value, str) and re.fullmatch(r"\s*\d\s*", value):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or value not in GRADES:
        raise Unreadable(f"expected a grade from 0 to {TOP}, got {str(value)[:40]!r}")
    return float(value)
