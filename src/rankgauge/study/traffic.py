"""Requests as they might come: a few queries often, most seldom, and written a little differently each time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from rankgauge.errors import MethodError

How = Literal["same", "order", "drop", "swap", "log"]

SHARES: Mapping[How, float] = {"same": 0.5, "order": 0.2, "drop": 0.15, "swap": 0.15}
FEWEST_WORDS = 3


@dataclass(frozen=True)
class Request:
    """One request.

    Attributes
    ----------
    text : as it was written
    intent : id of the query that it was made from; of a log, its text
    how : `same` words, in another `order`, a word left out (`drop`), or one word put in place of another (`swap`),
        which is another question; `log`: as it stands in a log
    """

    text: str
    intent: str
    how: How

    @property
    def keeps(self) -> bool:
        """Whether the intent's judgments hold for it."""
        return self.how in ("same", "order", "drop")


@dataclass(frozen=True)
class Zipf:
    """How requests are drawn: query number r by popularity with probability proportional to 1/r^alpha.

    Which query is how popular, and what is done to its words, is drawn by the seed.
    """

    requests: int = 2000
    alpha: float = 1.0
    seed: int = 0
    shares: Mapping[How, float] = field(default_factory=lambda: dict(SHARES))

    def __post_init__(self) -> None:
        if self.requests < 1 or self.alpha < 0 or min(self.shares.values()) < 0 or not sum(self.shares.values()):
            raise MethodError(f"traffic: expected requests, an alpha and shares of 0 or more, got {self}")


def drawn(queries: Mapping[str, str], zipf: Zipf) -> list[Request]:
    """Draw requests from a collection's queries. Raises MethodError where there are none."""
    if not queries:
        raise MethodError("traffic: expected queries to draw from, got none")
    rng = np.random.default_rng(zipf.seed)
    intents = [list(queries)[row] for row in rng.permutation(len(queries))]
    weights = 1 / np.arange(1, len(intents) + 1) ** zipf.alpha
    chosen = rng.choice(len(intents), size=zipf.requests, p=weights / weights.sum())
    hows, shares = list(zipf.shares), np.array(list(zipf.shares.values()))
    picked = rng.choice(len(hows), size=zipf.requests, p=shares / shares.sum())
    words = sorted({word for text in queries.values() for word in text.split()})
    return [
        _written(intents[row], queries[intents[row]], hows[how], words, rng)
        for row, how in zip(chosen.tolist(), picked.tolist(), strict=True)
    ]


def of_log(texts: Sequence[str]) -> list[Request]:
    """Requests as they stand in a log."""
    return [Request(text, text, "log") for text in texts]


def _written(intent: str, text: str, how: How, others: Sequence[str], rng: np.random.Generator) -> Request:
    """Change a query's words; one of few words stays as it is."""
    words = text.split()
    if how == "same" or len(words) < FEWEST_WORDS:
        return Request(text, intent, "same")
    place = int(rng.integers(len(words)))
    if how == "order":
        words = [words[row] for row in rng.permutation(len(words))]
    elif how == "drop":
        del words[place]
    else:
        words[place] = others[int(rng.integers(len(others)))]
    return Request(" ".join(words), intent, how)
