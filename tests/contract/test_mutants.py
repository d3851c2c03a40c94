"""Wrong formulas are caught: the golden rows fail for each of them, and pass for the right one.

Each mutant is a fault that some tool had, written as a function of a JudgedRun.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import rankgauge as rg
from golden.values import EXAMPLES, ROWS, tolerance
from rankgauge.judged import FloatArray, JudgedRun, places, ratio
from rankgauge.measures import Measure, parse
from rankgauge.measures._weights import discounts, gains

Formula = Callable[[JudgedRun, Measure], FloatArray]


def batch() -> tuple[JudgedRun, dict[str, int]]:
    """All examples as queries of one judged run, so that a trace of one query in another is seen."""
    frames, rankings = [], {}
    for name, example in EXAMPLES.items():
        frames.append(example.qrels().to_polars().with_columns(query=pl.lit(name)))
        rankings[name] = {doc: -float(place) for place, doc in enumerate(example.ranking.split())}
    qrels = rg.Qrels.from_frame(pl.concat(frames), subtopic="subtopic")
    judged = rg.judge(qrels, rg.Run.from_dict(rankings))
    return judged, {name: number for number, name in enumerate(qrels.queries)}


JUDGED, NUMBER = batch()


def failures(name: str, formula: Formula) -> list[tuple[str, str]]:
    """Golden rows of this measure that the formula gets wrong, of those whose parameters it looks at."""
    wrong = []
    for written, example, value, _ in ROWS:
        measure = parse(written)
        if measure.name == name and not needs_own_scale(measure, example) and looked_at(formula, measure):
            found = formula(JUDGED, measure)[NUMBER[example]]
            if not abs(found - float(value)) <= tolerance(value):
                wrong.append((written, example))
    return wrong


def looked_at(formula: Formula, measure: Measure) -> bool:
    """Whether the formula, or the measure it asks, heeds all parameters that were chosen."""
    source = inspect.getsource(formula)
    return "m.of(" in source or ").of(j)" in source or all(f'"{name}"' in source for name, _ in measure.chosen)


def needs_own_scale(measure: Measure, example: str) -> bool:
    """Whether the example's highest grade matters and is not that of the batch."""
    return "max_grade" in measure.parameters and example != "A"


def log_of_rank(j: JudgedRun, m: Measure) -> FloatArray:
    """nDCG whose discount is 1/log2(rank) from rank 2 on."""
    return _ndcg(j, m, m.parameters["gain"], lambda rank: 1 / np.maximum(np.log2(rank), 1))


def discounted_from_zero(j: JudgedRun, m: Measure) -> FloatArray:
    """nDCG whose discount is 1/log2(rank + 2): ranks count from 0 and 1 is added twice."""
    return _ndcg(j, m, m.parameters["gain"], lambda rank: 1 / np.log2(rank + 2))


def other_gain_for_the_ideal(j: JudgedRun, m: Measure) -> FloatArray:
    """nDCG whose ideal is exponential whatever the gain."""
    view, gain = m.view(j), m.parameters["gain"]
    weight = _discount(m, "discount", "base")
    best = view.ideal(gains(view.pool.grade, "exp"))
    return ratio(_dcg(view, gain, weight), _dcg(best, "exp", weight))


def ideal_not_cut(j: JudgedRun, m: Measure) -> FloatArray:
    """nDCG@k whose ideal ranking has full depth."""
    view, gain = m.view(j), m.parameters["gain"]
    weight = _discount(m, "discount", "base")
    best = replace(view, cutoff=None).ideal(gains(view.pool.grade, gain))
    return ratio(_dcg(view, gain, weight), _dcg(best, gain, weight))


def ideal_of_the_retrieved(j: JudgedRun, m: Measure) -> FloatArray:
    """nDCG whose ideal ranking knows only what was retrieved."""
    order = np.lexsort((-j.grade, j.query))
    return m.of(replace(j, candidates=replace(j.judgments, query=j.query, grade=j.grade[order])))


def negative_gains(j: JudgedRun, m: Measure) -> FloatArray:
    """Judgments of which negative grades are as good as positive ones."""
    return m.of(replace(j, grade=np.abs(j.grade)))


