from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.weightstats import CompareMeans, DescrStatsW

from rankgauge.errors import InputError, ParameterError
from rankgauge.online.ab import Choices, analyse_experiment
from rankgauge.online.metrics import parse_margin, parse_metric
from rankgauge.statistics.two_proportions import Counted, score_p

OBD = Path(os.environ.get("RANKGAUGE_SHARED", "../shared")) / "data" / "collections" / "obd-clicks"


def log(n=400, *, arms="ab", effect=0.0, seed=1):
    """A row per impression of users, some of whom come often, with what they did before."""
    rng = np.random.default_rng(seed)
    own = rng.normal(0, 1, n)
    arm = rng.integers(0, len(arms), n)
    rows = rng.integers(1, 6, n)
    user = np.repeat(np.arange(n), rows)
    spent = 5 + own[user] + effect * (arm[user] > 0) + rng.normal(0, 1, len(user))
    return pl.DataFrame(
        {
            "user": user, "arm": [arms[k] for k in arm[user]], "spent": spent,
            "click": (rng.random(len(user)) < 0.2).astype(int), "before": own[user],
        }
    )  # fmt: skip


def run(frame, metrics, **how):
    return analyse_experiment(frame, metrics, arm="arm", unit="user", control="a", **how)


def by_user(frame, column):
    sums = frame.group_by("user", "arm").agg(pl.col(column).sum(), pl.len().alias("rows"))
    return [sums.filter(pl.col("arm") == name) for name in "ab"]


def test_a_mean_per_unit_has_welchs_numbers():
    frame = log(effect=0.2)
    effect = run(frame, ["spent"]).effects[0]
    a, b = (DescrStatsW(part["spent"].to_numpy()) for part in by_user(frame, "spent"))
    theirs = CompareMeans(b, a)
    assert (effect.kind, effect.arm, effect.control) == ("mean", "b", "a")
    assert effect.p == pytest.approx(theirs.ttest_ind(usevar="unequal")[1])
    assert (effect.difference.low, effect.difference.high) == pytest.approx(theirs.tconfint_diff(usevar="unequal"))
    assert (effect.control_value, effect.arm_value) == pytest.approx((a.mean, b.mean))


def test_a_proportion_is_the_share_of_units_with_more_than_0():
    frame = log()
    found = run(frame, ["click:proportion"])
    a, b = (Counted(int((part["click"] > 0).sum()), len(part)) for part in by_user(frame, "click"))
    assert found.effects[0].p == pytest.approx(score_p(b, a))
    assert [note.kind for note in found.notes] == ["sums as flags"]


def test_kinds_are_told_by_the_values():
    frame = log().with_columns(flag=(pl.col("user") % 3 == 0) & (pl.col("user").is_first_distinct()))
    kinds = [one.kind for one in run(frame, ["flag", "click", "click/flag"]).effects]
    assert kinds == ["proportion", "mean", "ratio"]


def test_a_ratio_is_sum_by_sum_and_its_bootstrap_is_near_the_delta_method():
    frame = log(2000)
    effect = run(frame, [parse_metric("click", per_row=True)], choices=Choices(resamples=2000)).effects[0]
    a, b = by_user(frame, "click")
    assert effect.arm_value == pytest.approx(b["click"].sum() / b["rows"].sum())
    assert effect.control_value == pytest.approx(a["click"].sum() / a["rows"].sum())
    width = effect.difference.high - effect.difference.low
    assert effect.bootstrap.low == pytest.approx(effect.difference.low, abs=0.08 * width)
    assert effect.bootstrap.high == pytest.approx(effect.difference.high, abs=0.08 * width)
    assert effect.bootstrap.estimate == pytest.approx(effect.difference.estimate)


def test_the_bootstrap_of_values_that_all_differ_is_near_welch():
    effect = run(log(600), ["spent"], choices=Choices(resamples=2000)).effects[0]
    width = effect.difference.high - effect.difference.low
    assert effect.bootstrap.low == pytest.approx(effect.difference.low, abs=0.08 * width)


def test_cuped_narrows_the_interval_by_what_it_says():
    frame = log(2000).group_by("user", "arm").agg(pl.col("spent").mean(), pl.col("before").first())
    effect = run(frame, [replace(parse_metric("spent"), before="before")]).effects[0]
    widths = [one.high - one.low for one in (effect.difference, effect.unadjusted)]
    assert 1 - (widths[0] / widths[1]) ** 2 == pytest.approx(effect.cuped.reduction, abs=0.001)
    assert effect.cuped.reduction == pytest.approx(effect.cuped.correlation**2, abs=0.02)
    assert effect.cuped.reduction > 0.5


