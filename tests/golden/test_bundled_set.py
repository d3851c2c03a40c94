"""The bundled golden set holds what its README promises, read by plain parsing.

The two tables of nDCG@10 agree with pytrec_eval-terrier 0.5.11, `ndcg_cut_10` on grades mapped to 2^g - 1.
"""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "src" / "rankgauge" / "data" / "golden"
Judgments = dict[str, dict[str, int]]
Ranking = dict[str, list[tuple[str, float]]]


def lines(name: str) -> list[str]:
    return (FOLDER / name).read_text(encoding="utf-8").splitlines()


def records(name: str) -> dict[str, dict[str, str]]:
    rows = [json.loads(line) for line in lines(name)]
    assert len({row["_id"] for row in rows}) == len(rows)
    return {row["_id"]: row for row in rows}


def judgments(name: str) -> Judgments:
    qrels: Judgments = defaultdict(dict)
    for line in lines(name):
        query, _, doc, grade = line.split()
        qrels[query][doc] = int(grade)
    return dict(qrels)


def ranking(name: str) -> Ranking:
    run: Ranking = defaultdict(list)
    for line in lines(name):
        query, _, doc, _, score, _ = line.split()
        run[query].append((doc, float(score)))
    return dict(run)


def unjudged_share(qrels: Judgments, run: Ranking) -> float:
    top = [doc not in qrels[query] for query in qrels for doc, _ in run.get(query, [])[:10]]
    return sum(top) / len(top)


def ndcg(grades: dict[str, int], docs: list[str]) -> float:
    def dcg(values: list[int]) -> float:
        return sum((2.0**grade - 1) / math.log2(rank + 1) for rank, grade in enumerate(values[:10], 1))

    ideal = sorted(grades.values(), reverse=True)
    return dcg([grades.get(doc, 0) for doc in docs]) / dcg(ideal)


def mean_ndcg(qrels: Judgments, run: Ranking) -> float:
    answerable = [query for query in qrels if any(qrels[query].values())]
    values = [ndcg(qrels[query], [doc for doc, _ in run.get(query, [])]) for query in answerable]
    return round(sum(values) / len(values), 4)


CORPUS, QUERIES = records("corpus.jsonl"), records("queries.jsonl")
QRELS, SECOND = judgments("qrels.txt"), judgments("qrels.second-round.txt")
KEYWORD, VECTOR = ranking("keyword.run"), ranking("vector.run")


def test_the_counts_are_those_of_the_readme() -> None:
    prefixes = Counter(doc[:3] if doc[:3] in ("vi-", "zh-") else "en" for doc in CORPUS)
    grades = Counter(grade for judged in QRELS.values() for grade in judged.values())
    assert prefixes == {"en": 90, "vi-": 12, "zh-": 10}
    assert (len(QUERIES), len(QRELS), len(lines("qrels.txt"))) == (33, 32, 378)
    assert len(lines("qrels.second-round.txt")) == 489
    assert grades == {0: 293, 1: 35, 2: 17, 3: 33}


def test_the_set_is_at_least_as_large_as_promised() -> None:
    assert len(QRELS) >= 24
    assert len(CORPUS) >= 50


def test_every_page_has_a_title_and_a_text() -> None:
    assert all(set(row) == {"_id", "title", "text"} and all(row.values()) for row in CORPUS.values())


@pytest.mark.parametrize("qrels", [QRELS, SECOND], ids=["first", "second"])
def test_judgments_name_pages_and_queries_that_exist(qrels: Judgments) -> None:
    assert set(qrels) <= set(QUERIES)
    assert {doc for judged in qrels.values() for doc in judged} <= set(CORPUS)
    assert {grade for judged in qrels.values() for grade in judged.values()} == {0, 1, 2, 3}


@pytest.mark.parametrize("name", ["qrels.txt", "qrels.second-round.txt", "keyword.run", "vector.run"])
def test_no_pair_appears_twice(name: str) -> None:
    pairs = [(line.split()[0], line.split()[2]) for line in lines(name)]
    assert len(set(pairs)) == len(pairs)


def test_each_query_has_six_to_fourteen_judged_pages() -> None:
    sizes = [len(judged) for judged in QRELS.values()]
    assert (min(sizes), max(sizes)) == (9, 14)


def test_the_second_round_changes_no_grade_of_the_first() -> None:
    kept = {query: {doc: SECOND[query][doc] for doc in judged} for query, judged in QRELS.items()}
    assert kept == QRELS


