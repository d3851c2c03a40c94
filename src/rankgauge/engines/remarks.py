"""What a careful colleague would remark on: near misses between ids, ties, missing and redundant things."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl

from rankgauge.engines.orders import MOST_ORDERS
from rankgauge.errors import Fault
from rankgauge.judged import JudgedRun, Judgments
from rankgauge.measures import Measure
from rankgauge.records import Note, Qrels, Run
from rankgauge.records._columns import in_one_form
from rankgauge.records.notes import examples
from rankgauge.records.scores import Counts

MOST_IDS_COMPARED = 200_000


def no_common_query(qrels: Qrels, run: Run) -> Fault:
    """Say that a run and the qrels have no query in common, and what may be the matter."""
    hint = next(
        (f"they would match {how}" for how, turn in TURNS.items() if _overlap(qrels.queries, run.queries, turn)),
        "check that both belong to the same queries",
    )
    got = f"none (the run has {examples(run.queries)}; the qrels have {examples(qrels.queries)})"
    return Fault(f"run {run.name!r}", "a query that the qrels judge", got, hint)


def of_run(qrels: Qrels, run: Run, judged: JudgedRun, counts: Counts) -> list[Note]:
    """Remark on what one run lacks, has too much, or leaves to chance."""
    name, said = f"run {run.name!r}", []
    if counts.missing:
        text = f"{name}: {len(counts.missing)} judged queries have no results: {examples(counts.missing)}"
        said.append(Note("missing queries", len(counts.missing), text))
    if counts.left_out:
        text = f"{name}: {len(counts.left_out)} queries without judgments were left out: {examples(counts.left_out)}"
        said.append(Note("queries left out", len(counts.left_out), text))
    if counts.tied:
        text = f"{name}: {counts.tied} of {counts.judged} judged documents share their score with others"
        said.append(Note("ties", counts.tied, text))
    if infinite := int(np.isinf(run.scores).sum()):
        said.append(Note("infinite scores", infinite, f"{name}: {infinite} scores are infinite"))
    return [*said, *_near_misses(qrels, run, judged)]


def of_expected(run: Run, measure: str, sampled: int, error: float) -> list[Note]:
    """Remark on expected values that are means over sampled orders."""
    if not sampled:
        return []
    means = f"means of {MOST_ORDERS:,} sampled orders, standard error at most {error:.2g}"
    text = f"run {run.name!r}, {measure}: the expected values of {sampled} queries are {means}"
    return [Note("sampled orders", sampled, text)]


def of_measures(judgments: Judgments, measures: Sequence[Measure]) -> list[Note]:
    """Remark on measures that coincide on these judgments, or tell little on them."""
    names = {m.name: str(m) for m in measures}
    said = []
    relevant = judgments.count(judgments.grade >= 1)
    if {"RR", "AP"} <= names.keys() and relevant.max(initial=0) == 1:
        text = f"every query has at most one relevant document: {names['RR']} and {names['AP']} are the same number"
        said.append(Note("redundant measures", 2, text))
    if "bpref" in names and not ((judgments.grade >= 0) & (judgments.grade < 1)).any():
        text = "nothing was judged non-relevant: bpref tells little here"
        said.append(Note("bpref", 1, text))
    return said


def _near_misses(qrels: Qrels, run: Run, judged: JudgedRun) -> list[Note]:
    """Look for ids that differ only in how they are written; only where much did not match."""
    if max(len(qrels), len(run)) > MOST_IDS_COMPARED or len(judged.rank) == len(qrels):
        return []
    ours, theirs = qrels.to_polars().select("query", "doc"), run.to_polars().select("query", "doc")
    lost = ours.join(theirs, on=["query", "doc"], how="anti")
    unknown = theirs.join(lost, on="query", how="semi").join(ours, on=["query", "doc"], how="anti")
    said: list[Note] = []
    for how, turn in TURNS.items():
        turned = [pairs.with_columns(turn(pairs["doc"])) for pairs in (lost, unknown)]
        if turned[0].equals(lost) and turned[1].equals(unknown):
            continue
        would = turned[0].join(turned[1], on=["query", "doc"], how="semi").unique().sort("query", "doc")
        if len(would):
            text = f"run {run.name!r}: {len(would)} document ids would match the qrels' {how}: "
            said.append(Note("near misses", len(would), text + examples(would["doc"])))
    return said


def _overlap(left: pl.Series, right: pl.Series, turn: Callable[[pl.Series], pl.Series]) -> bool:
    return bool(turn(left).is_in(turn(right).implode()).any())


TURNS: dict[str, Callable[[pl.Series], pl.Series]] = {
    "after NFC normalisation": lambda ids: in_one_form(ids, "NFC"),
    "without a trailing '.0'": lambda ids: ids.str.strip_suffix(".0"),
    "without blanks around": lambda ids: ids.str.strip_chars(),
    "in lower case": lambda ids: ids.str.to_lowercase(),
    "without leading zeros": lambda ids: ids.str.strip_chars_start("0"),
    "without the letters before the number": lambda ids: ids.str.strip_chars_start("qQ_-:"),
}
