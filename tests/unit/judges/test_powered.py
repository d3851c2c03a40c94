from __future__ import annotations

import numpy as np
import pytest

import rankgauge as rg
from rankgauge.errors import InputError
from rankgauge.judges.labels import JudgeLabels
from rankgauge.judges.powered import powered_difference
from rankgauge.statistics.prediction_powered import prediction_powered


def world(seed: int = 1, queries: int = 60, audited: int = 15):
    """Two runs over the same ten documents; the new one is better; people judged `audited` queries."""
    rng = np.random.default_rng(seed)
    human, judge, old, new = {}, {}, {}, {}
    for q in range(queries):
        truth = rng.integers(0, 4, 10)
        said = np.clip(truth + rng.integers(0, 2, 10), 0, 3)
        human[f"q{q}"] = {f"d{i}": int(g) for i, g in enumerate(truth)}
        judge[f"q{q}"] = {f"d{i}": int(g) for i, g in enumerate(said)}
        for run, noise in ((old, 3.0), (new, 1.0)):
            run[f"q{q}"] = {f"d{i}": float(g + noise * rng.normal()) for i, g in enumerate(truth)}
    runs = rg.Run.from_dict(old, name="old"), rg.Run.from_dict(new, name="new")
    names = [f"q{q}" for q in range(audited)]
    people = rg.Qrels.from_dict({q: human[q] for q in names})
    return people, JudgeLabels.from_qrels(rg.Qrels.from_dict(judge), source="llm:m"), runs, names, human


def test_people_correct_the_judge_on_all_queries():
    people, labels, runs, names, human = world()
    found = powered_difference(people, labels, *runs, audited=names)
    values = [rg.evaluate(rg.Qrels.from_dict(q), list(runs), ["nDCG@10"]).values[:, 0] for q in (human,)]
    truth = values[0][1] - values[0][0]
    assert (found.found.labelled, found.found.unlabelled, found.found.left_out) == (15, 45, 0)
    assert found.people[:15] == pytest.approx(truth[:15])
    assert found.found == prediction_powered(found.people, found.judge)
    assert found.found.interval.low < truth.mean() < found.found.interval.high
    width = found.found.interval.high - found.found.interval.low
    assert width < found.found.people.high - found.found.people.low


def test_a_query_that_people_judged_by_chance_does_not_count_as_audited():
    people, labels, runs, names, _ = world()
    assert powered_difference(people, labels, *runs, audited=names[:12]).found.labelled == 12


def test_an_audited_query_that_people_did_not_judge_wholly_is_left_out_and_said():
    _, labels, runs, names, human = world()
    part = rg.Qrels.from_dict({q: {d: g for d, g in human[q].items() if (q, d) != ("q3", "d4")} for q in names})
    found = powered_difference(part, labels, *runs, audited=names)
    assert found.found.labelled == 14
    assert found.notes[0].text == "1 audited queries were not judged wholly by people and are left out: 'q3'"


def test_a_query_with_a_failure_of_the_judge_is_left_out_and_said():
    people, labels, runs, names, _ = world()
    table = labels.graded
    kept = rg.Qrels.from_polars(table.filter(~((table["query"] == "q20") & (table["doc"] == "d1"))))
    found = powered_difference(
        people, JudgeLabels.from_qrels(kept, source="llm:m", failed=[("q20", "d1", "timeout")]), *runs, audited=names
    )
    assert (found.found.unlabelled, found.found.left_out) == (44, 1)
    assert found.notes[0].kind == "not wholly labelled"
    assert "'q20'" in found.notes[0].text


def test_labels_of_other_documents_are_refused():
    people, _, runs, names, _ = world()
    other = JudgeLabels.from_qrels(rg.Qrels.from_dict({"q1": {"x": 1}}), source="llm:m")
    with pytest.raises(InputError, match="some of the first 10 of both runs"):
        powered_difference(people, other, *runs, audited=names)
