"""Similarity of runs: hand values, published examples, SciPy as the oracle for tau, and plain Python."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import permutations, product
from string import ascii_lowercase

import numpy as np
import polars as pl
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

import rankgauge as rg
from rankgauge.errors import InputError, ParameterError
from rankgauge.measures import _concordance

Scores = dict[str, float]


def ranking(docs: str | list[str]) -> dict[str, Scores]:
    """A run of one query: the documents in this order, or the letters of a text."""
    return {"q": {doc: -float(rank) for rank, doc in enumerate(docs)}}


def rbo(a: str | list[str], b: str | list[str], p: float = 0.9) -> float:
    return float(rg.rbo(ranking(a), ranking(b), p=p).values[0])


def numbered(values: list[float]) -> Scores:
    return {f"s{number}": value for number, value in enumerate(values)}


@pytest.mark.parametrize("p", [0.1, 0.5, 0.9, 0.99])
def test_equal_rankings_overlap_fully_and_disjoint_ones_not_at_all(p: float) -> None:
    assert rbo("abcdefg", "abcdefg", p) == 1.0
    assert rbo("abcdefg", "hijk", p) == 0.0


def test_rank_biased_overlap_by_hand() -> None:
    """Agreements of abc and bad: 0, 1, 2/3; then 2/3 goes on."""
    assert rbo("abc", "bad", 0.5) == pytest.approx(0.5 * (0 + 0.5 * 1 + 0.25 * 2 / 3) + 0.125 * 2 / 3, abs=1e-15)


@pytest.mark.parametrize(
    ("other", "p", "expected"),
    [
        ("aptkn", 0.2, 0.892587),
        ("av", 0.2, 0.900000),
        ("ma", 0.4, 0.200001),
        ("yad", 0.4, 0.187572),
        ("karfvodcjmwgzlypebunq", 0.9, 0.468431),
        ("zhatsimjpnkvcfxwqgoeryubd", 0.9, 0.364444),
        ("sozxjfdenvqkbgryapc", 0.9, 0.307626),
        ("zclx", 0.9, 0.233312),
        ("nxqyk", 0.9, 0.049050),
        ("f", 0.9, 0.053090),
    ],
)
def test_uneven_rankings_extrapolate_as_the_reference_program_does(other: str, p: float, expected: float) -> None:
    """Against a to z; printed by the program of the paper, from the test data of the crate `rbo` (mpetri/rbo)."""
    assert round(rbo(ascii_lowercase, other, p), 6) == expected


def test_ties_that_are_averaged_over_give_the_values_of_the_paper_on_ties() -> None:
    """The example of the code that goes with Corsi & Urbano (2024): ext, min, max and res of its variant a."""
    x = {"red": 5.0, "blue": 4.0, "green": 4.0, "yellow": 3.0, "pink": 2.0}
    y = {"blue": 9.0, "red": 9.0, "white": 8.0, "yellow": 7.0, "black": 7.0, "purple": 7.0, "green": 1.0}
    found = rg.rbo({"q": x}, {"q": y}, p=0.95, ties="expected")
    values = [found.values[0], found.low[0], found.high[0], found.residual[0]]
    assert np.round(values, 7).tolist() == [0.6922853, 0.3310519, 0.8930692, 0.5620173]


def test_the_mean_over_the_orders_of_ties_is_the_mean_over_all_orders() -> None:
    a = {"w": 3.0, "v": 2.0, "u": 2.0, "t": 2.0, "s": 1.0}
    b = {"t": 9.0, "w": 9.0, "r": 8.0, "u": 8.0, "x": 7.0, "y": 7.0, "v": 6.0}
    of_a = [["w", *middle, "s"] for middle in permutations("vut")]
    of_b = [[*x, *y, *z, "v"] for x, y, z in product(permutations("tw"), permutations("ru"), permutations("xy"))]
    for depth in (None, 2, 3, 5, 6):
        found = rg.rbo({"q": a}, {"q": b}, p=0.8, depth=depth, ties="expected")
        each = [rg.rbo(ranking(x), ranking(y), p=0.8, depth=depth) for x, y in product(of_a, of_b)]
        assert found.values[0] == pytest.approx(np.mean([one.values[0] for one in each]), abs=1e-12), depth
        assert found.low[0] == pytest.approx(np.mean([one.low[0] for one in each]), abs=1e-12), depth
        assert found.high[0] >= np.mean([one.high[0] for one in each]) - 1e-12, depth


def test_ties_stand_in_the_order_that_is_asked_for() -> None:
    tied, other = {"q": {"a": 1.0, "b": 1.0}}, ranking("ba")
    assert rg.rbo(tied, other).values[0] == rg.rbo(tied, other, ties="docid-desc").values[0] == 1.0
    assert rg.rbo(tied, other, ties="docid-asc").values[0] == rbo("ab", "ba")
    assert rg.rbo(tied, other, ties="input").values[0] == rbo("ab", "ba")
    assert rg.rbo(tied, other, ties="expected").values[0] == pytest.approx((1 + rbo("ab", "ba")) / 2)


def test_the_bounds_hold_and_are_reached_whatever_follows() -> None:
    """The rankings are continued for 300 ranks: by strangers, and by each other's documents."""
    a, b = list("abcde"), list("bxa")
    found = rg.rbo(ranking(a), ranking(b), p=0.9)
    filler = [f"f{number}" for number in range(300)]
    strangers = rbo([*a, *[f"g{f}" for f in filler]], [*b, *[f"h{f}" for f in filler]])
    friends = rbo([*a, "x", *filler], [*b, "c", "d", "e", *filler])
    assert found.low[0] == pytest.approx(strangers, abs=1e-12)
    assert found.high[0] == pytest.approx(friends, abs=1e-12)
    assert found.low[0] < found.values[0] < found.high[0]


