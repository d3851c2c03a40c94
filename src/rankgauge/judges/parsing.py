"""What a judge meant: JSON out of prose, a label as a whole word, a number within its scale; or nothing, never a guess.

Two different verdicts in one answer are a conflict, and none: one of them may be a quotation of what was judged.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

THINKING = re.compile(r"<(think|thinking|reasoning)>.*?(</\1>|\Z)", re.DOTALL | re.IGNORECASE)
NUMBER = r"-?\d+(?:[.,]\d+)*(?:e[+-]?\d+)?"
SAID = re.compile(
    rf"[\"'*_]*\b(?:score|grade|rating|điểm)\b[\"'*_]*\s*(?:is|of|=|:|：)\s*[\"'*_]*({NUMBER})", re.IGNORECASE
)
SAID_ZH = re.compile(rf"(?:得分|评分|分数|等级)\s*(?:是|为|=|:|：)?\s*({NUMBER})")
FRACTION = re.compile(rf"({NUMBER})\s*(?:/|out of)\s*({NUMBER})", re.IGNORECASE)
RANGE = re.compile(
    rf"\b(?:scale|range|between|from)\b(?:\s+(?:of|from))?\s*{NUMBER}\s*(?:to|and|-|–)\s*{NUMBER}", re.IGNORECASE
)
CHANGED = re.compile(
    r"(?:\b(?:not|isn't|never|no|không)\s+(?:\w+\s+)?|\b(?:partially|somewhat|partly)\s+|[不非])$", re.IGNORECASE
)
YES = {"1", "true", "yes", "supported", "entailed", "có", "đúng", "是", "支持"}
NO = {"0", "false", "no", "not supported", "unsupported", "not entailed", "không", "sai", "否", "不支持"}

Read = TypeVar("Read")


class Unreadable(ValueError):
    """An answer that is not what was asked for, and why."""


def read_object(text: str, read: Callable[[Any], Read]) -> Read:
    """Find the JSON that `read` takes in an answer; what `read` cannot take it refuses with ValueError.

    The JSON may stand in a fence or in prose; what stands in a block of thinking does not count.

    Raises
    ------
    Unreadable
        Where there is none, or where several say different things.
    """
    found, refused = [], ""
    for value in _values(THINKING.sub(" ", text)):
        try:
            found.append(read(value))
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            refused = refused or str(error)
    if not found:
        raise Unreadable(refused or "no JSON")
    if any(one != found[0] for one in found):
        raise Unreadable(f"{len(found)} answers that differ")
    return found[0]


def _values(text: str) -> Iterator[Any]:
    """Every outermost JSON value of a text."""
    decoder, at = json.JSONDecoder(), 0
    while (match := re.compile(r"[{\[]").search(text, at)) is not None:
        for candidate in (text, text.replace("\\'", "'")):
            try:
                value, end = decoder.raw_decode(candidate, match.start())
            except (json.JSONDecodeError, RecursionError):
                continue
            text, at = candidate, end
            yield value
            break
        else:
            at = match.start() + 1


def verdict(value: Any) -> bool:
    """Read yes or no, however it is written. Raises ValueError for anything else."""
    if isinstance(value, bool):
        return value
    word = str(int(value)) if isinstance(value, float) and value.is_integer() else str(value).strip().strip(".").lower()
    if word in YES or word in NO:
        return word in YES
    raise ValueError(f"expected yes or no, got {str(value)[:40]!r}")


def label(text: str, labels: Sequence[str]) -> str:
    """Find the one label that an answer says, as a whole word: "irrelevant" does not say "relevant".

    Raises
    ------
    Unreadable
        For no label, for several, and for one that is negated or qualified.
    """
    said = THINKING.sub(" ", text).strip().strip(".!\"'*").strip().lower()
    exact = [one for one in labels if one.lower() == said]
    if exact:
        return exact[0]
    words = "|".join(re.escape(one) for one in sorted(labels, key=len, reverse=True))
    hits = list(re.finditer(rf"(?<!\w)({words})(?!\w)", said, re.IGNORECASE))
    names = {hit[1].lower() for hit in hits}
    if len(names) != 1:
        raise Unreadable("no label" if not names else f"{len(names)} labels")
    if any(CHANGED.search(said[: hit.start()]) for hit in hits):
        raise Unreadable(f"{names.pop()!r} with a word that changes it")
    return next(one for one in labels if one.lower() in names)


def score(text: str, low: float, high: float) -> float:
    """Find the number that an answer gives on a scale.

    A number with a name ("Score: 7") counts before one without, and the last of them before the others; bounds of the
    scale do not count. Without a name there may be one number only.

    Raises
    ------
    Unreadable
        For no number, for several that might be meant, and for one outside of the scale: it is not clipped.

    >>> score("On a scale of 0 to 3, I give this a 2.", 0, 3), score("I rate this 8/10.", 0, 10)
    (2.0, 8.0)
    """
    said = THINKING.sub(" ", text)
    named = [match[1] for match in (*SAID.finditer(said), *SAID_ZH.finditer(said))]
    if named:
        return _within(named[-1], low, high)
    parts = [match[1] for match in FRACTION.finditer(said) if _number(match[2]) == high]
    if len(set(parts)) == 1:
        return _within(parts[0], low, high)
    bare = re.findall(NUMBER, RANGE.sub(" ", said), re.IGNORECASE)
    if len(bare) != 1:
        raise Unreadable("no number" if not bare else f"{len(bare)} numbers, none of them named")
    return _within(bare[0], low, high)


def _within(text: str, low: float, high: float) -> float:
    value = _number(text)
    if not low <= value <= high:
        raise Unreadable(f"{text} is not between {low:g} and {high:g}")
    return value


def _number(text: str) -> float:
    """Read a number; a comma before three digits parts thousands, before others the fraction."""
    try:
        return float(re.sub(r",(?=\d{3}(?!\d))", "", text).replace(",", "."))
    except ValueError:
        return float("nan")
