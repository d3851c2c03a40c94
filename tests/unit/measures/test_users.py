"""User models: values that can be worked out by hand, and what the frame promises."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import permutations

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_allclose

import rankgauge as rg
from rankgauge.engines import memory
from rankgauge.engines.ties import expected
from rankgauge.errors import MeasureError, ParameterError
from rankgauge.measures import REGISTRY, _follow

A = {"b": 0, "a": 3, "x": None, "c": 2, "e": 0, "d": 1}
ADAPTIVE = ["BPM@10", "DynamicBPM", "IFT", "INST", "NERR10", "NERR11", "NERR8@10", "NERR9@10"]
STATIC = ["INSQ", "NPV", "RBP", "RBP(horizon=50)", "SDCG@10", "TBG(h=22)", "UMeasure(L=10)"]


@pytest.fixture(autouse=True)
def _registry() -> Iterator[None]:
    """Forget the measures that a test declares."""
    before = dict(REGISTRY)
    yield
    REGISTRY.clear()
    REGISTRY.update(before)


def judged(*rankings: dict[str, float | None], more: dict[str, float] | None = None, tied: bool = False):
    """Judge one query per ranking: {doc: grade} from rank 1, None for unjudged; `more` is judged, not retrieved."""
    qrels, run = {}, {}
    for number, ranking in enumerate(rankings):
        known = {doc: grade for doc, grade in ranking.items() if grade is not None}
        qrels[f"q{number:03}"] = known | (more or {"never retrieved": 0})
        run[f"q{number:03}"] = {doc: 0.0 if tied else -float(rank) for rank, doc in enumerate(ranking)}
    return memory.judge(rg.Qrels.from_dict(qrels), rg.Run.from_dict({q: r for q, r in run.items() if r}))


def of(measure: str, *rankings: dict[str, float | None], **how) -> list[float]:
    return rg.parse(measure).of(judged(*rankings, **how)).tolist()


@cache
def many(seed: int = 1, queries: int = 20):
    """Judge random rankings, and the same ones alone: one run of all, and a run for each."""
    rankings = random_rankings(np.random.default_rng(seed), queries, longest=60)
    return judged(*rankings), [judged(ranking) for ranking in rankings]


@cache
def swapped():
    """Judge random rankings, and the same ones after a better document has moved up by one."""
    rng = np.random.default_rng(4)
    before, after = [], []
    for _ in range(400):
        grades = rng.integers(0, 4, size=8).astype(float)
        at = int(rng.integers(7))
        better = grades.copy()
        better[at : at + 2] = sorted(grades[at : at + 2], reverse=True)
        before.append({f"d{i}": g for i, g in enumerate(grades)} | {"top": 3.0})
        after.append({f"d{i}": g for i, g in enumerate(better)} | {"top": 3.0})
    return judged(*before), judged(*after)


@cache
def bounds():
    """Judge random rankings as they are, with the best documents in the unjudged places, and below as well."""
    rankings = random_rankings(np.random.default_rng(2), 25, longest=12)
    best = [{doc: 3.0 if grade is None else grade for doc, grade in ranking.items()} for ranking in rankings]
    longer = [ranking | {f"more{i}": 3.0 for i in range(1000)} for ranking in best]
    return judged(*rankings), judged(*best), judged(*longer)


@cache
def tied():
    """Judge one ranking of ties, and all its orders."""
    grades = {"a": 3.0, "b": 0.0, "c": 1.0, "u": None}
    return judged(grades, tied=True), judged(*({doc: grades[doc] for doc in order} for order in permutations("abcu")))


def random_rankings(rng: np.random.Generator, queries: int, longest: int = 30) -> list[dict[str, float | None]]:
    grades = [None, 0.0, 1.0, 2.0, 3.0]
    return [
        {f"d{i}": grades[rng.integers(5)] for i in range(rng.integers(1, longest + 1))} | {"top": 3.0}
        for _ in range(queries)
    ]


@pytest.mark.parametrize(
    ("p", "expected_weights"),
    [(0.5, [1, 0.5, 0.25, 0.06, 0.002]), (0.8, [1, 0.8, 0.64, 0.41, 0.13]), (0.95, [1, 0.95, 0.90, 0.81, 0.63])],
)
def test_rbp_weighs_ranks_by_powers_of_its_persistence(p, expected_weights):
    at = np.array([1, 2, 3, 5, 10])
    weight = rg.profile(f"RBP(p={p})", depth=10).W / (1 - p)
    assert_allclose(weight, p ** (np.arange(1, 11) - 1), rtol=1e-14)
    assert_allclose(weight[at - 1], expected_weights, atol=0.005)


def test_rbp_is_binary_where_a_level_is_given_and_scaled_where_not():
    ranking = {"a": 2, "u": None, "n": 0, "d": 1}
    assert of("RBP(p=0.8, rel=1)", ranking) == pytest.approx([0.3024], abs=1e-12)
    assert of("RBP(p=0.8)", ranking) == pytest.approx([0.2512], abs=1e-12)
    residual = rg.RBP.residual(judged(ranking))
    assert residual.unjudged.tolist() == pytest.approx([0.16], abs=1e-12)
    assert residual.tail.tolist() == pytest.approx([0.8**4], abs=1e-12)


@pytest.mark.parametrize(
    ("measure", "value", "residual"),
    [
        ("RBP(p=0.5, rel=1)", 0.328125, 0.140625),
        ("RBP(p=0.8, rel=1)", 0.327936, 0.390144),
        ("RBP(p=0.5)", 0.296875, 0.140625),
        ("RBP(p=0.8)", 0.250112, 0.390144),
    ],
)
def test_rbp_of_the_worked_example_with_its_whole_residual(measure, value, residual):
    j = judged(A)
    found = rg.parse(measure).residual(j)
    assert rg.parse(measure).of(j).tolist() == pytest.approx([value], abs=1e-12)
    assert (found.unjudged + found.tail).tolist() == pytest.approx([residual], abs=1e-12)


def test_the_tail_remains_where_everything_retrieved_was_judged():
    found = rg.RBP(p=0.5).residual(judged({"a": 1, "b": 0}))
    assert (found.unjudged.tolist(), found.tail.tolist()) == ([0.0], [0.25])


def test_a_cutoff_reads_rbp_down_to_it_and_leaves_the_rest_to_the_tail():
    j = judged({"a": 1, "b": 0, "c": 1})
    cut = rg.RBP(p=0.5) @ 2
    assert cut.of(j).tolist() == [0.5]
    assert cut.residual(j).tail.tolist() == [0.25]


def test_a_missing_ranking_gains_nothing_and_leaves_everything_open():
    j = judged({"a": 1}, {})
    for name in [*STATIC, *ADAPTIVE]:
        measure = rg.parse(name)
        assert measure.of(j)[1] == 0.0
        found = measure.residual(j)
        assert (found.unjudged[1], found.tail[1]) == (0.0, pytest.approx(1.0, abs=1e-9))


def test_grades_are_scaled_by_the_whole_collection_or_by_the_query_where_asked():
    rankings = [{"a": 1, "b": 3}, {"a": 1, "b": 0}]
    assert of("RBP(p=0.5)", *rankings) == pytest.approx([0.5 / 3 + 0.25, 0.5 / 3])
    assert of("RBP(p=0.5, scale='query')", *rankings) == pytest.approx([0.5 / 3 + 0.25, 0.5])
    assert of("RBP(p=0.5, max_grade=4)", *rankings) == pytest.approx([0.5 / 4 + 0.25 * 3 / 4, 0.5 / 4])
    assert of("RBP(p=0.5, gain='exp')", *rankings) == pytest.approx([0.5 / 7 + 0.25, 0.5 / 7])
    assert of("RBP(p=0.5, gain={1: 1, 3: 2})", *rankings) == pytest.approx([0.5 / 2 + 0.25, 0.5 / 2])


def test_a_grade_beyond_the_scale_is_an_error():
    with pytest.raises(ParameterError, match="RBP: expected gains from 0 to that of the top grade, got grade 3; set"):
        of("RBP(max_grade=2)", {"a": 3})


def test_a_negative_grade_gains_nothing_and_the_pooled_count_as_unjudged():
    j = judged({"a": -2, "b": 1, "c": -1})
    assert rg.RBP(p=0.5).of(j).tolist() == [0.25]
    assert rg.RBP(p=0.5).residual(j).unjudged.tolist() == [0.125]
    found = rg.parse("BPM@3").residual(judged({"c": -1, "b": 0}))
    assert found.unjudged.tolist() == [1.0]


@pytest.mark.parametrize(
    ("measure", "name"),
    [
        ("RBP", "RBP(p=0.8)"),
        ("RBP(rel=1)", "RBP(p=0.8, rel=1)"),
        ("INST(T=2,value='ED')", "INST(T=2, value='ED')"),
        ("SDCG@10", "SDCG@10"),
        ("BPM@5", "BPM(T=1)@5"),
        ("IFT", "IFT(T=2, A=0.2)"),
    ],
)
def test_names_say_the_users_parameters_and_are_read_back(measure, name):
    assert str(rg.parse(measure)) == name
    assert rg.parse(name) == rg.parse(measure)


@pytest.mark.parametrize("name", [*STATIC, *ADAPTIVE])
def test_total_utility_is_utility_times_depth_and_costs_are_depths(name):
    j, _ = many()
    value = {which: rg.parse(name)(value=which).of(j) for which in ("EU", "ETU", "EC", "ETC", "ED")}
    assert_allclose(value["ETU"], value["EU"] * value["ED"], rtol=1e-12)
    assert_allclose(value["EC"], 1, rtol=1e-12)
    assert_allclose(value["ETC"], value["ED"], rtol=1e-12)
    assert (value["EU"] >= 0).all() and (value["EU"] <= 1).all() and (value["EU"] > 0).any()


@pytest.mark.parametrize("name", ["INST", "INSQ", "RBP(p=0.99, horizon=100)", "NERR11", "DCG@40", "AP", "RR", "P@7"])
def test_weights_and_last_ranks_sum_to_1(name):
    found = rg.profile(name, depth=1000, gains=[0, 0.2, 0, 0.3])
    assert found.W.sum() == pytest.approx(1, abs=1e-12)
    assert found.L.sum() == pytest.approx(1, abs=1e-12)


def test_the_tail_of_readers_is_lost_where_cwl_eval_is_to_be_reproduced():
    kept, lost = of("INSQ(value='ETU', horizon=2)", {"a": 1}), of("INSQ(value='ETU', horizon=2, tail='lost')", {"a": 1})
    reach = (2 / 3) ** 2
    assert kept == [1.0]
    assert lost == pytest.approx([1 - reach * (3 / 4) ** 2], abs=1e-15)
    assert of("INSQ(horizon=2, tail='lost')", {"a": 1}) == of("INSQ(horizon=2)", {"a": 1})


def test_only_a_memoryless_user_can_go_without_a_horizon():
    assert of("NPV(horizon=None)", {"a": 1}) == pytest.approx([1 - 1 / 1.1], abs=1e-15)
    for name in ("INSQ", "INST"):
        with pytest.raises(ParameterError, match=f"{name}: expected a horizon"):
            of(f"{name}(horizon=None)", {"a": 1})


def test_documents_below_the_horizon_gain_nothing():
    ranking = {"a": 0, "b": 0, "c": 1}
    for name in ("INSQ(horizon=2)", "INST(horizon=2)", "RBP(horizon=2)"):
        assert of(name, ranking) == [0.0]


def test_the_bejeweled_player_stops_when_three_thirds_make_one():
    seventh = {f"d{i}": 1 for i in range(20)}
    assert of("BPM(T=1, max_grade=7, value='ED')@20", seventh) == [7.0]


def test_the_dynamic_player_moves_both_wishes_by_what_was_found():
    ranking = {"a": 1, "b": 0, "c": 0, "d": 0, "e": 0}
    # after rank 1 patience is 2 + 1 (1 - 0.5) = 2.5, after rank 2 it is 2: reads 3 at most by K, T never stops here
    assert of("DynamicBPM(T=9, K=2, hb=0, hc=1, value='ED')", ranking) == [3.0]
    assert of("DynamicBPM(T=9, K=2, hb=0, hc=0, value='ED')", ranking) == [2.0]
    assert of("DynamicBPM(T=1, K=9, hb=1, hc=0, value='ED')", ranking) == [1.0]


@pytest.mark.parametrize("name", [*STATIC, *ADAPTIVE])
def test_a_residual_is_what_the_best_judgments_would_add(name):
    measure = rg.parse(name)
    here, best, longer = bounds()
    found, low = measure.residual(here), measure.of(here)
    middle, high = measure.of(best), measure.of(longer)
    bound = (low <= middle) & (middle <= high)
    assert np.isnan(found.unjudged).tolist() == np.isnan(found.tail).tolist() == (~bound).tolist()
    assert_allclose((low + found.unjudged)[bound], middle[bound], atol=1e-12)
    assert_allclose((low + found.unjudged + found.tail)[bound], high[bound], atol=1e-9)
    assert bound.any()


def test_the_residual_of_precision_splits_into_unjudged_and_empty_places():
    found = (rg.P @ 5).residual(judged({"a": 1, "u": None, "n": 0}))
    assert (found.unjudged.tolist(), found.tail.tolist()) == ([0.2], [0.4])


def test_residuals_of_totals_are_those_of_utility_times_depth_and_costs_of_static_users_are_sure():
    j = judged(A)
    eu, etu = rg.INSQ.residual(j), rg.INSQ(value="ETU").residual(j)
    depth = rg.INSQ(value="ED").of(j)
    assert_allclose(etu.tail, eu.tail * depth, rtol=1e-12)
    assert_allclose(etu.unjudged, eu.unjudged * depth, rtol=1e-12)
    assert rg.INSQ(value="ED").residual(j).tail.tolist() == [0.0]
    assert np.isnan(rg.INST(value="ED").residual(j).tail).all()


@pytest.mark.parametrize("name", [*STATIC, *ADAPTIVE])
def test_a_query_has_the_same_value_alone_and_in_any_batch(name, monkeypatch):
    measure, (together, alone) = rg.parse(name), many()
    values, residual = measure.of(together), measure.residual(together)
    monkeypatch.setattr(_follow, "CELLS", 2500)
    assert measure.of(together).tobytes() == values.tobytes()
    assert measure.residual(together).tail.tobytes() == residual.tail.tobytes()
    assert np.concatenate([measure.of(j) for j in alone]).tobytes() == values.tobytes()


@pytest.mark.parametrize("name", [*STATIC, "INST", "INST(T=0.5)", "INST(T=5)", *(n for n in ADAPTIVE if "NERR" in n)])
def test_moving_a_better_document_up_never_lowers_what_claims_so(name):
    measure, (before, after) = rg.parse(name), swapped()
    assert measure.monotone
    assert (measure.of(before) <= measure.of(after) + 1e-15).all()


def test_users_who_stop_sooner_where_more_is_found_claim_no_order_for_other_values():
    claims = {
        name: rg.parse(name).monotone for name in ["INST", "INST(value='ED')", "BPM@10", "IFT", "RBP(value='ETU')"]
    }
    assert claims == {"INST": True, "INST(value='ED')": False, "BPM@10": False, "IFT": False, "RBP(value='ETU')": True}


@pytest.mark.parametrize("name", STATIC)
def test_ties_of_static_measures_average_exactly(name):
    measure, (together, orders) = rg.parse(name), tied()
    assert_allclose(expected(measure, together).values, measure.of(orders).mean(), rtol=1e-12)


def test_a_profile_of_ones_own_takes_one_line():
    @rg.user_model()
    def Impatient(u, *, p: float = 0.3):
        return p**u.rank

    assert str(rg.parse("Impatient(p=0.5)@3")) == "Impatient(p=0.5)@3"
    V = np.cumprod([1.0, *(0.5 ** np.arange(1.0, 1000))])
    assert of("Impatient(p=0.5)", {"n": 0, "a": 1}) == pytest.approx([V[1] / V.sum()], abs=1e-15)
    assert Impatient.declared.linear


def test_a_profile_of_ones_own_may_adapt_to_what_was_read():
    @rg.user_model(cutoff="required")
    def Once(u, *, enough: float = 1.0):
        """Gain per document of a user who stops with enough."""
        return u.total < enough

    assert of("Once@5", {"n": 0, "a": 1, "b": 1}) == [0.5]
    assert not Once.declared.linear
    assert Once.declared.summary == "Gain per document of a user who stops with enough."
    assert "rel" in Once.declared.parameters and "horizon" not in Once.declared.parameters


def test_weights_by_rank_declare_a_measure():
    rg.weights("Glance", [5, 3, 2])
    assert of("Glance", {"n": 0, "a": 1, "b": 1, "c": 1}) == pytest.approx([0.5], abs=1e-15)
    assert rg.profile("Glance", depth=4).W.tolist() == pytest.approx([0.5, 0.3, 0.2, 0.0], abs=1e-15)
    assert rg.parse("Glance").residual(judged({"u": None})).tail.tolist() == pytest.approx([0.5], abs=1e-15)


@pytest.mark.parametrize("values", [[], [0.3, 0.5], [0, 0], [1, -1], [1, float("nan")]])
def test_weights_that_no_reader_could_have_are_an_error(values):
    with pytest.raises(ParameterError, match="Bad: expected weights from rank 1 on that start above 0 and never rise"):
        rg.weights("Bad", values)


def test_a_chance_above_1_is_an_error_that_names_the_model():
    @rg.user_model()
    def Eager(u):
        return u.rank

    with pytest.raises(ParameterError, match=r"Eager: expected chances to read on in \[0, 1\], got 2"):
        of("Eager", {"a": 1})


def test_a_models_parameter_must_not_hide_one_of_the_frames():
    with pytest.raises(ParameterError, match="Mine: the frame has a parameter 'gain'; choose another name"):

        @rg.user_model()
        def Mine(u, *, gain: float = 1.0):
            return gain


@pytest.mark.parametrize(
    ("measure", "eu", "etu", "ed"),
    [
        ("P@3", 1 / 3, 1.0, 3.0),
        ("RBP(p=0.8)", 0.250112, 1.250560, 5.0),
        ("SDCG@10", 0.228187, 1.036783, 4.543559),
        ("DCG@10", 0.228187, 1.036783, 4.543559),
        ("RR", 0.5, 1.0, 2.0),
        ("AP", 0.444444, 1.230769, 2.769231),
        ("NERR8@5", 0.5, 1.0, 2.0),
        ("BPM@5", 0.5, 1.0, 2.0),
        ("ERR", 0.5, 1.0, 2.0),
    ],
)
def test_any_measure_with_a_user_can_be_looked_at(measure, eu, etu, ed):
    found = rg.profile(measure, gains=[0, 1, 0, 2 / 3, 0, 1 / 3])
    assert [found.EU, found.ETU, found.ED] == pytest.approx([eu, etu, ed], abs=1e-6)
    assert found.EC == pytest.approx(1, abs=1e-12)
    assert len(found.W) == 20


def test_a_user_of_rr_stops_at_the_first_hit():
    found = rg.profile("RR", depth=5, gains=[0, 0, 1, 1])
    assert found.W.tolist() == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0, 0])
    assert found.L.tolist() == [0, 0, 1, 0, 0]
    assert found.adaptive and not rg.profile("P@5").adaptive


def test_a_measure_without_a_user_says_which_have_one():
    with pytest.raises(MeasureError, match=r"bpref: expected a measure that is a user model; these are: .*P, RR, AP"):
        rg.profile("bpref")


def test_gains_of_a_profile_outside_the_unit_are_an_error():
    with pytest.raises(ParameterError, match=r"gains: expected one number in \[0, 1\] for each rank"):
        rg.profile("RR", gains=[0, 2])


def test_evaluate_prints_residuals_beside_the_values():
    found = rg.evaluate({"q": {"a": 1, "b": 0}}, {"q": {"a": 2.0, "u": 1.0}}, ["RBP(p=0.5)", "INST"]).mean()
    first = found.filter(pl.col("measure") == "RBP(p=0.5)").row(0, named=True)
    assert (first["mean"], first["residual_unjudged"], first["residual_tail"]) == (0.5, 0.25, 0.25)
    assert found["tie_low"].to_list() == found["mean"].to_list()
