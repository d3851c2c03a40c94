"""Marks for what an engine does not do: the test then demands a clear refusal, so that a mark can be wrong."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from contract.engines import ENGINES, Engine
from rankgauge.errors import RankgaugeError


@dataclass(frozen=True)
class Mark:
    """Engines that refuse, why, and a part of what they say."""

    kind: str
    engines: tuple[str, ...]
    reason: str
    says: str


def never(*engines: str, reason: str, says: str) -> Mark:
    """What the engine cannot do by its nature."""
    return Mark("never", engines, reason, says)


def notyet(*engines: str, reason: str, says: str) -> Mark:
    """What the engine could do and does not do so far."""
    return Mark("notyet", engines, reason, says)


def notimpl(*engines: str, reason: str, says: str) -> Mark:
    """What the engine could do and is not meant to."""
    return Mark("notimpl", engines, reason, says)


def each_engine(*marks: Mark, but: tuple[str, ...] = ()) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test with every engine `but` some; with one that is marked, the test must end in the refusal it names."""

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def marked(engine: Engine, *args: Any, **kwargs: Any) -> None:
            found = [mark for mark in marks if engine.name in mark.engines]
            if not found:
                test(engine, *args, **kwargs)
                return
            with pytest.raises(RankgaugeError, match=re.escape(found[0].says)):
                test(engine, *args, **kwargs)

        named = pytest.mark.parametrize("engine", [one for one in ENGINES.values() if one.name not in but], ids=str)
        return named(marked)

    return decorate