def ap_over_retrieved(j: JudgedRun, m: Measure) -> FloatArray:
    """AP divided by the relevant documents that were found."""
    view = m.view(j)
    return view.sum(view.rel * view.cumsum(view.rel) / view.rank) / np.maximum(view.sum(view.rel), 1)


def ap_across_queries(j: JudgedRun, m: Measure) -> FloatArray:
    """AP whose count of relevant documents is not restarted at each query."""
    view = m.view(j)
    return ratio(view.sum(view.rel * np.cumsum(view.rel) / view.rank), view.R)


def precision_of_the_returned(j: JudgedRun, m: Measure) -> FloatArray:
    """P@k divided by what was returned, if that is less than k."""
    view = m.view(j)
    return ratio(view.sum(view.rel), view.seen)


def condensed_without_moving_up(j: JudgedRun, m: Measure) -> FloatArray:
    """Judged only, but ranks stay as they were."""
    return m(judged_only=False).of(j)


def ranks_from_zero(j: JudgedRun, m: Measure) -> FloatArray:
    """Every rank one too small: cutoffs and discounts slip."""
    return m.of(replace(j, rank=np.maximum(j.rank - 1, 1)))


def rank_among_the_judged(j: JudgedRun, m: Measure) -> FloatArray:
    """Unjudged documents take no place."""
    return m.of(replace(j, rank=places(j.query, j.Q)))


def last_relevant(j: JudgedRun, m: Measure) -> FloatArray:
    """RR of the last relevant document: several gold documents overwrite each other."""
    view, last = m.view(j), np.full(j.Q, np.inf)
    last[view.query[view.rel]] = view.rank[view.rel]
    return 1 / last


def err_with_per_query_top(j: JudgedRun, m: Measure) -> FloatArray:
    """ERR on a scale that ends one grade below the collection's top."""
    top = 2.0 if m.parameters["max_grade"] is None else m.parameters["max_grade"] - 1
    view = m.view(j)
    satisfied = (np.exp2(np.maximum(view.grade, 0)) - 1) / np.exp2(top)
    return view.sum(satisfied * view.product_before(np.maximum(1 - satisfied, 0)) / view.rank)


def err_without_the_others(j: JudgedRun, m: Measure) -> FloatArray:
    """ERR in which nobody is satisfied before."""
    view = m.view(j)
    top = m.parameters["max_grade"] or view.judgments.top_grade
    return view.sum((np.exp2(np.maximum(view.grade, 0)) - 1) / np.exp2(top) / view.rank)


def bpref_counting_the_retrieved(j: JudgedRun, m: Measure) -> FloatArray:
    """bpref whose N counts only the non-relevant documents that were retrieved (trec_eval before 8)."""
    view = m.view(j)
    found = np.minimum(view.R, view.sum(view.nonrel)).astype(np.int64)
    above = view.cumsum(view.nonrel)
    penalty = np.minimum(above, view.each(view.R)) / np.maximum(view.each(found), 1)
    return ratio(view.sum(view.rel * (1 - penalty)), view.R)


def bpref_of_unjudged(j: JudgedRun, m: Measure) -> FloatArray:
    """bpref that takes negative grades for judged non-relevant ones, as ranx does."""
    return m.of(replace(j, grade=np.maximum(j.grade, 0)))


def inf_ap_without_the_pool(j: JudgedRun, m: Measure) -> FloatArray:
    """infAP whose loader dropped the pooled documents that were not judged."""
    return m.of(j.rows(j.grade >= 0))


def rbp_unscaled(j: JudgedRun, m: Measure) -> FloatArray:
    """RBP of raw grades, as ranx computes it."""
    view, p = m.view(j), m.parameters["p"]
    return (1 - p) * view.sum(np.maximum(view.grade, 0) * p ** (view.rank - 1))


def rbp_not_normalised(j: JudgedRun, m: Measure) -> FloatArray:
    """RBP without 1 - p."""
    view, p = m.view(j), m.parameters["p"]
    return view.sum(np.maximum(view.grade, 0) / 3 * p ** (view.rank - 1))


def judged_over_k(j: JudgedRun, m: Measure) -> FloatArray:
    """Judged@k divided by k although less was returned."""
    return m.view(j).sum(m.view(j).known) / (m.cutoff or 1)


def squared_weight(j: JudgedRun, m: Measure) -> FloatArray:
    """SetF weighed by the square of its beta."""
    return m(beta=m.parameters["beta"] ** 2).of(j)


