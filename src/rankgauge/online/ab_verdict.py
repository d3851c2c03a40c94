"""The rule that turns an effect into a word: the split first, then the margin, then the test."""

from __future__ import annotations

from dataclasses import replace

from rankgauge.online.experiment import Effect, Guardrail, GuardWord, Word
from rankgauge.online.metrics import Margin
from rankgauge.statistics.results import Interval
from rankgauge.statistics.sample_ratio import SampleRatio

SUGGESTIVE = 0.005
"""p from which a difference is a close call, though it is below the level."""


def judged(effect: Effect, split: SampleRatio, alpha: float, tightest_at: int | None) -> Effect:
    """Give an effect its word and its sentence; none but "cannot tell" where the split is not what was meant.

    "better" and "worse" need the corrected p below α and an interval without 0; "equivalent" an interval within the
    margin, which goes before them: such a difference does not matter.
    """
    if split.mismatch:
        said = f"{effect.metric.name}: cannot tell, as the split of units is not what was meant."
        guard = effect.guardrail and replace(effect.guardrail, word="cannot tell")
        return replace(effect, word="cannot tell", sentence=said, guardrail=guard)
    word = _word(effect, alpha)
    return replace(effect, word=word, sentence=_sentence(effect, word, alpha, tightest_at))


def guard_of(ends: Interval, margin: Margin, lower_is_better: bool) -> Guardrail:
    """Whether the interval lies on the good side of the margin, beyond it, or across."""
    if ends.low is None or ends.high is None:
        return Guardrail(margin, "cannot tell", None, ends)
    worst, best = (-ends.high, -ends.low) if lower_is_better else (ends.low, ends.high)
    word: GuardWord = "holds" if worst > -margin.size else "broken" if best < -margin.size else "cannot tell"
    return Guardrail(margin, word, ends.high if lower_is_better else ends.low, ends)


def _word(e: Effect, alpha: float) -> Word:
    d = e.difference
    if d.low is None or d.high is None or d.estimate is None:
        return "cannot tell"
    if e.equivalent:
        return "equivalent"
    if e.decisive is None or e.decisive >= alpha or d.low <= 0 <= d.high:
        return "no difference seen"
    return "better" if (d.estimate > 0) != e.metric.lower_is_better else "worse"


def _sentence(e: Effect, word: Word, alpha: float, tightest_at: int | None) -> str:
    head = {
        "better": f"{e.arm} is better than {e.control} in {e.metric.name}",
        "worse": f"{e.arm} is worse than {e.control} in {e.metric.name}",
        "equivalent": f"{e.arm} and {e.control} are equivalent in {e.metric.name}",
        "no difference seen": f"No difference seen between {e.arm} and {e.control} in {e.metric.name}",
        "cannot tell": f"Cannot tell {e.arm} from {e.control} in {e.metric.name}",
    }[word]
    if word == "cannot tell":
        return f"{head}: {e.difference.outcome or 'there is no interval'}.{_guard(e)}"
    tail = {
        "equivalent": f"; a difference of {e.metric.margin} or more is ruled out",
        "no difference seen": _unseen(e, alpha, tightest_at),
    }.get(word, _close(e))
    return f"{head}: {numbers(e)}{tail}.{_guard(e)}"


def numbers(e: Effect) -> str:
    """Both values, the difference and its p, as "0.30 against 0.20, +0.1 [+0.03, +0.2], p = 0.01"."""
    d, r = e.difference, e.relative
    said = (
        f"{show(e.arm_value)} against {show(e.control_value)}, {signed(d.estimate)} [{signed(d.low)}, {signed(d.high)}]"
    )
    if r.estimate is not None:
        said += f" ({r.estimate:+.1%} [{r.low:+.1%}, {r.high:+.1%}])"
    said += f", p = {e.p:.2g}" if e.p is not None else ""
    corrected = e.decisive is not None and e.p is not None and e.decisive != e.p
    return said + (f" ({e.decisive:.2g} corrected)" if corrected else "")


def _close(e: Effect) -> str:
    """Benjamin et al. (2018), doi:10.1038/s41562-017-0189-z: between 0.005 and 0.05 evidence is only suggestive."""
    near = e.decisive is not None and e.decisive >= SUGGESTIVE
    return f"; a close call, as p is above {SUGGESTIVE:g}: see it again before much hangs on it" if near else ""


def _unseen(e: Effect, alpha: float, tightest_at: int | None) -> str:
    if e.p is not None and e.decisive is not None and e.p < alpha <= e.decisive:
        return "; alone it would be below the level, among so many it is not"
    if tightest_at is not None:
        return "; it may be looked at again with more units"
    return "; the interval is what may be true, and does not say that nothing is"


def _guard(e: Effect) -> str:
    if e.guardrail is None:
        return ""
    guard = e.guardrail
    shown = "there is no interval" if guard.worst is None else (
        f"at worst {guard.worst:+.2%}" if guard.margin.relative else f"at worst {signed(guard.worst)}"
    )  # fmt: skip
    said = {"holds": "holds", "broken": "is broken", "cannot tell": "is neither shown to hold nor broken"}[guard.word]
    return f" The guardrail of {guard.margin} {said}: {shown}."


def show(value: float | None) -> str:
    """Write a value with four digits that count."""
    return "undefined" if value is None else f"{value:.4g}"


def signed(value: float | None) -> str:
    """Write a difference with its sign."""
    return "undefined" if value is None else f"{value + 0.0:+.3g}"
