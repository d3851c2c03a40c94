"""A learned second stage on the queries it was trained on: each is scored by a model that has not seen it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from rankgauge.records._columns import FloatArray
from rankgauge.retrieval.features import Features
from rankgauge.retrieval.ltr import Model, Trees, folds_of, train
from rankgauge.retrieval.ltr_table import Table
from rankgauge.retrieval.rerank import Candidates


@dataclass(frozen=True, eq=False)
class Unseen:
    """Models of the folds, each trained without its fold: what a sweep over training queries may use.

    Attributes
    ----------
    fold : number of the fold of each query, by its text; a text that is not here was seen by no model
    """

    models: tuple[Model, ...]
    fold: Mapping[str, int]
    features: Features
    name: str = "lambdamart"

    @classmethod
    def trained(
        cls, table: Table, texts: Mapping[str, str], features: Features, *, folds: int = 5, trees: Trees | None = None
    ) -> Unseen:
        """Train a model per fold; queries of one text are in one fold.

        Raises MethodError for fewer than two folds, or fewer texts than folds.
        """
        trees = trees or Trees()
        asked = [texts[query] for query in table.queries]
        distinct = list(dict.fromkeys(asked))
        fold = dict(zip(distinct, folds_of(len(distinct), folds, trees.seed).tolist(), strict=True))
        numbers = np.array([fold[text] for text in asked])
        models = [train(table.only(np.flatnonzero(numbers != number).tolist()), trees) for number in range(folds)]
        return cls(tuple(models), fold, features)

    def score(self, candidates: Candidates) -> FloatArray:
        """Score by the model that has not seen the query."""
        model = self.models[self.fold.get(candidates.query, 0)]
        return model.scores(self.features.of(candidates))
