"""Charts: files that are what their suffix says, and say what they should."""

from __future__ import annotations

import json
import struct
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import numpy as np
import pytest

from rankgauge.errors import InputError
from rankgauge.measures.classification import classify
from rankgauge.report.charts import PALETTE, save_chart
from rankgauge.report.curves import MOST_POINTS, curves_chart


@pytest.fixture(scope="module")
def chart():
    return curves_chart(classify([1, 0, 1, 0], [0.5, 0.5, 0.7, 0.1]))


class Tags(HTMLParser):
    """The elements of a page, with their attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, tuple]] = []

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, tuple(attrs)))


class Spec:
    """A chart that is its specification."""

    def __init__(self, title: str) -> None:
        self.title = title

    def to_dict(self):
        return {"data": {"values": [{"x": 1}]}, "mark": "point", "encoding": {}, "title": self.title}


def texts(svg: str) -> set[str]:
    return {element.text for element in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")}


def test_the_svg_says_the_areas_the_threshold_and_the_axes(chart, tmp_path):
    save_chart(chart, tmp_path / "c.svg")
    said = texts((tmp_path / "c.svg").read_text(encoding="utf-8"))
    assert {"ROC curve, AUC = 0.8750", "Precision–recall curve, AP = 0.8333"} <= said
    assert {"False positive rate", "True positive rate (recall)", "Recall", "Precision"} <= said
    assert {"threshold 0.5", "dashed: chance, the prevalence 0.5000"} <= said


def test_the_png_is_an_image_at_twice_the_size(chart, tmp_path):
    save_chart(chart, str(tmp_path / "c.PNG"))
    content = (tmp_path / "c.PNG").read_bytes()
    width, height = struct.unpack(">II", content[16:24])
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    assert width > 2 * 2 * 340
    assert height > 2 * 340


def test_the_html_page_needs_no_network(chart, tmp_path):
    save_chart(chart, tmp_path / "c.html", title="a < b")
    page = (tmp_path / "c.html").read_text(encoding="utf-8")
    tags = Tags()
    tags.feed(page)
    assert tags.seen.count(("script", ())) == 2
    assert {name for name, _ in tags.seen} == {"html", "head", "meta", "title", "script", "body", "div"}
    assert not {attribute for _, held in tags.seen for attribute, _ in held} & {"src", "href"}
    assert "<title>a &lt; b</title>" in page
    assert "window.vegaEmbed=" in page
    assert "AUC = 0.8750" in page


def test_no_text_of_a_chart_ends_its_script(tmp_path):
    save_chart(Spec("</script><script>alert(1)</script>"), tmp_path / "c.html")
    assert (tmp_path / "c.html").read_text(encoding="utf-8").count("</script>") == 2


def test_the_json_is_the_vega_lite_specification(chart, tmp_path):
    save_chart(chart, tmp_path / "c.json")
    spec = json.loads((tmp_path / "c.json").read_text(encoding="utf-8"))
    assert spec["$schema"].startswith("https://vega.github.io/schema/vega-lite/")
    assert spec["config"]["range"]["category"] == list(PALETTE)


def test_another_suffix_is_an_error(chart, tmp_path):
    with pytest.raises(InputError, match=r"got '\.gif'; name a file ending in \.svg, \.png, \.html or \.json"):
        save_chart(chart, tmp_path / "c.gif")


def test_a_folder_that_is_not_there_is_an_error(chart, tmp_path):
    with pytest.raises(InputError, match="expected a place to write a chart, got No such file or directory"):
        save_chart(chart, tmp_path / "none" / "c.json")


def curves(result) -> list[dict]:
    """Points of each curve that is drawn."""
    spec = curves_chart(result).to_dict()
    return [
        spec["datasets"][layer["data"]["name"]]
        for part in spec["hconcat"]
        for layer in part["layer"]
        if "order" in layer["encoding"]
    ]


def test_a_curve_is_drawn_through_its_points():
    roc, pr = curves(classify([1, 0, 1, 0], [0.5, 0.5, 0.7, 0.1]))
    assert [(p["x"], p["y"], p["t"]) for p in roc] == [(0, 0, "inf"), (0, 0.5, "0.7"), (0.5, 1, "0.5"), (1, 1, "0.1")]
    assert [(p["x"], p["y"]) for p in pr] == [(0, 1), (0.5, 1), (1, 0.66667), (1, 0.5)]


def test_a_long_curve_is_drawn_through_some_of_its_points_and_both_ends():
    rng = np.random.default_rng(1)
    labels = rng.random(20_000) < 0.1
    for points in curves(classify(labels, rng.normal(size=20_000) + labels)):
        assert MOST_POINTS / 2 < len(points) <= MOST_POINTS
        assert points[0]["x"] == 0
        assert points[-1]["x"] == 1


def test_an_undefined_curve_is_left_out():
    assert len(curves(classify([1, 1], [0.9, 0.2]))) == 1


def test_without_positives_there_is_nothing_to_draw():
    with pytest.raises(InputError, match="expected a positive item, without which there is no curve, got 2 negative"):
        curves_chart(classify([0, 0], [0.9, 0.2]))


def test_an_operating_point_that_is_undefined_is_not_marked():
    spec = json.dumps(curves_chart(classify([1, 0], [0.3, 0.2])).to_dict())
    assert spec.count("threshold 0.5") == 2  # its words and their white rim, on the ROC curve only
