"""Models in 8 bits: what is written, what is refused, and how the change is measured."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from onnx_bert import WORDS, write_folder
from rankgauge.errors import InputError
from rankgauge.retrieval.cross_encoder import load_reranker
from rankgauge.retrieval.embedding import load_embedder
from rankgauge.retrieval.models import find_model, is_reranker
from rankgauge.retrieval.protocols import Hits
from rankgauge.retrieval.quantize import compare, quantize, spearman
from rankgauge.retrieval.rerank import Candidates
from rankgauge.retrieval.stages import load_stage

QUERIES = ["how days", "bank card", "shop closed monday"]


def some_texts(count: int) -> list[str]:
    rng = np.random.default_rng(0)
    return [" ".join(rng.choice(WORDS[5:], size=rng.integers(1, 15))) for _ in range(count)]


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Path:
    place = tmp_path_factory.mktemp("models")
    write_folder(place / "encoder")
    write_folder(place / "reranker", labels=1)
    for name in ("encoder", "reranker"):
        quantize(place / name, place / f"{name}-int8")
    return place


def test_the_new_folder_holds_all_that_loading_needs(place):
    written = find_model(place / "encoder-int8")
    assert written.quantizes_activations and not find_model(place / "encoder").quantizes_activations
    assert written.size < find_model(place / "encoder").size * 1.5  # a tiny model is mostly names of nodes
    assert sorted(path.name for path in (place / "encoder-int8").iterdir()) == [
        "config.json", "model.onnx", "quantized.json", "vocab.txt",
    ]  # fmt: skip
    record = json.loads((place / "encoder-int8" / "quantized.json").read_text())
    assert record["source_id"] == find_model(place / "encoder").id and record["per_channel"] is True


def test_a_text_alone_goes_through_a_model_that_quantizes_activations(place):
    embedder = load_embedder(place / "encoder-int8")
    texts = some_texts(30)
    together = embedder.embed(texts, kind="document")
    assert embedder.model.chunk == 1
    assert together.tolist() == [embedder.embed([text], kind="document")[0].tolist() for text in texts]
    reranker = load_reranker(place / "reranker-int8")
    scores = reranker.scores("how", texts)
    assert scores.tolist() == [reranker.scores("how", [text])[0] for text in texts]
    shared = load_reranker(place / "reranker-int8", chunk=30).scores("how", texts)
    assert np.abs(shared - scores).max() > 1e-6  # what the chunk of 1 is for


def test_8_bits_stay_near_the_full_model(place):
    texts = some_texts(40)
    drift = compare(place / "encoder", place / "encoder-int8", queries=QUERIES, texts=texts)
    full, small = (load_embedder(place / name) for name in ("encoder", "encoder-int8"))
    vectors = [each.embed(texts, kind="document").astype(float) for each in (full, small)]
    scores = [
        (each.embed(QUERIES, kind="query").astype(float) @ found.T).ravel()
        for each, found in zip((full, small), vectors, strict=True)
    ]
    assert (drift.pairs, drift.unit) == (120, "texts")
    assert drift.largest == pytest.approx(np.abs(scores[0] - scores[1]).max())
    assert drift.spread == pytest.approx(scores[0].std())
    assert drift.vector_cosine == pytest.approx((vectors[0] * vectors[1]).sum(axis=1).min())
    assert 0.9 < drift.rank_correlation < 1 and 0 < drift.largest < drift.spread
    assert drift.rate_full > 0 and drift.rate_quantized > 0


def test_rerankers_are_compared_by_their_scores(place):
    drift = compare(place / "reranker", place / "reranker-int8", queries=QUERIES, texts=some_texts(20))
    assert (drift.pairs, drift.unit, drift.vector_cosine) == (60, "pairs", None)
    assert 0.9 < drift.rank_correlation < 1
    same = compare(place / "reranker", place / "reranker", queries=QUERIES, texts=some_texts(20))
    assert (same.rank_correlation, same.largest) == (pytest.approx(1), 0)


def test_a_reranker_is_told_from_an_embedding_model_by_its_outputs(place):
    assert is_reranker(find_model(place / "reranker")) and not is_reranker(find_model(place / "encoder"))
    texts = some_texts(3)
    candidates = Candidates("how", Hits(("a", "b", "c"), np.zeros(3)), tuple(texts))
    by_pair, by_vector = (load_stage(place / name) for name in ("reranker", "encoder"))
    assert by_pair.score(candidates).tolist() == load_reranker(place / "reranker").scores("how", texts).tolist()
    embedder = load_embedder(place / "encoder")
    cosines = embedder.embed(texts, kind="document") @ embedder.embed(["how"], kind="query")[0]
    assert by_vector.score(candidates) == pytest.approx(cosines, abs=1e-6)
    assert (by_pair.name, by_vector.name) == (load_reranker(place / "reranker").name, embedder.name)


def test_what_is_in_8_bits_already_or_would_be_written_over_is_refused(place, tmp_path):
    with pytest.raises(InputError, match="expected a model in full precision, got 8 bits already; name its original"):
        quantize(place / "encoder-int8", tmp_path / "again")
    with pytest.raises(InputError, match="expected a new folder, got one with a model; delete it, or name another"):
        quantize(place / "encoder", place / "encoder-int8")
    with pytest.raises(InputError, match="comparison: expected queries and texts, got 0 and 1"):
        compare(place / "encoder", place / "encoder", queries=[], texts=["a"])


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [([1, 2, 3], [10, 20, 30], 1), ([1, 2, 3], [3, 2, 1], -1), ([1, 1, 2], [1, 2, 3], np.sqrt(3) / 2)],
)
def test_rank_correlation_is_spearmans_with_shared_ranks(one, other, expected):
    assert spearman(np.array(one, float), np.array(other, float)) == pytest.approx(expected)


def test_rank_correlation_of_equal_scores_is_nothing():
    assert np.isnan(spearman(np.ones(3), np.arange(3.0)))
