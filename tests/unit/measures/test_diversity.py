"""Measures over subtopic qrels: hand values, plain Python with fractions, and pyndeval as the oracle."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import permutations

import numpy as np
import polars as pl
import pyndeval
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankgauge as rg
from rankgauge.errors import MeasureError, ParameterError
from rankgauge.judged import JudgedRun
from rankgauge.measures import REGISTRY, Measure, parse
from rankgauge.measures.diversity import ABOVE_GREEDY

Pairs = list[tuple[str, str, float]]
DIVERSITY = sorted(name for name, m in REGISTRY.items() if m.declared.subtopics)
PAIRS = [("a", "A", 1), ("b", "B", 1), ("b", "D", 1), ("c", "C", 1)]
RANKING = ["A", "D", "E", "B"]


def qrels(topics: dict[str, Pairs]) -> rg.Qrels:
    """Build qrels from {query: [(subtopic, doc, grade)]}."""
    rows = [(query, *row) for query, found in topics.items() for row in found]
    frame = pl.DataFrame(rows, schema=["query", "subtopic", "doc", "grade"], orient="row")
    return rg.Qrels.from_frame(frame, subtopic="subtopic")


def run(rankings: dict[str, list[str]]) -> rg.Run:
    return rg.Run.from_dict(
        {query: {doc: -float(rank) for rank, doc in enumerate(docs)} for query, docs in rankings.items()}
    )


def cut(name: str, k: int) -> Measure:
    return REGISTRY[name] if REGISTRY[name].declared.cutoff == "none" else REGISTRY[name] @ k


def judge(pairs: Pairs, ranking: list[str]) -> JudgedRun:
    return rg.judge(qrels({"q": pairs}), run({"q": ranking or ["x"]}))


def value(measure: str, pairs: Pairs, ranking: list[str]) -> float:
    return float(parse(measure).of(judge(pairs, ranking))[0])


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("ERR_IA@5", 0.393343),
        ("nERR_IA@5", 0.829787),
        ("alpha_DCG@5", 0.405289),
        ("alpha_nDCG@5", 0.786896),
        ("NRBP", 0.390625),
        ("nNRBP", 0.862069),
        ("AP_IA", 0.5),
        ("P_IA@5", 0.2),
        ("StRecall@5", 0.6667),
    ],
)
def test_the_worked_example_has_the_values_that_ndeval_prints(measure: str, expected: float) -> None:
    digits = 4 if measure == "StRecall@5" else 6
    assert round(value(measure, PAIRS, RANKING), digits) == expected


def test_the_worked_example_by_hand() -> None:
    gains, best, full = [1, 1, 0, 0.5], [1, 1, 1, 0.5], [3, 1.5, 0.75, 0.375]
    logs = [math.log2(i + 1) for i in range(1, 5)]
    found = math.fsum(g / log for g, log in zip(gains, logs, strict=True))
    assert value("alpha_nDCG@4", PAIRS, RANKING) == pytest.approx(
        found / math.fsum(g / log for g, log in zip(best, logs, strict=True)), abs=1e-15
    )
    assert value("alpha_DCG@4", PAIRS, RANKING) == pytest.approx(
        found / math.fsum(g / log for g, log in zip(full, logs, strict=True)), abs=1e-15
    )
    assert value("ERR_IA@4", PAIRS, RANKING) == pytest.approx((1 + 1 / 2 + 1 / 8) / (3 + 3 / 4 + 1 / 4 + 3 / 32))
    assert value("NRBP", PAIRS, RANKING) == (1 - 0.25) / 3 * (1 + 0.5 + 0.0625)
    assert value("AP_IA", PAIRS, RANKING) == pytest.approx((1 + (1 / 2 + 2 / 4) / 2 + 0) / 3)


@pytest.mark.parametrize("name", ["ERR_IA", "alpha_DCG"])
def test_the_first_rank_is_normalised_unless_the_tools_way_is_asked_for(name: str) -> None:
    theirs = pyndeval.ndeval([("q", s, d, g) for s, d, g in PAIRS], [("q", "A", 1.0)], [f"{name.replace('_', '-')}@1"])
    assert value(f"{name}@1", PAIRS, ["A"]) == 1 / 3
    assert value(f"{name}(at1='raw')@1", PAIRS, ["A"]) == 1.0
    assert list(theirs["q"].values()) == [1.0]
    assert value(f"{name}(at1='raw')@2", PAIRS, ["A"]) == value(f"{name}@2", PAIRS, ["A"])


@pytest.mark.parametrize("name", DIVERSITY)
def test_flat_qrels_are_refused_with_what_is_missing(name: str) -> None:
    with pytest.raises(MeasureError, match=rf"^{name} needs subtopic qrels \(query subtopic doc grade\)"):
        rg.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, cut(name, 5))


@pytest.mark.parametrize("name", ["alpha_DCG", "ERR_IA", "P_IA"])
def test_a_measure_that_divides_by_the_cutoff_needs_one(name: str) -> None:
    with pytest.raises(ParameterError, match=f"^{name} needs a cutoff, as in {name}@10"):
        value(name, PAIRS, RANKING)


@pytest.mark.parametrize("name", DIVERSITY)
def test_a_query_without_relevant_subtopic_is_undefined(name: str) -> None:
    assert math.isnan(cut(name, 5).of(judge([("a", "A", 0), ("b", "A", -2)], ["A"]))[0])


@pytest.mark.parametrize("name", DIVERSITY)
def test_a_query_that_the_run_lacks_scores_zero(name: str) -> None:
    judged = rg.judge(qrels({"q": PAIRS, "r": PAIRS}), run({"r": RANKING}))
    assert cut(name, 5).of(judged)[0] == 0.0


def test_a_subtopic_without_relevant_document_does_not_count() -> None:
    assert value("StRecall@2", [("a", "A", 1), ("b", "B", 0), ("c", "C", 1)], ["A", "B"]) == 0.5


def test_the_relevance_level_holds_for_pairs_not_for_documents() -> None:
    pairs = [("a", "A", 2), ("b", "A", 1), ("b", "B", 2), ("c", "C", 1)]
    assert value("StRecall(rel=2)@1", pairs, ["A", "B"]) == 0.5
    assert value("StRecall@1", pairs, ["A", "B"]) == 2 / 3
    assert value("alpha_nDCG(rel=2)@2", pairs, ["B", "A"]) == 1.0
    assert value("alpha_nDCG@1", pairs, ["B", "A"]) == 0.5


def test_equal_gains_go_to_the_larger_id() -> None:
    judged = judge([("1", "A", 1), ("2", "B", 1), ("1", "C", 1)], ["C"])
    parse("alpha_nDCG@3").of(judged)
    assert judged.subtopics is not None
    assert dict(zip("ABC", judged.subtopics.ideals[1.0, 0.5].tolist(), strict=True)) == {"A": 3, "B": 2, "C": 1}


def test_ids_compare_by_bytes_where_gains_are_equal() -> None:
    judged = judge([("1", doc, 1) for doc in ["d2", "d10", "é", "Z"]], ["Z"])
    parse("alpha_nDCG@3").of(judged)
    assert judged.subtopics is not None
    ids = sorted(["d2", "d10", "é", "Z"], key=str.encode)
    assert dict(zip(ids, judged.subtopics.ideals[1.0, 0.5].tolist(), strict=True)) == {
        "é": 1, "d2": 2, "d10": 3, "Z": 4,
    }  # fmt: skip


def test_sums_that_differ_by_rounding_alone_count_as_equal() -> None:
    """After C the documents A and B gain 0.1 + 1 + 0.1 each, added up in different orders."""
    topic = {"A": "134", "B": "125", "C": "124"}
    judged = judge([(t, doc, 1.0) for doc, topics in topic.items() for t in topics], ["C"])
    parse("alpha_nDCG(alpha=0.9)@3").of(judged)
    assert judged.subtopics is not None
    ranks = judged.subtopics.ideals[1.0, 0.9].reshape(3, 3)[:, 0]
    assert dict(zip("ABC", ranks.tolist(), strict=True)) == {"A": 3, "B": 2, "C": 1}


def test_a_ranking_can_beat_the_greedy_ideal() -> None:
    subtopics = {"A": "4", "B": "124", "C": "0", "D": "034", "E": "024"}
    pairs = [(t, doc, 1.0) for doc, topics in subtopics.items() for t in topics]
    assert round(value("alpha_nDCG@3", pairs, ["B", "D", "E"]), 5) == 1.01274


def test_unjudged_documents_can_be_dropped_first() -> None:
    assert value("alpha_nDCG(judged_only=True)@2", PAIRS, ["x", "A", "y", "D"]) == value(
        "alpha_nDCG@2", PAIRS, ["A", "D"]
    )
    assert value("StRecall(judged_only=True)@1", PAIRS, ["x", "y"]) == 0.0


def test_a_document_judged_worthless_keeps_its_rank() -> None:
    pairs = [*PAIRS, ("a", "E", 0)]
    assert value("AP_IA(judged_only=True)", pairs, RANKING) == value("AP_IA", pairs, RANKING) == 0.5


def test_rows_of_the_queries_may_be_mixed() -> None:
    """The file's rows alternate between queries: pyndeval would keep the last stretch of each."""
    rows = [("p", "A", 4.0), ("q", "B", 9.0), ("p", "D", 3.0), ("q", "A", 8.0), ("p", "E", 2.0), ("q", "C", 1.0)]
    mixed = rg.Run.from_frame(pl.DataFrame(rows, schema=["query", "doc", "score"], orient="row"))
    topics = qrels({"q": PAIRS, "p": PAIRS})
    for name in ("alpha_nDCG@3", "ERR_IA@3", "NRBP", "AP_IA", "P_IA@3", "StRecall@3"):
        together = rg.evaluate(topics, mixed, name).of("run", str(parse(name)))
        assert together == {"q": value(name, PAIRS, ["B", "A", "C"]), "p": value(name, PAIRS, ["A", "D", "E"])}


