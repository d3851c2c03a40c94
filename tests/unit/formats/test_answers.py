"""Answers in the shapes of the tools that write them, and back."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankgauge as rg
from rankgauge.errors import DuplicateError, EmptyInputError, FormatError, InputError
from rankgauge.formats.answers import ANSWER_FORMATS, context_run, read_answers, write_answers
from rankgauge.records.answers import Answer, Answers, Context, Sentence

RAGAS = {"user_input": "Who?", "response": "Ada", "retrieved_contexts": ["by Ada", "in 1843"], "reference": "Ada L."}
OLD = {"question": "Who?", "answer": "Ada", "contexts": ["by Ada", "in 1843"], "ground_truth": "Ada L."}
RANKED = (Context("by Ada", rank=1), Context("in 1843", rank=2))
PLAIN = Answer("1", "Who?", "Ada", RANKED, ("Ada L.",))


def lines(folder: Path, *rows: Any, name: str = "answers.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return path


def table(folder: Path, *rows: dict[str, Any], name: str = "answers.csv") -> Path:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    (folder / name).write_text(out.getvalue(), "utf-8")
    return folder / name


def kinds(found: Answers) -> dict[str, int]:
    return {note.kind: note.count for note in found.notes}


@pytest.mark.parametrize(
    "row",
    [
        RAGAS,
        OLD,
        OLD | {"ground_truth": None, "ground_truths": ["Ada L."]},
        {
            "input": "Who?",
            "actual_output": "Ada",
            "retrieval_context": ["by Ada", "in 1843"],
            "expected_output": "Ada L.",
        },
        {"input": "Who?", "actualOutput": "Ada", "retrievalContext": ["by Ada", "in 1843"], "expectedOutput": "Ada L."},
    ],
    ids=["ragas", "ragas-old", "ragas-old truths", "deepeval", "deepeval-run"],
)
def test_each_tools_columns_are_the_same_answer(tmp_path: Path, row: dict[str, Any]) -> None:
    found = read_answers(lines(tmp_path, row))
    assert found.rows == (PLAIN,)
    assert kinds(found) == {"numbered rows": 1}


def test_the_same_rows_are_the_same_as_json_lines_json_csv_and_parquet_compressed_or_not(tmp_path: Path) -> None:
    whole = tmp_path / "a.json"
    whole.write_text(json.dumps([RAGAS]), "utf-8")
    packed = tmp_path / "a.jsonl.gz"
    packed.write_bytes(gzip.compress(json.dumps(RAGAS).encode()))
    pl.DataFrame([RAGAS]).write_parquet(tmp_path / "a.parquet")
    pl.DataFrame([RAGAS]).write_ipc(tmp_path / "a.arrow")
    text = table(tmp_path, RAGAS | {"retrieved_contexts": json.dumps(RAGAS["retrieved_contexts"])})
    for path in (whole, packed, tmp_path / "a.parquet", tmp_path / "a.arrow", text):
        assert read_answers(path).rows == (PLAIN,)


@pytest.mark.parametrize("cell", ["['by Ada', 'in 1843']", '["by Ada", "in 1843"]', "('by Ada', 'in 1843')"])
def test_a_list_stored_as_text_is_read_as_json_or_as_a_python_literal(tmp_path: Path, cell: str) -> None:
    assert read_answers(table(tmp_path, OLD | {"contexts": cell})).rows == (PLAIN,)


@pytest.mark.parametrize(
    ("cell", "says"),
    [
        ("['by Ada'\n 'in 1843']", "strings without commas between, as numpy prints them"),
        ("[__import__('os').system('true')]", r"expected a list in 'contexts', got "),
        ("[f'{1}']", r"expected a list in 'contexts', got "),
        ("['a', ", None),
    ],
)
def test_text_that_is_no_list_is_an_error_or_one_passage_and_never_run(
    tmp_path: Path, cell: str, says: str | None
) -> None:
    path = table(tmp_path, OLD | {"contexts": cell})
    if says is None:
        assert [context.text for context in read_answers(path).rows[0].contexts] == [cell]
        return
    with pytest.raises(FormatError, match=says) as raised:
        read_answers(path)
    assert raised.value.faults[0].where == f"{path}:2"


def test_a_cell_that_is_no_list_is_one_passage_which_is_said_and_a_separator_parts_it(tmp_path: Path) -> None:
    path = table(tmp_path, OLD | {"contexts": "by Ada; in 1843"})
    one = read_answers(path)
    assert [context.text for context in one.rows[0].contexts] == ["by Ada; in 1843"]
    assert kinds(one)["single passages"] == 1
    assert read_answers(path, separator=";").rows == (PLAIN,)


def test_an_empty_cell_is_an_empty_answer_and_null_is_none(tmp_path: Path) -> None:
    cells = read_answers(table(tmp_path, OLD | {"answer": "", "contexts": ""}))
    assert (cells.rows[0].text, cells.rows[0].contexts, kinds(cells)["empty answers"]) == ("", (), 1)
    assert read_answers(lines(tmp_path, OLD | {"answer": None})).rows[0].text is None


def test_ids_stay_as_they_stand(tmp_path: Path) -> None:
    row = OLD | {"question_id": "007"}
    assert read_answers(table(tmp_path, row | {"contexts": "[]"})).rows[0].query_id == "007"
    assert read_answers(lines(tmp_path, row | {"question_id": 7})).rows[0].query_id == "7"
    with pytest.raises(FormatError, match=r"expected an id in 'question_id', got 7.0; write ids as text"):
        read_answers(lines(tmp_path, row | {"question_id": 7.0}))


def test_what_else_a_row_says_is_kept_and_what_is_missing_is_not(tmp_path: Path) -> None:
    row = read_answers(lines(tmp_path, RAGAS | {"faithfulness": 0.5, "note": None})).rows[0]
    assert row.given == {"faithfulness": 0.5}
    pl.DataFrame([RAGAS | {"faithfulness": float("nan")}]).write_parquet(tmp_path / "a.parquet")
    assert read_answers(tmp_path / "a.parquet").rows[0].given == {}


def test_ragas_ids_go_with_their_passages_or_stand_alone(tmp_path: Path) -> None:
    named = read_answers(lines(tmp_path, RAGAS | {"retrieved_context_ids": ["a", 2]})).rows[0].contexts
    assert named == (Context("by Ada", "a", 1), Context("in 1843", "2", 2))
    alone = {"user_input": "Who?", "response": "Ada", "retrieved_context_ids": ["a", "b"]}
    found = read_answers(lines(tmp_path, alone), texts={"b": "in 1843"})
    assert found.rows[0].contexts == (Context("", "a", 1), Context("in 1843", "b", 2))
    assert (kinds(found)["joined texts"], kinds(found)["missing texts"]) == (1, 1)


@pytest.mark.parametrize(
    ("row", "says"),
    [
        (RAGAS | {"retrieved_context_ids": ["a"]}, "as many ids in 'retrieved_context_ids' as passages"),
        (OLD | {"ground_truths": ["Bob"]}, "the same in 'ground_truth' and 'ground_truths'"),
        (OLD | {"contexts": {"a": 1}}, "a list in 'contexts'"),
        (OLD | {"contexts": [3]}, r"a passage in contexts\[0\]"),
        (OLD | {"contexts": [{"score": 1}]}, r"a text or an id in contexts\[0\], got the fields score"),
        (OLD | {"question": None}, "a question in 'question'"),
        (OLD | {"question": ["a", "b"]}, "text in 'question'"),
    ],
)
def test_what_contradicts_itself_names_file_and_row(tmp_path: Path, row: dict[str, Any], says: str) -> None:
    path = lines(tmp_path, OLD if "question" in row else RAGAS, row)
    with pytest.raises(FormatError, match=says) as raised:
        read_answers(path)
    assert raised.value.faults[0].where == f"{path}:2"


def test_all_rows_that_are_wrong_are_named_at_once(tmp_path: Path) -> None:
    with pytest.raises(FormatError) as raised:
        read_answers(lines(tmp_path, *[OLD | {"contexts": 3}] * 3))
    assert raised.value.total == 3


def test_a_file_of_two_formats_or_of_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"answers.jsonl:2: expected the fields of ragas-old"):
        read_answers(lines(tmp_path, OLD, RAGAS))
    with pytest.raises(FormatError, match="expected fields of one format, got those of ragas and of deepeval"):
        read_answers(lines(tmp_path, RAGAS | {"input": "Who?", "actual_output": "Ada"}))
    both = read_answers(lines(tmp_path, RAGAS | {"input": "Who?", "actual_output": "Ada"}), "ragas")
    assert both.rows[0].text == "Ada"
    with pytest.raises(FormatError, match="the fields of a known format of answers, got the fields a, b"):
        read_answers(lines(tmp_path, {"a": 1, "b": 2}))
    with pytest.raises(InputError, match="did you mean 'ragas'"):
        read_answers(lines(tmp_path, OLD), "rags")
    with pytest.raises(FormatError, match="expected the fields of trec-rag"):
        read_answers(lines(tmp_path, OLD), "trec-rag")


def test_a_question_twice_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    path = lines(tmp_path, OLD | {"id": "a"}, OLD | {"id": "a"})
    with pytest.raises(DuplicateError, match=r"answers.jsonl: expected each question once, got 'a' twice"):
        read_answers(path)


@pytest.mark.parametrize("content", ["", "\n", "[]", '{"results": []}', "question,answer,contexts\n"])
def test_a_file_without_answers_is_empty(tmp_path: Path, content: str) -> None:
    (tmp_path / "a.json").write_text(content)
    with pytest.raises(EmptyInputError):
        read_answers(tmp_path / "a.json")


def test_broken_lines_and_cells_are_named(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(OLD) + "\n{broken\n[1]\n")
    with pytest.raises(FormatError) as raised:
        read_answers(path)
    assert [fault.where for fault in raised.value.faults] == [f"{path}:2", f"{path}:3"]
    (tmp_path / "a.csv").write_text("question,answer\nWho?,Ada,more\n")
    with pytest.raises(FormatError, match=r"a.csv:2: expected 2 cells, as the header has, got 3"):
        read_answers(tmp_path / "a.csv")


def test_ragchecker_has_ids_of_questions_and_of_passages(tmp_path: Path) -> None:
    row = {
        "query_id": "007", "query": "Who?", "gt_answer": "Ada L.", "response": "Ada",
        "retrieved_context": [{"doc_id": "000", "text": "by Ada"}, {"doc_id": "001", "text": "in 1843"}],
        "metrics": {"f1": 50.0},
    }  # fmt: skip
    path = tmp_path / "checked.json"
    path.write_text(json.dumps({"results": [row], "metrics": {}}))
    found = read_answers(path).rows[0]
    contexts = (Context("by Ada", "000", 1), Context("in 1843", "001", 2))
    assert found == Answer("007", "Who?", "Ada", contexts, ("Ada L.",), given={"metrics": {"f1": 50.0}})


def test_trulens_passages_come_from_the_calls_of_its_feedback(tmp_path: Path) -> None:
    calls = "[{'args': {'question': 'Who?', 'context': 'by Ada'}, 'ret': 1.0}, {'args': {'context': 'in 1843'}}]"
    row = {"record_id": "r1", "input": "Who?", "output": "Ada", "Relevance": "1.0", "Relevance_calls": calls}
    found = read_answers(table(tmp_path, row)).rows[0]
    assert (found.query_id, found.text, found.contexts, found.given) == ("r1", "Ada", RANKED, {"Relevance": "1.0"})


TREC = {"topic_id": "42", "topic": "Who?", "references": ["msmarco#1", "msmarco#2"]}


@pytest.mark.parametrize("cited", [[1, 0], ["msmarco#2", "msmarco#1"]])
def test_citations_of_trec_rag_are_places_from_zero_or_ids(tmp_path: Path, cited: list[Any]) -> None:
    answer = [{"text": "Ada.", "citations": cited}, {"text": "In 1843.", "citations": []}]
    found = read_answers(lines(tmp_path, TREC | {"answer": answer}), texts={"msmarco#1": "by Ada"}).rows[0]
    assert found.sentences == (Sentence("Ada.", (2, 1)), Sentence("In 1843."))
    assert found.contexts == (Context("by Ada", "msmarco#1"), Context("", "msmarco#2"))
    assert (found.query_id, found.question, found.text) == ("42", "Who?", "Ada. In 1843.")


def test_trec_rag_of_later_years_has_its_names_inside(tmp_path: Path) -> None:
    row = {"metadata": {"narrative_id": 7, "run_id": "r", "narrative": "Who?"}, "references": [], "answer": []}
    found = read_answers(lines(tmp_path, row)).rows[0]
    assert (found.query_id, found.question, found.text, found.given) == ("7", "Who?", "", {"run_id": "r"})


@pytest.mark.parametrize("cited", [2, -1, "msmarco#3", True])
def test_a_citation_of_nothing_is_an_error(tmp_path: Path, cited: Any) -> None:
    row = TREC | {"answer": [{"text": "Ada.", "citations": [cited]}]}
    with pytest.raises(FormatError, match=r"citations of places 0 to 1, or ids of references, in answer\[0\]"):
        read_answers(lines(tmp_path, row))


def test_ragtruth_is_read_one_model_at_a_time_with_its_sources_beside(tmp_path: Path) -> None:
    passages = "passage 1:by Ada\n\npassage 2:in 1843\n\n"
    source = {"source_id": "15", "task_type": "QA", "source_info": {"question": "Who?", "passages": passages}}
    labels = [{"start": 0, "end": 3, "label_type": "Evident Conflict"}]
    rows = [
        {"id": str(n), "source_id": "15", "model": model, "labels": labels, "response": "Ada", "quality": "good"}
        for n, model in enumerate(["gpt", "llama"])
    ]
    path = lines(tmp_path, *rows, name="response.jsonl")
    with pytest.raises(FormatError, match=r"source_info.jsonl: expected the sources of RAGTruth"):
        read_answers(path, system="gpt")
    lines(tmp_path, source, name="source_info.jsonl")
    with pytest.raises(InputError, match="expected the answers of one system, got those of 'gpt', 'llama'"):
        read_answers(path)
    with pytest.raises(InputError, match="system: expected one of gpt, llama, got 'x'"):
        read_answers(path, system="x")
    found = read_answers(path, system="llama").rows[0]
    assert (found.query_id, found.question, found.text) == ("15", "Who?", "Ada")
    assert found.contexts == (Context("by Ada"), Context("in 1843"))
    assert found.given["hallucinations"] == labels


OWN = Answer(
    "007", "Who?", "Ada. 1843.", (Context("in 1843", "d2", 2, 0.5), Context("by Ada", "d1", 1)), ("Ada L.", "Ada"),
    (Sentence("Ada.", (2,)), Sentence("1843.", (1, 2))), True, False, {"model": "m"},
)  # fmt: skip


def test_rank_and_slot_are_both_kept(tmp_path: Path) -> None:
    write_answers(Answers((OWN,)), tmp_path / "own.jsonl.gz")
    assert read_answers(tmp_path / "own.jsonl.gz").rows == (OWN,)
    slots = [{"doc_id": "d1", "rank": 1, "slot": 2}, {"doc_id": "d2", "rank": 2, "slot": 1}]
    found = read_answers(lines(tmp_path, {"query_id": "q", "question": "?", "text": "a", "contexts": slots})).rows[0]
    assert [(context.doc_id, context.rank) for context in found.contexts] == [("d2", 2), ("d1", 1)]


@pytest.mark.parametrize("slots", [[0, 1], [1, 1], [1, 3], [1, None], ["x", 2]])
def test_slots_that_are_not_those_of_a_prompt_are_refused(tmp_path: Path, slots: list[Any]) -> None:
    contexts = [{"text": "t", "slot": slot} for slot in slots]
    with pytest.raises(FormatError, match="a slot for each of 'contexts', 1 to 2"):
        read_answers(lines(tmp_path, {"query_id": "q", "question": "?", "text": "a", "contexts": contexts}))


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"sentences": [{"text": "a", "citations": [2]}]}, r"citations of slots 1 to 1 in sentences\[0\]"),
        ({"answerable": "maybe"}, "true or false in 'answerable'"),
        ({"contexts": [{"text": "t", "rank": 0}]}, r"a whole number from 1 as rank in contexts\[0\]"),
        ({"contexts": [{"text": "t", "score": "high"}]}, r"a number as score in contexts\[0\]"),
        ({"given": [1]}, "an object in 'given'"),
    ],
)
def test_own_fields_that_hold_something_else_are_refused(tmp_path: Path, more: dict[str, Any], says: str) -> None:
    row = {"query_id": "q", "question": "?", "text": "a", "contexts": ["t"]}
    with pytest.raises(FormatError, match=says):
        read_answers(lines(tmp_path, row | more))


TEXT = st.text(st.characters(codec="utf-8", exclude_categories=("Cs",)), max_size=8)
CONTEXTS = st.lists(
    st.builds(Context, TEXT.filter(bool), st.none() | TEXT.filter(bool), st.none() | st.integers(1, 99)), max_size=3
)
ROWS = st.builds(
    Answer,
    TEXT.filter(bool),
    TEXT,
    st.none() | TEXT,
    CONTEXTS.map(tuple),
    st.lists(TEXT.filter(bool), max_size=2).map(tuple),
    answerable=st.none() | st.booleans(),
    abstained=st.none() | st.booleans(),
    given=st.dictionaries(TEXT, TEXT, max_size=2),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(ROWS, min_size=1, max_size=4, unique_by=lambda row: row.query_id))
def test_what_is_written_is_read_back_the_same(tmp_path_factory: pytest.TempPathFactory, rows: list[Answer]) -> None:
    path = tmp_path_factory.mktemp("answers") / "a.jsonl"
    write_answers(Answers(tuple(rows)), path)
    assert read_answers(path).rows == tuple(rows)


def test_retrieved_passages_are_a_run_that_judgments_measure() -> None:
    found = context_run(Answers((OWN,), "new"))
    assert found.name == "new"
    assert found.notes == ()
    assert rg.evaluate({"007": {"d1": 1}}, {"new": found}, ["RR"]).mean()["mean"].to_list() == [1.0]


def test_what_the_run_leaves_out_or_takes_from_elsewhere_is_said() -> None:
    chunks = (Context("a", "d1", 3), Context("b", "d1", 1), Context("c", None, 2))
    ranked = context_run(Answers((Answer("q", "?", "a", chunks),)))
    assert ranked.to_dict() == {"q": {"d1": -1.0}}
    assert {note.kind: note.count for note in ranked.notes} == {"nameless passages": 1, "repeated documents": 1}
    slots = context_run(Answers((Answer("q", "?", "a", (Context("a", "d2"), Context("b", "d1"))),)))
    assert slots.to_dict() == {"q": {"d2": -1.0, "d1": -2.0}}
    assert [note.kind for note in slots.notes] == ["prompt order"]
    with pytest.raises(InputError, match="expected passages with ids, got 1 without"):
        context_run(Answers((Answer("q", "?", "a", (Context("a"),)),)))
    with pytest.raises(InputError, match="expected a rank for each passage, or for none, got ranks for some"):
        context_run(Answers((Answer("q", "?", "a", (Context("a", "d", 1), Context("b", "e"))),)))


def test_every_format_says_what_it_reads() -> None:
    assert all(one.says for one in ANSWER_FORMATS.values())


def test_pairs_of_answers_are_not_taken_for_answers_of_one_system(tmp_path: Path) -> None:
    pair = {"query_id": "8", "query": "Who?", "gt_answer": "Ada", "model1": {"response": "Ada"}, "model2": {}}
    with pytest.raises(FormatError, match="the fields of a known format of answers"):
        read_answers(lines(tmp_path, pair))
