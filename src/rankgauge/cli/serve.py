"""`rankgauge serve`: an index as a service."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Annotated, Any

import typer

from rankgauge.cli import inputs, options, talk
from rankgauge.cli.search import Stage
from rankgauge.errors import Fault, InputError

TIME = re.compile(r"(\d+(?:\.\d+)?)(ms|s)")
SIZE = re.compile(r"(\d+)(B|KB|MB|GB)")
POWERS = {"B": 0, "KB": 10, "MB": 20, "GB": 30}
LOOPBACK = ("127.0.0.1", "localhost", "::1")

Folder = Annotated[Path, typer.Argument(metavar="INDEX", help="What `rankgauge index` made.")]
Host = Annotated[str, typer.Option(help="Address to listen at; 0.0.0.0 for all of this machine.")]
Port = Annotated[int, typer.Option(min=0, max=65535, help="0: any free one; it is told on stderr.")]
By = Annotated[Stage | None, typer.Option("--l1", help="First stage: words, vectors or both. Words, if indexed.")]
Method = Annotated[str, typer.Option("--method", help="How hybrid fuses; see `rankgauge fuse --methods`.")]
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
Memory = Annotated[str | None, typer.Option("--model-memory", help="With --apart: memory that it may have, as 2GB.")]
Log = Annotated[Path | None, typer.Option(help="Folder for the lists that are shown; `evaluate` and `trend` read it.")]
Shadow = Annotated[str | None, typer.Option(help="A second model beside, whose lists are only logged.")]
Share = Annotated[float, typer.Option("--shadow-share", min=0, max=1, help="Share of the requests that it sees.")]
Qrels = Annotated[Path | None, typer.Option(help="Judgments that the page shows.")]
KeyName = Annotated[
    str | None, typer.Option("--api-key-env", metavar="NAME", help="Environment variable with the key to ask for.")
]
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
    key = _key(api_key_env, host)
    budget, every, draining = (
        _seconds(latency_budget, "--latency-budget"),
        _seconds(watch, "--watch"),
        _seconds(drain, "--drain"),
    )
    loaded = None if model is None else _model(model, threads, apart, model_memory)
    limits = talk.late("rankgauge.retrieval.safety").Limits(
        pairs=max(200, rerank_depth), workers=rerank_workers, budget=budget
    )
    room = talk.late("rankgauge.service.gateway").Room(threads=searches, budget=budget)
    wish = setup.Wish(
        index, l1.value if l1 else None, method, loaded, rerank_depth, candidates, room, limits, shadow, shadow_share,
        log, golden=_golden(qrels, queries, qrels_format),
    )  # fmt: skip
    bounds = talk.late("rankgauge.service.asking").Bounds(k=max_k, body=_bytes(max_body, "--max-body"))
    place = server.listen(host, port)
    server.run(
        setup.gateway_of(wish), place, talk.late("rankgauge.service.http").Manner(bounds, every, key), drain=draining
    )


def _golden(qrels: Path | None, queries: Path | None, format: str | None) -> Any:
    known = {} if queries is None else talk.late("rankgauge.retrieval.documents").read_queries(queries)
    judged = None if qrels is None else inputs.Reading(qrels_format=format).qrels(qrels)
    return talk.late("rankgauge.service.golden").Golden(known, judged)


def _model(named: str, threads: int, apart: bool, memory: str | None) -> Any:
    if memory is not None and not apart:
        raise typer.BadParameter("it is for a process of its own: say --apart", param_hint="--model-memory")
    room = None if memory is None else _bytes(memory, "--model-memory")
    own = talk.late("rankgauge.service.models").Apartness(room) if apart else None
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
