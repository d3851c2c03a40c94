"""Logs of any columns and any size, as frames that are not read until something is asked of them."""

from __future__ import annotations

import os

import polars as pl

from rankgauge.errors import Fault, InputError
from rankgauge.formats import _dataset_files as files

Source = str | os.PathLike[str] | pl.DataFrame | pl.LazyFrame


def scan(source: Source, *, format: str | None = None, label: str = "frame") -> tuple[str, pl.LazyFrame]:
    """Name and rows of a table: files on a disk, or a frame of polars.

    Parameters
    ----------
    source : Parquet, Arrow, CSV, TSV or JSON lines (path, folder or glob), or a frame
        Columns of CSV and TSV are text.
    format : where the suffix does not tell
    label : what a frame is called

    Raises InputError where there are no files, files of several kinds, or an address.
    """
    if isinstance(source, pl.DataFrame | pl.LazyFrame):
        return label, source.lazy()
    named = os.fspath(source)
    found = files.find([files.plain(named)], format)
    if files.scheme_of(found.found[0].path):
        raise InputError(Fault(named, "files on a disk", "an address", "fetch them first"))
    paths = [one.path for one in found.found]
    if found.kind == "parquet":
        return named, pl.scan_parquet(paths, glob=False, hive_partitioning=False)
    if found.kind == "arrow":
        return named, pl.scan_ipc(paths, glob=False, hive_partitioning=False)
    if found.kind == "jsonl":
        return named, pl.scan_ndjson(paths, infer_schema_length=1000)
    separator = "\t" if found.kind == "tsv" else ","
    return named, pl.scan_csv(paths, separator=separator, infer_schema=False, glob=False)
