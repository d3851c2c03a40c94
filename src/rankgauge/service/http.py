"""The gateway over HTTP: its addresses, what they take and what they answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from rankgauge._extras import optional
from rankgauge.errors import Fault, RankgaugeError
from rankgauge.report.page.data import versions
from rankgauge.service import replies
from rankgauge.service.asking import Bounds, Refused, of_address, of_batch, of_object
from rankgauge.service.door import Door, Key
from rankgauge.service.gateway import Gateway
from rankgauge.service.metrics import KIND
from rankgauge.service.openapi import describe
from rankgauge.service.page import POLICY, page

Handler = Callable[[Any], Awaitable[Any]]


@dataclass(frozen=True)
class Manner:
    """How a gateway is reached.

    Attributes
    ----------
    watch : seconds between two looks at whether the index has a new generation; 0: only /admin/reload looks
    key : what requests must bring
    """

    bounds: Bounds = field(default_factory=Bounds)
    watch: float = 1.0
    key: Key | None = None


def application(gateway: Gateway, manner: Manner | None = None) -> Any:
    """Make the application: an ASGI callable, which closes the gateway when it is shut down."""
    manner = manner or Manner()
    fastapi = optional("fastapi", "the gateway", "serve")
    app = fastapi.FastAPI(
        title="rankgauge", version=versions()["rankgauge"], docs_url=None, redoc_url=None,
        lifespan=lambda app: _lifespan(gateway, manner),
        exception_handlers={Refused: _refused, 404: _missing, 405: _missing},
    )  # fmt: skip
    handlers = Handlers(gateway, manner.bounds)
    for method, path, handler in handlers.all():
        app.add_api_route(path, _endpoint(handler, fastapi.Request), methods=[method], response_model=None,
                          **describe(method, path))  # fmt: skip
    return Door(app, journal=gateway.parts.journal, metrics=gateway.parts.metrics, key=manner.key)


class Handlers:
    """What is done at each address."""

    def __init__(self, gateway: Gateway, bounds: Bounds) -> None:
        self.gateway, self.bounds = gateway, bounds
        self._json = optional("orjson", "the gateway", "serve")

    def all(self) -> list[tuple[str, str, Handler]]:
        """Methods and paths, and what is called for them."""
        return [
            ("GET", "/search", self.search_by_address), ("POST", "/search", self.search),
            ("POST", "/search/batch", self.batch), ("GET", "/healthz", self.healthy), ("GET", "/readyz", self.ready),
            ("GET", "/metrics", self.metrics), ("POST", "/admin/reload", self.reload), ("GET", "/", self.page),
        ]  # fmt: skip

    async def search_by_address(self, request: Any) -> Any:
        """A search in the address."""
        return await self._search(request, of_address(request.query_params.multi_items(), self.bounds))

    async def search(self, request: Any) -> Any:
        """A search in the body."""
        return await self._search(request, of_object(await self._body(request), self.bounds))

    async def batch(self, request: Any) -> Any:
        """Several searches."""
        asked = of_batch(await self._body(request), self.bounds)
        facts = request.scope["rankgauge"]
        found = await self.gateway.search_each(asked.queries, facts["request_id"])
        degraded = sum(one.answer.degraded for one in found)
        facts["said"].update(queries=len(found), degraded=degraded)
        bodies = [replies.body_of(one, facts["request_id"]) for one in found]
        return self._answer({"answers": bodies}, {"x-rerank-state": f"degraded={degraded}"})

    async def healthy(self, request: Any) -> Any:
        """Whether the process answers at all."""
        return self._answer({"status": "ok"})

    async def ready(self, request: Any) -> Any:
        """Whether searches are answered."""
        parts = self.gateway.parts
        index = parts.holder.current.index
        breaker = parts.guard.standing().state if parts.guard else None
        body = {"ready": self.gateway.ready, "generation": index.generation, "documents": len(index),
                "breaker": breaker}  # fmt: skip
        return self._answer(body, status=200 if self.gateway.ready else 503)

    async def metrics(self, request: Any) -> Any:
        """Counters and times, for Prometheus."""
        return _response(self.gateway.parts.metrics.text(), kind=KIND)

    async def reload(self, request: Any) -> Any:
        """Take up the index's next generation now."""
        try:
            moved = await self.gateway.refresh()
        except Exception as error:  # of files that are not what they should be, anything may be raised
            raise Refused(409, Fault("index", "a generation that can be opened", _said(error))) from error
        index = self.gateway.parts.holder.current.index
        return self._answer({"changed": moved, "generation": index.generation, "documents": len(index)})

    async def page(self, request: Any) -> Any:
        """The page: a form, and the answer to what was asked by it."""
        written = await page(self.gateway, self.bounds, request.query_params.multi_items(), request.scope["rankgauge"])
        return _response(written.text.encode(), written.status, "text/html; charset=utf-8",
                         {"content-security-policy": POLICY})  # fmt: skip

    async def _search(self, request: Any, asked: Any) -> Any:
        facts = request.scope["rankgauge"]
        found = await self.gateway.search(asked, facts["begun"], facts["request_id"])
        final = found.answer.final
        facts["said"].update(
            query_id=found.query_id, state=final.status, reason=final.reason or None, scored=final.scored,
            generation=found.serving.index.generation, cache=found.cache,
            first=round(found.answer.seconds["first"], 6), second=round(found.answer.seconds["second"], 6),
        )  # fmt: skip
        return self._answer(replies.body_of(found, facts["request_id"]), {"x-rerank-state": replies.state_of(found)})

    async def _body(self, request: Any) -> Any:
        """The body as JSON, read no further than the limit."""
        most = self.bounds.body
        large = Refused(413, Fault("body", f"at most {most:,} bytes", "more", "send less at once"))
        length = request.headers.get("content-length", "0")
        if length.isdigit() and int(length) > most:
            raise large
        body = bytearray()
        async for part in request.stream():
            body += part
            if len(body) > most:
                raise large
        try:
            return self._json.loads(bytes(body))
        except ValueError as error:
            raise Refused(400, Fault("body", "JSON", str(error))) from None

    def _answer(self, body: Any, headers: Mapping[str, str] | None = None, *, status: int = 200) -> Any:
        return _response(self._json.dumps(body), status, headers=headers)


