"""What every convention owes, and what a few of their choices do."""

import dataclasses

import pytest

import rankgauge as rg
from rankgauge.errors import ConventionError
from rankgauge.measures import find

NAMES = (
    *(
        "default",
        "trec_eval",
        "trec_eval9",
        "pytrec_eval",
        "ir_measures",
        "ranx",
        "beir",
        "sklearn",
        "gdeval",
        "ndeval",
    ),
    *("cwl_eval", "lightgbm", "xgboost", "msmarco", "spark_mllib"),
)
PER_MEASURE = {"ties", "order", "score_type", "undefined", "negative", "ideal", "decimals"}


def test_every_named_tool_has_a_convention():
    assert tuple(rg.CONVENTIONS) == NAMES
    assert [convention.name for convention in rg.CONVENTIONS.values()] == list(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_defaults_name_measures_and_parameters_that_exist_with_values_that_fit(name):
    for measure, parameters in rg.CONVENTIONS[name].defaults.items():
        declared = find(measure)
        assert declared.name == measure
        assert declared(**parameters).parameters == declared.parameters | dict(parameters)


@pytest.mark.parametrize("name", NAMES)
def test_rules_for_single_measures_name_measures_and_change_something(name):
    convention = rg.CONVENTIONS[name]
    for measure, rules in convention.apart.items():
        parsed = rg.parse(measure.removesuffix("@"))
        assert measure.removesuffix("@") in (str(parsed), parsed.name)
        assert set(rules) <= PER_MEASURE
        assert convention.of(measure + "10" * measure.endswith("@")) == dataclasses.replace(
            convention, apart={}, **rules
        )
        assert convention.of(measure) != dataclasses.replace(convention, apart={})


@pytest.mark.parametrize("name", NAMES)
def test_a_convention_says_what_it_is_in_a_few_sentences(name):
    says = rg.CONVENTIONS[name].says
    assert 40 < len(says) < 420
    assert not says.endswith(".")


@pytest.mark.parametrize("name", NAMES)
def test_every_measure_can_be_had_under_every_convention(name):
    qrels = {"q": {"a": 1, "b": 0}}
    measures = [m if m.declared.cutoff != "required" else m @ 2 for m in rg.REGISTRY.values()]
    usable = [m for m in measures if not m.declared.subtopics]
    scores = rg.evaluate(qrels, {"q": {"a": 2.0, "x": 1.0}}, usable, convention=name)
    assert scores.values.shape == (1, len(usable), 1)


def test_a_choice_of_the_user_replaces_the_rules_for_single_measures():
    changed = rg.CONVENTIONS["ir_measures"].but(ties="input")
    assert {changed.of(measure).ties for measure in ("RR", "RR@10", "Judged@5", "alpha_nDCG@10")} == {"input"}
    assert changed.of("ERR@10").decimals == 5


def test_an_unknown_convention_is_an_error_that_offers_near_names():
    with pytest.raises(ConventionError, match="no convention named 'treceval'; did you mean 'trec_eval'"):
        rg.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "RR", convention="treceval")


def test_gdeval_averages_only_queries_of_the_run_with_a_relevant_document():
    qrels = {"1": {"a": 2}, "2": {"a": 0}, "3": {"a": 1}}
    mean = rg.evaluate(qrels, {"1": {"a": 1.0}, "2": {"a": 1.0}}, "nDCG@10", convention="gdeval").mean()
    assert mean.select("mean", "n").row(0) == (1.0, 1)


def test_xgboost_and_lightgbm_give_1_to_a_query_without_relevant_documents():
    qrels, run = {"1": {"a": 0, "b": 0}}, {"1": {"a": 1.0, "b": 0.0}}
    for name, value in [("lightgbm", 1.0), ("xgboost", 1.0), ("sklearn", 0.0), ("trec_eval", 0.0)]:
        assert rg.evaluate(qrels, run, "nDCG@10", convention=name).values.item() == value


def test_beirs_means_have_five_digits_and_its_values_all():
    qrels, run = {"1": {"a": 1, "b": 1, "c": 1}}, {"1": {"a": 1.0}}
    scores = rg.evaluate(qrels, run, "R@10", convention="beir")
    assert scores.mean()["mean"].item() == 0.33333
    assert scores.values.item() == 1 / 3
