"""A learned second stage on the queries it was trained on: each is scored by a model that has not seen it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rankgauge.engines.parts import whole
from rankgauge.records._columns import FloatArray
from rankgauge.retrieval._digest import digest
from rankgauge.retrieval.alike import LIKE, alike
from rankgauge.retrieval.ltr import LambdaMART, Model, Trees, folds_of, train
from rankgauge.retrieval.ltr_table import Table
from rankgauge.retrieval.rerank import Candidates

FOLDS = "folds.json"


@dataclass(frozen=True, eq=False)
class Folds:
    """Models of the folds, each trained without its own fold.

    Attributes
    ----------
    fold : number of the fold of each training query, by a hash of its text; queries that say nearly the
        same are in one fold
    """

    models: tuple[Model, ...]
    fold: Mapping[str, int]

    @classmethod
    def trained(
        cls, table: Table, texts: Mapping[str, str], *, folds: int = 5, trees: Trees | None = None, like: float = LIKE
    ) -> Folds:
        """Train a model per fold; queries that share so many of their words (`like`) go together.

        Raises MethodError for fewer than two folds, or fewer queries than folds; such that are alike count as one.
        """
        trees = trees or Trees()
        groups = alike({query: texts[query] for query in table.queries}, limit=like)
        distinct = list(dict.fromkeys(groups.values()))
        fold = dict(zip(distinct, folds_of(len(distinct), folds, trees.seed).tolist(), strict=True))
        numbers = np.array([fold[groups[query]] for query in table.queries])
        models = [train(table.only(np.flatnonzero(numbers != number).tolist()), trees) for number in range(folds)]
        keys = [digest(texts[query]) for query in table.queries]
        return cls(tuple(models), dict(zip(keys, numbers.tolist(), strict=True)))

    def scores(self, table: Table, texts: Mapping[str, str]) -> FloatArray:
        """Scores float64[n] of a table's rows, each by the model that has not seen its query."""
        found = np.empty(len(table), dtype=np.float64)
        for number, query in enumerate(table.queries):
            rows = table.rows(number)
            found[rows] = self.models[self.fold[digest(texts[query])]].scores(table.values[rows])
        return found

    def save(self, folder: str | Path) -> None:
        """Write the models into folders beside the model of all queries, and who is in which fold."""
        place = Path(folder)
        for number, model in enumerate(self.models):
            model.save(place / f"fold-{number}")
        record = {"folds": len(self.models), "fold": dict(self.fold)}
        whole(place / FOLDS, lambda path: path.write_text(json.dumps(record) + "\n"))

    @classmethod
    def load(cls, folder: str | Path) -> Folds | None:
        """Read what `save` wrote, None where nothing was."""
        place = Path(folder)
        if not (place / FOLDS).is_file():
            return None
        record = json.loads((place / FOLDS).read_text("utf-8"))
        return cls(tuple(Model.load(place / f"fold-{number}") for number in range(record["folds"])), record["fold"])


@dataclass(frozen=True, eq=False)
class Unseen:
    """A learned second stage that does not flatter itself: a query it was trained on is scored by another model.

    That model has not seen the query; every other query gets the model of all queries.
    """

    whole: LambdaMART
    folds: Folds

    @property
    def name(self) -> str:
        """The name of the model, with the number of folds: with other folds, scores are others."""
        return f"{self.whole.name}/{len(self.folds.models)}"

    def score(self, candidates: Candidates) -> FloatArray:
        """Score by a model that has not seen the query."""
        number = self.folds.fold.get(digest(candidates.query))
        model = self.whole.model if number is None else self.folds.models[number]
        return model.scores(self.whole.features.of(candidates))