def test_what_is_below_the_depth_is_not_seen() -> None:
    assert rg.rbo(ranking("abcxyz"), ranking("bacuvw"), depth=3).values[0] == rbo("abc", "bac")
    assert rg.rbo(ranking("abc"), ranking("bac"), depth=3).measure == "RBO(p=0.9)@3"


LISTS = st.lists(st.sampled_from("abcdefghij"), unique=True, min_size=1, max_size=10)
TIED = st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from([0.0, 1.0, 2.0, 3.0]), min_size=1, max_size=8)


@given(LISTS, LISTS, st.sampled_from([0.2, 0.8, 0.95]))
def test_rank_biased_overlap_is_what_its_sum_says(a: list[str], b: list[str], p: float) -> None:
    found = rg.rbo(ranking(a), ranking(b), p=p)
    assert found.values[0] == pytest.approx(plain_rbo(a, b, p), abs=1e-12)
    assert 0 <= found.low[0] <= found.values[0] <= found.high[0] <= 1 + 1e-12


@settings(max_examples=50)
@given(TIED, TIED, st.sampled_from(["docid-desc", "expected"]), st.none() | st.integers(1, 9))
def test_every_similarity_is_symmetric(a: Scores, b: Scores, ties: str, depth: int | None) -> None:
    one, two = {"q": a}, {"q": b}
    for there, back in (
        (rg.rbo(one, two, ties=ties, depth=depth), rg.rbo(two, one, ties=ties, depth=depth)),  # type: ignore[arg-type]
        (rg.overlap(one, two, k=depth or 10), rg.overlap(two, one, k=depth or 10)),
        (rg.kendall_tau(one, two), rg.kendall_tau(two, one)),
        (rg.tau_ap(one, two), rg.tau_ap(two, one)),
    ):
        for column in ("values", "low", "high", "common", "alone"):
            assert np.allclose(getattr(there, column), getattr(back, column), atol=1e-15, equal_nan=True), there.measure


@settings(max_examples=50)
@given(TIED)
def test_a_run_is_fully_like_itself(scores: Scores) -> None:
    one = {"q": scores}
    assert rg.rbo(one, one).values[0] == rg.overlap(one, one).values[0] == 1.0
    if len(set(scores.values())) > 1:
        assert rg.kendall_tau(one, one).values[0] == rg.tau_ap(one, one).values[0] == 1.0


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=2, max_size=40))
def test_tau_b_is_scipys(pairs: list[tuple[int, int]]) -> None:
    x, y = np.array(pairs, dtype=np.float64).T
    expected = scipy.stats.kendalltau(x, y).statistic
    assert _concordance.tau_b(x, y) == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_tau_b_of_many_scores_is_scipys() -> None:
    rng = np.random.default_rng(7)
    x = rng.integers(0, 900, 5000).astype(np.float64)
    y = x + rng.normal(0, 300, 5000).round()
    assert _concordance.tau_b(x, y) == pytest.approx(scipy.stats.kendalltau(x, y).statistic, abs=1e-12)


def test_kendalls_tau_by_hand() -> None:
    """Of the pairs of abcd against bacd one is turned: (5 - 1) / 6. A tie in one takes its pair out there."""
    assert rg.kendall_tau(ranking("abcd"), ranking("bacd")).values[0] == 4 / 6
    tied = {"q": {"a": 2.0, "b": 2.0, "c": 1.0}}
    assert rg.kendall_tau(tied, ranking("abc")).values[0] == 2 / math.sqrt(2 * 3)


