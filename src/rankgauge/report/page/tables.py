"""Tables of the page: runs by measures, means as a heat table, and all runs against each other."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from rankgauge.report.page.markup import Markup, box, name, tag, together
from rankgauge.report.page.numbers import NONE, Content
from rankgauge.report.page.summary import mark

STEPS = (0.02, 0.05, 0.10, 0.20)
"""Relative differences from which the heat table's shades begin."""


def of_measure(c: Content, measure: str) -> Iterator[tuple[int, str]]:
    """Give the number and the run of each pair under one measure."""
    for at, pair in enumerate(c.data["pairs"]):
        if pair["measure"] == measure:
            yield at, pair["run"]


def pairs_table(c: Content) -> Markup:
    """Write everything about each run under each measure; one group of rows per measure."""
    level = "–".join({f"{pair['confidence']:.0%}" for pair in c.data["pairs"]})
    heads = ("Run", "Mean", "Difference", f"{level} interval", "p", "Won / tied / lost", "Unjudged", "Verdict")
    head = tag("tr", *[tag("th", one, scope="col", class_=_aligned(at)) for at, one in enumerate(heads)])
    groups = [_group(c, measure, len(heads)) for measure in c.at("page", "measures")]
    table = tag(
        "table",
        tag("caption", "Every run beside ", name(c.data["baseline"]), " under every measure", class_="unseen-title"),
        tag("thead", head),
        *groups,
        class_="pairs",
    )
    return box(table, label="Table of runs and measures")


def _aligned(column: int) -> str | None:
    return None if column in {0, 7} else "right"


def _group(c: Content, measure: str, columns: int) -> Markup:
    found = list(of_measure(c, measure))
    first, queries = found[0][0], _queries(c, [at for at, _ in found])
    head = tag(
        "tr", tag("th", tag("span", tag("b", measure), " ", queries), scope="rowgroup", colspan=columns), class_="group"
    )
    baseline = tag(
        "tr",
        tag("th", name(c.data["baseline"]), scope="row"),
        _right(c.number("value", "pairs", first, "baseline_mean")),
        *[tag("td") for _ in range(4)],
        _right(c.number("share", "pairs", first, "baseline_unjudged")),
        tag("td", "baseline", class_="quiet"),
        class_="baseline",
    )
    return tag("tbody", head, baseline, *[_row(c, at, run) for at, run in found])


def _queries(c: Content, pairs: list[int]) -> Markup:
    """On how many queries, and how many could not be used."""
    left = max(c.at("pairs", at, "left_out") for at in pairs)
    worst = next(at for at in pairs if c.at("pairs", at, "left_out") == left)
    said: list[str] = ["on ", c.number("count", "pairs", worst, "n"), " queries"]
    if left:
        said += ["; ", c.number("count", "pairs", worst, "left_out"), " left out, undefined on a side"]
    return tag("span", *said, class_="quiet")


def _row(c: Content, at: int, run: str) -> Markup:
    here = ("pairs", at)
    tally = together(
        *[piece for key in ("wins", "ties", "losses") for piece in (" / ", c.number("count", *here, key))][1:]
    )
    return tag(
        "tr",
        tag("th", name(run), scope="row"),
        _right(c.number("value", *here, "run_mean")),
        _right(c.number("signed", *here, "difference")),
        _right(span(c, *here)),
        _right(c.number("p", *here, "p_adjusted")),
        _right(tally),
        _right(c.number("share", *here, "run_unjudged")),
        tag("td", mark(c.at(*here, "verdict"))),
    )


def span(c: Content, *path: str | int) -> Markup:
    """Write an interval, or that there is none."""
    if c.at(*path, "low") is None or c.at(*path, "high") is None:
        return tag("span", NONE, title="no interval")
    return together(c.number("signed", *path, "low"), " to ", c.number("signed", *path, "high"))


def _right(*content: Markup) -> Markup:
    return tag("td", *content, class_="right")


