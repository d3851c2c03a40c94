"""What an index folder says of itself: which generation counts, and what it was built with."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rankgauge.errors import Fault, InputError

FORMAT = 1
FILE = "manifest.json"
LOCK = ".lock"
BUILDING = "building"


@dataclass(frozen=True)
class Model:
    """The embedding model of an index: where it was loaded from, its name, and what vectors it makes."""

    source: str
    name: str
    dimension: int


@dataclass(frozen=True)
class Manifest:
    """An index at one generation.

    Attributes
    ----------
    generation : raised by every change; an answer that was remembered is good for one generation only
    documents : how many
    lexical : engine, variant, k1, b and tokenizer, or nothing
    model : of the vectors, or None
    precision : of the stored vectors
    id : unlike that of any other index and of any other state of this one, wherever it is copied to
    """

    generation: int
    documents: int
    lexical: Mapping[str, Any]
    model: Model | None = None
    precision: str = "f32"
    id: str = ""

    @property
    def folder(self) -> str:
        """Name of the folder that holds this generation."""
        return f"generation-{self.generation}"

    @classmethod
    def read(cls, folder: Path) -> Manifest:
        """Read the manifest of an index; a half-built index has none."""
        file = folder / FILE
        try:
            read = json.loads(file.read_text("utf-8"))
        except FileNotFoundError:
            got = "an index that is not finished" if (folder / BUILDING).is_dir() else "none"
            advice = "give the same command again: it goes on" if (folder / BUILDING).is_dir() else "rankgauge index"
            raise InputError(Fault(str(folder), "an index", got, advice)) from None
        except (OSError, ValueError) as error:
            raise InputError(Fault(str(file), "an index's manifest", str(error), "build the index again")) from None
        if not isinstance(read, dict) or read.get("format") != FORMAT:
            got = f"format {read.get('format')}" if isinstance(read, dict) else "something else"
            advice = "build it again with this version of rankgauge"
            raise InputError(Fault(str(file), f"an index of format {FORMAT}", got, advice))
        model = None if read["model"] is None else Model(**read["model"])
        return cls(read["generation"], read["documents"], read["lexical"], model, read["precision"], read.get("id", ""))

    def write(self, folder: Path) -> None:
        """Make this the generation that counts."""
        part = folder / f"{FILE}.part"
        text = json.dumps({"format": FORMAT, **asdict(self)}, indent=2, ensure_ascii=False)
        with part.open("w", encoding="utf-8") as file:
            file.write(text + "\n")
            file.flush()
            os.fsync(file.fileno())
        part.replace(folder / FILE)


@contextmanager
def changing(folder: Path) -> Iterator[None]:
    """Keep every other process from changing the index meanwhile.

    Raises InputError where another process is at it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / LOCK).open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            advice = "wait until it is done"
            raise InputError(Fault(str(folder), "an index that nobody changes", "another writer", advice)) from None
        yield
