"""The page of a sweep as a reader sees it, wide and narrow."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rankgauge.report.page.sweeps import save_sweep
from rankgauge.study.choice import Budget, choose
from rankgauge.study.load import Load
from rankgauge.study.sweep import Plan, Prices, sweep
from sweep_worlds import QUERIES, Second, engine, qrels

if TYPE_CHECKING:
    from playwright.sync_api import Page

SIZES = [{"width": 375, "height": 812}, {"width": 1280, "height": 900}]


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    plan = Plan((0, 3, 5, 10), "nDCG@3", Load(requests=5, warm=0), Prices(pairs=1.0))
    found = sweep(engine(fp32=Second(), int8=Second("contrary", -1.0)), QUERIES, qrels(), plan)
    path = tmp_path_factory.mktemp("page") / "sweep.html"
    save_sweep(found, choose(found, [Budget.parse("p99=1s")]), path)
    return path


@pytest.mark.parametrize("size", SIZES)
def test_choice_and_picture_are_in_sight_and_nothing_is_wider_than_the_window(page: Page, saved: Path, size):
    page.set_viewport_size(size)
    page.goto(saved.as_uri())
    box = page.locator(".verdict .sentence").first.bounding_box()
    assert box and box["y"] + box["height"] < size["height"]
    assert page.locator(".sweep img").evaluate("img => img.complete && img.naturalWidth") > 300
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0


def test_every_point_is_a_row_and_the_best_one_is_marked(page: Page, saved: Path):
    page.goto(saved.as_uri())
    rows = page.locator(".points tbody tr")
    assert rows.count() == 7
    best = page.locator(".points tr[data-mark=best]")
    assert best.count() == 1
    assert best.locator("th").inner_text().startswith("fp32, 10")
    assert best.locator("td").first.inner_text() == "1.0000"
