"""Tests of reranking and of the two stages as one."""

from __future__ import annotations

import numpy as np
import pytest

from rankgauge.errors import InputError, MethodError
from rankgauge.retrieval.pipeline import TwoStage
from rankgauge.retrieval.protocols import Hits
from rankgauge.retrieval.rerank import ByText, candidates_of, merged, rerank

HITS = Hits(("a", "b", "c", "d"), np.array([4.0, 3.0, 2.0, 1.0]))
WORTH = {"a": 0.1, "b": 0.1, "c": 0.9, "d": 5.0}


class ByWorth:
    name = "worth"

    def scores(self, query, texts):
        return np.array([WORTH[text] for text in texts])


class First:
    name = "first"

    def __len__(self):
        return len(HITS)

    def search(self, query, k, *, allowed=None):
        return HITS.top(k)


def test_only_the_head_is_reordered_and_equal_scores_stay_as_they_stood():
    found = rerank(ByText(ByWorth()), "q", HITS, list, depth=3)
    assert found.hits.docs == ("c", "a", "b", "d")
    assert found.hits.scores.tolist() == [4, 3, 2, 1]
    assert found.first.tolist() == [2, 4, 3, 1]
    np.testing.assert_equal(found.second, [0.9, 0.1, 0.1, np.nan])
    assert (found.scored, found.status, found.degraded) == (3, "full", False)


@pytest.mark.parametrize(("depth", "docs"), [(0, "abcd"), (1, "abcd"), (4, "dcab"), (100, "dcab")])
def test_depths(depth, docs):
    assert "".join(rerank(ByText(ByWorth()), "q", HITS, list, depth=depth).hits.docs) == docs


def test_a_depth_below_zero_is_refused():
    with pytest.raises(MethodError, match="rerank depth: expected 0 or more, got -1"):
        rerank(ByText(ByWorth()), "q", HITS, list, depth=-1)


@pytest.mark.parametrize("scores", [[np.nan], [np.inf], [1, 2, 3, 4, 5]])
def test_scores_that_are_not_scores_are_refused(scores):
    with pytest.raises(InputError, match="reranker: expected at most 4 finite scores"):
        merged(HITS, np.array(scores, dtype=np.float64))


def test_no_hits_give_an_empty_list():
    found = rerank(ByText(ByWorth()), "q", HITS.top(0), list)
    assert (len(found.hits), found.status) == (0, "full")


def test_candidates_can_be_taken_part_by_part():
    part = candidates_of("q", HITS, list).part(1, 3)
    assert (part.query, part.hits.docs, part.texts, part.hits.scores.tolist()) == ("q", ("b", "c"), ("b", "c"), [3, 2])


def test_two_stages_answer_with_both_lists_and_what_they_took():
    ticks = iter([1.0, 1.5, 3.5])
    answer = TwoStage(First(), list, ByText(ByWorth()), depth=4, clock=lambda: next(ticks)).answer("q")
    assert (answer.first.docs, answer.final.hits.docs) == (HITS.docs, ("d", "c", "a", "b"))
    assert answer.seconds == {"first": 0.5, "second": 2.0}
    assert not answer.degraded


def test_one_stage_alone_is_a_full_answer():
    answer = TwoStage(First(), list, candidates=2).answer("q")
    assert (answer.final.hits.docs, answer.final.scored, answer.degraded) == (("a", "b"), 0, False)


def test_a_guard_is_told_the_deadline():
    told = {}

    def guard(stage, query, hits, texts, *, depth, until):
        told.update(depth=depth, until=until)
        return merged(hits, np.zeros(0), status="skipped", reason="guarded")

    answer = TwoStage(First(), list, ByText(ByWorth()), how=guard).answer("q", depth=2, until=9.0)
    assert told == {"depth": 2, "until": 9.0}
    assert answer.degraded
    assert answer.final.hits.docs == HITS.docs


def test_impossible_sizes_are_refused():
    with pytest.raises(MethodError, match="candidates: expected 1 or more, got 0"):
        TwoStage(First(), list, candidates=0)
