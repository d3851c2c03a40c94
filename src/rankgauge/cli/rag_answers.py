"""`rankgauge rag FILE`: retrieval and answers of one or two systems, whose fault, and one verdict."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from rankgauge.cli import inputs, judging, options, talk

CANNOT_TELL = 3

Data = Annotated[
    list[Path], typer.Argument(metavar="DATA [NEW]", help="Answers with passages, in any format of docs/answers.md; "
                               "with two files, the second is compared with the first."),
]  # fmt: skip
Judged = Annotated[Path | None, typer.Option("--retrieval", help="Judgments of the passages, by their ids.")]
Ranking = Annotated[str, typer.Option("-m", "--measure", help="What is measured of retrieval.")]
Names = Annotated[
    str | None, typer.Option("--measures", metavar="LIST", help="Of the answers, as faithfulness,faithfulness.ragas.")
]
Embedder = Annotated[
    str | None, typer.Option("--embedder", help="Model for likeness of texts: a folder, package:NAME, hub name.")
]
Kept = Annotated[
    list[Path] | None,
    typer.Option("--matrices", help="What the judge found, one file per system: read if it is there, else written."),
]
DataFormat = Annotated[str | None, typer.Option(help="Format of the answers, where their fields do not tell.")]


def answers(
    data: Data,
    retrieval: Judged = None, measure: Ranking = "nDCG@10", measures: Names = None,
    judge_url: judging.Url = None, judge_model: judging.Name = None, judge_key_env: judging.KeyName = None,
    ledger: judging.LedgerFile = judging.LEDGER, matrices: Kept = None, embedder: Embedder = None,
    language: judging.Spoken = judging.Language.en, corpus: options.Corpus = None,
    dry_run: judging.DryRun = False, price: judging.PriceOf = None, budget: judging.Money = None,
    max_failed: judging.MostFailed = 0.02, at_once: judging.AtOnce = 8, timeout: judging.Patience = "60s",
    margin: Annotated[float, typer.Option(min=0, help="Difference that does not matter.")] = 0.01,
    alpha: options.Alpha = 0.05, resamples: options.Resamples = 10_000, seed: options.Seed = 0,
    format: options.Output = options.Shape.table, digits: options.Digits = 4,
    data_format: DataFormat = None,
) -> None:  # fmt: skip
    """Measure retrieval and answers together, and say whose fault wrong answers are; no winner by retrieval alone.

    Without a judge: retrieval, outcomes, and the measures of words in common. Exit code 3 where nobody can tell.

    Example: rankgauge rag answers.keyword.jsonl answers.vector.jsonl --retrieval qrels.second-round.txt --matrices matrices.keyword.jsonl --matrices matrices.vector.jsonl
    """  # noqa: E501
    if len(data) > 2:
        raise typer.BadParameter(f"expected one file or two, got {len(data)}", param_hint="DATA")
    work = talk.late("rankgauge.rag.evaluation")
    systems = _read(data, data_format, corpus)
    chosen = tuple(measures.split(",")) if measures else work.measures_for(systems)
    asked = judge_url is not None or judge_model is not None
    means = judging.Means(judge_url, judge_model, judge_key_env, ledger, at_once, timeout, budget, price)
    rows = _kept(matrices, systems)
    if rows is None and asked:
        rows = _judged(means, systems, chosen, language, embedder, dry_run, max_failed)
        if rows is None:
            return
        _keep(rows, matrices)
    found = work.evaluate_answers(
        list(zip(systems, rows or [()] * len(systems), strict=True)), measures=chosen,
        qrels=None if retrieval is None else inputs.Reading().qrels(retrieval), retrieval=measure,
        language=language.value, margin=margin, alpha=alpha, resamples=resamples, seed=seed,
    )  # fmt: skip
    _show(found, format, digits)


def _read(data: list[Path], format: str | None, corpus: Path | None) -> list[Any]:
    texts = None if corpus is None else talk.late("rankgauge.formats.texts").read_texts(corpus)
    read = talk.late("rankgauge.formats.answers").read_answers
    names = inputs.names(data)
    return [read(path, format, texts=texts, name=name) for path, name in zip(data, names, strict=True)]


def _kept(files: list[Path] | None, systems: list[Any]) -> list[Any] | None:
    """What a judge found before, where all files are there."""
    if files is not None and len(files) != len(systems):
        raise typer.BadParameter(f"expected {len(systems)}, one per system, got {len(files)}", param_hint="--matrices")
    if not files or not all(file.exists() for file in files):
        return None
    return [talk.late("rankgauge.rag.matrices").read_matrices(file) for file in files]


def _keep(rows: list[Any], files: list[Path] | None) -> None:
    for file, found in zip(files or [], rows, strict=False):
        talk.late("rankgauge.rag.matrices").write_matrices(found, file)
        talk.stderr().print(f"{len(found):,} answers judged -> {file}")


def _judged(
    means: judging.Means, systems: list[Any], chosen: tuple[str, ...], language: judging.Language,
    embedder: str | None, dry_run: bool, most: float,
) -> list[Any] | None:  # fmt: skip
    """Matrices of each system; None where it is only said what they would take."""
    work, prompt = talk.late("rankgauge.rag.judging"), talk.late("rankgauge.judges.prompting").prompt
    embed = None if embedder is None else _embed(embedder)
    with means.opened() as model:
        judge = work.RagJudge(model, work.needs_of(chosen), prompt("claims", language.value),
                              prompt("relevance", language.value), embed)  # fmt: skip
        if dry_run:
            judging.tell(model.estimate([one for system in systems for one in judge.requests(system)]))
            typer.echo("claims are not known before they are asked for: one per sentence was supposed")
            return None
        found = [judge.judge(system) for system in systems]
    for one in found:
        talk.remark(one.notes)
    failed = sum(row.outcome == "judge_failed" for one in found for row in one.rows)
    judging.check_failures(failed, sum(len(one.rows) for one in found), {"claims": failed}, most)
    return [one.rows for one in found]


def _embed(named: str) -> Any:
    model = talk.late("rankgauge.retrieval.embedding").load_embedder(named)
    return lambda texts: model.embed(list(texts), kind="query")


def _show(found: Any, format: options.Shape, digits: int) -> None:
    for one in found.systems:
        talk.remark(one.notes)
    typer.echo(talk.late("rankgauge.report.rag").render_rag(found, format=format.value, digits=digits), nl=False)
    if found.verdict is not None and found.verdict.word in ("cannot tell", "mixed"):
        raise typer.Exit(CANNOT_TELL)
