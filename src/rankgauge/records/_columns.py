"""Columns of ids: from whatever a caller holds to strings, and from rows to groups of one query."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import polars as pl

from rankgauge.errors import Fault, InputError

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
HashArray = npt.NDArray[np.uint64]
UnicodeForm = Literal["NFC", "NFD", "NFKC", "NFKD"]


def frozen(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the same array, closed for writing."""
    array.setflags(write=False)
    return array


def id_text(value: object, where: str) -> str:
    """Turn one id into its string: strings stay as they are, integers are written in digits.

    Raises InputError for floats, booleans, missing and empty ids: "1.0" is not silently "1".
    """
    if isinstance(value, str) and value:
        return value
    if isinstance(value, numbers.Integral) and not isinstance(value, (bool, np.bool_)):
        return str(int(value))
    raise InputError(Fault(where, "an id as text or integer", repr(value), "pass ids as strings"))


def id_column(values: pl.Series, where: str) -> pl.Series:
    """Turn a column of ids into strings; floats, booleans, missing and empty ids are refused."""
    if values.dtype in (pl.Categorical, pl.Enum) or values.dtype.is_integer():
        values = values.cast(pl.String)
    if values.dtype != pl.String:
        advice = "cast the column to text: 1.0 is not silently equal to '1'"
        raise InputError(Fault(where, "ids as text or integers", f"a column of {values.dtype}", advice))
    if (missing := values.null_count()) or (missing := int((values.str.len_bytes() == 0).sum())):
        row = int((values.is_null() | (values == "")).arg_max() or 0)
        raise InputError(
            Fault(f"{where}, row {row + 1}", "an id", f"none ({missing} rows lack one)", "remove these rows")
        )
    return values


def in_form(ids: pl.Series, form: UnicodeForm) -> tuple[pl.Series, int]:
    """Bring ids to one Unicode normal form, and count those that changed."""
    normal = in_one_form(ids, form)
    return normal, int((normal != ids).sum())


def in_one_form(ids: pl.Series, form: UnicodeForm) -> pl.Series:
    """Bring ids to one Unicode normal form; only those that are not plain ASCII have more than one."""
    other = ids.str.len_bytes() != ids.str.len_chars()
    if not other.any():
        return ids
    frame = pl.DataFrame({"id": ids, "other": other})
    normal = pl.when("other").then(pl.col("id").str.normalize(form)).otherwise("id")
    return frame.select(normal.alias("id"))["id"].rename(ids.name)


def number_column(values: pl.Series, where: str) -> FloatArray:
    """Turn a column of numbers into float64; text and missing values are refused."""
    if not values.dtype.is_numeric():
        raise InputError(Fault(where, "numbers", f"a column of {values.dtype}", "cast the column to Float64"))
    if missing := values.null_count():
        row = int(values.is_null().arg_max() or 0)
        raise InputError(
            Fault(f"{where}, row {row + 1}", "a number", f"nothing ({missing} rows lack one)", "remove these rows")
        )
    return values.cast(pl.Float64).to_numpy()


@dataclass(frozen=True)
class Unrolled:
    """The content of {query: {doc: number}}: query ids, group borders int64[Q+1], doc ids, numbers float64[n]."""

    queries: list[str]
    offsets: IntArray
    docs: list[str]
    values: FloatArray
    distinct: bool  # the doc ids are the dicts' own keys, so that none can stand twice under a query


