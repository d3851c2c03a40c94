"""What every request passes: the key, its trace and its name; and what is said of it afterwards."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from rankgauge.service.journal import Journal
from rankgauge.service.metrics import Metrics
from rankgauge.service.tracing import Trace, request_id_of

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

OPEN = ("/healthz", "/readyz")
PATHS = ("/", "/search", "/search/batch", "/healthz", "/readyz", "/metrics", "/admin/reload", "/openapi.json")
QUIET = ("/healthz", "/readyz", "/metrics")
"""What is asked every few seconds is told only where it fails."""
UNAUTHORIZED = b'{"error":"authorization: expected the key of this gateway, got none or another"}'
LONGEST = 200
"""Characters of a path that are told."""
FAILED = b'{"error":"gateway: expected an answer, got a fault of its own; its log says which"}'
HEADERS = (
    (b"x-content-type-options", b"nosniff"), (b"referrer-policy", b"no-referrer"), (b"cache-control", b"no-store")
)  # fmt: skip


class Key:
    """An API key; it is compared in a time that tells nothing of it."""

    def __init__(self, secret: str) -> None:
        self._digest = _digest(secret)

    def opens(self, headers: MutableMapping[bytes, bytes]) -> bool:
        """Whether a request has it: `Authorization: Bearer KEY`, `X-API-Key: KEY`, or as the password of a browser."""
        given = [headers.get(b"x-api-key", b"").decode("latin-1"), _authorized(headers.get(b"authorization", b""))]
        # Both are compared, whatever the first gives.
        return any([hmac.compare_digest(self._digest, _digest(one)) for one in given])


class Door:
    """The outermost layer around an application."""

    def __init__(self, app: Any, *, journal: Journal, metrics: Metrics, key: Key | None = None) -> None:
        self.app, self.journal, self.metrics, self.key = app, journal, metrics, key

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or not."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun = time.monotonic()
        headers = dict(scope["headers"])
        trace = Trace.of(_text(headers.get(b"traceparent")))
        request_id = request_id_of(_text(headers.get(b"x-request-id")), trace)
        said: dict[str, Any] = {}
        scope["rankgauge"] = {"begun": begun, "request_id": request_id, "said": said}
        answer = _Answer(send, trace, request_id)
        fault = None
        try:
            if self.key is not None and scope["path"] not in OPEN and not self.key.opens(headers):
                basic = [(b"www-authenticate", b'Basic realm="rankgauge", charset="UTF-8"')]
                await answer.whole(401, UNAUTHORIZED, basic)
            else:
                await self.app(scope, receive, answer)
        except Exception as error:
            fault = error
            if not answer.status:
                await answer.whole(500, FAILED)
        finally:
            self._tell(scope, answer, trace, request_id, said, fault, time.monotonic() - begun)

    def _tell(
        self, scope: Scope, answer: _Answer, trace: Trace, request_id: str, said: dict[str, Any],
        fault: Exception | None, seconds: float,
    ) -> None:  # fmt: skip
        path = scope["path"] if scope["path"] in PATHS else "other"
        self.metrics.requested(path, answer.status, seconds)
        if path in QUIET and answer.status < 400:
            return
        level = "error" if fault or answer.status >= 500 else "info"
        self.journal.tell(
            "request", level=level, method=scope["method"], path=scope["path"][:LONGEST], status=answer.status,
            seconds=round(seconds, 6), request_id=request_id, trace_id=trace.trace, span_id=trace.span,
            parent_id=trace.parent or None, **said, fault=f"{type(fault).__name__}: {fault}" if fault else None,
        )  # fmt: skip


class _Answer:
    """Passes an answer on, with the headers that all answers have."""

    def __init__(self, send: Send, trace: Trace, request_id: str) -> None:
        self._send, self.status = send, 0
        self._headers = [
            (b"traceparent", trace.header().encode()), (b"x-request-id", request_id.encode()), *HEADERS
        ]  # fmt: skip

    async def __call__(self, message: Message) -> None:
        """Send a part."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message = {**message, "headers": [*message.get("headers", ()), *self._headers]}
        await self._send(message)

    async def whole(self, status: int, body: bytes, headers: list[tuple[bytes, bytes]] | None = None) -> None:
        """Send an answer of our own."""
        kind = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await self({"type": "http.response.start", "status": status, "headers": [*kind, *(headers or ())]})
        await self({"type": "http.response.body", "body": body})


def _authorized(header: bytes) -> str:
    kind, _, value = header.decode("latin-1").partition(" ")
    if kind.lower() == "bearer":
        return value.strip()
    if kind.lower() == "basic":
        try:
            return base64.b64decode(value, validate=True).decode().partition(":")[2]
        except (binascii.Error, UnicodeDecodeError):
            return ""
    return ""


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()


def _text(header: bytes | None) -> str | None:
    return None if header is None else header.decode("latin-1")
