"""What the checks look at: judgments, runs, measures and texts, with what several checks need worked out once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from rankgauge.checkup.limits import CheckupLimits
from rankgauge.conventions import convention
from rankgauge.engines.memory import judge, judgments
from rankgauge.engines.ranking import match, query_numbers
from rankgauge.judged import BoolArray, FloatArray, IntArray, JudgedRun, Judgments
from rankgauge.measures import Measure
from rankgauge.records import Note, Qrels, Run

USUAL_CUTOFF = 10
PLAIN = r"^(?:[1-9][0-9]{0,14}|[a-pr-z][a-z0-9_.:#/-]{8,150}[a-z1-9_:#/-])$"
"""Ids that no check of ids has anything to say about; most ids of large collections are like this."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """Everything that was given to a checkup.

    Attributes
    ----------
    qrels, runs, measures, limits : as given, the measures with the convention's defaults
    queries, texts : frames with the columns id and text, or None
    """

    qrels: Qrels
    runs: tuple[Run, ...]
    measures: tuple[Measure, ...]
    limits: CheckupLimits
    queries: pl.DataFrame | None = None
    texts: pl.DataFrame | None = None

    @cached_property
    def flat(self) -> Qrels:
        """The judgments, one row per document."""
        return self.qrels.flat

    @cached_property
    def known(self) -> Judgments:
        """The judgments as measures know them."""
        return judgments(self.qrels)

    @property
    def Q(self) -> int:
        """Number of judged queries."""
        return len(self.flat.queries)

    @cached_property
    def relevant(self) -> IntArray:
        """Number of relevant documents of each query, int64[Q]."""
        return self.per_query(self.flat.grades >= self.limits.level)

    @cached_property
    def non_relevant(self) -> IntArray:
        """Number of documents judged non-relevant of each query, int64[Q]; negative grades do not count."""
        return self.per_query((self.flat.grades >= 0) & (self.flat.grades < self.limits.level))

    def per_query(self, mask: BoolArray) -> IntArray:
        """Count the judgments that the mask picks, per query, int64[Q]."""
        return np.bincount(self.flat.row_query[mask], minlength=self.Q).astype(np.int64)

    @cached_property
    def pairs(self) -> pl.DataFrame:
        """One row per judgment: query, doc, grade."""
        return self.flat.to_polars()

    @cached_property
    def cutoff(self) -> int:
        """How many results count as the first ones: the first cutoff among the measures, else 10."""
        return next((m.cutoff for m in self.measures if m.cutoff is not None), USUAL_CUTOFF)

    @cached_property
    def judged(self) -> tuple[JudgedRun, ...]:
        """Every run with its documents replaced by their judgments."""
        return tuple(judge(self.qrels, run, known=self.known) for run in self.runs)

    @cached_property
    def numbers(self) -> tuple[IntArray, ...]:
        """Per run, the number in the judgments of each of its queries, -1 for one without judgments."""
        return tuple(query_numbers(self.flat, run) for run in self.runs)

    @cached_property
    def returned(self) -> tuple[IntArray, ...]:
        """Per run, the rows of the flat judgments whose document it returned."""
        pairs = zip(self.runs, self.numbers, strict=True)
        return tuple(match(self.flat, run, numbers).judgment for run, numbers in pairs)

    @cached_property
    def values(self) -> FloatArray:
        """Value of every run, measure and query, float64[runs, measures, Q]; NaN where undefined."""
        found = [[measure.of(judged) for measure in self.measures] for judged in self.judged]
        return np.array(found, dtype=np.float64).reshape(len(self.runs), len(self.measures), self.Q)

    @cached_property
    def query_ids(self) -> pl.Series:
        """Every query id of judgments and runs, once."""
        return pl.concat([self.flat.queries.rename("id"), *(r.queries.rename("id") for r in self.runs)]).unique()

    @cached_property
    def judged_ids(self) -> pl.Series:
        """Every judged document id, once."""
        return self.flat.docs.unique().rename("id")

    @cached_property
    def returned_ids(self) -> tuple[pl.Series, ...]:
        """Per run, its document ids, each once."""
        return tuple(_once(run.docs.rename("id"), pl.Series(run.doc_hash)) for run in self.runs)

    @cached_property
    def doc_ids(self) -> pl.Series:
        """Every document id of judgments and runs, once."""
        ids = pl.concat([self.judged_ids, *self.returned_ids])
        return _once(ids, ids.hash())

    @cached_property
    def odd_ids(self) -> dict[str, pl.Series]:
        """Ids of queries and of documents that are not plain, each once."""
        return {"query": odd(self.query_ids), "document": odd(self.doc_ids)}

    def name(self, number: int) -> str:
        """Id of a judged query."""
        return str(self.flat.queries[int(number)])

    def names(self, mask: BoolArray) -> list[str]:
        """Ids of the judged queries that the mask picks, bool[Q]."""
        return self.flat.queries.filter(pl.Series(mask)).to_list()

    def first_docs(self, run: int, query: str, depth: int) -> list[str]:
        """The first documents that a run returned for a query, in order."""
        given = self.runs[run]
        at = given.queries.index_of(query)
        if at is None:
            return []
        rows = np.arange(given.offsets[at], given.offsets[at + 1])
        return given.only(rows, Note("one query", len(rows), "one query")).ranked().docs[:depth].to_list()


def odd(ids: pl.Series) -> pl.Series:
    """Keep the ids that are not plain."""
    return ids.filter(~ids.str.contains(PLAIN))


def _once(ids: pl.Series, hashes: pl.Series) -> pl.Series:
    """Keep each id once, told apart by 64-bit hashes: with ten million ids the chance to lose one is below 1e-5."""
    return ids.gather(hashes.arg_unique())


def default_measures(measures: tuple[Measure, ...]) -> tuple[Measure, ...]:
    """Give measures the default convention's choices where they make none."""
    return tuple(measure.under(convention("default")) for measure in measures)
