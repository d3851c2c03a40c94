"""The files of a dataset: what folders, globs and addresses stand for, which kind they are, and what is in their paths.

Files are taken in the plain byte order of their paths ("part-10" before "part-2"). Left out are files and folders
whose names begin with a dot or an underscore (`_SUCCESS`, `_temporary/`), checksums (`.crc`), and nothing else.
"""

from __future__ import annotations

import datetime
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from urllib.parse import unquote, urlsplit

from rankgauge.errors import EmptyInputError, Fault, InputError, did_you_mean
from rankgauge.formats import _dataset_remote as remote
from rankgauge.formats._dataset_remote import Found
from rankgauge.records.notes import examples

SUFFIXES = {
    ".parquet": "parquet", ".pq": "parquet", ".arrow": "arrow", ".feather": "arrow", ".ipc": "arrow",
    ".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl",
}  # fmt: skip
KINDS = tuple(dict.fromkeys(SUFFIXES.values()))
HOUR = re.compile(r"(\d{4}-\d{2}-\d{2})[T \-_](\d{2})(:?00){0,2}Z?")
NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
_PACKED = (".gz", ".zst")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_WILD = re.compile(r"[*?\[]")


@dataclass(frozen=True)
class Files:
    """Files in order, of one kind; `twice`: how many of them several sources stand for."""

    found: tuple[Found, ...]
    kind: str
    twice: int = 0


def find(sources: Sequence[str], format: str | None) -> Files:
    """Find the files that paths, folders, globs and addresses stand for.

    Raises
    ------
    InputError
        Where there is nothing, or files of several kinds.
    """
    if format is not None and format not in KINDS:
        near = did_you_mean(format, KINDS).removeprefix("; ")
        raise InputError(Fault("format", f"one of {', '.join(KINDS)} for a dataset", repr(format), near))
    every = [one for source in sources for one in _below(source, format)]
    found = {one.path: one for one in every}
    if not found:
        advice = "check the path: names that begin with '.' or '_' are left out"
        raise EmptyInputError(Fault(", ".join(sources) or "the dataset", "at least one file", "none", advice))
    ordered = tuple(found[path] for path in sorted(found, key=os.fsencode))
    return Files(ordered, format or _kind(ordered, sources), len(every) - len(found))


def _below(source: str, format: str | None) -> list[Found]:
    """Files that one source stands for; one that is named outright is taken whatever it is called."""
    if (scheme := scheme_of(source)) is None:
        return list(_local(source))
    if scheme not in remote.SCHEMES:
        raise InputError(Fault(source, f"an address of {', '.join(remote.SCHEMES)}", f"{scheme}://"))
    base, pattern = _parted(source)
    listed = remote.listing(source, base, kind=format or suffix_kind(source))
    if any(one.path == source for one in listed):
        return [one for one in listed if one.path == source]
    return [one for one in listed if _wanted(one.path, base, pattern)]


def scheme_of(source: str) -> str | None:
    """The scheme of an address, None for a local path.

    >>> scheme_of("s3://lake/logs"), scheme_of("logs/day=1")
    ('s3', None)
    """
    return source.partition("://")[0].lower() if _ADDRESS.match(source) else None


def plain(source: str) -> str:
    """A local path for file:// addresses, one spelling of each scheme for the others.

    >>> plain("file:///data/logs"), plain("s3a://lake/logs/")
    ('/data/logs', 's3://lake/logs/')
    """
    scheme = scheme_of(source)
    if scheme == "file":
        return unquote(urlsplit(source).path)
    same = {"s3a": "s3", "s3n": "s3", "gcs": "gs"}.get(scheme or "")
    return source if same is None else same + source[source.index("://") :]


def _parted(source: str) -> tuple[str, str | None]:
    """The folder from which a glob looks, and the glob; of another path, itself."""
    wild = _WILD.search(source)
    if wild is None:
        return source, None
    return source[: source.rindex("/", 0, wild.start()) + 1] if "/" in source[: wild.start()] else "", source


def _local(source: str) -> Iterator[Found]:
    path = Path(source)
    base, pattern = (source, None) if path.exists() else _parted(source)
    if path.is_file():
        yield _stated(source)
    elif Path(base or ".").is_dir():
        for folder, folders, names in os.walk(base or "."):
            folders.sort()
            paths = (os.path.join(folder, name) for name in names)
            yield from (_stated(p) for p in (p if base else p[2:] for p in paths) if _wanted(p, base, pattern))
    else:
        raise InputError(_nothing(path))