def _endpoint(handler: Handler, request_type: type) -> Handler:
    """A function of one request, as FastAPI wants it: annotated with a class that is loaded late."""

    async def endpoint(request: Any) -> Any:
        return await handler(request)

    endpoint.__annotations__ = {"request": request_type}
    return endpoint


def _response(
    body: bytes, status: int = 200, kind: str = "application/json", headers: Mapping[str, str] | None = None
) -> Any:
    responses = optional("starlette.responses", "the gateway", "serve")
    return responses.Response(body, status, headers=dict(headers or {}), media_type=kind)


def _error(request: Any, status: int, said: str, headers: Mapping[str, str] | None = None) -> Any:
    json = optional("orjson", "the gateway", "serve")
    request_id = request.scope["rankgauge"]["request_id"]
    return _response(json.dumps({"error": said, "request_id": request_id}), status, headers=headers)


async def _refused(request: Any, refused: Refused) -> Any:
    """Say what is wrong with a request, and when to come again."""
    return _error(request, refused.status, str(refused), {"retry-after": "1"} if refused.retry else None)


async def _missing(request: Any, error: Any) -> Any:
    advice = "; /openapi.json lists them"
    got = f"{request.method} {request.url.path[:100]}"
    return _error(
        request, error.status_code, f"address: expected one of this gateway, got {got}{advice}", error.headers
    )


def _said(error: Exception) -> str:
    return str(error) if isinstance(error, RankgaugeError | OSError) else f"{type(error).__name__}: {error}"


@asynccontextmanager
async def _lifespan(gateway: Gateway, manner: Manner) -> AsyncIterator[None]:
    watching = asyncio.create_task(_watch(gateway, manner.watch)) if manner.watch else None
    try:
        yield
    finally:
        if watching is not None:
            watching.cancel()
            with suppress(asyncio.CancelledError):
                await watching
        await asyncio.to_thread(gateway.close)


async def _watch(gateway: Gateway, every: float) -> None:
    """Take up each new generation; one that cannot be opened is told once, and the one before goes on."""
    told = ""
    while True:
        await asyncio.sleep(every)
        try:
            if gateway.parts.holder.outdated:
                await gateway.refresh()
            told = ""
        except Exception as error:  # whatever it is, the next generation may be a good one
            if _said(error) != told:
                told = _said(error)
                gateway.parts.journal.tell("generation", level="error", fault=told)
