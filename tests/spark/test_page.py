"""The page on Spark: its blocks run, in a session."""

from __future__ import annotations

from pathlib import Path

from test_docs import blocks

PAGE = Path(__file__).parents[2] / "docs" / "spark.md"


def test_every_block_of_the_page_runs(session, capsys):
    names = {"session": session}
    found = blocks(PAGE, language="py")
    for block in found:
        exec(compile("\n" * (block.line - 1) + block.text, str(PAGE), "exec"), names)
    assert len(found) == 4
    assert "|   q1|0.666" in capsys.readouterr().out
