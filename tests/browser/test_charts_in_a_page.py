"""Charts as a reader sees them: drawn by a browser that reaches no network."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import altair as alt
import polars as pl

if TYPE_CHECKING:
    from playwright.sync_api import Page


def test_a_chart_saved_as_one_file_is_drawn_without_the_network(page: Page, tmp_path: Path) -> None:
    weights = pl.DataFrame({"rank": [1, 2, 3, 4], "weight": [0.5, 0.25, 0.125, 0.0625]})
    file = tmp_path / "weights.html"
    alt.Chart(weights).mark_bar().encode(x="rank:O", y="weight:Q").save(
        file, inline=True, embed_options={"renderer": "svg"}
    )
    page.goto(file.as_uri())
    page.wait_for_selector("#vis svg")
    assert page.locator("#vis svg .mark-rect path").count() == len(weights)
