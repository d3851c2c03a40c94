"""Rank columns in logs and runs at scale: from 0, with gaps, empty, twice, against the scores beside them."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from rankgauge.engines import stream
from rankgauge.errors import InputError
from rankgauge.statistics.summaries import summary_means

RUN = """90001\t700\t1
90001\t701\t2
90001\t702\t3
2\t810\t1
2\t811\t2
5\t10\t11
"""
QRELS = """90001\t0\t701\t1
2\t0\t810\t1
5\t0\t10\t1
7\t0\t99\t1
"""


def write(folder: Path, rows: dict[str, list[object]]) -> Path:
    path = folder / "log.parquet"
    pl.DataFrame(rows).write_parquet(path)
    return path


@pytest.mark.parametrize("first", [1, 0])
def test_a_run_with_ranks_and_no_scores_follows_its_ranks_wherever_they_start(tmp_path, first):
    """Case msmarco-tsv; by hand: (1/2 + 1 + 0 + 0)/4, as query 5 has its passage at rank 11 and query 7 no results."""
    lines = [line.split("\t") for line in RUN.splitlines()]
    query, doc, rank = zip(*lines, strict=True)
    ranks = [int(at) - 1 + first for at in rank]
    run = write(tmp_path, {"query_id": list(query), "pid": list(doc), "rank": ranks})
    qrels = tmp_path / "qrels.txt"
    qrels.write_text(QRELS)
    found = stream.evaluate(
        run, ["RR@10"], qrels=qrels, columns={"query": "query_id", "doc": "pid", "rank": "rank"}, out=tmp_path / "out"
    )
    assert summary_means(found.summary, found.about.measures)["mean"].to_list() == [0.375]
    scores = dict(found.scores().select("query", "RR@10").collect().iter_rows())
    assert scores == {"90001": 0.5, "2": 1.0, "5": 0.0, "7": 0.0}
    said = [note.text for note in found.about.notes[""]]
    assert any("ranks count from 0" in text for text in said) == (first == 0)


def test_gaps_in_ranks_hold_and_are_not_closed(tmp_path):
    log = write(tmp_path, {"query": ["q"] * 3, "doc": ["a", "b", "c"], "rank": [2, 4, 9], "grade": [0, 1, 2]})
    found = stream.evaluate(log, ["RR", "P@4", "Judged@4"], out=tmp_path / "out").scores().collect()
    assert found.select("RR", "P@4", "Judged@4", "retrieved").rows() == [(0.25, 0.25, 0.5, 9)]


def test_an_empty_rank_with_a_grade_is_judged_and_not_retrieved(tmp_path):
    """Sorted by rank, engines put empty ranks first or last; here they have no place."""
    log = write(tmp_path, {"query": ["q"] * 3, "doc": ["a", "b", "c"], "rank": [None, 1, 2], "grade": [3, 0, 1]})
    found = stream.evaluate(log, ["RR", "R@2", "NumRel"], out=tmp_path / "out").scores().collect()
    assert found.select("RR", "R@2", "NumRel", "retrieved").rows() == [(0.5, 0.5, 2.0, 2)]


def test_an_empty_rank_without_a_grade_is_refused(tmp_path):
    log = write(tmp_path, {"query": ["q", "q"], "doc": ["a", "b"], "rank": [None, 1], "grade": [None, 1]})
    with pytest.raises(InputError, match=r"expected a rank or a grade, got n"):
        stream.evaluate(log, ["RR"])


def test_a_rank_twice_is_refused(tmp_path):
    log = write(tmp_path, {"query": ["q", "q"], "doc": ["a", "b"], "rank": [1, 1], "grade": [0, 1]})
    with pytest.raises(InputError, match="query 'q': expected each rank once, got rank 1 twice"):
        stream.evaluate(log, ["RR"])


def test_a_rank_that_was_named_holds_against_the_scores_beside_it(tmp_path):
    rows = {"query": ["q", "q"], "doc": ["a", "b"], "rank": [1, 2], "score": [0.1, 0.9], "grade": [0, 1]}
    log = write(tmp_path, rows)
    named = {"query": "query", "doc": "doc", "grade": "grade"}
    by_rank, by_score = (
        stream.evaluate(log, ["RR"], columns=named | {which: which}, out=tmp_path / which)
        for which in ("rank", "score")
    )
    assert by_rank.scores().collect()["RR"].item() == 0.5
    assert by_score.scores().collect()["RR"].item() == 1.0
    assert (by_rank.about.order, by_score.about.order) == ("rank", "score")


def test_broken_promises_about_ranks_are_found(tmp_path):
    log = write(tmp_path, {"query": ["q", "q"], "doc": ["a", "b"], "rank": [1, 3], "grade": [0, 1]})
    with pytest.raises(InputError, match="query 'q': expected ranks without gaps, as was promised"):
        stream.evaluate(log, ["RR"], trusted=True)