def heat_table(c: Content) -> Markup:
    """Write the means of all runs, shaded by their difference relative to the baseline."""
    runs = [run for run in c.at("page", "runs") if run != c.data["baseline"]]
    heads = [
        tag("th", "Measure", scope="col"),
        tag("th", name(c.data["baseline"]), " (baseline)", scope="col", class_="right"),
    ]
    heads += [tag("th", name(run), scope="col", class_="right") for run in runs]
    rows = [_heat_row(c, measure) for measure in c.at("page", "measures")]
    caption = tag("caption", "Mean of every run under every measure", class_="unseen-title")
    table = tag("table", caption, tag("thead", tag("tr", *heads)), tag("tbody", *rows), class_="heat")
    return together(box(table, label="Heat table of means"), heat_legend())


def _heat_row(c: Content, measure: str) -> Markup:
    found = list(of_measure(c, measure))
    cells = [_right(c.number("value", "pairs", found[0][0], "baseline_mean"))]
    for at, _ in found:
        relative = c.at("page", "relative", at)
        small = tag("small", c.number("change", "page", "relative", at))
        cells.append(
            tag("td", c.number("value", "pairs", at, "run_mean"), " ", small, class_=f"right {shade(relative)}")
        )
    return tag("tr", tag("th", measure, scope="row"), *cells)


def shade(relative: float | None) -> str:
    """Name the shade of a relative difference.

    >>> shade(0.07), shade(-0.3), shade(0.001), shade(None)
    ('up-2', 'down-4', 'same', 'same')
    """
    step = 0 if relative is None else sum(abs(relative) >= one for one in STEPS)
    return "same" if not step else f"{'up' if (relative or 0) > 0 else 'down'}-{step}"


def heat_legend() -> Markup:
    """Say what each shade means."""
    ends = [f"{100 * one:g}" for one in STEPS]
    names = [f"{low} to {high}%" for low, high in pairwise(ends)] + [f"{ends[-1]}% or more"]
    down = [(f"down-{step}", f"−{text}") for step, text in enumerate(names, 1)][::-1]
    up = [(f"up-{step}", f"+{text}") for step, text in enumerate(names, 1)]
    keys = [*down, ("same", f"less than {ends[0]}%"), *up]
    items = [tag("li", tag("span", class_=f"swatch {kind}", aria_hidden="true"), text) for kind, text in keys]
    return tag("div", tag("p", "Difference from the baseline, relative to it:"), tag("ul", *items), class_="legend")


def everyone_tables(c: Content) -> Markup:
    """Write one matrix of p values per measure that all runs were tested under."""
    return tag("div", *[_matrix(c, at) for at in range(len(c.data["everyone"]))], class_="matrices")


def _matrix(c: Content, at: int) -> Markup:
    one = c.at("everyone", at)
    alpha = c.at("thresholds", "alpha")
    head = tag("tr", tag("td"), *[tag("th", name(run), scope="col", class_="right") for run in one["runs"]])
    rows = [
        tag("tr", tag("th", name(run), scope="row"), *[_p(c, at, i, j, alpha) for j in range(len(one["runs"]))])
        for i, run in enumerate(one["runs"])
    ]
    caption = tag("caption", tag("b", one["measure"]), ", ", c.number("count", "everyone", at, "queries"), " queries")
    table = tag("table", caption, tag("thead", head), tag("tbody", *rows), class_="matrix")
    return box(table, label=f"p values of all runs against each other under {one['measure']}")


def _p(c: Content, at: int, i: int, j: int, alpha: float) -> Markup:
    if i == j:
        return tag("td", class_="self")
    p = c.at("everyone", at, "p", i, j)
    differs = p is not None and p < alpha
    star = tag("span", "*", class_="star", title=f"below {alpha:g}") if differs else tag("span", class_="star")
    return tag("td", c.number("p", "everyone", at, "p", i, j), star, class_="right differs" if differs else "right")