def test_tau_sees_common_documents_only_and_says_how_many_it_does_not() -> None:
    found = rg.kendall_tau(ranking("axbyc"), ranking("abczz"[:4]))
    assert found.values[0] == 1.0
    assert (found.common[0], found.alone[0]) == (3, 3)


@pytest.mark.parametrize("compare", [rg.kendall_tau, rg.tau_ap])
def test_tau_is_undefined_where_there_is_no_order_to_compare(compare) -> None:  # type: ignore[no-untyped-def]
    assert math.isnan(compare(ranking("ax"), ranking("ay")).values[0])
    assert math.isnan(compare({"q": {"a": 1.0, "b": 1.0}}, ranking("ab")).values[0])
    assert math.isnan(compare(ranking("ax"), ranking("ay")).mean)
    assert compare(ranking("x"), ranking("y")).to_polars()["value"].to_list() == [None]


def test_ap_correlation_by_hand() -> None:
    """Of b's ranking bacd, rank 2 has none of the one above it above it in a, rank 3 both, rank 4 all three."""
    found = rg.tau_ap(ranking("abcd"), ranking("bacd"), symmetric=False)
    assert found.values[0] == 2 / 3 * (0 / 1 + 2 / 2 + 3 / 3) - 1
    assert rg.tau_ap(ranking("abcd"), ranking("dcba"), symmetric=False).values[0] == -1.0


def test_a_swap_at_the_top_costs_ap_correlation_more_than_one_at_the_bottom() -> None:
    top, bottom = rg.tau_ap(ranking("abcdef"), ranking("bacdef")), rg.tau_ap(ranking("abcdef"), ranking("abcdfe"))
    assert top.values[0] < bottom.values[0]
    assert rg.kendall_tau(ranking("abcdef"), ranking("bacdef")).values[0] == 1 - 2 / 15


X = [0.67, 0.45, 0.29, 0.12, 0.57, 0.24, 0.94, 0.75, 0.08, 0.54]
Y = [0.48, 0.68, 0.32, 0.09, 0.06, 0.61, 0.87, 0.22, 0.44, 0.84]
X_TIED = [0.7, 0.4, 0.3, 0.1, 0.6, 0.2, 0.9, 0.8, 0.1, 0.5]
Y_TIED = [0.5, 0.7, 0.3, 0.1, 0.1, 0.6, 0.9, 0.2, 0.4, 0.8]


@pytest.mark.parametrize(
    ("x", "y", "symmetric", "expected"),
    [
        (X, Y, False, 0.3928571),
        (X, Y_TIED, True, 0.3317019),
        (X_TIED, Y_TIED, True, 0.3394180),
        (
            [0.897, 0.372, 0.908, 0.898, 0.661, 0.062, 0.177, 0.384, 0.498, 0.992],
            [0.82, 0.406, 0.817, 0.953, 0.673, 0.073, 0.364, 0.547, 0.589, 0.988],
            True,
            0.8333,
        ),
        (
            [0.9, 0.4, 0.9, 0.9, 0.7, 0.1, 0.2, 0.4, 0.5, 1],
            [0.8, 0.4, 0.8, 1, 0.7, 0.1, 0.4, 0.5, 0.6, 1],
            True,
            0.7321,
        ),
        (
            [0.2, 0.6, 0.9, 0.1, 0.5, 0.6, 0.8, 0.4, 1, 0.4],
            [0.8, 0.3, 0.3, 0.9, 0.6, 0.3, 0.2, 0.9, 0, 0.2],
            True,
            -0.7047,
        ),
    ],
)
def test_ap_correlation_has_the_values_of_the_package_ircor(
    x: list[float], y: list[float], symmetric: bool, expected: float
) -> None:
    """tauAP(x, y) and tauAP_b(x, y) of ircor 1.0: its manual's examples, and its own tests to four digits."""
    found = rg.rank_correlation(numbered(x), numbered(y), method="tau_ap", symmetric=symmetric)
    assert found == pytest.approx(expected, abs=5e-8 if len(str(expected)) > 8 else 5e-5)


@given(TIED, TIED)
def test_ap_correlation_is_what_its_sum_says(a: Scores, b: Scores) -> None:
    found = rg.tau_ap({"q": a}, {"q": b}, symmetric=False).values[0]
    assert found == pytest.approx(plain_tau_ap(a, b), abs=1e-12, nan_ok=True)
    assert math.isnan(found) or -1 <= found <= 1


@given(st.lists(st.integers(-4, 4), max_size=30))
def test_larger_values_before_each_are_counted(values: list[int]) -> None:
    expected = [sum(before > value for before in values[:at]) for at, value in enumerate(values)]
    assert _concordance.larger_before(np.array(values, dtype=np.float64)).tolist() == expected


