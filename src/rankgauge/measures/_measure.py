"""How a measure is declared, named, parsed and found.

A measure is a function of a JudgedRun that reads like its formula. The decorator takes its name, its
parameters, their defaults and its help from the function itself; nothing is said twice.
"""

from __future__ import annotations

import inspect
import re
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from rankgauge.conventions import Convention
from rankgauge.errors import MeasureError, ParameterError
from rankgauge.judged import FloatArray, JudgedRun
from rankgauge.measures._values import Table, check_value, show_value

Average = Literal["mean", "sum", "geometric"]
Cutoff = Literal["optional", "required", "none"]
Range = tuple[float, float]
Formula = Callable[..., FloatArray]


@dataclass(frozen=True)
class Residual:
    """How much a value could still rise, float64[Q] each: through unjudged documents, and below the end."""

    unjudged: FloatArray
    tail: FloatArray


@dataclass(frozen=True)
class Parameter:
    """One keyword parameter of a measure: its default, its type with its bounds, and its help."""

    name: str
    default: Any
    hint: Any
    help: str = ""


REL = Parameter("rel", 1.0, float, "grade from which a document is relevant")
JUDGED_ONLY = Parameter("judged_only", False, bool, "drop unjudged documents from the ranking first")


@dataclass(frozen=True, eq=False)
class Declaration:
    """What the decorator learned about a measure."""

    name: str
    formula: Formula
    parameters: Mapping[str, Parameter]
    summary: str
    equation: str
    cite: str
    range: Range | Callable[[Measure], Range]
    binary: bool
    cutoff: Cutoff
    linear: bool
    monotone: bool | Callable[[Measure], bool]
    average: Average
    shown: tuple[str, ...]
    subtopics: bool
    ideal_is_one: bool
    residual: Callable[..., Residual] | None
    profile: Callable[..., Any] | None


@dataclass(frozen=True, eq=False)
class Measure:
    """A declared measure with its parameters and its cutoff.

    >>> from rankgauge.measures import nDCG
    >>> nDCG(gain="linear") @ 10
    nDCG(gain='linear')@10
    """

    declared: Declaration = field(repr=False)
    chosen: tuple[tuple[str, Any], ...] = ()
    cutoff: int | None = None

    def __call__(self, **parameters: Any) -> Measure:
        """Return the measure with these parameters.

        Raises ParameterError for a parameter that the measure does not have or a value outside its range.
        """
        chosen = dict(self.chosen)
        for name, value in parameters.items():
            chosen[name] = check_value(self.name, self.declared.parameters, name, value)
        return replace(self, chosen=tuple(sorted(chosen.items())))

    def __matmul__(self, cutoff: int) -> Measure:
        """Return the measure cut after the first `cutoff` documents."""
        if self.declared.cutoff == "none":
            raise ParameterError(f"{self.name} takes no cutoff: it is a measure of the whole ranking")
        if isinstance(cutoff, bool) or not isinstance(cutoff, (int, np.integer)) or cutoff < 1:
            raise ParameterError(f"{self.name}: expected a cutoff of 1 or more, got {cutoff!r}")
        return replace(self, cutoff=int(cutoff))

    @property
    def name(self) -> str:
        """The declared name, without parameters."""
        return self.declared.name

    @property
    def parameters(self) -> dict[str, Any]:
        """Every parameter with its value: the chosen ones, and the defaults of the others."""
        return {name: p.default for name, p in self.declared.parameters.items()} | dict(self.chosen)

    @property
    def range(self) -> Range:
        """Smallest and largest value, with these parameters and this cutoff."""
        declared = self.declared.range
        return declared(self) if callable(declared) else declared

    @property
    def monotone(self) -> bool:
        """Whether moving a better document up never lowers the value, with these parameters and this cutoff."""
        declared = self.declared.monotone
        return declared(self) if callable(declared) else declared

    def __str__(self) -> str:
        values, declared = self.parameters, self.declared
        shown = declared.shown if self.cutoff is None else [name.removesuffix("@") for name in declared.shown]
        said = [
            f"{name}={show_value(value)}"
            for name, value in values.items()
            if name in shown or value != declared.parameters[name].default
        ]
        text = f"{self.name}({', '.join(said)})" if said else self.name
        return text if self.cutoff is None else f"{text}@{self.cutoff}"

    __repr__ = __str__

    def _identity(self) -> tuple[Any, ...]:
        return self.name, tuple(sorted(self.parameters.items())), self.cutoff

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Measure) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def under(self, convention: Convention) -> Measure:
        """Return the measure with the convention's defaults where the user chose nothing."""
        defaults = dict(convention.defaults.get(self.name, {}))
        if self.declared.binary:
            defaults.setdefault("rel", convention.level)
        missing = {name: value for name, value in defaults.items() if name not in dict(self.chosen)}
        return self(**missing)

    def uncut(self, judged: JudgedRun) -> JudgedRun:
        """Return the ranking at this measure's level, condensed if asked, in its full depth."""
        parameters = self.parameters
        if self.declared.binary:
            judged = judged.at(parameters["rel"])
        return judged.condensed() if parameters["judged_only"] else judged

    def check_cutoff(self) -> None:
        """Raise ParameterError for a measure that needs a cutoff and has none."""
        if self.declared.cutoff == "required" and self.cutoff is None:
            raise ParameterError(f"{self.name} needs a cutoff, as in {self.name}@10")

    def view(self, judged: JudgedRun) -> JudgedRun:
        """Return the ranking as this measure sees it: at its level, condensed if asked, cut at its depth."""
        self.check_cutoff()
        if self.declared.subtopics and judged.subtopics is None:
            raise MeasureError(
                f"{self.name} needs subtopic qrels (query subtopic doc grade), and these qrels have no subtopics; "
                "read them as diversity qrels, or name the subtopic column"
            )
        return self.uncut(judged).top(self.cutoff)

    def of(self, judged: JudgedRun) -> FloatArray:
        """Compute the value of each query, float64[Q]; NaN where the measure is undefined."""
        return self.declared.formula(self.view(judged), **self._arguments())

    def residual(self, judged: JudgedRun) -> Residual | None:
        """Compute how much each query's value could rise if unjudged documents were all of the top grade."""
        bound = self.declared.residual
        return None if bound is None else bound(self.view(judged), **self._arguments())

    def _arguments(self) -> dict[str, Any]:
        extra = {"judged_only", "rel"} if self.declared.binary else {"judged_only"}
        return {name: value for name, value in self.parameters.items() if name not in extra}


