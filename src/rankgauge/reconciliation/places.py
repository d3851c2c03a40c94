"""Which documents of one query stand elsewhere under other rules, and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from rankgauge.conventions import Convention
from rankgauge.records import Run

MOST_GROUPS = 2
MOST_DOCUMENTS = 4


@dataclass(frozen=True)
class Placed:
    """One document of a ranking: its rank, and its score as the rules compare it."""

    doc: str
    rank: int
    score: float


def ranking(run: Run, query: str, rules: Convention) -> dict[str, Placed]:
    """The documents of one query in the order of the rules; where ties are averaged, in that of falling ids."""
    names = list(run.queries)
    if query not in names:
        return {}
    at = names.index(query)
    rows = slice(int(run.offsets[at]), int(run.offsets[at + 1]))
    docs = list(run.docs[rows])
    with np.errstate(over="ignore"):
        scores = run.scores[rows].astype(rules.score_type).astype(np.float64)
    if run.ranks is not None and rules.order != "input":
        ranks = run.ranks[rows].tolist()
        return {d: Placed(d, int(r), float(s)) for d, r, s in zip(docs, ranks, scores, strict=True)}
    order = list(range(len(docs)))
    if rules.order != "input":
        if rules.ties != "input":
            order.sort(key=lambda row: docs[row].encode(), reverse=rules.ties != "docid-asc")
        order.sort(key=lambda row: -scores[row])
    return {docs[row]: Placed(docs[row], rank, float(scores[row])) for rank, row in enumerate(order, 1)}


def moved(
    before: Mapping[str, Placed],
    after: Mapping[str, Placed],
    *,
    grades: Mapping[str, float],
    cutoff: int | None,
    averaged: bool,
) -> str:
    """Say which documents change their rank, tie by tie; those that can gain something come first.

    Parameters
    ----------
    averaged : whether one side takes the mean over the orders of ties
    """
    depth = float("inf") if cutoff is None else cutoff
    shared = [doc for doc in before if doc in after]
    groups = _ties(shared, before, after)
    parts = []
    for group in groups:
        first = min(min(before[doc].rank, after[doc].rank) for doc in group)
        turned = [doc for doc in group if before[doc].rank != after[doc].rank]
        matters = len({max(grades.get(doc, 0.0), 0.0) for doc in group}) > 1
        if first <= depth and matters and (turned or averaged):
            parts.append(_tie(group, before, after, grades, averaged=averaged))
    alone = [d for d in shared if before[d].rank != after[d].rank and grades.get(d, 0) > 0]
    if not parts:
        parts = [_move(d, before, after, grades) for d in alone if min(before[d].rank, after[d].rank) <= depth]
    shown = parts[:MOST_GROUPS]
    more = len(parts) - len(shown)
    return "; ".join([*shown, f"and {more} more"] if more else shown)


def _ties(docs: Iterable[str], before: Mapping[str, Placed], after: Mapping[str, Placed]) -> list[list[str]]:
    """Documents that are tied on either side, in the order of `before`."""
    coarse = before if _different(before) <= _different(after) else after
    groups: dict[float, list[str]] = {}
    for doc in sorted(docs, key=lambda doc: before[doc].rank):
        groups.setdefault(coarse[doc].score, []).append(doc)
    return list(groups.values())


def _different(placed: Mapping[str, Placed]) -> int:
    return len({one.score for one in placed.values()})


def _tie(
    group: list[str], before: Mapping[str, Placed], after: Mapping[str, Placed], grades: Mapping[str, float], *,
    averaged: bool,
) -> str:  # fmt: skip
    ranks = sorted(before[doc].rank for doc in group)
    score = before[group[0]].score
    said = sorted(group, key=lambda doc: (-grades.get(doc, -1), before[doc].rank))[:MOST_DOCUMENTS]
    names = ", ".join(f"{doc!r} ({_grade(doc, grades)})" for doc in said)
    more = f" and {len(group) - len(said)} more" if len(group) > len(said) else ""
    text = f"documents {names}{more} tied at {score:.7g} at ranks {ranks[0]}-{ranks[-1]}"
    if averaged:
        return f"{text}: the mean over their orders"
    best = max((doc for doc in group if before[doc].rank != after[doc].rank), key=lambda doc: grades.get(doc, -1))
    return f"{text}: {best!r} goes from rank {before[best].rank} to {after[best].rank}"


def _move(doc: str, before: Mapping[str, Placed], after: Mapping[str, Placed], grades: Mapping[str, float]) -> str:
    return f"document {doc!r} ({_grade(doc, grades)}) goes from rank {before[doc].rank} to {after[doc].rank}"


def _grade(doc: str, grades: Mapping[str, float]) -> str:
    return f"grade {grades[doc]:g}" if doc in grades else "unjudged"
