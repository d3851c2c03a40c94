"""`rankgauge demo --retrieval`: the two stages over the bundled golden set, command by command."""

from __future__ import annotations

import contextlib
import json
import shlex
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote_plus

import typer

from rankgauge.cli import talk
from rankgauge.errors import EngineError, Fault

QRELS = "qrels.second-round.txt"
ASKED = "how long does a refund take"
SERVE = "serve idx --model ltr --rerank-depth 20 --latency-budget 300ms --cache memory --port 0"
PATIENCE = 30.0


@dataclass(frozen=True)
class Step:
    """What is to be seen, and the command that shows it, in a folder with the golden set."""

    says: str
    command: str


STEPS = (
    Step("Index the documents by their words.", "index corpus.jsonl -o idx"),
    Step("The first stage: BM25's candidates for every query.", "search idx queries.jsonl --l1 bm25 -k 50 -o l1.run"),
    Step(
        "Where a score comes from.", 'search idx "how long does a refund take" -k 1 --explain',
    ),
    Step(
        "The second stage: LambdaMART, learned from the judgments; each query of l2.run is ranked by a model that has "
        "not seen it.",
        f"train idx l1.run queries.jsonl {QRELS} -o ltr --depth 50 --oof l2.run",
    ),
    Step(
        "How deep should it go? Quality, latency and what to take under a budget.",
        f"sweep idx queries.jsonl {QRELS} --model ltr --depths 0,10,20,50 --requests 50 --budget p99=300ms "
        "--report sweep.html",
    ),
)  # fmt: skip
VERDICT = Step("And is it better than the first stage alone?", f"compare {QRELS} l1.run l2.run -m nDCG@10")


def run(golden: Path, folder: Path | None) -> None:
    """Run every step in a folder that holds the golden set: one that stays, or one that is removed."""
    with _folder(folder) as place:
        shutil.copytree(golden, place, dirs_exist_ok=True)
        with contextlib.chdir(place):
            _run()


def _run() -> None:
    for step in STEPS:
        show(step)
    _served()
    show(VERDICT)


def _served() -> None:
    """Start the gateway as its own process, ask it as any client would, and end it."""
    typer.echo("\nServe it: the model of all queries, under limits and a latency budget.")
    typer.echo(f"$ rankgauge {SERVE} &")
    command = [sys.executable, "-m", "rankgauge", *shlex.split(SERVE)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as gateway:
        assert gateway.stderr is not None
        try:
            address = _address(gateway.stderr)
            asked = f"{address}/search?query={quote_plus(ASKED)}&k=2&texts=true"
            typer.echo(f"listening at {address}\n$ curl '{asked}'")
            with urllib.request.urlopen(asked, timeout=PATIENCE) as answer:
                typer.echo(json.dumps(json.load(answer), indent=1, ensure_ascii=False))
        finally:
            gateway.terminate()
            gateway.stderr.read()


def _address(lines: Iterable[str]) -> str:
    """Wait for the gateway to say where it listens."""
    said = []
    for line in lines:
        said.append(line)
        if '"address": "' in line:
            return str(json.loads(line)["address"])
    raise EngineError(Fault("rankgauge serve", "an address", "".join(said).strip() or "nothing"))


def show(step: Step) -> None:
    """Say a step, and run its command in this process."""
    typer.echo(f"\n{step.says}\n$ rankgauge {step.command}")
    talk.late("rankgauge.cli.app").app(shlex.split(step.command), standalone_mode=False)


@contextlib.contextmanager
def _folder(folder: Path | None) -> Iterator[Path]:
    if folder is not None:
        yield folder
        return
    with tempfile.TemporaryDirectory(prefix="rankgauge-demo-") as place:
        yield Path(place)
