"""Choosing a fusion on judged queries, and an honest estimate of what the choice is worth."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from rankgauge.errors import InputError, MethodError
from rankgauge.fusion._collect import AnyRuns, as_list, collect, turned
from rankgauge.fusion._folds import NONE, Trials, Values, mean
from rankgauge.fusion._grid import recipes
from rankgauge.fusion._recipe import Recipe
from rankgauge.fusion.merging import finished
from rankgauge.judged import FloatArray
from rankgauge.measures import Measure
from rankgauge.measures._values import show_value
from rankgauge.records import Note, Qrels, Run
from rankgauge.records.notes import examples

METHODS = ("CombSUM", "CombMNZ", "ISR", "RRF", "RBC", "WSUM")
"""Methods that tuning tries unless told otherwise."""
NORMS = ("min-max", "z-score")
"""Normalisations that it tries with methods that read scores."""

Advance = Callable[[int, int], None]


@dataclass(frozen=True)
class Trial:
    """One way of fusing, and how well it did on queries that it did not learn from.

    Attributes
    ----------
    method, norm, weights, parameters : the way; norm is None for methods that read ranks, weights for equal ones
    score : mean over the queries
    folds : mean over each fold's queries
    """

    recipe: Recipe = field(repr=False)
    score: float
    folds: tuple[float, ...]

    @property
    def method(self) -> str:
        """Name of the method."""
        return self.recipe.method.name

    @property
    def norm(self) -> str | None:
        """Name of the normalisation."""
        return None if self.recipe.norm is None else self.recipe.norm.name

    @property
    def weights(self) -> tuple[float, ...] | None:
        """A weight per run, or None."""
        return self.recipe.weights

    @property
    def parameters(self) -> dict[str, Any]:
        """The method's parameters."""
        return dict(self.recipe.parameters)

    def __str__(self) -> str:
        return str(self.recipe)


@dataclass(frozen=True, eq=False)
class Tuned:
    """What tuning found.

    Attributes
    ----------
    measure : what was maximised
    runs : names of the runs
    trials : every way tried, best first
    chosen : the first of them
    held_out : mean over the queries of what was chosen without the query's fold: the result to report
    in_sample : mean of the chosen way on the queries it was chosen on: too good, never the result
    best_run, best_run_in_sample : name and mean of the run that does best on all queries
    best_run_held_out : mean of the run that is chosen without the query's fold, as `held_out`
    queries : the queries behind these means, with the columns query, fold, held_out, best_run
    fold_choices : what was chosen without each fold
    held_out_run : each query fused as chosen without its fold; for `compare`
    notes : what was left out, and what the runs' notes say
    """

    measure: str
    runs: tuple[str, ...]
    trials: tuple[Trial, ...]
    held_out: float
    in_sample: float
    best_run: str
    best_run_in_sample: float
    best_run_held_out: float
    queries: pl.DataFrame
    fold_choices: tuple[str, ...]
    held_out_run: Run = field(repr=False)
    notes: tuple[Note, ...] = field(default=(), repr=False)
    learned: FloatArray | None = field(default=None, repr=False)
    lower_is_better: tuple[str, ...] | bool = ()

    @property
    def chosen(self) -> Trial:
        """The way of fusing that did best."""
        return self.trials[0]

    def fuse(self, runs: AnyRuns, *, depth: int | None = None, name: str | None = None) -> Run:
        """Fuse runs of the same systems as chosen.

        Raises MethodError for runs that are not the same number or not in the same order as those of tuning.
        """
        given = as_list(runs)
        names = tuple(run.name for run in given)
        if len(names) != len(self.runs) or (set(names) == set(self.runs) and names != self.runs):
            raise MethodError(f"expected the runs that were tuned, {', '.join(self.runs)}, got {', '.join(names)}")
        lists = collect(given, lower_is_better=self.lower_is_better)
        return finished(lists, self.chosen.recipe, self.learned, depth=depth, name=name)

    def to_polars(self) -> pl.DataFrame:
        """Return one row per trial, best first: method, norm, weights, parameters, score, fold1, fold2, ..."""
        rows = [
            {
                "method": t.method,
                "norm": t.norm,
                "weights": None if t.weights is None else ",".join(f"{weight:g}" for weight in t.weights),
                "parameters": ", ".join(f"{name}={show_value(value)}" for name, value in t.parameters.items()),
                "score": t.score,
            }
            | {f"fold{number}": value for number, value in enumerate(t.folds, start=1)}
            for t in self.trials
        ]
        return pl.DataFrame(rows, infer_schema_length=None)


