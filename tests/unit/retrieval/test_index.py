"""The index folder: whole or not there, all parts in step, one generation after the other."""

from __future__ import annotations

import json

import pytest

from rankgauge.errors import DuplicateError, FormatError, InputError, MethodError
from rankgauge.retrieval.assembly import Dense, Lexical
from rankgauge.retrieval.checking import check
from rankgauge.retrieval.documents import read_documents
from rankgauge.retrieval.formulas import Scoring
from rankgauge.retrieval.index import Index
from rankgauge.retrieval.manifest import changing
from rankgauge.retrieval.protocols import Document
from rankgauge.retrieval.tokenizers import of_callable
from unit.retrieval.worlds import ANIMALS, LetterEmbedder

BOTH = {"lexical": Lexical("en"), "dense": Dense(embedder=LetterEmbedder())}


@pytest.fixture
def both(tmp_path):
    return Index.build(tmp_path / "idx", ANIMALS, **BOTH)


def test_an_index_holds_words_vectors_and_documents(both):
    assert (len(both), len(both.lexical), len(both.vectors), len(both.documents)) == (4, 4, 4, 4)
    assert both.lexical.search("cats", 5).docs == ("cat", "dog")
    assert both.texts(["fish", "cat"]) == ["a fish swims", "Cats\na cat sleeps"]
    assert both.generation == 1
    opened = Index.open(both.folder)
    assert opened.manifest == both.manifest and opened.lexical.search("cats", 5).docs == ("cat", "dog")


def test_the_manifest_says_what_an_index_was_built_with(both):
    read = json.loads((both.folder / "manifest.json").read_text())
    assert read["lexical"]["tokenizer"].pop("hash") and read.pop("id")
    assert read == {
        "format": 1, "generation": 1, "documents": 4,
        "lexical": {"engine": "tantivy", "variant": "tantivy", "k1": 1.2, "b": 0.75,
                    "tokenizer": {"name": "en", "version": "1"}},
        "model": {"source": "", "name": "letters", "dimension": 27}, "precision": "f32",
    }  # fmt: skip


def test_every_state_of_every_index_has_an_id_of_its_own(both, tmp_path):
    other = Index.build(tmp_path / "other", ANIMALS, **BOTH)
    changed = both.changed(deleted=["cat"])
    ids = [index.manifest.id for index in (both, other, changed)]
    assert len({*ids, ""}) == 4
    assert Index.open(both.folder).manifest.id == changed.manifest.id


def test_words_are_indexed_where_nothing_is_asked_for_and_nothing_else(tmp_path):
    index = Index.build(tmp_path / "idx", ANIMALS)
    assert index.vectors is None and index.retriever().search("sing", 3).docs == ("bird",)
    with pytest.raises(InputError, match="expected vectors in the index, got none"):
        index.retriever("vector")


def test_an_index_may_have_vectors_only(tmp_path):
    index = Index.build(tmp_path / "idx", ANIMALS, dense=Dense(embedder=LetterEmbedder()))
    assert index.lexical is None
    assert index.retriever("vector", embedder=LetterEmbedder()).search("birds sing", 1).docs == ("bird",)
    with pytest.raises(InputError, match="expected words in the index, got none"):
        index.retriever("hybrid", embedder=LetterEmbedder())


def test_first_stages_are_chosen_by_name(both):
    embedder = LetterEmbedder()
    hybrid = both.retriever("hybrid", embedder=embedder)
    assert set(hybrid.search("cat", 10).docs) == {"cat", "dog", "bird", "fish"}
    with pytest.raises(MethodError, match="expected bm25, vector or hybrid, got 'both'"):
        both.retriever("both", embedder=embedder)


def test_another_embedder_is_refused(both):
    other = LetterEmbedder()
    other.name = "other"
    with pytest.raises(InputError, match="expected the model 'letters', got 'other'"):
        both.retriever("vector", embedder=other)
    with pytest.raises(InputError, match="pass the embedder 'letters'"):
        both.retriever("vector")


def test_a_half_built_index_is_none_and_the_same_call_goes_on(tmp_path):
    folder = tmp_path / "idx"
    documents = [Document(f"d{n}", f"text {'x' * (n % 7)}") for n in range(3000)]
    with pytest.raises(KeyboardInterrupt):
        Index.build(folder, documents, dense=Dense(embedder=LetterEmbedder(stop_after=2000)))
    with pytest.raises(InputError, match="expected an index, got an index that is not finished; give the same"):
        Index.open(folder)
    again = LetterEmbedder()
    index = Index.build(folder, documents, dense=Dense(embedder=again))
    assert (len(index), len(index.vectors), len(again.embedded)) == (3000, 3000, 3000 - 2048)
    assert sorted(path.name for path in folder.iterdir()) == [".lock", "generation-1", "manifest.json"]
    assert sorted(path.name for path in (folder / "generation-1").iterdir()) == ["documents.sqlite", "vectors"]


