"""Options of verbs that ask a language model, and the model that they open."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import rankgauge as rg
from rankgauge.cli import inputs, talk
from rankgauge.errors import Fault, InputError

if TYPE_CHECKING:
    import polars as pl

    from rankgauge.judges.client import Client, Estimate

TIME = re.compile(r"(\d+(?:\.\d+)?)s?")


class Language(StrEnum):
    """Of a judge's prompts."""

    en = "en"
    vi = "vi"
    zh = "zh"


Url = Annotated[
    str | None,
    typer.Option("--judge-url", metavar="URL", help="OpenAI-compatible address, as http://localhost:8000/v1; "
                 "replay:URL answers from the ledger alone."),
]  # fmt: skip
Name = Annotated[str | None, typer.Option("--judge-model", metavar="NAME", help="The model's name there.")]
KeyName = Annotated[
    str | None, typer.Option("--judge-key-env", metavar="NAME", help="Environment variable with the API key.")
]
LedgerFile = Annotated[
    Path, typer.Option("--ledger", metavar="FILE", help="Keeps every call: what was answered is never paid again.")
]
Spoken = Annotated[Language, typer.Option("--language", help="Of the judge's prompt.")]
AtOnce = Annotated[int, typer.Option("--at-once", min=1, help="Calls at a time, at most.")]
Patience = Annotated[str, typer.Option("--timeout", help="Time that an answer may take, as 60s.")]
Money = Annotated[float | None, typer.Option("--budget", min=0, help="Stop before more is spent; needs --price.")]
PriceOf = Annotated[
    str | None,
    typer.Option("--price", metavar="IN,OUT|FILE", help="Price of a million tokens asked and answered, or a table."),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what it would take, and ask nobody.")]
MostFailed = Annotated[
    float, typer.Option("--max-failed", min=0, max=1, help="Share of calls without an answer from which it fails.")
]
Batch = Annotated[int, typer.Option(min=1, help="Passages of a query per call, in shuffled order.")]
Expected = Annotated[
    bool, typer.Option("--expected", help="Read the expected grade off the probabilities of the four digits.")
]
PromptFile = Annotated[Path | None, typer.Option("--prompt", help="A prompt of your own in place of ours.")]
LabelsFile = Annotated[Path | None, typer.Option("--labels", help="Write the judge's labels alone; -1: it failed.")]
LEDGER = Path("judge.sqlite")
OPENAI = "https://api.openai.com/"

Texted = tuple[list[tuple[str, str]], dict[str, str], dict[str, str]]
"""Pairs of query and document, and the texts of both by id."""


@dataclass(frozen=True)
class Means:
    """How a model is reached, as a command says it."""

    url: str | None
    name: str | None
    key_name: str | None = None
    ledger: Path = LEDGER
    at_once: int = 8
    patience: str = "60s"
    budget: float | None = None
    price: str | None = None
    called: str = "--judge-url, --judge-model"

    @contextmanager
    def opened(self, what: str = "judging") -> Iterator[Client]:
        """Open the model, with a bar that shows what is spent; Ctrl-C says what is kept."""
        if self.url is None or self.name is None:
            raise typer.BadParameter("expected an address and a model's name", param_hint=self.called)
        client = talk.late("rankgauge.judges.client")
        with talk.paying(what) as told:
            model = client.open_model(
                url=self.url, model=self.name, ledger=self.ledger, key=self._key(), price=self._price(), told=told,
                patience=self._patience(), manner=client.Manner(at_once=self.at_once, budget=self.budget),
            )  # fmt: skip
            try:
                yield model
            except KeyboardInterrupt:
                kept = f"{len(model.ledger):,} answers are kept in {self.ledger}"
                talk.complain(InterruptedError(f"interrupted; {kept}: the same command goes on from there"))
                raise typer.Exit(130) from None

    def _key(self) -> str | None:
        if self.key_name is None:
            ours = (self.url or "").startswith(OPENAI)  # a key goes to nobody but those it is for
            return os.environ.get("OPENAI_API_KEY") if ours else None
        key = os.environ.get(self.key_name)
        if not key:
            raise InputError(Fault(f"environment variable {self.key_name}", "a key", "none", "export it"))
        return key

    def _price(self) -> Any:
        if self.price is None:
            return None
        prices = talk.late("rankgauge.judges.prices")
        parts = self.price.split(",")
        try:
            asked, answered = (float(part) for part in parts)
        except ValueError:
            return prices.read_price(self.price, self.name or "")
        return prices.Price(asked, answered)

    def _patience(self) -> float:
        found = TIME.fullmatch(self.patience.strip())
        if found is None or not float(found[1]):
            raise typer.BadParameter(f"expected a time such as 60s, got {self.patience!r}", param_hint="--timeout")
        return float(found[1])


def tell(estimate: Estimate) -> None:
    """Say what calls would take, on stdout."""
    cost = "unknown: no --price" if estimate.cost is None else f"{estimate.cost:.4f} at most"
    typer.echo(f"calls      {estimate.calls:,} ({estimate.known:,} more are in the ledger)")
    typer.echo(f"tokens in  {estimate.tokens_in:,} (estimated)")
    typer.echo(f"tokens out {estimate.tokens_out:,} at most")
    typer.echo(f"cost       {cost}")


def relevance(model: Client, language: Language, file: Path | None, *, batch: int, expected: bool, seed: int) -> Any:
    """Make the relevance judge of a command."""
    prompting = talk.late("rankgauge.judges.prompting")
    how = prompting.prompt("relevance", language.value)
    how = how if file is None else prompting.read_prompt(file, how)
    return talk.late("rankgauge.judges.relevance").RelevanceJudge(model, how, batch, expected, seed=seed)


def with_texts(table: pl.DataFrame, known: inputs.Texts) -> Texted:
    """Keep the pairs of which both texts are known; the others cannot be judged, and are counted."""
    queries, docs = known.queries or {}, known.docs or {}
    rows = table.select("query", "doc").iter_rows()
    pairs = [(query, doc) for query, doc in rows if query in queries and doc in docs]
    lacking = len(table) - len(pairs)
    if not pairs:
        advice = "are these the texts of this collection?"
        raise InputError(Fault("texts", f"both texts of {len(table)} pairs", "of none", advice))
    if lacking:
        talk.mention(f"{lacking:,} of {len(table):,} pairs have no text of the query or of the document: not asked")
    return pairs, queries, docs


def labels_of(graded: Any, path: Path | None, most: float) -> Any:
    """Say what was graded, and write it; end with exit code 1 where too many pairs have no grade."""
    found = graded.labels()
    talk.remark(graded.notes)
    talk.stderr().print(f"{len(found) - found.failed:,} of {len(found):,} pairs graded by {found.source}")
    if path is not None:
        table = found.table
        grades = table["grade"].fill_null(-1)
        rg.write_qrels(rg.Qrels.from_columns(table["query"], table["doc"], grades, name=found.source), path)
        talk.stderr().print(f"{len(table):,} labels -> {path} (-1: the judge failed)")
    check_failures(found.failed, len(found), found.reasons, most)
    return found


def check_failures(failed: int, of: int, reasons: dict[str, int], most: float) -> None:
    """End with exit code 1 where too many calls have no answer."""
    if of and failed / of > most:
        said = ", ".join(f"{reason} {count}" for reason, count in reasons.items())
        advice = "the answers that came are kept: run it again, or raise --max-failed"
        talk.complain(
            InputError(Fault("judge", f"at most {most:.0%} of {of} without an answer", f"{failed} ({said})", advice))
        )
        raise typer.Exit(1)