def test_units_without_a_value_of_before_are_kept_and_counted():
    frame = log().with_columns(before=pl.when(pl.col("user") % 2 == 0).then(pl.col("before")))
    found = run(frame, [replace(parse_metric("spent"), before="before")])
    assert found.effects[0].cuped.missing == 200
    assert found.effects[0].difference.n == 400
    nobody = run(frame.with_columns(before=pl.lit(None, pl.Float64)), [replace(parse_metric("spent"), before="before")])
    assert nobody.effects[0].cuped.reduction == 0.0
    assert nobody.effects[0].difference == nobody.effects[0].unadjusted


def test_p_is_corrected_over_metrics_and_arms_but_not_for_guardrails():
    frame = log(900, arms="abc", effect=0.05)
    guard = replace(parse_metric("spent/click"), name="guard", guardrail=parse_margin("5%"))
    found = run(frame, ["spent", "click"], guardrails=[guard], choices=Choices(correction="bh"))
    family = [one for one in found.effects if one.in_family]
    assert [(one.metric.name, one.arm) for one in family] == [
        ("spent", "b"), ("spent", "c"), ("click", "b"), ("click", "c"),
    ]  # fmt: skip
    p = [one.p for one in family]
    assert [one.p_holm for one in family] == pytest.approx(multipletests(p, method="holm")[1].tolist())
    assert [one.p_bh for one in family] == pytest.approx(multipletests(p, method="fdr_bh")[1].tolist())
    assert [one.decisive for one in family] == [one.p_bh for one in family]
    assert {one.p_holm for one in found.effects if not one.in_family} == {None}


def test_a_split_that_is_not_what_was_meant_refuses_every_verdict():
    frame = log(effect=3.0)
    meant = run(frame, ["spent"], choices=Choices(split=(90, 10)))
    assert meant.split.mismatch
    assert (meant.effects[0].word, meant.exit_code) == ("cannot tell", 1)
    assert meant.sentence.startswith("Cannot tell: ") and "units were lost or sent astray" in meant.sentence
    assert (run(frame, ["spent"]).effects[0].word, run(frame, ["spent"]).exit_code) == ("better", 0)


def test_looking_at_any_time_is_wider_and_keeps_its_p():
    frame = log(2000, effect=0.5)
    fixed = run(frame, ["spent"]).effects[0].difference
    sequence = run(frame, ["spent"], choices=Choices(tightest_at=2000)).effects[0]
    ratio = (sequence.difference.high - sequence.difference.low) / (fixed.high - fixed.low)
    assert ratio == pytest.approx(1.549, abs=0.01)
    assert sequence.word == "better"
    few = run(log(150), ["spent"], choices=Choices(tightest_at=2000)).effects[0]
    assert (few.word, few.p) == ("cannot tell", None)
    assert "fewer than 100 units in one of the two" in few.sentence


def test_values_without_spread_and_arms_of_one_unit_have_no_verdict():
    frame = pl.DataFrame({"user": range(6), "arm": [*"aaabbb"], "spent": [2.0] * 6, "none": [0] * 6})
    found = run(frame, ["spent", "spent/none"])
    assert [one.word for one in found.effects] == ["cannot tell", "cannot tell"]
    assert "all values of both are equal" in found.effects[0].sentence
    assert "the denominators add up to nothing in one of the two" in found.effects[1].sentence
    assert found.exit_code == 3
    assert "fewer than two units" in run(frame[2:], ["spent"]).effects[0].sentence


def test_what_cannot_be_analysed_is_refused():
    frame = log(50)
    with pytest.raises(ParameterError, match="metrics: expected one or more, each once, got click"):
        run(frame, ["click", "click:mean"])
    with pytest.raises(ParameterError, match="metrics: expected one or more, each once, got none"):
        run(frame, [])
    with pytest.raises(InputError, match="column 'before': expected sums of 0 or more per unit, got "):
        run(frame, ["click/before"])
    with pytest.raises(ParameterError, match="correction: expected one of holm, bh, none, got 'hom'; did you mean"):
        Choices(correction="hom")
    with pytest.raises(ParameterError, match="resamples: expected 0, or 100 or more, got 5"):
        Choices(resamples=5)
    with pytest.raises(ParameterError, match="alpha: expected a number between 0 and 1"):
        Choices(alpha=0)


@pytest.mark.skipif(not OBD.is_dir(), reason="the collections are not here")
@pytest.mark.parametrize(("campaign", "clicks", "word", "p"), [("men", 69, "better", 0.0315), ("women", 46, None, 1.0)])
def test_two_policies_of_the_open_bandit_logs_differ_little(campaign, clicks, word, p):
    files = {arm: OBD / f"{arm}_{campaign}.csv.gz" for arm in ("random", "bts")}
    effect = analyse_experiment(files, ["click"]).effects[0]
    assert (effect.control_value, effect.arm_value) == (0.0046, clicks / 10_000)
    assert effect.p == pytest.approx(p, abs=5e-5)
    assert effect.word == (word or "no difference seen")
    assert ("a close call" in effect.sentence) == (campaign == "men")
