"""Notes at scale: what a summary's counts say of rankings that nobody can look through."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rankgauge.engines.plan import Plan
from rankgauge.records import Note
from rankgauge.records.summary import LEFT_OUT, MISSING, NOT_COUNTED, Summary


def notes_of(summary: Summary, plan: Plan, *, label: str, **group: Any) -> list[Note]:
    """Say what a summary counts, in one group or in all: missing, left out, tied, dropped, contradicted.

    `label` names the input.
    """
    count = {status: summary.count(status, **group) for status in (MISSING, LEFT_OUT, NOT_COUNTED)}
    total = {name: int(summary.total(name, **group)) for name in ("judged", "tied", "dropped", "conflicts")}
    told = (
        ("missing queries", count[MISSING], "{n} judged queries have no results"),
        ("queries left out", count[LEFT_OUT], "{n} queries without judgments were left out"),
        ("queries not counted", count[NOT_COUNTED], f"{{n}} queries do not count: {_NOT_COUNTED[plan.how.queries]}"),
        ("ties", total["tied"], f"{{n}} of {total['judged']:,} judged documents share their score with others"),
        ("duplicates", total["dropped"], f"{{n}} documents were dropped: {_dropped(plan)}"),
        ("conflicts", total["conflicts"], "{n} judgments on rows contradict the separate ones, which hold"),
    )
    return [Note(kind, n, f"{label}: {text.format(n=f'{n:,}')}") for kind, n, text in told if n]


_NOT_COUNTED = {
    "judged": "",
    "both": "means are over queries with judgments and results",
    "relevant": "means are over queries with results and a relevant document",
}


def _dropped(plan: Plan) -> str:
    which = {"first": "the first of each was kept", "max": "the best of each was kept"}
    said = [f"repeated ones, {which[plan.on_duplicate]}"] if plan.on_duplicate in which else []
    return "; ".join([*said, *["those whose id is the query's"] * plan.how.drop_self])


def of_input(plan: Plan, *, label: str, apart: bool) -> list[Note]:
    """Say what follows from how judgments were given, and from what was promised."""
    said = []
    if not apart:
        text = (
            "the ideal ranking knows the judged rows of the log only: nDCG and recall are against what was retrieved; "
        )
        said.append(Note("ideal", 1, f"{label}: {text}give the judgments as qrels to count documents that were not"))
    if plan.trusted:
        text = f"{label}: ids were not read: that no document is in a ranking twice was taken on trust"
        said.append(Note("trusted", 1, text))
    return said


def together(noted: dict[str, list[Note]]) -> list[Note]:
    """Put the notes of many groups together: each kind once, with how many groups have it and which has most."""
    if len(noted) == 1:
        return [note for notes in noted.values() for note in notes]
    kinds = dict.fromkeys(note.kind for notes in noted.values() for note in notes)
    return [_across(noted, kind) for kind in kinds]


def _across(noted: dict[str, list[Note]], kind: str) -> Note:
    found = [(key, note) for key, notes in noted.items() for note in notes if note.kind == kind]
    if len({note.text for _, note in found}) == 1:
        return found[0][1]
    key, most = max(found, key=lambda pair: pair[1].count)
    return Note(
        kind, _sum(note for _, note in found), f"in {len(found)} of {len(noted)} groups, most in {key}: {most.text}"
    )


def _sum(notes: Iterable[Note]) -> int:
    return sum(note.count for note in notes)
