"""Tests of the cache study: the traffic, and what is counted."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import rankgauge as rg
from rankgauge.errors import MethodError
from rankgauge.report.caching import render_study
from rankgauge.retrieval.protocols import Hits
from rankgauge.retrieval.tokenizers import tokenizer
from rankgauge.statistics.intervals import interval
from rankgauge.study.caching import Setting, by_intent, study
from rankgauge.study.traffic import Request, Zipf, drawn, of_log

QUERIES = {f"q{number}": f"word{number} shared text {number}" for number in range(20)}
WORDS = tokenizer("plain")


class First:
    """Each text has its own list; texts of the same first word share their documents."""

    name = "first"

    def __init__(self):
        self.asked = Counter()

    def __len__(self):
        return 100

    def search(self, query, k, *, allowed=None):
        self.asked[query] += 1
        if query == "nothing":
            return Hits((), np.zeros(0))
        start = sum(map(ord, query.split()[0].lower())) % 50
        docs = tuple(f"d{start + place}" for place in range(k))
        return Hits(docs[1:] + docs[:1] if "turned" in query else docs, np.arange(k, 0, -1.0))


class Vectors:
    """All queries are alike, but for those that say "far"."""

    name, dimension = "vectors", 2

    def embed(self, texts, *, kind):
        return np.array([[0.0, 1.0] if "far" in text else [1.0, 0.0] for text in texts], dtype=np.float32)


def test_the_same_seed_draws_the_same_requests_and_a_head_is_asked_most():
    one, two, other = (drawn(QUERIES, Zipf(500, seed=seed)) for seed in (1, 1, 2))
    assert one == two != other
    asked = Counter(request.intent for request in drawn(QUERIES, Zipf(5000, alpha=1.0)))
    counts = sorted(asked.values(), reverse=True)
    weights = 1 / np.arange(1, 21)
    assert counts[0] == pytest.approx(5000 * weights[0] / weights.sum(), rel=0.1)
    flat = Counter(request.intent for request in drawn(QUERIES, Zipf(5000, alpha=0.0)))
    assert max(flat.values()) < 1.5 * min(flat.values())


def test_requests_are_written_as_they_say():
    requests = drawn(QUERIES, Zipf(2000))
    shares = Counter(request.how for request in requests)
    assert {how: pytest.approx(count / 2000, abs=0.04) for how, count in shares.items()} == {
        "same": 0.5, "order": 0.2, "drop": 0.15, "swap": 0.15,
    }  # fmt: skip
    for request in requests:
        said, own = request.text.split(), QUERIES[request.intent].split()
        if request.how == "same":
            assert said == own
        elif request.how == "order":
            assert sorted(said) == sorted(own)
        elif request.how == "drop":
            assert len(said) == len(own) - 1 and not Counter(said) - Counter(own)
        else:
            assert len(said) == len(own) and sum(a != b for a, b in zip(said, own, strict=True)) <= 1
        assert request.keeps == (request.how != "swap")


def test_short_queries_stay_as_they_are_and_none_are_refused():
    assert {request.how for request in drawn({"q": "two words"}, Zipf(50))} == {"same"}
    with pytest.raises(MethodError, match="expected queries to draw from, got none"):
        drawn({}, Zipf())
    for wrong in ({"requests": 0}, {"alpha": -1.0}, {"shares": {"same": 0.0}}):
        with pytest.raises(MethodError, match="traffic: expected"):
            Zipf(**wrong)


def requests_of(*texts):
    return [Request(text, text.split()[0], "same") for text in texts]


def test_hits_are_counted_by_kind_and_fresh_answers_are_made_once():
    first = First()
    sent = requests_of("a b c", "a b c", "c b a", "A  b c", "d e f", "nothing", "nothing")
    exact, words = study(sent, first, [Setting(words=False), Setting()], words=WORDS)
    assert (exact.hits, exact.requests, exact.rate) == ({"exact": 3}, 7, 3 / 7)
    assert words.hits == {"exact": 3, "words": 1}
    assert set(first.asked.values()) == {1}
    assert (exact.closeness, exact.false, exact.lost.estimate) == (None, 0, 0.0)


def test_closeness_is_that_to_the_fresh_list():
    sent = requests_of("a one", "a turned", "b far", "c far")
    [line] = study(sent, First(), [Setting(False, 0.9, guarded=False)], words=WORDS, embedder=Vectors())
    gains = np.arange(10, 0, -1.0)
    discounts = 1 / np.log2(np.arange(2, 12))
    served_gains = np.append(1.0, gains[:-1])  # what "a turned" wants, in the order of "a one"
    turned = (served_gains * discounts).sum() / (gains * discounts).sum()
    far = [f"d{(ord('b')) % 50 + place}" for place in range(10)]
    wanted = {f"d{(ord('c')) % 50 + place}": 10 - place for place in range(10)}
    shifted = (np.array([wanted.get(doc, 0) for doc in far]) * discounts).sum() / (gains * discounts).sum()
    assert line.hits == {"like": 2}
    assert line.closeness == pytest.approx((turned + shifted) / 2, abs=1e-12)
    assert line.lost.estimate == pytest.approx((2 - turned - shifted) / 4, abs=1e-12)


def test_a_hit_that_has_little_in_common_with_the_fresh_list_is_false():
    sent = requests_of("a one", "z one")
    [line] = study(sent, First(), [Setting(False, 0.9, guarded=False)], words=WORDS, embedder=Vectors())
    assert (line.hits, line.false) == ({"like": 1}, 1)
    [guarded] = study(sent, First(), [Setting(False, 0.9)], words=WORDS, embedder=Vectors())
    assert guarded.hits == {}


def test_judged_change_is_over_requests_whose_judgments_are_known():
    start = ord("a") % 50
    qrels = rg.Qrels.from_dict({"a": {f"d{start}": 1}})
    sent = [*requests_of("a one", "a turned"), Request("a swapped", "a", "swap"), *requests_of("b far")]
    [line] = study(sent, First(), [Setting(False, 0.9, False)], words=WORDS, embedder=Vectors(), qrels=qrels)
    turned = 1 / np.log2(11)  # fresh, the document is tenth; served, it is first
    assert line.judged is not None
    assert line.judged.estimate == pytest.approx((1 - turned) / 2, abs=1e-12)
    [unjudged] = study(of_log(["x", "x"]), First(), [Setting()], words=WORDS, qrels=qrels)
    assert unjudged.judged is None


def test_the_table_names_each_cache():
    lines = study(requests_of("a b c", "c b a"), First(), [Setting(words=False), Setting()], words=WORDS)
    text = render_study(lines)
    assert [row.split("  ")[1].strip() for row in text.splitlines() if "exact" in row][1:] == [
        "exact",
        "exact and words",
    ]
    assert str(Setting(True, 0.95, False)) == "like 0.95, no guard"
    assert '"rate": 0.5' in render_study(lines, format="json")


def test_requests_of_one_query_stand_and_fall_together():
    values = np.array([0.1, 0.5, 0.2, 0.9])
    alone, plain = by_intent(values, list("abcd")), interval(values, method="t")
    assert (alone.estimate, alone.n) == (plain.estimate, 4)
    assert (alone.low, alone.high) == pytest.approx((plain.low, plain.high), rel=1e-12)
    doubled = by_intent(np.repeat(values, 2), [intent for intent in "abcd" for _ in range(2)])
    assert (doubled.low, doubled.high) == pytest.approx((alone.low, alone.high), rel=1e-12)
    one = by_intent(values, ["a"] * 4)
    assert (one.low, one.outcome) == (None, "one query")
