"""`rankgauge demo --retrieval`: the two stages over the bundled golden set, command by command."""

from __future__ import annotations

import contextlib
import shlex
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import typer

from rankgauge.cli import talk

QRELS = "qrels.second-round.txt"


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
    for step in (*STEPS, VERDICT):
        show(step)


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
