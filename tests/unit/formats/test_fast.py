"""The fast reader gives what a plain Python parser gives, or None; never anything else."""

from __future__ import annotations

import math
import mmap
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankgauge.formats import _fast
from rankgauge.formats._fast import FastRun, read_run

PLAIN = "q1 Q0 d1 1 3.5 tag\nq1 Q0 d2 2 2.5 tag\nq2 Q0 d1 1 9 tag\nq2 Q0 d7 2 8 tag\n"
BLOCK_SIZES = [1, 20, 45, 1 << 20]


def read(text: str | bytes, *, block_size: int = 20) -> FastRun | None:
    return read_run(text.encode() if isinstance(text, str) else text, block_size=block_size)


def rows(run: FastRun) -> list[tuple[str, str, float]]:
    lengths = np.diff(run.offsets).tolist()
    queries = [q for q, n in zip(run.query_ids.to_list(), lengths, strict=True) for _ in range(n)]
    return list(zip(queries, run.docs.to_list(), run.scores.tolist(), strict=True))


def parsed_slowly(text: str) -> list[tuple[str, str, float]]:
    lines = [line.split(" ") for line in text.removesuffix("\n").split("\n")]
    return [(query, doc, float(score)) for query, _, doc, _, score, _ in lines]


def conflicting_lines(text: str) -> list[int]:
    lines = [line.split(" ") for line in text.removesuffix("\n").split("\n")]
    found = []
    for number, (a, b) in enumerate(pairwise(lines), start=2):
        rank, score = int(b[3]) - int(a[3]), float(b[4]) - float(a[4])
        if a[0] == b[0] and ((rank > 0 and score > 0) or (rank < 0 and score < 0)):
            found.append(number)
    return found


@pytest.mark.parametrize("block_size", BLOCK_SIZES)
def test_rows_come_in_file_order_and_in_segments_of_one_query(block_size: int) -> None:
    run = read(PLAIN, block_size=block_size)
    assert run is not None
    assert rows(run) == [("q1", "d1", 3.5), ("q1", "d2", 2.5), ("q2", "d1", 9.0), ("q2", "d7", 8.0)]
    assert run.query_ids.to_list() == ["q1", "q2"]
    assert run.offsets.tolist() == [0, 2, 4]
    assert [a.dtype.name for a in (run.offsets, run.scores, run.doc_hash)] == ["int64", "float64", "uint64"]
    assert run.docs.dtype == run.query_ids.dtype == pl.String


@pytest.mark.parametrize("block_size", BLOCK_SIZES)
def test_the_hash_of_a_document_is_the_one_polars_gives_anywhere(block_size: int) -> None:
    run = read(PLAIN, block_size=block_size)
    assert run is not None
    assert run.doc_hash.tolist() == pl.Series(["d1", "d2", "d1", "d7"]).hash().to_list()


def test_a_query_whose_rows_are_apart_has_several_segments() -> None:
    run = read("a Q0 x 1 1 t\nb Q0 x 1 1 t\na Q0 y 2 0 t\n")
    assert run is not None
    assert run.query_ids.to_list() == ["a", "b", "a"]
    assert run.offsets.tolist() == [0, 1, 2, 3]


def test_the_last_line_needs_no_newline() -> None:
    run = read(PLAIN.removesuffix("\n"))
    assert run is not None
    assert rows(run) == parsed_slowly(PLAIN)


def test_tabs_separate_as_well_as_blanks() -> None:
    run = read(PLAIN.replace(" ", "\t"))
    assert run is not None
    assert rows(run) == parsed_slowly(PLAIN)


def test_a_path_a_map_a_view_and_bytes_give_the_same(tmp_path: Path) -> None:
    path = tmp_path / "plain.run"
    path.write_bytes(PLAIN.encode())
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        runs = [read_run(s, block_size=20) for s in (path, mapped, memoryview(PLAIN.encode()), PLAIN.encode())]
    assert [rows(run) for run in runs if run is not None] == [parsed_slowly(PLAIN)] * 4