def test_a_document_of_several_subtopics_has_one_rank() -> None:
    assert value("P_IA@2", [("a", "A", 1), ("b", "A", 1), ("c", "B", 1)], ["A", "B"]) == 3 / 2 / 3


IDS = st.sampled_from(["d1", "d2", "d3", "d4", "d10", "D5", "é"])
TOPIC = st.dictionaries(st.tuples(st.sampled_from("123456"), IDS), st.integers(-1, 3), min_size=1, max_size=25).map(
    lambda found: [(subtopic, doc, float(grade)) for (subtopic, doc), grade in found.items()]
)
ORDER = st.lists(IDS | st.sampled_from(["x", "y"]), unique=True, max_size=9)
ALPHAS = st.sampled_from([Fraction(1, 2), Fraction(1, 5), Fraction(9, 10), Fraction(0), Fraction(1)])


@given(TOPIC, ORDER, st.integers(1, 12), ALPHAS, st.integers(1, 2))
def test_made_topics_score_as_plain_python_says(
    pairs: Pairs, ranking: list[str], k: int, alpha: Fraction, level: int
) -> None:
    judged = judge(pairs, ranking)
    for name, expected in plain(pairs, ranking, k, alpha, level).items():
        measure = REGISTRY[name](rel=level)
        measure = measure(alpha=float(alpha)) if "alpha" in measure.parameters else measure
        measure = measure if measure.declared.cutoff == "none" or name == "AP_IA" else measure @ k
        assert measure.of(judged)[0] == pytest.approx(expected, abs=1e-12, nan_ok=True), name