REGISTRY: dict[str, Measure] = {}


def measure(
    *,
    cite: str = "",
    range: Range | Callable[[Measure], Range] = (0.0, 1.0),
    binary: bool = False,
    cutoff: Cutoff = "optional",
    linear: bool = False,
    monotone: bool | Callable[[Measure], bool] = True,
    average: Average = "mean",
    shown: tuple[str, ...] = (),
    subtopics: bool = False,
    ideal_is_one: bool = False,
    residual: Callable[..., Residual] | None = None,
    profile: Callable[..., Any] | None = None,
) -> Callable[[Formula], Measure]:
    """Declare a measure: a function of a JudgedRun, with keyword parameters, that returns float64[Q].

    Parameters
    ----------
    cite : key of `measures.sources.SOURCES`
    range : smallest and largest value, infinite where there is no bound; or a function of the measure
    binary : it asks for relevant or not; gets the parameter `rel`
    cutoff : whether `@k` may, must or must not be given
    linear : a weighted sum over documents with weights by rank, so that ties average exactly
    monotone : a better document one place higher never lowers it, so that ties have a best and a worst order;
        a function of the measure where that depends on its parameters or its cutoff
    average : how queries are put together: "mean", "sum", "geometric"
    shown : parameters that the printed name always says, or with a trailing @ where there is a cutoff
    subtopics : needs subtopic qrels
    ideal_is_one : the ideal ranking scores exactly 1 at any cutoff
    residual : function of the same arguments that returns a Residual
    profile : function that gives the measure's user model for drawing (see measures.users)
    """

    def declare(formula: Formula) -> Measure:
        summary, equation = described(formula)
        declared = Declaration(
            formula.__name__, formula, _parameters(formula, binary), summary, equation, cite, range, binary,
            cutoff, linear, monotone, average, shown, subtopics, ideal_is_one, residual, profile,
        )  # fmt: skip
        if formula.__name__ in REGISTRY:
            raise ParameterError(f"a measure named {formula.__name__!r} exists already; choose another name")
        REGISTRY[formula.__name__] = made = Measure(declared)
        return made

    return declare


def _parameters(formula: Formula, binary: bool) -> dict[str, Parameter]:
    return keyword_parameters(formula) | ({"rel": REL} if binary else {}) | {"judged_only": JUDGED_ONLY}


def keyword_parameters(formula: Callable[..., Any]) -> dict[str, Parameter]:
    """Take a formula's keyword-only arguments as parameters, with their help from the docstring."""
    hints = typing.get_type_hints(formula, include_extras=True)
    docstring = inspect.cleandoc(formula.__doc__ or "")  # Python 3.13 takes the indent away, older ones do not
    help_of = dict(re.findall(r"^(\w+) : (.+(?:\n {4}.+)*)", docstring, flags=re.MULTILINE))
    return {
        name: Parameter(name, _plain(p.default), hints.get(name, Any), re.sub(r"\s+", " ", help_of.get(name, "")))
        for name, p in inspect.signature(formula).parameters.items()
        if p.kind is inspect.Parameter.KEYWORD_ONLY
    }


def _plain(default: Any) -> Any:
    return Table.of(default) if isinstance(default, Mapping) else default


def described(formula: Callable[..., Any]) -> tuple[str, str]:
    """Take the summary (first paragraph) and the equation (second, if it holds '=') from the docstring."""
    paragraphs = [p.strip() for p in inspect.cleandoc(formula.__doc__ or "").split("\n\n")]
    summary = re.sub(r"\s+", " ", paragraphs[0])
    second = paragraphs[1] if len(paragraphs) > 1 else ""
    return summary, second if "=" in second and "----" not in second else ""
