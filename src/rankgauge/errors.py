"""Every exception of rankgauge.

RankgaugeError
├── InputError            content that cannot be read for sure; carries all faults found, not the first
│   ├── FormatError       a file that is not what its name or content promises
│   ├── DuplicateError    the same query and document twice
│   └── EmptyInputError   nothing to measure
├── MeasureError          a measure that cannot be had
│   ├── UnknownMeasureError
│   └── ParameterError
├── MethodError           a way of fusing runs that does not exist or does not fit
├── ConventionError       an unknown convention, or one that the input cannot satisfy
├── EngineError           an engine that cannot run, or whose machines lack something
└── MissingExtraError     an optional dependency that is not installed
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

SHOWN_FAULTS = 20


@dataclass(frozen=True)
class Fault:
    """One thing wrong with an input: where it is, what was expected, what was found, what to do.

    >>> print(Fault("bm25.run:17", "a finite score", "'nan'", "remove the line"))
    bm25.run:17: expected a finite score, got 'nan'; remove the line
    """

    where: str
    expected: str
    got: str
    advice: str = ""

    def __str__(self) -> str:
        said = f"{self.where}: expected {self.expected}, got {self.got}"
        return f"{said}; {self.advice}" if self.advice else said


class RankgaugeError(Exception):
    """Base of everything that rankgauge raises on purpose."""


class InputError(RankgaugeError, ValueError):
    """Content that cannot be read for sure. `faults` lists all that is wrong, up to a stated number."""

    def __init__(self, faults: Sequence[Fault] | Fault, total: int | None = None) -> None:
        self.faults: tuple[Fault, ...] = (faults,) if isinstance(faults, Fault) else tuple(faults)
        self.total = len(self.faults) if total is None else total
        super().__init__(self._text())

    def _text(self) -> str:
        lines = [str(fault) for fault in self.faults[:SHOWN_FAULTS]]
        more = self.total - len(lines)
        return "\n".join([*lines, f"... and {more} more faults"] if more > 0 else lines)


class FormatError(InputError):
    """A file whose content is not what was expected; each fault names the file and the line."""


class DuplicateError(InputError):
    """One query and document twice in a run or in the judgments."""


class EmptyInputError(InputError):
    """A file or a table that holds nothing to measure."""


class MeasureError(RankgaugeError, ValueError):
    """A measure that cannot be had from what was given."""


class UnknownMeasureError(MeasureError):
    """A measure's name that nobody declared."""


class ParameterError(MeasureError):
    """A measure's parameter that does not exist or has a value outside its range."""


class MethodError(RankgaugeError, ValueError):
    """A fusion method or a normalisation that does not exist, or that does not fit what it was given."""


class ConventionError(RankgaugeError, ValueError):
    """A convention that does not exist, or that the input cannot satisfy."""


class EngineError(RankgaugeError, RuntimeError):
    """An engine that cannot run here, or machines of a cluster that lack what the work needs."""


class MissingExtraError(RankgaugeError, ImportError):
    """An optional dependency is needed; the message is the command that installs it."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs an optional part: pip install 'rankgauge[{extra}]'")


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """End of a message that offers the nearest known names, or nothing.

    >>> did_you_mean("NDGC", ["nDCG", "AP"])
    "; did you mean 'nDCG'?"
    """
    lowered = {k.lower(): k for k in known}
    near = [lowered[m] for m in difflib.get_close_matches(name.lower(), lowered, n=3, cutoff=0.5)]
    return "; did you mean " + " or ".join(repr(n) for n in near) + "?" if near else ""