@pytest.mark.parametrize("run", [KEYWORD, VECTOR, ranking("vector-8bit.run")], ids=["keyword", "vector", "8bit"])
def test_runs_hold_existing_pages_by_falling_score(run: Ranking) -> None:
    assert {doc for ranked in run.values() for doc, _ in ranked} <= set(CORPUS)
    assert all(10 <= len(ranked) <= 20 for ranked in run.values())
    for ranked in run.values():
        order = sorted(ranked, key=lambda pair: (pair[1], pair[0].encode()), reverse=True)
        assert ranked == order


@pytest.mark.parametrize("name", ["keyword.run", "vector.run", "vector-8bit.run"])
def test_the_rank_column_counts_from_one(name: str) -> None:
    ranks: dict[str, list[int]] = defaultdict(list)
    for line in lines(name):
        ranks[line.split()[0]].append(int(line.split()[3]))
    assert all(column == list(range(1, len(column) + 1)) for column in ranks.values())


def test_only_the_old_engines_results_were_judged() -> None:
    assert 0.0 < unjudged_share(QRELS, KEYWORD) <= 0.08
    assert 0.30 <= unjudged_share(QRELS, VECTOR) <= 0.45
    assert unjudged_share(SECOND, KEYWORD) == unjudged_share(SECOND, VECTOR) == 0.0


def test_exactly_one_query_has_no_relevant_page() -> None:
    assert [query for query, judged in QRELS.items() if not any(judged.values())] == ["q18"]


def test_one_judged_query_is_missing_and_one_query_has_no_judgments() -> None:
    assert set(QRELS) - set(VECTOR) == {"q05"}
    assert set(VECTOR) - set(QRELS) == {"q33"}
    assert set(KEYWORD) == set(QRELS)


def test_the_keyword_run_has_ties_between_pages_of_different_grade() -> None:
    mixed = []
    for query, ranked in KEYWORD.items():
        grades: dict[float, set[int]] = defaultdict(set)
        for doc, score in ranked:
            if doc in QRELS[query]:
                grades[score].add(QRELS[query][doc])
        mixed += [query for tied in grades.values() if len(tied) > 1]
    assert mixed == ["q07", "q09", "q13", "q15", "q19", "q22"]


def test_the_new_engine_falls_behind_only_while_its_results_are_unjudged() -> None:
    assert (mean_ndcg(QRELS, KEYWORD), mean_ndcg(QRELS, VECTOR)) == (0.8561, 0.7799)
    assert (mean_ndcg(SECOND, KEYWORD), mean_ndcg(SECOND, VECTOR)) == (0.6735, 0.7898)


def test_six_broad_queries_have_three_or_four_subtopics() -> None:
    subtopics: dict[str, set[str]] = defaultdict(set)
    for query, subtopic, doc, grade in map(str.split, lines("qrels.subtopics.txt")):
        assert QRELS[query][doc] == int(grade) > 0
        subtopics[query].add(subtopic)
    counts = {query: len(names) for query, names in subtopics.items()}
    assert counts == {"q04": 4, "q06": 4, "q07": 4, "q08": 3, "q11": 4, "q21": 4}


def test_the_classifier_sample_has_two_hundred_rows_and_its_stated_auc() -> None:
    header, *rows = lines("scored.csv")
    pairs = [(int(row.split(",")[0]), float(row.split(",")[1])) for row in rows]
    right = [score for label, score in pairs if label == 1]
    wrong = [score for label, score in pairs if label == 0]
    wins = sum((a > b) + (a == b) / 2 for a in right for b in wrong)
    assert (header, len(right), len(wrong)) == ("label,score", 89, 111)
    assert len({score for _, score in pairs}) < 200
    assert round(wins / (len(right) * len(wrong)), 3) == 0.852


def test_the_first_eight_queries_have_their_judgments_of_the_second_round() -> None:
    few = judgments("qrels.first-eight.txt")
    assert few == {query: SECOND[query] for query in sorted(SECOND)[:8]}
    assert len(lines("qrels.first-eight.txt")) == 128


def test_the_run_of_one_byte_is_the_new_engine_with_rounded_scores() -> None:
    rounded = ranking("vector-8bit.run")
    assert {q: dict(docs) for q, docs in rounded.items()} == {
        q: {doc: round(score * 128) / 128 for doc, score in docs} for q, docs in VECTOR.items()
    }
    assert rounded != VECTOR


def test_the_hybrid_run_is_the_reciprocal_rank_fusion_of_both() -> None:
    for query, docs in ranking("hybrid.run").items():
        owed: dict[str, float] = defaultdict(float)
        for run in (KEYWORD, VECTOR):
            for rank, (doc, _) in enumerate(run.get(query, []), 1):
                owed[doc] += 1 / (60 + rank)
        assert dict(docs) == {doc: round(score, 8) for doc, score in owed.items()}
