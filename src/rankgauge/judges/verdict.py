"""The verdict on a pair of runs whose holes a judge has labelled: in how many ways is it the same?

1. Where people's judgments decide (few holes, or bounds that exclude 0), the judge is not asked.
2. Up to the unjudged share `refused`, the judge's labels decide, if the difference has the same sign with unjudged
   documents as worthless, left out (condensed), filled, and filled with the judge's bias at both ends of its interval.
3. Beyond, and where the ways disagree, people's labels of queries drawn at random decide, with the judge's of all
   (prediction-powered), if their interval excludes 0. Else nobody can tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from rankgauge import conventions
from rankgauge.comparison.comparing import compare
from rankgauge.comparison.comparison import Comparison
from rankgauge.comparison.decision import percent, show
from rankgauge.comparison.verdict import Rule, Thresholds, Verdict
from rankgauge.conventions import Convention
from rankgauge.engines.memory import as_measures
from rankgauge.judges.certificate import Certificate
from rankgauge.judges.filling import Filled, Policy, fill
from rankgauge.judges.labels import JudgeLabels, Overlap, overlap
from rankgauge.judges.powered import PoweredDifference, powered_difference
from rankgauge.judges.rules import Rules
from rankgauge.judges.ways import Bench, Way
from rankgauge.measures import Measure
from rankgauge.records import Note, Qrels, Run
from rankgauge.statistics.clustered import clustered_mean
from rankgauge.statistics.results import Interval

DECIDED: tuple[Rule, ...] = ("judged", "judged, with a warning", "bounds", "no results")
"""Rules by which people's judgments, or a run's absence, settle the matter without a judge."""


@dataclass(frozen=True, eq=False)
class JudgedVerdict:
    """A verdict with the ways that led to it.

    Attributes
    ----------
    verdict : what can be said; its rule is "judge" or "prediction-powered" where the judge had a part in it
    ways : differences under each way; empty where people's judgments decide
    bias : mean of judge - human over the pairs that both labelled, interval by queries; None where not asked
    people : the comparison without a judge
    filled, powered : the filled judgments, and the prediction-powered difference, where there are any
    """

    verdict: Verdict
    ways: tuple[Way, ...]
    bias: Interval | None
    people: Comparison = field(repr=False)
    filled: Filled | None = field(default=None, repr=False)
    powered: PoweredDifference | None = field(default=None, repr=False)

    @property
    def notes(self) -> tuple[Note, ...]:
        """What was filled, left open and left out."""
        return tuple(note for part in (self.filled, self.powered) if part is not None for note in part.notes)


def judged_verdict(
    human: Qrels,
    labels: JudgeLabels,
    baseline: Run,
    run: Run,
    measure: str | Measure = "nDCG@10",
    *,
    policy: Policy = "both-arms",
    audited: Sequence[str] = (),
    certificate: Certificate | None = None,
    k: int | None = None,
    convention: Convention | str = "default",
    thresholds: Thresholds | None = None,
    rules: Rules | None = None,
    seed: int = 0,
) -> JudgedVerdict:
    """Compare two runs with people's judgments and, where these do not decide, a judge's.

    Parameters
    ----------
    labels : of the pairs that `pairs_to_judge` lists for the policy; for the bias, pairs with a human label too
    audited : queries drawn at random whose first k people judged wholly, for both runs
    certificate : of the judge; what it does not allow is not done
    k : None: the measure's cutoff, or 10

    Bias in both-arms and calibrated: what is known of it is in both runs alike, or taken out, and only what is not
    known can favour one; labels of pairs that people did not judge are moved up and down by half the width of the
    bias's interval. With holes they are lowered by its lower and by its upper end.
    """
    how, t, limits = conventions.convention(convention), thresholds or Thresholds(), rules or Rules()
    chosen = as_measures(measure, how)[0]
    depth = k or chosen.cutoff or 10
    people = compare(human, [baseline, run], [chosen], convention=how, thresholds=t, seed=seed)
    pair = people.verdicts[0]
    if pair.verdict.rule in DECIDED:
        return JudgedVerdict(pair.verdict, (), None, people)
    ties = how.ties if how.ties != "expected" else "docid-desc"
    filled = fill(policy, human, labels, [baseline, run], k=depth, ties=ties)
    both = overlap(human, labels)
    bias = clustered_mean((both.table["judge"] - both.table["human"]).to_numpy(), both.table["query"].to_list())
    ways = Bench(human, baseline, run, chosen, how, t, seed).ways(pair, filled, bias)
    powered = None
    if audited and (certificate is None or certificate.allows("prediction-powered")):
        powered = powered_difference(
            human, labels, baseline, run, chosen, audited=audited, k=depth, convention=how, confidence=1 - t.alpha
        )
    doubt = _banned(policy, certificate) or _doubt(max(pair.unjudged), ways, filled, both, t, limits)
    evidence = _Evidence(run.name, baseline.name, str(chosen), labels.source, ways, bias, powered, pair.verdict, doubt)
    return JudgedVerdict(_decide(evidence, limits), ways, bias, people, filled, powered)


@dataclass(frozen=True)
class _Evidence:
    run: str
    baseline: str
    measure: str
    judge: str
    ways: tuple[Way, ...]
    bias: Interval
    powered: PoweredDifference | None
    people: Verdict
    doubt: str


def _banned(policy: Policy, certificate: Certificate | None) -> str:
    """Why the certificate forbids the policy; empty where it does not."""
    if certificate is None or certificate.allows(policy):
        return ""
    because = next(use.because for use in certificate.uses if use.name == policy)
    return f"its certificate does not allow {policy}: {'; '.join(because)}"


def _doubt(unjudged: float, ways: tuple[Way, ...], filled: Filled, both: Overlap, t: Thresholds, limits: Rules) -> str:
    """Why the judge's labels do not decide; empty where they do."""
    if unjudged > t.refused:
        return f"people did not judge {percent(unjudged)} of what one run shows"
    if len(both) < limits.least_overlap:
        return f"only {len(both)} pairs have a label of people and of the judge: its bias is not known"
    open_, asked = filled.failed + filled.unasked, int((filled.provenance["source"] != "human").sum())
    if open_ > limits.most_failed * (open_ + asked):
        return f"{open_} pairs still have no label"
    if len({way.sign for way in ways}) > 1 or ways[0].sign in (None, 0):
        return f"the sign depends on what the unjudged documents are taken for: {'; '.join(map(str, ways))}"
    return ""