def _stated(path: str) -> Found:
    state = os.stat(path)
    return Found(path, state.st_size, str(state.st_mtime_ns))


def _nothing(path: Path) -> Fault:
    beside = path.parent.iterdir() if path.parent.is_dir() else ()
    near = did_you_mean(path.name, (other.name for other in beside))
    return Fault(str(path), "a file, a folder or a glob", "nothing of that name", near[2:] or "check the path")


def _wanted(path: str, base: str, pattern: str | None) -> bool:
    names = [name for name in path[len(base) :].split("/") if name]
    hidden = any(name[0] == "." or (name[0] == "_" and "=" not in name) for name in names)
    return not hidden and not path.endswith(".crc") and (pattern is None or bool(_glob(pattern).fullmatch(path)))


def _glob(pattern: str) -> re.Pattern[str]:
    """A glob as an expression: what it matches, and all that lies below.

    >>> [bool(_glob("logs/d=*").fullmatch(path)) for path in ("logs/d=1", "logs/d=1/a.csv", "logs/e/d=1")]
    [True, True, False]
    """
    parts = re.split(r"(\*\*/|\*\*|\*|\?|\[[^]]+\])", pattern)
    words = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    said = (
        words.get(p) or ("[" + p[1:].replace("!", "^", p[1:2] == "!") if p[:1] == "[" else re.escape(p)) for p in parts
    )
    return re.compile("".join(said).rstrip("/") + "(?:/.*)?", re.DOTALL)


def suffix_kind(path: str) -> str | None:
    """The kind that a file's name says, None for none.

    >>> suffix_kind("logs/a.csv.gz"), suffix_kind("part-0.c000.snappy.parquet"), suffix_kind("README")
    ('csv', 'parquet', None)
    """
    name = path.rsplit("/", 1)[-1].lower()
    stem, suffix = os.path.splitext(name)
    return SUFFIXES.get(os.path.splitext(stem)[1] if suffix in _PACKED else suffix)


def _kind(found: Iterable[Found], sources: Sequence[str]) -> str:
    kinds: dict[str | None, list[str]] = {}
    for one in found:
        kinds.setdefault(suffix_kind(one.path), []).append(one.path)
    if len(kinds) == 1 and None not in kinds:
        return next(kind for kind in kinds if kind)
    got = "; ".join(f"{kind or 'of no known kind'}: {examples(paths)}" for kind, paths in kinds.items())
    advice = f"name the files by a glob, or the kind by format= (--run-format): {', '.join(KINDS)}"
    raise InputError(Fault(", ".join(sources), "files of one kind, known by their suffix", got, advice))


def partitions(path: str) -> dict[str, str]:
    """Keys and values that the folders of a path name, as Hive lays tables out.

    >>> partitions("s3://lake/logs/date=2026-06-26/hour=2026-06-26T13%3A00/part-0.parquet")
    {'date': '2026-06-26', 'hour': '2026-06-26T13:00'}
    """
    parts = (name.partition("=") for name in path.split("/")[:-1])
    return {unquote(key): unquote(value) for key, equals, value in parts if key and equals}


def dated(keys: Sequence[Mapping[str, str]]) -> list[str]:
    """Name the keys whose values are dates, in all paths that have them."""
    values: dict[str, set[str]] = {}
    for name, value in chain.from_iterable(key.items() for key in keys):
        values.setdefault(name, set()).add(value)
    return [name for name, found in values.items() if (known := found - {NO_VALUE}) and all(map(_is_date, known))]


def _is_date(value: str) -> bool:
    """Whether a value is a date as ISO 8601 writes it, alone or with an hour.

    >>> [_is_date(value) for value in ("2026-06-26", "20260626", "2026-06-26T13", "2026-06-26-13", "13", "2026")]
    [True, True, True, True, False, False]
    """
    hour = HOUR.fullmatch(value)
    if hour is not None:
        return int(hour[2]) < 24 and _is_date(hour[1])
    try:
        datetime.date.fromisoformat(value)
    except ValueError:
        return False
    return True
