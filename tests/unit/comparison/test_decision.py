"""The rule of the verdict, line by line."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rankgauge.comparison.decision import Evidence, decide
from rankgauge.comparison.verdict import Thresholds
from rankgauge.errors import ParameterError
from rankgauge.statistics.results import Interval

T = Thresholds()
AGREEING = {"unjudged=0": 0.05, "condensed": 0.04, "bootstrapped": 0.02}


def interval(estimate: float, half: float = 0.02) -> Interval:
    return Interval(estimate, estimate - half, estimate + half, 0.95, "BCa bootstrap, 10,000 resamples", 40)


BETTER = Evidence(
    measure="nDCG(gain='exp')@10",
    baseline="old",
    run="new",
    n=40,
    difference=interval(0.05),
    p=0.003,
    outcome="",
    equivalent=False,
    unjudged=(0.0, 0.02),
    bounds=(-0.01, 0.08),
    policies=AGREEING,
    detectable=0.031,
    needed=380,
)
WORSE = replace(BETTER, difference=interval(-0.05), bounds=(-0.08, 0.01), policies={k: -v for k, v in AGREEING.items()})
UNSEEN = replace(BETTER, difference=interval(0.01), p=0.4)


@pytest.mark.parametrize(
    ("evidence", "word"),
    [
        (BETTER, "better"),
        (WORSE, "worse"),
        (UNSEEN, "no difference seen"),
        (replace(UNSEEN, equivalent=True), "equivalent"),
        (replace(BETTER, equivalent=True), "equivalent"),
        (replace(BETTER, p=None, outcome="one query"), "no difference seen"),
    ],
)
def test_where_all_is_judged_the_test_decides(evidence: Evidence, word: str) -> None:
    verdict = decide(evidence, T)
    assert (verdict.word, verdict.rule) == (word, "judged")


def test_a_p_at_the_threshold_is_not_below_it() -> None:
    assert decide(replace(BETTER, p=0.05), T).word == "no difference seen"


def test_a_p_that_the_interval_does_not_bear_out_is_too_close_to_call() -> None:
    verdict = decide(replace(BETTER, p=0.045, difference=Interval(0.116, -0.008, 0.209, 0.95, "BCa", 40)), T)
    assert verdict.word == "no difference seen"
    assert "too close to call: p is below 0.05, but the interval includes 0" in verdict.because


def test_up_to_a_tenth_unjudged_the_test_decides_with_a_warning_and_the_bounds() -> None:
    verdict = decide(replace(BETTER, unjudged=(0.06, 0.09)), T)
    assert (verdict.word, verdict.rule) == ("better", "judged, with a warning")
    assert verdict.because[0].endswith(
        "9.0% of new: read with care; the true mean difference lies from -0.0100 to +0.0800"
    )


def test_shares_that_are_far_apart_need_policies_that_agree_although_both_are_small() -> None:
    apart = replace(BETTER, unjudged=(0.01, 0.08))
    assert decide(apart, T).rule == "policies agree"
    torn = replace(apart, policies=AGREEING | {"condensed": -0.01})
    assert decide(torn, T).word == "not comparable offline"


@pytest.mark.parametrize("share", [0.11, 0.20])
def test_up_to_a_fifth_unjudged_the_test_decides_only_where_every_policy_has_the_same_sign(share: float) -> None:
    doubtful = replace(BETTER, unjudged=(0.0, share))
    assert (decide(doubtful, T).word, decide(doubtful, T).rule) == ("better", "policies agree")
    for other in (-0.01, 0.0, None):
        torn = replace(doubtful, policies=AGREEING | {"bootstrapped": other})
        assert decide(torn, T).word == "not comparable offline"


def test_without_any_policy_known_nothing_agrees() -> None:
    assert decide(replace(BETTER, unjudged=(0.0, 0.15), policies={}), T).word == "not comparable offline"


def test_in_doubt_equivalence_must_hold_under_every_policy() -> None:
    doubtful = replace(BETTER, unjudged=(0.1, 0.12), equivalent=True)
    assert decide(doubtful, T).word == "not comparable offline"
    assert decide(replace(doubtful, policies_equivalent=True), T).word == "equivalent"


def test_beyond_a_fifth_unjudged_nothing_is_said_although_every_policy_agrees() -> None:
    verdict = decide(replace(BETTER, unjudged=(0.034, 0.339), bounds=(-0.21, 0.3)), T)
    assert (verdict.word, verdict.rule, verdict.decided) == ("not comparable offline", "holes", False)
    assert verdict.sentence == (
        "new and old cannot be compared offline: 33.9% of what new shows was never judged, and 3.4% of old; the true "
        "difference in nDCG(gain='exp')@10 may be anything from -0.2100 to +0.3000. Judge the unjudged documents of "
        "both, the most influential first, or test online."
    )


@pytest.mark.parametrize("share", [0.08, 0.15, 0.5])
def test_bounds_that_exclude_0_let_the_test_decide_whatever_the_share(share: float) -> None:
    for evidence, word in ((BETTER, "better"), (UNSEEN, "no difference seen")):
        verdict = decide(replace(evidence, unjudged=(0.0, share), bounds=(0.001, 0.08), policies={}), T)
        assert (verdict.word, verdict.rule) == (word, "bounds")
    assert verdict.because[1].endswith(
        "they cannot change the sign, but at the end nearer 0 it would not be significant"
    )
    below = decide(replace(WORSE, unjudged=(0.0, share), bounds=(-0.08, -0.001), policies={}), T)
    assert (below.word, below.rule) == ("worse", "bounds")


@pytest.mark.parametrize("share", [0.08, 0.15, 0.5])
def test_what_holds_at_both_ends_of_the_bounds_decides_whatever_the_share(share: float) -> None:
    verdict = decide(replace(BETTER, unjudged=(0.0, share), sure="better", policies={}), T)
    assert (verdict.word, verdict.rule) == ("better", "bounds")


def test_a_run_without_results_gets_no_verdict_although_it_is_significantly_worse() -> None:
    verdict = decide(replace(WORSE, missing=(0.0, 1.0)), T)
    assert verdict.word == "not comparable offline"
    assert "new has no results for 100% of the queries" in verdict.sentence


def test_a_few_missing_results_are_said() -> None:
    assert (
        "new has no results for 2.5% of the queries; they score 0"
        in decide(replace(BETTER, missing=(0, 0.025)), T).because
    )


def test_without_a_common_query_nothing_can_be_said() -> None:
    empty = replace(BETTER, n=0, difference=Interval(None, None, None, 0.95, "BCa bootstrap", 0, "no query"), p=None)
    assert decide(empty, T).word == "not comparable offline"


def test_the_same_rankings_are_equivalent_however_little_is_judged() -> None:
    same = replace(UNSEEN, identical=True, unjudged=(0.9, 0.9), difference=interval(0.0, 0.0), p=1.0)
    assert decide(same, T).word == "equivalent"


def test_where_no_difference_is_seen_the_sentence_says_what_could_be_seen_and_what_to_do() -> None:
    verdict = decide(UNSEEN, T)
    assert verdict.sentence == (
        "No difference seen between new and old: nDCG(gain='exp')@10 +0.0100 [-0.0100, +0.0300], p = 0.4, 40 queries; "
        "so many queries can see a difference of 0.031, not less."
    )
    assert verdict.do == ("judge more queries: about 380 are needed to see a difference of 0.01 (power 80%)",)


def test_thresholds_can_be_moved() -> None:
    assert decide(replace(BETTER, unjudged=(0, 0.3)), Thresholds(clean=0.3, warned=0.3, refused=0.3)).rule == "judged"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"alpha": 0.0}, "alpha: expected a number from 0 to 1, got 0.0"),
        ({"margin": -1}, "margin: expected a number from 0 to inf, got -1"),
        ({"refused": 1.2}, "refused: expected a number from 0 to 1, got 1.2"),
        ({"clean": 0.15}, "unjudged shares: expected clean <= warned <= refused, got 0.15, 0.1, 0.2"),
        ({"power": float("nan")}, "power: expected a number from 0 to 1, got nan"),
    ],
)
def test_a_threshold_that_makes_no_sense_is_refused(change: dict[str, float], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Thresholds(**change)
