"""How a fusion method is declared, named, parsed and found.

A method is a function of Lists that reads like its formula and returns a score per candidate. The decorator
takes its name, its parameters and its help from the function, as `@measure` does.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from rankgauge.errors import MethodError, did_you_mean
from rankgauge.fusion._training import Training
from rankgauge.judged import FloatArray
from rankgauge.measures._measure import Parameter, described, keyword_parameters
from rankgauge.measures._values import check_value

Formula = Callable[..., FloatArray]
Trainer = Callable[..., FloatArray]


@dataclass(frozen=True, eq=False)
class FusionMethod:
    """What the decorator learned about a method.

    Attributes
    ----------
    name, aliases : what it is called; upper and lower case, "-" and "_" do not matter
    parameters : its keyword parameters, with bounds and defaults
    norm : the normalisation it takes by default; None for a method that reads ranks and no scores
    weighted : whether runs may have weights
    train : function that learns from judged rankings, for a method that needs training qrels
    grid : values that tuning tries, by parameter
    """

    name: str
    aliases: tuple[str, ...]
    formula: Formula
    parameters: Mapping[str, Parameter]
    summary: str
    equation: str
    cite: str
    norm: str | None
    weighted: bool
    train: Trainer | None
    grid: Mapping[str, tuple[Any, ...]]

    @property
    def reads_scores(self) -> bool:
        """Whether it reads the runs' scores, and not their ranks alone."""
        return self.norm is not None

    def check(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Return every parameter with its value; raise ParameterError for an unknown or impossible one."""
        chosen = {name: check_value(self.name, self.parameters, name, value) for name, value in parameters.items()}
        return {name: p.default for name, p in self.parameters.items()} | chosen

    def learn(self, training: Training, parameters: Mapping[str, Any]) -> FloatArray:
        """Learn from judged rankings what the formula needs."""
        assert self.train is not None
        asked = inspect.signature(self.train).parameters
        return self.train(training, **{name: value for name, value in parameters.items() if name in asked})


METHODS: dict[str, FusionMethod] = {}
_BY_ALIAS: dict[str, FusionMethod] = {}


def fusion_method(
    *aliases: str,
    cite: str = "",
    norm: str | None = None,
    train: Trainer | None = None,
    grid: Mapping[str, tuple[Any, ...]] | None = None,
) -> Callable[[Formula], FusionMethod]:
    """Declare a fusion method: a function of Lists that returns a score per candidate, float64[C].

    Its arguments are `lists`; `weights`, float64[M], if runs may have weights; `learned`, what `train`
    returned; and keyword-only parameters.

    Parameters
    ----------
    aliases : other names
    cite : key of `fusion.sources.SOURCES`
    norm : default normalisation of the scores; without one the method reads ranks only
    train : function of a Training, and of the parameters it names, that returns an array with a row per run
    grid : values of parameters that tuning tries
    """

    def declare(formula: Formula) -> FusionMethod:
        summary, equation = described(formula)
        named = inspect.signature(formula).parameters
        assert ("learned" in named) == (train is not None), f"{formula.__name__} learns, or is told what was learned"
        made = FusionMethod(
            formula.__name__, aliases, formula, keyword_parameters(formula), summary, equation, cite, norm,
            "weights" in named, train, grid or {},
        )  # fmt: skip
        for name in (made.name, *aliases):
            if _plain(name) in _BY_ALIAS:
                raise MethodError(f"a fusion method named {name!r} exists already; choose another name")
        METHODS[made.name] = made
        _BY_ALIAS.update({_plain(name): made for name in (made.name, *aliases)})
        return made

    return declare


def find_method(name: str) -> FusionMethod:
    """Find a method by its name or an alias.

    >>> find_method("comb_sum").name, find_method("w-condorcet").name
    ('CombSUM', 'Condorcet')
    """
    if _plain(name) not in _BY_ALIAS:
        known = [*METHODS, *(alias for method in METHODS.values() for alias in method.aliases)]
        raise MethodError(
            f"no fusion method named {name!r}{did_you_mean(name, known)} (`rankgauge fuse --methods` lists all)"
        )
    return _BY_ALIAS[_plain(name)]


def _plain(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "").replace(" ", "")
