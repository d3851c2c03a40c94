"""`rankgauge rag`: what a language model does with the passages that it is given."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from typer.core import TyperGroup

from rankgauge.cli import inputs, judging, options, rag_answers, talk


class Group(TyperGroup):
    """Takes what is no command for files: `rankgauge rag data.jsonl` is `rankgauge rag answers data.jsonl`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the command in front where it was left out."""
        named = not args or args[0] in self.commands or args[0] in (*ctx.help_option_names, "--help")
        return super().parse_args(ctx, args if named else ["answers", *args])


app = typer.Typer(
    name="rag", help="Retrieval and generation, measured together.", no_args_is_help=True, rich_markup_mode=None,
    cls=Group,
)  # fmt: skip
app.command()(rag_answers.answers)


class Design(StrEnum):
    """How the passage that answers is moved."""

    cyclic = "cyclic"
    fixed = "fixed"


Data = Annotated[Path, typer.Argument(metavar="DATA", help="Answers with passages: any format of docs/answers.md.")]
DataFormat = Annotated[str | None, typer.Option(help="Format of the answers, where their fields do not tell.")]
Url = Annotated[
    str | None, typer.Option("--generator-url", metavar="URL", help="OpenAI-compatible address of what answers.")
]
Name = Annotated[str | None, typer.Option("--generator-model", metavar="NAME", help="Its name there.")]
KeyName = Annotated[
    str | None, typer.Option("--generator-key-env", metavar="NAME", help="Environment variable with the API key.")
]
CALLED = "--generator-url, --generator-model"
Texts = Annotated[Path | None, typer.Option(help="Texts of passages of which the answers have only ids (BEIR).")]
Judged = Annotated[Path | None, typer.Option("--qrels", help="Which passages answer; without it: those that hold a "
                                             "right answer of the file.")]  # fmt: skip
Level = Annotated[float, typer.Option("-l", "--level", help="Grade from which a passage answers.")]
Size = Annotated[int, typer.Option(min=2, help="Passages of each prompt.")]
Slots = Annotated[str, typer.Option(metavar="LIST", help="Where the gold passage is put: 1,10,20; five; or all.")]
Moved = Annotated[Design, typer.Option(help="cyclic: the whole list is turned; fixed: the others keep their order.")]
Samples = Annotated[int, typer.Option(min=1, help="Answers to each prompt.")]
Orders = Annotated[int, typer.Option(min=0, help="Random orders of each question's own passages; 0: no such test.")]
Many = Annotated[int, typer.Option(min=1, help="Passages that do not answer, tried for each question.")]
Without = Annotated[bool, typer.Option("--leave-one-out", help="Take each passage out of the prompt as well.")]
Profile = Annotated[
    Path | None, typer.Option("-o", "--output", help="Write the weights of the slots, for PromptGain(profile=FILE)@k.")
]


@app.command()
def position(
    data: Data,
    generator_url: Url = None, generator_model: Name = None, generator_key_env: KeyName = None,
    ledger: judging.LedgerFile = judging.LEDGER, price: judging.PriceOf = None, budget: judging.Money = None,
    at_once: judging.AtOnce = 8, timeout: judging.Patience = "60s",
    qrels: Judged = None, level: Level = 1.0, texts: Texts = None, data_format: DataFormat = None,
    size: Size = 10, slots: Slots = "five", design: Moved = Design.cyclic, samples: Samples = 1, orders: Orders = 5,
    language: judging.Spoken = judging.Language.en, seed: options.Seed = 1, resamples: options.Resamples = 10_000,
    output: Profile = None, format: options.Output = options.Shape.table, digits: options.Digits = 4,
) -> None:  # fmt: skip
    """Move the passage that answers through the prompt, and try other orders of the passages that were really given.

    Example: rankgauge rag position answers.jsonl --generator-url $URL --generator-model NAME -o slots.json
    """
    if orders == 1:
        raise typer.BadParameter("expected 0, or 2 orders or more, got 1", param_hint="--orders")
    answers, plan = _answers(data, data_format, texts), _plan(size, slots, design)
    cases = _cases(answers, qrels, level, plan.size - 1)
    if output is not None:
        talk.late("rankgauge.rag.profile").enough(len(cases))
    means = judging.Means(generator_url, generator_model, generator_key_env, ledger, at_once, timeout, budget, price,
                          CALLED)  # fmt: skip
    how = {"rng": np.random.default_rng(seed), "resamples": resamples}
    with means.opened("asking") as model:
        generator = talk.late("rankgauge.rag.generating").Asked(model, language.value)
        found = talk.late("rankgauge.rag.position").measure_curve(cases, generator, plan, samples=samples, **how)
        work = talk.late("rankgauge.rag.order")
        order = work.measure_order(answers.rows, generator, many=orders, **how) if orders else None
    profile = None if output is None else _profile(found, output, seed)
    talk.remark([*found.notes, *(order.notes if order is not None else ())])
    render = talk.late("rankgauge.report.context").render_position
    typer.echo(render(found, order, profile, format=format.value, digits=digits), nl=False)


def _profile(found: Any, output: Path, seed: int) -> Any:
    profile = talk.late("rankgauge.rag.profile").fit_profile(found, rng=np.random.default_rng(seed))
    profile.save(output)
    talk.stderr().print(f"written: {output}; use it as PromptGain(profile='{output}')@{profile.size}")
    return profile


@app.command()
def distractors(
    data: Data,
    generator_url: Url = None, generator_model: Name = None, generator_key_env: KeyName = None,
    ledger: judging.LedgerFile = judging.LEDGER, price: judging.PriceOf = None, budget: judging.Money = None,
    at_once: judging.AtOnce = 8, timeout: judging.Patience = "60s",
    qrels: Judged = None, level: Level = 1.0, texts: Texts = None, data_format: DataFormat = None,
    many: Many = 3, leave_one_out: Without = False, samples: Samples = 1,
    language: judging.Spoken = judging.Language.en, seed: options.Seed = 1, resamples: options.Resamples = 10_000,
    format: options.Output = options.Shape.table, digits: options.Digits = 4,
) -> None:  # fmt: skip
    """Put passages that do not answer beside the one that does, and ask from each of them alone.

    Example: rankgauge rag distractors answers.jsonl --generator-url $URL --generator-model NAME --many 3
    """
    work = talk.late("rankgauge.rag.distractors")
    cases = _cases(_answers(data, data_format, texts), qrels, level, many)
    means = judging.Means(generator_url, generator_model, generator_key_env, ledger, at_once, timeout, budget, price,
                          CALLED)  # fmt: skip
    with means.opened("asking") as model:
        generator = talk.late("rankgauge.rag.generating").Asked(model, language.value)
        found = work.measure_distractors(
            cases, generator, rng=np.random.default_rng(seed), many=many, samples=samples,
            leave_one_out=leave_one_out, resamples=resamples,
        )  # fmt: skip
    talk.remark(found.notes)
    render = talk.late("rankgauge.report.context").render_distractors
    typer.echo(render(found, format=format.value, digits=digits), nl=False)


def _answers(data: Path, format: str | None, texts: Path | None) -> Any:
    known = None if texts is None else talk.late("rankgauge.formats.texts").read_texts(texts)
    answers = talk.late("rankgauge.formats.answers").read_answers(data, format, texts=known)
    talk.remark(answers.notes)
    return answers


def _cases(answers: Any, qrels: Path | None, level: float, needed: int) -> Any:
    judged = None if qrels is None else inputs.Reading().qrels(qrels)
    cases, notes = talk.late("rankgauge.rag.cases").cases_of(answers, judged, level=level, distractors=needed)
    talk.remark(notes)
    return cases


def _plan(size: int, slots: str, design: Design) -> Any:
    plan = talk.late("rankgauge.rag.cases").CurvePlan
    if slots in ("five", "all"):
        return (plan.five if slots == "five" else plan.every)(size, design.value)
    return plan(size, tuple(options.numbers_of(slots, int, "--slots")), design.value)
