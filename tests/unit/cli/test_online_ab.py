from __future__ import annotations

import json
import shlex

import numpy as np
import polars as pl
import pytest


@pytest.fixture
def events(tmp_path):
    """Rows of impressions: variant B is clicked more often; latency is the same; some users crossed in `crossed`."""
    rng = np.random.default_rng(5)
    n, user = 6000, rng.integers(0, 1500, 6000)
    b, noise = user % 2, rng.normal(0, 10, n)
    noise -= np.where(b, noise[b == 1].mean(), noise[b == 0].mean())
    frame = pl.DataFrame(
        {
            "user_id": user, "variant": ["AB"[k] for k in b], "clicks": (rng.random(n) < 0.10 + 0.08 * b).astype(int),
            "impressions": np.ones(n, int),
            "latency": 100 + noise, "earlier": (user * 37 % 11).astype(float),
        }
    )  # fmt: skip
    frame.write_parquet(tmp_path / "events.parquet")
    pl.concat([frame, frame[:3].with_columns(variant=pl.lit("A"))]).write_csv(tmp_path / "crossed.csv")
    for name in "AB":
        frame.filter(pl.col("variant") == name).write_ndjson(tmp_path / f"{name}.jsonl")
    return frame


BASE = ("online", "ab", "events.parquet", "--arm", "variant", "--control", "A", "--unit", "user_id")


def told(said):
    return json.loads(said.out)


@pytest.mark.parametrize("verb", ["ab", "plan"])
def test_the_help_ends_with_an_example_that_runs(rankgauge, events, verb):
    said = " ".join(rankgauge("online", verb, "--help").out.split())
    example = said.partition(f"Example: rankgauge online {verb} ")[2].split(" ╭")[0].split(" Arguments")[0]
    example = example.split(" Options")[0]
    assert rankgauge("online", verb, *shlex.split(example)).code == 0


def test_a_decided_experiment_exits_0_and_says_so(rankgauge, events):
    said = rankgauge(*BASE, "--metric", "clicks", "--ratio")
    assert said.code == 0
    assert said.out.startswith("+ BETTER: B is better than A in clicks: ")
    same = rankgauge(*BASE, "--metric", "clicks/impressions", "--format", "json")
    effect = told(same)["metrics"][0]
    assert effect["kind"] == "ratio"
    assert effect["difference"]["low"] > 0
    rate = events.group_by("variant").agg(pl.col("clicks").mean()).sort("variant")["clicks"]
    assert (effect["control_value"], effect["arm_value"]) == pytest.approx(tuple(rate))


def test_one_file_per_arm_is_the_same_experiment(rankgauge, events):
    two = rankgauge("online", "ab", "A=A.jsonl", "B=B.jsonl", "--unit", "user_id", "-m", "clicks", "--format", "json")
    one = rankgauge(*BASE, "-m", "clicks", "--format", "json")
    assert told(two)["metrics"] == told(one)["metrics"]


def test_nobody_can_tell_exits_3_and_a_wrong_split_1(rankgauge, events):
    assert rankgauge(*BASE, "-m", "latency:mean", "--format", "json").code == 3
    said = rankgauge(*BASE, "-m", "clicks", "--split", "80,20")
    assert (said.code, said.out[:15]) == (1, "? CANNOT TELL: ")


def test_a_guardrail_is_held_with_its_direction(rankgauge, events):
    guarded = [*BASE, "-m", "clicks", "--ratio", "--format", "json", "--guardrail", "latency:{}", "--lower", "latency"]
    held = rankgauge(*[one.format("5%") for one in guarded])
    assert (held.code, told(held)["metrics"][1]["guardrail"]["outcome"]) == (0, "holds")
    assert told(held)["metrics"][1]["in_family"] is False
    tight = rankgauge(*[one.format("0.01") for one in guarded if one not in ("--lower", "latency")])
    assert (tight.code, told(tight)["metrics"][1]["guardrail"]["outcome"]) == (3, "cannot tell")
    named = rankgauge(*BASE, "-m", "clicks", "--guardrail", "clicks:50%", "--format", "json")
    assert [one["metric"] for one in told(named)["metrics"]] == ["clicks"]
    broken = rankgauge(*BASE, "-m", "latency:mean", "--guardrail", "clicks:1%", "--lower", "clicks", "--ratio")
    assert broken.code == 1
    assert "The guardrail of 1% is broken" in broken.out


