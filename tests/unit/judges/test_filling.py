from __future__ import annotations

import numpy as np
import pytest

import rankgauge as rg
from rankgauge.errors import InputError, ParameterError
from rankgauge.formats.provenance import read_provenance, write_provenance
from rankgauge.judges.filling import fill, pairs_to_judge, shown
from rankgauge.judges.labels import JudgeLabels

HUMAN = rg.Qrels.from_dict({"q": {"a": 2, "b": 0, "z": 3, "p": -1}}, name="people")
OLD = rg.Run.from_dict({"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, name="old")
NEW = rg.Run.from_dict({"q": {"c": 3.0, "a": 2.0, "p": 1.0, "d": 0.5}}, name="new")
LABELS_GIVEN = {"q": {"a": 3, "b": 1, "c": 1, "p": 2}}
LABELS = JudgeLabels.from_qrels(rg.Qrels.from_dict(LABELS_GIVEN), source="llm:m:1")


def grades(filled) -> dict[str, float]:
    return filled.qrels.to_dict()["q"]


def kinds(filled) -> dict[str, int]:
    return {note.kind: note.count for note in filled.notes}


def test_what_to_judge_is_all_that_is_shown_or_the_holes_alone():
    assert shown([OLD, NEW], 3)["doc"].to_list() == ["a", "b", "c", "p"]
    for policy in ("both-arms", "calibrated"):
        assert pairs_to_judge(policy, HUMAN, [OLD, NEW], k=3)["doc"].to_list() == ["a", "b", "c", "p"]
    assert pairs_to_judge("holes", HUMAN, [OLD, NEW], k=3)["doc"].to_list() == ["c", "p"]


def test_queries_that_people_did_not_judge_are_asked_about_only_if_wanted():
    wide = rg.Run.from_dict(NEW.to_dict() | {"other": {"x": 1.0}}, name="wide")
    assert "other" not in pairs_to_judge("both-arms", HUMAN, [OLD, wide])["query"]
    assert "other" in pairs_to_judge("both-arms", HUMAN, [OLD, wide], every_query=True)["query"]
    assert fill("both-arms", HUMAN, LABELS, [OLD, wide], k=3).unasked == 0
    more = JudgeLabels.from_qrels(rg.Qrels.from_dict(LABELS_GIVEN | {"other": {"x": 2}}), source="llm:m:1")
    assert fill("both-arms", HUMAN, more, [OLD, wide], k=3).qrels.to_dict()["other"] == {"x": 2.0}


def test_both_arms_take_the_judges_label_of_all_that_is_shown_and_keep_the_human_one_aside():
    filled = fill("both-arms", HUMAN, LABELS, [OLD, NEW], k=3)
    assert grades(filled) == {"z": 3.0, "a": 3.0, "b": 1.0, "c": 1.0, "p": 2.0}
    rows = {doc: rest for _, doc, *rest in filled.provenance.rows()}
    assert rows == {
        "z": [3.0, "human", None],
        "a": [3.0, "llm:m:1", 2.0],
        "b": [1.0, "llm:m:1", 0.0],
        "c": [1.0, "llm:m:1", None],
        "p": [2.0, "llm:m:1", None],
    }
    assert kinds(filled) == {"filled": 2, "human labels aside": 2}
    assert HUMAN.to_dict() == {"q": {"a": 2, "b": 0, "z": 3, "p": -1}}


def test_the_provenance_is_written_and_read_beside_the_judgments(tmp_path):
    filled = fill("both-arms", HUMAN, LABELS, [OLD, NEW], k=3)
    write_provenance(filled.provenance, tmp_path / "filled.txt")
    assert read_provenance(tmp_path / "filled.txt").equals(filled.provenance)


def test_holes_alone_are_filled_with_a_warning():
    filled = fill("holes", HUMAN, LABELS, [OLD, NEW], k=3)
    assert grades(filled) == {"a": 2.0, "b": 0.0, "z": 3.0, "c": 1.0, "p": 2.0}
    assert kinds(filled) == {"filled": 2, "holes only": 2}
    assert "favours the run with more holes" in filled.notes[1].text


def test_calibrated_holes_get_the_grade_that_people_would_be_expected_to_give():
    human = rg.Qrels.from_dict({"q": {"a": 2, "b": 0}, "r": {"a": 1, "b": 0}})
    given = {"q": {"a": 3, "b": 1, "c": 1, "p": 3}, "r": {"a": 3, "b": 1}}
    labels = JudgeLabels.from_qrels(rg.Qrels.from_dict(given), source="llm:m:1")
    filled = fill("calibrated", human, labels, [OLD, NEW], k=3, gain="linear", smoothing=0)
    assert filled.qrels.to_dict()["q"] == {"a": 2.0, "b": 0.0, "c": 0.0, "p": 1.5}
    assert filled.calibration is not None
    assert kinds(filled) == {"filled": 2, "calibrated": 4, "few per grade": 2}


def test_a_grade_that_was_never_calibrated_is_said():
    labels = JudgeLabels.from_qrels(rg.Qrels.from_dict({"q": {"a": 3, "c": 0}}), source="llm:m:1")
    filled = fill("calibrated", HUMAN, labels, [OLD, NEW], k=3)
    assert kinds(filled)["grades not calibrated"] == 1


@pytest.mark.parametrize("policy", ["both-arms", "holes"])
def test_a_failed_judgment_stays_unjudged_and_is_counted(policy):
    given = rg.Qrels.from_dict({"q": {"a": 3, "c": 1}})
    failed = [("q", "b", "refused"), ("q", "p", "truncated")]
    filled = fill(policy, HUMAN, JudgeLabels.from_qrels(given, source="llm:m", failed=failed), [OLD, NEW], k=4)
    assert "p" not in grades(filled) and "d" not in grades(filled)
    assert (filled.failed, filled.unasked) == (2 if policy == "both-arms" else 1, 1)
    assert "refused 1, truncated 1" in next(note.text for note in filled.notes if note.kind == "judge failed")
    assert ("b" in grades(filled)) == (policy == "holes")  # another bias beside the judge's


def test_one_bias_in_both_runs_cancels_and_in_the_holes_alone_it_does_not():
    """Both runs return documents of the same worth; nobody judged the new run's, and the judge adds 1 to each grade."""
    rng = np.random.default_rng(1)
    human, judge, old, new = {}, {}, {}, {}
    for q in (f"q{i}" for i in range(40)):
        truth = rng.integers(0, 3, 10)
        human[q] = {f"o{i}": int(g) for i, g in enumerate(truth)}
        judge[q] = {f"{side}{i}": int(g) + 1 for side in "on" for i, g in enumerate(truth)}
        old[q], new[q] = ({f"{side}{i}": 10.0 - i for i in range(10)} for side in "on")
    runs = [rg.Run.from_dict(old, name="old"), rg.Run.from_dict(new, name="new")]
    people, labels = rg.Qrels.from_dict(human), JudgeLabels.from_qrels(rg.Qrels.from_dict(judge), source="llm:m")

    def difference(policy) -> float:
        values = rg.evaluate(fill(policy, people, labels, runs).qrels, runs, ["nDCG@10"]).values[:, 0]
        return float((values[1] - values[0]).mean())

    assert difference("both-arms") == 0
    assert difference("holes") > 0.2
    assert abs(difference("calibrated")) < 0.06  # what is left: the order within a run that a mean grade forgets


def test_misuse_is_refused():
    with pytest.raises(ParameterError, match="did you mean 'holes'"):
        fill("hole", HUMAN, LABELS, [OLD])
    with pytest.raises(ParameterError, match="k: expected 1 or more"):
        pairs_to_judge("holes", HUMAN, [OLD], k=0)
    with pytest.raises(InputError, match="runs: expected at least one"):
        shown([], 10)
