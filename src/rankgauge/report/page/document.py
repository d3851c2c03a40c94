"""The page as a whole: head, sections in their order, script and data; and saving it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike

from rankgauge.comparison.comparison import Comparison
from rankgauge.engines.memory import AnyQrels, AnyRun, as_qrels, as_runs
from rankgauge.errors import ParameterError
from rankgauge.records import Run
from rankgauge.report.page.data import Sources, page_json
from rankgauge.report.page.markup import Markup, tag, together
from rankgauge.report.page.notes import method_notes
from rankgauge.report.page.numbers import Content
from rankgauge.report.page.plots import interval_plots, unjudged_plots, weight_plots, weight_sentences
from rankgauge.report.page.queries import difference_plots, query_view, select
from rankgauge.report.page.shell import contents, document, footer, save, section
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
    save(path, page(comparison, sources, title=title))


def page(comparison: Comparison, sources: Sources, *, title: str | None = None) -> str:
    """Write the page as text."""
    content = Content(page_json(comparison, sources, title or title_of(comparison)))
    said, version = content.at("page", "title"), content.at("page", "versions", "rankgauge")
    return document(content, _body(content), title=said, version=version, parts=("page",))


def title_of(comparison: Comparison) -> str:
    """Name the runs and the baseline, or count them where there are many."""
    runs = [run for run in comparison.scores.runs if run != comparison.baseline]
    named = " and ".join(runs) if len(runs) < 3 else f"{len(runs)} runs"
    return f"{named} compared with {comparison.baseline}"


def _body(c: Content) -> list[Markup]:
    several = len(c.at("page", "runs")) > 2
    sections = [
        section("table", "Runs and measures", _table_lead(c), pairs_table(c)),
        section("intervals", "Differences with their intervals", _interval_legend(c), *interval_plots(c)),
        section("queries", "Query by query", _queries_lead(c), _plot_controls(c), difference_plots(c)),
        section("heat", "All means at a glance", None, heat_table(c)),
        section("unjudged", "Unjudged documents", UNJUDGED, tag("div", *unjudged_plots(c), class_="panels")),
        section("weights", "What the measures look at", WEIGHTS, weight_plots(c),
                 tag("ul", *[tag("li", one) for one in weight_sentences(c)])),
        *([section("everyone", "All runs against each other", EVERYONE, everyone_tables(c))]
          if several and c.data["everyone"] else []),
        section("view", "One query, side by side", None, query_view(c)),
        section("method", "Method notes", None, method_notes(c)),
    ]  # fmt: skip
    return [
        tag("a", "Skip to the verdict", href="#verdict", class_="skip"),
        tag("header", tag("p", "rankgauge comparison", class_="kicker"), tag("h1", c.at("page", "title")), _facts(c)),
        tag("main", summary(c), contents(sections), *[one.markup for one in sections]),
        footer(c.at("page", "versions", "rankgauge")),
    ]  # fmt: skip


def _facts(c: Content) -> Markup:
    """How much was compared, in one line."""
    measures = ", ".join(c.at("page", "measures"))
    return tag("p", c.number("count", "input", "judged_queries"), " judged queries · ", measures, class_="facts")


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
