"""What tokens cost: a price as the caller says it, or from a table of models."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rankgauge.errors import Fault, FormatError

MILLION = 1_000_000


@dataclass(frozen=True)
class Price:
    """Price of a million tokens, asked and answered, in any currency.

    >>> Price(0.5, 1.5).of(2_000_000, 1_000_000)
    2.5
    """

    asked: float
    answered: float

    def of(self, tokens_in: int, tokens_out: int) -> float:
        """Cost of so many tokens."""
        return (self.asked * tokens_in + self.answered * tokens_out) / MILLION


def read_price(path: str | os.PathLike[str], model: str) -> Price:
    """Read a model's price of a table: {"model": {"input": 0.5, "output": 1.5}}, per million tokens.

    Raises
    ------
    FormatError
        For a file that is no such table, or that lacks the model.
    """
    where = str(path)
    expected = 'a table as {"model": {"input": 0.5, "output": 1.5}}, per million tokens'
    try:
        table = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise FormatError(Fault(where, expected, str(error))) from None
    found = table.get(model) if isinstance(table, dict) else None
    if found is None:
        names = ", ".join(map(str, table)) if isinstance(table, dict) else type(table).__name__
        raise FormatError(Fault(where, f"a price for {model!r}", names or "none", "add it"))
    return Price(_price(found, "input", where, expected), _price(found, "output", where, expected))


def _price(found: Any, name: str, where: str, expected: str) -> float:
    value = found.get(name) if isinstance(found, dict) else None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
        raise FormatError(Fault(where, expected, f"{name}: {value!r}"))
    return float(value)
