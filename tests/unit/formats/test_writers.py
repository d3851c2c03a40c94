"""What is written for other tools, to the letter, and what their formats cannot hold."""

import json

import polars as pl
import pytest

from rankgauge.errors import InputError
from rankgauge.formats import read_qrels, read_run, write_qrels, write_run
from rankgauge.records import Qrels, Run

QRELS = Qrels.from_dict({"oak table": {"5501": 2, "5502": 0}, "lamp": {"6100": 1}}, name="shop")
FLAT = ("letor", "msmarco", "quepid", "rre", "rank_eval", "opensearch")


@pytest.fixture
def written(tmp_path):
    """Write judgments or a run and return the text of the file."""

    def write(data: Qrels | Run, format: str) -> str:
        path = tmp_path / "out"
        (write_qrels if isinstance(data, Qrels) else write_run)(data, path, format=format)
        return path.read_text()

    return write


def fails(written, data, format) -> str:
    with pytest.raises(InputError) as caught:
        written(data, format)
    return str(caught.value)


def test_letor_has_the_document_in_the_comment(written):
    qrels = Qrels.from_dict({"1": {"5501": 2, "docid=3": 0.5}})
    assert written(qrels, "letor") == "2 qid:1 # 5501\n0.5 qid:1 # docid=docid=3\n"


@pytest.mark.parametrize("suffix", [".letor", ".svmlight", ".letor.gz"])
def test_the_suffixes_of_letor_write_it(tmp_path, suffix):
    write_qrels(Qrels.from_dict({"1": {"5501": 2}}), tmp_path / f"x{suffix}")
    assert read_qrels(tmp_path / f"x{suffix}", format="letor").to_dict() == {"1": {"5501": 2}}


def test_letor_refuses_ids_with_blanks(written):
    assert fails(written, QRELS, "letor") == (
        "query ids: expected ids without blanks for a LETOR file, got 1 with blanks: 'oak table'; "
        "write .jsonl, .json or .parquet, which hold any id"
    )
    assert fails(written, Qrels.from_dict({"q": {"a b": 1}}), "letor").startswith("document ids: expected ids without")


def test_msmarco_qrels_are_trecs_between_tabs(written):
    assert written(Qrels.from_dict({"q": {"7": 1, "8": 0}}), "msmarco") == "q\t0\t7\t1\nq\t0\t8\t0\n"


def test_quepid_has_its_three_columns(written):
    assert written(QRELS, "quepid") == "query,docid,rating\noak table,5501,2\noak table,5502,0\nlamp,6100,1\n"


def test_rre_lists_documents_by_grade(written):
    assert json.loads(written(QRELS, "rre")) == {
        "id_field": "id",
        "index": "index",
        "template": "template.json",
        "queries": [
            {"placeholders": {"$query": "oak table"}, "relevant_documents": {"2": ["5501"], "0": ["5502"]}},
            {"placeholders": {"$query": "lamp"}, "relevant_documents": {"1": ["6100"]}},
        ],
    }


def test_rre_gives_gains_by_document_where_a_grade_is_not_whole(written):
    queries = json.loads(written(Qrels.from_dict({"q": {"a": 0.5, "b": 1}}), "rre"))["queries"]
    assert queries == [{"placeholders": {"$query": "q"}, "relevant_documents": {"a": {"gain": 0.5}, "b": {"gain": 1}}}]


def test_opensearch_has_ratings_in_quotes(written):
    ratings = [{"rating": "2", "docId": "5501"}, {"rating": "0", "docId": "5502"}]
    assert json.loads(written(QRELS, "opensearch")) == {
        "name": "shop",
        "description": "3 judgments",
        "type": "IMPORT_JUDGMENT",
        "judgmentRatings": [
            {"query": "oak table", "ratings": ratings},
            {"query": "lamp", "ratings": [{"rating": "1", "docId": "6100"}]},
        ],
    }


def test_a_request_of_rank_eval_names_one_index(written):
    assert json.loads(written(Qrels.from_dict({"q": {"a/1": 2, "b": 0}}), "rank_eval")) == {
        "requests": [
            {
                "id": "q",
                "ratings": [
                    {"_index": "index", "_id": "a/1", "rating": 2},
                    {"_index": "index", "_id": "b", "rating": 0},
                ],
            }
        ]
    }


