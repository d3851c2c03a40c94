"""The page as a whole: head, sections in their order, script and data; and saving it."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from importlib import resources
from os import PathLike
from pathlib import Path

from rankgauge.comparison.comparison import Comparison
from rankgauge.engines.memory import AnyQrels, AnyRun, as_qrels, as_runs
from rankgauge.errors import Fault, InputError, ParameterError
from rankgauge.records import Run
from rankgauge.report.page.data import Sources, page_json, script_json
from rankgauge.report.page.markup import Child, Markup, tag, together
from rankgauge.report.page.notes import method_notes
from rankgauge.report.page.numbers import Content
from rankgauge.report.page.plots import interval_plots, unjudged_plots, weight_plots, weight_sentences
from rankgauge.report.page.queries import difference_plots, query_view, select
from rankgauge.report.page.summary import SAYS, mark, summary
from rankgauge.report.page.tables import everyone_tables, heat_table, pairs_table

DEEPEST = 1000


def save_page(
    comparison: Comparison,
    path: str | PathLike[str],
    *,
    qrels: AnyQrels | None = None,
    runs: Sequence[Run] | Mapping[str, AnyRun] | None = None,
    texts: Mapping[str, str] | None = None,
    queries: Mapping[str, str] | None = None,
    product_depth: int = 10,
    title: str | None = None,
) -> None:
    """Write a comparison as one HTML page that needs no network.

    Parameters
    ----------
    qrels, runs : what was compared, as `compare` took it; without both the page has no view of single queries
    texts : {document id: text}; the beginning of each is shown
    queries : {query id: text}
    product_depth : how many results the product shows
    title : of the page; None: the runs and the baseline

    Raises
    ------
    ParameterError
        For a depth outside 1 to 1000.
    InputError
        For a path that cannot be written.
    """
    if not 1 <= product_depth <= DEEPEST:
        raise ParameterError(f"product depth: expected a number of ranks from 1 to {DEEPEST}, got {product_depth}")
    named = {run.name: run for run in as_runs(runs)} if runs else {}
    sources = Sources(None if qrels is None else as_qrels(qrels), named, texts or {}, queries or {}, product_depth)
    written = page(comparison, sources, title=title)
    target = Path(path)
    try:
        target.write_text(written, encoding="utf-8")
    except OSError as error:
        raise InputError(Fault(str(target), "a place to write the report", f"{error.strerror}")) from error


def page(comparison: Comparison, sources: Sources, *, title: str | None = None) -> str:
    """Write the page as text."""
    content = Content(page_json(comparison, sources, title or title_of(comparison)))
    style, script = (_packaged(f"page.{kind}") for kind in ("css", "js"))
    said = content.at("page", "title")
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=_policy(style, script)),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="generator", content=f"rankgauge {content.at('page', 'versions', 'rankgauge')}"),
        tag("title", said),
        tag("style", Markup(style)),
    )
    data = tag("script", Markup(script_json(content.data)), type="application/json", id="data")
    body = tag("body", *_body(content), data, tag("script", Markup(script)))
    return f"<!DOCTYPE html>\n{tag('html', head, body, lang='en')}\n"


def title_of(comparison: Comparison) -> str:
    """Name the runs and the baseline, or count them where there are many."""
    runs = [run for run in comparison.scores.runs if run != comparison.baseline]
    named = " and ".join(runs) if len(runs) < 3 else f"{len(runs)} runs"
    return f"{named} compared with {comparison.baseline}"


def _packaged(file: str) -> str:
    return (resources.files("rankgauge.report.page") / file).read_text("utf-8")


def _policy(style: str, script: str) -> str:
    """What the browser may do: run this script, apply this style, and nothing else; no network."""
    return (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _body(c: Content) -> list[Markup]:
    several = len(c.at("page", "runs")) > 2
    sections = [
        _section("table", "Runs and measures", _table_lead(c), pairs_table(c)),
        _section("intervals", "Differences with their intervals", _interval_legend(c), *interval_plots(c)),
        _section("queries", "Query by query", _queries_lead(c), _plot_controls(c), difference_plots(c)),
        _section("heat", "All means at a glance", None, heat_table(c)),
        _section("unjudged", "Unjudged documents", UNJUDGED, tag("div", *unjudged_plots(c), class_="panels")),
        _section("weights", "What the measures look at", WEIGHTS, weight_plots(c),
                 tag("ul", *[tag("li", one) for one in weight_sentences(c)])),
        *([_section("everyone", "All runs against each other", EVERYONE, everyone_tables(c))]
          if several and c.data["everyone"] else []),
        _section("view", "One query, side by side", None, query_view(c)),
        _section("method", "Method notes", None, method_notes(c)),
    ]  # fmt: skip
    titles = [(section.id, section.title) for section in sections]
    return [
        tag("a", "Skip to the verdict", href="#verdict", class_="skip"),
        tag("header", tag("p", "rankgauge comparison", class_="kicker"), tag("h1", c.at("page", "title")), _facts(c)),
        tag("main", summary(c), _contents(titles), *[section.markup for section in sections]),
        tag("footer", tag("p", "Made with rankgauge ", c.at("page", "versions", "rankgauge"),
                          ". This page is complete in itself: it loads nothing and sends nothing.")),
    ]  # fmt: skip


class _Part:
    """One section: its id and title for the list of contents, and its markup."""

    def __init__(self, id: str, title: str, markup: Markup) -> None:
        self.id, self.title, self.markup = id, title, markup


def _section(id: str, title: str, lead: str | Markup | None, *content: Child) -> _Part:
    said = lead if isinstance(lead, Markup) else tag("p", lead, class_="lead") if lead else None
    heading = tag("h2", title, id=f"{id}-title")
    return _Part(id, title, tag("section", heading, said, *content, id=id, aria_labelledby=f"{id}-title"))


def _facts(c: Content) -> Markup:
    """How much was compared, in one line."""
    measures = ", ".join(c.at("page", "measures"))
    return tag("p", c.number("count", "input", "judged_queries"), " judged queries · ", measures, class_="facts")


def _contents(titles: list[tuple[str, str]]) -> Markup:
    links = [tag("li", tag("a", title, href=f"#{id}")) for id, title in titles]
    return tag("nav", tag("ul", *links), aria_label="Sections")


def _table_lead(c: Content) -> Markup:
    words = [tag("li", mark(word), tag("span", SAYS[word].partition(":")[2])) for word in SAYS]
    keys = tag("details", tag("summary", "What the verdicts mean"), tag("ul", *words, class_="keys"))
    p = f"p values are corrected for the number of runs ({c.data['correction']})."
    return together(tag("p", f"Each run beside the baseline, on the same queries. {p}", class_="lead"), keys)


def _interval_legend(c: Content) -> Markup:
    return tag(
        "ul",
        tag("li", tag("span", class_="key key-interval", aria_hidden="true"), "mean difference with its interval"),
        tag("li", tag("span", class_="key key-bounds", aria_hidden="true"),
            "bounds: where the difference lies whatever the unjudged documents are"),
        tag("li", tag("span", class_="key key-band", aria_hidden="true"), "differences that do not matter, up to ",
            c.number("plain", "thresholds", "margin")),
        class_="key-list",
    )  # fmt: skip


def _queries_lead(c: Content) -> Markup:
    told = tag("span", " Click a bar, or press Enter on it, to open that query.", class_="js-only", hidden=True)
    return tag("p", "Each bar is one query: up where the run is above the baseline, down where it is below.", told,
               class_="lead")  # fmt: skip


def _plot_controls(c: Content) -> Markup:
    runs = [run for run in c.at("page", "runs") if run != c.data["baseline"]]
    return tag(
        "div",
        select("plot-run", "Run", [(run, run) for run in runs]),
        select("plot-measure", "Measure", [(one, one) for one in c.at("page", "measures")]),
        id="plot-controls",
        class_="controls",
        hidden=True,
    )


UNJUDGED = (
    "Share of the documents that each run shows, as far down as the measure looks, that nobody judged. "
    "An unjudged document counts as worthless, so a run that finds new documents is punished for them; "
    "the dashed lines are the shares from which the verdict warns, asks all policies, and refuses unless bounds decide."
)
WEIGHTS = (
    "Each measure is a reader who gives a share of attention to each rank. The shaded ranks are those that the "
    "product shows; bars beyond count in the measure, though nobody sees these results."
)
EVERYONE = (
    "Chance of so large a difference between two runs where all runs are alike (randomized Tukey HSD); "
    "a star marks those below the accepted chance of a false alarm."
)
