"""Small charts as SVG that grow with the page: places are percentages, text keeps its size."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rankgauge.report.page.markup import Markup, tag

MARGIN = 0.06


@dataclass(frozen=True)
class Scale:
    """From values to percentages of the width."""

    low: float
    high: float

    @classmethod
    def over(cls, values: Iterable[float | None]) -> Scale:
        """Span all values that exist, and 0, with a margin."""
        known = [0.0, *(value for value in values if value is not None)]
        low, high = min(known), max(known)
        room = MARGIN * ((high - low) or 1.0)
        return cls(low - room, high + room)

    def at(self, value: float) -> float:
        """Return the place of a value, from 0 to 100."""
        return 100 * (value - self.low) / (self.high - self.low)

    def ticks(self, about: int = 5) -> list[float]:
        """Return round values within the scale."""
        step = nice_step((self.high - self.low) / about)
        first, last = math.ceil(self.low / step), math.floor(self.high / step)
        return [round(i * step, 12) for i in range(first, last + 1)]


def nice_step(size: float) -> float:
    """Return the next 1, 2 or 5 times a power of ten.

    >>> nice_step(0.03), nice_step(7)
    (0.05, 10.0)
    """
    power = 10.0 ** math.floor(math.log10(size))
    return next(round(step * power, 12) for step in (1, 2, 5, 10) if step * power >= size * (1 - 1e-9))


def percent(place: float) -> str:
    """Write a place as SVG takes it."""
    return f"{place:.3f}%"


def line(x1: float, y1: str | float, x2: float, y2: str | float, class_: str) -> Markup:
    """Draw a line; x in percent, y in pixels or as given."""
    return tag("line", x1=percent(x1), y1=y1, x2=percent(x2), y2=y2, class_=class_)


def bar(x: float, width: float, y: str | float, height: str | float, class_: str) -> Markup:
    """Draw a rectangle; x and width in percent."""
    return tag("rect", x=percent(x), width=percent(max(width, 0)), y=y, height=height, class_=class_)


def words(x: float, y: float | str, text: str, class_: str = "tick", anchor: str = "middle") -> Markup:
    """Write text at a place."""
    return tag("text", text, x=percent(x), y=y, class_=class_, text_anchor=anchor)


def picture(*parts: Markup | None, label: str, height: int, class_: str = "") -> Markup:
    """Draw a chart that is as wide as its box; the label says in words what it shows."""
    return tag("svg", tag("title", label), *parts, width="100%", height=height, role="img", aria_label=label,
               class_=f"chart {class_}".strip())  # fmt: skip


def backdrop(*parts: Markup | None, height: int) -> Markup:
    """Draw an axis, which the charts beside it say in words."""
    return tag("svg", *parts, width="100%", height=height, aria_hidden="true", class_="chart axis")


def rows(cells: Sequence[tuple[Markup, Markup, Markup]], foot: Markup) -> Markup:
    """Put label, chart and number of each row beside each other, and the axis below."""
    drawn = [
        tag("li", tag("span", label, class_="row-label"), chart, tag("span", number, class_="row-number"), class_="row")
        for label, chart, number in cells
    ]
    axis = tag("div", tag("span"), foot, tag("span"), class_="row axis-row", aria_hidden="true")
    return tag("div", tag("ul", *drawn, class_="rows"), axis, class_="rowed")
