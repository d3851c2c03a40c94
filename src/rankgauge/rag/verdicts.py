"""Verdicts of claims against texts, proven by a quotation, and how they combine where some are not there."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rankgauge.errors import Fault, InputError
from rankgauge.judges.asking import Failed

Entry = bool | None
"""Whether a claim follows from a text; None: the judge failed, or could not prove what it said."""

Row = tuple[Entry, ...]


@dataclass(frozen=True)
class Verdict:
    """Whether a text supports a claim, with the words of the text that do."""

    supported: bool
    span: str = ""


@dataclass(frozen=True)
class Quote:
    """Words of a context that support a claim; `claim` and `context` are places from 0."""

    claim: int
    context: int
    span: str


@dataclass(frozen=True)
class Proof:
    """Verdicts of claims against contexts, checked.

    Attributes
    ----------
    entries : a row per claim, an entry per context
    quotes : of the supported ones
    unproven : how many were said to be supported by words that are not in the context; they count as failed
    failed : how many verdicts the judge did not give
    """

    entries: tuple[Row, ...]
    quotes: tuple[Quote, ...]
    unproven: int
    failed: int


def occurs(span: str, text: str) -> bool:
    """Whether some words stand in a text, whatever its line breaks, spaces and way to compose accents.

    >>> occurs("the  capital", "Paris is the\\ncapital."), occurs("", "Paris")
    (True, False)
    """
    return bool(span.strip()) and _plain(span) in _plain(text)


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


def prove(verdicts: Sequence[Sequence[Verdict | Failed]], contexts: Sequence[str]) -> Proof:
    """Check each quotation against its context.

    Nothing follows from a blank context, whatever a judge says of it.

    Raises InputError where a claim has more or fewer verdicts than there are contexts.

    >>> proof = prove([[Verdict(True, "is blue"), Verdict(True, "is green")]], ["The sky is blue.", "Grass."])
    >>> proof.entries, proof.unproven
    (((True, None),), 1)
    """
    entries, quotes, unproven, failed = [], [], 0, 0
    for claim, given in enumerate(verdicts):
        if len(given) != len(contexts):
            raise InputError(Fault(f"claim {claim}", f"{len(contexts)} verdicts", str(len(given))))
        row: list[Entry] = []
        for place, (verdict, context) in enumerate(zip(given, contexts, strict=True)):
            if not context.strip():
                row.append(False)
            elif isinstance(verdict, Failed):
                failed += 1
                row.append(None)
            elif verdict.supported and not occurs(verdict.span, context):
                unproven += 1
                row.append(None)
            else:
                row.append(verdict.supported)
                if verdict.supported:
                    quotes.append(Quote(claim, place, verdict.span))
        entries.append(tuple(row))
    return Proof(tuple(entries), tuple(quotes), unproven, failed)


def stated(claims: Iterable[str | None]) -> tuple[str, ...]:
    """Keep the claims that say something: models also list nulls and blanks.

    >>> stated(["The capital is Paris.", None, " "])
    ('The capital is Paris.',)
    """
    return tuple(claim for claim in claims if claim is not None and claim.strip())


def any_of(entries: Iterable[Entry]) -> Entry:
    """Tell whether one of them holds; None where that hangs on a verdict that is not there (Kleene's or).

    >>> any_of([False, None, True]), any_of([False, None]), any_of([])
    (True, None, False)
    """
    seen = set(entries)
    return True if True in seen else None if None in seen else False


def both(one: Entry, other: Entry) -> Entry:
    """Tell whether both hold (Kleene's and)."""
    return False if one is False or other is False else None if one is None or other is None else True


def no(entry: Entry) -> Entry:
    """Turn a verdict round; one that is not there stays so."""
    return None if entry is None else not entry
