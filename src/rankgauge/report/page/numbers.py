"""Numbers on the page: each is written from the page's own JSON, and says from which place in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from rankgauge.comparison.decision import show_p
from rankgauge.report.page.markup import Markup, tag

NONE = "–"
"""What stands for a number that does not exist."""


def value(number: float) -> str:
    """Write with four decimals, as the terminal does.

    >>> value(0.5), value(-0.00001)
    ('0.5000', '0.0000')
    """
    return f"{_unsigned_zero(number, 4):,.4f}".replace("-", "−")


def signed(number: float) -> str:
    """Write with four decimals and a sign, but for 0.

    >>> signed(0.03), signed(-0.03), signed(0)
    ('+0.0300', '−0.0300', '0.0000')
    """
    rounded = _unsigned_zero(number, 4)
    return f"{rounded:+,.4f}".replace("-", "−") if rounded else "0.0000"


def share(number: float) -> str:
    """Write as a percentage with one decimal.

    >>> share(0.3391)
    '33.9%'
    """
    return f"{100 * number:.1f}%"


def percent(number: float) -> str:
    """Write as a whole percentage.

    >>> percent(0.95)
    '95%'
    """
    return f"{100 * number:.0f}%"


def change(number: float) -> str:
    """Write a relative difference as a whole percentage with a sign, but for 0.

    >>> change(0.123), change(-0.123), change(0.001)
    ('+12%', '−12%', '±0%')
    """
    rounded = round(100 * number)
    return f"{rounded:+d}%".replace("-", "−") if rounded else "±0%"


def count(number: float) -> str:
    """Write a whole number.

    >>> count(1200)
    '1,200'
    """
    return f"{round(number):,}"


def p(number: float) -> str:
    """Write a p value with two digits that count.

    >>> p(0.0312), p(1e-9)
    ('0.031', '< 0.0001')
    """
    return show_p(number)


def plain(number: float) -> str:
    """Write with as many digits as needed.

    >>> plain(0.05)
    '0.05'
    """
    return f"{number:g}".replace("-", "−")


FORMS: Mapping[str, Callable[[float], str]] = {
    form.__name__: form for form in (value, signed, share, percent, change, count, p, plain)
}


@dataclass(frozen=True, eq=False)
class Content:
    """The page's JSON object, and the numbers in it as markup."""

    data: Mapping[str, Any]

    def at(self, *path: str | int) -> Any:
        """Return what stands at a place."""
        found: Any = self.data
        for step in path:
            found = found[step]
        return found

    def number(self, form: str, *path: str | int) -> Markup:
        """Write the number at a place; `data-key` is its JSON pointer (RFC 6901), `data-as` its form."""
        found = self.at(*path)
        text = NONE if found is None else FORMS[form](found)
        title = "no value" if found is None else None
        return tag("data", text, value="" if found is None else repr(found), data_key=pointer(*path), data_as=form,
                   title=title)  # fmt: skip


def pointer(*path: str | int) -> str:
    """Write a path as a JSON pointer.

    >>> pointer("pairs", 0, "a/b")
    '/pairs/0/a~1b'
    """
    return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in path)


def _unsigned_zero(number: float, digits: int) -> float:
    return 0.0 if abs(number) < 0.5 * 10**-digits else number
