from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score, confusion_matrix, recall_score

import rankgauge as rg
from rankgauge.errors import FormatError, InputError, ParameterError
from rankgauge.judges.certificate import certify
from rankgauge.judges.certificate_file import from_json, read_certificate, to_json, write_certificate
from rankgauge.judges.labels import JudgeLabels
from rankgauge.judges.probes import Probe
from rankgauge.judges.rules import Rules
from rankgauge.judges.uses import USES
from rankgauge.statistics.proportions import wilson


def world(shift: int = 0, *, right: float = 0.8, seed: int = 1, queries: int = 20, docs: int = 30):
    """People's grades 0 to 3, and a judge that is right so often, else anything, and `shift` too kind."""
    rng = np.random.default_rng(seed)
    human, judge = {}, {}
    for q in range(queries):
        truth = rng.choice(4, docs, p=[0.5, 0.2, 0.2, 0.1])
        said = np.clip(np.where(rng.random(docs) < right, truth, rng.integers(0, 4, docs)) + shift, 0, 3)
        human[f"q{q}"] = {f"d{i}": int(g) for i, g in enumerate(truth)}
        judge[f"q{q}"] = {f"d{i}": int(g) for i, g in enumerate(said)}
    return rg.Qrels.from_dict(human, name="people"), rg.Qrels.from_dict(judge, name="judge")


def labels(judge: rg.Qrels, source: str = "llm:judge-1:abc", **how) -> JudgeLabels:
    return JudgeLabels.from_qrels(judge, source=source, **how)


def certificate(**how):
    people, judge = world()
    return certify(people, labels(judge), resamples=200, **how)


def test_the_numbers_are_those_of_scikit_learn():
    people, judge = world()
    found = certify(people, labels(judge), level=2, resamples=200)
    a, b = people.grades.astype(int), judge.grades.astype(int)
    assert found.kappa.value == pytest.approx(cohen_kappa_score(a, b))
    assert found.quadratic_kappa.value == pytest.approx(cohen_kappa_score(a, b, weights="quadratic"))
    assert found.confusion.counts == tuple(map(tuple, confusion_matrix(a, b).tolist()))
    assert found.sensitivity.estimate == pytest.approx(recall_score(a >= 2, b >= 2))
    assert found.specificity.estimate == pytest.approx(recall_score(a < 2, b < 2))
    assert (found.n, found.queries, found.agreement) == (600, 20, pytest.approx(np.mean(a == b)))
    assert found.bias.estimate == pytest.approx(np.mean(b - a))
    assert [one.level for one in found.levels] == [1, 2, 3]
    assert found.levels[2].kappa.value == pytest.approx(cohen_kappa_score(a >= 3, b >= 3))


def test_intervals_hold_queries_together():
    assert certificate().kappa.clusters == 20


def test_a_good_judge_may_do_everything_and_a_random_one_next_to_nothing():
    people, judge = world(right=0.95)
    assert [use.name for use in certify(people, labels(judge), resamples=200).uses if use.allowed] == list(USES)
    people, judge = world(right=0.0)
    found = certify(people, labels(judge), resamples=200)
    assert [use.name for use in found.uses if use.allowed] == ["prediction-powered"]
    assert "quadratic kappa is" in found.uses[1].because[0]


def test_a_kind_judge_may_label_both_runs_but_not_the_holes_alone():
    people, judge = world(1)
    found = certify(people, labels(judge), resamples=200)
    assert (found.allows("both-arms"), found.allows("holes")) == (True, False)
    assert "the bias's interval goes from" in next(use for use in found.uses if use.name == "holes").because[0]


def test_the_lines_can_be_moved():
    people, judge = world(1)
    assert certify(people, labels(judge), resamples=200, rules=Rules(most_bias=0.4)).allows("holes")
    with pytest.raises(ParameterError, match="most_bias: expected a number from 0 to 1"):
        Rules(most_bias=2)


def test_failures_are_counted_and_too_many_forbid_everything():
    people, judge = world()
    pairs = judge.to_polars()
    kept = rg.Qrels.from_polars(pairs.head(580))
    failed = [(q, d, "refused") for q, d in pairs.tail(20).select("query", "doc").rows()]
    found = certify(people, labels(kept, failed=failed), resamples=200)
    assert (found.n, found.failed, found.unasked) == (580, 20, 0)
    assert not any(use.allowed for use in found.uses)
    assert found.uses[0].because == ("it failed on 3.3% of pairs",)


