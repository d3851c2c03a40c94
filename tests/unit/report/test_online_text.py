from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from rankgauge.online.aa import check_aa
from rankgauge.online.ab import Choices, analyse, analyse_experiment
from rankgauge.online.metrics import parse_margin, parse_metric
from rankgauge.online.plan import Design, plan_interleaving, plan_mean, plan_rate
from rankgauge.online.units import read_units
from rankgauge.report.online import render_experiment, render_plan


@pytest.fixture(scope="module")
def log():
    rng = np.random.default_rng(1)
    own, arm = rng.normal(0, 1, 800), rng.permutation(np.repeat([0, 1], 400))
    return pl.DataFrame(
        {"arm": [*map("ab".__getitem__, arm)], "before": own, "spent": 10 + own + arm + rng.normal(0, 1, 800)}
    )


def metric(**how):
    return replace(parse_metric("spent"), **how)


def test_the_verdict_comes_first_then_what_was_adjusted_and_how(log):
    found = analyse_experiment(log, [metric(before="before")], arm="arm", control="a", choices=Choices(resamples=200))
    lines = render_experiment(found).splitlines()
    assert lines[0].startswith("+ BETTER: b is better than a in spent: ")
    assert "adjusted by before (CUPED): variance -" in lines[1] and "; unadjusted +" in lines[1]
    assert lines[2].endswith("without CUPED, by percentile bootstrap of units, 200 resamples")
    assert lines[3].startswith(
        "400 of a, 400 of b by row; split as meant, p = 1. Welch; confidence 95%, looked at once"
    )


def test_a_wrong_split_is_the_first_thing_said(log):
    found = analyse_experiment(log, ["spent"], arm="arm", control="a", choices=Choices(split=(70, 30)))
    said = render_experiment(found)
    assert said.startswith("? CANNOT TELL: 400 of a, 400 of b came where 560, 240 were meant (p = ")
    assert "split NOT as meant" in said


def test_json_holds_every_number(log):
    units = read_units(log, columns=["spent"], before=["before"], arm="arm", control="a")
    one = metric(before="before", guardrail=parse_margin("5%"), margin=parse_margin("20%"))
    found = analyse(units, [one], choices=Choices(tightest_at=1000, resamples=100))
    checks = check_aa(units, [one], splits=100, rng=np.random.default_rng(1))
    told = json.loads(render_experiment(found, checks, format="json"))
    effect = told["metrics"][0]
    assert (effect["verdict"], effect["equivalent"], told["tightest_at"]) == ("equivalent", True, 1000)
    assert effect["guardrail"]["outcome"] == "holds"
    assert effect["difference"]["low"] == found.effects[0].difference.low
    assert effect["cuped"]["reduction"] == found.effects[0].cuped.reduction
    assert told["split"]["units"] == [400, 400]
    assert told["aa"][0]["alarms"] == checks[0].alarms
    assert told["exit_code"] == 0
    assert render_experiment(found, checks).count(checks[0].sentence) == 1


def test_csv_carries_every_digit_and_markdown_is_a_list_and_a_table(log):
    found = analyse_experiment(log, [metric(lower_is_better=True)], arm="arm", control="a")
    (row,) = csv.DictReader(io.StringIO(render_experiment(found, format="csv")))
    assert float(row["p"]) == found.effects[0].p
    assert (row["metric"], row["verdict"]) == ("spent ↓", "worse")
    assert render_experiment(found, format="markdown").startswith("- - WORSE: b is worse than a in spent")
    assert r"\begin{tabular}" in render_experiment(found, format="latex")


def test_a_plan_is_a_sentence_and_its_numbers():
    plan = plan_rate(0.1, 0.2, design=Design(per_day=1000))
    said = render_plan(plan)
    assert said.startswith(plan.sentence)
    assert "7,682" in said
    told = json.loads(render_plan(plan_mean(0.5, sd=10), format="json"))
    assert (told["total"], told["days"], told["design"]["power"]) == (12562, None, 0.8)
    sessions, *days = plan_interleaving(0.55, design=Design(per_day=100))
    told = json.loads(render_plan(sessions, days=tuple(days), format="json"))
    assert (told["sessions"], told["days"], told["sequential_days"]) == (783, 14, 21)
    assert render_plan(sessions, format="csv").splitlines()[1] == '"sessions with a preference, at 55%",783,1517'
