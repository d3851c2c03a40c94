"""What a judge said of pairs of query and document, with its source; where it failed there is a reason and no grade."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import polars as pl

from rankgauge.errors import DuplicateError, Fault, InputError
from rankgauge.judges.asking import Failed
from rankgauge.records import Qrels

KEY = ["query", "doc"]
SCHEMA = {"query": pl.String, "doc": pl.String, "grade": pl.Float64, "reason": pl.String}
NOT_A_GRADE = "negative grade"


@dataclass(frozen=True, eq=False)
class JudgeLabels:
    """Labels of one judge.

    Attributes
    ----------
    table : query, doc, grade (null where the judge failed), reason (null where it did not)
    source : what each label is signed with, as "llm:model:prompt-hash"

    >>> given = Qrels.from_dict({"q": {"a": 2}})
    >>> labels = JudgeLabels.from_qrels(given, source="llm:m:1", failed=[("q", "b", "refused")])
    >>> len(labels), labels.failed
    (2, 1)
    """

    table: pl.DataFrame = field(repr=False)
    source: str

    def __post_init__(self) -> None:
        if not self.source.strip():
            raise InputError(Fault("source", "what the labels are signed with", "nothing", "as llm:model:prompt-hash"))
        twice = self.table.filter(pl.struct(KEY).is_duplicated()).unique(KEY, maintain_order=True)
        if len(twice):
            faults = [
                Fault(f"labels of {self.source}, query {q!r}, document {d!r}", "one label", "more")
                for q, d in twice.select(KEY).head(100).rows()
            ]
            raise DuplicateError(faults, total=len(twice))

    def __len__(self) -> int:
        return len(self.table)

    @classmethod
    def from_qrels(
        cls, qrels: Qrels, *, source: str | None = None, failed: Iterable[tuple[str, str, str]] = ()
    ) -> JudgeLabels:
        """Take the labels of a file of judgments; a grade below 0 is how other tools write that there is none.

        Parameters
        ----------
        source : None: "llm:" and the name of the qrels
        failed : query, document and reason of pairs that the judge failed on
        """
        below = pl.col("grade") < 0
        table = qrels.flat.to_polars().select(
            *KEY,
            pl.when(below).then(None).otherwise(pl.col("grade")).alias("grade"),
            pl.when(below).then(pl.lit(NOT_A_GRADE)).alias("reason"),
        )
        rows = [(query, doc, None, reason) for query, doc, reason in failed]
        more = pl.DataFrame(rows, schema=SCHEMA, orient="row")
        return cls(pl.concat([table.cast(pl.Schema(SCHEMA)), more]), source or f"llm:{qrels.name}")

    @classmethod
    def from_grades(cls, pairs: pl.DataFrame, grades: Sequence[float | Failed], *, source: str) -> JudgeLabels:
        """Put the grades, or the failures, beside the pairs that they belong to."""
        if len(pairs) != len(grades):
            raise InputError(Fault("grades", f"one per pair, {len(pairs)}", f"{len(grades)}"))
        given = [None if isinstance(one, Failed) else float(one) for one in grades]
        reasons = [one.reason if isinstance(one, Failed) else None for one in grades]
        columns = [pl.Series("grade", given, pl.Float64), pl.Series("reason", reasons, pl.String)]
        return cls(pairs.select(KEY).with_columns(columns), source)

    @property
    def graded(self) -> pl.DataFrame:
        """Columns query, doc, grade, of the pairs that have one."""
        return self.table.filter(pl.col("grade").is_not_null()).select(*KEY, "grade")

    @property
    def failed(self) -> int:
        """Number of pairs that the judge failed on."""
        return int(self.table["grade"].null_count())

    @property
    def reasons(self) -> dict[str, int]:
        """How often it failed for which reason."""
        counts = self.table.filter(pl.col("grade").is_null()).group_by("reason").len().sort("reason")
        return dict(counts.iter_rows())

    def of(self, pairs: pl.DataFrame) -> JudgeLabels:
        """Keep the labels of these pairs."""
        kept = self.table.join(pairs.select(KEY).unique(), on=KEY, how="semi", maintain_order="left")
        return JudgeLabels(kept, self.source)


@dataclass(frozen=True, eq=False)
class Overlap:
    """Pairs that people and the judge both labelled.

    Attributes
    ----------
    table : query, doc, human, judge; a human grade below 0 (junk) counts as 0
    failed : pairs with a human label that the judge failed on
    unasked : pairs with a human label that the judge was not asked about
    """

    table: pl.DataFrame = field(repr=False)
    failed: int
    unasked: int

    def __len__(self) -> int:
        return len(self.table)


def overlap(human: Qrels, labels: JudgeLabels) -> Overlap:
    """Put people's labels beside the judge's; -1 in the human ones is no label."""
    people = judged(human).select(*KEY, human=pl.col("grade").clip(0))
    both = people.join(labels.table.select(*KEY, judge="grade"), on=KEY, how="inner", maintain_order="left")
    table = both.filter(pl.col("judge").is_not_null())
    return Overlap(table, len(both) - len(table), len(people) - len(both))


def judged(human: Qrels) -> pl.DataFrame:
    """Columns query, doc, grade of what people judged: -1 says that a document was pooled and not judged."""
    return human.flat.to_polars().filter(pl.col("grade") != -1)
