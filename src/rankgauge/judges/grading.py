"""The relevance judge as a grader that probes can ask in other ways."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rankgauge.judges.probes import Grade, Pair, Variant
from rankgauge.judges.relevance import Order, RelevanceJudge

BATCH = 5


@dataclass(frozen=True)
class Grader:
    """Grades pairs of texts by a judge, as a variant wants it.

    Attributes
    ----------
    batch : passages per call where the variant wants them together
    """

    judge: RelevanceJudge
    batch: int = BATCH

    def __call__(self, pairs: Sequence[Pair], variant: Variant) -> list[Grade]:
        """One grade, or a failure, per pair."""
        batch = max(self.batch, self.judge.batch) if variant.batched else 1
        expected = self.judge.expected and batch == 1
        order: Order = "descending" if variant.falling else "ascending"
        judge = replace(self.judge, batch=batch, expected=expected, order=order)
        ids = [(pair.query_id, str(number)) for number, pair in enumerate(pairs)]
        queries = {pair.query_id: pair.question for pair in pairs}
        texts = {str(number): pair.passage for number, pair in enumerate(pairs)}
        found = judge.grade(ids, queries, texts, sample=variant.sample)
        return [found.grades[one] if one in found.grades else found.failed[one] for one in ids]