IDS = [
    "007",
    "1e5",
    "NA",
    "null",
    "None",
    "nan",
    "true",
    "-",
    '"',
    '"a',
    "a,b",
    "x" * 5000,
    "日本語",
    "é",
    "#a",
    "1.0",
]
IDS += ["\u00a0", "\u2028", "\ufeffz", "a\ufeff", "\U0001f600", "'", "\\N", "0x1F", "9" * 40]


@pytest.mark.parametrize("block_size", [1, 64, 1 << 20])
def test_ids_come_through_untouched(block_size: int) -> None:
    text = "".join(f"q{query} Q0 {doc} {i} {-i} t\n" for query in IDS for i, doc in enumerate(IDS))
    run = read(text, block_size=block_size)
    assert run is not None
    assert run.query_ids.to_list() == ["q" + query for query in IDS]
    assert run.docs.to_list() == IDS * len(IDS)


@pytest.mark.parametrize("query", [i for i in IDS if i[0] not in "#\ufeff"])
def test_a_query_id_comes_through_untouched_also_at_the_start_of_the_file(query: str) -> None:
    run = read(f"{query} Q0 d 1 1 t\n")
    assert run is not None
    assert run.query_ids.to_list() == [query]


@pytest.mark.parametrize(
    "score",
    [
        "1",
        "-1.5",
        "+2.25",
        ".5",
        "5.",
        "1e-3",
        "2E+4",
        "0.1",
        "27.712419509887695",
        "5e-324",
        "1e308",
        "-0.0",
    ],
)
def test_a_score_is_the_number_that_python_reads(score: str) -> None:
    run = read(f"q Q0 d 1 {score} t\n")
    assert run is not None
    assert math.copysign(1, run.scores[0]) == math.copysign(1, float(score))
    assert run.scores.tolist() == [float(score)]


BAD_LINES = {
    "too few fields": "q Q0 d 5 1.5",
    "too many fields": "q Q0 d 5 1.5 t t",
    "too many fields, the last a truth value": "q Q0 d 5 1.5 t true",
    "an id with a blank": "q Q0 a 1 5 1.5 t",
    "a single field": "q",
    "two blanks": "q  Q0 d 5 1.5 t",
    "two blanks instead of a field": "q Q0  5 1.5 t",
    "two blanks instead of the second field": "q  d 5 1.5 t",
    "two blanks before a tag": "q Q0 d 5 1.5  t",
    "a blank at the end": "q Q0 d 5 1.5 t ",
    "a blank instead of the tag": "q Q0 d 5 1.5 ",
    "a blank at the start": " q Q0 d 5 1.5 t",
    "a blank instead of the query": " Q0 d 5 1.5 t",
    "a tab among blanks": "q Q0\td 5 1.5 t",
    "a tab at the end": "q Q0 d 5 1.5 t\t",
    "a carriage return": "q Q0 d 5 1.5 t\r",
    "a carriage return in the middle": "q Q0 d\r 5 1.5 t",
    "a form feed": "q Q0 d\fd 5 1.5 t",
    "a tab that makes up for a missing blank": "q\tQ0 d 5 1 2",
    "a NUL": "q Q0 d\0 5 1.5 t",
    "an empty line": "",
    "a blank line": " ",
    "a comment": "# Q0 d 5 1.5 t",
    "a comment of one word": "#",
    "a header": "query Q0 doc rank score tag",
    "nan": "q Q0 d 5 nan t",
    "NaN": "q Q0 d 5 NaN t",
    "inf": "q Q0 d 5 inf t",
    "-Infinity": "q Q0 d 5 -Infinity t",
    "a number past the largest": "q Q0 d 5 1e999 t",
    "a word as a score": "q Q0 d 5 high t",
    "null as a score": "q Q0 d 5 null t",
    "a decimal comma": "q Q0 d 5 1,5 t",
    "digits with an underscore": "q Q0 d 5 1_5 t",
    "a hexadecimal score": "q Q0 d 5 0x1 t",
    "a rank that is not whole": "q Q0 d 5.0 1.5 t",
    "a word as a rank": "q Q0 d first 1.5 t",
    "a rank past 64 bits": "q Q0 d 99999999999999999999 1.5 t",
    "the same pair as the first line": "a Q0 d0 1 9 t",
}
PLACES = ["first", "middle", "last", "last without newline"]
# An empty last line without a newline is no line.
BAD_PLACES = [(k, p) for k in BAD_LINES for p in PLACES if BAD_LINES[k] or p != "last without newline"]


