"""Verdicts with a judge's labels, on worlds where the truth is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import rankgauge as rg
from rankgauge.judges.certificate import certify
from rankgauge.judges.labels import JudgeLabels
from rankgauge.judges.rules import Rules
from rankgauge.judges.verdict import judged_verdict


def world(
    new_share: float, *, better: float = 0.0, worse: float = 0.0, kind: int = 0, queries: int = 40, seed: int = 1
):
    """Two runs of ten documents per query. `new_share` of the new run's were never judged; they are as good as the
    judged ones; `better` of its rankings have the best documents first, `worse` the worst. The judge is `kind` grades
    too kind."""
    rng = np.random.default_rng(seed)
    human, judge, old, new = {}, {}, {}, {}
    for q in (f"q{i}" for i in range(queries)):
        truth = {f"d{i}": int(g) for i, g in enumerate(rng.integers(0, 3, 20))}
        shown = [f"d{i}" for i in range(10)]
        fresh = rng.random(10) < new_share
        mine = [f"n{i}" if yes else f"d{i}" for i, yes in enumerate(fresh)]
        grades = truth | {f"n{i}": int(truth[f"d{i}"]) for i in range(10)}
        chance = rng.random()
        sign = -1 if chance < better else 1 if chance > 1 - worse else 0
        order = sorted(mine, key=lambda d: sign * grades[d])
        human[q] = truth
        judge[q] = {d: min(3, g + kind) for d, g in grades.items()}
        old[q] = {d: 10.0 - i for i, d in enumerate(shown)}
        new[q] = {d: 10.0 - i for i, d in enumerate(order)}
    people = rg.Qrels.from_dict(human, name="people")
    labels = JudgeLabels.from_qrels(rg.Qrels.from_dict(judge), source="llm:m")
    return people, labels, rg.Run.from_dict(old, name="old"), rg.Run.from_dict(new, name="new")


def audit(people, labels, n: int):
    """People judge all of the first n queries, as the judge does but without its kindness."""
    truth = people.to_dict()
    queries = list(truth)[:n]
    for q in queries:
        truth[q] |= {f"n{i}": truth[q][f"d{i}"] for i in range(10)}
    return rg.Qrels.from_dict(truth, name="people"), queries


def test_where_people_judged_nearly_all_the_judge_is_not_asked():
    found = judged_verdict(*world(0.02, better=0.8))
    assert (found.verdict.rule, found.ways, found.filled) == ("judged", (), None)
    assert found.verdict == found.people.verdicts[0].verdict


def test_between_10_and_20_percent_the_judge_decides_where_all_ways_agree():
    found = judged_verdict(*world(0.15, worse=0.9, kind=1))
    assert 0.10 < found.people.verdicts[0].unjudged[1] < 0.20
    assert (found.verdict.word, found.verdict.rule) == ("worse", "judge")
    assert [way.name for way in found.ways][:3] == ["unjudged=0", "condensed", "both-arms"]
    assert {way.sign for way in found.ways} == {-1}
    assert "labels of llm:m" in found.verdict.sentence
    assert found.bias.estimate == pytest.approx(1.0)


def test_where_the_ways_disagree_nobody_can_tell():
    """Runs of equal worth: as worthless the unjudged documents make the new run worse, as filled it is the same."""
    found = judged_verdict(*world(0.15, better=0.05, kind=1))
    assert (found.verdict.word, found.verdict.rule) == ("not comparable offline", "holes")
    assert "the sign depends on what the unjudged documents are taken for: unjudged=0: -" in found.verdict.sentence
    assert "draw at least 10 queries at random" in found.verdict.do[0]


def test_beyond_20_percent_the_judge_alone_does_not_decide():
    found = judged_verdict(*world(0.4, better=0.9))
    assert found.verdict.word == "not comparable offline"
    assert "people did not judge 4" in found.verdict.sentence


def test_beyond_20_percent_people_who_judged_queries_drawn_at_random_decide_with_the_judge():
    people, labels, old, new = world(0.4, better=0.9, kind=1)
    audited, queries = audit(people, labels, 15)
    found = judged_verdict(audited, labels, old, new, audited=queries)
    assert (found.verdict.word, found.verdict.rule) == ("better", "prediction-powered")
    assert "people's labels of 15 queries and llm:m's of all" in found.verdict.sentence
    assert found.powered.found.interval.low > 0


def test_an_audit_of_equal_runs_decides_nothing():
    people, labels, old, new = world(0.4, better=0.0, kind=1)
    audited, queries = audit(people, labels, 15)
    found = judged_verdict(audited, labels, old, new, audited=queries)
    assert found.verdict.word == "not comparable offline"
    assert any("prediction-powered difference (15 audited queries" in said for said in found.verdict.because)


def test_few_audited_queries_decide_nothing():
    people, labels, old, new = world(0.4, better=0.9)
    audited, queries = audit(people, labels, 8)
    assert not judged_verdict(audited, labels, old, new, audited=queries).verdict.decided
    assert judged_verdict(audited, labels, old, new, audited=queries, rules=Rules(least_audited=8)).verdict.decided


def test_a_judge_whose_bias_is_not_known_decides_nothing():
    people, labels, old, new = world(0.15, worse=0.9)
    holes_only = labels.of(labels.table.filter(labels.table["doc"].str.starts_with("n")))
    found = judged_verdict(people, holes_only, old, new, policy="holes")
    assert "only 0 pairs have a label of people and of the judge" in found.verdict.sentence


def test_what_the_certificate_does_not_allow_is_not_done():
    people, labels, old, new = world(0.15, worse=0.9, kind=1)
    free, bound = (certify(people, labels, model=name, rankers=["rankllama"], resamples=200) for name in ("x", "llama"))
    assert judged_verdict(people, labels, old, new, certificate=free).verdict.rule == "judge"
    found = judged_verdict(people, labels, old, new, certificate=bound)
    assert (found.verdict.word, found.verdict.rule) == ("not comparable offline", "holes")
    assert "does not allow both-arms: of its own family: rankllama (llama)" in found.verdict.sentence


def test_a_judge_that_fails_often_decides_nothing():
    people, labels, old, new = world(0.15, worse=0.9)
    table = labels.graded
    some = (table["query"] == "q1") | (table["query"] == "q2")
    failed = [(q, d, "timeout") for q, d in table.filter(some).select("query", "doc").rows()]
    kept = JudgeLabels.from_qrels(rg.Qrels.from_polars(table.filter(~some)), source="llm:m", failed=failed)
    found = judged_verdict(people, kept, old, new)
    assert "pairs still have no label" in found.verdict.sentence
    assert any(note.kind == "judge failed" for note in found.notes)


def test_with_holes_the_labels_are_lowered_by_both_ends_of_the_bias():
    people, labels, old, new = world(0.15, worse=0.9, kind=1)
    noisy = labels.table.with_columns(grade=(labels.table["grade"] + np.tile([0.5, -0.5], 600)).clip(0, 3))
    found = judged_verdict(people, replace(labels, table=noisy), old, new, policy="holes")
    names = [way.name for way in found.ways]
    assert names[2:] == ["holes", f"holes, labels {-found.bias.low:+.2f}", f"holes, labels {-found.bias.high:+.2f}"]
    raw, low, high = (way.difference.estimate for way in found.ways[2:])
    assert raw > low > high  # the kinder the labels of the new run's documents, the better it seems


def test_equivalent_runs_are_equivalent_in_every_way_or_nobody_can_tell():
    people, labels, old, _ = world(0.15)
    found = judged_verdict(people, labels, old, rg.Run.from_dict(old.to_dict(), name="copy"))
    assert found.verdict.word == "equivalent"
