"""HTML that is safe by construction: whatever is not markup already is escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

VOID = frozenset({"meta", "link", "br", "hr", "input", "col"})

Child = str | int | None | Iterable["Child"]


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def tag(name: str, /, *children: Child, **attributes: str | int | float | bool | None) -> Markup:
    """Write an element. Attributes: `class_` for class, `data_key` for data-key; None and False leave one out.

    >>> tag("p", "1 < 2", class_="note")
    '<p class="note">1 &lt; 2</p>'
    """
    said = "".join(map(_attribute, attributes, attributes.values()))
    if name in VOID:
        return Markup(f"<{name}{said}>")
    return Markup(f"<{name}{said}>{together(children)}</{name}>")


def together(*children: Child) -> Markup:
    """Write children one after the other: markup as it is, text escaped, None as nothing."""
    return Markup("".join(map(_child, children)))


def name(text: str) -> Markup:
    """Write a name that came from outside; its writing direction does not spill over."""
    return tag("bdi", text)


def measure_name(text: str) -> Markup:
    """Write a measure, which may break before its parameters and its cutoff."""
    return Markup("<wbr>".join(escape(part, quote=True) for part in re.split(r"(?=[(@])", _printable(text))))


def box(*children: Child, label: str, class_: str = "scroll") -> Markup:
    """A region of its own that scrolls sideways, reached by keyboard."""
    return tag("div", *children, class_=class_, role="region", aria_label=label, tabindex=0)


def _child(child: Child) -> str:
    if child is None:
        return ""
    if isinstance(child, Markup):
        return child
    if isinstance(child, str | int):
        return escape(_printable(str(child)), quote=True)
    return together(*child)


def _attribute(name: str, value: str | int | float | bool | None) -> str:
    if value is None or value is False:
        return ""
    written = name.rstrip("_").replace("_", "-")
    shown = f"{value:.6g}" if isinstance(value, float) else str(value)
    return f" {written}" if value is True else f' {written}="{escape(_printable(shown), quote=True)}"'


def _printable(text: str) -> str:
    """Take out what HTML has no place for: control characters and halves of surrogate pairs."""
    if text.isprintable():
        return text
    return "".join("\ufffd" if (c < " " and c not in "\t\n\r") or "\ud800" <= c <= "\udfff" else c for c in text)
