"""A circuit breaker: what fails or drags too often is left alone for a while, then tried with a few probes."""

from __future__ import annotations

import math
import random
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from rankgauge.errors import MethodError

State = Literal["closed", "open", "half-open"]
Clock = Callable[[], float]

MOST_DOUBLINGS = 60
"""Of the wait; a float holds no more than 1,023."""


@dataclass(frozen=True)
class BreakerRules:
    """When a breaker opens, and how it closes again.

    Attributes
    ----------
    window : calls that are looked at, the last ones
    least : calls in the window without which it stays closed
    failing : share of them that failed, from which it opens
    slow_after : seconds from which a call counts as slow
    dragging : share of them that were slow, from which it opens
    wait : seconds that it stays open the first time; each further time twice as long, up to `longest`
    jitter : share of the wait that is drawn at random, so that many processes do not come back at once
    probes : calls that are let through when it is half-open; all must succeed to close it
    patience : seconds after which a probe that has not come back counts as failed
    """

    window: int = 50
    least: int = 10
    failing: float = 0.5
    slow_after: float = math.inf
    dragging: float = 0.8
    wait: float = 5.0
    longest: float = 60.0
    jitter: float = 0.2
    probes: int = 3
    patience: float = 10.0

    def __post_init__(self) -> None:
        shares = (self.failing, self.dragging, self.jitter)
        whole = 1 <= self.least <= self.window and self.probes >= 1
        if not whole or not all(0 <= share <= 1 for share in shares) or not 0 < self.wait <= self.longest:
            raise MethodError(f"breaker: expected 1 <= least <= window, probes, shares of 0 to 1, waits, got {self}")


class Permit:
    """One call that a breaker let through: it is told once how the call ended, later tellings change nothing."""

    def __init__(self, breaker: Breaker, epoch: int) -> None:
        self._breaker, self.epoch, self.at = breaker, epoch, breaker.clock()

    def succeeded(self, seconds: float) -> None:
        """The call came back, after so many seconds."""
        self._breaker._told(self, failed=False, slow=seconds >= self._breaker.rules.slow_after)

    def failed(self) -> None:
        """The call failed, or did not come back in time."""
        self._breaker._told(self, failed=True, slow=False)

    def dropped(self) -> None:
        """The call was not made, or given up by the caller: it says nothing."""
        self._breaker._dropped(self)


class Breaker:
    """Counts how calls end. Threads may share it.

    Each change of state begins a new epoch: what calls of an earlier one tell is not heard any more.
    """

    def __init__(
        self,
        rules: BreakerRules | None = None,
        *,
        clock: Clock = time.monotonic,
        rng: random.Random | None = None,
        on_change: Callable[[State, State], None] | None = None,
    ) -> None:
        self.rules, self.clock = rules or BreakerRules(), clock
        self._rng, self._on_change = rng or random.Random(), on_change
        self._lock = threading.Lock()
        self._state: State = "closed"
        self._epoch = self._times_open = self._succeeded = 0
        self._until = 0.0
        self._ended: deque[tuple[bool, bool]] = deque(maxlen=self.rules.window)
        self._out: set[Permit] = set()

    @property
    def state(self) -> State:
        """The state; an open breaker whose wait is over is half-open from the next call on."""
        return self._state

    def ask(self) -> Permit | None:
        """Give a permit for one call, or None where it must not be made."""
        with self._lock:
            if self._state == "open" and self.clock() >= self._until:
                self._change("half-open")
            if self._state == "half-open":
                self._give_up_on_probes()
            if self._state == "open" or (
                self._state == "half-open" and self._succeeded + len(self._out) >= self.rules.probes
            ):
                return None
            permit = Permit(self, self._epoch)
            if self._state == "half-open":
                self._out.add(permit)
            return permit

    def _told(self, permit: Permit, *, failed: bool, slow: bool) -> None:
        with self._lock:
            if permit.epoch != self._epoch:
                return
            if self._state == "half-open":
                self._probed(permit, good=not failed and not slow)
                return
            permit.epoch = -1
            self._ended.append((failed, slow))
            if len(self._ended) >= self.rules.least and self._bad():
                self._open()

    def _probed(self, permit: Permit, *, good: bool) -> None:
        if permit not in self._out:
            return
        self._out.discard(permit)
        if not good:
            self._open()
            return
        self._succeeded += 1
        if self._succeeded >= self.rules.probes:
            self._times_open = 0
            self._change("closed")

    def _dropped(self, permit: Permit) -> None:
        with self._lock:
            self._out.discard(permit)
            permit.epoch = -1

    def _give_up_on_probes(self) -> None:
        if any(self.clock() - permit.at > self.rules.patience for permit in self._out):
            self._open()

    def _bad(self) -> bool:
        failed = sum(one for one, _ in self._ended) / len(self._ended)
        slow = sum(one for _, one in self._ended) / len(self._ended)
        return failed >= self.rules.failing > 0 or slow >= self.rules.dragging > 0

    def _open(self) -> None:
        wait = min(self.rules.longest, self.rules.wait * 2.0 ** min(self._times_open, MOST_DOUBLINGS))
        self._times_open += 1
        self._until = self.clock() + wait * (1 + self.rules.jitter * self._rng.uniform(-1, 1))
        self._change("open")

    def _change(self, state: State) -> None:
        before, self._state = self._state, state
        self._epoch += 1
        self._succeeded = 0
        self._ended.clear()
        self._out.clear()
        if self._on_change is not None:
            self._on_change(before, state)
