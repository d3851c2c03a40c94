"""Processes that tests start on this machine: ports for them, and waiting for what they do."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable

LONGEST_WAIT = 180.0


def free_port() -> int:
    """Find a port that nobody listens on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


def wait_for(what: Callable[[], bool], seconds: float = LONGEST_WAIT) -> None:
    """Wait until a condition holds."""
    until = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < until, "waited in vain"
        time.sleep(0.05)


def listens(port: int) -> bool:
    """Whether somebody listens on a port."""
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0