@given(TOPIC, ORDER, st.integers(1, 20))
def test_made_topics_score_as_pyndeval_says(pairs: Pairs, ranking: list[str], k: int) -> None:
    """pyndeval breaks ties of the run the other way, so the scores differ; its first rank is not normalised."""
    names = {"ERR-IA": "ERR_IA", "nERR-IA": "nERR_IA", "alpha-DCG": "alpha_DCG", "alpha-nDCG": "alpha_nDCG"}
    names |= {"P-IA": "P_IA", "strec": "StRecall"}
    wanted = {f"{theirs}@{k}": f"{ours}@{k}" for theirs, ours in names.items()}
    wanted |= {"NRBP": "NRBP", "nNRBP": "nNRBP", "MAP-IA": "AP_IA"}
    if k == 1:
        wanted |= {"ERR-IA@1": "ERR_IA(at1='raw')@1", "alpha-DCG@1": "alpha_DCG(at1='raw')@1"}
    if not any(grade >= 1 for _, _, grade in pairs) or not ranking:
        return
    found = pyndeval.ndeval(
        [("q", s, d, int(g)) for s, d, g in pairs],
        [("q", doc, -float(rank)) for rank, doc in enumerate(ranking)],
        list(wanted),
    )["q"]
    judged = judge(pairs, ranking)
    for theirs, ours in wanted.items():
        assert parse(ours).of(judged)[0] == pytest.approx(found[theirs], abs=1e-9), theirs