@pytest.mark.parametrize("block_size", [1, 1 << 20])
@pytest.mark.parametrize(("kind", "place"), BAD_PLACES)
def test_a_line_that_is_not_plain_is_left_to_the_tolerant_reader(kind: str, place: str, block_size: int) -> None:
    plain = [f"{query} Q0 d{i} {i} {9 - i} t\n" for query in "abc" for i in range(4)]
    at = {"first": 0, "middle": 6}.get(place, len(plain))
    text = "".join([*plain[:at], BAD_LINES[kind] + "\n", *plain[at:]])
    text = text.removesuffix("\n") if place == "last without newline" else text
    assert read(text, block_size=block_size) is None
    assert read("".join(plain), block_size=block_size) is not None


@pytest.mark.parametrize("block_size", [1, 30, 1 << 20])
def test_a_missing_field_is_not_made_up_for_by_another_lines_extra_one(block_size: int) -> None:
    assert read("q Q0 d 1 2.5\nq Q0 e 1 2 1.5 t\n", block_size=block_size) is None
    assert read("q Q0 e 1 2 1.5 t\nq Q0 d 1 2.5\n", block_size=block_size) is None
    assert read("q Q0 d 1 2.5 t\nq Q0 e 1 2 1.5 t\nq Q0 d 1 2.5\n", block_size=block_size) is None
    assert read("q Q0 d 1 2.5\nq Q0 e 2 1.5 t true\n", block_size=block_size) is None


@pytest.mark.parametrize("piece", [1, 2, 3, 5, 7])
def test_lines_are_checked_also_where_two_pieces_of_a_block_meet(piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_fast, "_PIECE", piece)
    for block_size in (1, 4, 1 << 20):
        run = read(PLAIN, block_size=block_size)
        assert run is not None
        assert rows(run) == parsed_slowly(PLAIN)
        assert read("q Q0 d 5 1.5 t\nq  e 5 1.5 t\n", block_size=block_size) is None


