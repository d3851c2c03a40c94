"""The page as text: its one JSON object, what stands where, and what cannot break out of it."""

from __future__ import annotations

import json
import math
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankgauge as rg
from comparisons import Case, golden, simulated
from comparisons import case as made
from rankgauge.conventions import convention
from rankgauge.errors import InputError, ParameterError
from rankgauge.report.comparison import as_json
from rankgauge.report.page import save_page
from rankgauge.report.page.data import script_json
from rankgauge.report.page.drawing import Scale
from rankgauge.report.page.markup import Markup, name, tag, together
from rankgauge.report.page.numbers import FORMS, NONE
from rankgauge.report.page.rankings import MOST_TEXT, first_documents, text_length

HOSTILE = "</script><img src=x onerror=alert(1)>\"'&amp;"


class Reader(HTMLParser):
    """Tags in document order, the numbers with their keys, and the text of every script and style."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.numbers: list[tuple[str, str, str]] = []
        self.raw: list[str] = []
        self._number: tuple[str, str] | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.tags.append((tag, found))
        if tag == "data":
            self._number = str(found["data-key"]), str(found["data-as"])

    def handle_data(self, data: str) -> None:
        if self._number:
            self.numbers.append((*self._number, data))
            self._number = None
        if self.tags and self.tags[-1][0] in {"script", "style"}:
            self.raw.append(data)


@pytest.fixture(scope="module")
def case() -> Case:
    return golden()


def page_of(case: Case, path: Path, **changes: Any) -> str:
    given: dict[str, Any] = {"qrels": case.qrels, "runs": case.runs, "texts": case.texts, "queries": case.queries}
    save_page(case.comparison, path, **(given | changes))
    return path.read_text("utf-8")


def data_of(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found
    made: dict[str, Any] = json.loads(found[1])
    return made


def at(data: Any, pointer: str) -> Any:
    for step in pointer.split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        data = data[int(key)] if isinstance(data, list) else data[key]
    return data


def test_the_page_holds_the_comparisons_json_object_as_it_is(case: Case, tmp_path: Path) -> None:
    data = data_of(page_of(case, tmp_path / "page.html"))
    page = data.pop("page")
    assert data == json.loads(json.dumps(as_json(case.comparison)))
    assert page["runs"] == ["keyword", "vector", "hybrid"]


def test_every_number_is_written_from_the_json_at_the_place_it_names(case: Case, tmp_path: Path) -> None:
    page = page_of(case, tmp_path / "page.html")
    data, numbers = data_of(page), Reader(page).numbers
    expected = [NONE if at(data, key) is None else FORMS[form](at(data, key)) for key, form, _ in numbers]
    assert [text for _, _, text in numbers] == expected
    assert len(numbers) > 200


def test_every_pairs_numbers_are_on_the_page(case: Case, tmp_path: Path) -> None:
    keys = {key for key, _, _ in Reader(page_of(case, tmp_path / "page.html")).numbers}
    wanted = (
        "run_mean",
        "baseline_mean",
        "difference",
        "low",
        "high",
        "p_adjusted",
        "wins",
        "ties",
        "losses",
        "run_unjudged",
    )
    firsts = {
        next(i for i, pair in enumerate(case.comparison.pairs) if pair.measure == m)
        for m in case.comparison.scores.measures
    }
    missing = [
        (i, key)
        for i in range(len(case.comparison.pairs))
        for key in wanted
        if f"/pairs/{i}/{key}" not in keys and (key != "baseline_mean" or i in firsts)
    ]
    assert missing == []


def test_the_sections_stand_in_order_and_the_verdict_is_first(case: Case, tmp_path: Path) -> None:
    tags = Reader(page_of(case, tmp_path / "page.html")).tags
    sections = [attributes["id"] for tag, attributes in tags if tag == "section"]
    assert sections == [
        "verdict",
        "table",
        "intervals",
        "queries",
        "heat",
        "unjudged",
        "weights",
        "everyone",
        "view",
        "method",
    ]


def test_two_runs_have_no_table_of_all_against_each_other(case: Case, tmp_path: Path) -> None:
    two = made(case.qrels, case.runs[:2])
    sections = [
        attributes["id"] for tag, attributes in Reader(page_of(two, tmp_path / "p.html")).tags if tag == "section"
    ]
    assert "everyone" not in sections


def test_the_page_names_no_address_at_all(case: Case, tmp_path: Path) -> None:
    page = page_of(case, tmp_path / "page.html")
    assert re.findall(r"\w+://[^\s\"'<]+", page) == []
    sources = [
        value for _, attributes in Reader(page).tags for key, value in attributes.items() if key in {"src", "href"}
    ]
    assert all(str(one).startswith("#") for one in sources)


def test_the_same_comparison_gives_the_same_bytes(case: Case, tmp_path: Path) -> None:
    assert page_of(case, tmp_path / "a.html") == page_of(case, tmp_path / "b.html")


def hostile() -> Case:
    """Names, queries and texts that try to leave their places."""
    qrels = rg.Qrels.from_dict({HOSTILE: {HOSTILE: 2, "b": 1}, "q2": {"b": 1}})
    good, bad = {HOSTILE: {HOSTILE: 2.0, "b": 1.0}, "q2": {"b": 1.0}}, {HOSTILE: {"c": 1.0}, "q2": {"d": 2.0, "b": 1.0}}
    runs = (rg.Run.from_dict(good, name="<b>old</b>"), rg.Run.from_dict(bad, name=HOSTILE))
    return made(qrels, runs, "nDCG@10", {HOSTILE: HOSTILE, "b": "<!-- \u2028"}, {HOSTILE: HOSTILE})


def test_hostile_names_make_no_tag_and_end_no_script(tmp_path: Path) -> None:
    page = page_of(hostile(), tmp_path / "page.html", title=HOSTILE)
    reader = Reader(page)
    assert "<img" not in page and "<b>old" not in page and "<!--" not in page
    assert sum(tag == "script" for tag, _ in reader.tags) == 2
    data = data_of(page)
    assert data["page"]["title"] == HOSTILE
    assert data["page"]["texts"][HOSTILE] == HOSTILE
    assert data["per_query"]["queries"][0] == HOSTILE


def test_a_page_without_runs_says_why_single_queries_cannot_be_shown(case: Case, tmp_path: Path) -> None:
    page = page_of(case, tmp_path / "page.html", runs=None)
    assert "The rankings were not handed to this report" in page
    assert data_of(page)["page"]["rankings"] is None
    assert 'id="viewer"' not in page


def test_numbers_that_do_not_exist_are_null_and_a_dash(tmp_path: Path) -> None:
    qrels = rg.Qrels.from_dict({"q1": {"a": 1}, "q2": {"a": 0}})
    runs = [
        rg.Run.from_dict({"q1": {"a": 1.0}, "q2": {"a": 1.0}}, name="old"),
        rg.Run.from_dict({"q1": {"b": 1.0}}, name="new"),
    ]
    page = page_of(made(qrels, runs, ["AP", "nDCG@10"]), tmp_path / "page.html")
    data = data_of(page)
    assert data["pairs"][0]["low"] is None and data["pairs"][0]["p_adjusted"] is None
    assert data["per_query"]["values"]["AP"]["old"] == [1.0, None]
    assert ("/pairs/0/p_adjusted", "p", NONE) in Reader(page).numbers
    assert ("/pairs/0/tests/0/statistic", "value", NONE) in Reader(page).numbers


def test_a_measure_that_no_query_defines_still_has_its_row(tmp_path: Path) -> None:
    qrels = rg.Qrels.from_dict({"q1": {"a": 0}})
    runs = [rg.Run.from_dict({"q1": {"a": 1.0}}, name=name) for name in ("old", "new")]
    page = page_of(made(qrels, runs, ["AP"]), tmp_path / "page.html")
    assert data_of(page)["pairs"][0]["difference"] is None
    assert "No query has a value on both sides." in page


def test_a_page_can_be_made_from_dictionaries_as_compare_can(tmp_path: Path) -> None:
    qrels, runs = {"q": {"a": 1}}, {"old": {"q": {"a": 1.0}}, "new": {"q": {"b": 1.0}}}
    save_page(rg.compare(qrels, runs), tmp_path / "page.html", qrels=qrels, runs=runs)
    assert data_of((tmp_path / "page.html").read_text("utf-8"))["page"]["rankings"][0]["docs"] == ["a", "b"]


def test_infinite_scores_are_null_and_not_a_fault_of_the_json(tmp_path: Path) -> None:
    qrels = rg.Qrels.from_dict({"q1": {"a": 1}})
    runs = [rg.Run.from_dict({"q1": {"a": math.inf, "b": 1.0}}, name=name) for name in ("old", "new")]
    page = page_of(made(qrels, runs, ["AP"]), tmp_path / "page.html")
    assert data_of(page)["page"]["rankings"][0]["scores"][0] == [None, 1.0]


def test_rankings_stand_in_the_order_of_the_convention_to_the_depth_asked_for() -> None:
    run = rg.Run.from_dict({"q": {"a": 1.0, "b": 2.0, "c": 1.0}, "r": {"x": 1.0}})
    falling = first_documents(run, convention("trec_eval"), 2)
    assert falling["q"].docs == ["b", "c"] and falling["q"].scores == [2.0, 1.0]
    assert first_documents(run, convention("trec_eval").but(ties="docid-asc"), 2)["q"].docs == ["b", "a"]
    assert falling["r"].docs == ["x"]


def test_each_query_holds_grades_unjudged_documents_and_what_all_runs_missed(tmp_path: Path) -> None:
    qrels = rg.Qrels.from_dict({"q": {"a": 2, "z": 3, "n": 0}})
    runs = [rg.Run.from_dict({"q": {"a": 2.0, "u": 1.0}}, name="old"), rg.Run.from_dict({"q": {"u": 1.0}}, name="new")]
    page = page_of(made(qrels, runs, ["AP"]), tmp_path / "page.html")
    found = data_of(page)["page"]["rankings"]
    assert found == [
        {
            "docs": ["a", "u", "z"],
            "grades": [2.0, None, 3.0],
            "lists": [[0, 1], [1]],
            "scores": [[2.0, 1.0], [1.0]],
            "more_missed": 0,
        }
    ]


def test_the_page_says_how_much_of_a_measures_weight_the_product_shows(case: Case, tmp_path: Path) -> None:
    page = page_of(case, tmp_path / "page.html", product_depth=3)
    profiles = {one["measure"]: one for one in data_of(page)["page"]["profiles"]}
    assert profiles["RBP(p=0.8)"]["within"] == pytest.approx(1 - 0.8**3)
    assert profiles["P@5"]["within"] == pytest.approx(0.6)
    assert profiles["Judged@10"]["W"] is None
    assert (
        "RBP(p=0.8): 48.8% of its weight lies in the first 3 ranks; 51.2% lies on ranks below what your product shows."
        in page
    )
    assert "Judged@10 is not a model of a user: it has no weights by rank." in page


def test_the_script_and_the_style_are_the_only_ones_that_may_run(case: Case, tmp_path: Path) -> None:
    tags = Reader(page_of(case, tmp_path / "page.html")).tags
    policy = next(
        str(a["content"]) for tag, a in tags if tag == "meta" and a.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy and "http" not in policy
    assert [
        tag for tag, attributes in tags if "style" in attributes or any(key.startswith("on") for key in attributes)
    ] == []


@pytest.mark.parametrize("depth", [0, -1, 1001])
def test_a_product_depth_that_no_page_has_is_an_error(case: Case, tmp_path: Path, depth: int) -> None:
    with pytest.raises(ParameterError, match=f"product depth: expected a number of ranks from 1 to 1000, got {depth}"):
        save_page(case.comparison, tmp_path / "page.html", product_depth=depth)


def test_a_place_that_cannot_be_written_is_an_error_that_names_it(case: Case, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no/page\.html: expected a place to write the report"):
        save_page(case.comparison, tmp_path / "no" / "page.html")


def test_texts_get_shorter_so_that_all_together_stay_small() -> None:
    assert text_length([1_000] * 10) == 600
    assert text_length([1_000] * 15_000) == 400
    assert text_length([1_000] * 100_000) == 120
    assert text_length([10] * (MOST_TEXT // 10)) == 600


def test_text_is_escaped_and_markup_is_not() -> None:
    assert tag("p", "<b>", Markup("<i>x</i>"), class_='a"b') == '<p class="a&quot;b">&lt;b&gt;<i>x</i></p>'
    assert together("a", None, ["<", name("&")]) == "a&lt;<bdi>&amp;</bdi>"
    assert tag("p", "a\x00b\ud800c") == "<p>a\ufffdb\ufffdc</p>"


def test_json_cannot_end_its_script_and_has_no_half_characters() -> None:
    text = script_json({"a": "</script><!--\u2028&\ud800"})
    assert not set("<>&\u2028") & set(text)
    assert json.loads(text) == {"a": "</script><!--\u2028&" + "\ufffd" * 3} or json.loads(text)["a"].endswith("\ufffd")


def test_a_scale_of_nothing_but_zero_can_be_drawn() -> None:
    scale = Scale.over([0.0, None])
    assert scale.at(0) == pytest.approx(50) and scale.ticks()


def test_a_thousand_queries_and_five_runs_make_a_page_of_a_few_megabytes(tmp_path: Path) -> None:
    case = simulated(5, 1000)
    page = page_of(case, tmp_path / "page.html")
    assert len(page) < 6_000_000
    order = data_of(page)["page"]["order"][0]
    pair = case.comparison.pairs[0]
    differences = dict(zip(pair.query.tolist(), pair.differences.tolist(), strict=True))
    assert (np.diff([differences[query] for query in order]) <= 0).all()
