"""Judged text as data: in a fence that it cannot close, and no longer than allowed."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

LONGEST = 8000
"""Characters of a judged text; what is beyond is cut, and counted."""
MARK = 16
ORDERS = re.compile(
    r"ignore (?:\w+ ){0,3}(?:instructions?|rubric|above|previous)|disregard (?:\w+ ){0,3}(?:instructions?|rubric)"
    r"|^\s*(?:system|assistant)\s*:|\"(?:score|grade|verdict)\"\s*:|(?:begin|end) data\b"
    r"|full marks|highest (?:score|grade)|bỏ qua (?:\w+ ){0,3}hướng dẫn|điểm tối đa"
    r"|忽略.{0,10}(?:指示|指令|规则)|满分",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True)
class Fenced:
    """A text in its fence.

    Attributes
    ----------
    text : with the lines around it
    cut : whether it was too long
    orders : whether it reads as if it wanted to tell a judge what to do
    """

    text: str
    cut: bool
    orders: bool


def fence(text: str, *, longest: int = LONGEST) -> Fenced:
    """Put a text between two lines that hold a digest of it, which no text can hold of itself.

    The same text has the same fence, so that a call that was paid is found again.

    >>> print(fence("9 to 5").text)
    [BEGIN DATA 14374b0edbe550f8]
    9 to 5
    [END DATA 14374b0edbe550f8]
    """
    kept = text[:longest]
    mark = hashlib.sha256(kept.encode("utf-8", "surrogatepass")).hexdigest()[:MARK]
    fenced = f"[BEGIN DATA {mark}]\n{kept}\n[END DATA {mark}]"
    return Fenced(fenced, len(text) > longest, ORDERS.search(kept) is not None)