def test_few_pairs_certify_nothing():
    people, judge = world(queries=3)
    found = certify(people, labels(judge), resamples=200)
    assert found.uses[0].because == ("90 pairs have both labels",)


def test_a_ranker_of_the_judges_family_forbids_to_label_both_runs_unless_it_is_allowed():
    found = certificate(model="llama-3-8b", rankers=["rankllama", "bm25"])
    assert [one.ranker for one in found.circular] == ["rankllama"]
    assert (found.allows("both-arms"), found.allows("prediction-powered")) == (False, True)
    over = certificate(model="llama-3-8b", rankers=["rankllama"], allow_family=True)
    assert over.circular and over.allows("both-arms")


def test_a_probe_that_was_not_passed_forbids_everything():
    probe = Probe("injection", "a higher grade", wilson(3, 60), None, False, 0.0, False, 60, 0)
    found = certificate(probes=[probe])
    assert not any(use.allowed for use in found.uses)
    assert found.uses[0].because == ("probes not passed: injection",)
    assert certificate(probes=[replace(probe, passed=True)]).allows("both-arms")


def test_the_same_judge_has_not_drifted_and_a_kinder_one_has():
    before = certificate()
    again = certificate(earlier=before)
    assert not any(change.drifted for change in again.changes)
    people, judge = world(1)
    found = certify(people, labels(judge, "llm:judge-2:abc"), earlier=before, resamples=200)
    assert {change.what: change.drifted for change in found.changes} == {
        "judge": True, "bias": True, "quadratic kappa": True, "grades": True
    }  # fmt: skip
    assert found.changes[0].says == "signed llm:judge-1:abc before, llm:judge-2:abc now"


def test_fractions_count_as_the_nearest_grade_but_for_the_bias():
    people, judge = world()
    moved = rg.Qrels.from_polars(judge.to_polars().with_columns(grade=rg.Qrels.to_polars(judge)["grade"] + 0.25))
    plain, found = (certify(people, labels(one), resamples=200) for one in (judge, moved))
    assert found.kappa == plain.kappa
    assert found.bias.estimate == pytest.approx(plain.bias.estimate + 0.25)


def test_one_label_only_is_no_kappa_and_no_licence():
    people = rg.Qrels.from_dict({f"q{i}": {f"d{j}": 1 for j in range(10)} for i in range(12)})
    found = certify(people, labels(people), resamples=200)
    assert (found.kappa.value, found.agreement, found.specificity.estimate) == (None, 1.0, None)
    assert found.uses[1].because == ("quadratic kappa is undefined (one label only: chance agrees as well)",)


def test_nothing_to_compare_with_is_refused():
    people, _ = world()
    other = rg.Qrels.from_dict({"x": {"y": 1}})
    with pytest.raises(InputError, match="pairs that people judged, got none with a grade"):
        certify(people, labels(other))
    with pytest.raises(ParameterError, match="use: expected one of prediction-powered"):
        certificate().allows("everything")


def test_a_certificate_comes_back_from_its_file_as_it_was(tmp_path):
    probe = Probe("padding", "a higher grade", wilson(3, 60), certificate().bias, True, 0.05, False, 60, 0)
    found = certificate(model="llama", rankers=["rankllama"], probes=[probe], earlier=certificate())
    write_certificate(found, tmp_path / "c.json")
    assert read_certificate(tmp_path / "c.json") == found
    assert from_json(to_json(found)) == found


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("no", "expected JSON"),
        ("[]", "the format 'rankgauge certificate 1', got 'list'"),
        ('{"format": "other"}', "got 'other'; write it with rankgauge certify -o"),
        ('{"format": "rankgauge certificate 1", "judge": "x"}', "the fields of a certificate"),
        ('{"format": "rankgauge certificate 1", "color": "x"}', "'color'"),
        ('{"format": "rankgauge certificate 1", "n": "many"}', "expected int, got 'many'"),
        ('{"format": "rankgauge certificate 1", "agreement": true}', "expected float, got True"),
    ],
)
def test_another_file_is_no_certificate(text, said):
    with pytest.raises(FormatError, match=said):
        from_json(text)
