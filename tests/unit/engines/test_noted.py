"""Notes at scale: what is said of one group, and of many together."""

from __future__ import annotations

import polars as pl

from rankgauge.engines.noted import notes_of, of_input, together
from rankgauge.engines.plan import COUNTS, plan
from rankgauge.records import Note
from rankgauge.records.summary import Summary


def summary(**counts: int) -> Summary:
    table = pl.DataFrame({"query": ["a", "b", "c", "d"], "status": ["scored", "missing", "left out", "not counted"]})
    return Summary.of(table.with_columns(pl.lit(counts.get(name, 0), pl.Int64).alias(name) for name in COUNTS))


def test_what_was_counted_is_said_and_nothing_else():
    how = plan(["RR"], order="score", on_duplicate="max")
    how = how.but(how=how.how.but(queries="both", drop_self=True))
    said = notes_of(summary(judged=300, tied=2, dropped=1, conflicts=5), how, label="log")
    assert {note.kind: note.text for note in said} == {
        "missing queries": "log: 1 judged queries have no results",
        "queries left out": "log: 1 queries without judgments were left out",
        "queries not counted": "log: 1 queries do not count: means are over queries with judgments and results",
        "ties": "log: 8 of 1,200 judged documents share their score with others",
        "duplicates": "log: 4 documents were dropped: repeated ones, the best of each was kept; those whose id is the "
        "query's",
        "conflicts": "log: 20 judgments on rows contradict the separate ones, which hold",
    }
    assert [note.kind for note in notes_of(summary(), how, label="log")] == [
        "missing queries",
        "queries left out",
        "queries not counted",
    ]


def test_separate_judgments_and_read_ids_need_no_word():
    how = plan(["RR"], order="rank")
    assert of_input(how, label="log", apart=True) == []
    assert [note.kind for note in of_input(how.but(trusted=True), label="log", apart=False)] == ["ideal", "trusted"]


def test_one_group_says_its_notes_and_many_say_each_kind_once():
    some, more, same = Note("ties", 3, "3 tied"), Note("ties", 9, "9 tied"), Note("ideal", 1, "the ideal")
    assert together({"": [same, some]}) == [same, some]
    assert together({"mon": [same, some], "tue": [same, more], "wed": [same]}) == [
        same,
        Note("ties", 12, "in 2 of 3 groups, most in tue: 9 tied"),
    ]
