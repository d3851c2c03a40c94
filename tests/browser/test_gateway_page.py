"""The gateway's page as its user sees it, without a script: on a phone and on a desktop."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

import rankgauge as rg
from rankgauge.retrieval.limits import Limits
from rankgauge.retrieval.protocols import Document
from rankgauge.service.gateway import Room
from rankgauge.service.golden import Golden
from service_worlds import ANIMALS, Client, Told, gateway_on, index_of, served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SIZES = [{"width": 375, "height": 812}, {"width": 1280, "height": 900}]
EVIL = '<script>document.title="evil"</script><img src=x onerror=alert(1)>'
DOCUMENTS = [
    *ANIMALS,
    Document('"><i>evil', f"a cat {EVIL} {'meow' * 60}", EVIL),
    Document("đà-điểu", "con đà điểu và con cat", "Đà điểu"),
]
GOLDEN = Golden(
    {"q1": "a small cat", "q2": EVIL}, rg.Qrels.from_dict({"q1": {"kitten": 2, "fish": 0, "cat": 1}, "q3": {"x": 1}})
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    folder = index_of(tmp_path_factory.mktemp("animals") / "idx", DOCUMENTS)
    with served(gateway_on(folder, Told(), golden=GOLDEN)) as client:
        yield client


@pytest.fixture
def view(browser: Browser, site: Client) -> Iterator[Page]:
    """A page of a browser without scripts that reaches the gateway only."""
    context = browser.new_context(java_script_enabled=False)
    asked: list[str] = []
    context.on("request", lambda request: asked.append(request.url))
    page = context.new_page()
    yield page
    context.close()
    assert [url for url in asked if not url.startswith(f"{site.address}/?") and url != f"{site.address}/"] in (
        [], [f"{site.address}/favicon.ico"],
    )  # fmt: skip


def test_a_query_is_typed_and_both_stages_stand_side_by_side(view: Page, site: Client):
    view.set_viewport_size(SIZES[1])
    view.goto(site.address)
    view.get_by_label("Query").fill("a small cat")
    view.get_by_role("button", name="Search").click()
    final, first = view.locator(".final"), view.locator(".first")
    assert final.locator("li").evaluate_all("all => all.map(one => one.dataset.doc)")[:2] == ["đà-điểu", "kitten"]
    assert first.locator("li").first.get_attribute("data-doc") == "kitten"
    assert view.get_by_label("Query").input_value() == "a small cat"
    left, right = final.bounding_box(), first.bounding_box()
    assert left and right and left["y"] == right["y"] and left["x"] + left["width"] <= right["x"]
    kitten = final.locator("li[data-doc=kitten]")
    assert kitten.locator(".moved").inner_text() == "▼ 1, was 1"
    assert kitten.locator(".score").inner_text() == "107.0000"
    assert first.locator("li[data-doc=kitten] .moved").inner_text() == "▼ 1, now 2"


def test_judgments_stand_beside_the_documents_of_a_known_query(view: Page, site: Client):
    for asked in ("a+small+cat", "q1", "anything+small&query_id=q1"):
        view.goto(f"{site.address}/?query={asked}")
        assert view.locator(".final li[data-doc=kitten] .grade").inner_text() == "grade 2"
        assert view.locator(".final li[data-doc=fish] .grade").count() <= 1
    facts = dict(zip(view.locator("dt").all_inner_texts(), view.locator("dd").all_inner_texts(), strict=True))
    assert facts["query id"] == "q1"
    value = GOLDEN.value("q1", view.locator(".final li").evaluate_all("all => all.map(one => one.dataset.doc)"))
    assert facts["nDCG@10"].endswith(f"→ {value:.4f}")
    assert facts["judged"].startswith(("1 of", "2 of", "3 of"))
    assert {"queue", "first", "second", "total", "scored"} <= facts.keys()
    view.goto(f"{site.address}/?query=dog")
    assert view.locator(".grade").count() == 0


@pytest.mark.parametrize("size", SIZES)
def test_nothing_is_wider_than_the_window_and_the_first_hit_is_in_sight(view: Page, site: Client, size):
    view.set_viewport_size(size)
    view.goto(f"{site.address}/?query=cat+{'very' * 60}")
    assert view.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
    view.goto(f"{site.address}/?query=cat")
    assert view.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
    box = view.locator(".final li").first.bounding_box()
    assert box and box["y"] < size["height"]


def test_whatever_documents_and_queries_hold_is_text(view: Page, site: Client):
    view.goto(site.address)
    view.get_by_label("Query").fill(f"cat {EVIL}")
    view.get_by_role("button", name="Search").click()
    assert view.get_by_label("Query").input_value() == f"cat {EVIL}"
    assert view.locator("script, img, i").count() == 0
    assert EVIL in view.locator(".final").inner_text()
    assert view.locator("datalist option").nth(1).get_attribute("value") == EVIL
    got = site.get("/")
    policy = got.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-") and "form-action 'self'" in policy


def test_what_is_refused_is_said_on_the_page_with_its_status(view: Page, site: Client):
    answer = view.goto(f"{site.address}/?query=cat&k=9999")
    assert answer is not None and answer.status == 422
    assert view.get_by_role("alert").inner_text() == "address.k: expected 1 to 100, got 9999; ask for fewer"
    view.goto(f"{site.address}/?query=xyzzy")
    assert view.locator(".nothing").inner_text() == "No document matches."


def test_a_degraded_answer_says_so_and_why(browser: Browser, tmp_path):
    go = threading.Event()
    budget = {"room": Room(budget=0.2), "limits": Limits(budget=0.2)}
    with served(gateway_on(index_of(tmp_path / "idx"), Told(lambda: go.wait(20)), **budget)) as site:  # type: ignore[arg-type]
        page = browser.new_page(java_script_enabled=False)
        page.goto(f"{site.address}/?query=a+small+cat")
        go.set()
        assert page.get_by_role("status").inner_text() == (
            "Degraded not reranked: the time was over before the second stage was done."
        )  # fmt: skip
        assert page.locator(".final li").first.get_attribute("data-doc") == "kitten"
        page.close()


def test_the_form_can_be_used_by_keyboard_alone(view: Page, site: Client):
    view.goto(site.address)
    view.keyboard.press("Tab")
    view.keyboard.type("small cat")
    view.keyboard.press("Enter")
    view.locator(".final li").first.wait_for()
    assert view.locator(".final li").first.get_attribute("data-doc") == "đà-điểu"
