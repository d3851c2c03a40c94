"""The documents themselves, on disk."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from rankgauge.errors import DuplicateError, InputError
from rankgauge.retrieval.protocols import Document
from rankgauge.retrieval.store import DocumentStore, StoredTexts, StoreWriter
from unit.retrieval.worlds import ANIMALS

MANY = [Document(f"d{n}", f"text number {n} " * 5, f"title {n}", {"n": n, "tags": ["a", "é"]}) for n in range(5000)]


@pytest.fixture
def create(tmp_path):
    def made(documents):
        with closing(StoreWriter(tmp_path / "documents.sqlite")) as writer:
            for document in documents:
                writer.add(document)
        return DocumentStore(tmp_path / "documents.sqlite")

    return made


@pytest.mark.parametrize("documents", [[], ANIMALS, MANY], ids=["none", "few", "many"])
def test_documents_come_back_as_they_were_in_their_order(create, documents):
    store = create(documents)
    assert list(store) == documents and len(store) == len(documents)
    assert store.ids() == [document.id for document in documents]
    assert store.get([document.id for document in documents[::-7]]) == documents[::-7]


def test_an_unknown_id_is_refused(create):
    with pytest.raises(InputError, match="expected ids of the index, got 2 others: 'x', 'y'"):
        create(ANIMALS).get(["cat", "x", "y"])


def test_odd_texts_come_back(create):
    odd = [Document("007", "a\0b\nc\udc80", "é", {}), Document("ключ é", "")]
    assert list(create(odd)) == odd


def test_an_id_twice_is_refused(create):
    with pytest.raises(DuplicateError, match="expected each id once"):
        create([*ANIMALS, ANIMALS[0]])


def test_deleted_documents_are_gone_and_added_ones_come_last(create, tmp_path):
    create(MANY)
    with closing(StoreWriter(tmp_path / "documents.sqlite")) as writer:
        assert writer.delete(["d0", "d2", "nobody"]) == 2
        writer.add(Document("d0", "new"))
    store = DocumentStore(tmp_path / "documents.sqlite")
    assert store.ids() == ["d1", *[f"d{n}" for n in range(3, 5000)], "d0"]
    assert store.get(["d0"])[0].text == "new"


def test_texts_are_read_in_slices(create):
    texts = StoredTexts(create(ANIMALS), ["cat", "bird", "fish"])
    assert (len(texts), texts[0], texts[1:]) == (3, "Cats\na cat sleeps", ["birds sing", "a fish swims"])


def test_threads_may_read_at_once(create):
    store = create(MANY)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda n: store.get([f"d{n}"])[0].title, range(0, 5000, 50)))
    assert found == [f"title {n}" for n in range(0, 5000, 50)]


def test_a_store_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(InputError, match="expected the documents of an index, got no such file"):
        DocumentStore(tmp_path / "none.sqlite")


def test_a_dictionary_makes_short_documents_small(create):
    store = create(MANY)
    raw = sum(len(document.text) + len(document.title) for document in MANY)
    assert store.file.stat().st_size < raw
