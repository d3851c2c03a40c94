"""The convention ir_measures beside ir_measures itself, called in the test: its default pipeline of tools."""

import shutil
import sys

import pytest
from hypothesis import assume, given, settings

import rankgauge as rg
from oracles import inputs, irm
from oracles.compare import assert_agree, ours

pytestmark = pytest.mark.skipif(sys.version_info >= (3, 14), reason="ir_measures 0.4.3 reads no names on Python 3.14")

PERL = [name for name in irm.NAMES if "ERR" in name or "exp" in name]
NAMES = {name: theirs for name, theirs in irm.NAMES.items() if name not in PERL}
GDEVAL = {name: irm.NAMES[name] for name in PERL}


@settings(max_examples=50, deadline=None)
@given(inputs.collections())
def test_every_judged_query_has_the_tools_value(collection):
    qrels, run = collection
    expected = irm.per_query(qrels, run, NAMES)
    if set(qrels) - set(run):
        del expected["NumRel"]  # 0 for a query that is missing from the run; ours counts its relevant documents
    assert_agree(ours(qrels, run, expected, "ir_measures"), expected)


@settings(max_examples=20, deadline=None)
@given(inputs.collections())
def test_user_models_have_the_values_of_cwl_eval_behind_the_tool(collection):
    qrels, run = collection
    expected = irm.per_query(qrels, run, irm.USERS)
    assert_agree(ours(qrels, run, expected, "ir_measures"), expected)


@pytest.mark.filterwarnings("ignore")
@settings(max_examples=20, deadline=None)
@given(inputs.judged_subtopics(), inputs.collections(queries=("1", "2"), docs=inputs.ASCII_DOCS))
def test_diversity_has_the_values_of_pyndeval_behind_the_tool(judged, collection):
    assume({query for query, *_ in judged} & collection[1].keys())
    expected = irm.diversity_per_query(judged, collection[1])
    assert_agree(ours(inputs.subtopic_qrels(judged), collection[1], expected, "ir_measures"), expected)


@settings(max_examples=20, deadline=None)
@given(inputs.collections())
def test_a_mean_is_over_every_judged_query(collection):
    qrels, run = collection
    few = {name: NAMES[name] for name in ("AP", "RR@10", "nDCG@3", "Judged@10", "NumRelRet")}
    scores = rg.evaluate(qrels, run, list(few), convention="ir_measures")
    theirs = irm.means(qrels, run, few)
    assert scores.mean()["mean"].to_list() == pytest.approx([theirs[name] for name in few], abs=1e-12)


@pytest.mark.skipif(not shutil.which("perl"), reason="gdeval.pl, which ir_measures calls, needs perl")
@settings(max_examples=15, deadline=None)
@given(inputs.collections(docs=inputs.ASCII_DOCS))
def test_what_gdeval_computes_has_its_five_digits(collection):
    qrels, run = collection
    expected = irm.per_query(qrels, run, GDEVAL)
    assert_agree(ours(qrels, run, expected, "ir_measures"), expected)


def test_one_call_holds_two_orders_of_ties():
    qrels, run = {"q": {"a": 1}}, {"q": dict.fromkeys("abcd", 1.0)}
    assert irm.per_query(qrels, run, {"RR": "RR", "RR@10": "RR@10"}) == {"RR": {"q": 0.25}, "RR@10": {"q": 1.0}}
    assert ours(qrels, run, ["RR", "RR@10"], "ir_measures") == {"RR": {"q": 0.25}, "RR@10": {"q": 1.0}}


def test_ties_chosen_by_the_user_hold_for_every_measure():
    qrels, run = {"q": {"a": 1}}, {"q": dict.fromkeys("abcd", 1.0)}
    found = ours(qrels, run, ["RR", "RR@10"], "ir_measures", ties="docid-asc")
    assert found == {"RR": {"q": 1.0}, "RR@10": {"q": 1.0}}