def test_ids_of_several_indices_are_taken_apart(written):
    ratings = json.loads(written(Qrels.from_dict({"q": {"a/1/x": 2, "b/1": 0}}), "rank_eval"))["requests"][0]["ratings"]
    assert [(rated["_index"], rated["_id"]) for rated in ratings] == [("a", "1/x"), ("b", "1")]


def test_addresses_are_not_taken_for_indices(written):
    qrels = Qrels.from_dict({"q": {"http://a": 2, "https://b": 0}})
    ratings = json.loads(written(qrels, "rank_eval"))["requests"][0]["ratings"]
    assert [(rated["_index"], rated["_id"]) for rated in ratings] == [("index", "http://a"), ("index", "https://b")]


def test_a_response_of_rank_eval_has_the_hits_in_order(written):
    assert json.loads(written(Run.from_dict({"q": {"a": 0.5, "b": 2}}), "rank_eval")) == {
        "failures": {},
        "details": {
            "q": {
                "hits": [
                    {"hit": {"_index": "index", "_id": "b", "_score": 2.0}, "rating": None},
                    {"hit": {"_index": "index", "_id": "a", "_score": 0.5}, "rating": None},
                ]
            }
        },
    }


def test_rank_eval_refuses_grades_that_are_not_whole_and_names_them_all(written):
    message = fails(written, Qrels.from_dict({"q": {"a": 0.5, "b": 1, "c": 2.0**31}}, name="j"), "rank_eval")
    assert message.splitlines() == [
        "j, query 'q', document 'a': expected a whole number as grade for rank_eval, got 0.5; "
        "map the grades to whole numbers, or write another format",
        "j, query 'q', document 'c': expected a whole number as grade for rank_eval, got 2147483648.0; "
        "map the grades to whole numbers, or write another format",
    ]


def test_rank_eval_refuses_infinite_scores(written):
    message = fails(written, Run.from_dict({"q": {"a": float("inf"), "b": 1}}, name="r"), "rank_eval")
    assert message == (
        "r, query 'q', document 'a': expected a finite score for rank_eval, got inf; write .trec, .csv or .parquet"
    )


def test_rank_eval_refuses_ranks_with_gaps(written, file):
    run = read_run(file("run.tsv", "q\ta\t1\nq\tb\t3\n"), format="msmarco")
    assert fails(written, run, "rank_eval").startswith("rank_eval: expected a run with scores, got ranks with gaps")


@pytest.mark.parametrize("format", FLAT)
def test_a_format_without_a_place_for_subtopics_refuses_them(written, format):
    rows = [("q", "a", 1, "s"), ("q", "a", 0, "t")]
    frame = pl.DataFrame(rows, schema=["query", "doc", "grade", "subtopic"], orient="row")
    message = fails(written, Qrels.from_frame(frame, subtopic="subtopic"), format)
    assert message == (
        f"{format}: expected qrels without subtopics, got subtopics; write TREC, .jsonl, .csv or .parquet"
    )


@pytest.mark.parametrize("format", [None, "beir"])
def test_a_folder_gets_the_qrels_of_beir(tmp_path, format):
    (tmp_path / "shop.v2").mkdir()
    write_qrels(QRELS, tmp_path / "shop.v2", format=format)
    assert [p.relative_to(tmp_path) for p in tmp_path.rglob("*.tsv")] == [
        (tmp_path / "shop.v2/qrels/test.tsv").relative_to(tmp_path)
    ]
    assert read_qrels(tmp_path / "shop.v2").to_dict() == QRELS.to_dict()


def test_a_path_without_a_suffix_becomes_a_beir_folder(tmp_path):
    write_qrels(QRELS, tmp_path / "data" / "shop", format="beir")
    assert read_qrels(tmp_path / "data" / "shop").to_dict() == QRELS.to_dict()


def test_a_file_in_the_way_of_a_beir_folder_stays(file):
    path = file("shop", "x")
    with pytest.raises(InputError, match="shop: expected a place for a BEIR folder, got a file in the way"):
        write_qrels(QRELS, path, format="beir")
    assert path.read_text() == "x"
