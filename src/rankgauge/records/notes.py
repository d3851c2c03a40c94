"""What was read, dropped, chosen or noticed: said in numbers, never in silence."""

from __future__ import annotations

from collections.abc import Iterable
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
