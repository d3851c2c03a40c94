from __future__ import annotations

import pytest

from rankgauge.judges.families import circular, families


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("meta-llama/Llama-3-8B-Instruct", ("llama",)),
        ("Llama3.1:8b", ("llama",)),
        ("rankllama", ("llama",)),
        ("rank_vicuna_7b", ("llama",)),
        ("Qwen2.5-Coder-1.5B-Instruct", ("qwen",)),
        ("gpt-4o-mini", ("gpt",)),
        ("o3-mini", ("gpt",)),
        ("claude-3-5-sonnet", ("claude",)),
        ("gemma2:9b", ("gemini",)),
        ("e5-mistral-7b-instruct", ("mistral", "e5")),
        ("DeepSeek-R1-Distill-Llama-8B", ("llama", "deepseek")),
        ("castorini/monot5-base", ("t5",)),
        ("google/flan-t5-large", ("t5",)),
        ("distilbert-dot", ("bert",)),
        ("cross-encoder/ms-marco-MiniLM-L-6-v2", ("bert",)),
    ],
)
def test_a_family_is_known_by_the_models_name(name, known):
    assert families(name) == known


@pytest.mark.parametrize("name", ["bm25", "hybrid", "set5", "philosophy", "yield", "balance", "photo-search", "gauge"])
def test_words_that_only_contain_letters_of_a_family_are_none(name):
    assert families(name) == ()


def test_a_ranker_of_the_judges_family_is_flagged():
    found = circular("llama-3-70b", ["bm25", "RankLlama", "qwen3-reranker"])
    assert [(one.ranker, one.families) for one in found] == [("RankLlama", ("llama",))]


def test_a_judge_of_no_known_family_is_circular_with_nobody():
    assert circular("in-house-1", ["in-house-1", "gpt-4"]) == ()