@settings(max_examples=50)
@given(TOPIC, ORDER, st.integers(1, 6))
def test_values_stay_within_the_declared_range(pairs: Pairs, ranking: list[str], k: int) -> None:
    judged = judge(pairs, ranking)
    for name in DIVERSITY:
        low, high = REGISTRY[name].declared.range
        found = cut(name, k).of(judged)[0]
        assert math.isnan(found) or low <= found <= high + 1e-12, name


def test_no_ranking_passes_the_bound_over_the_greedy_ideal() -> None:
    subtopics = {"A": "4", "B": "124", "C": "0", "D": "034", "E": "024"}
    pairs = [(t, doc, 1.0) for doc, topics in subtopics.items() for t in topics]
    orders = {"".join(order): list(order) for order in permutations("ABCDE", 3)}
    judged = rg.judge(qrels(dict.fromkeys(orders, pairs)), run(orders))
    best = parse("alpha_nDCG@3").of(judged).max()
    assert 1 < best < ABOVE_GREEDY


@settings(max_examples=30)
@given(st.lists(st.tuples(TOPIC, ORDER), min_size=2, max_size=4))
def test_a_query_has_the_same_bits_alone_and_in_a_batch(
    made: list[tuple[Pairs, list[str]]],
) -> None:
    topics = {f"q{number}": pairs for number, (pairs, _) in enumerate(made)}
    rankings = {f"q{number}": ranking or ["x"] for number, (_, ranking) in enumerate(made)}
    together = rg.judge(qrels(topics), run(rankings))
    each = [judge(topics[query], rankings[query]) for query in topics]
    for name in DIVERSITY:
        alone = [cut(name, 4).of(one)[0] for one in each]
        assert np.array_equal(cut(name, 4).of(together), alone, equal_nan=True), name


def test_ideal_rankings_are_worked_out_once_for_all_runs() -> None:
    topics = qrels({"q": PAIRS})
    scores = rg.evaluate(topics, {"a": {"q": {"A": 1.0}}, "b": {"q": {"D": 1.0}}}, ["alpha_nDCG@2", "nERR_IA@2"])
    assert scores.of("a", "alpha_nDCG@2") == scores.of("b", "alpha_nDCG@2")


