"""The choices in which tools differ, as axes, and a combination of choices as a point on them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, product
from typing import Any, Literal

from rankgauge.conventions import Convention
from rankgauge.measures import Measure
from rankgauge.measures._values import show_value

Changes = tuple[tuple[str, Any], ...]
Setting = tuple[int, ...]
Part = Literal["rules", "parameters", "cutoff"]


@dataclass(frozen=True)
class Change:
    """One choice made differently: its axis, and both options in words."""

    axis: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.axis}: {self.after}"


@dataclass(frozen=True)
class Axis:
    """One choice and its options.

    Attributes
    ----------
    name : as in `Convention`, or the measure's parameter, or "cutoff"
    part : what an option changes: the convention's rules, the measure's parameters, or its cutoff
    options : each the changes that it makes, (name, value) pairs; options that make no difference on the data
        at hand are one
    alike : which option stands for each that was merged or kept
    """

    name: str
    part: Part
    options: tuple[Changes, ...]
    alike: Mapping[Changes, int] = field(repr=False, compare=False, hash=False)

    @classmethod
    def of(cls, name: str, part: Part, options: Sequence[Changes]) -> Axis:
        """Make an axis whose options all differ."""
        kept = tuple(dict.fromkeys(options))
        return cls(name, part, kept, {option: number for number, option in enumerate(kept)})

    def merged(self, stands_for: Sequence[int]) -> Axis:
        """Return the axis after option i has been found to be the same as option stands_for[i] on the data."""
        kept = sorted(set(stands_for))
        number = {old: new for new, old in enumerate(kept)}
        alike = {option: number[stands_for[old]] for option, old in self.alike.items()}
        return Axis(self.name, self.part, tuple(self.options[old] for old in kept), alike)

    @property
    def says(self) -> str:
        """Name for people."""
        return {"rel": "relevance level", "undefined": "undefined values", "decimals": "rounding of each query"}.get(
            self.name, self.name.replace("_", " ")
        )

    def label(self, option: Changes) -> str:
        """An option in words."""
        parts = []
        for name, value in option:
            text = "none" if value is None else value if isinstance(value, str) else show_value(value)
            parts.append(text if name == self.name else f"{name}={text}")
        return ", ".join(parts)

    @cached_property
    def standing_for(self) -> tuple[int, ...]:
        """How many options are the same as each option on the data, itself among them."""
        numbers = list(self.alike.values())
        return tuple(numbers.count(option) for option in range(len(self.options)))


@dataclass(frozen=True)
class Space:
    """All axes of one measure; a setting holds the number of an option for each."""

    measure: Measure
    axes: tuple[Axis, ...]
    _measures: dict[Setting, Measure] = field(default_factory=dict, init=False, repr=False, compare=False)

    def setting(self, convention: Convention) -> Setting:
        """Find the setting of a convention."""
        return tuple(axis.alike[option] for axis, option in zip(self.axes, self.choices(convention), strict=True))

    def choices(self, convention: Convention) -> list[Changes]:
        """What a convention chooses on each axis."""
        measure = self.measure.under(convention)
        rules = convention.of(str(measure))
        shared = {"queries": convention.queries, "drop_self": convention.drop_self}
        values: dict[str, Any] = {**measure.parameters, "cutoff": measure.cutoff}
        found = []
        for axis in self.axes:
            names = [name for name, _ in axis.options[0]]
            if axis.part == "rules":
                values[axis.name] = shared.get(axis.name, getattr(rules, axis.name))
            if axis.name == "discount" and values["discount"] != "jk":
                names = ["discount"]
            elif axis.name == "discount":
                names = ["discount", "base"]
            found.append(tuple((name, values[name]) for name in names))
        return found

    def measured(self, setting: Setting) -> Measure:
        """The measure with every parameter of a setting written out."""
        key = tuple(o for axis, o in zip(self.axes, setting, strict=True) if axis.part != "rules")
        if key not in self._measures:
            self._measures[key] = self._measured(setting)
        return self._measures[key]

    def _measured(self, setting: Setting) -> Measure:
        chosen: dict[str, Any] = {}
        cutoff = self.measure.cutoff
        for axis, option in zip(self.axes, setting, strict=True):
            if axis.part == "parameters":
                chosen.update(axis.options[option])
            elif axis.part == "cutoff":
                cutoff = axis.options[option][0][1]
        bare = Measure(self.measure.declared, self.measure.chosen)(**chosen)
        return bare if cutoff is None else bare @ cutoff

    def rules(self, setting: Setting, name: str) -> Convention:
        """The convention of a setting, under a name of its own; it has no rules apart and no defaults."""
        chosen: dict[str, Any] = {}
        for axis, option in zip(self.axes, setting, strict=True):
            if axis.part == "rules":
                chosen.update(axis.options[option])
        if self.measure.declared.binary:
            chosen["level"] = self.measured(setting).parameters["rel"]
        return Convention(name, "found by reconcile", **chosen)

    def changes(self, before: Setting, after: Setting) -> tuple[Change, ...]:
        """The axes on which two settings differ, with both options in words."""
        return tuple(
            Change(axis.says, axis.label(axis.options[old]), axis.label(axis.options[new]))
            for axis, old, new in zip(self.axes, before, after, strict=True)
            if old != new
        )

    def stands_for(self, setting: Setting) -> int:
        """How many settings are the same as this one on the data because of options that make no difference."""
        ways = 1
        for axis, option in zip(self.axes, setting, strict=True):
            ways *= axis.standing_for[option]
        return ways

    def around(self, centre: Setting, distance: int) -> Iterator[Setting]:
        """Every setting that differs from a centre on exactly so many axes."""
        others = [[o for o in range(len(axis.options)) if o != centre[n]] for n, axis in enumerate(self.axes)]
        moving = [number for number, options in enumerate(others) if options]
        for chosen in combinations(moving, distance):
            for options in product(*(others[number] for number in chosen)):
                setting = list(centre)
                for number, option in zip(chosen, options, strict=True):
                    setting[number] = option
                yield tuple(setting)


def apart(one: Setting, other: Setting) -> int:
    """On how many axes two settings differ."""
    return sum(a != b for a, b in zip(one, other, strict=True))
