"""Our values beside an oracle's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import rankgauge as rg

Values = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True)
class Difference:
    """The largest difference seen, where it was, and over how many query rows."""

    largest: float
    where: str
    rows: int


def ours(
    qrels, run, measures: Iterable[str], convention: str | rg.Convention, **options
) -> dict[str, dict[str, float]]:
    """Values by the name under which each measure was asked for."""
    asked = list(measures)
    scores = rg.evaluate(qrels, run, asked, convention=convention, **options)
    how = rg.conventions.convention(convention)
    printed = {measure: str(rg.parse(measure).under(how)) for measure in asked}
    return {measure: scores.of(scores.runs[0], printed[measure]) for measure in asked}


def difference(found: Values, expected: Values) -> Difference:
    """Compare all values; a query that only one side has, or that is undefined on one, differs by infinity."""
    largest, where, rows = 0.0, "nowhere", 0
    for measure, queries in expected.items():
        for query in queries.keys() | found[measure].keys():
            ours_, theirs = found[measure].get(query), queries.get(query)
            gap = float("inf") if ours_ is None or theirs is None else abs(ours_ - theirs)
            if not gap <= largest:
                largest, where = gap, f"{measure}, query {query!r}: ours {ours_}, expected {theirs}"
            rows += 1
    return Difference(largest, where, rows)


def assert_agree(found: Values, expected: Values, *, within: float = 1e-9) -> None:
    """Assert that no value differs by more; the message names the worst."""
    seen = difference(found, expected)
    assert seen.rows > 0
    assert seen.largest <= within, seen.where
