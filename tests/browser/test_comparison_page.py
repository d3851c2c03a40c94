"""The report of a comparison as a reader uses it: by mouse, keyboard and phone, on paper, without colour or script."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import rankgauge as rg
from comparisons import Case, golden, simulated
from comparisons import case as made
from rankgauge.report.page import save_page
from rankgauge.report.page.numbers import FORMS, NONE

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SECONDS = 2.0
BUSY = 4
"""The limit of 2 s holds on an idle machine; one that runs other tests may take as many times longer."""
PHONE = {"width": 375, "height": 812}
HOSTILE = "</script><img src=x onerror=window.broken=1>\"'&lt;"


@pytest.fixture(scope="module")
def case() -> Case:
    return golden()


@pytest.fixture(scope="module")
def saved(case: Case, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save(case, tmp_path_factory.mktemp("page") / "report.html")


def save(case: Case, path: Path, **changes: Any) -> Path:
    given: dict[str, Any] = {"qrels": case.qrels, "runs": case.runs, "texts": case.texts, "queries": case.queries}
    save_page(case.comparison, path, **(given | changes))
    return path


def data_of(page: Page) -> Any:
    return json.loads(page.locator("#data").text_content() or "")


def at(data: Any, pointer: str) -> Any:
    for step in pointer.split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        data = data[int(key)] if isinstance(data, list) else data[key]
    return data


def numbers(page: Page, which: str = "data") -> list[list[str]]:
    read = "all => all.map(one => [one.dataset.key, one.dataset.as, one.textContent])"
    found: list[list[str]] = page.locator(which).evaluate_all(read)
    return found


def wrong(page: Page, which: str = "data") -> list[list[str]]:
    """Numbers that are not what the JSON has at their place."""
    data = data_of(page)
    found = numbers(page, which)
    texts = [NONE if at(data, key) is None else FORMS[form](at(data, key)) for key, form, _ in found]
    return [number for number, text in zip(found, texts, strict=True) if number[2] != text]


def sideways(page: Page) -> int:
    """How many pixels the page is wider than its window."""
    over: int = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return over


def test_it_opens_from_disk_with_the_verdict_first(page: Page, saved: Path, case: Case) -> None:
    page.goto(saved.as_uri())
    first = page.locator("main > *").first
    assert first.get_attribute("id") == "verdict"
    verdict = case.comparison.verdicts[0].verdict
    assert page.locator(".verdict .sentence").first.text_content() == verdict.sentence
    assert page.locator(".verdict h3 .word").all_text_contents() == [p.verdict.word for p in case.comparison.verdicts]
    box = page.locator(".verdict .sentence").first.bounding_box()
    assert box and box["y"] + box["height"] < page.evaluate("innerHeight"), "the verdict is seen without scrolling"


def test_its_file_names_no_address(saved: Path) -> None:
    assert re.findall(r"\w+://[^\s\"'<]+", saved.read_text("utf-8")) == []


def test_its_numbers_are_those_of_its_json(page: Page, saved: Path) -> None:
    page.goto(saved.as_uri())
    assert wrong(page) == []
    assert len(numbers(page)) > 200


def test_the_numbers_that_the_script_writes_are_those_of_the_json_for_every_query(page: Page, saved: Path) -> None:
    page.goto(saved.as_uri())
    queries = data_of(page)["per_query"]["queries"]
    for _ in range(2, len(queries) + 1):
        page.locator("#next").click()
        assert page.locator("#query data").count() == 2 * 5
        assert wrong(page, "#query data") == []
    assert page.locator("#found button").count() == len(queries)
    assert page.locator("#found li:last-child button").get_attribute("aria-current") == "true"


def test_the_script_rounds_as_python_does(page: Page, tmp_path: Path) -> None:
    """Halves that binary numbers hold exactly: 1/32 and 3/32 have five decimals and end in 5."""
    grades = {"q": {f"d{i}": int(i < 1) for i in range(32)}, "r": {f"d{i}": int(i < 3) for i in range(32)}}
    ranking = {query: {f"d{i}": float(-i) for i in range(32)} for query in grades}
    runs = (rg.Run.from_dict(ranking, name="old"), rg.Run.from_dict(ranking, name="new"))
    qrels = rg.Qrels.from_dict(grades)
    case = made(qrels, runs, ["P@32"])
    page.goto(save(case, tmp_path / "page.html").as_uri())
    seen = set()
    for query in range(2):
        page.locator("#found button").nth(query).click()
        assert wrong(page) == []
        seen |= set(page.locator("#query data").all_text_contents())
    assert seen == {"0.0312", "0.0938"}


def test_it_loads_in_two_seconds_with_five_runs_and_a_thousand_queries(page: Page, tmp_path: Path) -> None:
    case = simulated(5, 1000)
    page.goto(save(case, tmp_path / "large.html").as_uri())
    page.wait_for_selector("#query h3")
    timing = "performance.getEntriesByType('navigation')[0].loadEventEnd / 1000"
    page.wait_for_function(f"{timing} > 0")
    assert page.evaluate(timing) < SECONDS * BUSY


def test_the_keyboard_alone_finds_and_opens_a_query(page: Page, saved: Path) -> None:
    page.goto(saved.as_uri())
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the verdict"
    tab_to(page, "document.activeElement.getAttribute('role') === 'slider'")
    page.keyboard.press("End")
    said = page.evaluate("document.activeElement.getAttribute('aria-valuetext')")
    assert said.startswith("q05: bm25 parameters k1 and b. keyword 0.9173, vector 0.0000, difference −0.9173")
    page.keyboard.press("ArrowLeft")
    said = page.evaluate("document.activeElement.getAttribute('aria-valuetext')")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.tagName") == "H3"
    opened = page.locator("#query h3").text_content() or ""
    assert said.startswith(f"{opened.split()[-1]}: ")
    assert page.evaluate("location.hash").startswith(f"#query={opened.split()[-1]}&run=vector")


def test_the_keyboard_searches_the_list_and_follows_a_document_to_the_other_side(page: Page, saved: Path) -> None:
    page.goto(saved.as_uri())
    tab_to(page, "document.activeElement.id === 'find'")
    page.keyboard.type("RERANKER slow")
    assert page.locator("#found-count").text_content() == "1 of 32 queries"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert page.locator("#query h3").text_content() == "what happens when the reranker is slow or fails q04"
    tab_to(page, "document.activeElement.classList.contains('jump')")
    doc = page.evaluate("document.activeElement.closest('li').dataset.doc")
    page.keyboard.press("Enter")
    here = page.evaluate("(({doc, side}) => [doc, side])(document.activeElement.closest('li').dataset)")
    assert here == [doc, "1"]
    assert page.locator("li.linked").count() == 2


def tab_to(page: Page, reached: str) -> None:
    for _ in range(120):
        page.keyboard.press("Tab")
        if page.evaluate(reached):
            width = page.evaluate("parseFloat(getComputedStyle(document.activeElement).outlineWidth)")
            assert width >= 2, "what has the focus is seen to have it"
            return
    raise AssertionError(f"120 tabs did not reach: {reached}")


def test_a_click_on_a_bar_opens_its_query(page: Page, saved: Path) -> None:
    page.goto(saved.as_uri())
    plot = page.locator(".differences:not([hidden]) .plot")
    box = plot.bounding_box()
    assert box
    order = data_of(page)["page"]["order"][0]
    plot.click(position={"x": box["width"] * 0.5 / len(order), "y": 20})
    query = data_of(page)["per_query"]["queries"][order[0]]
    assert (
        page.locator("#query h3 small bdi").text_content(),
        page.locator(".readout:visible span").text_content(),
    ) == (
        query,
        page.locator(".differences:not([hidden]) .plot").get_attribute("aria-valuetext"),
    )


def test_one_query_shows_ranks_grades_moves_and_texts_on_both_sides(page: Page, saved: Path, case: Case) -> None:
    page.goto(f"{saved.as_uri()}#query=q04&run=vector")
    run = case.runs[1].ranked().to_dict()["q04"]
    shown = page.locator("#query .sides > div").nth(1).locator("li.doc")
    assert shown.locator(".id").all_text_contents() == list(run)[:10]
    assert shown.locator(".rank").all_text_contents() == [str(rank) for rank in range(1, 11)]
    grades = case.qrels.to_dict()["q04"]
    words = [text.partition(" ●")[0].partition(" ○")[0].strip() for text in shown.locator(".grade").all_text_contents()]
    assert words == [f"grade {grades[doc]:g}" if doc in grades else "? unjudged" for doc in list(run)[:10]]
    old = list(case.runs[0].ranked().to_dict()["q04"])
    moves = [
        "↑" if old.index(doc) > i else "↓" if old.index(doc) < i else "="
        for i, doc in enumerate(list(run)[:10])
        if doc in old
    ]
    assert [text[0] for text in shown.locator(".jump").all_text_contents()] == moves
    assert shown.locator(".text").first.text_content() == case.texts[next(iter(run))]
    page.get_by_role("button", name="Show the first 15").click()
    assert shown.count() == 15
    assert page.locator(".fold").first.text_content() == "the product shows the first 10"


def test_the_plot_and_the_view_follow_the_chosen_run_and_measure(page: Page, saved: Path) -> None:
    page.goto(saved.as_uri())
    page.select_option("#plot-run", "hybrid")
    page.select_option("#plot-measure", "AP")
    caption = page.locator(".differences:not([hidden]) figcaption")
    assert caption.count() == 1
    assert (caption.text_content() or "").startswith("hybrid − keyword, AP: ")
    page.select_option("#view-run", "hybrid")
    assert page.locator("#query .sides h4").nth(1).text_content() == "hybrid"
    page.select_option("#view-order", "name")
    assert (page.locator("#found button").first.text_content() or "").startswith("q01: how long does a refund take")


def test_a_phone_needs_no_sideways_scroll(page: Page, saved: Path) -> None:
    page.set_viewport_size(PHONE)
    page.goto(saved.as_uri())
    assert sideways(page) == 0
    page.locator("details").evaluate_all("all => all.forEach(one => { one.open = true; })")
    page.get_by_role("button", name="Show the first 15").click()
    assert sideways(page) == 0
    assert page.evaluate("document.querySelector('table.pairs').closest('.scroll').scrollWidth") > PHONE["width"]


def test_long_names_stay_within_a_phone(page: Page, tmp_path: Path) -> None:
    long = "x" * 150
    qrels = rg.Qrels.from_dict({long: {long: 1, "b": 1}})
    runs = (
        rg.Run.from_dict({long: {long: 1.0}}, name="old" + long),
        rg.Run.from_dict({long: {"b": 1.0}}, name="new" + long),
    )
    case = made(qrels, runs, ["AP"], {long: long}, {long: long})
    page.set_viewport_size(PHONE)
    page.goto(save(case, tmp_path / "page.html").as_uri())
    assert sideways(page) == 0


def test_paper_shows_everything_and_no_controls(page: Page, saved: Path) -> None:
    page.goto(saved.as_uri())
    page.emulate_media(media="print")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    hidden = page.locator("nav, .skip, .controls, .finder, .stepper, .readout, summary + *")
    visible = [one for one in hidden.all() if one.is_visible()]
    assert [one.evaluate("one => one.tagName") for one in visible] == ["UL", "DIV", "DIV"], "only what was folded"
    assert page.locator(".verdict").first.is_visible()
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert page.locator("details[open]").count() == 0


def test_verdicts_and_judgments_are_told_apart_without_colour(page: Page, saved: Path) -> None:
    page.emulate_media(forced_colors="active")
    page.goto(saved.as_uri())
    marks = dict(zip(texts(page, ".verdict-word .word"), texts(page, ".verdict-word .mark"), strict=True))
    assert marks == {
        "better": "▲",
        "worse": "▼",
        "equivalent": "=",
        "no difference seen": "~",
        "not comparable offline": "?",
    }
    style = (
        "one => [getComputedStyle(one).borderTopStyle, one.querySelector('.grade').textContent.includes('unjudged')]"
    )
    drawn = page.locator("li.doc").evaluate_all(f"all => all.map({style})")
    assert {tuple(one) for one in drawn} <= {("dashed", True), ("solid", False)}


def texts(page: Page, selector: str) -> list[str]:
    return page.locator(selector).all_text_contents()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_what_is_behind_it(page: Page, saved: Path, scheme: Any) -> None:
    """WCAG 2.2, 1.4.3: a contrast of 4.5 for text."""
    page.emulate_media(color_scheme=scheme)
    page.goto(f"{saved.as_uri()}#query=q04&run=vector")
    assert page.evaluate(FAINT) == []


FAINT = """() => {
  const rgb = (text) => text.match(/[\\d.]+/g).map(Number);
  const linear = (c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => [r, g, b].map((c) => linear(c / 255))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (one) => {
    for (let at = one; at; at = at.parentElement) {
      const found = rgb(getComputedStyle(at).backgroundColor);
      if (found.length < 4 || found[3] > 0) return found;
    }
    return [255, 255, 255];
  };
  const faint = new Set();
  for (const one of document.querySelectorAll("body *:not(script):not(svg):not(svg *)")) {
    const own = [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || !one.checkVisibility()) continue;
    const [a, b] = [light(rgb(getComputedStyle(one).color)), light(behind(one))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) faint.add(`${one.tagName}.${one.className} ${one.textContent.slice(0, 30)} ${ratio.toFixed(2)}`);
  }
  return [...faint];
}"""


def test_every_control_has_a_label_every_chart_a_title_and_every_head_its_scope(page: Page, saved: Path) -> None:
    page.goto(saved.as_uri())
    bare = """() => [
      ["select, input", (one) => !one.labels.length],
      ["button, a", (one) => !one.textContent.trim()],
      ["svg[role=img]", (one) => !one.querySelector("title") || !one.getAttribute("aria-label")],
      ["th", (one) => !one.scope],
      [".scroll", (one) => !one.getAttribute("aria-label")],
      [".scroll", (one) => one.checkVisibility() && one.scrollWidth > one.clientWidth && one.tabIndex !== 0],
    ].flatMap(([which, bad]) => [...document.querySelectorAll(which)].filter(bad))
      .map((one) => one.outerHTML.slice(0, 120))"""
    assert page.evaluate(bare) == []
    page.set_viewport_size(PHONE)
    assert page.evaluate(bare) == []
    ids = page.locator("[id]").evaluate_all("all => all.map(one => one.id)")
    assert len(ids) == len(set(ids))
    assert page.locator("html").get_attribute("lang") == "en"


def test_without_javascript_verdicts_tables_and_charts_are_there(browser: Browser, saved: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(saved.as_uri())
    assert page.locator(".verdict").count() == 2
    assert page.locator("table.pairs").is_visible()
    assert [one.is_visible() for one in page.locator("#plots figure").all()] == [True, True]
    assert page.locator(".intervals svg[role=img]").first.is_visible()
    assert page.get_by_text("This part needs JavaScript").is_visible()
    assert not page.locator("#viewer").is_visible()
    assert not page.locator("#plot-controls").is_visible()
    context.close()


def hostile() -> Case:
    qrels = rg.Qrels.from_dict({HOSTILE: {HOSTILE: 2, "__proto__": 1}, "constructor": {"toString": 1}})
    old = {HOSTILE: {HOSTILE: 2.0, "__proto__": 1.0}, "constructor": {"toString": 1.0}}
    new = {HOSTILE: {"valueOf": 2.0, HOSTILE: 1.0}, "constructor": {"x": 1.0}}
    runs = (rg.Run.from_dict(old, name="__proto__"), rg.Run.from_dict(new, name=HOSTILE))
    return made(qrels, runs, "nDCG@10", {HOSTILE: HOSTILE}, {HOSTILE: HOSTILE})


def test_hostile_names_stay_text(page: Page, tmp_path: Path) -> None:
    page.goto(save(hostile(), tmp_path / "page.html", title=HOSTILE).as_uri())
    for at in range(2):
        page.locator("#found button").nth(at).click()
        assert wrong(page) == []
    page.locator("#found button", has_text="onerror").click()
    assert page.locator("#query h3 bdi").first.text_content() == HOSTILE
    assert page.locator(".sides .id").first.text_content() == HOSTILE
    assert page.locator("li.doc .text").all_text_contents() == [HOSTILE, HOSTILE]
    assert page.title() == HOSTILE
    assert page.locator("img").count() == 0
    assert page.evaluate("window.broken") is None


def one_query() -> Case:
    qrels = rg.Qrels.from_dict({"q": {"a": 1}})
    runs = (rg.Run.from_dict({"q": {"a": 1.0}}, name="old"), rg.Run.from_dict({"q": {"b": 2.0, "a": 1.0}}, name="new"))
    return made(qrels, runs, ["nDCG@10"])


def nothing_defined() -> Case:
    qrels = rg.Qrels.from_dict({"q": {"a": 0}})
    runs = (rg.Run.from_dict({"q": {"a": 1.0}}, name="old"), rg.Run.from_dict({"q": {"b": 2.0}}, name="new"))
    return made(qrels, runs, ["AP"])


def half_missing() -> Case:
    qrels = rg.Qrels.from_dict({"q": {"a": 1}, "r": {"b": 1}, "s": {"c": 0}})
    runs = (
        rg.Run.from_dict({"q": {"a": 1.0}, "s": {"c": 1.0}}, name="old"),
        rg.Run.from_dict({"r": {"b": 2.0}}, name="new"),
    )
    return made(qrels, runs, ["AP", "R@10"])


@pytest.mark.parametrize("make", [one_query, nothing_defined, half_missing])
@pytest.mark.parametrize("handed", [True, False], ids=["with runs", "without runs"])
def test_the_smallest_comparisons_make_whole_pages(
    page: Page, tmp_path: Path, make: Callable[[], Case], handed: bool
) -> None:
    case = make()
    page.goto(save(case, tmp_path / "page.html", **({} if handed else {"runs": None})).as_uri())
    assert wrong(page) == []
    assert "NaN" not in (page.locator("main").inner_text())
    assert "undefined" not in (page.locator("#view").inner_text().replace("undefined\n", ""))
    assert page.locator("#query h3").count() == int(handed)
    page.set_viewport_size(PHONE)
    assert sideways(page) == 0
