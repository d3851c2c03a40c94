"""Certificates as JSON, in and out."""

from __future__ import annotations

import dataclasses
import json
import types
import typing
from pathlib import Path
from typing import Any

from rankgauge.errors import Fault, FormatError
from rankgauge.formats._bytes import load, save
from rankgauge.judges.certificate import Certificate

FORMAT = "rankgauge certificate 1"


def write_certificate(certificate: Certificate, path: Path) -> None:
    """Write a certificate to a file."""
    save(path, [(to_json(certificate) + "\n").encode()])


def read_certificate(path: Path) -> Certificate:
    """Read a certificate from a file.

    Raises FormatError for anything else.
    """
    return from_json(load(path).data.decode("utf-8", errors="replace"), where=str(path))


def to_json(certificate: Certificate) -> str:
    """One object with every number."""
    return json.dumps({"format": FORMAT} | dataclasses.asdict(certificate), ensure_ascii=False, indent=2)


def from_json(text: str, *, where: str = "certificate") -> Certificate:
    """The certificate of a text that `to_json` wrote.

    Raises FormatError for anything else.
    """
    try:
        given = json.loads(text)
    except ValueError as error:
        raise FormatError(Fault(where, "JSON", str(error))) from None
    if not isinstance(given, dict) or given.get("format") != FORMAT:
        got = given.get("format") if isinstance(given, dict) else type(given).__name__
        raise FormatError(Fault(where, f"the format {FORMAT!r}", repr(got), "write it with rankgauge certify -o"))
    try:
        found = _built(Certificate, {name: value for name, value in given.items() if name != "format"})
    except (TypeError, ValueError, KeyError) as error:
        raise FormatError(Fault(where, "the fields of a certificate", str(error))) from None
    assert isinstance(found, Certificate)
    return found


def _built(kind: Any, value: Any) -> Any:
    """A value of an annotated type from what JSON has of it."""
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        real = next(one for one in inner if one is not types.NoneType)
        return None if value is None else _built(real, value)
    if origin is tuple:
        return tuple(_built(inner[0], one) for one in value)
    if dataclasses.is_dataclass(kind):
        hints = typing.get_type_hints(kind)
        assert isinstance(kind, type)
        return kind(**{name: _built(hints[name], one) for name, one in value.items()})
    if isinstance(value, bool) is not (kind is bool) or not isinstance(value, (int, float) if kind is float else kind):
        raise TypeError(f"expected {kind.__name__}, got {value!r}")
    return float(value) if kind is float else value
