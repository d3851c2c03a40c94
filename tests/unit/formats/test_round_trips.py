import tempfile
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankgauge.errors import InputError
from rankgauge.formats import FORMATS, read_qrels, read_run, sniff, write_qrels, write_run
from rankgauge.records import Qrels, Run

CHARACTERS = st.characters(codec="utf-8", exclude_characters="\ufeff")
ANY_ID = st.text(CHARACTERS, min_size=1, max_size=8)
ODD_ID = st.text(st.sampled_from("aA0.,;'\"#:|{}[]\\/<>\u00a0\u2028\x00\x1ceé́中"), min_size=1, max_size=6)
TRIMMED = st.one_of(ODD_ID, ANY_ID.map(str.strip).filter(bool))
ONE_LINE = TRIMMED.filter(lambda text: not set(text) & set("\t\r\n"))
NO_BLANK = ONE_LINE.filter(lambda text: not set(text) & set(" \x0b\x0c"))
IN_INDEX = st.builds("{}/{}".format, st.sampled_from(["a", "b", "https:"]), ANY_ID)
DOCID = st.builds("".join, st.tuples(st.sampled_from(["docid", "DocID"]), st.sampled_from(["=", "==", ""]), NO_BLANK))
IDS = {
    "trec": NO_BLANK,
    "msmarco": NO_BLANK,
    "letor": st.one_of(NO_BLANK, DOCID),
    "rank_eval": st.one_of(ANY_ID, IN_INDEX),
    "beir": ONE_LINE,
    "tsv": ONE_LINE,
    "csv": TRIMMED,
    "quepid": TRIMMED,
}
WHOLE = st.integers(-2, 16)
GRADES = {"rank_eval": WHOLE}
SUFFIX = {"msmarco": ".tsv", "beir": ".tsv"}
SCORES = st.floats(allow_nan=False, allow_infinity=False)


def nested(ids, values):
    queries = ids.filter(lambda text: not text.startswith("#"))
    return st.dictionaries(queries, st.dictionaries(ids, values, min_size=1, max_size=4), min_size=1, max_size=3)


def name_of(known):
    return "x" + SUFFIX.get(known, FORMATS[known].suffixes[0] if FORMATS[known].suffixes else "")


@pytest.mark.parametrize("known", [f.name for f in FORMATS.values() if "run" in f.writes and f.name != "msmarco"])
def test_a_run_comes_back_as_it_was_written(known):
    @settings(max_examples=60, deadline=None)
    @given(nested(IDS.get(known, ANY_ID), SCORES))
    def check(scores):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name_of(known)
            write_run(Run.from_dict(scores), path, format=known)
            assert read_run(path, format=known).to_dict() == scores

    check()


@pytest.mark.parametrize("known", [f.name for f in FORMATS.values() if "qrels" in f.writes])
def test_qrels_come_back_as_they_were_written(known):
    @settings(max_examples=60, deadline=None)
    @given(nested(IDS.get(known, ANY_ID), GRADES.get(known, st.one_of(WHOLE, st.floats(-4, 4)))))
    def check(grades):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name_of(known)
            write_qrels(Qrels.from_dict(grades), path, format=known)
            assert read_qrels(path, format=known).to_dict() == grades

    check()


@pytest.mark.parametrize("known", [f.name for f in FORMATS.values() if "run" in f.writes])
def test_the_content_of_what_is_written_says_its_format(tmp_path, known):
    run = Run.from_dict({"q1": {"a": -1.0, "b": -2.0}, "q2": {"c": -1.0}})
    write_run(run, tmp_path / "without_suffix", format=known)
    assert read_run(tmp_path / "without_suffix").to_dict() == run.to_dict()


@pytest.mark.parametrize("known", [f.name for f in FORMATS.values() if "qrels" in f.writes and f.name != "beir"])
def test_the_content_of_judgments_that_are_written_says_their_format(tmp_path, known):
    qrels = Qrels.from_dict({"q1": {"a": 1, "b": 0}, "q2": {"c": 2}})
    write_qrels(qrels, tmp_path / "without_suffix", format=known)
    assert read_qrels(tmp_path / "without_suffix").to_dict() == qrels.to_dict()
    if known != "msmarco":  # they are TREC qrels
        assert sniff(tmp_path / "without_suffix").format == known


INDEXED = st.builds("{}/{}".format, st.sampled_from("ab"), ANY_ID)


@settings(max_examples=60, deadline=None)
@given(nested(INDEXED, WHOLE), nested(INDEXED, SCORES))
def test_documents_of_several_indices_come_back_from_rank_eval_as_they_were(grades, scores):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x"
        write_qrels(Qrels.from_dict(grades), path, format="rank_eval")
        assert read_qrels(path).to_dict() == grades
        write_run(Run.from_dict(scores), path, format="rank_eval")
        assert read_run(path).to_dict() == scores


@pytest.mark.parametrize("pack", ["", ".gz", ".zst"])
@pytest.mark.parametrize("suffix", sorted({s for f in FORMATS.values() if "run" in f.writes for s in f.suffixes}))
def test_the_suffix_chooses_what_is_written(tmp_path, suffix, pack):
    run = Run.from_dict({"q1": {"a": 2.5, "b": 1.0}})
    write_run(run, tmp_path / f"x{suffix}{pack}")
    assert read_run(tmp_path / f"x{suffix}{pack}").to_dict() == run.to_dict()


@pytest.mark.parametrize("suffix", [".parquet", ".arrow", ".lz4", ".json", ".jsonl"])
def test_marks_inside_ids_come_back(tmp_path, suffix):
    run = Run.from_dict({"q": {"\n\ufeffa": 1.0, "\na": 2.0}})
    write_run(run, tmp_path / f"x{suffix}")
    assert read_run(tmp_path / f"x{suffix}").to_dict() == run.to_dict()


@pytest.mark.parametrize("suffix", [".qrels", ".csv", ".tsv", ".jsonl", ".parquet", ".arrow"])
def test_subtopics_come_back(tmp_path, suffix):
    rows = [("q", "a", 1, "s"), ("q", "a", 0, "t"), ("q", "b", 2, "t")]
    frame = pl.DataFrame(rows, schema=["query", "doc", "grade", "subtopic"], orient="row")
    qrels = Qrels.from_frame(frame, subtopic="subtopic")
    write_qrels(qrels, tmp_path / f"x{suffix}")
    back = read_qrels(tmp_path / f"x{suffix}")
    assert back.to_polars().rows() == qrels.to_polars().rows()


def test_json_refuses_subtopics(tmp_path):
    rows = [{"query": "q", "doc": "a", "grade": 1, "subtopic": "s"}]
    with pytest.raises(InputError, match="expected qrels without subtopics"):
        write_qrels(Qrels.from_frame(rows, subtopic="subtopic"), tmp_path / "x.json")


def test_an_unknown_suffix_lists_what_can_be_written(tmp_path):
    with pytest.raises(
        InputError,
        match=r"expected a suffix that names a format, got '\.xyz'; name a format, with --to or format=: one of trec",
    ):
        write_run(Run.from_dict({"q": {"d": 1.0}}), tmp_path / "r.xyz")


def test_an_unknown_format_suggests_a_known_one(tmp_path):
    with pytest.raises(InputError, match="did you mean 'parquet'"):
        write_run(Run.from_dict({"q": {"d": 1.0}}), tmp_path / "r", format="parkett")
    with pytest.raises(InputError, match="format 'letor': expected a format that can hold a run, got one that cannot"):
        write_run(Run.from_dict({"q": {"d": 1}}), tmp_path / "r", format="letor")
