"""The server: an address that is there or refused at once, and an end in which every request is answered."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rankgauge._extras import optional
from rankgauge.errors import Fault, InputError
from rankgauge.service.gateway import Gateway
from rankgauge.service.http import Manner, application
from rankgauge.service.journal import ServerLog

BACKLOG = 2048
PATIENCE = 30
"""Seconds that requests have to end after the server was told to."""


@contextmanager
def listening(host: str, port: int) -> Iterator[socket.socket]:
    """Take an address; port 0 is any free one. Raises InputError where it cannot be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        place = socket.create_server((host, port), family=family, backlog=BACKLOG)
    except (OSError, OverflowError) as error:
        advice = "choose another --port, or end what listens there"
        raise InputError(Fault(f"{host}:{port}", "a free address", str(error), advice)) from None
    with place:
        yield place


def run(gateway: Gateway, place: socket.socket, manner: Manner, *, drain: float = 0.0) -> None:
    """Serve until SIGTERM or SIGINT; then take no more requests, and answer those that came.

    `drain` is how long requests are still taken after the signal, with /readyz saying no, so that a load balancer
    can turn away first.
    """
    uvicorn = optional("uvicorn", "the gateway", "serve")
    journal = gateway.parts.journal
    config = uvicorn.Config(
        application(gateway, manner), log_config=None, access_log=False, server_header=False, lifespan="on",
        timeout_graceful_shutdown=PATIENCE, backlog=BACKLOG,
    )  # fmt: skip
    handler, logger = ServerLog(journal), logging.getLogger("uvicorn")
    logger.addHandler(handler)
    logger.propagate = False
    host, port = place.getsockname()[:2]
    server = _server(uvicorn, config, gateway, drain)
    journal.tell("listening", address=f"http://{f'[{host}]' if ':' in host else host}:{port}")
    try:
        server.run(sockets=[place])
    finally:
        logger.removeHandler(handler)
        journal.tell("ended")
        journal.close()


def _server(uvicorn: Any, config: Any, gateway: Gateway, drain: float) -> Any:
    """A server that ends by signals without passing them on: an end that was asked for is no failure."""

    class Server(uvicorn.Server):  # type: ignore[misc]
        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            loop = asyncio.get_running_loop()
            for one in (signal.SIGINT, signal.SIGTERM):
                loop.add_signal_handler(one, _ending(self, loop, gateway, drain), one)
            try:
                yield
            finally:
                for one in (signal.SIGINT, signal.SIGTERM):
                    loop.remove_signal_handler(one)

    return Server(config)


def _ending(server: Any, loop: Any, gateway: Gateway, drain: float) -> Callable[[signal.Signals], None]:
    def end(number: signal.Signals) -> None:
        gateway.parts.journal.tell("ending", signal=number.name, held=gateway.held)
        if not gateway.ready:  # told for the second time
            server.should_exit = True
        gateway.ready = False
        loop.call_later(drain, setattr, server, "should_exit", True)

    return end
