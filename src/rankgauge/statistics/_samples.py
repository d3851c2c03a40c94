"""What all statistics share: reading arrays of per-query values, and drawing resamples in bounded memory.

One seed is drawn from the caller's generator per call, and all random numbers follow from it and the number of
queries. A row's result therefore does not depend on which other rows it was computed with.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankgauge.errors import Fault, InputError, ParameterError
from rankgauge.judged import BoolArray, FloatArray, IntArray

ROUNDING = 1e-12  # values this near to each other differ by rounding only; measures are of the order of 1
BLOCK = 2**21  # numbers held at once in a block of resamples
FEWEST_RESAMPLES = 100

NO_QUERY = "no query"
ONE_QUERY = "one query"
ALL_EQUAL = "all values are equal: {} says nothing"


@dataclass(frozen=True)
class Group:
    """Rows that have values for equally many queries.

    Attributes
    ----------
    places : int64[G], where the rows stand in the caller's array
    rows : float64[G, n], without the queries that have no value
    left_out : number of queries without a value, the same for each row
    """

    places: IntArray
    rows: FloatArray
    left_out: int

    @property
    def n(self) -> int:
        """Number of queries with a value."""
        return int(self.rows.shape[1])


@dataclass(frozen=True)
class Draws:
    """A number of resamples and the seed that they follow from."""

    seed: int
    resamples: int

    def counts(self, n: int) -> Iterator[FloatArray]:
        """Blocks float64[b, n] of a bootstrap: how often each of n queries was drawn, n draws with replacement."""
        rng = np.random.default_rng([self.seed, n])
        for size in _sizes(self.resamples, n):
            drawn = rng.integers(0, n, size=(size, n))
            drawn += np.arange(0, size * n, n)[:, None]
            yield np.bincount(drawn.ravel(), minlength=size * n).reshape(size, n).astype(np.float64)

    def flips(self, n: int) -> Iterator[FloatArray]:
        """Blocks float64[b, n] of a randomization: 1 where a query's difference changes its sign, else 0."""
        rng = np.random.default_rng([self.seed, n])
        for size in _sizes(self.resamples, n):
            bits = np.frombuffer(rng.bytes(-(-size * n // 8)), np.uint8)
            yield np.unpackbits(bits, count=size * n).reshape(size, n).astype(np.float64)


def _sizes(resamples: int, n: int) -> Iterator[int]:
    """Block sizes that add up to the resamples and depend on nothing else than n."""
    most = max(1, BLOCK // n)
    for start in range(0, resamples, most):
        yield min(most, resamples - start)


def draws(rng: np.random.Generator | None, resamples: int) -> Draws:
    """Take one seed from the generator.

    Raises ParameterError without a generator and for fewer than 100 resamples.
    """
    if not isinstance(rng, np.random.Generator):
        raise ParameterError(f"rng: expected a numpy Generator, got {rng!r}; pass rng=np.random.default_rng(SEED)")
    if isinstance(resamples, bool) or resamples != int(resamples) or resamples < FEWEST_RESAMPLES:
        raise ParameterError(f"resamples: expected a whole number of {FEWEST_RESAMPLES} or more, got {resamples!r}")
    return Draws(int(rng.integers(2**63)), int(resamples))


def chunks(rows: FloatArray, *, width: int) -> Iterator[slice]:
    """Ranges of rows such that `width` numbers for each of them fit into a block."""
    size = max(1, 2 * BLOCK // max(width, 1))
    for start in range(0, len(rows), size):
        yield slice(start, start + size)


def as_row(values: npt.ArrayLike, *, what: str = "values") -> FloatArray:
    """float64[1, Q] of one-dimensional values.

    Raises InputError for another shape and for infinite values.
    """
    row = np.asarray(values, dtype=np.float64)
    if row.ndim != 1:
        raise InputError(Fault(what, "one number per query", f"an array of shape {row.shape}", "pass one row"))
    return as_rows(row[None, :], what=what)


def as_rows(values: npt.ArrayLike, *, what: str = "rows") -> FloatArray:
    """float64[K, Q] of two-dimensional values.

    Raises InputError for another shape and for infinite values.
    """
    rows = np.asarray(values, dtype=np.float64)
    if rows.ndim != 2:
        raise InputError(Fault(what, "an array of rows by queries", f"an array of shape {rows.shape}"))
    if np.isinf(rows).any():
        place = np.argwhere(np.isinf(rows))[0].tolist()
        advice = "use NaN for a query without a value"
        raise InputError(Fault(f"{what}{place}", "a finite number or NaN", str(rows[*place]), advice))
    return rows


def present(values: npt.ArrayLike, *, what: str) -> tuple[FloatArray, int]:
    """float64[n] of the values that are there, and how many queries have none."""
    row = as_row(values, what=what)[0]
    there = row[~np.isnan(row)]
    return there, row.size - there.size


def groups(rows: FloatArray) -> Iterator[Group]:
    """Group rows by their number of values; the queries without a value are left out of each row on its own."""
    there = ~np.isnan(rows)
    if there.all():
        if len(rows):
            yield Group(np.arange(len(rows)), rows, 0)
        return
    sizes = np.count_nonzero(there, axis=1)
    for n in np.unique(sizes).tolist():
        places = np.flatnonzero(sizes == n)
        kept = rows[places][there[places]].reshape(len(places), n)
        yield Group(places, kept, rows.shape[1] - n)


def all_equal(rows: FloatArray) -> BoolArray:
    """bool[K]: rows, float64[K, n] with n > 0, whose values differ by rounding only."""
    spread: FloatArray = rows.max(axis=-1) - rows.min(axis=-1)
    return np.asarray(spread <= ROUNDING * np.maximum(1, np.abs(rows).max(axis=-1)))


def one_of(name: str, given: object, known: Iterable[str]) -> None:
    """Raise ParameterError for an option that is none of the known ones."""
    known = tuple(known)
    if given not in known:
        raise ParameterError(f"{name}: expected one of {', '.join(map(repr, known))}, got {given!r}")


def share(name: str, given: float) -> None:
    """Raise ParameterError for a number that is not strictly between 0 and 1."""
    if not 0 < given < 1:
        raise ParameterError(f"{name}: expected a number between 0 and 1, got {given!r}")


def positive(name: str, given: float) -> None:
    """Raise ParameterError for a number that is not above 0 and finite."""
    if not 0 < given < np.inf:
        raise ParameterError(f"{name}: expected a number above 0, got {given!r}")
