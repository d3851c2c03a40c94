"""Why one choice changes the value of one query: the documents, grades or counts at issue."""

from __future__ import annotations

import numpy as np

from rankgauge.conventions import Convention
from rankgauge.reconciliation.judging import Judging
from rankgauge.reconciliation.places import moved, ranking
from rankgauge.reconciliation.space import Change, Setting, Space
from rankgauge.records.notes import examples


def reason(space: Space, judging: Judging, before: Setting, after: Setting, change: Change, row: int) -> str:
    """Say in words what a choice changes in the query of this row of the judgments."""
    axis = next(axis for axis, a, b in zip(space.axes, before, after, strict=True) if a != b)
    old, new = space.rules(before, "before"), space.rules(after, "after")
    query = judging.qrels.flat.queries[row]
    turned = f"{change.axis}: {change.before} -> {change.after}"
    if axis.name in ("order", "score_type", "ties"):
        cutoff = space.measured(after).cutoff
        return _places(judging, query, old, new, cutoff) or turned
    if axis.name == "drop_self":
        placed = ranking(judging.run(old if not old.drop_self else new), query, old)
        at = f" at rank {placed[query].rank}" if query in placed else ""
        return f"the document {query!r}{at} has the query's own id"
    if axis.name in ("queries", "undefined"):
        return f"{_state(judging, old, row)} ({turned})"
    if axis.name == "negative":
        below = {doc: grade for doc, grade in _grades(judging, query).items() if grade < 0}
        return f"{len(below)} judgments below 0: {examples(below)} ({turned})"
    if axis.name == "ideal":
        _, judged, _ = judging.form(new)
        found, known = int((judged.query == row).sum()), int((judging.known.query == row).sum())
        return f"{found} of {known} judged documents were retrieved ({turned})"
    return turned


def _places(judging: Judging, query: str, old: Convention, new: Convention, cutoff: int | None) -> str:
    before, after = ranking(judging.run(old), query, old), ranking(judging.run(new), query, new)
    averaged = "expected" in (old.ties, new.ties)
    return moved(before, after, grades=_grades(judging, query), cutoff=cutoff, averaged=averaged)


def _grades(judging: Judging, query: str) -> dict[str, float]:
    flat = judging.qrels.flat
    at = list(flat.queries).index(query)
    low, high = int(flat.offsets[at]), int(flat.offsets[at + 1])
    return dict(zip(flat.docs[low:high], flat.grades[low:high].tolist(), strict=True))


def _state(judging: Judging, rules: Convention, row: int) -> str:
    _, judged, _ = judging.form(rules)
    if judged.depth[row] == 0:
        return "missing from the run"
    if not np.any(judged.at(rules.level).R[row]):
        return "no relevant document"
    return "undefined"
