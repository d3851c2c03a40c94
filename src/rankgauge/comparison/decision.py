"""The rule that turns the evidence on a pair into a verdict. docs/verdict.md explains it and cites the study behind it.

1. A run without results for many queries gets no verdict.
2. Where hardly anything is unjudged, the test decides, if the interval agrees with it.
3. Else, where the bounds of the difference exclude 0, the test decides: the holes can't change the sign. Whether
   they could change the significance is said. Where both ends are equivalent to 0, that decides.
4. Else, up to the share `warned`, the test decides with a warning; up to `refused`, only where every policy for
   unjudged documents gives the same sign; beyond, nothing can be said offline.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from rankgauge.comparison.verdict import Rule, Thresholds, Verdict, Word
from rankgauge.statistics.results import Interval

ROUNDING = 1e-12
"""A bound nearer to 0 than this is 0 but for rounding."""


@dataclass(frozen=True)
class Evidence:
    """What is known of a run beside its baseline under one measure.

    Attributes
    ----------
    difference : mean of run - baseline with its interval
    p : of the test, corrected for the number of runs; None where there is none, `outcome` then says why
    equivalent : whether the difference is shown to be within the margin
    unjudged, missing : shares, of the baseline and of the run
    bounds : of the mean difference; `sure` is what holds at both of their ends, None where nothing does
    policies : mean difference under each policy for unjudged documents
    policies_equivalent : whether the difference is shown to be within the margin under each policy
    identical : whether both return the same documents in the same order as deep as the measure looks
    detectable, needed : difference that so many queries see; queries that see the margin
    """

    measure: str
    baseline: str
    run: str
    n: int
    difference: Interval
    p: float | None
    outcome: str
    equivalent: bool
    unjudged: tuple[float, float]
    missing: tuple[float, float] = (0.0, 0.0)
    bounds: tuple[float, float] | None = None
    sure: Word | None = None
    policies: Mapping[str, float | None] = field(default_factory=dict)
    policies_equivalent: bool = False
    identical: bool = False
    detectable: float | None = None
    needed: int | None = None


def decide(e: Evidence, t: Thresholds) -> Verdict:
    """Give the verdict on a run, with the rule that decided and what to do where nothing is decided."""
    if e.n == 0:
        return _refused(
            e, "no results", f"no query has a value of {e.measure} for both", "check that both belong to these queries"
        )
    for name, share in zip((e.baseline, e.run), e.missing, strict=True):
        if share > 0 and share >= t.missing:
            return _refused(
                e, "no results", f"{name} has no results for {share:.0%} of the queries", f"check that {name} ran"
            )
    word, most = _by_test(e, t), max(e.unjudged)
    apart = abs(e.unjudged[0] - e.unjudged[1]) > t.apart
    if most <= t.clean or e.identical:
        return _said(e, t, word, "judged")
    if e.sure is not None or _excludes_0(e):
        return _said(e, t, e.sure or word, "bounds")
    if most <= t.warned and not apart:
        return _said(e, t, word, "judged, with a warning")
    if most <= t.refused and _policies_agree(e, word):
        return _said(e, t, word, "policies agree")
    return _refused(e, "holes", *_holes(e))


def _by_test(e: Evidence, t: Thresholds) -> Word:
    """What the test says where every document seen was judged."""
    if e.equivalent or e.identical:
        return "equivalent"
    if e.p is None or e.p >= t.alpha or not e.difference.estimate or _includes_0(e.difference):
        return "no difference seen"
    return "better" if e.difference.estimate > 0 else "worse"


def _includes_0(interval: Interval) -> bool:
    return interval.low is not None and interval.high is not None and interval.low <= 0 <= interval.high


def _excludes_0(e: Evidence) -> bool:
    return e.bounds is not None and (e.bounds[0] > ROUNDING or e.bounds[1] < -ROUNDING)


def _policies_agree(e: Evidence, word: Word) -> bool:
    """Whether unjudged = 0, condensed lists and bootstrapped grades all point the same way."""
    if word == "equivalent":
        return e.policies_equivalent
    signs = {math.copysign(1, value) if value else 0.0 for value in e.policies.values() if value is not None}
    return len(e.policies) > 1 and None not in e.policies.values() and len(signs) == 1


def _said(e: Evidence, t: Thresholds, word: Word, rule: Rule) -> Verdict:
    name, against = e.run, e.baseline
    sentence = {
        "better": f"{name} is better than {against}: {_numbers(e)}.",
        "worse": f"{name} is worse than {against}: {_numbers(e)}.",
        "equivalent": _equivalence(e, t),
        "no difference seen": f"No difference seen between {name} and {against}: {_numbers(e)}{_sight(e)}.",
    }[word]
    do = () if word != "no difference seen" or e.needed is None else (_more_queries(e, t),)
    return Verdict(word, rule, sentence, (*_because(e, rule), *_close_call(e, t, word), *_missing(e)), do)


def _numbers(e: Evidence) -> str:
    """The difference with its interval and its p, as "nDCG@10 +0.031 [0.012, 0.050], p = 0.003, 31 queries"."""
    d = e.difference
    said = f"{e.measure} {show(d.estimate)}"
    if d.low is not None and d.high is not None:
        said += f" [{show(d.low)}, {show(d.high)}]"
    said += f", p = {show_p(e.p)}" if e.p is not None else f", no test ({e.outcome})" if e.outcome else ""
    return f"{said}, {e.n} {'query' if e.n == 1 else 'queries'}"


def _equivalence(e: Evidence, t: Thresholds) -> str:
    head = f"{e.run} and {e.baseline} are equivalent"
    if e.identical:
        return f"{head}: they return the same documents in the same order as far down as {e.measure} looks."
    return f"{head}: {_numbers(e)}; a difference above {t.margin:g} is ruled out."


def _sight(e: Evidence) -> str:
    if e.detectable is None:
        return ""
    return f"; so many queries can see a difference of {e.detectable:.2g}, not less"


def _more_queries(e: Evidence, t: Thresholds) -> str:
    return (
        f"judge more queries: about {e.needed:,} are needed to see a difference of {t.margin:g} (power {t.power:.0%})"
    )


def _because(e: Evidence, rule: Rule) -> tuple[str, ...]:
    shares = f"unjudged: {percent(e.unjudged[0])} of what {e.baseline} shows, {percent(e.unjudged[1])} of {e.run}"
    span = "" if e.bounds is None else f"the true mean difference lies from {show(e.bounds[0])} to {show(e.bounds[1])}"
    return {
        "judged": (shares,),
        "bounds": (shares, f"whatever the unjudged documents are, {span}: {_kept(e)}"),
        "judged, with a warning": (f"{shares}: read with care" + (f"; {span}" if span else ""),),
        "policies agree": (shares, f"every policy for unjudged documents gives the same sign: {_policies(e)}"),
        "holes": (shares,),
        "no results": (shares,),
    }[rule]


def _close_call(e: Evidence, t: Thresholds, word: Word) -> tuple[str, ...]:
    if word != "no difference seen" or e.p is None or e.p >= t.alpha:
        return ()
    return (f"too close to call: p is below {t.alpha:g}, but the interval includes 0",)


def _kept(e: Evidence) -> str:
    if e.sure is not None:
        return "they cannot change this"
    return "they cannot change the sign, but at the end nearer 0 it would not be significant"


def _missing(e: Evidence) -> tuple[str, ...]:
    sides = zip((e.baseline, e.run), e.missing, strict=True)
    return tuple(
        f"{name} has no results for {share:.1%} of the queries; they score 0" for name, share in sides if share
    )


def _policies(e: Evidence) -> str:
    return ", ".join(f"{name} {'undefined' if value is None else show(value)}" for name, value in e.policies.items())


def _holes(e: Evidence) -> tuple[str, str]:
    base, run = (percent(share) for share in e.unjudged)
    reason = f"{run} of what {e.run} shows was never judged, and {base} of {e.baseline}"
    if e.bounds is not None:
        reason += (
            f"; the true difference in {e.measure} may be anything from {show(e.bounds[0])} to {show(e.bounds[1])}"
        )
    return reason, "judge the unjudged documents of both, the most influential first, or test online"


def _refused(e: Evidence, rule: Rule, reason: str, advice: str) -> Verdict:
    sentence = f"{e.run} and {e.baseline} cannot be compared offline: {reason}. {advice[0].upper()}{advice[1:]}."
    because = () if not e.policies else (f"policies for unjudged documents: {_policies(e)}",)
    return Verdict("not comparable offline", rule, sentence, (*because, *_missing(e)), (advice,))


def show(value: float | None) -> str:
    """Write a difference with its sign, as "+0.0312"."""
    return "undefined" if value is None else f"{value + 0.0:+.4f}"


def show_p(p: float | None) -> str:
    """Write a p value with two digits that count, as "0.031"."""
    return "-" if p is None else f"{p:.2g}" if p >= 0.0001 else "< 0.0001"


def percent(share: float) -> str:
    """Write a share with one digit, as "33.9%"."""
    return f"{100 * share:.1f}%"