@pytest.mark.parametrize("block_size", BLOCK_SIZES)
@pytest.mark.parametrize("old", ["q1", "Q0", "d7", "tag"])
def test_bytes_that_are_no_utf8_are_left_to_the_tolerant_reader(old: str, block_size: int) -> None:
    for bad in (b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf8\x88\x80\x80\x80"):
        assert read(PLAIN.encode().replace(old.encode(), bad), block_size=block_size) is None


def test_a_byte_order_mark_is_left_to_the_tolerant_reader() -> None:
    assert read("\ufeff" + PLAIN) is None
    assert read(PLAIN.encode("utf-16")) is None


@pytest.mark.parametrize(
    "text",
    ["", "\n", " ", " \n", "\n\n", "word", "word\n", "q\t0\td\t1\n", '{"q": {"d": 1}}\n', "\x1f\x8b\x08\0"],
)
def test_content_of_another_kind_is_left_to_the_tolerant_reader(text: str) -> None:
    assert read(text) is None


@pytest.mark.parametrize("block_size", BLOCK_SIZES)
def test_the_same_pair_twice_is_left_to_the_tolerant_reader(block_size: int) -> None:
    assert read("q Q0 d 1 2 t\nq Q0 d 2 1 t\n", block_size=block_size) is None
    assert read("q Q0 d 1 2 t\nq Q0 e 2 1 t\nr Q0 d 1 1 t\nq Q0 d 3 0 t\n", block_size=block_size) is None
    assert read("q Q0 d 1 2 t\nq Q0 e 2 1 t\nr Q0 d 1 1 t\nq Q0 f 3 0 t\n", block_size=block_size) is not None


@pytest.mark.parametrize("block_size", BLOCK_SIZES)
def test_the_same_pair_twice_is_taken_where_twins_are(block_size: int) -> None:
    text = PLAIN + "q1 Q0 d1 3 1.5 tag\nq1 Q0 d1 4 0.5 tag\n"
    run = read_run(text.encode(), block_size=block_size, twins=True)
    assert run is not None
    assert rows(run) == parsed_slowly(text)


def test_a_query_and_a_document_that_change_places_are_another_pair() -> None:
    assert read("a Q0 b 1 1 t\nb Q0 a 1 1 t\n") is not None


@pytest.mark.parametrize("block_size", BLOCK_SIZES)
def test_a_rank_against_its_score_is_counted_and_its_first_line_kept(block_size: int) -> None:
    text = "q Q0 a 1 9 t\nq Q0 b 2 8 t\nq Q0 c 3 8.5 t\nq Q0 d 4 1 t\nr Q0 a 5 2 t\nr Q0 b 4 1 t\n"
    run = read(text, block_size=block_size)
    assert run is not None
    assert (run.rank_conflicts, run.first_conflict_line) == (2, 3)


@pytest.mark.parametrize("block_size", BLOCK_SIZES)
def test_equal_ranks_equal_scores_and_a_new_query_are_no_conflict(block_size: int) -> None:
    run = read("q Q0 a 1 1 t\nq Q0 b 2 1 t\nq Q0 c 2 9 t\nr Q0 a 3 99 t\n", block_size=block_size)
    assert run is not None
    assert (run.rank_conflicts, run.first_conflict_line) == (0, None)


word = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters=" \n\t\r#\ufeff"),
    min_size=1,
    max_size=15,
)
number = st.floats(allow_nan=False, allow_infinity=False).map(repr) | st.integers(-99, 99).map(str)
line = st.tuples(st.sampled_from(["a", "b", "cc"]), word, word, st.integers(-3, 9).map(str), number, word)


@settings(deadline=None)
@given(
    st.lists(line, min_size=1, max_size=12, unique_by=lambda x: (x[0], x[2])),
    st.integers(1, 90),
    st.booleans(),
)
def test_any_plain_file_gives_the_rows_of_a_plain_parser(
    lines: list[tuple[str, ...]], block_size: int, newline: bool
) -> None:
    text = "\n".join(" ".join(fields) for fields in lines) + "\n" * newline
    run = read(text, block_size=block_size)
    assert run is not None
    assert rows(run) == parsed_slowly(text)
    assert run.doc_hash.tolist() == run.docs.hash().to_list()
    conflicts = conflicting_lines(text)
    assert run.rank_conflicts == len(conflicts)
    assert run.first_conflict_line == (conflicts[0] if conflicts else None)


scraps = [
    " ",
    "\n",
    "\t",
    "  ",
    "q",
    "Q0 ",
    "1",
    ".",
    "2.5",
    "nan",
    " t\n",
    "#",
    "\r",
    ",",
    "e",
    "é",
    "\ufeff",
]
strokes = st.tuples(st.integers(0, len(PLAIN)), st.integers(0, 3), st.sampled_from(scraps))


@settings(deadline=None, max_examples=300)
@given(st.lists(strokes, max_size=4), st.integers(1, 60))
def test_a_damaged_file_gives_none_or_the_rows_of_six_fields_a_line(
    damage: list[tuple[int, int, str]], block_size: int
) -> None:
    text = PLAIN
    for place, erased, scrap in damage:
        text = text[:place] + scrap + text[place + erased :]
    run = read(text, block_size=block_size)
    assert run is None or rows(run) == parsed_slowly(text)


def test_a_query_that_begins_like_a_compressed_stream_is_text_or_left_alone() -> None:
    run = read("x^ Q0 d 1 1 t\n")
    assert run is None or run.query_ids.to_list() == ["x^"]
