"""Reading Parquet and Arrow files of a dataset in stretches of rows, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import polars as pl

from rankgauge._extras import optional
from rankgauge.errors import Fault, FormatError, InputError, MissingExtraError
from rankgauge.formats import _dataset_remote as remote
from rankgauge.formats._dataset_columns import Chunk
from rankgauge.formats._dataset_remote import Found
from rankgauge.formats._rows import Faults, Locate

_ROW = "number of the row"  # no column's name


class Frames:
    """One Parquet or Arrow file."""

    def __init__(self, file: Found, kind: str) -> None:
        self.file, self.kind = file, kind

    def names(self) -> list[str]:
        """Names of the columns."""
        return list(self.schema())

    def schema(self) -> Mapping[str, pl.DataType]:
        """Names and types of the columns."""
        with self._named():
            return self._scan().collect_schema()

    def rows(self) -> int:
        """Number of rows, from the file's footer."""
        with self._named():
            return int(self._scan().select(pl.len()).collect().item())

    def at(self, row: int) -> str:
        """Name a row."""
        return f"{self.file.path}, row {row + 1}"

    def chunks(
        self, wanted: Mapping[str, str], *, start: int, rows: int, faults: Faults | None = None
    ) -> Iterator[Chunk]:
        """Stretches of at most `rows` rows from row `start` on, with the columns {name: column}.

        A local file is read stretch by stretch: row groups that lie elsewhere are skipped, and of a larger row
        group no more is decoded than the stretch. An address is read once from end to end, as each stretch would
        fetch its row group again.
        """
        total, done = self.rows(), start
        for frame in self._frames(wanted, start=start, total=total, rows=rows):
            done += len(frame)
            yield Chunk(frame, self._located(done - len(frame)), share=done / total)

    def _frames(self, wanted: Mapping[str, str], *, start: int, total: int, rows: int) -> Iterator[pl.DataFrame]:
        columns = [pl.col(column).alias(name) for name, column in wanted.items()]
        with self._named():
            if not remote.is_remote(self.file.path):
                for first in range(start, total, rows):
                    yield self._scan().select(columns).slice(first, rows).collect()
            elif start < total:
                scan = self._scan().slice(start).select(columns)
                for frame in scan.collect_batches(chunk_size=rows, maintain_order=True, lazy=True):
                    yield from frame.iter_slices(rows)

    def empty_ids(self, wanted: Mapping[str, str], *, most: int) -> list[int]:
        """The first rows without an id in these columns; the footer's statistics save most of the reading."""
        texts = (pl.String, pl.Categorical, pl.Enum)
        schema = self.schema()
        bad = [pl.col(column).is_null() for column in wanted.values()]
        bad += [pl.col(column).cast(pl.String) == "" for column in wanted.values() if schema[column] in texts]
        with self._named():
            scan = self._scan().with_row_index(_ROW).filter(pl.any_horizontal(bad))
            return scan.select(_ROW).head(most).collect()[_ROW].to_list()

    def _located(self, first: int) -> Locate:
        return lambda rows: [self.at(first + row) for row in rows]

    def _scan(self) -> pl.LazyFrame:
        if self.kind == "arrow":
            return pl.scan_ipc(self.file.path, glob=False, hive_partitioning=False)
        return pl.scan_parquet(self.file.path, glob=False, hive_partitioning=False)

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Name the file in what is said of broken content."""
        try:
            yield
        except (InputError, MissingExtraError):
            raise
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError) as error:
            if remote.is_remote(self.file.path) and isinstance(error, OSError):
                raise remote.unreadable(self.file.path, error) from None
            raise _broken(self.file.path, self.kind, error) from None


class FramesOnHDFS(Frames):
    """One Parquet file that polars cannot reach: pyarrow reads it."""

    def schema(self) -> Mapping[str, pl.DataType]:
        """Names and types of the columns."""
        with self._named():
            empty = pl.from_arrow(self._file().schema_arrow.empty_table())
            assert isinstance(empty, pl.DataFrame)
            return empty.schema

    def rows(self) -> int:
        """Number of rows, from the file's footer."""
        with self._named():
            return int(self._file().metadata.num_rows)

    def _frames(self, wanted: Mapping[str, str], *, start: int, total: int, rows: int) -> Iterator[pl.DataFrame]:
        with self._named():
            file = self._file()
            groups, skipped = list(range(file.metadata.num_row_groups)), start
            while groups and skipped >= file.metadata.row_group(groups[0]).num_rows:
                skipped -= file.metadata.row_group(groups.pop(0)).num_rows
            read = file.iter_batches(batch_size=rows, row_groups=groups, columns=list({*wanted.values()}))
            for batch in read if groups else ():
                frame = pl.DataFrame(batch.slice(min(skipped, len(batch))))
                skipped -= len(batch) - len(frame)
                if len(frame):
                    yield frame.select(pl.col(column).alias(name) for name, column in wanted.items())

    def empty_ids(self, wanted: Mapping[str, str], *, most: int) -> list[int]:
        """None are looked for ahead: that would fetch the whole file; reading finds them."""
        return []

    def _file(self) -> Any:
        if self.kind != "parquet":
            raise FormatError(Fault(self.file.path, "a Parquet or a text file on HDFS", self.kind, "write Parquet"))
        parquet = optional("pyarrow.parquet", f"reading {self.file.path}", remote.EXTRA)
        return parquet.ParquetFile(remote.opened_anywhere(self.file.path), pre_buffer=False, buffer_size=1 << 20)


def _broken(path: str, kind: str, error: BaseException) -> FormatError:
    said = (str(error).splitlines() or [type(error).__name__])[0][:120]
    return FormatError(Fault(path, f"a whole {kind} file", f"broken content ({said})", "write or fetch it again"))
