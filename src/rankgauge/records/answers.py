"""Answers: what was answered to each question, and from which passages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from rankgauge.errors import DuplicateError, Fault
from rankgauge.records.notes import Note


@dataclass(frozen=True)
class Context:
    """A passage that stood in the prompt.

    Attributes
    ----------
    text : what the model read; empty where only the id is known
    doc_id : what the passage is called in qrels and runs
    rank : its place in the ranking that it was retrieved in, from 1; its slot in the prompt may be another one
    score : of the retriever
    """

    text: str = ""
    doc_id: str | None = None
    rank: int | None = None
    score: float | None = None

    @property
    def blank(self) -> bool:
        """Whether there is nothing to read."""
        return not self.text.strip()


@dataclass(frozen=True)
class Sentence:
    """A sentence of an answer, and the slots (from 1) of the passages that it cites, best first."""

    text: str
    citations: tuple[int, ...] = ()


@dataclass(frozen=True)
class Answer:
    """What was answered to one question.

    Attributes
    ----------
    query_id : what the question is called; with a qrels file beside, its query
    text : the answer; "" is an empty answer, None: none was recorded
    contexts : in the order of the prompt: the first has slot 1
    references : right answers; any one of them will do
    sentences : of the answer, where citations are known
    answerable : whether the contexts, or the collection, hold an answer; None: nobody said
    abstained : whether it is known that no answer was given ("I don't know"); None: nobody said
    given : what else the file says of it, as other tools' scores
    """

    query_id: str
    question: str
    text: str | None
    contexts: tuple[Context, ...] = ()
    references: tuple[str, ...] = ()
    sentences: tuple[Sentence, ...] = ()
    answerable: bool | None = None
    abstained: bool | None = None
    given: Mapping[str, Any] = field(default_factory=dict)

    @property
    def readable(self) -> tuple[int, ...]:
        """Places in `contexts` (from 0) of those that hold any text."""
        return tuple(place for place, context in enumerate(self.contexts) if not context.blank)


@dataclass(frozen=True)
class Answers:
    """The answers of one system, a row per question.

    Raises
    ------
    DuplicateError
        For a question that is there twice.

    >>> Answers((Answer("q1", "Who?", "Ada"), Answer("q2", "When?", "")), name="new")
    Answers(2 questions, name='new')
    """

    rows: tuple[Answer, ...]
    name: str = "answers"
    notes: tuple[Note, ...] = ()

    def __post_init__(self) -> None:
        twice = [query for query, count in Counter(row.query_id for row in self.rows).items() if count > 1]
        if twice:
            raise DuplicateError([Fault(self.name, "each question once", f"{query!r} twice") for query in twice])

    def __repr__(self) -> str:
        return f"Answers({len(self.rows)} questions, name={self.name!r})"

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Answer]:
        return iter(self.rows)

    def of(self, query_ids: Iterable[str]) -> Answers:
        """Keep those of some questions, in this order."""
        by_id = {row.query_id: row for row in self.rows}
        return Answers(tuple(by_id[query] for query in query_ids if query in by_id), self.name, self.notes)
