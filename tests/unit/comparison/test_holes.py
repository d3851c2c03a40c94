"""Which documents to judge first, and that judging them in that order decides sooner."""

from __future__ import annotations

from importlib import resources

import numpy as np
import polars as pl
import pytest

import rankgauge as rg
from rankgauge.comparison.coverage import coverage
from rankgauge.conventions import convention
from rankgauge.engines import as_measures
from rankgauge.errors import InputError, MeasureError, ParameterError

GOLDEN = resources.files("rankgauge") / "data" / "golden"


def down(docs: str) -> dict[str, float]:
    return {doc: float(len(docs) - place) for place, doc in enumerate(docs)}


@pytest.fixture(scope="module")
def golden() -> tuple[rg.Qrels, rg.Qrels, list[rg.Run]]:
    runs = [rg.read_run(GOLDEN / f"{name}.run", name=name) for name in ("keyword", "vector")]
    return rg.read_qrels(GOLDEN / "qrels.txt"), rg.read_qrels(GOLDEN / "qrels.second-round.txt"), runs


def test_the_influence_is_what_the_document_alone_changes_of_the_mean_difference():
    qrels = {"q": {"a": 1}, "p": {"a": 1, "b": 0}}
    runs = {"old": {"q": down("ab"), "p": down("ab")}, "new": {"q": down("xa"), "p": down("ba")}}
    found = rg.holes(qrels, runs, measure="DCG@2")
    w = 1 / np.log2(3)
    assert found.table.columns == ["query", "doc", "rank of old", "rank of new", "influence", "share"]
    assert found.table.select("query", "doc", "rank of old", "rank of new").rows() == [
        ("q", "x", None, 1),
        ("q", "b", 2, None),
    ]
    assert found.table["influence"].to_list() == pytest.approx([1 / 2, w / 2])
    assert found.table["share"].to_list() == pytest.approx([1 / (1 + w), 1.0])
    assert (found.measure, found.runs, found.depth, found.found) == ("DCG(gain='exp')@2", ("old", "new"), 2, 2)


def test_a_document_in_both_lists_matters_by_the_difference_of_its_ranks():
    found = rg.holes({"q": {"a": 1}}, {"old": {"q": down("xya")}, "new": {"q": down("yxa")}}, measure="RBP(p=0.5)@3")
    assert found.table["influence"].to_list() == pytest.approx([0.25, 0.25])
    same = rg.holes({"q": {"a": 1}}, {"old": {"q": down("xa")}, "new": {"q": down("xa")}}, measure="P@2")
    assert same.table["influence"].to_list() == [0.0]


def test_the_most_influential_pair_of_several_counts():
    runs = {"old": {"q": down("ab")}, "one": {"q": down("abx")}, "two": {"q": down("xab")}}
    found = rg.holes({"q": {"a": 1, "b": 0}}, runs, measure="DCG@3")
    assert found.table.select("rank of old", "rank of one", "rank of two").rows() == [(None, 3, 1)]
    assert found.table["influence"].to_list() == pytest.approx([1.0])


def test_equal_influence_goes_by_the_sum_of_ranks_and_then_by_the_ids():
    runs = {"old": {"q": down("a"), "p": down("a")}, "new": {"q": down("ayx"), "p": down("ayx")}}
    found = rg.holes({"q": {"a": 1}, "p": {"a": 1}}, runs, measure="P@3")
    assert found.table.select("query", "doc").rows() == [("q", "y"), ("p", "y"), ("q", "x"), ("p", "x")]


def test_one_run_alone_is_asked_for_its_own_value():
    found = rg.holes({"q": {"a": 1}}, rg.Run.from_dict({"q": down("axy")}), measure="RBP(p=0.5)", k=2)
    assert found.table.select("doc", "rank of run").rows() == [("x", 2)]
    assert found.table["influence"].to_list() == pytest.approx([0.25])


def test_a_query_without_relevant_documents_can_gain_one():
    found = rg.holes({"q": {"a": 0}}, {"old": {"q": down("a")}, "new": {"q": down("xa")}}, measure="nDCG@2")
    assert found.table["influence"].to_list() == pytest.approx([1.0])


def test_a_pooled_document_without_a_judgment_is_listed():
    qrels = {"q": {"a": 1, "x": -1}}
    assert rg.holes(qrels, {"old": {"q": down("a")}, "new": {"q": down("xa")}}).table["doc"].to_list() == ["x"]
    found = rg.holes(qrels, {"old": {"q": down("a")}, "new": {"q": down("xa")}}, convention="trec_eval")
    assert found.found == 1


def test_the_depth_is_k_or_the_measures_cutoff_or_ten():
    runs = {"old": {"q": down("a")}, "new": {"q": down("abcdefghijklm")}}
    depths = {
        (measure, k): rg.holes({"q": {"a": 1}}, runs, measure=measure, k=k).found
        for measure, k in [("nDCG", None), ("nDCG@5", None), ("nDCG@5", 12), ("bpref", 4), ("AP", 3)]
    }
    assert list(depths.values()) == [9, 4, 11, 3, 2]


def test_a_budget_keeps_the_first_and_the_count_of_all(golden):
    qrels, _, runs = golden
    found, some = rg.holes(qrels, runs), rg.holes(qrels, runs, budget=5)
    assert (found.found, len(found), some.found, len(some)) == (111, 111, 111, 5)
    assert found.to_polars().head(5).equals(some.to_polars())
    assert found.table["share"][-1] == pytest.approx(1.0)


def test_fully_judged_runs_have_no_holes(golden):
    _, second, runs = golden
    assert rg.holes(second, runs).found == 0


@pytest.mark.parametrize(("wrong", "said"), [({"budget": 0}, "budget: expected 1 or more"), ({"k": 0}, "k: expected")])
def test_impossible_sizes_are_refused(wrong, said):
    with pytest.raises(ParameterError, match=said):
        rg.holes({"q": {"a": 1}}, {"q": down("a")}, **wrong)


def test_a_measure_over_subtopics_and_a_run_of_other_queries_are_refused():
    with pytest.raises(MeasureError, match="expected a measure of grades, got alpha_nDCG"):
        rg.holes({"q": {"a": 1}}, {"q": down("a")}, measure="alpha_nDCG@5")
    with pytest.raises(InputError, match="expected a query that the qrels judge, got none"):
        rg.holes({"q": {"a": 1}}, {"p": down("a")})


def _width(qrels: rg.Qrels, runs: list[rg.Run]) -> float:
    how = convention("default")
    measure = as_measures("nDCG@10", how)[0]
    low, high = coverage(qrels, *runs, measure, how=how, rng=np.random.default_rng(0), samples=1).bounds.mean()
    return high - low


def _judged(qrels: rg.Qrels, second: rg.Qrels, chosen: pl.DataFrame) -> rg.Qrels:
    known = second.to_polars().join(chosen.select("query", "doc"), on=["query", "doc"], how="semi")
    return rg.merge_qrels(qrels, rg.Qrels.from_polars(known), source="human:round2").qrels


def test_judging_by_influence_narrows_the_bounds_faster_than_judging_at_random(golden):
    qrels, second, runs = golden
    table = rg.holes(qrels, runs, k=10).table
    rng = np.random.default_rng(5)
    for budget in (20, 50):
        by_influence = _width(_judged(qrels, second, table.head(budget)), runs)
        shuffled = [table[rng.permutation(len(table))].head(budget) for _ in range(10)]
        at_random = [_width(_judged(qrels, second, some), runs) for some in shuffled]
        assert by_influence < min(at_random)
    assert _width(_judged(qrels, second, table), runs) == pytest.approx(0, abs=1e-12)
