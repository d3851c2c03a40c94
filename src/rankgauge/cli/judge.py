"""`rankgauge judge`: a language model labels what people did not, and the verdict that follows."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

import rankgauge as rg
from rankgauge.cli import inputs, judging, options, talk
from rankgauge.errors import Fault, InputError

CANNOT_TELL = 3


class Fill(StrEnum):
    """How holes are filled."""

    both_arms = "both-arms"
    calibrated = "calibrated"
    holes = "holes"


Runs = Annotated[list[Path], typer.Argument(help="Rankings; with several, the first is the one to compare with.")]
Texts = Annotated[Path, typer.Option("--texts", help="Texts of the documents: JSONL with _id, title, text (BEIR).")]
Asked = Annotated[Path, typer.Option("--queries", help="Texts of the queries: JSONL with _id, text (BEIR).")]
Depth = Annotated[int, typer.Option("-k", min=1, help="How deep in each run.")]
How = Annotated[
    Fill,
    typer.Option("--fill", help="both-arms: the judge labels all that the runs show, and only its labels count there; "
                 "calibrated: holes get the grade to be expected of people; holes: the judge's grade as it is."),
]  # fmt: skip
Output = Annotated[Path | None, typer.Option("-o", "--output", help="Write the filled judgments, and their sources.")]
Audited = Annotated[
    Path | None,
    typer.Option(help="Queries drawn at random of which people judged all that is shown: one id per line."),
]


def judge(
    qrels: Annotated[Path, typer.Argument(help="People's judgments: a file of any known format, or a BEIR folder.")],
    runs: Runs,
    texts: Texts,
    queries: Asked,
    judge_url: judging.Url = None, judge_model: judging.Name = None, judge_key_env: judging.KeyName = None,
    ledger: judging.LedgerFile = judging.LEDGER,
    measure: Annotated[str, typer.Option("-m", "--measure", help="What the verdict is on.")] = "nDCG@10",
    k: Depth = 10, fill: How = Fill.both_arms,
    language: judging.Spoken = judging.Language.en, prompt: judging.PromptFile = None,
    batch: judging.Batch = 1, expected: judging.Expected = False,
    audited: Audited = None, output: Output = None, labels: judging.LabelsFile = None,
    dry_run: judging.DryRun = False, price: judging.PriceOf = None, budget: judging.Money = None,
    max_failed: judging.MostFailed = 0.02, at_once: judging.AtOnce = 8, timeout: judging.Patience = "60s",
    convention: options.ConventionName = "default", seed: options.Seed = 0,
    format: options.Output = options.Shape.table, digits: options.Digits = 4,
    qrels_format: options.QrelsFormat = None, run_format: options.RunFormat = None,
) -> None:  # fmt: skip
    """Have a language model label what runs show, and say what then can be said of them.

    People's labels are never overwritten. Every call is kept in the ledger: run again, it costs nothing.

    Example: rankgauge judge qrels.txt keyword.run vector.run --texts corpus.jsonl --queries queries.jsonl --dry-run --judge-url http://localhost:8000/v1 --judge-model qwen3-8b
    """  # noqa: E501
    _spare(qrels, output)
    reading = inputs.Reading(qrels_format=qrels_format, run_format=run_format)
    human, given = reading.qrels(qrels), reading.runs(runs)
    filling = talk.late("rankgauge.judges.filling")
    pairs = judging.with_texts(filling.pairs_to_judge(fill.value, human, given, k=k), inputs.texts(texts, queries))
    means = judging.Means(judge_url, judge_model, judge_key_env, ledger, at_once, timeout, budget, price)
    with means.opened() as model:
        one = judging.relevance(model, language, prompt, batch=batch, expected=expected, seed=seed)
        if dry_run:
            judging.tell(model.estimate(one.requests(*pairs)))
            return
        graded = one.grade(*pairs)
    found = judging.labels_of(graded, labels, max_failed)
    filled = filling.fill(fill.value, human, found, given, k=k)
    talk.remark(filled.notes)
    if output is not None:
        _write(filled, output)
    if len(given) > 1:
        _conclude(human, found, given, measure, fill, k, convention, seed, _lines(audited), format, digits)


def _spare(qrels: Path, output: Path | None) -> None:
    """Refuse to write over people's judgments, before anything is paid."""
    if output is not None and output.resolve() == qrels.resolve():
        advice = "name another file: people's judgments stay as they are"
        raise InputError(Fault(str(output), "a new file for the filled judgments", "the judgments' own file", advice))


def _write(filled: Any, output: Path) -> None:
    rg.write_qrels(filled.qrels, output)
    where = talk.late("rankgauge.formats.provenance").write_provenance(filled.provenance, output)
    talk.stderr().print(f"{len(filled.qrels):,} judgments -> {output}, where they came from -> {where}")


def _lines(path: Path | None) -> list[str]:
    return [] if path is None else [line.strip() for line in path.read_text("utf-8").splitlines() if line.strip()]


def _conclude(
    human: rg.Qrels, found: Any, runs: list[rg.Run], measure: str, fill: Fill, k: int, convention: str, seed: int,
    audited: list[str], format: options.Shape, digits: int,
) -> None:  # fmt: skip
    """Write the verdict on each run beside the first; exit code 3 where nobody can tell."""
    judged = talk.late("rankgauge.judges.verdict").judged_verdict
    verdicts = [
        (run.name, judged(human, found, runs[0], run, measure, policy=fill.value, audited=audited, k=k,
                          convention=convention, seed=seed))
        for run in runs[1:]
    ]  # fmt: skip
    render = talk.late("rankgauge.report.judging").render_judged
    typer.echo(render(verdicts, format=format.value, digits=digits), nl=False)
    if any(one.verdict.word == "not comparable offline" for _, one in verdicts):
        raise typer.Exit(CANNOT_TELL)