def test_faults_in_the_documents_leave_no_index(tmp_path):
    (tmp_path / "c.jsonl").write_text('{"_id": "a", "text": "x"}\n{"_id": "b"}\n')
    with pytest.raises(FormatError, match=r"c\.jsonl:2"):
        Index.build(tmp_path / "idx", read_documents(tmp_path / "c.jsonl"))
    with pytest.raises(InputError, match="expected an index"):
        Index.open(tmp_path / "idx")
    with pytest.raises(DuplicateError, match="expected each id once"):
        Index.build(tmp_path / "other", [*ANIMALS, ANIMALS[1]])


def test_an_index_is_not_overwritten_unasked(both):
    with pytest.raises(InputError, match="expected a folder without an index, got one with an index"):
        Index.build(both.folder, ANIMALS)
    index = Index.build(both.folder, ANIMALS[:2], overwrite=True)
    assert (len(index), index.generation, index.vectors) == (2, 2, None)


def test_a_change_keeps_all_parts_in_step_and_makes_the_next_generation(both):
    embedder = LetterEmbedder()
    added = [Document("cow", "a cow moos"), Document("cat", "a kitten", "Young")]
    index = both.changed(added, deleted=["fish", "nobody"], embedder=embedder)
    assert (index.generation, len(index)) == (2, 4)
    assert [len(index.lexical), len(index.vectors), len(index.documents)] == [4, 4, 4]
    assert index.lexical.search("cats", 5).docs == ("dog",) and index.lexical.search("moos", 5).docs == ("cow",)
    assert index.vectors.search(embedder.embed(["a cow moos"], kind="query")[0], 1).docs == ("cow",)
    assert sorted(index.documents.ids()) == sorted(index.vectors.ids) == ["bird", "cat", "cow", "dog"]
    assert index.texts(["cat"]) == ["Young\na kitten"]
    assert all(finding.sound for finding in check(index))


def test_who_has_the_generation_before_open_goes_on_with_it(both):
    both.changed(deleted=["cat"])
    assert both.lexical.search("cats", 5).docs == ("cat", "dog") and both.texts(["cat"]) == ["Cats\na cat sleeps"]
    with pytest.raises(InputError, match="expected the index that was opened, got one that was changed since"):
        both.changed(deleted=["dog"])


def test_the_generation_before_the_last_is_removed(both):
    index = both
    for number in range(3):
        index = index.changed([Document(f"n{number}", "new")], embedder=LetterEmbedder())
    names = sorted(path.name for path in both.folder.iterdir())
    assert names == [".lock", "generation-3", "generation-4", "manifest.json"]


def test_a_change_that_fails_changes_nothing(both):
    def broken():
        yield Document("new", "new")
        raise RuntimeError

    with pytest.raises(RuntimeError):
        both.changed(broken(), embedder=LetterEmbedder())
    opened = Index.open(both.folder)
    assert opened.manifest == both.manifest and opened.lexical.search("new", 5).docs == ()
    assert len(opened.changed([Document("new", "new")], embedder=LetterEmbedder())) == 5


def test_one_id_twice_in_a_change_is_the_last_one(both):
    index = both.changed([Document("x", "first"), Document("x", "second")], embedder=LetterEmbedder())
    assert len(index) == 5 and index.texts(["x"]) == ["second"]


def test_nobody_else_changes_an_index_meanwhile(both):
    with changing(both.folder), pytest.raises(InputError, match="expected an index that nobody changes"):
        both.changed(deleted=["cat"])


def test_a_tokenizer_of_ones_own_is_needed_again(tmp_path):
    mine = of_callable("mine", "1", str.split)
    Index.build(tmp_path / "idx", ANIMALS, lexical=Lexical(mine))
    with pytest.raises(InputError, match="pass the tokenizer that it was built with, 'mine'"):
        Index.open(tmp_path / "idx")
    index = Index.open(tmp_path / "idx", tokenizer=mine).changed([Document("new", "cat")])
    assert set(index.lexical.search("cat", 5).docs) == {"cat", "dog", "new"}


def test_an_index_of_another_format_is_refused(both):
    file = both.folder / "manifest.json"
    file.write_text(file.read_text().replace('"format": 1', '"format": 2'))
    with pytest.raises(InputError, match="expected an index of format 1, got format 2; build it again"):
        Index.open(both.folder)
    file.write_text("{")
    with pytest.raises(InputError, match="expected an index's manifest"):
        Index.open(both.folder)


def test_progress_is_told_by_step(tmp_path):
    said = []
    documents = [Document(f"d{n}", "text") for n in range(250)]
    Index.build(tmp_path / "idx", documents, **BOTH, progress=lambda *step: said.append(step))
    assert said == [("documents", 100, 0), ("documents", 200, 0), ("embedding", 250, 250), ("vectors", 0, 250)]


def test_a_check_finds_parts_that_differ(both):
    assert [finding.sound for finding in check(both)] == [True] * 6
    both.lexical.delete(["cat"])
    both.lexical.commit()
    faults = [finding.what for finding in check(Index.open(both.folder)) if not finding.sound]
    assert faults == ["words", "words find documents"]


def test_exact_scoring_is_kept(tmp_path):
    lexical = Lexical("en", scoring=Scoring("bm25+", k1=0.9, b=0.4))
    index = Index.build(tmp_path / "idx", ANIMALS, lexical=lexical)
    assert Index.open(index.folder).lexical.settings.scoring == Scoring("bm25+", k1=0.9, b=0.4)
