"""Embedders: pooling, prefixes, cutting, order, independence of batching, and jobs that go on where they stopped."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import numpy as np
import pytest

from onnx_bert import WORDS, write_folder
from rankgauge.errors import InputError
from rankgauge.retrieval.embedding import embed_many, load_embedder, of_callable
from rankgauge.retrieval.protocols import Embedder

WORDS_OF_TEXTS = WORDS[5:]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory) -> Path:
    return write_folder(tmp_path_factory.mktemp("models") / "tiny")


def some_texts(count: int, *, longest: int = 20, seed: int = 0) -> list[str]:
    rng = np.random.default_rng(seed)
    return [" ".join(rng.choice(WORDS_OF_TEXTS, size=rng.integers(1, longest))) for _ in range(count)]


def test_vectors_have_length_one_and_the_order_of_the_texts(tiny):
    embedder: Embedder = load_embedder(tiny)
    texts = some_texts(50)
    vectors = embedder.embed(texts, kind="document")
    assert (vectors.shape, vectors.dtype, embedder.dimension) == ((50, 16), np.float32, 16)
    assert np.abs(np.linalg.norm(vectors.astype(float), axis=1) - 1).max() < 1e-6
    alone = np.vstack([embedder.embed([text], kind="document") for text in texts])
    assert np.abs(vectors - alone).max() < 1e-5


@pytest.mark.parametrize("chunk", [1, 3, 16])
def test_a_text_has_the_same_vector_whatever_it_is_batched_with(tiny, chunk):
    texts = some_texts(40, seed=1)
    reference = load_embedder(tiny, chunk=1).embed(texts, kind="document")
    together = load_embedder(tiny, chunk=chunk).embed(texts[::-1], kind="document")[::-1]
    assert np.abs(together - reference).max() < 1e-5


def test_the_mean_leaves_padding_out_and_cls_takes_the_first_token(tiny):
    texts = ["refund", "refund card days bank paid"]
    model = load_embedder(tiny).model
    for pooling, pool in (("mean", lambda h: h.mean(axis=0)), ("cls", lambda h: h[0])):
        found = load_embedder(tiny, pooling=pooling).embed(texts, kind="query")
        for text, vector in zip(texts, found, strict=True):
            pooled = pool(model.run([model.tokens(text)])[0][0])
            assert np.abs(pooled / np.linalg.norm(pooled) - vector).max() < 1e-5


def test_pooling_comes_from_the_models_files_and_a_guess_is_said(tmp_path):
    folder = write_folder(tmp_path / "m")
    guessed = load_embedder(folder)
    assert guessed.pooling == "mean"
    assert [note.text for note in guessed.notes] == ["m does not say how to pool: the mean over tokens was taken"]
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}')
    assert (load_embedder(folder).pooling, load_embedder(folder).notes) == ("cls", ())
    assert load_embedder(folder, pooling="mean").pooling == "mean"
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_max_tokens": true}')
    with pytest.raises(
        InputError, match=r"m: expected pooling by mean or cls, got another one in 1_Pooling/config.json"
    ):
        load_embedder(folder)


def test_prefixes_go_before_the_texts_of_their_kind(tiny):
    plain = load_embedder(tiny)
    prefixed = load_embedder(tiny, prefixes={"query": "how ", "document": "shop "})
    for kind, prefix in (("query", "how "), ("document", "shop ")):
        found = prefixed.embed(["refund"], kind=kind)
        assert found.tolist() == plain.embed([prefix + "refund"], kind=kind).tolist()


def test_prefixes_come_from_the_files_or_are_those_of_e5(tmp_path):
    folder = write_folder(tmp_path / "multilingual-e5-tiny")
    found = load_embedder(folder)
    assert found.prefixes == {"query": "query: ", "document": "passage: "}
    assert "is taken for an E5 model: 'query: ' and 'passage: ' go before" in found.notes[-1].text
    assert load_embedder(folder, prefixes={}).prefixes == {}
    prompts = {"prompts": {"query": "ask: ", "passage": "text: "}}
    (folder / "config_sentence_transformers.json").write_text(json.dumps(prompts))
    assert load_embedder(folder).prefixes == {"query": "ask: ", "document": "text: "}
    assert load_embedder(write_folder(tmp_path / "the5th")).prefixes == {}


def test_the_name_changes_with_whatever_changes_the_vectors(tmp_path):
    folder = write_folder(tmp_path / "m")
    names = [
        load_embedder(folder, **how).name
        for how in ({}, {"threads": 2}, {"chunk": 2}, {"pooling": "cls"}, {"prefixes": {"query": "how "}})
    ]
    assert names[0] == names[1] == names[2] and len(set(names)) == 3
    assert all(name.startswith("m@") for name in names)
    assert load_embedder(write_folder(tmp_path / "n" / "m", seed=1)).name != names[0]


def test_long_texts_are_cut_and_counted(tiny):
    embedder = load_embedder(tiny, max_tokens=6)
    found = embedder.embedded(["refund card days bank paid", "refund card days bank"], kind="document")
    assert found.cut == 1
    assert [note.text for note in found.notes] == ["1 of 2 texts were cut to the model's limit of tokens"]
    assert np.abs(found.vectors[0] - found.vectors[1]).max() < 1e-6
    assert load_embedder(tiny).model.max_tokens == 32
    assert load_embedder(tiny, max_tokens=1000).model.max_tokens == 32
    assert load_embedder(tiny).embedded(["refund " * 100], kind="document").cut == 1


def test_texts_without_words_and_with_half_characters_have_vectors(tiny):
    found = load_embedder(tiny).embed(["", "\ud83d refund", "\ufffd refund"], kind="document")
    assert np.isfinite(found).all()
    assert np.abs(found[1] - found[2]).max() < 1e-6


def test_no_texts_have_no_vectors(tiny):
    assert load_embedder(tiny).embed([], kind="query").shape == (0, 16)
    assert of_callable(lambda texts: np.ones((len(texts), 2)), name="f", dimension=2).embed([], kind="query").shape == (
        0,
        2,
    )


def test_what_is_no_list_of_texts_is_refused(tiny):
    with pytest.raises(InputError, match="expected a list of texts, got one text; put it into a list"):
        load_embedder(tiny).embed("refund", kind="query")
    with pytest.raises(InputError, match=r"text 2: expected a text, got None"):
        load_embedder(tiny).embed(["refund", None], kind="query")


def test_progress_counts_texts(tiny):
    told = []
    load_embedder(tiny).embedded(
        some_texts(3), kind="document", progress=lambda done, total: told.append((done, total))
    )
    assert told == [(3, 3)]


def test_threads_may_call_at_the_same_time(tiny):
    embedder, texts = load_embedder(tiny), some_texts(64)
    expected = embedder.embed(texts, kind="document")
    found = {}

    def work(number: int) -> None:
        found[number] = embedder.embed(texts, kind="document")

    workers = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert all(np.abs(found[number] - expected).max() < 1e-6 for number in range(4))


def test_broken_files_are_said(tiny, tmp_path):
    folder = write_folder(tmp_path / "m")
    (folder / "model.onnx").write_bytes(b"no model")
    with pytest.raises(InputError, match=r"model.onnx: expected an ONNX model, got broken content"):
        load_embedder(folder)
    folder = write_folder(tmp_path / "n")
    (folder / "tokenizer.json").write_text("{}")
    with pytest.raises(InputError, match=r"tokenizer.json: expected a tokenizer, got broken content"):
        load_embedder(folder)


def test_a_function_is_an_embedder_and_its_vectors_are_checked():
    def lengths(texts: list[str]) -> list[list[float]]:
        return [[float(len(text)), 1.0] for text in texts]

    embedder: Embedder = of_callable(lengths, name="lengths", dimension=2)
    assert np.allclose(embedder.embed(["abc"], kind="query"), np.array([[3, 1]]) / np.sqrt(10))
    apart = of_callable(lengths, name="two", dimension=2, queries=lambda texts: [[0.0, 1.0]] * len(texts))
    assert apart.embed(["abc"], kind="query").tolist() == [[0, 1]]
    with pytest.raises(InputError, match="wrong: expected 1 vectors of 3 numbers, got 1 of 2"):
        of_callable(lengths, name="wrong", dimension=3).embed(["a"], kind="query")
    zero = of_callable(lambda texts: [[0.0, 0.0]] * len(texts), name="zero", dimension=2)
    with pytest.raises(InputError, match="zero, text 'a': expected finite numbers, not all zero, got only zeros"):
        zero.embed(["a"], kind="query")


class Counting:
    """An embedder that counts the texts it was given."""

    name, dimension = "counting", 3

    def __init__(self, stop_at: int = 10**9) -> None:
        self.given, self.stop_at = 0, stop_at

    def embed(self, texts, *, kind):
        self.given += len(texts)
        if self.given > self.stop_at:
            raise KeyboardInterrupt
        return of_callable(lambda t: [[len(x), 1.0, 2.0] for x in t], name="x", dimension=3).embed(texts, kind=kind)


def test_a_long_job_goes_on_behind_the_last_whole_block(tmp_path):
    texts = some_texts(10)
    with pytest.raises(KeyboardInterrupt):
        embed_many(Counting(stop_at=6), texts, tmp_path, block=3)
    with (tmp_path / "done.jsonl").open("a") as file:
        file.write('{"key": "cut off by a cra')
    again, told = Counting(), []
    found = embed_many(again, texts, tmp_path, block=3, progress=lambda done, total: told.append((done, total)))
    assert again.given == 4
    assert told == [(3, 10), (6, 10), (9, 10), (10, 10)]
    assert found.vectors.tolist() == Counting().embed(texts, kind="document").tolist()


@pytest.mark.parametrize("change", ["a text", "the kind", "the embedder", "the number"])
def test_a_job_with_other_texts_or_another_embedder_does_not_take_old_blocks(tmp_path, change):
    texts = some_texts(6)
    embed_many(Counting(), texts, tmp_path, block=3)
    other, kind = Counting(), "document"
    if change == "a text":
        texts = [*texts[:-1], "refund"]
    elif change == "the number":
        texts = texts[:-1]
    elif change == "the kind":
        kind = "query"
    else:
        other.name = "another"
    found = embed_many(other, texts, tmp_path, kind=kind, block=3)
    assert other.given == {"a text": 3, "the number": 5}.get(change, 6)
    assert found.vectors.tolist() == Counting().embed(texts, kind="document").tolist()


def test_a_long_job_counts_the_cut_texts_also_of_blocks_done_before(tiny, tmp_path):
    embedder, texts = load_embedder(tiny, max_tokens=5), ["refund card days bank", "refund", "bank " * 9]
    first = embed_many(embedder, texts, tmp_path, block=1)
    again = embed_many(embedder, texts, tmp_path, block=1)
    assert (first.cut, again.cut) == (2, 2)
    assert np.abs(again.vectors - embedder.embed(texts, kind="document")).max() < 1e-6
    assert embed_many(embedder, [], tmp_path / "none").vectors.shape == (0, 16)
