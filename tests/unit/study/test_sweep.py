"""Tests of the sweep: each point equals what its own run gives, and the choice follows from the points."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import rankgauge as rg
from rankgauge.errors import MethodError
from rankgauge.report.sweep import render_sweep
from rankgauge.retrieval.pipeline import TwoStage
from rankgauge.retrieval.running import run_of
from rankgauge.study.choice import Budget, choose, front
from rankgauge.study.load import Latency, Load
from rankgauge.study.sweep import NO_STAGE, Plan, Prices, sweep
from sweep_worlds import QUERIES, Second, engine, qrels

QUICK = Load(requests=5, warm=0)
PLAN = Plan(depths=(0, 3, 5, 10), measure="nDCG@3", load=QUICK)


@pytest.fixture
def found():
    return sweep(engine(good=Second(), bad=Second("contrary", -1.0)), QUERIES, qrels(), PLAN)


def timed(found, milliseconds):
    """The same sweep, each point with latencies of one's own."""
    points = zip(found.points, milliseconds, strict=True)
    return replace(found, points=tuple(replace(one, latency=Latency(np.array([ms / 1000]), 0.0)) for one, ms in points))


def test_there_is_a_point_for_every_stage_and_depth_and_one_for_the_first_stage(found):
    names = [(point.stage, point.depth) for point in found.points]
    assert names == [(NO_STAGE, 0), ("good", 3), ("good", 5), ("good", 10), ("bad", 3), ("bad", 5), ("bad", 10)]
    assert found.queries == 6


def test_every_point_equals_its_own_run(found):
    world = engine(good=Second(), bad=Second("contrary", -1.0))
    for point in found.points:
        pipeline = TwoStage(world.retriever, world.texts, world.stages.get(point.stage), depth=point.depth)
        run = run_of({query: pipeline.answer(text).final.hits for query, text in QUERIES.items()}, name="own")
        own = rg.evaluate(qrels(), run, "nDCG@3")
        assert point.values.tolist() == own.values[0, 0].tolist()
        assert point.value == pytest.approx(own.mean()["mean"].item(), abs=1e-12)


def test_a_point_is_compared_with_the_next_smaller_depth_of_its_stage(found):
    changes = [None if point.change is None else point.change.depth for point in found.points]
    assert changes == [None, 0, 3, 5, 0, 3, 5]
    point = found.points[2]
    assert point.change is not None
    assert point.change.interval.estimate == pytest.approx(point.value - found.points[1].value)


def test_recall_is_of_the_candidates_that_are_reranked(found):
    assert [point.recall for point in found.points[:4]] == [None, *(
        rg.evaluate(qrels(), run_of({q: engine().retriever.search(t, 10) for q, t in QUERIES.items()}, name="r"),
                    f"R@{depth}").mean()["mean"].item() for depth in (3, 5, 10)
    )]  # fmt: skip


def test_a_price_is_of_processor_time_and_of_pairs():
    assert Prices(cpu_hour=3.6, pairs=0.5).of(cpu=0.2, pairs=10) == pytest.approx(0.2 + 5)
    plan = replace(PLAN, depths=(5,), prices=Prices(pairs=1.0))
    priced = sweep(engine(good=Second()), QUERIES, qrels(), plan)
    assert [point.cost for point in priced.points] == [5.0]


def test_depth_zero_is_only_there_where_it_is_asked_for():
    plan = replace(PLAN, depths=(5, 3, 5))
    assert [point.depth for point in sweep(engine(good=Second()), QUERIES, qrels(), plan).points] == [3, 5]
    assert [p.depth for p in sweep(engine(), QUERIES, qrels(), replace(PLAN, depths=(0,))).points] == [0]


def test_queries_without_judgments_are_left_out_and_counted():
    found = sweep(engine(good=Second()), {**QUERIES, "new": "never judged"}, qrels(), PLAN)
    assert found.queries == 6
    assert "1 of 7 queries have no judgment" in [note.text for note in found.notes]
    with pytest.raises(MethodError, match="expected queries with judgments, got none in common"):
        sweep(engine(good=Second()), {"new": "never judged"}, qrels(), PLAN)


