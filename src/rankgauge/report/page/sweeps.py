"""The page of a sweep: what to take, quality against latency as a picture, and every point in a table."""

from __future__ import annotations

import base64
from os import PathLike
from typing import Any

import vl_convert

from rankgauge.report.page.data import versions, without_nan
from rankgauge.report.page.markup import Markup, box, measure_name, tag, together
from rankgauge.report.page.numbers import NONE, Content
from rankgauge.report.page.shell import contents, document, footer, save, section
from rankgauge.report.sweep import as_json
from rankgauge.report.sweep_chart import sweep_chart
from rankgauge.study.choice import Choice
from rankgauge.study.sweep import Sweep

HEADS = ("Point", "Mean", "95% interval", "Against the depth before", "p", "Recall", "Unjudged", "p50, p95, p99, ms",
         "Cost")  # fmt: skip


def save_sweep(sweep: Sweep, choice: Choice, path: str | PathLike[str], *, title: str | None = None) -> None:
    """Write a sweep as one HTML page that needs no network. Raises InputError for a path that cannot be written."""
    save(path, page(sweep, choice, title=title))


def page(sweep: Sweep, choice: Choice, *, title: str | None = None) -> str:
    """Write the page as text."""
    named = title or f"{sweep.measure} against latency"
    picture = vl_convert.vegalite_to_svg(sweep_chart(sweep, choice).to_dict())
    content = Content(without_nan(as_json(sweep, choice) | {"page": {"title": named, "versions": versions()}}))
    version = content.at("page", "versions", "rankgauge")
    body = _body(content, named, base64.b64encode(picture.encode()).decode(), version)
    return document(content, body, title=named, version=version, parts=("page", "sweep"))


def _body(c: Content, title: str, picture: str, version: str) -> list[Markup]:
    first = f"first stage {c.data['first_stage']}"
    facts = " · ".join((f"{c.data['queries']} queries", first, c.data["load"], c.data["measured_on"]))
    sections = [
        section("chart", "Quality against latency", None, _picture(c, picture)),
        section("points", "Every point", None, _table(c)),
        section("method", "How the numbers were had", None, _notes(c)),
    ]
    said = [tag("p", line, class_="sentence") for line in c.data["said"]]
    card = tag("article", *said, class_="verdict is-equivalent")
    head = tag("h2", "What to take", id="verdict-title")
    verdict = tag("section", head, card, id="verdict", aria_labelledby="verdict-title")
    return [
        tag("a", "Skip to the points", href="#points", class_="skip"),
        tag("header", tag("p", "rankgauge sweep", class_="kicker"), tag("h1", title), tag("p", facts, class_="facts")),
        tag("main", verdict, contents(sections), *[one.markup for one in sections]),
        footer(version),
    ]


def _picture(c: Content, picture: str) -> Markup:
    said = "; ".join(f"{_named(one)} {one['mean']:.4f} at {1000 * one['p99']:.1f} ms" for one in c.data["points"]
                     if one["mean"] is not None)  # fmt: skip
    alt = f"{c.data['measure']} of each point against its p99 latency: {said}"
    return tag("figure", tag("img", src=f"data:image/svg+xml;base64,{picture}", alt=alt), class_="sweep")


def _table(c: Content) -> Markup:
    head = [tag("th", one, scope="col", class_="right" if i else None) for i, one in enumerate(HEADS)]
    rows = [_row(c, number) for number in range(len(c.data["points"]))]
    caption = tag("caption", measure_name(c.data["measure"]), class_="unseen-title")
    table = tag("table", caption, tag("thead", tag("tr", *head)), tag("tbody", *rows), class_="points")
    return box(table, label="Every point")


def _row(c: Content, number: int) -> Markup:
    at = ("points", number)
    point = c.at(*at)
    moved = point["change"]
    change = NONE if moved is None else together(
        c.number("signed", *at, "change", "estimate"), " (", c.number("signed", *at, "change", "low"), " to ",
        c.number("signed", *at, "change", "high"), ")",
    )  # fmt: skip
    spread = together(c.number("value", *at, "low"), " to ", c.number("value", *at, "high"))
    times = " · ".join(f"{1000 * point[name]:,.1f}" for name in ("p50", "p95", "p99"))
    cost = NONE if point["cost"] is None else f"{point['cost']:.4g}"
    p = NONE if moved is None else c.number("p", *at, "change", "p")
    cells = [c.number("value", *at, "mean"), spread, change, p, c.number("value", *at, "recall"),
             c.number("share", *at, "unjudged"), times, cost]  # fmt: skip
    sign = tag("span", point["mark"], class_="verdict-word") if point["mark"] else None
    name = tag("th", _named(point), " ", sign, scope="row")
    return tag("tr", name, *[tag("td", cell, class_="right") for cell in cells], data_mark=point["mark"] or None)


def _named(point: dict[str, Any]) -> str:
    return f"{point['stage']}, {point['depth']}" if point["depth"] else str(point["stage"])


def _notes(c: Content) -> Markup:
    entries = [
        ("Scores", "every candidate is scored once, at the greatest depth; smaller depths are derived from these, "
         "since a candidate's score does not depend on the others"),
        ("Times", " ".join(c.data["how"])),
        ("Change", "paired by query against the next smaller depth; Student's t interval, randomization test"),
        ("Cost", "of 1,000 queries, by the prices that were given"),
        ("Front", "points that no other beats in mean, p99 and cost together"),
        ("As good", "the fastest point whose paired 95% interval against the best one holds 0: not shown to be worse, "
         "which is less than shown to be equal"),
        ("Versions", ", ".join(f"{tool} {version}" for tool, version in c.at("page", "versions").items())),
    ]  # fmt: skip
    said = [tag("div", tag("dt", term), tag("dd", text)) for term, text in entries]
    notes = tag("ul", *[tag("li", note) for note in c.data["notes"]], class_="remarks") if c.data["notes"] else None
    return together(tag("dl", *said, class_="notes how"), notes)
