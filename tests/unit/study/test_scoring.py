"""Tests of scoring once, and of what is kept from a run that was stopped."""

from __future__ import annotations

import numpy as np
import pytest

from rankgauge.errors import InputError
from rankgauge.retrieval.protocols import Hits
from rankgauge.study.scoring import Kept, at_depth, scored
from sweep_worlds import DOCS, QUERIES, First, Second


@pytest.fixture
def first():
    return {query: First().search(text, 10) for query, text in QUERIES.items()}


def texts(docs):
    return list(docs)


def test_each_candidate_is_scored_once_and_smaller_depths_follow(first):
    stage = Second()
    scores = scored(stage, QUERIES, first, texts, 5)
    assert len(stage.scored) == 5 * len(QUERIES)
    assert scores["q0"].tolist() == [1, 0, 0, 2, 0]
    assert at_depth(first, scores, 5)["q0"].docs[:3] == ("d3", "d0", "d1")
    assert at_depth(first, scores, 3)["q0"].docs == DOCS
    assert at_depth(first, scores, 0)["q1"].docs == DOCS


def test_a_query_without_hits_has_no_scores(first):
    stage = Second()
    found = scored(stage, QUERIES, {**first, "q0": Hits((), np.zeros(0))}, texts, 5)
    assert found["q0"].shape == (0,)
    assert len(stage.scored) == 5 * (len(QUERIES) - 1)


def test_a_stopped_run_goes_on_where_it_was(first, tmp_path, monkeypatch):
    monkeypatch.setattr("rankgauge.study.scoring.BLOCK", 2)
    folder = tmp_path / "kept"

    def stop(done, total):
        if done == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        scored(Second(), QUERIES, first, texts, 5, kept=Kept.open(folder, "job"), progress=stop)
    stage = Second()
    again = scored(stage, QUERIES, first, texts, 5, kept=Kept.open(folder, "job"))
    assert len(stage.scored) == 5 * 2
    whole = scored(Second(), QUERIES, first, texts, 5)
    assert {query: one.tolist() for query, one in again.items()} == {
        query: one.tolist() for query, one in whole.items()
    }
    assert list(again) == list(QUERIES)


def test_what_another_job_left_is_not_used(first, tmp_path):
    scored(Second(), QUERIES, first, texts, 5, kept=Kept.open(tmp_path, "one"))
    stage = Second()
    scored(stage, QUERIES, first, texts, 5, kept=Kept.open(tmp_path, "another"))
    assert len(stage.scored) == 5 * len(QUERIES)


def test_a_folder_of_other_files_stays_as_it_is(tmp_path):
    (tmp_path / "mine.txt").write_text("x")
    with pytest.raises(InputError, match="expected an empty folder, or that of a sweep, got other files"):
        Kept.open(tmp_path, "job")
    assert (tmp_path / "mine.txt").read_text() == "x"


def test_scores_that_are_too_few_are_refused(first):
    class Short(Second):
        def score(self, candidates):
            return super().score(candidates)[:-1]

    with pytest.raises(InputError, match=r"oracle: expected 5 scores, got an array of shape \(4,\)"):
        scored(Short(), QUERIES, first, texts, 5)
