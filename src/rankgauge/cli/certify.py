"""`rankgauge certify`: may this judge be trusted, and for what?"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer

import rankgauge as rg
from rankgauge.cli import inputs, judging, options, talk

Given = Annotated[
    Path | None, typer.Argument(help="The judge's labels of the same pairs; below 0: it failed. Without: it is asked.")
]
Rankers = Annotated[
    list[str] | None, typer.Option("--ranker", help="A model whose results, or answers, are to be judged.")
]
Sample = Annotated[int, typer.Option(min=1, help="Pairs that people judged, drawn at random, that the judge is asked.")]
Probes = Annotated[int, typer.Option(min=0, help="Of these, how many are asked again in other ways; 0: no probes.")]
Family = Annotated[bool, typer.Option("--allow-family", help="Rankers of the judge's family, too.")]
Earlier = Annotated[Path | None, typer.Option(help="An earlier certificate: is it still the same judge?")]
Output = Annotated[Path | None, typer.Option("-o", "--output", help="Write the certificate to a JSON file.")]
ASKS = 10
"""Times that a probed pair is asked, about."""


def certify(
    qrels: Annotated[Path, typer.Argument(help="People's judgments: a file of any known format.")],
    judge: Given = None,
    texts: options.Corpus = None, queries: options.Queries = None,
    judge_url: judging.Url = None, judge_model: judging.Name = None, judge_key_env: judging.KeyName = None,
    ledger: judging.LedgerFile = judging.LEDGER, sample: Sample = 300, probes: Probes = 30,
    language: judging.Spoken = judging.Language.en, prompt: judging.PromptFile = None,
    batch: judging.Batch = 1, expected: judging.Expected = False,
    level: Annotated[float, typer.Option("-l", "--level", help="Grade from which a document is relevant.")] = 1.0,
    ranker: Rankers = None, allow_family: Family = False, earlier: Earlier = None,
    output: Output = None, labels: judging.LabelsFile = None,
    dry_run: judging.DryRun = False, price: judging.PriceOf = None, budget: judging.Money = None,
    max_failed: judging.MostFailed = 1.0, at_once: judging.AtOnce = 8, timeout: judging.Patience = "60s",
    format: options.Output = options.Shape.table, digits: options.Digits = 2,
    resamples: options.Resamples = 2000, seed: options.Seed = 0,
    columns: options.Columns = None, qrels_format: options.QrelsFormat = None,
) -> None:  # fmt: skip
    """Say how far a judge agrees with people, how it behaves, and what its labels may be used for.

    Its labels are read from a file, or asked for: then it is probed as well, whether the order of the grades, of the
    passages, padding or an order in a passage changes what it says.

    Example: rankgauge certify qrels.second-round.txt qrels.txt --level 2 --judge-model llama-3-8b --ranker rankllama
    """
    reading = inputs.Reading(options.Duplicates.error, columns, qrels_format)
    human, found = reading.qrels(qrels), ()
    if judge is not None:
        given = reading.qrels(judge)
        talk.remark([*human.notes, *given.notes])
        source = f"llm:{judge_model or given.name}"
        said = talk.late("rankgauge.judges.labels").JudgeLabels.from_qrels(given, source=source)
    else:
        means = judging.Means(judge_url, judge_model, judge_key_env, ledger, at_once, timeout, budget, price)
        how = (language, prompt, batch, expected, seed)
        asked = _asked(means, how, human, inputs.texts(texts, queries), sample, probes, dry_run)
        if asked is None:
            return
        graded, found = asked
        said = judging.labels_of(graded, labels, max_failed)
    earlier_one = None if earlier is None else talk.late("rankgauge.judges.certificate_file").read_certificate(earlier)
    certificate = talk.late("rankgauge.judges.certificate").certify(
        human, said, level=level, model=judge_model or "", rankers=ranker or (), probes=found, earlier=earlier_one,
        allow_family=allow_family, resamples=resamples, seed=seed,
    )  # fmt: skip
    _write(certificate, output, format, digits)


def _asked(
    means: judging.Means, how: tuple[Any, ...], human: rg.Qrels, texts: inputs.Texts, sample: int, probes: int,
    dry_run: bool,
) -> tuple[Any, Any] | None:  # fmt: skip
    """Labels of a sample of people's pairs, and probes; None where it is only said what that would take."""
    *prompt, seed = how
    pool = talk.late("rankgauge.judges.labels").judged(human)
    pairs, queries, docs = judging.with_texts(pool.sample(min(sample, len(pool)), seed=seed, shuffle=True), texts)
    asking = talk.late("rankgauge.judges.probes")
    with means.opened("certifying") as model:
        judge = judging.relevance(model, prompt[0], prompt[1], batch=prompt[2], expected=prompt[3], seed=seed)
        if dry_run:
            judging.tell(model.estimate(judge.requests(pairs, queries, docs)))
            typer.echo(f"probes     about {ASKS * min(probes, len(pairs)):,} calls more")
            return None
        graded = judge.grade(pairs, queries, docs)
        count = Counter(query for query, _ in pairs)  # those with many pairs first: batches are of one query
        first = sorted(pairs, key=lambda pair: (-count[pair[0]], pair[0]))[:probes]
        probed = [asking.Pair(query, queries[query], docs[doc]) for query, doc in first]
        grader = talk.late("rankgauge.judges.grading").Grader(judge)
        return graded, asking.probe(probed, grader, seed=seed) if probed else ()


def _write(certificate: Any, output: Path | None, format: options.Shape, digits: int) -> None:
    report = talk.late("rankgauge.report.certificate")
    typer.echo(report.render_certificate(certificate, format=format.value, digits=digits), nl=False)
    if output is not None:
        talk.late("rankgauge.judges.certificate_file").write_certificate(certificate, output)
        talk.stderr().print(f"certificate -> {output}")
