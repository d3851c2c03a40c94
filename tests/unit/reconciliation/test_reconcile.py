"""Which conventions give a number: what is found, how it is counted, and what is said when nothing is."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import numpy as np
import pytest

import rankgauge as rg
from oracles import inputs
from rankgauge.errors import InputError, MeasureError, ParameterError
from rankgauge.reconciliation.search import by_chance

GOLDEN = Path(str(resources.files("rankgauge") / "data" / "golden"))


@pytest.fixture(scope="module")
def golden():
    return rg.read_qrels(GOLDEN / "qrels.txt"), rg.read_run(GOLDEN / "keyword.run")


@pytest.fixture(scope="module")
def made():
    return inputs.made(12, grades=(-1, 0, 0, 1, 2, 3))


def mean(qrels, run, measure, convention):
    return rg.evaluate(qrels, run, measure, convention=convention).mean()["mean"].item()


def changes(explanation):
    return [str(change) for change in explanation.changed]


@pytest.mark.parametrize(
    "tool", ["default", "trec_eval", "ranx", "sklearn", "lightgbm", "gdeval", "beir", "spark_mllib"]
)
@pytest.mark.parametrize("measure", ["nDCG@5", "nDCG"])
def test_a_tools_value_is_laid_to_the_tool(made, tool, measure):
    value = mean(*made, measure, tool)
    found = rg.reconcile(*made, measure=measure, reported=f"{value:.5f}")
    assert tool in {name for one in found.explanations for name in one.tools}


@pytest.mark.parametrize("measure", ["nDCG@5", "AP@3", "RR", "ERR@5", "RBP", "P@3", "bpref", "GMAP"])
def test_each_explanation_evaluates_to_its_value(made, measure):
    value = mean(*made, measure, "trec_eval")
    found = rg.reconcile(*made, measure=measure, reported=f"{value:.2f}", changes=2)
    checked = [one for one in found.explanations if one.convention is not None][:25]
    assert checked
    for one in checked:
        assert one.value in found.reported
        assert mean(*made, one.measure, one.convention) == pytest.approx(one.value, abs=1e-9)


def test_one_choice_that_no_tool_makes_is_found(golden):
    changed = rg.CONVENTIONS["gdeval"].but(ties="docid-asc")
    value = mean(*golden, "nDCG(discount='zipf')@10", rg.CONVENTIONS["default"])
    found = rg.reconcile(*golden, measure="nDCG@10", reported=f"{value:.6f}")
    assert changes(found.explanations[0]) == ["discount: zipf"]
    value = mean(*golden, "nDCG@10", changed)
    found = rg.reconcile(*golden, measure="nDCG@10", reported=f"{value:.6f}")
    assert changes(found.explanations[0]) == ["ties: docid-asc"]


def test_what_is_written_into_the_measure_stays_as_it_is(golden):
    found = rg.reconcile(*golden, measure="nDCG(gain='linear')@10", reported="0.8561")
    assert "gain" not in {step.axis for step in found.sensitivity}
    assert all(one.measure is None or one.measure.parameters["gain"] == "linear" for one in found.explanations)
    assert found.measure == "nDCG(gain='linear')@10"


def test_a_combination_with_changes_that_are_not_needed_is_not_listed(golden):
    found = rg.reconcile(*golden, measure="nDCG@10", reported="0.8561")
    assert [one.tools for one in found.explanations] == [("default", "gdeval")]


def test_axes_without_effect_are_named_and_not_multiplied(golden):
    found = rg.reconcile(*golden, measure="nDCG@10", reported="0.8561")
    assert {"negative", "drop self", "score type"} <= set(found.without_effect)
    assert "ties" not in found.without_effect
    assert found.tried.standing_for > 10 * found.tried.combinations


def test_ties_have_no_effect_where_there_are_none():
    qrels, run = {"q": {"a": 2, "b": 1, "c": 0}}, {"q": {"c": 3.0, "a": 2.0, "b": 1.0}}
    found = rg.reconcile(qrels, run, measure="nDCG@2", reported="0.4")
    assert {"ties", "score type"} <= set(found.without_effect)


def test_when_nothing_matches_the_nearest_values_and_each_choice_are_told(golden):
    found = rg.reconcile(*golden, measure="nDCG@10", reported="0.853111")
    assert not found.found
    assert not found.telling
    assert len(found.nearest) == 5
    gaps = [abs(one.value - found.reported.value) for one in found.nearest]
    assert gaps == sorted(gaps)
    alone = {(step.axis, step.after): step for step in found.sensitivity}
    linear = alone["gain", "linear"]
    assert linear.value == pytest.approx(mean(*golden, "nDCG(gain='linear')@10", "default"))
    assert linear.difference == pytest.approx(linear.value - mean(*golden, "nDCG@10", "default"))
    assert found.tried.changes == 3


def test_more_changes_are_tried_only_while_nothing_is_found(golden):
    assert rg.reconcile(*golden, measure="nDCG@10", reported="0.8561").tried.changes == 2
    assert rg.reconcile(*golden, measure="nDCG@10", reported="0.8561", changes=0).tried.changes == 0


def test_a_bound_on_the_work_is_kept_and_told(golden):
    found = rg.reconcile(*golden, measure="nDCG@10", reported="0.853111", most=100)
    assert (found.tried.changes, found.tried.wished) == (1, 3)


def test_progress_ends_at_the_number_of_combinations(golden):
    seen = []
    found = rg.reconcile(*golden, measure="RR", reported="0.5", progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (found.tried.combinations, found.tried.combinations)


def test_chance_matches_are_as_many_as_the_density_says():
    rng = np.random.default_rng(5)
    values = np.sort(rng.uniform(0, 1, 20_000))
    expected = 20_000 * 2 * 0.00005
    estimates = [by_chance(values, at, 0.00005) for at in np.linspace(0.1, 0.9, 200)]
    assert np.mean(estimates) == pytest.approx(expected, rel=0.1)
    matched = [int((np.abs(values - at) <= 0.00005).sum()) for at in rng.uniform(0.1, 0.9, 4_000)]
    assert np.mean(matched) == pytest.approx(expected, rel=0.1)


def test_a_true_value_does_not_count_as_an_accident():
    assert by_chance(np.array([0.5]), 0.5, 0.00005) == 0.0
    assert by_chance(np.array([0.2, 0.5, 0.9]), 0.5, 0.00005) < 0.001


def test_random_numbers_match_about_as_often_as_is_said(made):
    """The claim about chance, where the truth is known: numbers that no convention produced."""
    rng = np.random.default_rng(11)
    qrels, run = made
    said, matched = [], []
    for number in rng.uniform(0.45, 0.65, 25):
        found = rg.reconcile(qrels, run, measure="nDCG@5", reported=f"{number:.3f}", changes=1)
        said.append(found.tried.by_chance)
        matched.append(len({round(one.value, 9) for one in found.explanations if one.convention is not None}))
    assert np.mean(matched) == pytest.approx(np.mean(said), rel=0.35)


def test_a_mean_over_fewer_queries_is_hinted_at():
    qrels = {f"q{i}": {"a": 1, "b": 0} for i in range(7)}
    run = {f"q{i}": {"a": 2.0, "b": 1.0} if i < 4 else {"b": 2.0, "a": 1.0} for i in range(7)}
    total = 4 + 3 * 0.5
    found = rg.reconcile(qrels, run, measure="RR", reported=f"{total / 9:.4f}")
    assert any(hint.kind == "queries" and "2 more queries counted, with value 0" in hint.text for hint in found.hints)


def test_digits_that_were_cut_off_are_hinted_at(golden):
    value = mean(*golden, "nDCG@10", "default")
    cut = f"{value:.8f}"[:-1]
    assert cut != f"{value:.7f}"
    found = rg.reconcile(*golden, measure="nDCG@10", reported=cut, changes=0)
    assert any(hint.kind == "digits" and hint.text.startswith("default: 0.856066, whose") for hint in found.hints)


def test_an_order_of_ties_that_no_rule_gives_is_hinted_at():
    qrels = {"q": {"b": 1}}
    run = {"q": dict.fromkeys("abcde", 1.0)}
    found = rg.reconcile(qrels, run, measure="RR@7", reported="0.3333", changes=0)
    assert any(hint.kind == "ties" and "between 0.2 and 1" in hint.text for hint in found.hints)


def test_another_measure_is_hinted_at(golden):
    value = mean(*golden, "R@10", "trec_eval")
    found = rg.reconcile(*golden, measure="RR@10", reported=f"{value:.6f}")
    assert any(hint.kind == "measure" and hint.text.startswith("R@10 under ") for hint in found.hints)


def test_means_over_many_orders_are_left_out_and_said_to_be():
    qrels, run = inputs.made(60)
    tied = {query: dict.fromkeys(docs, 1.0) for query, docs in run.items()}
    found = rg.reconcile(qrels, tied, measure="ERR@5", reported="0.5", changes=1)
    assert found.tried.left_out == ("ties: expected, which has too many orders here",)
    assert rg.reconcile(qrels, tied, measure="nDCG@5", reported="0.5", changes=1).tried.left_out == ()


def test_the_rank_column_is_tried_where_it_is_given():
    qrels = {"q": {"a": 1}}
    run = rg.Run.from_dict({"q": {"a": 3.0, "b": 2.0, "c": 1.0}})
    by_rank = rg.Run.from_dict({"q": {"c": 3.0, "b": 2.0, "a": 1.0}})
    found = rg.reconcile(qrels, run, measure="RR@10", reported="0.3333", by_rank=by_rank)
    assert found.explanations[0].tools == ("msmarco",)
    without = rg.reconcile(qrels, run, measure="RR@10", reported="0.3333")
    assert not without.found
    assert "order" in without.without_effect


def test_the_frame_has_a_row_for_each_explanation(golden):
    frame = rg.reconcile(*golden, measure="nDCG@10", reported="0.856").to_polars()
    assert frame.columns[:5] == ["value", "matches", "tools", "start", "changed"]
    assert frame["matches"].all()
    nearest = rg.reconcile(*golden, measure="nDCG@10", reported="0.853111").to_polars()
    assert (nearest.height, nearest["matches"].any()) == (5, False)


def test_a_measure_that_cannot_be_had_is_an_error(golden):
    with pytest.raises(ParameterError, match="P needs a cutoff"):
        rg.reconcile(*golden, measure="P", reported="0.5")
    with pytest.raises(MeasureError, match="needs subtopic qrels"):
        rg.reconcile(*golden, measure="alpha_nDCG@5", reported="0.5")


def test_two_runs_and_a_foreign_run_are_errors(golden):
    qrels, run = golden
    with pytest.raises(InputError, match="runs: expected one run, got 2; pass one at a time"):
        rg.reconcile(qrels, {"a": run, "b": run}, measure="RR", reported="0.5")
    with pytest.raises(InputError, match="expected a query that the qrels judge"):
        rg.reconcile({"z": {"a": 1}}, run, measure="RR", reported="0.5")
