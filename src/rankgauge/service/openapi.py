"""What OpenAPI says of each address: what it takes, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankgauge._extras import optional
from rankgauge.service import replies
from rankgauge.service.asking import Asked, AskedTogether

REFUSALS = {
    401: "without the key", 413: "a body that is too large", 422: "something that is not known or out of bounds",
    503: "too many requests at work; come again after `Retry-After` seconds",
}  # fmt: skip
SAID: Mapping[tuple[str, str], str] = {
    ("GET", "/search"): "Search: the query and the rest in the address.",
    ("POST", "/search"): "Search: the query and the rest as JSON.",
    ("POST", "/search/batch"): "Search several queries, one after the other; what stands beside them holds for all.",
    ("GET", "/healthz"): "Whether the process answers.",
    ("GET", "/readyz"): "Whether searches are answered, and from which generation of the index.",
    ("GET", "/metrics"): "Counters and times, for Prometheus.",
    ("POST", "/admin/reload"): "Take up the index's next generation now.",
}
ANSWERS: Mapping[str, type] = {
    "/search": replies.SearchBody, "/search/batch": replies.BatchBody, "/readyz": replies.ReadyBody,
}  # fmt: skip


def describe(method: str, path: str) -> dict[str, Any]:
    """Facts of a route, as FastAPI takes them; the page is left out."""
    if (method, path) not in SAID:
        return {"include_in_schema": False}
    said = SAID[method, path]
    found: dict[str, Any] = {"summary": said.partition(":")[0].rstrip("."), "description": said, "responses": {}}
    if path in ANSWERS:
        found["responses"][200] = {"model": ANSWERS[path]}
    if "search" in path:
        found["responses"] |= {
            status: {"model": replies.ErrorBody, "description": text} for status, text in REFUSALS.items()
        }
    if method == "POST" and "search" in path:
        found["openapi_extra"] = {"requestBody": _body(AskedTogether if "batch" in path else Asked)}
    elif path == "/search":
        found["openapi_extra"] = {"parameters": _parameters()}
    return found


def _schema(of: type) -> dict[str, Any]:
    pydantic = optional("pydantic", "the gateway", "serve")
    found: dict[str, Any] = pydantic.TypeAdapter(of).json_schema()
    return found


def _body(of: type) -> dict[str, Any]:
    schema = _schema(of)
    if of is AskedTogether:
        one = schema.pop("$defs")["Asked"]
        schema["properties"]["queries"] = {"type": "array", "items": {"anyOf": [{"type": "string"}, one]}}
        shared = {name: about for name, about in one["properties"].items() if name not in ("query", "query_id")}
        schema["properties"] |= shared
    return {"required": True, "content": {"application/json": {"schema": schema}}}


def _parameters() -> list[dict[str, Any]]:
    schema = _schema(Asked)
    return [
        {"name": name, "in": "query", "required": name in schema["required"], "schema": about}
        for name, about in schema["properties"].items()
    ]
