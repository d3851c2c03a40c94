"""Tuning: it finds what is best, and says what that is worth without flattery."""

from __future__ import annotations

import numpy as np
import pytest

import rankgauge as rg
from rankgauge.errors import InputError, MethodError, ParameterError
from rankgauge.fusion._folds import Trials
from rankgauge.fusion._grid import recipes, simplex


def noisy(seed, queries=40, docs=20, noise=(1.0, 1.0)):
    """Qrels and runs that see each document's worth through noise of their own."""
    rng = np.random.default_rng(seed)
    qrels, runs = {}, [{} for _ in noise]
    for query in range(queries):
        worth = rng.normal(size=docs)
        qrels[f"q{query}"] = {f"d{i}": int(w > 1) + int(w > 1.6) for i, w in enumerate(worth)}
        qrels[f"q{query}"]["d0"] = 1
        for run, spread in zip(runs, noise, strict=True):
            seen = worth + rng.normal(scale=spread, size=docs)
            run[f"q{query}"] = {f"d{i}": float(s) for i, s in enumerate(seen)}
    return qrels, {f"run{number}": run for number, run in enumerate(runs)}


@pytest.fixture(scope="module")
def world():
    return noisy(1)


@pytest.fixture(scope="module")
def tuned(world):
    return rg.tune(*world, folds=5, seed=3)


def test_two_equally_noisy_runs_are_worth_more_together(tuned):
    assert tuned.held_out > tuned.best_run_held_out + 0.02
    assert tuned.chosen.score == max(trial.score for trial in tuned.trials)


def test_a_run_of_pure_noise_gets_little_weight():
    found = rg.tune(*noisy(2, noise=(0.3, 30.0)), methods=["wsum"], norms=["z-score"])
    assert found.chosen.weights is not None and found.chosen.weights[0] >= 0.8


def test_the_value_of_a_way_is_that_of_evaluate(world, tuned):
    qrels, runs = world
    trial = tuned.chosen
    fused = rg.fuse(runs, method=trial.method, norm=trial.norm, weights=trial.weights, **trial.parameters)
    assert tuned.in_sample == pytest.approx(rg.evaluate(qrels, fused, "nDCG@10").mean()["mean"][0], abs=1e-12)
    assert trial.score == pytest.approx(tuned.in_sample, abs=1e-12)  # nothing was learned: only the choice flatters


def test_the_held_out_value_is_the_mean_of_the_held_out_run(world, tuned):
    value = rg.evaluate(world[0], tuned.held_out_run, "nDCG@10").mean()["mean"][0]
    assert tuned.held_out == pytest.approx(value, abs=1e-12)
    assert tuned.held_out == pytest.approx(tuned.queries["held_out"].mean(), abs=1e-12)


def test_each_query_was_fused_as_chosen_without_its_fold(world):
    qrels, runs = world
    tuned = rg.tune(qrels, runs, methods=["CombSUM", "CombMNZ", "ISR", "wsum"], norms=["min-max"], seed=3)
    for fold, choice in enumerate(tuned.fold_choices, start=1):
        mine = tuned.queries.filter(fold=fold)
        others = {q: qrels[q] for q in tuned.queries.filter(tuned.queries["fold"] != fold)["query"]}
        best = max(tuned.trials, key=lambda t: (round(value(others, runs, t), 12), str(t) == choice))
        assert str(best) == choice
        values = evaluate(qrels, runs, best)
        assert mine["held_out"].to_list() == pytest.approx([values[q] for q in mine["query"]])


def evaluate(qrels, runs, trial):
    fused = rg.fuse(runs, method=trial.method, norm=trial.norm, weights=trial.weights, **trial.parameters)
    scores = rg.evaluate(qrels, {"fused": fused}, "nDCG@10")
    return scores.of("fused", scores.measures[0])


def value(qrels, runs, trial):
    return float(np.mean(list(evaluate(qrels, runs, trial).values())))


