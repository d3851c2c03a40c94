"""Plots that stand still: intervals of the differences, unjudged shares, and the measures' weights by rank."""

from __future__ import annotations

from typing import Any

from rankgauge.report.page import drawing as d
from rankgauge.report.page.markup import Markup, measure_name, name, tag, together
from rankgauge.report.page.numbers import Content, share, signed
from rankgauge.report.page.summary import CLASSES, mark
from rankgauge.report.page.tables import of_measure, span

ROW = 46
LEVELS = ("clean", "warned", "refused")


def interval_plots(c: Content) -> list[Markup]:
    """Draw the differences of every measure with their intervals, one panel per measure."""
    return [_panel(c, measure) for measure in c.at("page", "measures")]


def _panel(c: Content, measure: str) -> Markup:
    pairs = [(at, c.at("pairs", at)) for at, _ in of_measure(c, measure)]
    margin = c.at("thresholds", "margin")
    ends = [pair[key] for _, pair in pairs for key in ("low", "high", "difference")]
    ends += [pair["bounds"][key] for _, pair in pairs if has_bounds(pair) for key in ("low", "high")]
    scale = d.Scale.over([*ends, margin, -margin])
    cells = [(_label(pair), _whiskers(pair, scale, margin), _difference(c, at)) for at, pair in pairs]
    ticks = scale.ticks()
    axis = d.backdrop(*[d.words(scale.at(tick), 14, f"{tick:+g}".replace("-", "−") if tick else "0") for tick in ticks],
                      height=20)  # fmt: skip
    return tag("figure", tag("figcaption", tag("b", measure_name(measure))), d.rows(cells, axis), class_="intervals")


def _label(pair: dict[str, Any]) -> Markup:
    return together(tag("b", name(pair["run"])), tag("br"), mark(pair["verdict"]))


def _difference(c: Content, at: int) -> Markup:
    lines = [tag("b", c.number("signed", "pairs", at, "difference")), tag("br"), span(c, "pairs", at)]
    return together(*lines)


def _whiskers(pair: dict[str, Any], scale: d.Scale, margin: float) -> Markup:
    """The margin's band, the line of no difference, the interval with its point, and the bounds below it."""
    parts = [d.bar(scale.at(-margin), scale.at(margin) - scale.at(-margin), 0, "100%", "band")]
    parts += [
        d.line(scale.at(tick), 0, scale.at(tick), "100%", "zero" if tick == 0 else "grid") for tick in scale.ticks()
    ]
    kind = f"is-{CLASSES[pair['verdict']]}"
    said = f"{pair['run']}: difference {_said(pair['difference'])}"
    if pair["low"] is not None and pair["high"] is not None:
        parts += _whisker(scale, pair["low"], pair["high"], ROW * 0.42, 5, f"interval {kind}")
        said += f", interval {_said(pair['low'])} to {_said(pair['high'])}"
    if pair["difference"] is not None:
        parts.append(
            tag("circle", cx=d.percent(scale.at(pair["difference"])), cy=ROW * 0.42, r=5.5, class_=f"point {kind}")
        )
    if has_bounds(pair):
        parts += _whisker(scale, pair["bounds"]["low"], pair["bounds"]["high"], ROW * 0.74, 3.5, "bounds")
        said += f", bounds {_said(pair['bounds']['low'])} to {_said(pair['bounds']['high'])}"
    return d.picture(*parts, label=said, height=ROW)


def has_bounds(pair: dict[str, Any]) -> bool:
    """Whether both bounds of the mean difference are known."""
    return pair["bounds"] is not None and None not in (pair["bounds"]["low"], pair["bounds"]["high"])


def _whisker(scale: d.Scale, low: float, high: float, y: float, cap: float, class_: str) -> list[Markup]:
    left, right = scale.at(low), scale.at(high)
    ends = [d.line(x, y - cap, x, y + cap, class_) for x in (left, right)]
    return [d.line(left, y, right, y, class_), *ends]


def _said(number: float | None) -> str:
    return "undefined" if number is None else signed(number)


def unjudged_plots(c: Content) -> list[Markup]:
    """Draw the unjudged share of every run; measures that look at the same documents share a panel."""
    panels: dict[tuple[float, ...], list[str]] = {}
    for measure in c.at("page", "measures"):
        found = [c.at("pairs", at) for at, _ in of_measure(c, measure)]
        shares = (found[0]["baseline_unjudged"], *(pair["run_unjudged"] for pair in found))
        panels.setdefault(shares, []).append(measure)
    return [_unjudged(c, measures) for measures in panels.values()]


