"""Prompts as files: a version, named sections, and places that are filled once."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from rankgauge.errors import Fault, FormatError, MethodError

LANGUAGES = ("en", "vi", "zh")
VERSION = re.compile(r"version:\s*(\S+)\s*")
SECTION = re.compile(r"^\[([a-z0-9 ]+)\]\n", re.MULTILINE)
PLACE = re.compile(r"\{([a-z]+)\}")


@dataclass(frozen=True)
class Prompt:
    """A prompt: sections of text, with places such as {query}.

    Attributes
    ----------
    called : name, language and version, as "relevance/en@1"
    digest : of the file, so that labels tell a changed prompt from the one before
    """

    called: str
    digest: str
    sections: Mapping[str, str]

    def fill(self, section: str, **values: str) -> str:
        """Fill the places of a section. What was filled in is not looked at again: a text cannot name a place."""
        return PLACE.sub(lambda place: values.get(place[1], place[0]), self.sections[section])


@cache
def prompt(name: str, language: str = "en") -> Prompt:
    """Load a prompt of the package. Raises MethodError for a language that it is not written in."""
    if language not in LANGUAGES:
        raise MethodError(f"language: expected {', '.join(LANGUAGES)}, got {language!r}; or name a prompt file")
    file = resources.files("rankgauge.judges") / "prompts" / f"{name}.{language}.txt"
    return _parsed(f"{name}/{language}", file.read_text(encoding="utf-8"), str(file))


def read_prompt(path: Path, like: Prompt) -> Prompt:
    """Read a prompt of one's own, which has the sections and the places of one of the package.

    Raises
    ------
    FormatError
        For a file without a version, and for one that lacks a section or a place.
    """
    found = _parsed(path.stem, path.read_text(encoding="utf-8"), str(path))
    for section, text in like.sections.items():
        if section not in found.sections:
            raise FormatError(Fault(str(path), f"a section [{section}]", ", ".join(found.sections) or "none"))
        lacking = set(PLACE.findall(text)) - set(PLACE.findall(found.sections[section]))
        if lacking:
            raise FormatError(Fault(f"{path}: [{section}]", f"the place {{{min(lacking)}}}", "none"))
    return found


def _parsed(name: str, text: str, where: str) -> Prompt:
    head, *parts = SECTION.split(text)
    version = VERSION.fullmatch(head)
    if version is None:
        raise FormatError(Fault(where, "a first line as version: 1", repr(head[:40])))
    sections = {title: body.strip() for title, body in zip(parts[::2], parts[1::2], strict=True)}
    return Prompt(f"{name}@{version[1]}", hashlib.sha256(text.encode()).hexdigest()[:8], sections)
