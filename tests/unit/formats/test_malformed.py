"""Pairs with one defect each: what trec_eval and its heirs accept, misread or refuse without a line."""

import pytest

from rankgauge.errors import DuplicateError, EmptyInputError, FormatError
from rankgauge.formats import read_qrels, read_run

QRELS = b"1 0 a 0\n1 0 b 1\n2 0 a 1\n2 0 c 0\n"
RUN = b"1 Q0 a 1 3.0 t\n1 Q0 b 2 2.0 t\n2 Q0 a 1 3.0 t\n2 Q0 c 2 2.0 t\n"
JUDGED = {"1": {"a": 0, "b": 1}, "2": {"a": 1, "c": 0}}
FOUND = {"1": {"a": 3, "b": 2}, "2": {"a": 3, "c": 2}}
MARK = b"\xef\xbb\xbf"


@pytest.mark.parametrize(
    ("qrels", "run", "judged", "found"),
    [
        pytest.param(QRELS, RUN, JUDGED, FOUND, id="ok"),
        pytest.param(QRELS + b"\n", RUN[:30] + b"\n" + RUN[30:] + b"\n\n", JUDGED, FOUND, id="blank"),
        pytest.param(MARK + QRELS, MARK + RUN, JUDGED, FOUND, id="bom"),
        pytest.param(b"# c\n" + QRELS, b"# c\n" + RUN, JUDGED, FOUND, id="comment"),
        pytest.param(QRELS.replace(b"\n", b"\r\n"), RUN.replace(b"\n", b"\r\n"), JUDGED, FOUND, id="crlf"),
        pytest.param(QRELS, b"".join(RUN.splitlines(True)[i] for i in (0, 2, 1, 3)), JUDGED, FOUND, id="inter"),
        pytest.param(QRELS, b"9 Q0 a 1 3.0 t\n", JUDGED, {"9": {"a": 3}}, id="noover"),
        pytest.param(QRELS.replace(b"b 1", b"b 1.5"), RUN, {**JUDGED, "1": {"a": 0, "b": 1.5}}, FOUND, id="qfloat"),
        pytest.param(QRELS.replace(b"b 1", b"b 1.0"), RUN, JUDGED, FOUND, id="qfloat0"),
    ],
)
def test_a_pair_that_can_be_read_for_sure_is_read_right(file, qrels, run, judged, found):
    assert read_qrels(file("q", qrels)).to_dict() == judged
    assert read_run(file("r", run)).to_dict() == found


@pytest.mark.parametrize(
    ("content", "error", "message"),
    [
        pytest.param(b"", EmptyInputError, "q: .*holds no judgments", id="empty"),
        pytest.param(b"1 a 0\n1 b 1\n2 a 1\n", FormatError, "q:1: expected 4 fields.*got 3 .*'1 a 0'; add", id="q3col"),
        pytest.param(QRELS.replace(b"b 1", b"b x"), FormatError, "q:2: expected a number.*'x'", id="qbadgrade"),
        pytest.param(QRELS + b"2 0 a 0\n", DuplicateError, "q:3 and .*q:5: .*'2'.*'a'.*grades 1, 0; decide", id="qdup"),
        pytest.param(b"query-id 0 corpus-id score\n" + QRELS, FormatError, "q:1: .*header line; remove", id="qheader"),
        pytest.param(RUN, FormatError, "q:1: .*looks like a run: were the two files swapped", id="swapped"),
    ],
)
def test_qrels_that_cannot_be_read_for_sure_are_refused_with_the_place(file, content, error, message):
    with pytest.raises(error, match=message):
        read_qrels(file("q", content))


@pytest.mark.parametrize(
    ("content", "error", "message"),
    [
        pytest.param(b"", EmptyInputError, "r: .*holds no results", id="emptyrun"),
        pytest.param(RUN + b"2 Q0 \xe9 3 1.0 t\n", FormatError, r"r:5: expected UTF-8.*b'\\xe9'.*iconv", id="latin"),
        pytest.param(RUN.replace(b"b 2 2.0 t", b"b 2 2.0"), FormatError, "r:2: .*got 5 in '1 Q0 b 2 2.0'", id="r5col"),
        pytest.param(RUN.replace(b"b 2 2.0 t", b"b 2 2.0 t x"), FormatError, "r:2: .*got 7 in '1 Q0 b", id="r7col"),
        pytest.param(RUN.replace(b"b 2 2.0", b"b 2 abc"), FormatError, "r:2: .*'abc', which is not", id="rbadscore"),
        pytest.param(RUN.replace(b"b 2 2.0", b"b 2 2,5"), FormatError, r"r:2: .*'2,5'.*decimal comma\?", id="rcomma"),
        pytest.param(RUN + b"2 Q0 a 3 1.0 t\n", DuplicateError, "r:3 and .*r:5: .*'2'.*'a'.*scores 3, 1", id="rdup"),
        pytest.param(
            RUN.replace(b"b 2 2.0", b"b 2 nan"), FormatError, "r:2: expected a finite score.*'nan'", id="rnan"
        ),
        pytest.param(QRELS, FormatError, "r:1: .*look like judgments: were the two files swapped", id="swapped"),
    ],
)
def test_a_run_that_cannot_be_read_for_sure_is_refused_with_the_place(file, content, error, message):
    with pytest.raises(error, match=message):
        read_run(file("r", content))
