import json

import pytest

from rankgauge.errors import DuplicateError, EmptyInputError, FormatError
from rankgauge.formats import read_qrels, read_run, sniff


def kinds(data):
    return {note.kind: note.count for note in data.notes}


def test_a_dict_of_dicts_is_read(file):
    path = file("x.json", '{"q1": {"007": 3, "NA": 1.5}, "q2": {"d": 0}}')
    assert read_qrels(path).to_dict() == read_run(path).to_dict() == {"q1": {"007": 3, "NA": 1.5}, "q2": {"d": 0}}


def test_content_wins_over_a_suffix(file):
    assert read_run(file("run.txt", '\ufeff {"q": {"d": 1}}')).to_dict() == {"q": {"d": 1}}
    assert read_run(file("run.json", "q Q0 d 1 1 t\n")).to_dict() == {"q": {"d": 1}}
    assert read_run(file("run.csv", "q Q0 d 1 1 t\n")).to_dict() == {"q": {"d": 1}}
    assert read_run(file("run.trec", "query,doc,score\nq,d,1\n")).to_dict() == {"q": {"d": 1}}


def test_lists_of_documents_are_rankings(file):
    assert read_run(file("r.json", '{"q": ["b", "a"]}')).to_dict() == {"q": {"b": -1, "a": -2}}


def test_a_key_that_stands_twice_is_not_silently_the_last(file):
    with pytest.raises(FormatError, match="expected each key once in an object, got 'd' twice"):
        read_qrels(file("q.json", '{"q": {"d": 1, "d": 2}}'))


def test_json_that_is_broken_names_the_line(file):
    with pytest.raises(FormatError, match=r"q\.json:3: expected well-formed JSON"):
        read_qrels(file("q.json", '{"q": {\n"d": 1,\n"e": }}'))


def test_all_values_that_are_no_numbers_are_told(file):
    with pytest.raises(FormatError) as caught:
        read_run(file("r.json", '{"q": {"a": "0.9", "b": true, "c": null, "d": 1}, "p": 5}'))
    assert [f.got for f in caught.value.faults] == ["'0.9'", "True", "None", "int 5"]


def test_other_json_is_refused_with_its_keys(file):
    with pytest.raises(
        FormatError, match=r"\{query: \{document: grade\}\}, got an object with the keys 'resourceSpans'"
    ):
        read_qrels(file("x.json", '{"resourceSpans": []}'))


@pytest.mark.parametrize("content", ["{}", "[]", '{"q": {}}'])
def test_json_without_rows_holds_nothing(file, content):
    with pytest.raises(EmptyInputError, match="holds no results"):
        read_run(file("r.json", content))


REQUEST = {
    "requests": [
        {
            "id": "books",
            "ratings": [{"_index": "i", "_id": "80", "rating": 0}, {"_index": "i", "_id": "115", "rating": 2}],
        },
        {
            "id": "words",
            "ratings": [{"_index": "i", "_id": "115", "rating": 1}, {"_index": "i", "_id": "9", "rating": None}],
        },
    ]
}


def test_a_rank_eval_request_holds_judgments(file):
    path = file("request.json", json.dumps(REQUEST))
    qrels = read_qrels(path)
    assert qrels.to_dict() == {"books": {"80": 0, "115": 2}, "words": {"115": 1}}
    assert (kinds(qrels), sniff(path).format) == ({"empty grades": 1}, "rank_eval")
    with pytest.raises(FormatError, match="holds judgments"):
        read_run(path)


def test_documents_of_several_indices_carry_their_index(file):
    request = {"requests": [{"id": "q", "ratings": [{"_index": i, "_id": "1", "rating": 1} for i in ("a", "b")]}]}
    qrels = read_qrels(file("request.json", json.dumps(request)))
    assert (qrels.to_dict(), kinds(qrels)) == ({"q": {"a/1": 1, "b/1": 1}}, {"indices": 2})


def response(score, wrapped=False):
    hits = [
        {"hit": {"_index": "i", "_id": doc, "_score": s}, "rating": rating}
        for doc, s, rating in (("7", score, 1), ("8", 0.5, None))
    ]
    body = {"metric_score": 0.7, "details": {"query_1": {"metric_score": 0.9, "hits": hits}}, "failures": {}}
    return json.dumps({"rank_eval": body} if wrapped else body)