def flatten(nested: Mapping[Any, Mapping[Any, Any]], where: str, what: str) -> Unrolled:
    """Unroll {query: {doc: number}}."""
    queries: list[str] = []
    lengths: list[int] = []
    docs: list[Any] = []
    numbers_: list[Any] = []
    for query, found in nested.items():
        if not isinstance(found, Mapping):
            got = type(found).__name__
            raise InputError(Fault(f"{where}, query {query!r}", f"a dict of document to {what}", got))
        queries.append(query if type(query) is str and query else id_text(query, f"{where}, a query id"))
        lengths.append(len(found))
        docs.extend(found)
        numbers_.extend(found.values())
    offsets = np.zeros(len(queries) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    distinct = set(map(type, docs)) <= {str}
    if not distinct:
        docs = [id_text(doc, f"{where}, a document id") for doc in docs]
    try:
        values = np.array(numbers_, dtype=np.float64)
    except (TypeError, ValueError):
        row, bad = next((i, n) for i, n in enumerate(numbers_) if not _is_number(n))
        query = queries[int(np.searchsorted(offsets, row, side="right")) - 1]
        at = f"{where}, query {query!r}, document {docs[row]!r}"
        raise InputError(Fault(at, f"a number as {what}", repr(bad))) from None
    return Unrolled(queries, offsets, docs, values, distinct)


def _is_number(value: object) -> bool:
    return isinstance(value, numbers.Real) or isinstance(value, np.number)


@dataclass(frozen=True)
class Groups:
    """Rows of one query together: ids String[Q], borders int64[Q+1], and the order that brings them so."""

    ids: pl.Series
    offsets: IntArray
    order: IntArray | None  # None: the rows lie grouped already


def segments(column: pl.Series) -> IntArray:
    """Borders int64[S+1] of the stretches of equal neighbours.

    Neighbours are compared by 64-bit hashes: for a hundred million rows the chance that any border
    is missed is below 1e-10.
    """
    if not len(column):
        return np.zeros(1, dtype=np.int64)
    hashes = column.hash().to_numpy()
    borders = np.flatnonzero(hashes[1:] != hashes[:-1]) + 1
    return np.concatenate([[0], borders, [len(column)]]).astype(np.int64)


def grouped(column: pl.Series) -> Groups:
    """Group rows by query, queries in order of their first row, rows of a query in their own order."""
    borders = segments(column)
    return regrouped(column.gather(borders[:-1]), borders)


def regrouped(ids: pl.Series, borders: IntArray) -> Groups:
    """Bring together the stretches that belong to one query."""
    if ids.n_unique() == len(ids):
        return Groups(ids, frozen(borders), None)
    unique = ids.unique(maintain_order=True)
    code_of = pl.DataFrame({"id": unique}).with_row_index("code")
    codes = pl.DataFrame({"id": ids}).join(code_of, on="id", how="left", maintain_order="left")["code"].to_numpy()
    row_codes = np.repeat(codes, np.diff(borders))
    offsets = np.zeros(len(unique) + 1, dtype=np.int64)
    np.cumsum(np.bincount(row_codes, minlength=len(unique)), out=offsets[1:])
    return Groups(unique, frozen(offsets), np.argsort(row_codes, kind="stable"))


def pair_keys(hashes: HashArray, offsets: IntArray, codes: npt.NDArray[Any]) -> HashArray:
    """One 64-bit key per row, uint64[n], from the hash of its document and the number of its query."""
    salt = codes.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    salt ^= salt >> np.uint64(29)
    salt *= np.uint64(0xBF58476D1CE4E5B9)
    result: HashArray = hashes ^ np.repeat(salt, np.diff(offsets))
    return result


def repeated_rows(docs: pl.Series, offsets: IntArray, hashes: HashArray) -> IntArray:
    """Rows, in order, of every (query, document) pair that stands more than once."""
    sizes = np.diff(offsets)
    # Short rankings are sorted one by one much faster than all together.
    if len(sizes) and (sizes == sizes[0]).all() and _differ(hashes.reshape(len(sizes), -1)):
        return np.zeros(0, dtype=np.int64)
    keys = pair_keys(hashes, offsets, np.arange(len(sizes)))
    if _differ(keys):
        return np.zeros(0, dtype=np.int64)
    # np.unique and np.isin take many seconds for millions of keys.
    order = np.argsort(keys)
    same = keys[order[1:]] == keys[order[:-1]]
    rows: IntArray = np.sort(order[np.append(False, same) | np.append(same, False)])
    if _are_pairs(docs, offsets, order[:-1][same], order[1:][same]):
        return rows
    query = query_numbers(offsets, rows)
    table = pl.DataFrame({"row": rows, "query": query, "doc": docs.gather(rows)})
    again = table.filter(pl.len().over("query", "doc") > 1)
    return again["row"].to_numpy().astype(np.int64)


def _differ(keys: HashArray) -> bool:
    """Whether no key stands twice in a row of keys."""
    ordered = np.sort(keys, axis=-1)
    return not (ordered[..., 1:] == ordered[..., :-1]).any()


def _are_pairs(docs: pl.Series, offsets: IntArray, rows: IntArray, others: IntArray) -> bool:
    """Whether all of these rows have the same query and document as the others: no keys are equal by accident."""
    same_query = query_numbers(offsets, rows) == query_numbers(offsets, others)
    return bool(same_query.all()) and bool((docs.gather(rows) == docs.gather(others)).all())


def query_numbers(offsets: IntArray, rows: IntArray) -> IntArray:
    """Number the query of each row."""
    return np.searchsorted(offsets, rows, side="right") - 1


def query_names(ids: pl.Series, offsets: IntArray, rows: IntArray) -> pl.Series:
    """Name the query of each row."""
    return ids.gather(query_numbers(offsets, rows))


def as_frame(data: Any, where: str) -> pl.DataFrame:
    """Accept a polars, pandas or pyarrow table, or an iterable of records, as a polars frame.

    pandas columns keep their own types: integer ids stay integers, objects become text.
    """
    if isinstance(data, pl.LazyFrame):
        return data.collect()
    if isinstance(data, pl.DataFrame):
        return data
    if hasattr(data, "__arrow_c_stream__"):
        return pl.DataFrame(data)
    if isinstance(data, Iterable):
        return pl.DataFrame(list(data), infer_schema_length=None)
    raise InputError(Fault(where, "a polars, pandas or pyarrow table", type(data).__name__))
