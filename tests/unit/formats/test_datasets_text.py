"""Datasets of CSV, TSV and JSON lines: read in pieces that end between rows, every cell as it stands."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rankgauge.errors import EmptyInputError, FormatError, InputError
from rankgauge.formats import _dataset_text
from rankgauge.formats.datasets import open_dataset

Write = Callable[..., Path]
HEAD = "query,doc,rank,grade\n"


def read(path: Path, *, start: int = 0, rows: int = 1000) -> list[tuple[Any, ...]]:
    frames = list(open_dataset(path, holds="log").batches(0, start=start, rows=rows))
    assert all(0 < len(frame) <= rows for frame in frames)
    assert all(list(frame.schema.values()) == [pl.String, pl.String, pl.Int64, pl.Float64] for frame in frames)
    return [row for frame in frames for row in frame.rows()]


@pytest.fixture(params=[7, 40, 16 << 20])
def chunk(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Bytes that are read at a time, so that rows are cut anywhere."""
    monkeypatch.setattr(_dataset_text, "CHUNK", request.param)
    size: int = request.param
    return size


CELLS = [("q1", "007", 1, 3.0), ("q1", "NA", 2, None), ("null", "1e5", 1, 0.5), ("ø", "1.0", 2, 0.0)]
LINES = "q1,007,1,3\nq1,NA,2,\nnull,1e5,1,5e-1\nø,1.0,2,0\n"


@pytest.mark.parametrize(
    "content",
    [
        HEAD + LINES,
        HEAD + LINES.rstrip("\n"),
        "\n\n" + HEAD + "\n" + LINES + "\n\n",
        (HEAD + LINES).replace("\n", "\r\n"),
        "\ufeff" + HEAD + LINES,
        (HEAD + LINES).replace(",", ";"),
        (HEAD + LINES).replace(",", " , "),
        HEAD + LINES.replace("NA", '"NA"').replace("null", '"null"').replace("2,\n", '2,""\n'),
        "text," + HEAD + "".join(f"some text,{line}\n" for line in LINES.splitlines()),
        "text," + HEAD + "".join(f'"a, ""b""\n\n, c",{line}\n' for line in LINES.splitlines()),
    ],
)
def test_cells_of_csv_stay_as_they_stand(chunk: int, file: Write, content: str) -> None:
    assert read(file("log.csv", content)) == CELLS


@pytest.mark.parametrize("start", range(5))
@pytest.mark.parametrize("rows", [1, 3])
def test_text_is_read_from_any_row_on(chunk: int, file: Write, start: int, rows: int) -> None:
    assert read(file("log.csv", HEAD + LINES), start=start, rows=rows) == CELLS[start:]
    lines = [json.dumps(dict(zip(("query", "doc", "rank", "grade"), row, strict=True))) for row in CELLS]
    assert read(file("log.jsonl", "\n".join(lines)), start=start, rows=rows) == CELLS[start:]


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ('"a\nb"', "a\nb"),
        ('"a\r\n\r\nb"', "a\r\n\r\nb"),
        ('"a, b"', "a, b"),
        ('"say ""yes"""', 'say "yes"'),
        ('5" disk', '5" disk'),
        ('5" x 6" disk', '5" x 6" disk'),
        ('"a ""\n"", b"', 'a "\n", b'),
    ],
)
def test_quotes_in_csv_hold_anything(chunk: int, file: Write, cell: str, text: str) -> None:
    rows = "".join(f"{cell},d{number},1,1\n" for number in range(5))
    assert read(file("log.csv", HEAD + rows)) == [(text, f"d{number}", 1, 1.0) for number in range(5)]


ids = st.text(st.sampled_from('ab,"\n\r;\t ø1'), min_size=1, max_size=6).filter(lambda text: text == text.strip(" \t"))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(ids, ids), min_size=1, max_size=12))
def test_csv_that_python_writes_is_read_back(chunk: int, tmp_path: Path, pairs: Sequence[tuple[str, str]]) -> None:
    with (tmp_path / "log.csv").open("w", newline="", encoding="utf-8") as written:
        quoting = csv.QUOTE_ALL if any("\r" in text for pair in pairs for text in pair) else csv.QUOTE_MINIMAL
        writer = csv.writer(written, lineterminator="\n", quoting=quoting)
        writer.writerows([("query", "doc", "rank", "grade"), *((query, doc, 1, "") for query, doc in pairs)])
    assert read(tmp_path / "log.csv") == [(query, doc, 1, None) for query, doc in pairs]


