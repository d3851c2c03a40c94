"""What a search request may say, and what is wrong with one that says something else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from rankgauge.errors import Fault, did_you_mean

WHOLE = re.compile(r"\d{1,9}")
YES, NO = ("1", "true", "yes", "on"), ("", "0", "false", "no", "off")
ID_LENGTH = 200


class Refused(Exception):
    """A request that is not answered: the HTTP status, and what is wrong."""

    def __init__(self, status: int, fault: Fault, *, retry: bool = False) -> None:
        self.status, self.fault, self.retry = status, fault, retry
        super().__init__(str(fault))


@dataclass(frozen=True)
class Bounds:
    """What one request may ask for.

    Attributes
    ----------
    k : hits
    query : characters of a query
    batch : queries of a batch
    allowed : ids that a search may be kept to
    body : bytes of a body
    """

    k: int = 100
    query: int = 2000
    batch: int = 64
    allowed: int = 10_000
    body: int = 1 << 20


@dataclass(frozen=True)
class Asked:
    """One search.

    Attributes
    ----------
    query : its text
    k : how many hits are wanted
    query_id : what the query is called in logs; by its text where it is not said
    depth : how many candidates are reranked; the server's where it is not said
    texts : whether hits come with title and text
    allowed : ids of the only documents that may be found
    budget_ms : time that the answer may take, at most the server's
    """

    query: str
    k: int = 10
    query_id: str | None = None
    depth: int | None = None
    texts: bool = False
    allowed: tuple[str, ...] | None = None
    budget_ms: int | None = None


@dataclass(frozen=True)
class AskedTogether:
    """Several searches, answered one after the other, each within its own budget."""

    queries: tuple[Asked, ...]


NAMES = tuple(field.name for field in fields(Asked))


def of_object(given: Any, bounds: Bounds, where: str = "body") -> Asked:
    """Check one search of a body. Raises Refused."""
    if not isinstance(given, dict):
        raise _wrong(where, "an object", given)
    _known(given, NAMES, where)
    known = {name: value for name, value in given.items() if value is not None or name == "query"}
    _numbers(known, where)
    if not isinstance(known.get("texts", False), bool):
        raise _wrong(f"{where}.texts", "true or false", known["texts"])
    if "allowed" in known:
        known["allowed"] = _ids(known["allowed"], bounds, f"{where}.allowed")
    return _checked(known, bounds, where)


def of_batch(given: Any, bounds: Bounds) -> AskedTogether:
    """Check a batch: {"queries": [...]}, each a text or an object; what stands beside holds for all. Raises Refused."""
    if not isinstance(given, dict) or not isinstance(given.get("queries"), list):
        raise _wrong("body", 'an object with "queries", a list', given)
    shared = {name: value for name, value in given.items() if name != "queries"}
    _known(shared, [name for name in NAMES if name not in ("query", "query_id")], "body")
    queries: Sequence[Any] = given["queries"]
    if not 1 <= len(queries) <= bounds.batch:
        raise Refused(422, Fault("body.queries", f"1 to {bounds.batch} queries", str(len(queries)), "send several"))
    objects = [{"query": one} if isinstance(one, str) else one for one in queries]
    return AskedTogether(
        tuple(
            of_object({**shared, **one} if isinstance(one, dict) else one, bounds, f"body.queries[{number}]")
            for number, one in enumerate(objects)
        )
    )


def of_address(pairs: Iterable[tuple[str, str]], bounds: Bounds) -> Asked:
    """Check a search in the query string of an address. Raises Refused."""
    given: dict[str, Any] = {}
    for name, value in pairs:
        if name in given and name != "allowed":
            raise Refused(422, Fault(name, "it once", "it again", "say it once"))
        if name == "allowed":
            given.setdefault(name, []).append(value)
        elif name == "texts" and value.lower() in (*YES, *NO):
            given[name] = value.lower() in YES
        elif name in ("k", "depth", "budget_ms"):
            given[name] = int(value) if WHOLE.fullmatch(value) else value
        else:
            given[name] = value
    return of_object(given, bounds, "address")


def _checked(known: Mapping[str, Any], bounds: Bounds, where: str) -> Asked:
    query = known.get("query")
    if not isinstance(query, str) or not query.strip():
        raise _wrong(f"{where}.query", "a text", query)
    if len(query) > bounds.query:
        got = f"{len(query):,} characters"
        raise Refused(422, Fault(f"{where}.query", f"at most {bounds.query:,} characters", got, "shorten it"))
    if not 1 <= known.get("k", 1) <= bounds.k:
        raise Refused(422, Fault(f"{where}.k", f"1 to {bounds.k}", str(known["k"]), "ask for fewer"))
    if known.get("budget_ms", 1) < 1:
        raise _wrong(f"{where}.budget_ms", "1 or more", known["budget_ms"])
    named = known.get("query_id", "q")
    if not isinstance(named, str) or not named or len(named) > ID_LENGTH or not named.isprintable():
        raise _wrong(f"{where}.query_id", f"a printable text of up to {ID_LENGTH} characters", named)
    return Asked(**known)


def _known(given: Mapping[str, Any], names: Sequence[str], where: str) -> None:
    for name in given:
        if name not in names:
            advice = did_you_mean(name, names).removeprefix("; ")
            raise Refused(422, Fault(where, f"the names {', '.join(names)}", repr(name[:60]), advice))


def _numbers(known: Mapping[str, Any], where: str) -> None:
    for name in ("k", "depth", "budget_ms"):
        value = known.get(name, 0)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 10**9:
            raise _wrong(f"{where}.{name}", "a whole number of 0 or more", value)


def _ids(given: Any, bounds: Bounds, where: str) -> tuple[str, ...]:
    if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
        raise _wrong(where, "a list of ids", given)
    if len(given) > bounds.allowed:
        raise Refused(422, Fault(where, f"at most {bounds.allowed:,} ids", f"{len(given):,}"))
    return tuple(given)


def _wrong(where: str, expected: str, got: Any) -> Refused:
    said = "nothing" if got is None else repr(got)
    return Refused(422, Fault(where, expected, said if len(said) <= 60 else f"{said[:57]}..."))
