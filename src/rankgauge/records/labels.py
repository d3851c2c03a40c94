"""Labels of two values, however they are written, read as positive and negative."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankgauge.errors import Fault, did_you_mean

Place = Callable[[str, int], str]  # ("score", 3) -> where the score of row 3 stands, in words

KNOWN_LABELS = {"0": False, "0.0": False, "false": False, "1": True, "1.0": True, "true": True}


@dataclass(frozen=True)
class ReadLabels:
    """What the labels say, and what is wrong with them; `positive` means nothing where there are faults."""

    positive: npt.NDArray[np.bool_]  # bool[n]
    labelled: npt.NDArray[np.bool_]  # bool[n], False where there was no label
    faults: tuple[Fault, ...]


def read_labels(labels: Iterable[Any], *, positive: Any, at: Place) -> ReadLabels:
    """Tell positive from negative; None, NaN and empty text are "no label".

    Without `positive` the labels known are 0/1 and true/false, as numbers, booleans or text in any
    case. With it, that label is the positive one and at most one other label may occur.
    """
    values = labels.tolist() if isinstance(labels, np.ndarray) else list(labels)
    codes, first = _codes(values)
    texts = [text for text in first if text]
    if positive is None:
        meaning, faults = _known(texts, first, values, at)
    else:
        meaning, faults = _against(_text(positive), texts, first, values, at)
    truth = np.array([meaning.get(text, False) for text in first], dtype=np.bool_)
    there = np.array([bool(text) for text in first], dtype=np.bool_)
    return ReadLabels(truth[codes], there[codes], tuple(faults))


def _text(value: Any) -> str:
    """One spelling per label: 1, 1.0, " 1" and "1.0" are the label "1", True is "true"; "" is none."""
    if _absent(value):
        return ""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = str(value).strip()
    return text.lower().removesuffix(".0") if text.lower() in KNOWN_LABELS else text


def _absent(value: Any) -> bool:
    try:
        return value is None or bool(value != value)
    except TypeError:  # pandas.NA is neither equal nor unequal to itself
        return True


def _codes(values: list[Any]) -> tuple[npt.NDArray[np.intp], dict[str, int]]:
    """Number the distinct labels in order of appearance: int[n], and the first row of each."""
    first: dict[str, int] = {}
    rank: dict[str, int] = {}
    seen: dict[Any, int] = {}
    codes = np.empty(len(values), dtype=np.intp)
    for row, value in enumerate(values):
        key = (value.__class__, value if isinstance(value, Hashable) else repr(value))
        code = seen.get(key)
        if code is None:
            text = _text(value)
            first.setdefault(text, row)
            code = seen[key] = rank.setdefault(text, len(rank))
        codes[row] = code
    return codes, first


def _known(
    texts: list[str], first: dict[str, int], values: list[Any], at: Place
) -> tuple[dict[str, bool], list[Fault]]:
    """Meaning of the labels that need no explanation, a fault for each other one."""
    strange = [text for text in texts if text not in KNOWN_LABELS]
    if len(texts) <= 2:
        advice = "name the positive label with positive="
    else:
        advice = "two labels are needed: make grades binary first, for example grade >= 1"
    faults = [
        Fault(at("label", first[text]), "the label 0, 1, true or false", repr(values[first[text]]), advice)
        for text in strange
    ]
    return KNOWN_LABELS, faults


def _against(
    positive: str, texts: list[str], first: dict[str, int], values: list[Any], at: Place
) -> tuple[dict[str, bool], list[Fault]]:
    """Meaning of the labels when the positive one is named; a fault for each third label."""
    others = [text for text in texts if text != positive]
    if not positive:
        return {}, [Fault("positive", "a label", "none", "name the label that counts as positive")]
    if len(others) == len(texts) and len(texts) > 1:
        where = at("label", first[texts[1]])
        got = f"{values[first[texts[0]]]!r} and {values[first[texts[1]]]!r}"
        advice = "name one of the labels that occur" + did_you_mean(positive, texts)
        return {}, [Fault(where, f"the positive label {positive!r} among the labels", got, advice)]
    faults = [
        Fault(
            at("label", first[text]),
            f"{positive!r} or {others[0]!r}",
            repr(values[first[text]]),
            "two labels are needed: merge or remove the others",
        )
        for text in others[1:]
    ]
    return {positive: True}, faults