def test_blanks_around_ids_are_taken_off_and_counted(file: Write) -> None:
    found = open_dataset(file("log.csv", HEAD + " q,d ,1,1\nq,e,2,\n"), holds="log").survey()
    assert [(note.kind, note.count) for note in found.notes] == [
        ("blanks", 2),
        ("empty grades", 1),
        ("rank as score", 2),
    ]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("q,d,1,1\nq,e,2\n", r"log.csv:3: expected 4 cells, as in the header, got 3 in \['q', 'e', '2'\]"),
        ("q,d,1,1\nq,e,2,1,1\n", r"log.csv:3: expected 4 cells, as in the header, got 5"),
        ("q,d,1,1,1\nq,e,2\n", r"log.csv:2: expected 4 cells.*\n.*log.csv:3: expected 4 cells"),
        ('"q\n1",d,1,1\n\nq,e,x,1\n', "log.csv:5: expected a number as rank, got 'x'"),
        ("q,d,1.5,1\n", "log.csv:2: expected a whole number as rank, got 1.5"),
        ('q,d,1,"0,5"\n', "log.csv:2: expected a number as grade, got '0,5', which is not a number .decimal comma"),
        ("q,d,1,inf\n", "log.csv:2: expected a finite grade, got inf"),
        ("q,,1,1\n", "log.csv:2: expected a doc id, got none; fill it or remove the row"),
        ("q,d,,\n", "log.csv:2: expected a rank or a grade, got none"),
        ('q,d,1,1\nq,"e,2,1\n', "log.csv:3: expected well-formed CSV"),
        ('q,"d"x,1,1\n', "log.csv:2: expected well-formed CSV"),
    ],
)
def test_rows_that_cannot_be_read_are_named_by_their_line(chunk: int, file: Write, rows: str, message: str) -> None:
    dataset = open_dataset(file("log.csv", HEAD + rows), holds="log")
    with pytest.raises(FormatError, match=message):
        dataset.survey()
    with pytest.raises(FormatError, match=message.split("\\n")[0]):
        list(dataset.batches(0, rows=100))


def test_text_that_is_not_utf8_is_named(chunk: int, file: Write) -> None:
    dataset = open_dataset(file("log.csv", HEAD.encode() + b"q,d,1,1\nq,\xff,2,1\n"), holds="log")
    with pytest.raises(FormatError, match=r"log.csv:3: expected UTF-8 text, got b'q,\\xff,2,1"):
        dataset.survey()
    with pytest.raises(FormatError, match="expected UTF-8 text, got UTF-16"):
        open_dataset(file("other.csv", HEAD.encode("utf-16")), holds="log")


def test_faults_of_a_whole_text_file_are_collected(chunk: int, file: Write) -> None:
    dataset = open_dataset(file("log.csv", HEAD + "q,d,x,1\n" * 150 + "q,d\n"), holds="log")
    with pytest.raises(FormatError) as caught:
        dataset.survey()
    assert (caught.value.total, len(caught.value.faults)) == (151, 100)


def test_a_header_needs_each_name_once(file: Write) -> None:
    with pytest.raises(FormatError, match=r"log\.csv:1: expected one column 'doc', got 2 of it"):
        open_dataset(file("log.csv", "query,doc,doc,rank,grade\n"), holds="log")


def test_columns_may_stand_elsewhere_in_each_file(tmp_path: Path, file: Write) -> None:
    file("logs/a.csv", HEAD + "q,a,1,1\n")
    file("logs/b.csv", "grade,rank,doc,query\n2,1,b,q\n")
    file("logs/c.csv", "")
    dataset = open_dataset(tmp_path / "logs", holds="log")
    assert [frame.rows() for piece in range(3) for frame in dataset.batches(piece, rows=9)] == [
        [("q", "a", 1, 1.0)],
        [("q", "b", 1, 2.0)],
    ]
    found = dataset.survey()
    assert found.pieces == (1, 1, 0)
    assert found.notes[-1].text == "1 files hold no rows"
    file("logs/d.csv", "query,doc,grade\nq,d,1\n")
    with pytest.raises(
        FormatError, match=r"d\.csv: expected the columns 'rank', as in the first file, got 'query', 'do"
    ):
        open_dataset(tmp_path / "logs", holds="log").survey()


def test_only_empty_files_are_an_error(file: Write) -> None:
    for name in ("log.csv", "log.jsonl"):
        with pytest.raises(EmptyInputError, match="expected at least one row, got none in 1 files"):
            open_dataset(file(name, ""), holds="log")


@pytest.mark.parametrize(
    ("row", "query"),
    [
        ("q\td\t1\t1", "q"),
        ('"q"\td\t1\t1', "q"),
        ('"q ""x"""\td\t1\t1', 'q "x"'),
        ('5" disk\td\t1\t1', '5" disk'),
        ('"open\td\t1\t1', '"open'),
        ('"a\nb"\td\t1\t1', "a\nb"),
        ('"a\tb"\td\t1\t1', "a\tb"),
        ("a, b\td\t1\t1", "a, b"),
    ],
)
def test_cells_of_tsv(file: Write, row: str, query: str) -> None:
    content = HEAD.replace(",", "\t") + "x\ty\t1\t\n" + row + "\n"
    assert read(file("log.tsv", content)) == [("x", "y", 1, None), (query, "d", 1, 1.0)]


