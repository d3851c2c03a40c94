"""The page of trends as a reader uses it: by mouse, keyboard and phone, in the dark, without script."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import rankgauge as rg
from rankgauge.report.page.trends import save_trends
from trends import simulated

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PHONE = {"width": 375, "height": 812}


@pytest.fixture(scope="module")
def trends(tmp_path_factory: pytest.TempPathFactory) -> list[rg.Trend]:
    results = simulated(
        tmp_path_factory.mktemp("results"), 60, drop=0.1, at=59, skip=(25, 26), unjudged={20: 0.3},
        measures=["P@5", "RBP(p=0.8)"],
    )  # fmt: skip
    return [rg.trend(results, measure) for measure in ("P@5", "RBP(p=0.8)")]


@pytest.fixture(scope="module")
def saved(trends: list[rg.Trend], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "trend.html"
    save_trends(trends, path)
    return path


def sideways(page: Page) -> int:
    over: int = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return over


def test_it_opens_from_disk_with_the_verdict_in_sight(page: Page, saved: Path, trends: list[rg.Trend]) -> None:
    page.goto(saved.as_uri())
    first = page.locator(".verdict .sentence").first
    assert first.text_content() == trends[0].said.sentence
    box = first.bounding_box()
    assert box and box["y"] + box["height"] < page.evaluate("innerHeight")


@pytest.mark.parametrize("size", [PHONE, {"width": 1280, "height": 900}])
def test_it_is_never_wider_than_its_window(page: Page, saved: Path, size: dict[str, int]) -> None:
    page.set_viewport_size(size)  # type: ignore[arg-type]
    page.goto(saved.as_uri())
    page.locator("summary").evaluate_all("all => all.forEach(one => one.click())")
    assert sideways(page) == 0


def test_arrow_keys_read_day_after_day(page: Page, saved: Path) -> None:
    page.goto(saved.as_uri())
    plot = page.locator(".plot").first
    readout = page.locator(".readout").first
    assert not page.locator(".needle").first.is_visible()
    plot.focus()
    assert (readout.text_content() or "").startswith("2026-07-30, drop: P@5 0.")
    page.keyboard.press("ArrowLeft")
    assert (readout.text_content() or "").startswith("2026-07-29, as expected: ")
    page.keyboard.press("PageUp")
    assert plot.get_attribute("aria-valuenow") == "60"
    page.keyboard.press("Home")
    assert (plot.get_attribute("aria-valuetext") or "").startswith("2026-06-01, too early: ")
    page.keyboard.press("ArrowLeft")
    assert plot.get_attribute("aria-valuenow") == "1"
    assert page.locator(".needle").first.is_visible()


def test_the_pointer_reads_the_day_below_it(page: Page, saved: Path) -> None:
    page.goto(saved.as_uri())
    page.locator(".plot").first.hover(position={"x": 2, "y": 120})
    assert (page.locator(".readout").first.text_content() or "").startswith("2026-06-01, ")
    box = page.locator(".plot").first.bounding_box()
    assert box
    page.locator(".plot").first.hover(position={"x": box["width"] * 25.5 / 60, "y": 120})
    assert page.locator(".readout").first.text_content() == "2026-06-26: no data"


def test_the_points_stand_where_their_days_are(page: Page, saved: Path) -> None:
    page.goto(saved.as_uri())
    plot = page.locator(".plot").first.bounding_box()
    points = page.locator("#trend-1 .measure circle").evaluate_all(
        "all => all.map(one => { const box = one.getBoundingClientRect(); return (box.left + box.right) / 2; })"
    )
    assert plot
    days = [number for number in range(60) if number not in (25, 26)]
    wanted = [plot["x"] + plot["width"] * (number + 0.5) / 60 for number in days]
    assert points == pytest.approx(wanted, abs=0.6)


def test_the_table_of_numbers_is_reached_by_keyboard(page: Page, saved: Path) -> None:
    page.goto(saved.as_uri())
    page.locator("summary").first.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "Days of P@5"
    assert page.locator("#trend-1 tbody tr").count() == 59


def test_it_is_dark_where_the_reader_wants_that(browser: Browser, saved: Path) -> None:
    context = browser.new_context(color_scheme="dark")
    page = context.new_page()
    page.goto(saved.as_uri())
    band = "getComputedStyle(document.querySelector('.measure .band')).fill"
    colours = page.evaluate(f"[getComputedStyle(document.body).backgroundColor, {band}]")
    assert colours == ["rgb(21, 24, 26)", "rgb(33, 48, 59)"]
    context.close()


def test_without_script_charts_and_numbers_are_there(browser: Browser, saved: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(saved.as_uri())
    assert page.locator("#trend-1 .measure circle").count() == 58
    page.locator("summary").first.click()
    assert page.locator("#trend-1 tbody tr").first.is_visible()
    context.close()
