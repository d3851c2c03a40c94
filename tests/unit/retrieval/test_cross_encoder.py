"""Rerankers: one logit or two, cutting of texts and never of the query, scores that do not depend on the others."""

from __future__ import annotations

import numpy as np
import pytest

from onnx_bert import WORDS, write_folder
from rankgauge.errors import InputError
from rankgauge.retrieval.cross_encoder import load_reranker
from rankgauge.retrieval.protocols import Reranker


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    place = tmp_path_factory.mktemp("models")
    return {labels: write_folder(place / f"ce{labels}", labels=labels) for labels in (1, 2, 3)}


def some_texts(count: int, seed: int = 0) -> list[str]:
    rng = np.random.default_rng(seed)
    return [" ".join(rng.choice(WORDS[5:], size=rng.integers(1, 20))) for _ in range(count)]


def logits(reranker, query: str, text: str) -> np.ndarray:
    """The logits of one pair, written out by hand: [CLS] query [SEP] text [SEP]."""
    number = {word: place for place, word in enumerate(WORDS)}
    asked, found = [number[w] for w in query.split()], [number[w] for w in text.split()]
    ids = [2, *asked, 3, *found, 3]
    types = [0] * (len(asked) + 2) + [1] * (len(found) + 1)
    fed = {"input_ids": [ids], "attention_mask": [[1] * len(ids)], "token_type_ids": [types]}
    return reranker.model.session.run(None, {name: np.array(value) for name, value in fed.items()})[0][0]


def test_one_logit_is_the_score_and_of_two_it_is_the_softmax_of_the_second(folders):
    one, two = load_reranker(folders[1]), load_reranker(folders[2])
    for text in some_texts(5):
        assert one.scores("how days", [text])[0] == pytest.approx(float(logits(one, "how days", text)[0]), abs=1e-6)
        low, high = np.exp(logits(two, "how days", text).astype(float))
        assert two.scores("how days", [text])[0] == pytest.approx(high / (low + high), abs=1e-6)


@pytest.mark.parametrize("labels", [1, 2])
@pytest.mark.parametrize("chunk", [1, 4, 8, 100])
def test_a_texts_score_does_not_depend_on_the_others(folders, labels, chunk):
    reranker: Reranker = load_reranker(folders[labels], chunk=chunk)
    texts = some_texts(30)
    together = reranker.scores("how", texts)
    assert (together.dtype, together.shape) == (np.float64, (30,))
    alone = np.array([load_reranker(folders[labels]).scores("how", [text])[0] for text in texts])
    assert np.abs(together - alone).max() < 1e-5
    assert len(set(np.round(together, 3))) > 10


def test_texts_are_cut_and_counted_and_the_query_is_not(folders):
    reranker = load_reranker(folders[1], max_tokens=8)
    query = "how days is"
    found = reranker.scored(query, ["refund card paid", "refund card", "refund card bank shop"])
    assert found.cut == 2
    assert found.scores[0] == pytest.approx(float(logits(reranker, query, "refund card")[0]), abs=1e-6)
    assert found.scores[0] == pytest.approx(found.scores[1], abs=1e-6) == pytest.approx(found.scores[2], abs=1e-6)
    assert [note.text for note in found.notes] == ["2 of 3 texts were cut to the reranker's limit of tokens"]


def test_a_query_that_leaves_no_room_for_a_text_is_refused(folders):
    reranker = load_reranker(folders[1], max_tokens=8)
    assert np.isfinite(reranker.scores("how " * 4, ["refund"])).all()
    with pytest.raises(InputError, match=r"query: expected at most 4 tokens, got 5 tokens; shorten it, or load"):
        reranker.scores("how " * 5, ["refund"])


def test_the_limit_is_at_most_what_the_model_has_places_for(folders):
    assert load_reranker(folders[1]).model.max_tokens == 32
    assert np.isfinite(load_reranker(folders[1]).scores("how", ["refund " * 500])).all()


def test_no_texts_have_no_scores_and_empty_ones_have_one(folders):
    reranker = load_reranker(folders[1])
    assert reranker.scores("how", []).tolist() == []
    assert np.isfinite(reranker.scores("", ["", "refund"])).all()


def test_models_that_are_no_rerankers_are_refused(folders, tmp_path):
    with pytest.raises(
        InputError, match=r"expected one or two logits per pair, got an output of shape \[1, 3\]; name a"
    ):
        load_reranker(folders[3])
    with pytest.raises(InputError, match="an embedding model is no reranker"):
        load_reranker(write_folder(tmp_path / "encoder"))


def test_a_score_that_is_not_a_number_is_an_error_and_no_score(tmp_path):
    import onnx
    from onnx import numpy_helper

    folder = write_folder(tmp_path / "m", labels=1)
    model = onnx.load(folder / "model.onnx")
    table = next(t for t in model.graph.initializer if t.name == "w.embeddings.word_embeddings.weight")
    values = numpy_helper.to_array(table).copy()
    values[WORDS.index("bank")] = np.nan
    table.CopyFrom(numpy_helper.from_array(values, table.name))
    onnx.save(model, folder / "model.onnx")
    reranker = load_reranker(folder)
    assert np.isfinite(reranker.scores("how", ["refund"])).all()
    with pytest.raises(InputError, match="text 'bank': expected a finite score, got NaN or infinite"):
        reranker.scores("how", ["refund", "bank"])


def test_the_name_holds_the_hash_of_the_files(folders):
    assert load_reranker(folders[1]).name == f"ce1@{load_reranker(folders[1]).model.files.id[:12]}"
