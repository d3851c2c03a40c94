"""A number as somebody printed it: which values round to it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from rankgauge.errors import ParameterError

PRINTED = re.compile(r"(?P<number>[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?)\s*(?P<percent>%?)")
SLACK = 1e-9


@dataclass(frozen=True)
class Reported:
    """A printed number and the values that round to it, from `low` to `high` (both ends count).

    `text` is as printed; `value` is the number, a percentage already divided by 100 where `percent`.
    """

    text: str
    value: float
    low: float
    high: float
    percent: bool = False

    def __contains__(self, value: float) -> bool:
        slack = SLACK * max(1.0, abs(self.value))
        return self.low - slack <= value <= self.high + slack

    @property
    def half_unit(self) -> float:
        """Half of what the last printed digit counts."""
        return (self.high - self.low) / 2

    def cut_off(self, value: float) -> bool:
        """Whether a value gives the printed digits when the others are cut off instead of rounded."""
        return self.value <= value < self.value + 2 * self.half_unit


def as_reported(written: str | float, *, top: float) -> Reported:
    """Read a number as printed; its digits say how exact it is.

    Text keeps the digits: "0.4320" is known to four, the float 0.432 to three. "43.21%" is 0.4321 to four
    digits, and so is "43.21" of a measure that cannot be above 1.

    Parameters
    ----------
    top : largest value of the measure

    Raises
    ------
    ParameterError
        For a text that is no number.

    >>> as_reported("0.4321", top=1)
    Reported(text='0.4321', value=0.4321, low=0.43205, high=0.43215, percent=False)
    >>> as_reported("43.2%", top=1).low
    0.4315
    """
    text = str(written).strip()
    found = PRINTED.fullmatch(text)
    if found is None:
        raise ParameterError(f"reported: expected a number as printed, such as 0.4321 or 43.21%, got {text!r}")
    number = Decimal(found["number"])
    exponent = number.as_tuple().exponent
    assert isinstance(exponent, int)
    half = Decimal(5).scaleb(exponent - 1)
    percent = bool(found["percent"]) or (number - half > Decimal(top) if top < float("inf") else False)
    scale = Decimal("0.01") if percent else Decimal(1)
    low, high = (number - half) * scale, (number + half) * scale
    return Reported(text, float(number * scale), float(low), float(high), percent)
