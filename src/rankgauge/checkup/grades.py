"""Checks of the grades: their scale and how much of it is used."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rankgauge.checkup.evidence import Evidence
from rankgauge.checkup.findings import Severity
from rankgauge.checkup.registry import Found, check, weigh
from rankgauge.checkup.wording import many, percent, queries
from rankgauge.judged import BoolArray

MOST_LISTED = 100


@check(do="check that the missing grades are meant to exist; tools that take the scale from the data see all of it",
       finds=("info",))  # fmt: skip
def unused_grades(e: Evidence) -> Iterator[Found]:
    """Whole grades between 0 and the highest that were never given."""
    top = int(e.flat.grades.max())
    used = {int(grade) for grade in np.unique(e.flat.grades) if grade >= 1 and grade == int(grade)}
    lacking = [grade for grade in range(1, min(top, MOST_LISTED) + 1) if grade not in used]
    count = max(top, 0) - len(used)
    says = f"grades used: {_scale(e)}"
    if count:
        says += f"; never given: {', '.join(map(str, lacking[:10]))}{' and more' if count > 10 else ''}"
    yield Found("info" if count else "ok", count, max(top, 0) + 1, says)


def _scale(e: Evidence) -> str:
    grades, counts = np.unique(e.flat.grades, return_counts=True)
    shown = [f"{g:g} ({c:,})" for g, c in zip(grades.tolist(), counts.tolist(), strict=True)]
    return ", ".join(shown) if len(shown) <= 10 else f"{', '.join(shown[:10])} and {len(shown) - 10} more"


@check(do="do not expect graded measures to say more than binary ones here", finds=("info",))
def one_grade(e: Evidence) -> Iterator[Found]:
    """Nearly all judgments have the same grade."""
    grades, counts = np.unique(e.flat.grades, return_counts=True)
    most = int(counts.argmax())
    share = counts[most] / len(e.flat)
    severity = weigh(float(share), info=e.limits.one_grade)
    says = f"{percent(float(share))} of the judgments have the grade {grades[most]:g}"
    yield Found(severity, int(counts[most]), len(e.flat), says)


@check(
    do="say what they mean and choose the convention that says so: a negative grade never gains, but trec_eval takes "
    "-1 as pooled and not judged, and others as judged non-relevant (bpref, infAP and judged@k differ)",
    finds=("info",),
)
def negative_grades(e: Evidence) -> Iterator[Found]:
    """Grades below 0, which tools understand differently."""
    found = np.unique(e.flat.grades[e.flat.grades < 0]).tolist()
    says = f"grades below 0: {', '.join(f'{g:g}' for g in found)}" if found else "no grade is below 0"
    yield _graded(e, e.flat.grades < 0, says)


@check(do="scale them to whole grades, or declare a gain: most tools read whole grades only", finds=("warning",))
def fractional_grades(e: Evidence) -> Iterator[Found]:
    """Grades that are no whole numbers."""
    mask = e.flat.grades != np.round(e.flat.grades)
    says = "grades that are no whole numbers, which other tools cut off or refuse" if mask.any() else "all are whole"
    yield _graded(e, mask, says, "warning")


@check(do="use linear gains, or map the grades: nDCG(gain='linear')@10", finds=("warning",))
def large_grades(e: Evidence) -> Iterator[Found]:
    """Grades so high that the gain 2^grade - 1 hides all other documents."""
    top, mask = float(e.flat.grades.max()), e.flat.grades > e.limits.large_grade
    says = f"the highest grade is {top:g}"
    if mask.any():
        says += f": with exponential gain one such document outweighs {2.0 ** min(top, 1000) - 1:.4g} of grade 1"
    yield _graded(e, mask, says, "warning")


def _graded(e: Evidence, mask: BoolArray, says: str, severity: str = "info") -> Found:
    count = int(mask.sum())
    if not count:
        return Found("ok", 0, len(e.flat), says)
    row = int(mask.argmax())
    example = f"query {e.name(e.flat.row_query[row])!r}, document {e.flat.docs[row]!r}: {e.flat.grades[row]:g}"
    grave: Severity = "warning" if severity == "warning" else "info"
    return Found(grave, count, len(e.flat), f"{many(count, 'judgment')}: {says}", example)


@check(do="read ERR and RBP against their highest possible value: they scale by the highest grade of all queries",
       finds=("info",))  # fmt: skip
def best_grade_missing(e: Evidence) -> Iterator[Found]:
    """Queries for which no document has the highest grade of the set."""
    top = e.flat.top_grade
    lacking = (e.known.best_grade < top) & (e.relevant > 0)
    count, some = int(lacking.sum()), int((e.relevant > 0).sum())
    says = f"{queries(count)} of {some:,} with relevant documents have none of the highest grade {top:g}"
    example = f"query {e.names(lacking)[0]!r}: at most {e.known.best_grade[lacking][0]:g}" if count else ""
    yield Found("info" if count else "ok", count, some, says, example)
