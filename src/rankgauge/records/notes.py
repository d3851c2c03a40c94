"""What was read, dropped, chosen or noticed: said in numbers, never in silence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Note:
    """One remark about an input. `kind` is a stable word for programs, `text` a sentence for people.

    >>> Note("duplicates", 3, "3 repeated documents were dropped, the first kept").count
    3
    """

    kind: str
    count: int
    text: str


def counted(said: Mapping[str, tuple[int, str]]) -> tuple[Note, ...]:
    """Say what happened at least once: {kind: (how often, sentence with {} for the number)}.

    >>> counted({"lost": (2, "{} were lost"), "found": (0, "{} were found")})
    (Note(kind='lost', count=2, text='2 were lost'),)
    """
    return tuple(Note(kind, count, text.format(count)) for kind, (count, text) in said.items() if count)


def examples(values: Iterable[str], most: int = 3) -> str:
    """Name a few of many: the first `most` values, quoted, and how many more there are.

    >>> examples(["q1", "q2", "q3", "q4", "q5"])
    "'q1', 'q2', 'q3' and 2 more"
    """
    known = list(values)
    shown = ", ".join(repr(value) for value in known[:most])
    more = len(known) - most
    return f"{shown} and {more} more" if more > 0 else shown


def of_normal_form(changed: int, form: str) -> list[Note]:
    """Say how many ids another Unicode form changed."""
    return [Note("normalised ids", changed, f"{changed} ids were brought to the form {form}")] if changed else []
