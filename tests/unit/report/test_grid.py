"""Tests of tables as text: names that other programs would take for something else stay as they are."""

from __future__ import annotations

import pytest

from rankgauge.report.grid import FORMATS, Grid


@pytest.mark.parametrize("format", [one for one in FORMATS if one != "json"])
@pytest.mark.parametrize("name", [":m:", "llm:smile:relevance", "[bold]run[/bold]"])
def test_names_stay_as_they_are(name, format):
    assert name in Grid(("run", "value"), [[name, 0.5]]).render(format)
