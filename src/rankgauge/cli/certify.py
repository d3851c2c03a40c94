"""`rankgauge certify`: may this judge be trusted, and for what?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rankgauge.cli import inputs, options, talk

Rankers = Annotated[
    list[str] | None, typer.Option("--ranker", help="A model whose results, or answers, are to be judged.")
]


def certify(
    qrels: Annotated[Path, typer.Argument(help="People's judgments: a file of any known format.")],
    judge: Annotated[Path, typer.Argument(help="The judge's labels of the same pairs; a grade below 0: it failed.")],
    level: Annotated[float, typer.Option("-l", "--level", help="Grade from which a document is relevant.")] = 1.0,
    judge_model: Annotated[str, typer.Option(help="Name of the judge's model.")] = "",
    ranker: Rankers = None,
    allow_family: Annotated[bool, typer.Option("--allow-family", help="Rankers of the judge's family, too.")] = False,
    earlier: Annotated[Path | None, typer.Option(help="An earlier certificate: is it still the same judge?")] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Write the certificate to a JSON file.")] = None,
    format: options.Output = options.Shape.table,
    digits: options.Digits = 2,
    resamples: options.Resamples = 2000,
    seed: options.Seed = 0,
    columns: options.Columns = None,
    qrels_format: options.QrelsFormat = None,
) -> None:
    """Say how far a judge's labels agree with people's, and what they may be used for.

    Example: rankgauge certify qrels.second-round.txt qrels.txt --level 2 --judge-model llama-3-8b --ranker rankllama
    """
    reading = inputs.Reading(options.Duplicates.error, columns, qrels_format)
    human, given = reading.qrels(qrels), reading.qrels(judge)
    files = talk.late("rankgauge.judges.certificate_file")
    certificate = talk.late("rankgauge.judges.certificate").certify(
        human,
        talk.late("rankgauge.judges.labels").JudgeLabels.from_qrels(given, source=f"llm:{judge_model or given.name}"),
        level=level,
        model=judge_model,
        rankers=ranker or (),
        earlier=None if earlier is None else files.read_certificate(earlier),
        allow_family=allow_family,
        resamples=resamples,
        seed=seed,
    )
    talk.remark([*human.notes, *given.notes])
    report = talk.late("rankgauge.report.certificate")
    typer.echo(report.render_certificate(certificate, format=format.value, digits=digits), nl=False)
    if output is not None:
        files.write_certificate(certificate, output)
        talk.stderr().print(f"certificate -> {output}")