def test_overlap_is_the_share_of_the_first_documents() -> None:
    assert rg.overlap(ranking("abcd"), ranking("badc"), k=3).values[0] == 2 / 3
    assert rg.overlap(ranking("ab"), ranking("bac"), k=10).values[0] == 2 / 3
    assert rg.overlap(ranking("abcd"), ranking("badc"), k=3).measure == "overlap@3"


def test_queries_that_only_one_run_has_are_named_and_left_out() -> None:
    a = {"p": {"a": 1.0}, "q": {"a": 2.0, "b": 1.0}, "r": {"a": 1.0}}
    b = {"r": {"b": 1.0}, "s": {"a": 1.0}, "q": {"a": 2.0, "b": 1.0}}
    found = rg.rbo(a, b)
    assert (found.queries.to_list(), found.only_a, found.only_b) == (["q", "r"], ("p",), ("s",))
    assert found.values.tolist() == [1.0, 0.0]
    assert found.mean == 0.5
    assert found.to_polars()["common"].to_list() == [2, 0]


def test_runs_without_a_common_query_are_an_error() -> None:
    with pytest.raises(InputError, match=r"^runs 'run' and 'run': expected a query in common, got none \('q'; 'p'\)"):
        rg.kendall_tau({"q": {"a": 1.0}}, {"p": {"a": 1.0}})


def test_rows_of_the_queries_may_be_mixed() -> None:
    rows = [("p", "a", 2.0), ("q", "b", 2.0), ("p", "b", 1.0), ("q", "a", 1.0)]
    mixed = rg.Run.from_frame(pl.DataFrame(rows, schema=["query", "doc", "score"], orient="row"))
    found = rg.rbo(mixed, {"p": {"a": 2.0, "b": 1.0}, "q": {"a": 2.0, "b": 1.0}}, p=0.5)
    assert found.values.tolist() == [1.0, 0.5]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"p": 1.0}, r"^rbo: expected p to be a number in \(0, 1\), got 1.0"),
        ({"p": 0.0}, r"^rbo: expected p to be a number in \(0, 1\), got 0.0"),
        ({"depth": 0}, "^expected a depth of 1 or more, got 0"),
        ({"ties": "mean"}, "^expected ties to be one of 'docid-desc', .* got 'mean'"),
    ],
)
def test_a_parameter_out_of_range_is_an_error(parameters: Mapping[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        rg.rbo(ranking("ab"), ranking("ab"), **parameters)  # type: ignore[arg-type]


def test_orders_of_systems_are_compared_by_their_scores() -> None:
    true = {"a": 0.1, "b": 0.2, "c": 0.3, "d": 0.4}
    swapped = {"d": 0.3, "c": 0.4, "b": 0.2, "a": 0.1}
    assert rg.rank_correlation(true, swapped) == 4 / 6
    assert rg.rank_correlation(true, swapped, method="tau_ap", symmetric=False) == 2 / 3 * (0 + 1 + 1) - 1


def test_orders_of_other_systems_are_an_error() -> None:
    with pytest.raises(InputError, match="expected the same systems on both sides, got 'b', 'c' in only one"):
        rg.rank_correlation({"a": 1.0, "b": 2.0}, {"a": 1.0, "c": 2.0})
    with pytest.raises(InputError, match="rank_correlation, b, system 'a': expected a score, got NaN"):
        rg.rank_correlation({"a": 1.0}, {"a": math.nan})
    with pytest.raises(ParameterError, match="expected method to be 'kendall' or 'tau_ap', got 'rho'"):
        rg.rank_correlation({"a": 1.0}, {"a": 1.0}, method="rho")  # type: ignore[arg-type]


def plain_rbo(a: list[str], b: list[str], p: float) -> float:
    """Equation 32 of Webber, Moffat & Zobel (2010), term by term."""
    short, long = sorted((a, b), key=len)
    s, depth = len(short), len(long)
    x = [len(set(short[:d]) & set(long[:d])) for d in range(1, depth + 1)]
    seen = sum(x[d - 1] / d * p**d for d in range(1, depth + 1))
    beyond = sum(x[s - 1] * (d - s) / (s * d) * p**d for d in range(s + 1, depth + 1))
    return (1 - p) / p * (seen + beyond) + ((x[-1] - x[s - 1]) / depth + x[s - 1] / s) * p**depth


def plain_tau_ap(reference: Scores, estimate: Scores) -> float:
    shares = []
    for doc in sorted(common := reference.keys() & estimate.keys()):
        above = [other for other in common if estimate[other] > estimate[doc]]
        if above:
            shares.append(sum(reference[other] > reference[doc] for other in above) / len(above))
    return 2 * sum(shares) / len(shares) - 1 if shares else math.nan