def _unjudged(c: Content, measures: list[str]) -> Markup:
    found = list(of_measure(c, measures[0]))
    bars = [
        (c.data["baseline"], (found[0][0], "baseline_unjudged")),
        *[(run, (at, "run_unjudged")) for at, run in found],
    ]
    lines = [c.at("thresholds", level) for level in LEVELS]
    shares = [c.at("pairs", *path) for _, path in bars]
    scale = d.Scale(0.0, min(1.0, 1.12 * max([*lines, *shares])) or 1.0)
    cells = [
        (together(tag("b", name(run)), tag("br"), tag("small", _level(c, value))), _bar(run, value, scale, lines),
         tag("b", c.number("share", "pairs", *path)))
        for (run, path), value in zip(bars, shares, strict=True)
    ]  # fmt: skip
    marks = {line: d.words(scale.at(line), 14, f"{100 * line:g}%") for line in lines if line <= scale.high}
    axis = d.backdrop(d.words(0, 14, "0", anchor="start"), *[mark for line, mark in marks.items() if line], height=20)
    return tag("figure", tag("figcaption", tag("b", ", ".join(measures))), d.rows(cells, axis), class_="unjudged")


def _level(c: Content, value: float) -> str:
    clean, warned, refused = (c.at("thresholds", level) for level in LEVELS)
    if value <= clean:
        return "hardly any"
    if value <= warned:
        return "with a warning"
    return "policies must agree" if value <= refused else "bounds must decide"


def _bar(run: str, value: float, scale: d.Scale, lines: list[float]) -> Markup:
    drawn = [d.line(scale.at(line), 0, scale.at(line), "100%", "threshold") for line in lines if line <= scale.high]
    level = sum(value > line for line in lines)
    filled = d.bar(0, scale.at(value), ROW * 0.26, ROW * 0.48, f"share level-{level}")
    drawn = [d.line(0, 0, 0, "100%", "zero"), filled, *drawn]
    return d.picture(*drawn, label=f"{run}: {share(value)} unjudged", height=ROW)  # fmt: skip


def weight_plots(c: Content) -> Markup:
    """Draw the weight that each measure gives to each rank, and say how much of it the product shows."""
    known = [(at, one) for at, one in enumerate(c.at("page", "profiles")) if one["W"] is not None]
    if not known:
        return tag("p", "None of these measures is a model of a user, so none has weights by rank.")
    top = max(max(one["W"]) for _, one in known) or 1.0
    depth, shown = c.at("page", "product_depth"), len(known[0][1]["W"])
    cells = [(tag("b", measure_name(one["measure"])), _weights(one, top, depth), _within(c, at)) for at, one in known]
    every = max(1, round(shown / 20)) * 5
    ranks = [1, *range(every, shown + 1, every)]
    axis = d.backdrop(*[d.words(100 * (rank - 0.5) / shown, 14, str(rank)) for rank in ranks], height=20)
    return tag("figure", d.rows(cells, axis), class_="weights")


def _within(c: Content, at: int) -> Markup:
    return together(tag("b", c.number("share", "page", "profiles", at, "within")), tag("br"), "in the first ",
                    c.number("count", "page", "product_depth"))  # fmt: skip


def _weights(one: dict[str, Any], top: float, depth: int) -> Markup:
    high, step = ROW + 14, 100 / len(one["W"])
    inside = d.bar(0, min(depth, len(one["W"])) * step, 0, "100%", "band")
    bars = [
        d.bar((rank - 0.86) * step, 0.72 * step, high * (1 - 0.9 * weight / top), 0.9 * high * weight / top,
              "weight" if rank <= depth else "weight beyond")
        for rank, weight in enumerate(one["W"], 1)
    ]  # fmt: skip
    edge = d.line(depth * step, 0, depth * step, "100%", "threshold")
    label = f"{one['measure']}: {share(one['within'])} of its weight in the first {depth} ranks"
    return d.picture(inside, *bars, edge, label=label, height=high)


def weight_sentences(c: Content) -> list[str]:
    """Say of each measure how its weights and the depth of the product go together."""
    depth = c.at("page", "product_depth")
    return [_weight_sentence(one, depth) for one in c.at("page", "profiles")]


def _weight_sentence(one: dict[str, Any], depth: int) -> str:
    measure = one["measure"]
    if one["W"] is None:
        return f"{measure} is not a model of a user: it has no weights by rank."
    inside = one["within"]
    if one["adaptive"]:
        return (
            f"{measure} follows a user who adapts to what is found: for a ranking with one relevant document, "
            f"at rank 3, {share(inside)} of its weight lies in the first {depth} ranks."
        )
    last = max(rank for rank, weight in enumerate(one["W"], 1) if weight > 0)
    said = f"{measure}: {share(inside)} of its weight lies in the first {depth} ranks"
    if last < depth:
        return f"{said}; ranks {last + 1} to {depth}, which your product shows, count for nothing."
    if inside < 0.995:
        return f"{said}; {share(1 - inside)} lies on ranks below what your product shows."
    return f"{measure}: all of its weight lies on ranks that your product shows."
