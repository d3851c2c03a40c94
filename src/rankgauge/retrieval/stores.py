"""Where answers are kept: in this process, or in Redis, which may be slow, full or gone without costing an answer."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from rankgauge._extras import optional
from rankgauge.errors import MethodError
from rankgauge.retrieval.breaker import Breaker, BreakerRules, Clock

MEGABYTE = 1 << 20
HANDS = 8
"""Calls to Redis at a time."""


class Memory:
    """Keeps what was used last, up to a number of bytes."""

    def __init__(self, most: int = 256 * MEGABYTE, *, clock: Clock = time.monotonic) -> None:
        if most < 1:
            raise MethodError(f"cache: expected 1 byte or more, got {most}")
        self.most, self.clock, self.held = most, clock, 0
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, tuple[float, bytes]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: str) -> bytes | None:
        """What was kept, None where it is not there any more."""
        with self._lock:
            found = self._kept.get(key)
            if found is None:
                return None
            until, value = found
            if self.clock() >= until:
                self._drop(key)
                return None
            self._kept.move_to_end(key)
            return value

    def put(self, key: str, value: bytes, seconds: float) -> None:
        """Keep it for so long at most; what was not used for longest makes room."""
        with self._lock:
            if key in self._kept:
                self._drop(key)
            if len(value) > self.most:
                return
            self._kept[key] = (self.clock() + seconds, value)
            self.held += len(value)
            while self.held > self.most:
                self._drop(next(iter(self._kept)))

    def _drop(self, key: str) -> None:
        self.held -= len(self._kept.pop(key)[1])


class Redis:
    """Keeps answers in Redis (or Valkey), for all processes that share it.

    A call that takes longer than `patience` seconds, or fails, is a miss; after some of these, Redis is left alone
    for a while. Calls are made by threads of its own: a socket's timeout starts again with every byte, and looking up a
    name has none.

    Attributes
    ----------
    faults : calls that failed, those that were not made while it is left alone not counted
    """

    def __init__(self, url: str, *, patience: float = 0.05, breaker: Breaker | None = None) -> None:
        redis = optional("redis", "a cache in Redis", "redis")
        # TimeoutError is an OSError; RuntimeError: it is closed.
        self._errors: tuple[type[Exception], ...] = (redis.RedisError, OSError, RuntimeError)
        self._client: Any = redis.Redis.from_url(
            url, socket_timeout=patience, socket_connect_timeout=patience, health_check_interval=0, retry=None,
        )  # fmt: skip
        self.breaker = breaker or Breaker(BreakerRules(window=10, least=3, failing=0.3, wait=1.0, longest=30.0))
        self.patience, self.faults = patience, 0
        self._hands = ThreadPoolExecutor(HANDS, "redis")
        self._lock = threading.Lock()

    def get(self, key: str) -> bytes | None:
        """What was kept, None where it is not there any more, or cannot be had."""
        found: bytes | None = self._asked("get", key)
        return found

    def put(self, key: str, value: bytes, seconds: float) -> None:
        """Keep it for so long at most."""
        self._asked("set", key, value, px=max(1, round(1000 * seconds)))

    def close(self) -> None:
        """Close its connections; from then on, all is a miss."""
        self._hands.shutdown(wait=False, cancel_futures=True)
        self._client.close()

    def _asked(self, call: str, *given: Any, **more: Any) -> Any:
        permit = self.breaker.ask()
        if permit is None:
            return None
        begun, call_made = self.breaker.clock(), None
        try:
            call_made = self._hands.submit(getattr(self._client, call), *given, **more)
            found = call_made.result(self.patience)
        except self._errors:
            if call_made is not None:
                call_made.cancel()
            permit.failed()
            with self._lock:
                self.faults += 1
            return None
        permit.succeeded(self.breaker.clock() - begun)
        return found
