"""Lines of files of any size."""

from __future__ import annotations

import gzip

import pytest
import zstandard

from rankgauge.errors import FormatError
from rankgauge.formats import _stream
from rankgauge.formats._stream import stream_lines

TEXT = b"\xef\xbb\xbfone\r\n\ntwo " + b"x" * 100 + b"\nthree"
LINES = [(1, b"one"), (2, b""), (3, b"two " + b"x" * 100), (4, b"three")]
PACKS = {"plain": bytes, "gzip": gzip.compress, "zstd": zstandard.compress}


@pytest.mark.parametrize("chunk", [3, 1 << 20])
@pytest.mark.parametrize("pack", PACKS.values(), ids=PACKS)
def test_lines_are_the_same_in_chunks_of_any_size(tmp_path, monkeypatch, pack, chunk):
    monkeypatch.setattr(_stream, "CHUNK", chunk)
    (tmp_path / "file").write_bytes(pack(TEXT))
    assert list(stream_lines(tmp_path / "file")) == LINES


@pytest.mark.parametrize("chunk", [3, 1 << 20])
@pytest.mark.parametrize("pack", ["gzip", "zstd"])
def test_several_compressed_files_in_one_are_read(tmp_path, monkeypatch, pack, chunk):
    monkeypatch.setattr(_stream, "CHUNK", chunk)
    (tmp_path / "file").write_bytes(PACKS[pack](TEXT[:9]) + PACKS[pack](TEXT[9:]))
    assert list(stream_lines(tmp_path / "file")) == LINES


@pytest.mark.parametrize("pack", ["gzip", "zstd"])
def test_a_cut_off_file_is_refused(tmp_path, pack):
    (tmp_path / "file").write_bytes(PACKS[pack](TEXT)[:-9])
    with pytest.raises(FormatError, match=f"expected a whole {pack} file, got a truncated file"):
        list(stream_lines(tmp_path / "file"))


@pytest.mark.parametrize("pack", ["gzip", "zstd"])
def test_a_broken_file_is_refused(tmp_path, pack):
    data = bytearray(PACKS[pack](TEXT))
    data[8:14] = b"\xff" * 6
    (tmp_path / "file").write_bytes(data)
    with pytest.raises(FormatError, match=f"{pack} file"):
        list(stream_lines(tmp_path / "file"))


def test_a_line_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(_stream, "LONGEST_LINE", 50)
    monkeypatch.setattr(_stream, "CHUNK", 40)
    (tmp_path / "file").write_bytes(b"a\n" + b"x" * 200)
    with pytest.raises(FormatError, match=r"file:2: expected a line of at most 64 MiB"):
        list(stream_lines(tmp_path / "file"))