def tune(
    qrels: Qrels | Mapping[Any, Mapping[Any, Any]],
    runs: AnyRuns,
    *,
    measure: str | Measure = "nDCG@10",
    methods: Sequence[str] | str = METHODS,
    norms: Sequence[str] | str = NORMS,
    folds: int = 5,
    seed: int = 0,
    level: float = 1.0,
    lower_is_better: Sequence[str] | bool = (),
    progress: Advance | None = None,
) -> Tuned:
    """Choose method, normalisation, weights and parameters on judged queries.

    Each way is scored on queries that it did not learn from; the best is chosen. What the choice is worth is
    estimated by choosing again without each fold and scoring on that fold (nested cross-validation); the best
    single run is chosen in the same manner, so that both are treated alike.

    Parameters
    ----------
    qrels : training judgments
    runs : several runs, as [a, b] or {name: run}
    measure : what to maximise, under the default convention; queries where it is undefined are left out
    methods, norms : what to try; "all" for all
    folds : number of parts of the queries
    seed : how queries are dealt into folds
    level : grade from which a training document is relevant, for methods that learn
    lower_is_better : names of the runs whose lower scores are better, True for all
    progress : called with the ways tried and all

    Raises
    ------
    MethodError
        For a method or normalisation that does not exist, and for fewer queries than folds.
    """
    judged = qrels if isinstance(qrels, Qrels) else Qrels.from_dict(qrels)
    given = turned(as_list(runs), lower_is_better)
    trials = Trials.of(judged, given, measure, level=level, folds=folds, seed=seed)
    tried, notes = _possible(trials, recipes(methods, norms, len(given)))
    values = []
    for number, recipe in enumerate(tried, start=1):
        values.append(trials.values(recipe))
        if progress is not None:
            progress(number, len(tried))
    return _told(trials, tried, values, notes=notes, lower_is_better=lower_is_better)


def _possible(trials: Trials, tried: list[Recipe]) -> tuple[list[Recipe], list[Note]]:
    """Leave out normalisations that these scores cannot have, unless none is left."""
    kept: list[Recipe] = []
    wrong: dict[str, InputError] = {}
    for recipe in tried:
        try:
            trials.prepared(recipe)
            kept.append(recipe)
        except InputError as error:
            wrong[str(recipe.norm and recipe.norm.name)] = error
    if not kept:
        raise next(iter(wrong.values()))
    notes = [
        Note("normalisation left out", 1, f"normalisation {name} was not tried: {error}")
        for name, error in wrong.items()
    ]
    return kept, notes


def _told(
    trials: Trials,
    tried: list[Recipe],
    values: list[Values],
    *,
    notes: list[Note],
    lower_is_better: Sequence[str] | bool,
) -> Tuned:
    """Put together what was found."""
    found = [
        Trial(r, mean(v.apart[trials.fold != NONE]), trials.by_fold(v.apart))
        for r, v in zip(tried, values, strict=True)
    ]
    ranked = sorted(found, key=lambda trial: -trial.score)
    best = ranked[0].recipe
    choices = [trials.best_without(fold, values) for fold in range(trials.folds)]
    runs = [Values(own, np.broadcast_to(own, (trials.folds, len(own)))) for own in trials.singles]
    run_choices = [trials.best_without(fold, runs) for fold in range(trials.folds)]
    queries = _queries(trials, [values[c] for c in choices], [runs[c] for c in run_choices])
    own = [mean(values[trials.fold != NONE]) for values in trials.singles]
    return Tuned(
        measure=str(trials.measure),
        runs=trials.lists.names,
        trials=tuple(ranked),
        held_out=mean(queries["held_out"].to_numpy()),
        in_sample=mean(trials.value(trials.scores(best))[trials.fold != NONE]),
        best_run=trials.lists.names[int(np.argmax(own))],
        best_run_in_sample=max(own),
        best_run_held_out=mean(queries["best_run"].to_numpy()),
        queries=queries,
        fold_choices=tuple(str(tried[choice]) for choice in choices),
        held_out_run=_held_out_run(trials, best, [tried[choice] for choice in choices]),
        notes=(*trials.qrels.notes, *trials.lists.notes, *notes, *_left_out(trials)),
        learned=trials.learned(best),
        lower_is_better=lower_is_better if isinstance(lower_is_better, bool) else tuple(lower_is_better),
    )


def _queries(trials: Trials, chosen: list[Values], runs: list[Values]) -> pl.DataFrame:
    """Values of each query from what was chosen without its fold."""
    used = np.flatnonzero(trials.fold != NONE)
    fold = trials.fold[used]
    table = {
        name: np.stack([values.apart for values in by_fold])[fold, used]
        for name, by_fold in (("held_out", chosen), ("best_run", runs))
    }
    names = trials.qrels.flat.queries.gather(used)
    return pl.DataFrame({"query": names, "fold": fold + 1, **table})


def _held_out_run(trials: Trials, best: Recipe, choices: list[Recipe]) -> Run:
    """Fuse each query as chosen without its fold; queries in no fold as chosen in the end."""
    fold = trials.list_fold[trials.lists.doc_query]
    scores = trials.scores(best)
    for number, recipe in enumerate(choices):
        mine = fold == number
        scores[mine] = trials.scores(recipe, number)[mine]
    return trials.lists.to_run(scores, "held out").ranked()


def _left_out(trials: Trials) -> list[Note]:
    unused = trials.qrels.flat.queries.filter(pl.Series(trials.fold == NONE))
    text = f"{len(unused)} judged queries without a value of {trials.measure} were left out: {examples(unused)}"
    return [Note("undefined queries", len(unused), text)] if len(unused) else []
