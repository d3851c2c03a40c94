"""Curves, orders and profiles: exact values, and fake generators whose chances are known."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankgauge as rg
from prompt_worlds import BySlot, Scripted, question, questions
from rankgauge.errors import FormatError, InputError, MeasureError, ParameterError
from rankgauge.measures.prompt import slot_weights
from rankgauge.rag.cases import CurvePlan, cases_of
from rankgauge.rag.order import measure_order, order_test
from rankgauge.rag.position import curve, measure_curve
from rankgauge.rag.profile import SlotProfile, fit_profile
from rankgauge.records.answers import Answer, Answers, Context
from rankgauge.records.qrels import Qrels
from rankgauge.statistics.conditions import cochran_q

U = (0.9, 0.6, 0.45, 0.6, 0.9)


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def ids(prompts: list[tuple[Context, ...]]) -> list[str]:
    return ["".join((context.doc_id or "")[:1] for context in prompt) for prompt in prompts]


def lettered() -> Answer:
    contexts = [Context(f"text {letter}", letter) for letter in "bgcd"]
    return Answer("q", "?", None, tuple(contexts), ("g",))


def test_the_cyclic_design_turns_the_list_and_the_fixed_one_keeps_the_others_order() -> None:
    (case,), _ = cases_of(Answers((lettered(),)), Qrels.from_dict({"q": {"g": 1, "b": 0, "c": 0, "d": 0}}))
    assert ids(CurvePlan.every(4).prompts(case)) == ["gbcd", "dgbc", "cdgb", "bcdg"]
    assert ids(CurvePlan.every(4, "fixed").prompts(case)) == ["gbcd", "bgcd", "bcgd", "bcdg"]
    assert ids(CurvePlan(3, (1, 3)).prompts(case)) == ["gbc", "bcg"]


@given(st.integers(2, 9))
def test_in_the_cyclic_design_each_passage_takes_each_slot_once(size: int) -> None:
    (case,), _ = cases_of(Answers((question(1, size),)))
    prompts = CurvePlan.every(size).prompts(case)
    assert all(len({prompt[slot].doc_id for prompt in prompts}) == size for slot in range(size))
    assert [prompt.index(case.gold) + 1 for prompt in prompts] == list(range(1, size + 1))


@pytest.mark.parametrize(
    ("size", "slots"), [(20, (1, 5, 10, 15, 20)), (5, (1, 2, 4, 5)), (2, (1, 2)), (10, (1, 2, 5, 8, 10))]
)
def test_the_five_slots_are_the_ends_and_the_quarters(size: int, slots: tuple[int, ...]) -> None:
    assert CurvePlan.five(size).slots == slots


@pytest.mark.parametrize(("size", "slots"), [(1, (1, 2)), (3, (1,)), (3, (2, 1)), (3, (0, 1)), (3, (1, 4))])
def test_a_plan_that_cannot_be_is_refused(size: int, slots: tuple[int, ...]) -> None:
    with pytest.raises(ParameterError, match="expected"):
        CurvePlan(size, slots)


def test_questions_without_a_gold_passage_or_with_too_few_others_are_counted() -> None:
    lonely = Answer("a", "?", None, (Context("word1", "g"),), ("word1",))
    lost = Answer("b", "?", None, (Context("nothing", "n"),), ("word1",))
    found, notes = cases_of(Answers((lonely, lost, question(3))), distractors=4)
    assert [case.answer.query_id for case in found] == ["q3"]
    assert [note.count for note in notes] == [1, 1]
    with pytest.raises(InputError, match="expected a question with a passage that answers and others"):
        cases_of(Answers((lost,)))


def test_unjudged_passages_are_neither_gold_nor_distractors() -> None:
    (case,), _ = cases_of(Answers((lettered(),)), Qrels.from_dict({"q": {"g": 2, "c": 0, "b": 1}}), level=2)
    assert [context.doc_id for context in case.others] == ["b", "c"]


def test_the_curve_by_hand() -> None:
    rows = np.array([[1, 0, 1], [1, 0, 0], [1, 1, 0], [0, 0, 1.0]])
    found = curve(rows, CurvePlan.every(3), closed=[0, 0, 0, 1], oracle=[1, 1, 1, np.nan], rng=rng(), resamples=1000)
    assert [point.accuracy.estimate for point in found.points] == [0.75, 0.25, 0.5]
    assert found.edge_middle.estimate == pytest.approx((0.75 + 0.5) / 2 - 0.25)
    assert found.primacy_recency.estimate == 0.25
    assert found.range.estimate == 0.5
    assert (found.closed.estimate, found.oracle.estimate, found.oracle.left_out) == (0.25, 1.0, 1)
    assert found.over_closed.estimate == pytest.approx(0.5 - 0.25)
    assert found.under_oracle.estimate == pytest.approx(1 - (2 + 1 + 2) / 9)
    assert found.test.statistic == pytest.approx(2 * (3 * (9 + 1 + 4) - 36) / (3 * 6 - (4 + 1 + 4 + 1)))


def test_what_was_not_tried_has_no_gap_and_shares_have_no_q() -> None:
    rows = np.array([[1, 0], [1, 0], [0, 1.0]])
    inner = curve(rows, CurvePlan(9, (2, 5)), rng=rng(), resamples=200)
    assert (inner.edge_middle.estimate, inner.edge_middle.outcome) == (None, "the first or the last slot was not tried")
    ends = curve(rows, CurvePlan(9, (1, 9)), rng=rng(), resamples=200)
    assert ends.edge_middle.outcome == "no slot of the middle third was tried"
    assert ends.primacy_recency.estimate == pytest.approx(1 / 3)
    shares = curve(rows / 2, CurvePlan(9, (1, 9)), rng=rng(), resamples=200)
    assert shares.test.p is None and "shares" in shares.test.outcome
    assert shares.points[0].accuracy.method == "t"
    with pytest.raises(InputError, match="outcomes: expected an array of shape"):
        curve(rows, CurvePlan.every(3), rng=rng())
    with pytest.raises(InputError, match=r"outcomes: expected outcomes from 0 to 1, got 2\.0"):
        curve(rows * 2, CurvePlan(9, (1, 9)), rng=rng())


def test_a_failed_call_is_no_outcome_and_is_counted() -> None:
    cases, _ = cases_of(questions(4), distractors=2)
    said = Scripted(lambda prompt: None if "1?" in prompt.question else "word" + prompt.question[-2])
    found = measure_curve(cases, said, CurvePlan.every(3), rng=rng(), resamples=200)
    assert (found.failed, found.notes[0].count) == (5, 5)
    assert [point.accuracy.n for point in found.points] == [3, 3, 3]
    assert found.points[0].accuracy.left_out == 1
    assert np.isnan(found.outcomes[1]).all()


def fitted(chances: tuple[float, ...], many: int, seed: int):
    generator = BySlot(chances, closed=0.2, alone=0.95, seed=seed)
    cases, _ = cases_of(questions(many), distractors=4)
    found = measure_curve(cases, generator, CurvePlan.every(5), rng=rng(seed), resamples=500)
    assert generator.calls == many * 7
    return found


def test_a_u_shaped_generator_is_found_out_and_its_profile_is_the_true_one() -> None:
    found = fitted(U, 600, 3)
    assert found.test.p < 1e-6
    assert found.edge_middle.low > 0.3
    assert found.primacy_recency.low < 0 < found.primacy_recency.high
    assert [
        point.accuracy.low < chance < point.accuracy.high for point, chance in zip(found.points, U, strict=True)
    ] == [True] * 5
    fit = fit_profile(found, rng=rng())
    true = (np.array(U) - 0.2) / (np.array(U) - 0.2).sum()
    assert np.abs(np.array(fit.weights) - true).max() < 0.03
    assert sum(fit.weights) == pytest.approx(1)
    assert fit.shrinkage <= 0.1 and fit.rises and fit.questions == 600


def test_of_a_flat_generator_q_raises_five_alarms_in_a_hundred_and_the_profile_is_flat() -> None:
    draw = np.random.default_rng(5)
    alarms = [(cochran_q(flat_outcomes(draw)).p or 1.0) < 0.05 for _ in range(3000)]
    assert 0.04 <= np.mean(alarms) <= 0.06
    shrunk = [fit_profile(fitted((0.7,) * 5, 150, seed), rng=rng()) for seed in range(8)]
    assert np.mean([one.shrinkage for one in shrunk]) > 0.5
    assert max(np.abs(np.array(one.weights) - 0.2).max() for one in shrunk) < 0.05


def flat_outcomes(draw: np.random.Generator) -> np.ndarray:
    """Outcomes whose chance depends on the question and not on the slot."""
    return (draw.random((80, 5)) < draw.beta(2, 2, size=(80, 1))).astype(float)


def test_weights_between_the_tried_slots_are_interpolated() -> None:
    rows = np.array([[1, 0, 1.0]] * 6 + [[1, 1, 1.0]] * 6)
    found = curve(rows, CurvePlan(5, (1, 3, 5)), closed=np.zeros(12), rng=rng(), resamples=200)
    fit = fit_profile(found, rng=rng(), folds=3)
    raw = np.array([1, 0.75, 0.5, 0.75, 1])
    assert np.allclose(fit.weights, (1 - fit.shrinkage) * raw / raw.sum() + fit.shrinkage / 5)


def test_a_profile_of_slots_that_gain_nothing_is_equal_and_says_so() -> None:
    found = curve(np.zeros((12, 3)), CurvePlan.every(3), closed=np.ones(12), rng=rng(), resamples=200)
    fit = fit_profile(found, rng=rng())
    assert fit.weights == (1 / 3,) * 3
    assert fit.outcome == "no slot is better than no passages: the weights are equal"
    with pytest.raises(InputError, match="expected outcomes without passages, got none"):
        fit_profile(curve(np.zeros((12, 3)), CurvePlan.every(3), rng=rng(), resamples=200), rng=rng())
    with pytest.raises(InputError, match="expected at least 10 questions, one a fold, got 3"):
        fit_profile(curve(np.zeros((3, 3)), CurvePlan.every(3), closed=np.ones(3), rng=rng(), resamples=200), rng=rng())


def test_a_profile_file_is_read_back_and_is_a_measure(tmp_path: Path) -> None:
    profile = SlotProfile((0.5, 0.1, 0.4), (1, 2, 3), 0.1, (0.9, 0.5, 0.8), 0.4, 12, "fake")
    path = tmp_path / "slots.json"
    profile.save(path)
    assert SlotProfile.load(path) == profile
    measure = rg.parse(f"PromptGain(profile={str(path)!r})@3")
    run, qrels = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"q": {"a": 1, "c": 1, "b": 0}}
    assert rg.evaluate(qrels, run, [measure]).mean()["mean"].to_list() == pytest.approx([0.9])
    SlotProfile((1.0, 1.0, 0.0), (1, 2, 3), 0.1, (0.9, 0.5, 0.8), 0.4, 12).save(path)
    assert rg.evaluate(qrels, run, [measure]).mean()["mean"].to_list() == pytest.approx([0.5])
    path.write_text(json.dumps({"weights": "many"}))
    with pytest.raises(FormatError, match="expected a slot profile"):
        slot_weights(str(path), 4)
    with pytest.raises(FormatError, match=r"slots\.json: expected a slot profile"):
        SlotProfile.load(path)


def test_the_real_order_against_random_ones_by_hand() -> None:
    found = order_test([1, 1, 0], [0, 1, 0], [[0, 1], [1, 1], [0, 0]], rng=rng(), resamples=1000)
    assert (found.natural, found.reversed, found.n) == (pytest.approx(2 / 3), pytest.approx(1 / 3), 3)
    assert found.random.tolist() == pytest.approx([1 / 3, 2 / 3])
    assert found.sd == pytest.approx(np.std([1 / 3, 2 / 3], ddof=1))
    assert found.changed == pytest.approx(1 / 3)
    # Only the first question can move: 1, 0 or 1 in three ways, as far from 2/3 in two of three as it is.
    assert found.p == pytest.approx(1.0, abs=0.4)
    same = order_test([1, 0], [1, 0], [[1, 1], [0, 0]], rng=rng())
    assert (same.p, same.outcome) == (None, "no question's outcome changes with the order")
    nobody = order_test([np.nan], [1], [[1, 1]], rng=rng())
    assert (nobody.natural, nobody.left_out) == (None, 1)
    with pytest.raises(ParameterError, match="random orders: expected two or more, got 1"):
        order_test([1], [1], [[1]], rng=rng())


def test_an_order_that_helps_is_found_and_one_that_does_not_is_not() -> None:
    found = measure_order(questions(300).rows, BySlot(U, closed=0, alone=1, seed=1), rng=rng(), resamples=500)
    assert found.natural > 0.85 and found.p < 0.01 and found.natural_random.low > 0
    flat = measure_order(questions(300).rows, BySlot((0.7,) * 5, closed=0, alone=1, seed=1), rng=rng(), resamples=500)
    assert flat.p > 0.05


def test_questions_with_one_passage_have_no_order() -> None:
    some = (*questions(5).rows, question(9, 1))
    found = measure_order(some, BySlot(U, closed=0, alone=1, seed=1), rng=rng(), many=2, resamples=200)
    assert {note.kind: note.count for note in found.notes} == {"single passages": 1}


def test_a_u_shaped_profile_is_refused_as_a_user_model_and_a_falling_one_is_not() -> None:
    with pytest.raises(
        ParameterError, match=r"expected value to be 'EU', the weighed gain \(a U-shaped profile is no C/W/L"
    ):
        rg.parse("PromptGain(value='ED')@3")
    with pytest.raises(MeasureError, match="a U-shaped profile is no C/W/L model"):
        rg.profile("PromptGain(profile={1: 3, 2: 1, 3: 3})@3")
    assert rg.profile("PromptGain(profile={1: 3, 2: 2, 3: 1})@3", depth=3).W.tolist() == pytest.approx(
        [3 / 6, 2 / 6, 1 / 6]
    )


@pytest.mark.parametrize(
    ("measure", "says"),
    [
        ("PromptGain(profile={1: 1, 2: 1})@3", "expected a profile of 3 slots at @3, got a profile of prompts of 2"),
        ("PromptGain(profile={1: 1, 3: 1})@2", "expected a weight for each slot from 1 on"),
        ("PromptGain(profile={1: 1, 2: -1})@2", "expected weights of 0 or more, some above it"),
        ("PromptGain(profile={1: 0, 2: 0})@2", "expected weights of 0 or more, some above it"),
        ("PromptGain", "PromptGain needs a cutoff"),
    ],
)
def test_weights_that_do_not_fit_are_refused(measure: str, says: str) -> None:
    with pytest.raises(ParameterError, match=says):
        rg.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, [measure])


def test_a_profile_file_that_is_not_there_is_named() -> None:
    with pytest.raises(InputError, match=r"nowhere\.json: expected a file with a slot profile, or 'uniform'"):
        rg.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, ["PromptGain(profile='nowhere.json')@2"])


def test_unjudged_slots_and_empty_ones_are_the_residual() -> None:
    measure = rg.parse("PromptGain(profile={1: 5, 2: 1, 3: 2, 4: 2})@4")
    judged = rg.judge(Qrels.from_dict({"q": {"a": 1}}), rg.Run.from_dict({"q": {"a": 3.0, "x": 2.0, "y": 1.0}}))
    found = measure.residual(judged)
    assert measure.of(judged).tolist() == pytest.approx([0.5])
    assert (found.unjudged.tolist(), found.tail.tolist()) == (pytest.approx([0.3]), pytest.approx([0.2]))
