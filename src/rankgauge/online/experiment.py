"""What an experiment said: the split, each metric with its doubt, and words that are enough to act on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rankgauge.online.contrasts import Cuped
from rankgauge.online.metrics import Kind, Margin, Metric
from rankgauge.records import Note
from rankgauge.statistics.results import Interval
from rankgauge.statistics.sample_ratio import MISMATCH, SampleRatio

Word = Literal["better", "worse", "equivalent", "no difference seen", "cannot tell"]
GuardWord = Literal["holds", "broken", "cannot tell"]
Correction = Literal["holm", "bh", "none"]
DECIDED, FAILED, UNDECIDED = 0, 1, 3


@dataclass(frozen=True)
class Guardrail:
    """Whether a metric is not worse by more than a margin.

    Attributes
    ----------
    word : "holds": the interval ends before the margin; "broken": it begins beyond; else "cannot tell"
    worst : the end of the interval on the bad side, in units of the margin; None where there is none
    """

    margin: Margin
    word: GuardWord
    worst: float | None
    interval: Interval


@dataclass(frozen=True)
class Effect:
    """A metric in an arm beside the control.

    Attributes
    ----------
    in_family : counts among the comparisons that p is corrected for; guardrails alone do not
    difference, relative : after CUPED where there is one; `unadjusted` then is the difference without
    p, p_holm, p_bh : as tested, and corrected over metrics and arms; `decisive` is the one that decides
    bootstrap : of the same difference, where it was asked for
    """

    metric: Metric
    kind: Kind
    arm: str
    control: str
    arm_value: float | None
    control_value: float | None
    difference: Interval
    relative: Interval
    p: float | None
    in_family: bool
    p_holm: float | None = None
    p_bh: float | None = None
    decisive: float | None = None
    cuped: Cuped | None = None
    unadjusted: Interval | None = None
    bootstrap: Interval | None = None
    equivalent: bool = False
    guardrail: Guardrail | None = None
    word: Word = "cannot tell"
    sentence: str = ""

    @property
    def decided(self) -> bool:
        """Whether there is an answer."""
        return self.word in {"better", "worse", "equivalent"}


@dataclass(frozen=True)
class Experiment:
    """All that an experiment said; the first arm is the control, the first metric decides.

    Attributes
    ----------
    unit : what was randomised; "row" where nothing was named
    tightest_at : units at which the confidence sequences are tightest; None for a fixed horizon
    """

    label: str
    arms: tuple[str, ...]
    split: SampleRatio
    unit: str
    rows: int
    effects: tuple[Effect, ...]
    alpha: float
    correction: Correction
    tightest_at: int | None
    seed: int
    notes: tuple[Note, ...] = ()

    @property
    def exit_code(self) -> int:
        """0 decided; 1 the split is wrong or a guardrail is broken; 3 nobody can tell."""
        guards = [one.guardrail.word for one in self.effects if one.guardrail is not None]
        if self.split.mismatch or "broken" in guards:
            return FAILED
        first = [one for one in self.effects if one.metric.name == self.effects[0].metric.name]
        decided = all(one.decided for one in first if one.in_family)
        return DECIDED if decided and "cannot tell" not in guards else UNDECIDED

    @property
    def sentence(self) -> str:
        """What it comes to."""
        if self.split.mismatch:
            return f"Cannot tell: {mismatch(self.split, self.arms)}."
        broken = [one for one in self.effects if one.guardrail is not None and one.guardrail.word == "broken"]
        said = " ".join(one.sentence for one in self.effects if one.metric.name == self.effects[0].metric.name)
        return f"{said} But a guardrail is broken: {', '.join(one.metric.name for one in broken)}." if broken else said


def mismatch(split: SampleRatio, arms: tuple[str, ...]) -> str:
    """What is wrong with the split, in words."""
    came = ", ".join(f"{n:,} of {name}" for name, n in zip(arms, split.units, strict=True))
    meant = ", ".join(f"{n:,.0f}" for n in split.expected)
    return (
        f"{came} came where {meant} were meant (p = {split.p:.1g}, below {MISMATCH:g}): units were lost or sent "
        "astray, and their loss may be what the metrics show; find out where before reading any difference"
    )
