"""Query by query: the sorted differences, and the frame of the view of one query, which the script fills."""

from __future__ import annotations

from typing import Any

from rankgauge.comparison.comparison import Comparison
from rankgauge.report.page import drawing as d
from rankgauge.report.page.markup import Markup, name, tag, together
from rankgauge.report.page.numbers import Content, signed

HIGH = 230
FEWEST_PLACES = 24
"""So that a bar does not grow wider than a twenty-fourth of the plot."""
TALL = 1000
MOST_APART = 200


def order_of(comparison: Comparison) -> list[list[int]]:
    """Give the queries of each pair by falling difference, ties in the order of the queries."""
    return [pair.query[(-pair.differences).argsort(kind="stable")].tolist() for pair in comparison.pairs]


def difference_plots(c: Content) -> Markup:
    """Draw every pair's differences, sorted; those of the first measure stand open."""
    first = c.data["measure"]
    drawn = [(pair["measure"], _plot(c, at)) for at, pair in enumerate(c.data["pairs"])]
    open_ = [plot for measure, plot in drawn if measure == first]
    more = [plot for measure, plot in drawn if measure != first]
    folded = tag("details", tag("summary", "The other measures"), *more, id="more-plots") if more else None
    return together(tag("div", *open_, id="plots"), folded)


def _plot(c: Content, at: int) -> Markup:
    pair, order = c.at("pairs", at), c.at("page", "order", at)
    runs = {side: c.at("per_query", "values", pair["measure"], pair[side]) for side in ("run", "baseline")}
    values = [runs["run"][query] - runs["baseline"][query] for query in order]
    tally = [together(c.number("count", "pairs", at, key), text)
             for key, text in (("wins", " above"), ("ties", " equal"), ("losses", " below"))]  # fmt: skip
    caption = tag("figcaption", tag("b", name(pair["run"]), " − ", name(pair["baseline"])), f", {pair['measure']}: ",
                  tally[0], ", ", tally[1], ", ", tally[2])  # fmt: skip
    body = tag("div", _bars(values, pair), class_="plot") if values else tag("p", "No query has a value on both sides.")
    return tag("figure", caption, body, class_="differences", data_pair=at)


def _bars(values: list[float], pair: dict[str, Any]) -> Markup:
    """One thin bar per query, upwards where the run is above."""
    high, low = max(*values, 0.0), min(*values, 0.0)
    scale = d.Scale.over([high, low, 1e-9])
    top = d.Scale(-scale.high, -scale.low)
    lines = [_gridline(top.at(-tick), tick) for tick in scale.ticks()]
    places = max(len(values), FEWEST_PLACES)
    zero = TALL * top.at(0) / 100
    inner = tag(
        "svg",
        *[tag("path", d=_path(values, top, zero, sign), class_=kind) for sign, kind in ((1, "up"), (-1, "down"))],
        x=0, y=0, width="100%", height="100%", viewBox=f"0 0 {places} {TALL}", preserveAspectRatio="none",
    )  # fmt: skip
    label = (
        f"Differences {pair['run']} minus {pair['baseline']} in {pair['measure']} of {len(values)} queries, sorted "
        f"from {signed(max(values))} to {signed(min(values))}: {pair['wins']} above 0, {pair['ties']} equal, "
        f"{pair['losses']} below."
    )
    return d.picture(*[line for line, _ in lines], inner, *[text for _, text in lines], label=label, height=HIGH)


def _path(values: list[float], top: d.Scale, zero: float, sign: int) -> str:
    """Bars apart; where there are many, one outline around all, since gaps between thin bars draw false stripes."""
    at = {i: TALL * top.at(-value) / 100 for i, value in enumerate(values) if sign * value > 0}
    if len(values) <= MOST_APART:
        return "".join(f"M{i + 0.1:g} {zero:.0f}h.8V{y:.0f}h-.8z" for i, y in at.items())
    steps = "".join(f"V{y:.0f}H{i + 1}" for i, y in at.items())
    return f"M{min(at)} {zero:.0f}{steps}V{zero:.0f}z" if at else ""


def _gridline(y: float, tick: float) -> tuple[Markup, Markup]:
    """The line of a tick, and its number: above at the right end, below at the left, where no bars are."""
    line = d.line(0, d.percent(y), 100, d.percent(y), "grid" if tick else "zero")
    text = f"{tick:+g}".replace("-", "−") if tick else "0"
    x, anchor = (0, "start") if tick < 0 else (100, "end")
    return line, tag("text", text, x=d.percent(x), y=d.percent(y), dy=-4, class_="tick", text_anchor=anchor)


def query_view(c: Content) -> Markup:
    """Frame of the view of one query: controls, list and place; or why there is none."""
    if c.at("page", "rankings") is None:
        return tag("p", "The rankings were not handed to this report, so single queries cannot be shown side by side. "
                   "Values query by query are in the plot above and in the JSON output.", class_="absent")  # fmt: skip
    without = tag(
        "p", "This part needs JavaScript: without it, everything else on this page is complete.", class_="no-js"
    )
    return together(without, tag("div", _controls(c), _finder(), _place(), id="viewer", hidden=True))


def _controls(c: Content) -> Markup:
    runs = [run for run in c.at("page", "runs") if run != c.data["baseline"]]
    order = [("loss", "largest loss first"), ("gain", "largest gain first"), ("name", "by query id")]
    return tag(
        "div",
        select("view-run", f"Beside {c.data['baseline']}", [(run, run) for run in runs]),
        select("view-measure", "Measure", [(one, one) for one in c.at("page", "measures")]),
        select("view-order", "Order of queries", order),
        class_="controls",
    )


def select(id: str, label: str, options: list[tuple[str, str]]) -> Markup:
    """Write a labelled choice."""
    choices = [tag("option", text, value=value) for value, text in options]
    return tag("label", tag("span", label), tag("select", *choices, id=id))


def _finder() -> Markup:
    return tag(
        "div",
        tag("label", tag("span", "Find a query"), tag("input", type="search", id="find", autocomplete="off",
            spellcheck="false", aria_controls="found", placeholder="id or words")),
        tag("p", id="found-count", class_="quiet", aria_live="polite"),
        tag("ul", id="found", aria_label="Queries"),
        class_="finder",
    )  # fmt: skip


def _place() -> Markup:
    return tag("div", id="query", role="region", aria_label="One query")
