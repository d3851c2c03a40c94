"""What every engine's answer is checked for: ids that are text, finite scores, no document twice, no more than k."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import numpy as np

from rankgauge.errors import EngineError, Fault, InputError, MethodError
from rankgauge.retrieval.protocols import Hits

Pairs = Iterable[tuple[object, object]]


def checked_k(k: int, name: str, most: int | None = None) -> int:
    """Return k.

    Raises MethodError for one below 1, and InputError for more than the engine gives at a time.
    """
    if k < 1:
        raise MethodError(f"k: expected 1 or more, got {k}")
    if most is not None and k > most:
        raise InputError(
            Fault(name, f"a k of at most {most:,}", f"{k:,}", "raise the engine's limit, or ask for fewer")
        )
    return k


def hits_of(pairs: Pairs, k: int, name: str) -> Hits:
    """Hits of an engine's ids and scores, by falling score; equal ones as the engine has them.

    Raises InputError for an id that is no text, an id twice, and a score that is no finite number.
    """
    docs, scores = list[str](), list[float]()
    for doc, score in pairs:
        if not isinstance(doc, str) or not doc:
            advice = "name the field that holds the document's id as text"
            raise InputError(Fault(f"{name}, hit {len(docs) + 1}", "the id of a document", repr(doc), advice))
        docs.append(doc)
        scores.append(_number(score, f"{name}, document {doc!r}"))
    if len(set(docs)) < len(docs):
        again = next(doc for row, doc in enumerate(docs) if doc in docs[:row])
        advice = "collapse passages to documents in the engine, or give each passage an id of its own"
        raise InputError(Fault(name, "each document once", f"{again!r} again", advice))
    values = np.array(scores, dtype=np.float64)
    order = np.argsort(-values, kind="stable")[:k]
    return Hits(tuple(docs[row] for row in order.tolist()), values[order])


def _number(score: object, where: str) -> float:
    try:
        number = float(score)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        number = float("nan")
    if not np.isfinite(number):
        raise InputError(Fault(where, "a finite score", repr(score)))
    return number


@contextmanager
def asking(name: str) -> Iterator[None]:
    """Turn what a client raises into an EngineError that names the engine."""
    try:
        yield
    except (InputError, MethodError):
        raise
    except Exception as error:  # Each client has errors of its own, and their bases differ.
        said = str(error).strip().splitlines()
        got = f"{type(error).__name__}: {said[0] if said else ''}"
        raise EngineError(Fault(name, "an answer", got, "check the address, the name and the field")) from error