def test_a_sweep_goes_on_where_it_was_stopped(tmp_path):
    first = sweep(engine(good=Second()), QUERIES, qrels(), PLAN, folder=tmp_path / "kept")
    stage = Second()
    again = sweep(engine(good=stage), QUERIES, qrels(), PLAN, folder=tmp_path / "kept")
    assert stage.scored == []
    assert [p.latency.seconds.tolist() for p in again.points] == [p.latency.seconds.tolist() for p in first.points]


def test_the_best_within_the_budget_and_what_does_as_well(found):
    # first, good 3, 5, 10, bad 3, 5, 10
    quick = timed(found, [1, 3, 5, 10, 3, 5, 10])
    best = max(quick.points, key=lambda point: point.value)
    assert choose(quick).best is best
    assert choose(quick, [Budget("p99", 0.003)]).best in (quick.points[1], quick.points[0])
    nothing = choose(quick, [Budget("p99", 0.0005)])
    assert (nothing.best, nothing.cheaper) == (None, None)


def test_of_equal_means_the_faster_is_taken_and_not_shown_worse_is_as_good(found):
    same = replace(found, points=tuple(replace(p, mean=found.points[0].mean, values=found.points[0].values)
                                       for p in found.points))  # fmt: skip
    choice = choose(timed(same, [5, 4, 3, 2, 1, 6, 7]))
    assert choice.best is choice.cheaper
    assert choice.best is not None
    assert (choice.best.stage, choice.best.depth) == ("bad", 3)


def test_the_front_leaves_out_what_another_beats(found):
    means = [0.5, 0.6, 0.6, 0.7, 0.4, 0.65, 0.7]
    points = timed(found, [1, 2, 3, 10, 1, 9, 10]).points
    points = tuple(replace(p, mean=replace(p.mean, estimate=m)) for p, m in zip(points, means, strict=True))
    kept = [(point.stage, point.depth) for point in front(points)]
    assert kept == [(NO_STAGE, 0), ("good", 3), ("good", 10), ("bad", 5), ("bad", 10)]


@pytest.mark.parametrize(
    ("text", "what", "most"), [("p99=300ms", "p99", 0.3), ("p50 <= 2s", "p50", 2.0), ("cost=1.5", "cost", 1.5)]
)
def test_budgets(text, what, most):
    assert Budget.parse(text) == Budget(what, most)


@pytest.mark.parametrize("text", ["p99=300", "p98=1s", "cost=1s", "300ms", "", "p99=-1ms"])
def test_other_budgets_are_refused(text):
    with pytest.raises(MethodError, match="budget: expected a limit such as p99=300ms"):
        Budget.parse(text)


def test_a_budget_of_cost_needs_prices(found):
    with pytest.raises(MethodError, match="expected prices for a budget of cost"):
        choose(found, [Budget("cost", 1.0)])


@pytest.mark.parametrize("depths", [(), (-1, 5)])
def test_impossible_depths_are_refused(depths):
    with pytest.raises(MethodError, match="depths: expected numbers of at least 0"):
        Plan(depths=depths)


def test_the_report_says_what_to_take_and_programs_get_every_number(found):
    quick = timed(found, [1, 3, 5, 10, 3, 5, 10])
    choice = choose(quick, [Budget("p99", 0.02)])
    text = render_sweep(quick, choice)
    assert "Best within p99 <= 20 ms: good, depth 10: nDCG@3 1.0000, p50 10.0 ms, p99 10.0 ms." in text
    assert "With fewer than 100 requests, p99 is the slowest of them." in text
    given = json.loads(render_sweep(quick, choice, format="json"))
    assert [point["mean"] for point in given["points"]] == [point.value for point in quick.points]
    assert given["points"][3]["mark"] == "best"
    assert given["points"][1]["change"]["from_depth"] == 0
    none = render_sweep(quick, choose(quick, [Budget("p99", 0.0001)]))
    assert "No point keeps p99 <= 0.1 ms; the fastest is first stage: p50 1.0 ms, p99 1.0 ms." in none