@pytest.mark.parametrize("wrapped", [False, True])
def test_a_rank_eval_response_is_a_run(file, wrapped):
    path = file("response.json", response(5.25, wrapped))
    assert read_run(path).to_dict() == {"query_1": {"7": 5.25, "8": 0.5}}
    with pytest.raises(FormatError, match="holds results; read the body of the request"):
        read_qrels(path)


def test_hits_without_scores_are_ranked_by_position(file):
    run = read_run(file("response.json", response(None)))
    assert (run.to_dict(), kinds(run)) == ({"query_1": {"7": -1, "8": -2}}, {"rank as score": 2})


def test_imported_judgments_have_ratings_in_quotes(file):
    ratings = [{"rating": "0.9", "docId": "B1"}, {"rating": "1.0", "docId": "B2"}, {"rating": "0.9", "docId": "B1"}]
    body = {"name": "n", "type": "IMPORT_JUDGMENT", "judgmentRatings": [{"query": "metal frame", "ratings": ratings}]}
    path = file("j.json", json.dumps(body))
    qrels = read_qrels(path)
    assert (qrels.to_dict(), kinds(qrels)) == ({"metal frame": {"B1": 0.9, "B2": 1.0}}, {"repeated judgments": 1})
    assert sniff(path).format == "opensearch"
    ratings[2]["rating"] = "0.1"
    with pytest.raises(DuplicateError, match=r"grades 0\.9, 0\.1"):
        read_qrels(file("k.json", json.dumps(body)))
    ratings[2]["rating"] = "high"
    with pytest.raises(FormatError, match="'high'"):
        read_qrels(file("l.json", json.dumps(body)))


def test_a_query_set_holds_no_judgments(file):
    with pytest.raises(FormatError, match="a query set, which holds no judgments"):
        read_qrels(file("s.json", '{"name": "s", "querySetQueries": [{"queryText": "phone"}]}'))


def test_rre_lists_documents_by_grade(file):
    body = {
        "id_field": "id",
        "queries": [
            {"placeholders": {"$query": "star trek"}, "relevant_documents": {"1": ["193"], "2": ["157", "152"]}}
        ],
    }
    path = file("r.json", json.dumps(body))
    assert read_qrels(path).to_dict() == {"star trek": {"193": 1, "157": 2, "152": 2}}
    assert sniff(path).format == "rre"


def test_rre_groups_share_gains_by_document(file):
    queries = [{"template": "t", "placeholders": {"$query": text}} for text in ("fender", "Fender")]
    group = {"name": "g", "queries": queries, "relevant_documents": {"1": {"gain": 3}, "2": {"gain": 2}}}
    body = {"topics": [{"description": "d", "query_groups": [group, {**group, "queries": queries[:1]}]}]}
    qrels = read_qrels(file("r.json", json.dumps(body)))
    assert qrels.to_dict() == {"fender": {"1": 3, "2": 2}, "Fender": {"1": 3, "2": 2}}
    assert kinds(qrels) == {"repeated judgments": 2}


def test_json_nested_without_end_is_an_error(file):
    with pytest.raises(FormatError, match="hundreds of levels"):
        read_qrels(file("x.json", "[" * 100_000))


def test_a_key_that_stands_twice_in_a_line_is_not_silently_the_last(file):
    line = '{"qid": "q", "docid": "a", "score": 1, "score": 2}'
    with pytest.raises(FormatError, match=r"r\.jsonl:2: expected each key once in an object, got 'score' twice"):
        read_run(file("r.jsonl", '{"qid": "q", "docid": "b", "score": 1, "x": {"y": 1}}\n' + line))


def test_a_whole_number_beyond_all_floats_is_infinite_and_told(file):
    huge = "1" + "0" * 400
    for name, content in (
        ("a.json", f'{{"q": {{"d": {huge}}}}}'),
        ("b.jsonl", f'{{"qid": "q", "docid": "d", "score": {huge}}}'),
    ):
        run = read_run(file(name, content))
        assert (run.to_dict(), kinds(run)) == ({"q": {"d": float("inf")}}, {"infinite scores": 1})