def test_choosing_among_noise_flatters_the_choice_and_not_the_held_out_value():
    held_out, in_sample, singles = [], [], []
    for seed in range(12):
        qrels, runs = noisy(100 + seed, queries=20, noise=(50.0, 50.0, 50.0))
        found = rg.tune(qrels, runs, methods=["wsum"], norms=["min-max"], folds=4, seed=seed)
        held_out.append(found.held_out)
        in_sample.append(found.in_sample)
        singles.append(float(np.mean([t.score for t in found.trials])))
    truth = np.mean(singles)  # nothing is better than anything: the mean of all ways is what a choice is worth
    error = np.std(held_out) / np.sqrt(len(held_out))
    assert np.mean(in_sample) > truth + 0.02
    assert abs(np.mean(held_out) - truth) < 3 * error + 0.005


@pytest.mark.parametrize("method", ["MAPFuse", "PosFuse", "ProbFuse", "BayesFuse"])
def test_a_trained_method_is_trained_without_the_fold_it_is_scored_on(method, world):
    qrels, runs = world
    found = rg.tune(qrels, runs, methods=[method], folds=4, seed=5)
    assert found.chosen.method == method
    for fold in range(1, 5):
        mine = found.queries.filter(fold=fold)["query"].to_list()
        rest = {query: grades for query, grades in qrels.items() if query not in mine}
        for trial in found.trials:
            fused = rg.fuse(runs, method=method, qrels=rest, **trial.parameters)
            scores = rg.evaluate({query: qrels[query] for query in mine}, fused, "nDCG@10")
            assert trial.folds[fold - 1] == pytest.approx(scores.mean()["mean"][0], abs=1e-12)


def test_a_trained_method_is_chosen_by_models_that_saw_neither_fold(world):
    qrels, runs = world
    given = [rg.Run.from_dict(run, name=name) for name, run in runs.items()]
    trials = Trials.of(rg.Qrels.from_dict(qrels), given, "nDCG@10", level=1.0, folds=3, seed=0)
    (way,) = recipes(["PosFuse"], [], 2)
    values = trials.values(way)
    for one, other in ((0, 1), (1, 2), (2, 0)):
        rest = {q: qrels[q] for q, f in zip(qrels, trials.fold, strict=True) if f not in (one, other)}
        fused = rg.fuse(runs, method="PosFuse", qrels=rest)
        expected = rg.evaluate(qrels, fused, "nDCG@10").values[0, 0]
        assert values.without[one, trials.fold == other] == pytest.approx(expected[trials.fold == other])
        assert np.isnan(values.without[one, trials.fold == one]).all()


def test_what_was_chosen_fuses_other_queries_of_the_same_runs(world, tuned):
    other = noisy(9)[1]
    fused = tuned.fuse(other, depth=3, name="hybrid")
    trial = tuned.chosen
    expected = rg.fuse(other, method=trial.method, norm=trial.norm, weights=trial.weights, **trial.parameters)
    assert fused.name == "hybrid" and len(fused) == 3 * 40
    assert list(fused.docs[:3]) == list(expected.docs[:3])


def test_what_was_learned_goes_with_the_choice(world):
    qrels, runs = world
    found = rg.tune(qrels, runs, methods=["MAPFuse"])
    assert found.fuse(runs).to_dict() == rg.fuse(runs, method="MAPFuse", qrels=qrels).to_dict()


def test_other_runs_or_another_order_of_them_are_refused(world, tuned):
    runs = world[1]
    for wrong in ({"run0": runs["run0"]}, {"run1": runs["run1"], "run0": runs["run0"]}):
        with pytest.raises(MethodError, match=r"expected the runs that were tuned, run0, run1, got run"):
            tuned.fuse(wrong)
    assert len(tuned.fuse({"new0": runs["run0"], "new1": runs["run1"]}))


def test_the_same_seed_gives_the_same_folds_and_another_others(world, tuned):
    qrels, runs = world
    again, other = rg.tune(qrels, runs, folds=5, seed=3), rg.tune(qrels, runs, folds=5, seed=4)
    assert again.queries.equals(tuned.queries) and again.held_out == tuned.held_out
    assert not other.queries["fold"].equals(tuned.queries["fold"])
    assert tuned.queries["fold"].value_counts(sort=True)["count"].to_list() == [8] * 5


