"""Text files of a dataset as a stream: uncompressed on the way, cut between rows, never whole in memory."""

from __future__ import annotations

import gzip
import importlib
import io
import zlib
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import IO, Any

import numpy as np

from rankgauge.errors import Fault, FormatError
from rankgauge.formats import _dataset_remote as remote
from rankgauge.formats._bytes import COMPRESSIONS, UTF8_MARK, UTF16_MARKS
from rankgauge.formats._dataset_remote import Found

CHUNK = 16 << 20
LONGEST_ROW = 256 << 20

Cut = Callable[[bytes], int]


def count(data: bytes, letter: bytes) -> int:
    """How often a letter of one byte stands in the data; faster than `bytes.count` where it is frequent.

    >>> count(b"a,b,c", b",")
    2
    """
    return int(np.count_nonzero(np.frombuffer(data, dtype=np.uint8) == letter[0]))


class Text:
    """A text file, plain or compressed with gzip or zstd, read from the first byte to the last.

    `line` is the number of the line that comes next; `share` how much of the file was read, in [0, 1].
    """

    def __init__(self, file: Found) -> None:
        self.file = file
        self.line = 1
        self._rest = b""
        self._counted = _Counted(remote.opened(file.path))
        self._raw = io.BufferedReader(self._counted, 1 << 20)
        self._stream = self._plain()
        first = self._read(CHUNK)
        if first.startswith(UTF16_MARKS):
            raise FormatError(Fault(file.path, "UTF-8 text", "UTF-16", "save it as UTF-8"))
        self._rest = first.removeprefix(UTF8_MARK)

    def __enter__(self) -> Text:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._raw.close()

    @property
    def share(self) -> float:
        """How much of the file was read, in [0, 1]; 0 where its size is not known."""
        return min(1.0, self._counted.count / self.file.size) if self.file.size else 0.0

    def at(self, line: int) -> str:
        """Name a line."""
        return f"{self.file.path}:{line}"

    def chunk(self, cut: Cut) -> bytes:
        """Whole rows, about `CHUNK` bytes, b"" at the end; `cut` says where the last row ends, 0 for nowhere."""
        data = self._rest if len(self._rest) >= CHUNK else self._rest + self._read(CHUNK)
        while (end := cut(data)) == 0 and (more := self._read(CHUNK)):
            data += more
            if len(data) > LONGEST_ROW:
                got = f"one of more than {LONGEST_ROW >> 20} MiB"
                raise FormatError(Fault(self.at(self.line), "rows that end", got, "is a quote left open?"))
        end = end or len(data)
        self._rest = data[end:]
        return data[:end]

    def lines(self, data: bytes) -> Iterator[bytes]:
        """The lines of a chunk, then those that follow it in the file, each with its end."""
        yield from io.BytesIO(data)
        while line := self._line():
            yield line

    def head(self) -> bytes:
        """The first line that is not blank; it is taken from the stream."""
        while line := self._line():
            self.line += 1
            if line.strip():
                return line
        return b""

    def _line(self) -> bytes:
        while (end := self._rest.find(b"\n") + 1) == 0 and (more := self._read(CHUNK)):
            self._rest += more
        end = end or len(self._rest)
        line, self._rest = self._rest[:end], self._rest[end:]
        return line

    def _read(self, size: int) -> bytes:
        try:
            found: bytes = self._stream.read(size)
            return found
        except (OSError, EOFError, zlib.error, ValueError) as error:
            raise self._cut_off(error) from None
        except Exception as error:  # zstandard's own error derives from Exception alone
            if type(error).__name__ != "ZstdError":
                raise
            raise self._cut_off(error) from None

    def _cut_off(self, error: Exception) -> FormatError:
        said = str(error)[:120] or type(error).__name__
        return FormatError(Fault(self.file.path, "a whole file", f"a cut-off or broken one ({said})", "fetch it again"))

    def _plain(self) -> Any:
        start = self._raw.peek(4)[:4]
        kind = COMPRESSIONS.get(start) or COMPRESSIONS.get(start[:2])
        if kind == "gzip":
            return gzip.GzipFile(fileobj=self._raw)
        return _Zstd(self._raw) if kind == "zstd" else self._raw


class _Counted(io.RawIOBase):
    """A file's bytes, and how many of them were read."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file, self.count = file, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self.file.read(len(buffer))
        buffer[: len(data)] = data
        self.count += len(data)
        return len(data)

    def close(self) -> None:
        self.file.close()
        super().close()


class _Zstd:
    """Uncompressed bytes of a zstd file, which may have several frames; a cut-off one is an error."""

    def __init__(self, raw: IO[bytes]) -> None:
        self._raw = raw
        self._new = importlib.import_module("zstandard").ZstdDecompressor().decompressobj
        self._frame: Any = None
        self._ready = bytearray()

    def read(self, size: int) -> bytes:
        while len(self._ready) < size and (data := self._raw.read(1 << 17)):
            while data:
                self._frame = self._frame or self._new()
                self._ready += self._frame.decompress(data)
                data = self._frame.unused_data or b""
                self._frame = None if self._frame.eof else self._frame
        if self._frame is not None and len(self._ready) < size:
            raise EOFError("the last frame does not end")
        found = bytes(self._ready[:size])
        del self._ready[:size]
        return found
