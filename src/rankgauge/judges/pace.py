"""How many calls run at a time: more while all goes well, half as many when the server says that it is too much."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

COOLING = 1.0
"""Seconds in which several complaints count as one: they come from calls that were made together."""


class Pace:
    """Additive increase, multiplicative decrease; nothing is sent before the time that the server named.

    Parameters
    ----------
    most : calls at a time, at most; it begins with a quarter of them

    Source: Chiu & Jain (1989), doi:10.1016/0169-7552(89)90019-6.
    """

    def __init__(self, most: int) -> None:
        self.most, self.limit = most, max(1.0, most / 4)
        self._running, self._not_before, self._slowed = 0, 0.0, -COOLING
        self._changed = asyncio.Condition()

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait until another call may run."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._running < int(self.limit))
            self._running += 1
        try:
            while (wait := self._not_before - time.monotonic()) > 0:
                await asyncio.sleep(wait)
            yield
        finally:
            async with self._changed:
                self._running -= 1
                self._changed.notify_all()

    def went_well(self) -> None:
        """Take a step up; as many answers as run at a time make one call more."""
        self.limit = min(float(self.most), self.limit + 1 / self.limit)

    def too_fast(self, wait: float) -> None:
        """Halve, once for calls that were made together, and send nothing for so many seconds."""
        now = time.monotonic()
        self._not_before = max(self._not_before, now + wait)
        if now - self._slowed >= COOLING:
            self._slowed, self.limit = now, max(1.0, self.limit / 2)