@pytest.mark.parametrize("name", DIVERSITY)
def test_the_mean_over_the_orders_of_ties_is_the_mean_over_all_orders(name: str) -> None:
    """B, D, A and the unjudged x are tied; the second query checks that orders do not mix."""
    scores = {"B": 1.0, "D": 1.0, "A": 1.0, "x": 1.0, "E": 0.5, "C": 0.25}
    other = {"C": 2.0, "A": 2.0, "E": 1.0, "B": 1.0}
    topics = qrels({"q": PAIRS, "p": [*PAIRS, ("d", "A", 1)]})
    found = rg.evaluate(topics, {"q": scores, "p": other}, cut(name, 3), ties="expected").of("run", str(cut(name, 3)))
    first = [judge(PAIRS, [*order, "E", "C"]) for order in permutations(["B", "D", "A", "x"])]
    second = [
        judge([*PAIRS, ("d", "A", 1)], [*top, *rest]) for top in permutations("CA") for rest in permutations("EB")
    ]
    assert found["q"] == pytest.approx(np.mean([cut(name, 3).of(one)[0] for one in first]), abs=1e-12)
    assert found["p"] == pytest.approx(np.mean([cut(name, 3).of(one)[0] for one in second]), abs=1e-12)


def test_a_convention_may_take_the_ideal_from_the_retrieved_documents() -> None:
    retrieved = rg.CONVENTIONS["default"].but(ideal="retrieved")
    topics, ranking = qrels({"q": PAIRS}), {"q": {"A": 2.0, "D": 1.0}}
    assert rg.evaluate(topics, ranking, "alpha_nDCG@3", convention=retrieved).of("run", "alpha_nDCG@3") == {"q": 1.0}
    assert value("alpha_nDCG@3", PAIRS, ["A", "D"]) < 1


def plain(pairs: Pairs, ranking: list[str], k: int, alpha: Fraction, level: float = 1) -> dict[str, float]:
    """The definitions, one by one, in fractions where they can be; AP_IA and NRBP over the whole ranking."""
    of: dict[str, set[str]] = {}
    for subtopic, doc, grade in pairs:
        if grade >= level:
            of.setdefault(doc, set()).add(subtopic)
    total = Counter(t for topics in of.values() for t in topics)
    S, beta = len(total), Fraction(1, 2)

    def gains(order: list[str]) -> list[Fraction]:
        seen: Counter[str] = Counter()
        found = []
        for doc in order:
            found.append(sum(((1 - alpha) ** seen[t] for t in of.get(doc, ())), Fraction(0)))
            seen.update(of.get(doc, ()))
        return found

    best: list[str] = []
    while left := of.keys() - set(best):
        best.append(max(left, key=lambda doc: (gains([*best, doc])[-1], doc.encode())))
    got, ideal = gains(ranking), gains(best)
    full = [S * (1 - alpha) ** i for i in range(k)]

    def dcg(values: list[Fraction]) -> float:
        return math.fsum(float(g) / math.log2(i + 2) for i, g in enumerate(values[:k]))

    def err(values: list[Fraction]) -> Fraction:
        return sum((g / (i + 1) for i, g in enumerate(values[:k])), Fraction(0))

    def rbp(values: list[Fraction]) -> Fraction:
        return sum((g * beta**i for i, g in enumerate(values)), Fraction(0))

    def over(part: float | Fraction, whole: float | Fraction) -> float:
        return float(part / whole) if whole else math.nan

    count: Counter[str] = Counter()
    precision: Counter[str] = Counter()
    for i, doc in enumerate(ranking):
        count.update(of.get(doc, ()))
        precision.update({t: Fraction(count[t], i + 1) for t in of.get(doc, ())})
    return {
        "alpha_DCG": over(dcg(got), dcg(full)),
        "alpha_nDCG": over(dcg(got), dcg(ideal)),
        "ERR_IA": over(err(got), err(full)),
        "nERR_IA": over(err(got), err(ideal)),
        "NRBP": over((1 - (1 - alpha) * beta) * rbp(got), S),
        "nNRBP": over(rbp(got), rbp(ideal)),
        "AP_IA": over(sum((precision[t] / total[t] for t in total), Fraction(0)), S),
        "P_IA": over(Fraction(sum(len(of.get(doc, ())) for doc in ranking[:k])), k * S),
        "StRecall": over(Fraction(len(set().union(*(of.get(doc, set()) for doc in ranking[:k])))), S),
    }
