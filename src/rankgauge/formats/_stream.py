"""Lines of a file of any size, plain or compressed, one after the other: no more than a chunk is held."""

from __future__ import annotations

import importlib
import os
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from rankgauge.errors import Fault, FormatError, InputError
from rankgauge.formats._bytes import COMPRESSIONS, UTF8_MARK, Progress, _no_file, optional

CHUNK = 1 << 20
LONGEST_LINE = 64 << 20
GZIP_WITH_HEADER = 31


def stream_lines(path: str | os.PathLike[str], *, progress: Progress | None = None) -> Iterator[tuple[int, bytes]]:
    """Number and content of each line, without its end and without a byte order mark.

    `progress` is told how many bytes of the file, as it lies on disk, are read, and how many there are.

    Raises
    ------
    InputError
        For a path that is no file.
    FormatError
        For a compressed file that is cut off or broken, and for a line of more than 64 MiB.
    """
    path, number, rest = Path(path), 0, b""
    for chunk in _chunks(path, progress):
        lines = (rest + chunk).split(b"\n")
        rest = lines.pop()
        for line in lines:
            number += 1
            yield number, _clean(line, number)
        if len(rest) > LONGEST_LINE:
            fault = Fault(f"{path}:{number + 1}", "a line of at most 64 MiB", "a longer one", "is it a file of lines?")
            raise FormatError(fault)
    if rest:
        yield number + 1, _clean(rest, number + 1)


def _clean(line: bytes, number: int) -> bytes:
    return (line.removeprefix(UTF8_MARK) if number == 1 else line).rstrip(b"\r")


def _chunks(path: Path, progress: Progress | None) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            head = file.read(4)
            file.seek(0)
            kind = COMPRESSIONS.get(head) or COMPRESSIONS.get(head[:2])
            raw = _read(file, size, progress)
            yield from raw if kind is None else _unpacked(raw, kind, path)
    except OSError as error:
        raise InputError(_no_file(path, error)) from None


def _read(file: BinaryIO, size: int, progress: Progress | None) -> Iterator[bytes]:
    done = 0
    while part := file.read(CHUNK):
        yield part
        done += len(part)
        if progress is not None:
            progress(done, max(size, done))


def _unpacked(raw: Iterator[bytes], kind: str, path: Path) -> Iterator[bytes]:
    """Unpack frame after frame; a file that ends within one is cut off."""
    make = {"gzip": _gzip, "zstd": _zstd, "lz4": _lz4}[kind]()
    frame, begun = make(), False
    try:
        for part in raw:
            while part:
                yield frame.decompress(part)
                part, begun = b"", True
                if frame.eof:
                    part, begun = (frame.unused_data or b"").lstrip(b"\0" if kind == "gzip" else b""), False
                    frame = make()
    except (zlib.error, RuntimeError, importlib.import_module("zstandard").ZstdError) as error:
        fault = Fault(str(path), f"a {kind} file", f"broken content ({error})", "copy or download it again")
        raise FormatError(fault) from None
    if begun:
        fault = Fault(str(path), f"a whole {kind} file", "a truncated file", "copy or download it again")
        raise FormatError(fault)


def _gzip() -> Callable[[], Any]:
    return lambda: zlib.decompressobj(wbits=GZIP_WITH_HEADER)


def _zstd() -> Callable[[], Any]:
    make: Callable[[], Any] = importlib.import_module("zstandard").ZstdDecompressor().decompressobj
    return make


def _lz4() -> Callable[[], Any]:
    make: Callable[[], Any] = optional("lz4.frame", "reading .lz4").LZ4FrameDecompressor
    return make
