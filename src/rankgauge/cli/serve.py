"""`rankgauge serve`: an index as a service."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Annotated, Any

import typer

from rankgauge.cli import inputs, options, talk
from rankgauge.cli.search import By, Folder, Method
from rankgauge.errors import Fault, InputError

TIME = re.compile(r"(\d+(?:\.\d+)?)(ms|s)")
SIZE = re.compile(r"(\d+)(B|KB|MB|GB)")
POWERS = {"B": 0, "KB": 10, "MB": 20, "GB": 30}
MOST = 200
"""Candidates that may be reranked for one request, where the depth is not greater."""
LOOPBACK = ("127.0.0.1", "localhost", "::1")

Host = Annotated[str, typer.Option(help="Address to listen at; 0.0.0.0 for all of this machine.")]
Port = Annotated[int, typer.Option(min=0, max=65535, help="0: any free one; it is told on stderr.")]
Model = Annotated[
    str | None,
    typer.Option("--model", help="Second stage: a folder (ONNX, or what `train` made), package:NAME, hub name."),
]
Candidates = Annotated[int, typer.Option(min=1, help="How many the first stage finds.")]
Depth = Annotated[int, typer.Option("--rerank-depth", min=0, help="How many of them are reranked.")]
Budget = Annotated[str, typer.Option("--latency-budget", help="Time that an answer may take, as 300ms or 1s.")]
Workers = Annotated[int, typer.Option("--rerank-workers", min=1, help="Requests that are reranked at a time.")]
Threads = Annotated[int, typer.Option(min=1, help="Threads of the model.")]
Searches = Annotated[int, typer.Option(min=1, help="First-stage searches at a time.")]
Apart = Annotated[bool, typer.Option("--apart", help="Run the model in a process of its own, which may die alone.")]
Memory = Annotated[str | None, typer.Option("--model-memory", help="Memory that this process may have, as 2GB.")]
Log = Annotated[Path | None, typer.Option(help="Folder for the lists that are shown; `evaluate` and `trend` read it.")]
Shadow = Annotated[str | None, typer.Option(help="A second model beside, whose lists are only logged.")]
Share = Annotated[float, typer.Option("--shadow-share", min=0, max=1, help="Share of the requests that it sees.")]
Qrels = Annotated[Path | None, typer.Option(help="Judgments that the page shows.")]
KeyName = Annotated[
    str | None, typer.Option("--api-key-env", metavar="NAME", help="Environment variable with the key to ask for.")
]
Cache = Annotated[
    str | None, typer.Option(metavar="memory|ADDRESS", help="Remember answers: here, or redis://host:6379.")
]
CacheTime = Annotated[str, typer.Option("--cache-time", help="How long an answer is remembered, as 600s.")]
MostHits = Annotated[int, typer.Option("--max-k", min=1, help="Hits that a request may ask for.")]
MostBody = Annotated[str, typer.Option("--max-body", help="Size of a body, as 1MB.")]
Watch = Annotated[str, typer.Option(help="How often to look for a new generation of the index; 0s: never.")]
Drain = Annotated[str, typer.Option(help="After SIGTERM: how long requests are still taken, with /readyz saying no.")]


def serve(
    index: Folder,
    host: Host = "127.0.0.1",
    port: Port = 8765,
    l1: By = None,
    method: Method = "rrf",
    model: Model = None,
    candidates: Candidates = 1000,
    rerank_depth: Depth = 100,
    latency_budget: Budget = "300ms",
    rerank_workers: Workers = 1,
    threads: Threads = 1,
    searches: Searches = 2,
    apart: Apart = False,
    model_memory: Memory = None,
    log: Log = None,
    shadow: Shadow = None,
    shadow_share: Share = 0.1,
    qrels: Qrels = None,
    queries: options.Queries = None,
    cache: Cache = None,
    cache_time: CacheTime = "86400s",
    api_key_env: KeyName = None,
    max_k: MostHits = 100,
    max_body: MostBody = "1MB",
    watch: Watch = "1s",
    drain: Drain = "0s",
    qrels_format: options.QrelsFormat = None,
) -> None:
    """Serve searches of an index over HTTP, and a page to look at them, until SIGTERM or Ctrl-C.

    Example: rankgauge serve idx --model models/minilm --latency-budget 300ms --log shown/ --api-key-env SEARCH_KEY
    """
    setup, server = talk.late("rankgauge.service.setup"), talk.late("rankgauge.service.server")
    manner, draining = _manner(max_k, max_body, watch, _key(api_key_env, host)), _seconds(drain, "--drain")
    second = None if model is None else _model(model, threads, apart, model_memory)
    kept = None if cache is None else _kept(cache, cache_time)
    room, limits = _room(latency_budget, searches, rerank_workers, rerank_depth)
    golden = _golden(qrels, queries, qrels_format)
    with server.listening(host, port) as place:
        wish = setup.Wish(index, l1.value if l1 else None, method, second, rerank_depth, candidates, room, limits,
                          shadow, shadow_share, log, kept, golden)  # fmt: skip
        server.run(setup.gateway_of(wish), place, manner, drain=draining)


def _manner(k: int, body: str, watch: str, key: Any) -> Any:
    bounds = talk.late("rankgauge.service.asking").Bounds(k=k, body=_bytes(body, "--max-body"))
    return talk.late("rankgauge.service.http").Manner(bounds, _seconds(watch, "--watch"), key)


def _room(budget: str, searches: int, workers: int, depth: int) -> tuple[Any, Any]:
    """Room of the gateway, and limits of its second stage."""
    seconds = _seconds(budget, "--latency-budget")
    if not seconds:
        raise typer.BadParameter("expected a time above 0", param_hint="--latency-budget")
    limits = talk.late("rankgauge.retrieval.limits").Limits(pairs=max(MOST, depth), workers=workers, budget=seconds)
    return talk.late("rankgauge.service.gateway").Room(threads=searches, budget=seconds), limits


def _kept(cache: str, seconds: str) -> Any:
    if cache != "memory" and not cache.startswith(("redis://", "rediss://", "unix://")):
        got = f"expected memory, or an address as redis://localhost:6379, got {cache!r}"
        raise typer.BadParameter(got, param_hint="--cache")
    return talk.late("rankgauge.service.setup").Remembering(cache, _seconds(seconds, "--cache-time"))


def _golden(qrels: Path | None, queries: Path | None, format: str | None) -> Any:
    known = {} if queries is None else talk.late("rankgauge.retrieval.documents").read_queries(queries)
    judged = None if qrels is None else inputs.Reading(qrels_format=format).qrels(qrels)
    return talk.late("rankgauge.service.golden").Golden(known, judged)


def _model(named: str, threads: int, apart: bool, memory: str | None) -> Any:
    most = None if memory is None else _bytes(memory, "--model-memory")
    own = talk.late("rankgauge.service.models").Apartness(most) if apart or memory else None
    return talk.late("rankgauge.service.setup").Model(named, threads, own)


def _key(name: str | None, host: str) -> Any:
    if name is None:
        if host not in LOOPBACK:
            talk.mention(f"anybody who reaches {host} may search here; --api-key-env NAME asks for a key")
        return None
    secret = os.environ.get(name, "")
    if not secret:
        raise InputError(Fault(f"environment variable {name}", "a key", "none", f"export {name}=..."))
    return talk.late("rankgauge.service.door").Key(secret)


def _seconds(text: str, option: str) -> float:
    found = TIME.fullmatch(text.strip())
    if found is None:
        raise typer.BadParameter(f"expected a time such as 300ms or 1s, got {text!r}", param_hint=option)
    return float(found[1]) * (1e-3 if found[2] == "ms" else 1.0)


def _bytes(text: str, option: str) -> int:
    found = SIZE.fullmatch(text.strip())
    if found is None:
        raise typer.BadParameter(f"expected a size such as 64KB or 2GB, got {text!r}", param_hint=option)
    return int(found[1]) << POWERS[found[2]]
