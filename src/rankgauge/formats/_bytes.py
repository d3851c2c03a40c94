"""From a path to bytes and back: compression is known by the first bytes, whatever the file is called."""

from __future__ import annotations

import gzip
import importlib
import io
import os
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from rankgauge._extras import optional
from rankgauge.errors import Fault, FormatError, InputError, did_you_mean

Progress = Callable[[int, int], None]

CHUNK = 8 << 20
GZIP, ZSTD, LZ4 = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\x04\x22\x4d\x18"
COMPRESSIONS = {GZIP: "gzip", ZSTD: "zstd", LZ4: "lz4"}
BINARY_MARKS = (b"PAR1", b"ARROW1", b"\xff\xff\xff\xff", *(bytes([first]) for first in range(0xA0, 0xC0)))
UTF8_MARK, UTF16_MARKS = b"\xef\xbb\xbf", (b"\xff\xfe", b"\xfe\xff")

STEM_SUFFIXES = frozenset(
    ".gz .zst .lz4 .txt .run .res .trec .qrels .qrel .results .tsv .csv .json .jsonl .ndjson .parquet .pq"
    " .arrow .feather .ipc .part".split()
)


@dataclass(frozen=True)
class Source:
    """A file's content, uncompressed, and what to call it in messages."""

    path: Path
    data: bytes
    compression: str | None = None

    @property
    def label(self) -> str:
        """The path as it was given."""
        return str(self.path)

    @property
    def stem(self) -> str:
        """The file's name without the suffixes that only say its format."""
        return stem(self.path)

    @property
    def suffix(self) -> str:
        """The suffix that names the format, in small letters, without that of a compression."""
        suffixes = [s.lower() for s in self.path.suffixes]
        while suffixes and suffixes[-1] in (".gz", ".zst"):
            suffixes.pop()
        return suffixes[-1] if suffixes else ""

    def at(self, line: int) -> str:
        """Name a line of the file.

        >>> Source(Path("bm25.run"), b"").at(17)
        'bm25.run:17'
        """
        return f"{self.path}:{line}"

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Number and content of each line; ends of Unix, Windows and old Macintosh lines are cut off."""
        if b"\n" not in self.data and b"\r" in self.data:
            yield from enumerate(self.data.split(b"\r"), 1)
            return
        for number, line in enumerate(io.BytesIO(self.data), 1):
            yield number, line.rstrip(b"\r\n")


def stem(path: Path) -> str:
    """Take from a file's name the suffixes that only say its format.

    >>> stem(Path("runs/bm25.run.gz"))
    'bm25'
    """
    name = path.name
    while (suffix := Path(name).suffix.lower()) in STEM_SUFFIXES:
        name = name[: -len(suffix)]
    return name or path.name


def load(path: str | os.PathLike[str], *, progress: Progress | None = None) -> Source:
    """Read a file whole, uncompress it, and take off a byte order mark.

    Raises
    ------
    InputError
        For a path that is no file.
    FormatError
        For a compressed file that is cut off or broken: half a run is not a run.
    """
    path = Path(path)
    try:
        with path.open("rb") as file:
            raw = _read(file, os.fstat(file.fileno()).st_size, progress)
    except OSError as error:
        raise InputError(_no_file(path, error)) from None
    compression: str | None = None
    while (kind := COMPRESSIONS.get(raw[:4]) or COMPRESSIONS.get(raw[:2])) is not None:
        raw, compression = _unpack(raw, kind, path), kind
    return Source(path, _unmarked(raw, path), compression)


def _read(file: io.BufferedReader, size: int, progress: Progress | None) -> bytes:
    if progress is None:
        return file.read()
    parts: list[bytes] = []
    done = 0
    while part := file.read(CHUNK):
        parts.append(part)
        done += len(part)
        progress(done, max(size, done))
    return b"".join(parts)


def _no_file(path: Path, error: OSError) -> Fault:
    if path.is_dir():
        return Fault(str(path), "a file", "a folder", "name the file in it")
    if path.exists() or not path.parent.is_dir():
        return Fault(str(path), "a file that can be read", error.strerror or "an error", "check the path")
    near = did_you_mean(path.name, (other.name for other in path.parent.iterdir()))
    return Fault(str(path), "a file", "nothing of that name", near.removeprefix("; ") or "check the path")


def _unpack(raw: bytes, kind: str, path: Path) -> bytes:
    try:
        return {"gzip": gzip.decompress, "zstd": _unzstd, "lz4": _unlz4}[kind](raw)
    except EOFError:
        fault = Fault(str(path), f"a whole {kind} file", "a truncated file", "copy or download it again")
    except (OSError, RuntimeError, zlib.error) as error:
        fault = Fault(str(path), f"a {kind} file", f"broken content ({error})", "copy or download it again")
    raise FormatError(fault)


def _unzstd(raw: bytes) -> bytes:
    zstandard = importlib.import_module("zstandard")
    parts: list[bytes] = []
    while raw:
        frame = zstandard.ZstdDecompressor().decompressobj()
        try:
            parts.append(frame.decompress(raw))
        except zstandard.ZstdError as error:
            raise OSError(str(error)) from None
        if not frame.eof:
            raise EOFError
        raw = frame.unused_data
    return b"".join(parts)


def _unlz4(raw: bytes) -> bytes:
    lz4_frame = optional("lz4.frame", "reading .lz4", "ranx")
    parts: list[bytes] = []
    while raw:
        frame = lz4_frame.LZ4FrameDecompressor()
        parts.append(frame.decompress(raw))
        if not frame.eof:
            raise EOFError
        raw = frame.unused_data or b""
    return b"".join(parts)


def _unmarked(raw: bytes, path: Path) -> bytes:
    if raw.startswith(UTF8_MARK):
        raw = raw[len(UTF8_MARK) :]
    if raw.startswith(UTF16_MARKS) and not raw.startswith(b"\xff\xfe\x00\x00"):
        try:
            return raw.decode("utf-16").encode()
        except UnicodeDecodeError:
            fault = Fault(str(path), "UTF-16 text, as its first bytes say", "other bytes", "save it as UTF-8")
            raise FormatError(fault) from None
    if raw.startswith(BINARY_MARKS):
        return raw
    # Files that were put together keep the mark of each part.
    return raw.replace(b"\n" + UTF8_MARK, b"\n") if b"\n" + UTF8_MARK in raw else raw


def save(path: str | os.PathLike[str], parts: Iterable[bytes]) -> None:
    """Write a file, compressed when it is called .gz or .zst; a failed write leaves no half of a file."""
    path = Path(path)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        _write(part, path.suffix.lower(), parts)
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _write(part: Path, suffix: str, parts: Iterable[bytes]) -> None:
    if suffix == ".gz":
        # No name and no time inside: the same content gives the same bytes.
        with part.open("wb") as file, gzip.GzipFile("", "wb", 6, file, mtime=0) as packed:
            packed.writelines(parts)
    elif suffix == ".zst":
        zstandard = importlib.import_module("zstandard")
        with part.open("wb") as file, zstandard.ZstdCompressor().stream_writer(file) as packed_zst:
            for piece in parts:
                packed_zst.write(piece)
    else:
        with part.open("wb") as file:
            file.writelines(parts)
