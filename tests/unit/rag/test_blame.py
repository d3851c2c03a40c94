"""Tests of whose fault a wrong answer is."""

from __future__ import annotations

from rankgauge.rag.blame import blame, hits
from rankgauge.records.answers import Answer, Answers, Context
from rankgauge.records.qrels import Qrels

RETRIEVAL = {"a": 1.0, "b": 0.3, "c": 0.2, "d": 0.0, "e": 0.0, "f": 0.0, "g": None, "h": 1.0}
ANSWERS = {"a": 1.0, "b": 0.5, "c": 0.49, "d": 0.0, "e": 0.9, "f": None, "g": 1.0, "h": None, "i": 1.0}


def test_every_question_is_in_one_cell():
    found = blame(RETRIEVAL, ANSWERS, abstained=["f", "c"])
    assert (found.hit_right, found.hit_wrong, found.hit_abstained) == (("a", "b"), (), ("c",))
    assert (found.miss_right, found.miss_wrong, found.miss_abstained) == (("e",), ("d",), ("f",))
    assert found.unknown == ("g", "h", "i")


def test_the_table_is_said_in_words_and_shares():
    found = blame(RETRIEVAL, ANSWERS, abstained=["f"])
    assert found.sentence == (
        "2 wrong: 1 although retrieval hit (generation), 1 after it missed (retrieval); 0 abstained after a hit, "
        "1 after a miss; 1 right without retrieval; 3 unknown"
    )
    shares = [(one.estimate, one.n) for one in (found.hit_rate, found.right_after_hit, found.right_after_miss)]
    assert shares == [(0.5, 6), (2 / 3, 3), (0.5, 2)]


def test_where_a_hit_and_a_right_answer_begin_can_be_set():
    found = blame(RETRIEVAL, ANSWERS, hit_above=0.2, right_from=0.4)
    assert (found.hit_right, found.miss_right) == (("a", "b"), ("c", "e"))


def test_a_context_that_is_judged_relevant_is_a_hit():
    def answer(query: str, *docs: str | None) -> Answer:
        return Answer(query, "?", "!", tuple(Context("text", doc_id=doc) for doc in docs))

    rows = Answers((answer("hit", "x", "a"), answer("miss", "x", "b", None), answer("none"), answer("unnamed", None),
                    answer("unknown", "a")))  # fmt: skip
    qrels = Qrels.from_dict({query: {"a": 2, "b": 1} for query in ("hit", "miss", "none", "unnamed")})
    expected = {"hit": 1.0, "miss": 0.0, "none": 0.0, "unnamed": None, "unknown": None}
    assert hits(rows, qrels, rel=2) == expected
    assert hits(rows, qrels) == expected | {"miss": 1.0}