def _decide(e: _Evidence, limits: Rules) -> Verdict:
    shown = f"ways to treat what people did not judge: {'; '.join(map(str, e.ways))}"
    because = (shown, _of_bias(e), *_of_powered(e))
    if not e.doubt:
        way = e.ways[2]
        sentence = {
            "better": f"{e.run} is better than {e.baseline}",
            "worse": f"{e.run} is worse than {e.baseline}",
            "equivalent": f"{e.run} and {e.baseline} are equivalent",
        }.get(way.word, f"No difference seen between {e.run} and {e.baseline}")
        return Verdict(way.word, "judge", f"{sentence}: {_numbers(e, way.difference)}, labels of {e.judge}.", because)
    if e.powered is not None and e.powered.found.labelled >= limits.least_audited:
        found = e.powered.found.interval
        if found.low is not None and found.high is not None and (found.low > 0 or found.high < 0):
            better = found.low > 0
            sentence = f"{e.run} is {'better' if better else 'worse'} than {e.baseline}: {_numbers(e, found)}"
            sentence += f", people's labels of {e.powered.found.labelled} queries and {e.judge}'s of all."
            return Verdict("better" if better else "worse", "prediction-powered", sentence, (e.doubt, *because))
    sentence = f"{e.run} and {e.baseline} cannot be compared offline, with {e.judge}'s labels neither: {e.doubt}."
    audit = (
        f"draw at least {limits.least_audited} queries at random, have people judge all that both runs show for them, "
        "and name them as audited"
    )
    return Verdict("not comparable offline", "holes", sentence, because, (audit, *e.people.do))


def _numbers(e: _Evidence, found: Interval) -> str:
    ends = f"{found.confidence:.0%} from {show(found.low)} to {show(found.high)}"
    return f"mean difference in {e.measure} {show(found.estimate)}, {ends}"


def _of_bias(e: _Evidence) -> str:
    if e.bias.estimate is None:
        return "no pair has a label of people and of the judge"
    ends = "" if e.bias.low is None else f", {e.bias.confidence:.0%} from {e.bias.low:+.2f} to {e.bias.high:+.2f}"
    return f"judge - human is {e.bias.estimate:+.2f} on average over the {e.bias.n} pairs that both labelled{ends}"


def _of_powered(e: _Evidence) -> tuple[str, ...]:
    if e.powered is None:
        return ()
    found = e.powered.found
    ends = f"{show(found.interval.estimate)}, from {show(found.interval.low)} to {show(found.interval.high)}"
    return (f"prediction-powered difference ({found.labelled} audited queries, {found.unlabelled} others): {ends}",)
