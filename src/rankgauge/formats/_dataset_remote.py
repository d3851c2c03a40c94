"""Files behind addresses: what lies there, and their bytes; through pyarrow's file systems, or polars alone.

polars reads Parquet and Arrow files of s3, gs and az itself. What it cannot do is list them with sizes and times,
hand out the bytes of text files, or reach HDFS: that is pyarrow's part, which is optional.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import IO, Any

import polars as pl

from rankgauge._extras import optional
from rankgauge.errors import Fault, InputError, MissingExtraError

SCHEMES = ("file", "s3", "gs", "az", "abfs", "abfss", "hdfs", "viewfs")
EXTRA = "remote"
_HDFS = ("hdfs", "viewfs")
_PATH = "path of the file"  # no column's name
_ADVICE = {
    "hdfs": "HDFS needs Java and Hadoop's native client: set JAVA_HOME, HADOOP_HOME, ARROW_LIBHDFS_DIR and CLASSPATH",
    "s3": "check the address and the credentials (AWS_ACCESS_KEY_ID, AWS_REGION, AWS_ENDPOINT_URL, ...)",
    "gs": "check the address and the credentials (GOOGLE_APPLICATION_CREDENTIALS)",
}


@dataclass(frozen=True)
class Found:
    """One file: its path or address, its size in bytes (0 where it is not known), and when it was changed."""

    path: str
    size: int
    modified: str


def on_hdfs(path: str) -> bool:
    """Whether polars cannot read this address."""
    return path.partition("://")[0] in _HDFS


def is_remote(path: str) -> bool:
    """Whether a path is an address."""
    return "://" in path


def unreadable(address: str, error: BaseException) -> InputError:
    """Say that an address cannot be read, with the first line of the reason."""
    scheme = address.partition("://")[0]
    got = (str(error).splitlines() or [type(error).__name__])[0][:200]
    advice = _ADVICE.get("hdfs" if scheme in _HDFS else scheme, "check the address")
    return InputError(Fault(address, "an address that can be read", got, advice))


def file_system(address: str) -> tuple[Any, str]:
    """The file system of an address, and the path in it."""
    systems = optional("pyarrow.fs", f"reading {address}", EXTRA)
    try:
        system, path = systems.FileSystem.from_uri(address)
    except (OSError, ValueError) as error:
        raise unreadable(address, error) from None
    return system, path


def listing(source: str, base: str, *, kind: str | None) -> list[Found]:
    """All files at or below `base`, the part of `source` without wildcards.

    Without pyarrow, polars finds Parquet files by reading their footers; their sizes and times stay unknown.
    """
    try:
        system, path = file_system(base)
    except MissingExtraError:
        if on_hdfs(source) or kind not in (None, "parquet"):
            raise
        return _by_footers(source)
    selector = importlib.import_module("pyarrow.fs").FileSelector(path, recursive=True)
    try:
        own = system.get_file_info([path])[0]
        infos = [own] if own.is_file else system.get_file_info(selector)
    except FileNotFoundError:
        raise InputError(Fault(source, "a file, a folder or a glob", "nothing there", "check the address")) from None
    except OSError as error:
        raise unreadable(source, error) from None
    root = base.rstrip("/")
    inside = len(path.rstrip("/"))
    return [
        Found(root + info.path[inside:], info.size or 0, str(info.mtime_ns or "")) for info in infos if info.is_file
    ]


def _by_footers(source: str) -> list[Found]:
    scan = pl.scan_parquet(
        source, include_file_paths=_PATH, hive_partitioning=False, extra_columns="ignore", missing_columns="insert"
    )
    try:
        rows = scan.group_by(_PATH).len().collect()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise unreadable(source, error) from None
    return [Found(path, 0, f"{count} rows") for path, count in rows.iter_rows()]


def opened(path: str) -> IO[bytes]:
    """Open a local file or an address for reading from its first byte on."""
    if not is_remote(path):
        return open(path, "rb")
    system, inside = file_system(path)
    try:
        stream: IO[bytes] = system.open_input_stream(inside, compression=None)
    except OSError as error:
        raise unreadable(path, error) from None
    return stream


def opened_anywhere(path: str) -> Any:
    """Open an address for reading at any place."""
    system, inside = file_system(path)
    try:
        return system.open_input_file(inside)
    except OSError as error:
        raise unreadable(path, error) from None