def interpolated_at_the_point(j: JudgedRun, m: Measure) -> FloatArray:
    """Precision at the first rank that reaches the recall, not the highest one after it."""
    view = m.view(j)
    needed = np.floor(m.parameters["recall"] * view.R + 0.5)
    reached = view.rel & (view.cumsum(view.rel) == view.each(np.maximum(needed, 1)))
    return view.sum(reached * view.cumsum(view.rel) / view.rank)


def averaged_as_if_covered_once(j: JudgedRun, m: Measure) -> FloatArray:
    """Diversity without diminishing returns: a subtopic covered again gains as much."""
    return m(alpha=0.0).of(j)


def _discount(m: Measure, discount: str, base: str) -> Callable[[np.ndarray], np.ndarray]:
    return lambda rank: discounts(rank, m.parameters[discount], m.parameters[base])


def _dcg(j: JudgedRun, gain: object, weight: Callable[[np.ndarray], np.ndarray]) -> FloatArray:
    return j.sum(gains(j.grade, gain) * weight(j.rank))


def _ndcg(j: JudgedRun, m: Measure, gain: object, weight: Callable[[np.ndarray], np.ndarray]) -> FloatArray:
    view = m.view(j)
    return ratio(_dcg(view, gain, weight), _dcg(view.ideal(gains(view.pool.grade, gain)), gain, weight))


MUTANTS: list[tuple[str, Formula]] = [
    ("nDCG", log_of_rank),
    ("nDCG", discounted_from_zero),
    ("nDCG", other_gain_for_the_ideal),
    ("nDCG", ideal_not_cut),
    ("nDCG", ideal_of_the_retrieved),
    ("nDCG", ranks_from_zero),
    ("nDCG", rank_among_the_judged),
    ("AP", ap_over_retrieved),
    ("AP", ap_across_queries),
    ("AP", negative_gains),
    ("P", precision_of_the_returned),
    ("P", condensed_without_moving_up),
    ("RR", ranks_from_zero),
    ("RR", last_relevant),
    ("ERR", err_with_per_query_top),
    ("ERR", err_without_the_others),
    ("bpref", bpref_counting_the_retrieved),
    ("bpref", bpref_of_unjudged),
    ("infAP", inf_ap_without_the_pool),
    ("RBP", rbp_unscaled),
    ("RBP", rbp_not_normalised),
    ("Judged", judged_over_k),
    ("SetF", squared_weight),
    ("IPrec", interpolated_at_the_point),
    ("alpha_nDCG", averaged_as_if_covered_once),
]


@pytest.mark.parametrize(("name", "mutant"), MUTANTS, ids=lambda part: getattr(part, "__name__", part))
def test_a_wrong_formula_fails_a_golden_row(name, mutant):
    assert failures(name, mutant) != []


def right(j: JudgedRun, m: Measure) -> FloatArray:
    return m.of(j)


@pytest.mark.parametrize("name", sorted({name for name, _ in MUTANTS}))
def test_the_right_formula_passes_them_all(name):
    assert failures(name, right) == []


TIED = ({"f": {"m": 1, "n": 0}}, {"f": {"z": 0.5, "m": 0.5, "n": 0.25}})
CLOSE = ({"f": {"m": 1}}, {"f": {"z": 0.50000000, "m": 0.50000001}})


@pytest.mark.parametrize(
    ("inputs", "right", "mutant", "wrong"),
    [
        (TIED, 0.5, {"ties": "docid-asc"}, 1.0),
        (({"f": {"m": 1}}, {"f": {"m": 0.5, "z": 0.5}}), 0.5, {"ties": "input"}, 1.0),
        (CLOSE, 1.0, {"score_type": "float32"}, 0.5),
        (({"f": {"m": 1}}, {"f": {"z": 0.1, "m": 0.9}}), 1.0, {"order": "input"}, 0.5),
    ],
    ids=["ids ascending", "input order of ties", "float32", "input order"],
)
def test_a_wrong_order_gives_another_value(inputs, right, mutant, wrong):
    how = rg.CONVENTIONS["default"]
    assert rg.evaluate(*inputs, "RR", convention=how).values.item() == right
    assert rg.evaluate(*inputs, "RR", convention=how.but(**mutant)).values.item() == wrong
