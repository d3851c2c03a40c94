"""Words that several checks use: shares, numbers of things, lists of a few."""

from __future__ import annotations


def percent(share: float) -> str:
    """Write a share for people; what is not all is never written as 100%, what is not nothing never as 0%.

    >>> percent(0.339), percent(0.99999), percent(0.0001), percent(1.0)
    ('33.9%', '>99.9%', '<0.1%', '100%')
    """
    if share in (0.0, 1.0):
        return f"{100 * share:.0f}%"
    if share > 0.999:
        return ">99.9%"
    return "<0.1%" if share < 0.001 else f"{100 * share:.1f}%"


def many(count: int, singular: str, plural: str = "") -> str:
    """Write a number of things.

    >>> many(1, "query", "queries"), many(1200, "query", "queries")
    ('1 query', '1,200 queries')
    """
    return f"{count:,} {singular if count == 1 else plural or singular + 's'}"


def queries(count: int) -> str:
    """Write a number of queries."""
    return many(count, "query", "queries")