def test_queries_without_a_value_and_without_judgments_are_left_out_and_counted(world):
    qrels, runs = {**world[0], "none": {"d0": 0}}, world[1]
    runs = {name: {**run, "none": {"d0": 1.0}, "new": {"d1": 1.0}} for name, run in runs.items()}
    found = rg.tune(qrels, runs, methods=["RRF"])
    assert len(found.queries) == 40
    assert [n.text for n in found.notes if n.kind == "undefined queries"] == [
        "1 judged queries without a value of nDCG(gain='exp')@10 were left out: 'none'"
    ]
    assert {"none", "new"} <= set(found.held_out_run.queries) and {"none", "new"} <= set(found.fuse(runs).queries)


@pytest.mark.parametrize("folds", [1, 41])
def test_there_are_two_folds_or_more_and_no_more_than_queries(world, folds):
    with pytest.raises(MethodError, match=f"expected 2 to 40 folds for 40 judged queries with a value, got {folds}"):
        rg.tune(*world, folds=folds)


def test_a_normalisation_that_the_scores_cannot_have_is_left_out_and_said(world):
    negative = {
        name: {q: {d: s - 99 for d, s in docs.items()} for q, docs in run.items()} for name, run in world[1].items()
    }
    found = rg.tune(world[0], negative, methods=["CombSUM"], norms=["max", "min-max"])
    assert [trial.norm for trial in found.trials] == ["min-max"]
    assert "normalisation max was not tried: run 'run0', query 'q0': expected a highest" in found.notes[-1].text
    with pytest.raises(InputError, match="expected a highest score above 0"):
        rg.tune(world[0], negative, methods=["CombSUM"], norms=["max"])


def test_distances_are_turned_round_in_tuning_and_after():
    qrels, runs = noisy(4)
    far = {"run0": {q: {d: -s for d, s in docs.items()} for q, docs in runs["run0"].items()}, "run1": runs["run1"]}
    one, other = rg.tune(qrels, runs, methods=["RRF"]), rg.tune(qrels, far, methods=["RRF"], lower_is_better=["run0"])
    assert one.held_out == other.held_out
    assert one.fuse(runs).to_dict() == other.fuse(far).to_dict()


def test_an_empty_run_and_progress_do_no_harm(world):
    told = []
    found = rg.tune(
        world[0], {**world[1], "none": {}}, methods=["CombSUM", "ISR"], progress=lambda *at: told.append(at)
    )
    assert told == [(1, 3), (2, 3), (3, 3)]
    assert "run 'none' is empty: it changes nothing" in [note.text for note in found.notes]


def test_another_measure_can_be_the_aim(world):
    found = rg.tune(*world, measure="AP", methods=["CombSUM"])
    assert found.measure == "AP"
    with pytest.raises(ParameterError):
        rg.tune(*world, measure="nDCG(gain='no')")


def test_trials_as_a_frame_have_a_row_each(tuned):
    frame = tuned.to_polars()
    assert frame.columns[:5] == ["method", "norm", "weights", "parameters", "score"]
    assert len(frame) == len(tuned.trials) and frame["score"].is_sorted(descending=True)
    assert frame.select(frame.columns[5:]).mean_horizontal().to_list() == pytest.approx(frame["score"].to_list())


def test_the_grid_holds_every_combination_once_and_equal_weights_first():
    found = [str(way) for way in recipes(["wsum"], ["min-max", "z-score"], 2)]
    assert len(found) == len(set(found)) == 2 * 11
    assert found[0] == "WSUM(norm=min-max)"
    assert len(recipes("all", "all", 2)) == len({str(way) for way in recipes("all", "all", 2)})


@pytest.mark.parametrize(("runs", "most"), [(2, 11), (3, 66), (5, 70), (8, 36), (30, 30)])
def test_weights_lie_on_a_simplex_of_at_most_a_hundred_points(runs, most):
    ways = [way.weights for way in recipes(["wsum"], ["min-max"], runs)]
    assert ways[0] is None and len(ways) <= most + 1
    assert all(sum(weights) == pytest.approx(1) and len(weights) == runs for weights in ways[1:])


def test_a_simplex_is_every_way_to_deal_out_parts():
    assert len(list(simplex(4, 3))) == 15
    assert set(map(sum, simplex(4, 3))) == {1.0}
