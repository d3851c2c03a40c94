"""States without Spark: laid out by hand, and against the rows themselves."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from rankgauge.engines import batch, states
from rankgauge.engines.plan import plan
from rankgauge.errors import InputError
from spark_worlds import logs

SEEN = {"last_rank": 40, "lowest": 0.0, "highest": 3.0, "whole": True}


def trusting(*measures, **choices):
    return plan(list(measures), order="rank", trusted=True, **choices)


def of_rows(rows: pl.DataFrame, layout: states.Layout) -> states.States:
    """States of rows, one row after the other."""
    keys = rows.select("query").unique(maintain_order=True)
    number = {query: at for at, query in enumerate(keys["query"])}
    Q = len(keys)
    count, last = np.zeros(Q, dtype=np.int64), np.zeros(Q, dtype=np.int64)
    words = [np.zeros(Q, dtype=np.uint64) for _ in layout.words]
    below = np.zeros((Q, layout.kinds), dtype=np.int64)
    for query, rank, grade in rows.select("query", "rank", "grade").iter_rows():
        at = number[query]
        count[at] += 1
        last[at] = max(last[at], rank)
        code = states.UNJUDGED if grade is None else int(grade) - layout.lowest + states.FIRST_GRADE
        for word, ranks in zip(words, layout.words, strict=True):
            if rank in ranks:
                word[at] |= np.uint64(code << layout.bits * (rank - ranks[0]))
        if rank > layout.depth and grade is not None:
            below[at, layout.counted.index(int(grade))] += 1
    codes = states.unpacked([word.view(np.int64) for word in words], layout)
    return states.States(keys, count, last, codes, below)


@pytest.mark.parametrize("measures", [["nDCG@5", "P@3"], ["AP", "nDCG", "bpref", "SetP"], ["R(rel=2)@17"]])
@pytest.mark.parametrize("convention", ["default", "sklearn", "ranx"])
def test_states_give_the_table_of_the_rows(measures, convention):
    rows = logs(1, days=1, queries=60, longest=20).drop("day", "score").with_columns(pl.col("grade").fill_nan(None))
    wanted = plan(measures, convention, order="rank", trusted=True, top_grade=3.0)
    layout = states.layout(wanted, last_rank=20, lowest=-2.0, highest=3.0, whole=True)
    assert layout is not None
    found = states.score(of_rows(rows, layout), layout, wanted)
    assert_frame_equal(found, batch.score(rows.drop("doc"), wanted), check_exact=True)


def test_a_cutoff_bounds_the_depth_and_without_one_all_ranks_are_coded():
    assert states.layout(trusting("nDCG@10", "P@5"), **SEEN) == states.Layout(10, 0, 4, complete=False)
    assert states.layout(trusting("nDCG@10", "AP"), **SEEN) == states.Layout(40, 0, 4, complete=True)
    assert states.layout(trusting("nDCG@100"), **SEEN) == states.Layout(40, 0, 4, complete=True)
    assert states.layout(trusting("P(judged_only=True)@5"), **SEEN) == states.Layout(40, 0, 4, complete=True)


def test_what_does_not_fit_is_left_to_rows():
    deep = SEEN | {"last_rank": states.MOST_RANKS + 1}
    assert states.layout(trusting("AP"), **deep) is None
    assert states.layout(trusting("nDCG@10"), **deep) is not None
    assert states.layout(trusting("nDCG@10"), **SEEN | {"whole": False}) is None
    assert states.layout(trusting("nDCG@10"), **SEEN | {"highest": float(states.MOST_KINDS)}) is None
    assert states.layout(plan(["nDCG@10"], order="rank"), **SEEN) is None


def test_words_hold_as_many_codes_as_fit_and_the_highest_bit_counts():
    few, many = states.Layout(18, 0, 14, complete=True), states.Layout(9, 0, 15, complete=True)
    assert (few.bits, few.words) == (4, [range(1, 17), range(17, 19)])
    assert (many.bits, many.words) == (8, [range(1, 9), range(9, 10)])
    word = np.array([-1, 0x21], dtype=np.int64)
    assert states.unpacked([word, word], few)[0].tolist() == [15] * 18
    assert states.unpacked([word, word], many)[1].tolist() == [0x21, 0, 0, 0, 0, 0, 0, 0, 0x21]


@pytest.mark.parametrize(
    ("ranks", "got"),
    [
        ([1, 2, 2], "3 rows down to rank 2, 2 of the first 2 ranks"),
        ([1, 3], "2 rows down to rank 3, 2 of the first 3 ranks"),
        ([1, 1, 3], "3 rows down to rank 3, 2 of the first 3 ranks"),
        ([1, 2, 3, 4, 6], "5 rows down to rank 6, 3 of the first 3 ranks"),
    ],
)
def test_ranks_that_are_not_1_to_n_are_refused(ranks, got):
    rows = pl.DataFrame({"query": ["q"] * len(ranks), "rank": ranks, "grade": [1.0] * len(ranks)})
    layout = states.Layout(3, 0, 4, complete=False)
    with pytest.raises(InputError) as caught:
        states.score(of_rows(rows, layout), layout, trusting("P@3"))
    expected = "query 'q': expected ranks 1..n, each once, as was promised, got "
    assert str(caught.value) == f"{expected}{got}; do not trust the ranks"
