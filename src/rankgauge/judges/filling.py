"""Policies that fill holes in people's judgments with a judge's labels; people's are never overwritten."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

import polars as pl

from rankgauge.errors import Fault, InputError, ParameterError, did_you_mean
from rankgauge.judges.calibration import Calibration, GainScale
from rankgauge.judges.labels import KEY, JudgeLabels, judged, overlap
from rankgauge.records import Note, Qrels, Run
from rankgauge.records.run import TieOrder

Policy = Literal["both-arms", "calibrated", "holes"]
"""both-arms: the judge labels all that either run shows, and only its labels count there; calibrated: people's labels
stay, holes get the human grade to be expected; holes: people's labels stay, holes get the judge's grade as it is."""

POLICIES: tuple[Policy, ...] = get_args(Policy)
HUMAN = "human"
FEW_PER_GRADE = 20
RAW = (
    "holes were filled with the judge's own grades beside people's: a judge kinder than people favours the run with "
    "more holes (on TREC DL 2019 this put 23 of 100 pairs in the wrong order at 20-30% unjudged, and both-arms 3); use "
    "both-arms unless the certificate shows no bias"
)


@dataclass(frozen=True, eq=False)
class Filled:
    """Judgments with a judge's labels in them.

    Attributes
    ----------
    qrels : what to measure with; people's labels are all still in the qrels that were given
    provenance : query, doc, grade, source ("human" or the judge's), replaced (the human label that stands aside for
        the judge's: only with both-arms)
    policy, k : how, and how deep in each run
    failed, unasked : pairs that stay unjudged as the judge failed, and as it was not asked
    calibration : with the policy "calibrated"
    notes : what was filled, set aside and left open
    """

    qrels: Qrels = field(repr=False)
    provenance: pl.DataFrame = field(repr=False)
    policy: Policy
    k: int
    failed: int
    unasked: int
    calibration: Calibration | None
    notes: tuple[Note, ...]


def shown(runs: Sequence[Run], k: int, *, ties: TieOrder = "docid-desc") -> pl.DataFrame:
    """Columns query, doc: each pair in the first k of any run, once, in the order of the runs."""
    if k < 1:
        raise ParameterError(f"k: expected 1 or more, got {k}")
    if not runs:
        raise InputError(Fault("runs", "at least one", "none"))
    tops = [run.ranked(ties=ties).to_polars().group_by("query", maintain_order=True).head(k) for run in runs]
    return pl.concat([top.select(KEY) for top in tops]).unique(maintain_order=True)


def pairs_to_judge(
    policy: Policy,
    human: Qrels,
    runs: Sequence[Run],
    *,
    k: int = 10,
    ties: TieOrder = "docid-desc",
    every_query: bool = False,
) -> pl.DataFrame:
    """Columns query, doc: what a judge must be asked before `fill` with this policy.

    both-arms and calibrated: all that any run shows in its first k, the pairs that people judged among them (for
    calibrated they are what it learns from); holes: those that people did not judge. Of queries that people judged,
    or of every query of the runs, as `powered_difference` wants them.
    """
    _known(policy)
    pairs = shown(runs, k, ties=ties)
    if not every_query:
        pairs = pairs.filter(pl.col("query").is_in(human.queries.implode()))
    return pairs if policy != "holes" else pairs.join(judged(human), on=KEY, how="anti", maintain_order="left")


def fill(
    policy: Policy,
    human: Qrels,
    labels: JudgeLabels,
    runs: Sequence[Run],
    *,
    k: int = 10,
    ties: TieOrder = "docid-desc",
    gain: GainScale = "exp",
    smoothing: float = 5.0,
) -> Filled:
    """Fill what people did not judge in the first k of each run.

    - both-arms: in the first k of any run only the judge's labels count, also where people judged; people's labels
      of these pairs stand in the provenance (`replaced`), all others stay. One judge with one bias for both runs: it
      cancels in the difference. The values themselves are the judge's; compare them with each other only.
    - calibrated: people's labels stay; a hole gets the grade whose gain is to be expected from the judge's grade
      (`Calibration`). For measures that add up gains: a fraction is below the level of binary measures.
    - holes: people's labels stay, a hole gets the judge's grade as it is; a note warns.

    A pair that the judge failed on stays unjudged under every policy, and is counted; with both-arms also one that
    people judged, as their label would not be comparable with the others. Queries that neither people nor the judge
    labelled are left out.

    Parameters
    ----------
    labels : of the pairs that `pairs_to_judge` lists; more of them serve the calibration
    gain, smoothing : of the calibration

    Raises InputError where nothing is left to measure with, or nothing to learn a calibration from.
    """
    _known(policy)
    queries = pl.concat([human.queries, labels.table["query"]]).unique()
    people, pairs = judged(human), shown(runs, k, ties=ties).filter(pl.col("query").is_in(queries.implode()))
    open_ = pairs if policy == "both-arms" else pairs.join(people, on=KEY, how="anti", maintain_order="left")
    asked = open_.join(labels.table, on=KEY, how="left", maintain_order="left", coalesce=True)
    given = asked.filter(pl.col("grade").is_not_null()).select(*KEY, "grade")
    calibration, unseen = None, 0
    if policy == "calibrated":
        calibration = Calibration.of(overlap(human, labels), gain=gain, smoothing=smoothing)
        unseen = calibration.unseen(given["grade"])
        given = given.with_columns(grade=pl.Series(calibration.apply(given["grade"]), dtype=pl.Float64))
    kept = people.join(open_, on=KEY, how="anti", maintain_order="left") if policy == "both-arms" else people
    aside = people.select(*KEY, replaced="grade")
    new = given.with_columns(source=pl.lit(labels.source)).join(aside, on=KEY, how="left", maintain_order="left")
    old = kept.with_columns(source=pl.lit(HUMAN), replaced=pl.lit(None, pl.Float64))
    table = pl.concat([old.select(*KEY, "grade", "source", "replaced"), new]).sort("query", maintain_order=True)
    failed = int(asked["reason"].is_not_null().sum())
    unasked = len(asked) - len(given) - failed
    said = [*_of_new(policy, labels, new), *_of_open(labels, failed, unasked)]
    return Filled(
        qrels=Qrels.from_columns(table["query"], table["doc"], table["grade"], name=f"{human.name}, {policy}"),
        provenance=table,
        policy=policy,
        k=k,
        failed=failed,
        unasked=unasked,
        calibration=calibration,
        notes=tuple(said if calibration is None else [*said, *_of_calibration(calibration, unseen)]),
    )


def _known(policy: str) -> None:
    if policy not in POLICIES:
        hint = did_you_mean(policy, POLICIES)
        raise ParameterError(f"policy: expected one of {', '.join(POLICIES)}, got {policy!r}{hint}")


def _of_new(policy: Policy, labels: JudgeLabels, new: pl.DataFrame) -> list[Note]:
    aside = len(new) - int(new["replaced"].null_count())
    alone = len(new) - aside
    said = [Note("filled", alone, f"{alone} pairs have a label of {labels.source} and of nobody else")]
    if aside:
        text = f"{aside} human labels stand aside for the judge's, so that one judge labels both runs; they are kept"
        said.append(Note("human labels aside", aside, text))
    if policy == "holes" and len(new):
        said.append(Note("holes only", len(new), RAW))
    return said


def _of_open(labels: JudgeLabels, failed: int, unasked: int) -> list[Note]:
    said = []
    if failed:
        reasons = ", ".join(f"{reason} {count}" for reason, count in labels.reasons.items())
        text = f"{failed} pairs stay unjudged: the judge failed (of all it was asked: {reasons})"
        said.append(Note("judge failed", failed, text))
    if unasked:
        said.append(Note("not asked", unasked, f"{unasked} pairs stay unjudged: the judge was not asked about them"))
    return said


def _of_calibration(calibration: Calibration, unseen: int) -> list[Note]:
    pairs = round(sum(one.n for one in calibration.grades))
    worth = ", ".join(f"{one.judge:g} is worth {one.value:.2f} (n {one.n:g})" for one in calibration.grades)
    said = [Note("calibrated", pairs, f"from {pairs} pairs with both labels: a judge's {worth}")]
    if unseen:
        text = f"{unseen} pairs have a grade that the judge never gave where people judged: as {calibration.prior:.2f}"
        said.append(Note("grades not calibrated", unseen, text))
    few = [one for one in calibration.grades if one.n < FEW_PER_GRADE]
    if few:
        named = ", ".join(f"{one.judge:g} (n {one.n:g})" for one in few)
        said.append(Note("few per grade", len(few), f"grades learnt from fewer than {FEW_PER_GRADE} pairs: {named}"))
    return said
