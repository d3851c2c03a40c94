"""Fusion beside ranx (stored values; live with -m slow) and Pyserini, and where ours is another value on purpose."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankgauge as rg
from rankgauge.errors import InputError
from rankgauge.fusion._method import find_method

STORED = json.loads((Path(__file__).parent / "data" / "ranx_fusion.json").read_text())
GOLDEN = Path(str(resources.files("rankgauge") / "data" / "golden"))
NUMBA = "ignore:unsafe cast from uint64 to int64"  # said while ranx is compiled


def live(test):
    """A comparison with ranx itself, which takes minutes to compile."""
    return pytest.mark.slow(pytest.mark.filterwarnings(NUMBA)(test))


WEIGHTS = [0.5, 0.3, 0.2]
PARAMETERS = {
    "CombGMNZ": {"gamma": 1.7},
    "WSUM": {"weights": WEIGHTS},
    "WMNZ": {"weights": WEIGHTS},
    "Mixed": {"weights": WEIGHTS},
    "RRF": {"k": 60},
    "logN_ISR": {"sigma": 0.2},
    "RBC": {"phi": 0.9},
    "BordaFuse weighted": {"weights": WEIGHTS},
    "Condorcet weighted": {"weights": WEIGHTS},
    "SlideFuse": {"window": 2},
    "ProbFuse": {"segments": 3},
}


def ours(qrels, runs, method, norm):
    """Fused scores as {query: {doc: score}}, best first; a normalisation is for methods that read scores."""
    how = dict(PARAMETERS.get(method, {}))
    if "weights" in how:
        how["weights"] = how["weights"][: len(runs)]
    known = find_method(method.removesuffix(" weighted"))
    return rg.fuse(runs, method=known.name, norm=norm if known.reads_scores else None, qrels=qrels, **how).to_dict()


def assert_same(found, expected):
    assert found.keys() == expected.keys()
    for query, scores in expected.items():
        assert found[query] == pytest.approx(scores, abs=1e-9, rel=1e-12), query
        order = sorted(scores, key=scores.get, reverse=True)
        distinct = len({round(score, 9) for score in scores.values()}) == len(scores)
        assert not distinct or list(found[query]) == order, query


@pytest.mark.parametrize("key", STORED["fused"])
def test_every_method_and_normalisation_gives_ranx_scores(key):
    assert_same(ours(STORED["qrels"], STORED["runs"], *key.split("/")), STORED["fused"][key])


@pytest.mark.parametrize("method", STORED["elected"])
def test_condorcet_gives_ranx_order_where_the_votes_allow_only_one(method):
    assert_same(ours(STORED["qrels"], STORED["elections"], method, "none"), STORED["elected"][method])


def test_every_method_is_compared_with_ranx():
    compared = {key.split("/")[0].removesuffix(" weighted") for key in [*STORED["fused"], *STORED["elected"]]}
    assert {find_method(name).name for name in compared} == set(rg.fusion.METHODS)


@pytest.mark.parametrize(
    ("norm", "mine"), [("min-max", {"a": 2.0, "b": 1.5, "c": 0.0}), ("sum", {"a": 7 / 6, "b": 5 / 6, "c": 0.0})]
)
def test_unlike_ranx_a_list_of_equal_scores_is_worth_something(norm, mine):
    case = STORED["odd"]["flat"]
    found = rg.fuse(case["runs"], method="CombSUM", norm=norm).to_dict()["q"]
    assert found == pytest.approx(mine)
    assert max(case["fused"][norm]["q"].values()) < max(mine.values())


@pytest.mark.parametrize("norm", ["max", "z-score"])
def test_like_ranx_equal_scores_are_the_highest_and_the_mean(norm):
    case = STORED["odd"]["flat"]
    assert rg.fuse(case["runs"], method="CombSUM", norm=norm).to_dict()["q"] == pytest.approx(case["fused"][norm]["q"])


def test_unlike_ranx_a_highest_score_below_zero_is_no_divisor():
    case = STORED["odd"]["below zero"]
    assert case["fused"]["max"]["q"]["a"] < -9e8
    with pytest.raises(InputError, match="run 'run1', query 'q': expected a highest score above 0, got -1; choose"):
        rg.fuse(case["runs"], method="CombSUM", norm="max")


def test_unlike_ranx_a_narrow_range_is_a_range():
    case = STORED["odd"]["narrow"]
    assert case["fused"]["min-max"]["q"]["a"] == pytest.approx(1.4)
    assert rg.fuse(case["runs"], method="CombSUM").to_dict()["q"] == pytest.approx({"a": 2.0, "b": 1.25, "c": 0.0})


def test_ranx_inverted_min_max_is_min_max_of_distances():
    near = {"q": {"a": 0.2, "b": 0.5, "c": 1.0}}
    found = rg.fuse([near], method="CombSUM", norm="min-max", lower_is_better=True).to_dict()["q"]
    assert found == pytest.approx({"a": 1.0, "b": (1.0 - 0.5) / 0.8, "c": 0.0})


@pytest.mark.parametrize(
    ("file", "order", "how"),
    [
        ("rrf_k60.expected", "rank", {"method": "rrf", "k": 60}),
        ("interpolation_alpha.expected", "score", {"method": "wsum", "norm": "none", "weights": [0.4, 0.06]}),
        ("average.expected", "score", {"method": "wsum", "norm": "none", "weights": [0.5, 0.05]}),
    ],
)
def test_pyserini_fuses_its_own_runs_to_the_same_scores(shared, file, order, how):
    folder = shared / "data" / "conformance" / "pyserini-tests"
    runs = [rg.read_run(folder / name, order=order) for name in ("fusion_1.run", "fusion_2.run")]
    expected = rg.read_run(folder / file).to_dict()
    found = rg.fuse(runs, **how).to_dict()
    assert found.keys() == expected.keys()
    assert all(found[query] == pytest.approx(expected[query], abs=1e-12) for query in expected)


@st.composite
def worlds(draw):
    """Two or three runs of the same queries, lists of two or more documents with distinct scores."""
    docs = [f"d{number}" for number in range(8)]
    queries = ["q1", "q2", "q3"][: draw(st.integers(1, 3))]
    qrels = {query: {doc: draw(st.integers(0, 2)) for doc in docs[:5]} | {"d5": 1} for query in queries}
    listed = st.lists(st.sampled_from(docs), min_size=2, max_size=8, unique=True)

    def ranking():
        found = draw(listed)
        scores = draw(st.lists(st.integers(1, 1000), min_size=len(found), max_size=len(found), unique=True))
        return dict(zip(found, [score / 8 for score in scores], strict=True))

    return qrels, [{query: ranking() for query in queries} for _ in range(draw(st.integers(2, 3)))]


@live
@settings(max_examples=15, deadline=None)
@given(world=worlds())
def test_random_worlds_agree_with_ranx(world):
    oracle = pytest.importorskip("oracles.ranx_fusion")
    qrels, runs = world
    for method in oracle.METHODS:
        if not method.startswith("Condorcet"):
            for norm in oracle.NORMS if method in ("CombSUM", "CombMED") else ["min-max"]:
                assert_same(ours(qrels, runs, method, norm), oracle.fused(qrels, runs, method, norm))


@live
def test_the_golden_runs_agree_with_ranx():
    oracle = pytest.importorskip("oracles.ranx_fusion")
    qrels = rg.read_qrels(GOLDEN / "qrels.second-round.txt").to_dict()
    runs = [rg.read_run(GOLDEN / f"{name}.run").ranked().to_dict() for name in ("keyword", "vector")]
    queries = [query for query in runs[0] if query in runs[1] and query in qrels]
    flat = {q for run in runs for q in queries if len(set(run[q].values())) == 1}
    tied = {q for run in runs for q in queries if len(set(run[q].values())) < len(run[q])}  # ranx's order is unstable
    kept = [query for query in queries if query not in flat | tied]
    assert len(kept) >= 10
    qrels = {query: {doc: int(grade) for doc, grade in qrels[query].items()} for query in kept}
    runs = [{query: run[query] for query in kept} for run in runs]
    for method in oracle.METHODS:
        if not method.startswith("Condorcet"):
            assert_same(ours(qrels, runs, method, "min-max"), oracle.fused(qrels, runs, method, "min-max"))


@live
def test_unlike_ranx_runs_need_not_have_the_same_queries():
    oracle = pytest.importorskip("oracles.ranx_fusion")
    runs = [{"q1": {"a": 2.0, "b": 1.0}}, {"q1": {"a": 2.0, "b": 1.0}, "q2": {"c": 1.0, "d": 0.5}}]
    with pytest.raises(AssertionError, match="query ids do not match"):
        oracle.fused({"q1": {"a": 1}}, runs, "CombSUM", "min-max")
    assert list(rg.fuse(runs, method="CombSUM").queries) == ["q1", "q2"]
