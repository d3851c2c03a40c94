"""Run.ranked(): the order in which a run's documents stand."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import rankgauge as rg
from rankgauge.records._columns import grouped

RUN = {"p": {"a": 1.0, "é": 2.0, "b": 2.0, "d10": 1.0, "d9": 1.0}, "q": {"z": 1.0, "y": 1.0}}


@pytest.mark.parametrize(
    ("ties", "expected"),
    [
        ("docid-desc", ["é", "b", "d9", "d10", "a", "z", "y"]),
        ("docid-asc", ["b", "é", "a", "d10", "d9", "y", "z"]),
        ("input", ["é", "b", "a", "d10", "d9", "z", "y"]),
    ],
)
def test_documents_stand_by_falling_score_and_then_by_id(ties: str, expected: list[str]) -> None:
    assert rg.Run.from_dict(RUN).ranked(ties=ties).docs.to_list() == expected  # type: ignore[arg-type]


def test_trec_evals_order_is_the_default() -> None:
    run = rg.Run.from_dict(RUN)
    assert run.ranked().docs.to_list() == run.ranked(ties="docid-desc").docs.to_list()


def test_a_ranked_run_holds_the_same_scores() -> None:
    ranked = rg.Run.from_dict(RUN).ranked()
    assert ranked.to_dict() == RUN
    assert ranked.scores.tolist() == [2.0, 2.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    assert ranked.doc_hash.tolist() == ranked.docs.hash().to_list()


def test_a_ranked_run_stands_as_it_is_judged() -> None:
    run = rg.Run.from_dict(RUN)
    judged = rg.judge(rg.Qrels.from_dict({query: dict.fromkeys(docs, 1) for query, docs in RUN.items()}), run)
    again = rg.judge(rg.Qrels.from_dict({"p": {"d9": 5, "é": 3, "a": 1}}), run)
    assert judged.rank.tolist() == [1, 2, 3, 4, 5, 1, 2]
    assert again.grade.tolist() == [3, 5, 1]
    assert again.rank.tolist() == [run.ranked().docs.to_list().index(doc) + 1 for doc in ("é", "d9", "a")]


def test_ranks_that_were_given_hold_instead_of_scores() -> None:
    docs, ranks = pl.Series(["a", "b", "c"]), np.array([2, 3, 1])
    run = rg.Run.from_groups(grouped(pl.Series(["q"] * 3)), docs, np.array([9.0, 9.0, 1.0]), name="r", ranks=ranks)
    assert run.ranked().docs.to_list() == ["c", "a", "b"]
    assert run.ranked().ranks.tolist() == [1, 2, 3]  # type: ignore[union-attr]
    assert rg.rbo(run, {"q": {"c": 3.0, "a": 2.0, "b": 1.0}}).values[0] == 1.0
    assert rg.kendall_tau(run, {"q": {"c": 3.0, "a": 2.0, "b": 1.0}}).values[0] == 1.0


def test_an_empty_id_in_a_dict_is_refused():
    with pytest.raises(rg.RankgaugeError, match="run 'a', documents, row 2: expected an id, got none"):
        rg.Run.from_dict({"q": {"d": 2.0, "": 1.0}}, name="a")
