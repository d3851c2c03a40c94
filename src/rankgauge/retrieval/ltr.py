"""LambdaMART: a reranker that is learned from judgments, by LightGBM's boosted trees."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from rankgauge._extras import optional
from rankgauge.engines.parts import whole
from rankgauge.errors import Fault, InputError, MethodError
from rankgauge.records._columns import FloatArray, IntArray
from rankgauge.retrieval.features import Features, column_names
from rankgauge.retrieval.ltr_table import Table
from rankgauge.retrieval.protocols import Hits
from rankgauge.retrieval.rerank import Candidates, reordered

MANIFEST, TREES = "ltr.json", "trees.txt"
FORMAT = 1


@dataclass(frozen=True)
class Trees:
    """How trees are grown (LightGBM's parameters of these names).

    Few, small trees: judged queries are few, and larger ones learn them by heart. The gain of a grade is
    2^grade - 1, as in nDCG; `top` is how far down the list swaps count. With one thread and
    one seed, the same table gives the same model.
    """

    rounds: int = 200
    learning_rate: float = 0.03
    leaves: int = 7
    smallest_leaf: int = 50
    columns: float = 0.8
    rows: float = 0.8
    shrink: float = 1.0
    top: int = 15
    seed: int = 0

    def parameters(self, highest: int) -> dict[str, Any]:
        """LightGBM's names for these."""
        return {
            "objective": "lambdarank", "label_gain": [2**grade - 1 for grade in range(highest + 1)],
            "lambdarank_truncation_level": self.top, "learning_rate": self.learning_rate, "num_leaves": self.leaves,
            "min_data_in_leaf": self.smallest_leaf, "feature_fraction": self.columns, "bagging_fraction": self.rows,
            "bagging_freq": 1 if self.rows < 1 else 0, "lambda_l2": self.shrink, "seed": self.seed,
            "deterministic": True, "force_row_wise": True, "num_threads": 1, "verbosity": -1,
        }  # fmt: skip


@dataclass(frozen=True, eq=False)
class Model:
    """Trees, the names of the columns that they look at, and facts: what they were learned from, and how."""

    booster: Any
    names: tuple[str, ...]
    facts: Mapping[str, Any]

    def scores(self, values: FloatArray) -> FloatArray:
        """Scores float64[n] of rows float64[n, F]."""
        if not len(values):
            return np.zeros(0)
        found: FloatArray = np.asarray(self.booster.predict(values, num_threads=1), dtype=np.float64)
        return found

    @property
    def id(self) -> str:
        """Beginning of the trees' hash: another model has another."""
        return hashlib.sha256(self.booster.model_to_string().encode()).hexdigest()[:12]

    @property
    def gains(self) -> dict[str, float]:
        """How much each column brought, as a share of all."""
        gained = np.asarray(self.booster.feature_importance("gain"), dtype=np.float64)
        return dict(zip(self.names, (gained / (gained.sum() or 1.0)).tolist(), strict=True))

    def save(self, folder: str | Path) -> None:
        """Write the model into a folder, in place of one that is there."""
        place = Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        whole(place / TREES, lambda path: path.write_text(self.booster.model_to_string()))
        record = {"format": FORMAT, "features": list(self.names), **self.facts}
        whole(place / MANIFEST, lambda path: path.write_text(json.dumps(record, indent=2) + "\n"))

    @classmethod
    def load(cls, folder: str | Path) -> Model:
        """Read a model. Raises InputError for a folder without one, or with one of another format."""
        place = Path(folder)
        try:
            record = json.loads((place / MANIFEST).read_text("utf-8"))
            trees = (place / TREES).read_text("utf-8")
        except (OSError, ValueError):
            raise InputError(Fault(str(place), "a trained reranker", "none", "rankgauge train makes one")) from None
        if record.pop("format", None) != FORMAT:
            raise InputError(Fault(str(place), f"a model of format {FORMAT}", "another", "train it again"))
        names = tuple(record.pop("features"))
        lightgbm = _lightgbm()
        try:
            booster = lightgbm.Booster(model_str=trees)
        except lightgbm.basic.LightGBMError as error:
            raise InputError(Fault(str(place / TREES), "LightGBM's trees", str(error), "train it again")) from None
        return cls(booster, names, record)


def is_trained(folder: str | Path) -> bool:
    """Whether a folder holds a trained reranker."""
    return (Path(folder) / MANIFEST).is_file()


def train(table: Table, trees: Trees | None = None) -> Model:
    """Learn from all queries of a table.

    Raises MethodError where no candidate is relevant: there is nothing to learn.
    """
    trees, lightgbm = trees or Trees(), _lightgbm()
    highest = int(table.grades.max(initial=0))
    if highest < 1:
        raise MethodError("training: expected relevant candidates, got none; take more of them, or check the ids")
    data = lightgbm.Dataset(
        table.values, label=table.grades, group=np.diff(table.offsets), free_raw_data=False,
        params={"verbosity": -1, "num_threads": 1},
    )  # fmt: skip
    booster = lightgbm.train(trees.parameters(highest), data, num_boost_round=trees.rounds)
    facts = {"queries": len(table.queries), "candidates": len(table), "trees": asdict(trees),
             "lightgbm": lightgbm.__version__, **table.made_by}  # fmt: skip
    return Model(booster, table.names, facts)


def folds_of(count: int, folds: int, seed: int) -> IntArray:
    """Deal queries into folds: int64[Q], numbers below `folds`, as even as can be.

    Raises MethodError for fewer than two folds, or fewer queries than folds.
    """
    if not 2 <= folds <= count:
        raise MethodError(f"folds: expected 2 or more, and at most the {count} queries, got {folds}")
    dealt = np.empty(count, dtype=np.int64)
    dealt[np.random.default_rng(seed).permutation(count)] = np.arange(count) % folds
    return dealt


def reranked(table: Table, scores: FloatArray, first: Mapping[str, Hits]) -> dict[str, Hits]:
    """The lists of a table's queries with their heads in order of these scores; other queries' lists as they are."""
    return reordered(first, {query: scores[table.rows(number)] for number, query in enumerate(table.queries)})


@dataclass(frozen=True, eq=False)
class LambdaMART:
    """A trained model as a second stage over an index's features."""

    model: Model
    features: Features
    name: str = "lambdamart"

    def __post_init__(self) -> None:
        column_names(self.features, self.model.names, self.name)
        for what, has in self.features.made_by.items():
            learned = self.model.facts.get(what, has)
            if learned != has:
                fault = Fault(self.name, f"the {what} it was trained with, {learned!r}", repr(has))
                raise InputError(replace(fault, advice="train it for this index"))

    def score(self, candidates: Candidates) -> FloatArray:
        """Score each candidate by its own features."""
        return self.model.scores(self.features.of(candidates))


def _lightgbm() -> Any:
    return optional("lightgbm", "a learned reranker", "ltr")
