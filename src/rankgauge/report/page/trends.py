"""The page of trends: the verdicts first, then each measure's charts and numbers, and how they were had."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

from rankgauge.comparison.trend.trend import Trend
from rankgauge.comparison.trend.words import level
from rankgauge.report.page.data import versions, without_nan
from rankgauge.report.page.markup import Markup, box, measure_name, tag, together
from rankgauge.report.page.numbers import NONE, Content
from rankgauge.report.page.shell import Section, contents, document, footer, save, section
from rankgauge.report.page.timeline import CLASSES, described, timeline
from rankgauge.report.trend import MARKS, as_json, spans

LONGEST_OPEN = 31
"""Days up to which the table of numbers stands open."""


def save_trends(trends: Sequence[Trend], path: str | PathLike[str], *, title: str | None = None) -> None:
    """Write trends as one HTML page that needs no network. Raises InputError for a path that cannot be written."""
    save(path, page(trends, title=title))


def page(trends: Sequence[Trend], *, title: str | None = None) -> str:
    """Write the page as text."""
    days = trends[0].days
    named = title or f"{', '.join(dict.fromkeys(one.measure for one in trends))}, day by day"
    labels = [[described(one["measure"], day) for day in one["days"]] for one in as_json(trends)["trends"]]
    levels = [[level(change) for change in one.changes] for one in trends]
    rows = [[len(days) for _, days in spans(reversed(one.days))] for one in trends]
    more = {"title": named, "versions": versions(), "labels": labels, "levels": levels, "rows": rows}
    content = Content(without_nan(as_json(trends) | {"page": more}))
    facts = f"{len(days)} days, {days[0].date} to {days[-1].date}"
    body = _body(
        content, named, " · ".join(filter(None, (facts, trends[0].source, f"convention {trends[0].convention}")))
    )
    return document(
        content, body, title=named, version=content.at("page", "versions", "rankgauge"), parts=("page", "trend")
    )


def _body(c: Content, title: str, facts: str) -> list[Markup]:
    numbers = range(len(c.data["trends"]))
    sections = [*(_trend(c, at) for at in numbers), section("method", "How the numbers were had", None, _notes(c))]
    cards = tag("div", *[_card(c, at) for at in numbers], class_="cards")
    head = tag("h2", "Verdict" if len(numbers) == 1 else "Verdicts", id="verdict-title", class_="unseen-title")
    verdict = tag("section", head, cards, id="verdict", aria_labelledby="verdict-title")
    return [
        tag("a", "Skip to the verdict", href="#verdict", class_="skip"),
        tag("header", tag("p", "rankgauge trend", class_="kicker"), tag("h1", title), tag("p", facts, class_="facts")),
        tag("main", verdict, contents(sections), *[one.markup for one in sections]),
        footer(c.at("page", "versions", "rankgauge")),
    ]


def _card(c: Content, at: int) -> Markup:
    trend = c.at("trends", at)
    status = trend["status"]
    who, word = tag("span", measure_name(trend["measure"]), class_="who"), tag("span", status, class_="word")
    head = tag("h3", tag("span", MARKS[status], class_="badge", aria_hidden="true"), tag("span", who, " ", word))
    reasons = tag("div", _list("Why", trend["because"]), _list("What to do", trend["do"]), class_="reasons")
    kind = "equivalent" if status == "as expected" else CLASSES[status]
    said = tag("p", trend["sentence"], class_="sentence")
    return tag("article", head, said, _figures(c, at), reasons, class_=f"verdict is-{kind}", data_status=status)


def _figures(c: Content, at: int) -> Markup:
    """The numbers of the day that the sentence is about."""
    trend = c.at("trends", at)
    number = next(i for i, day in enumerate(trend["days"]) if day["date"] == trend["date"])
    here = ("trends", at, "days", number)
    shown = [
        ("Mean of the day", c.number("value", *here, "mean")),
        ("Expected", c.number("value", *here, "expected")),
        ("Queries", c.number("count", *here, "n")),
        ("Unjudged", c.number("share", *here, "unjudged")),
    ]
    return tag("dl", *[tag("div", tag("dt", label), tag("dd", figure)) for label, figure in shown], class_="figures")


def _list(title: str, said: list[str]) -> Markup | None:
    if not said:
        return None
    return tag("div", tag("h4", title), tag("ul", *[tag("li", one[:1].upper() + one[1:]) for one in said]))


def _trend(c: Content, at: int) -> Section:
    trend = c.at("trends", at)
    changes = tag("ul", *[tag("li", one[:1].upper() + one[1:]) for one in c.at("page", "levels", at)], class_="levels")
    shown = changes if trend["changes"] else None
    return section(f"trend-{at + 1}", trend["measure"], _legend(trend), timeline(c, at), shown, _numbers(c, at))


def _legend(trend: dict[str, Any]) -> Markup:
    level = f"{trend['rules']['confidence']:.0%}"
    found = {day["status"] for day in trend["days"]}
    keys = [
        ("key key-day", f"a day with its {level} interval"),
        ("key key-band", "where a day's mean is expected, and the middle of it"),
    ]
    items = [tag("li", tag("span", class_=class_, aria_hidden="true"), text) for class_, text in keys]
    marks = {"drop": "below its band", "rise": "above it", "slow drop": "last days on average below", "slow rise":
             "last days on average above", "not comparable": "cannot be compared"}  # fmt: skip
    items += [
        tag("li", tag("span", MARKS[status], class_=f"mark is-{CLASSES[status]}", aria_hidden="true"), f" {text}")  # type: ignore[index]
        for status, text in marks.items()
        if status in found
    ]
    if found & {"few queries", "too early"}:
        items.append(tag("li", tag("span", "○", class_="mark", aria_hidden="true"), " too few queries, or too early"))
    if "no data" in found:
        items.append(tag("li", tag("span", class_="key key-gap", aria_hidden="true"), "no results"))
    return tag("ul", *items, class_="key-list")


def _numbers(c: Content, at: int) -> Markup:
    """Every day in a table, the newest first; days in a row without results in one row."""
    days = c.at("trends", at, "days")
    heads = ("Day", "Status", "Mean", "Interval", "Band", "Queries", "Unjudged", "Missing", "Left out", "Remark")
    numeric = range(2, 9)
    head = [tag("th", one, scope="col", class_="right" if i in numeric else None) for i, one in enumerate(heads)]
    rows, end = [], len(days)
    for length in c.at("page", "rows", at):
        rows.append(_row(c, at, end - length, end - 1))
        end -= length
    measure = c.at("trends", at, "measure")
    caption = tag("caption", f"{measure}, every day, the newest first", class_="unseen-title")
    table = tag("table", caption, tag("thead", tag("tr", *head)), tag("tbody", *rows), class_="days")
    return tag("details", tag("summary", f"Numbers of the {len(days)} days"), box(table, label=f"Days of {measure}"),
               open=len(days) <= LONGEST_OPEN)  # fmt: skip


def _row(c: Content, at: int, first: int, last: int) -> Markup:
    here = ("trends", at, "days", last)
    day = c.at(*here)
    date = day["date"] if first == last else f"{c.at('trends', at, 'days', first, 'date')} to {day['date']}"
    cells = [_right(c.number("value", *here, "mean")), _right(_span(c, *here, ends=("low", "high"))),
             _right(_span(c, *here, ends=("band_low", "band_high"))), _right(c.number("count", *here, "n")),
             _right(c.number("share", *here, "unjudged")), _right(c.number("count", *here, "missing")),
             _right(c.number("count", *here, "left_out"))]  # fmt: skip
    sign = tag("span", MARKS[day["status"]], class_="mark", aria_hidden="true")
    status = tag("td", tag("span", sign, " ", day["status"], class_=f"verdict-word is-{CLASSES[day['status']]}"))
    remark = tag("td", "; ".join(day["reasons"]), class_="remark")
    return tag("tr", tag("th", date, scope="row"), status, *cells, remark)


def _span(c: Content, *path: str | int, ends: tuple[str, str]) -> Markup:
    if c.at(*path, ends[0]) is None or c.at(*path, ends[1]) is None:
        return tag("span", NONE, title="none")
    return together(c.number("value", *path, ends[0]), " to ", c.number("value", *path, ends[1]))


def _right(content: Markup) -> Markup:
    return tag("td", content, class_="right")


def _notes(c: Content) -> Markup:
    """How the band was had, where the lines are drawn, and what was noticed."""
    rules, t = c.at("trends", 0, "rules"), c.at("trends", 0, "rules", "thresholds")
    entries = [
        ("Interval", f"of a day's mean over its queries, Student's t, {rules['confidence']:.0%}"),
        ("Band", _band(rules)),
        ("Averages", _slow(rules)),
        ("New level", _settle(rules)),
        ("Few queries, too early", f"a day of fewer than {rules['least_queries']} queries says nothing, and fewer than "
         f"{rules['least_days']} days tell nothing"),
        ("Not comparable", f"more than {t['refused']:.0%} of what was shown never judged; a share more than "
         f"{100 * t['apart']:g} points from that of the days before, once above {t['clean']:.0%}; "
         f"{t['missing']:.0%} of the queries or more without results; another highest grade, where the measure counts "
         "by it"),
        ("Versions", ", ".join(f"{tool} {version}" for tool, version in c.at("page", "versions").items())),
    ]  # fmt: skip
    notes = dict.fromkeys(note["text"] for one in c.data["trends"] for note in one["notes"])
    listed = tag("ul", *[tag("li", note) for note in notes], class_="remarks") if notes else None
    said = [tag("div", tag("dt", term), tag("dd", text)) for term, text in entries]
    return together(tag("dl", *said, class_="notes how"), listed)


def _band(rules: dict[str, Any]) -> str:
    if rules["baseline"]:
        days = f"the days from {rules['baseline'][0]} to {rules['baseline'][1]}"
    else:
        days = f"the last {rules['window']} days that were as expected"
    if rules["seasonal"]:
        days += f", those {rules['seasonal']} days apart together"
    if rules["band"] is not None:
        return f"{rules['band']:g} to either side of the mean of {days}; a day is flagged whose interval lies outside"
    chance = rules["alpha"] / (2 if rules["slow"] else 1)
    margin = f", at least {rules['margin']:g} to either side" if rules["margin"] else ""
    return (
        f"prediction interval for the day's mean from the means of {days}, chance of a false alarm {chance:g}{margin}"
    )


def _slow(rules: dict[str, Any]) -> str:
    if not rules["slow"]:
        return "not looked at: single days only"
    return (
        f"the mean of the last {rules['slow']} days is looked at in the same manner: small changes that last are found"
    )


def _settle(rules: dict[str, Any]) -> str:
    if rules["baseline"]:
        return "none: all days are compared with the baseline"
    return f"once a measure has stayed away for {rules['settle']} days; it is said, and later days are compared with it"