def test_the_other_choices_reach_the_analysis(rankgauge, events):
    words = ["--pre", "clicks:earlier", "--margin", "clicks:90%", "--sequential", "--tightest-at", "1500"]
    words += ["--bootstrap", "200", "--aa", "100", "--aa-arms", "A,B", "--correction", "bh", "--format", "json"]
    said = rankgauge(*BASE, "-m", "clicks", "-m", "latency:mean", *words)
    result = told(said)
    assert (result["tightest_at"], result["correction"], len(result["aa"])) == (1500, "bh", 2)
    clicks, latency = result["metrics"]
    assert result["aa"][0]["units"] == sum(result["split"]["units"])
    assert (clicks["cuped"]["column"], latency["cuped"]) == ("earlier", None)
    assert clicks["margin"] == {"size": 0.9, "relative": True}
    assert clicks["difference"]["method"] == "asymptotic confidence sequence"
    assert "200 resamples" in clicks["bootstrap"]["method"]
    for_all = rankgauge(*BASE, "-m", "clicks", "-m", "latency:mean", "--pre", "earlier", "--format", "json")
    assert [one["cuped"]["column"] for one in told(for_all)["metrics"]] == ["earlier", "earlier"]


def test_a_log_that_cannot_be_counted_exits_1_and_names_the_file(rankgauge, events):
    words = [one.replace("events.parquet", "crossed.csv") for one in BASE]
    said = rankgauge(*words, "-m", "clicks")
    assert said.code == 1
    assert "crossed.csv: expected each unit in one arm, got " in said.err
    kept = rankgauge(*words, "-m", "clicks", "--on-bad", "drop")
    assert kept.code == 0
    assert "left out, which is fair only if no arm makes them cross" in kept.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("a.csv", "b.csv", "-m", "x"), "expected --arm COLUMN, or NAME=FILE once for each arm"),
        (("a.csv", "b.csv", "--arm", "v", "-m", "x"), "with --arm, got several"),
        (("A=a.csv", "A=b.csv", "-m", "x"), "NAME=FILE once for each arm"),
        (("a.csv", "--arm", "v", "-m", "x", "--guardrail", "y"), "expected METRIC:MARGIN, got 'y'"),
        (("a.csv", "--arm", "v", "-m", "x", "--margin", "y:1"), "expected one of the metrics x, got 'y'"),
        (("a.csv", "--arm", "v", "-m", "x/"), "metric: expected COLUMN or COLUMN/COLUMN"),
        (("a.csv", "--arm", "v", "-m", "x", "--alpha", "2"), "alpha: expected a number between 0 and 1"),
    ],
)
def test_misuse_exits_2(rankgauge, words, message):
    said = rankgauge("online", "ab", *words)
    assert said.code == 2
    assert message in " ".join(said.err.replace("│", " ").split())


def test_plans_from_a_rate_a_mean_a_preference_and_two_runs(rankgauge):
    rate = rankgauge("online", "plan", "--rate", "0.1", "--lift", "0.2", "--format", "json")
    assert told(rate)["total"] == 7682
    mean = rankgauge("online", "plan", "--mean", "50", "--sd", "10", "--lift", "0.01", "--format", "json")
    assert told(mean)["total"] == 12562
    same = rankgauge("online", "plan", "--sd", "10", "--difference", "0.5", "--cuped", "0.5", "--format", "json")
    assert told(same)["total"] == 6282
    sessions = rankgauge("online", "plan", "--preference", "0.55", "--per-day", "100", "--format", "json")
    assert (told(sessions)["sessions"], told(sessions)["days"]) == (783, 14)
    runs = ("--baseline", "qrels.txt", "keyword.run", "hybrid.run", "-m", "nDCG@10")
    offline = rankgauge("online", "plan", *runs, "--difference", "0.05", "--per-day", "100", "--format", "json")
    assert told(offline)["queries"]["wanted"] == 0.05
    assert told(offline)["interleaving"]["sessions"] == 783
    assert rankgauge("online", "plan", *runs).out.startswith("Offline, hybrid beside keyword: ")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "expected what the plan is made from, got none"),
        (("--rate", "0.1"), "--lift"),
        (("--sd", "1", "--lift", "0.1"), "--mean with --lift"),
        (("--preference", "0.4"), "preference: expected a share above 0.5"),
    ],
)
def test_a_plan_that_lacks_something_exits_2(rankgauge, words, message):
    said = rankgauge("online", "plan", *words)
    assert said.code == 2
    assert message in " ".join(said.err.replace("│", " ").split())