def zstd_of(content: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(content)


@pytest.mark.parametrize("packed", [gzip.compress, zstd_of])
@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_compressed_text_is_uncompressed_on_the_way(
    chunk: int, file: Write, packed: Callable[[bytes], bytes], suffix: str
) -> None:
    lines = LINES.encode() if suffix == "csv" else b'{"query":"q","doc":"d","rank":1,"grade":2}\n'
    content = packed(HEAD.encode() if suffix == "csv" else b"") + packed(lines)
    assert read(file(f"log.{suffix}.gz", content)) == (CELLS if suffix == "csv" else [("q", "d", 1, 2.0)])
    cut = file(f"cut.{suffix}.zst", content[:-6])
    with pytest.raises(FormatError, match=r"cut.*: expected a whole file, got a cut-off or broken one"):
        open_dataset(cut, holds="log").survey()


def line(**fields: Any) -> str:
    return json.dumps({"query": "q", "doc": "d", "rank": 1, "grade": 1} | fields) + "\n"


@pytest.mark.parametrize(
    ("content", "rows"),
    [
        (line(doc="1e5") + "\n  \n" + line(doc="007", grade=None), [("q", "1e5", 1, 1.0), ("q", "007", 1, None)]),
        (line(doc=7) + line(doc=8), [("q", "7", 1, 1.0), ("q", "8", 1, 1.0)]),
        (line(doc=7) + line(doc="007"), [("q", "7", 1, 1.0), ("q", "007", 1, 1.0)]),
        ('{"query":"q","doc":"d","rank":1}\n' + line(grade=0.1), [("q", "d", 1, None), ("q", "d", 1, 0.1)]),
        (line(doc='\n ,"ø\U0001f600'), [("q", '\n ,"ø\U0001f600', 1, 1.0)]),
        (line(text='"doc": 5, "doc": "x"', more={"doc": 3.5}), [("q", "d", 1, 1.0)]),
        (line(doc=" d "), [("q", " d ", 1, 1.0)]),
        (line(grade=float("nan")), [("q", "d", 1, None)]),
    ],
)
def test_lines_of_json(chunk: int, file: Write, content: str, rows: list[tuple[Any, ...]]) -> None:
    assert read(file("log.jsonl", content)) == rows


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (line(doc=7.0), "expected a doc id in 'doc', got 7.0; write ids as text, in quotes"),
        ('{"query":"q","doc":1e5,"rank":1,"grade":1}\n', "expected a doc id in 'doc', got 100000.0"),
        (line(doc=True), "expected a doc id in 'doc', got True"),
        (line(doc=["d"]), r"expected a doc id in 'doc', got \['d'\]"),
        (line(doc=None), "expected a doc id, got none"),
        (line(doc=""), "expected a doc id, got none"),
        (line(doc="\ud800"), "expected a doc id in 'doc', got '.ud800'"),
        (line(rank="1"), "expected a number as rank in 'rank', got '1'; write it without quotes"),
        (line(grade=True), "expected a number as grade in 'grade', got True"),
        (line(rank=1.5), "expected a whole number as rank, got 1.5"),
        (
            '{"query":"q","doc":"d","doc":"e","rank":1,"grade":1}\n',
            "expected each key once in an object, got 'doc' twice",
        ),
        ('{"query":"q"\n', "expected a JSON object, got Expecting ',' delimiter at column 13"),
        ("[1]\n", "expected a JSON object, got list .1."),
        ('{"query":"\\x"}\n', "expected a JSON object, got Invalid .escape"),
    ],
)
def test_bad_lines_of_json_are_named(chunk: int, file: Write, bad: str, message: str) -> None:
    dataset = open_dataset(file("log.jsonl", line() + "\n" + bad + line()), holds="log")
    with pytest.raises(InputError, match=r"log\.jsonl:3: " + message):
        dataset.survey()


def test_json_that_is_no_json_is_an_error_at_once(file: Write) -> None:
    with pytest.raises(FormatError, match=r"log\.jsonl:1: expected a JSON object"):
        open_dataset(file("log.jsonl", "query,doc\n"), holds="log")


def test_progress_in_text_follows_the_bytes(file: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_dataset_text, "CHUNK", 1 << 21)
    path = file("log.csv", HEAD + "q,d,1,1\n" * 1_000_000)
    told: list[int] = []
    open_dataset(path, holds="log").survey(lambda done, total: told.append(done * 100 // total))
    assert told == sorted(told)
    assert told[-1] == 100
    assert len(told) > 2


def test_a_quote_that_is_left_open_does_not_fill_the_memory(file: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_dataset_text, "CHUNK", 100)
    monkeypatch.setattr(_dataset_text, "LONGEST_ROW", 1000)
    path = file("log.csv", HEAD + 'q,"d,1,1\n' + "q,d,1,1\n" * 1000)
    with pytest.raises(
        FormatError, match=r"log\.csv:2: expected rows that end, got one of more than .*is a quote left open"
    ):
        open_dataset(path, holds="log").survey()
    assert io.BytesIO(path.read_bytes()).readline() == HEAD.encode()
