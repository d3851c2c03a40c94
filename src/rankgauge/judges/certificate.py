"""A judge's certificate: how far it agrees with people, on what, and what it may therefore be used for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rankgauge.errors import Fault, InputError, ParameterError
from rankgauge.judged import FloatArray
from rankgauge.judges.calibration import CalibratedGrade, Calibration
from rankgauge.judges.drift import Change, Profile, changes
from rankgauge.judges.families import Circular, circular
from rankgauge.judges.labels import JudgeLabels, Overlap, overlap
from rankgauge.judges.probes import Probe
from rankgauge.judges.rules import Rules
from rankgauge.judges.uses import Paper, Use, uses_of
from rankgauge.records import Qrels
from rankgauge.statistics.agreement import CrossTable, cross_table
from rankgauge.statistics.clustered import clustered_mean
from rankgauge.statistics.proportions import wilson
from rankgauge.statistics.reliability import Bootstrap, Coefficient, gwet_ac2, kappa, krippendorff_alpha
from rankgauge.statistics.results import Interval


@dataclass(frozen=True)
class AtLevel:
    """Agreement on relevant or not, from a grade on.

    Attributes
    ----------
    kappa : of the two binary labellings
    sensitivity : share of what people call relevant that the judge does too
    specificity : share of what people call not relevant that the judge does too
    """

    level: float
    kappa: Coefficient
    sensitivity: Interval
    specificity: Interval


@dataclass(frozen=True)
class Certificate:
    """What is known of a judge.

    Attributes
    ----------
    judge : what its labels are signed with
    model : name of the model, where it is known, by which families are compared
    human : name of the human judgments
    n, queries : pairs that both labelled, and their queries
    failed, unasked : pairs with a human label that the judge failed on, and that it was not asked about
    agreement : share of pairs with the same grade
    kappa, quadratic_kappa, alpha, ac2 : on the whole scale; alpha is ordinal, AC2 quadratic; bootstrap over queries
    bias : mean of judge - human, interval by queries
    level, levels : the level of relevance that was asked for, and the agreement at every level of the scale
    confusion : people's grades by the judge's
    grades : what each grade of the judge stands for in people's
    uses : what it may be used for, each with its rule
    circular : rankers of the judge's family
    changes : what is different from the earlier certificate
    probes : of how the judge behaves
    """

    judge: str
    model: str
    human: str
    n: int
    queries: int
    failed: int
    unasked: int
    agreement: float
    kappa: Coefficient
    quadratic_kappa: Coefficient
    alpha: Coefficient
    ac2: Coefficient
    bias: Interval
    level: float
    levels: tuple[AtLevel, ...]
    confusion: CrossTable
    grades: tuple[CalibratedGrade, ...]
    uses: tuple[Use, ...]
    circular: tuple[Circular, ...] = ()
    changes: tuple[Change, ...] = ()
    probes: tuple[Probe, ...] = ()

    @property
    def sensitivity(self) -> Interval:
        """At the level that was asked for."""
        return self._asked.sensitivity

    @property
    def specificity(self) -> Interval:
        """At the level that was asked for."""
        return self._asked.specificity

    @property
    def _asked(self) -> AtLevel:
        return next(one for one in self.levels if one.level == self.level)

    def allows(self, use: str) -> bool:
        """Whether the judge may be used so; see `judges.uses`.

        Raises ParameterError for a use that does not exist.
        """
        known = {one.name: one.allowed for one in self.uses}
        if use not in known:
            raise ParameterError(f"use: expected one of {', '.join(known)}, got {use!r}")
        return known[use]


def certify(
    human: Qrels,
    labels: JudgeLabels,
    *,
    level: float = 1,
    model: str = "",
    rankers: Sequence[str] = (),
    probes: Sequence[Probe] = (),
    earlier: Certificate | None = None,
    rules: Rules | None = None,
    allow_family: bool = False,
    confidence: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Certificate:
    """Write a judge's certificate from the pairs that people labelled too.

    Parameters
    ----------
    labels : of the judge; a pair that it failed on is counted and has no grade
    level : grade from which a document is relevant
    model : name of the judge's model; "": the labels' source
    rankers : models whose results are to be judged, or that write the answers; one of the judge's family is flagged
    probes : as `judges.probes` makes them
    earlier : a certificate of the same judge, to see whether it is still the same
    allow_family : judge rankers of the judge's family all the same; the flag stays
    resamples, seed : of the bootstrap over queries

    Grades of the judge that are fractions count as the nearest whole one, except for the bias.

    Raises InputError where no pair has both labels.
    """
    limits, both = rules or Rules(), overlap(human, labels)
    if not len(both):
        advice = "let the judge label pairs that people judged"
        raise InputError(Fault(f"labels of {labels.source}", "pairs that people judged", "none with a grade", advice))
    queries = both.table["query"].to_list()
    name = model or labels.source
    flagged = circular(name, rankers)
    found = Certificate(
        judge=labels.source,
        model=name,
        human=human.name,
        n=len(both),
        queries=len(set(queries)),
        failed=both.failed,
        unasked=both.unasked,
        **_measured(both, level, lambda: Bootstrap(np.random.default_rng(seed), queries, confidence, resamples)),
        uses=(),
        circular=flagged,
        probes=tuple(probes),
    )
    before = () if earlier is None else changes(_profile(earlier), _profile(found), limits)
    uses = uses_of(_paper(found, human.top_grade, () if allow_family else flagged), limits)
    return replace(found, uses=uses, changes=before)


def _paper(one: Certificate, top: float, flagged: tuple[Circular, ...]) -> Paper:
    return Paper(one.n, one.failed, one.quadratic_kappa, one.bias, top, one.grades, flagged, one.probes)


def _profile(one: Certificate) -> Profile:
    return Profile(one.judge, one.bias, one.quadratic_kappa, one.confusion)


def _measured(both: Overlap, level: float, drawn: Callable[[], Bootstrap]) -> dict[str, Any]:
    """The numbers of a certificate, by their fields."""
    people, given = both.table["human"].to_numpy(), both.table["judge"].to_numpy()
    pair = np.stack([np.rint(people), np.rint(given)])
    levels = sorted({float(one) for one in np.unique(pair[0]) if one > 0} | {float(level)})
    return {
        "agreement": float(np.mean(pair[0] == pair[1])),
        "kappa": kappa(pair, bootstrap=drawn()),
        "quadratic_kappa": kappa(pair, weighting="quadratic", bootstrap=drawn()),
        "alpha": krippendorff_alpha(pair, scale="ordinal", bootstrap=drawn()),
        "ac2": gwet_ac2(pair, bootstrap=drawn()),
        "bias": clustered_mean(given - people, both.table["query"].to_list(), confidence=drawn().confidence),
        "level": float(level),
        "levels": tuple(_at(one, pair, drawn()) for one in levels),
        "confusion": cross_table(pair[0].tolist(), pair[1].tolist()),
        "grades": Calibration.of(both).grades,
    }


def _at(level: float, pair: FloatArray, bootstrap: Bootstrap) -> AtLevel:
    people, judge = pair >= level
    return AtLevel(
        level,
        kappa(pair >= level, bootstrap=bootstrap),
        wilson(int((people & judge).sum()), int(people.sum()), confidence=bootstrap.confidence),
        wilson(int((~people & ~judge).sum()), int((~people).sum()), confidence=bootstrap.confidence),
    )
