"""Method notes: how each number was computed, with which seeds, thresholds, versions and inputs."""

from __future__ import annotations

from rankgauge.report.page.markup import Child, Markup, box, name, tag, together
from rankgauge.report.page.numbers import NONE, Content
from rankgauge.report.page.plots import has_bounds

THRESHOLDS = {
    "alpha": ("plain", "chance of a false alarm that is accepted; p below it counts as a difference"),
    "margin": ("plain", "differences up to this size do not matter, in units of the measure"),
    "power": ("share", "chance to see a difference that is there, for the number of queries that are needed"),
    "clean": ("share", "unjudged share up to which the test decides"),
    "apart": ("share", "distance of the two shares from which the runs are not treated alike"),
    "warned": ("share", "unjudged share up to which the test decides with a warning"),
    "refused": ("share", "unjudged share beyond which there is no verdict; below it only where all policies agree"),
    "missing": ("share", "share of queries without results from which there is no verdict"),
}


def method_notes(c: Content) -> Markup:
    """Write all notes."""
    return together(
        tag("h3", "How the numbers were had"),
        tag("dl", *_how(c), class_="notes"),
        tag("h3", "Where the verdict draws its lines"),
        _thresholds(c),
        tag("h3", "Every test of every pair"),
        _tests(c),
        tag("h3", "What more queries would show, and what other policies say"),
        _sight(c),
        tag("h3", "Inputs"),
        _inputs(c),
        _remarks(c),
        tag("h3", "Versions"),
        tag("p", ", ".join(f"{tool} {version}" for tool, version in c.at("page", "versions").items())),
    )


def _entry(term: str, *said: Child) -> Markup:
    return tag("div", tag("dt", term), tag("dd", *said))


def _each(c: Content, key: str) -> str:
    """Name every different text that the pairs have under a key, in their order."""
    return "; ".join(dict.fromkeys(str(pair[key]) for pair in c.data["pairs"] if pair[key]))


def _how(c: Content) -> list[Markup]:
    bounds = "; ".join(dict.fromkeys(pair["bounds"]["method"] for pair in c.data["pairs"] if has_bounds(pair)))
    without = dict.fromkeys(pair["measure"] for pair in c.data["pairs"] if not has_bounds(pair))
    none = f" No bounds are known for {', '.join(without)}." if without else ""
    return [
        _entry("Mean", "of the queries that have a value on both sides, so that both means are of the same queries"),
        _entry("Difference", "mean of run − ", name(c.data["baseline"]), ", query by query"),
        _entry("Interval", _each(c, "interval_method") or NONE),
        _entry(
            "p", f"{_each(c, 'test')} test, paired by query; corrected for the number of runs: {c.data['correction']}"
        ),
        _entry("Unjudged", "mean share of the documents within the measure's reach that nobody judged"),
        _entry("Bounds", f"of the mean difference, whatever the unjudged documents are: {bounds or 'none'}.{none}"),
        _entry("Relative difference", "difference over the baseline's mean, which shades the heat table"),
        _entry("Weights by rank", "W(i) of each measure's user model: share of the reader's attention at rank i"),
        _entry("Resamples and seed", c.number("count", "resamples"), "; seed ", c.number("plain", "seed")),
        _entry("Convention", c.at("input", "convention")),
    ]


def _thresholds(c: Content) -> Markup:
    rows = [
        tag(
            "tr",
            tag("th", key, scope="row"),
            tag("td", c.number(form, "thresholds", key), class_="right"),
            tag("td", says),
        )
        for key, (form, says) in THRESHOLDS.items()
        if key in c.at("thresholds")
    ]
    heads = (("Name", None), ("Value", "right"), ("Meaning", None))
    head = tag("tr", *[tag("th", one, scope="col", class_=aligned) for one, aligned in heads])
    return box(tag("table", tag("thead", head), tag("tbody", *rows), class_="wordy"), label="Thresholds")


def _tests(c: Content) -> Markup:
    heads = ("Measure", "Run", "Test", "Statistic", "p, not corrected", "Remark")
    rows = []
    for at, pair in enumerate(c.data["pairs"]):
        for i, test in enumerate(pair["tests"]):
            here = ("pairs", at, "tests", i)
            remark = test["outcome"] or ("exact" if test["exact"] else "")
            rows.append(tag("tr", tag("td", pair["measure"]), tag("td", name(pair["run"])), tag("td", test["method"]),
                            tag("td", c.number("value", *here, "statistic"), class_="right"),
                            tag("td", c.number("p", *here, "p"), class_="right"), tag("td", remark)))  # fmt: skip
    return _folded("Tests", heads, rows, numeric=(3, 4))


def _sight(c: Content) -> Markup:
    named = list(dict.fromkeys(policy for pair in c.data["pairs"] for policy in pair["policies"]))
    heads = ("Measure", "Run", "Effect size", "These queries see", "Queries for the margin", *named)
    rows = []
    for at, pair in enumerate(c.data["pairs"]):
        here = ("pairs", at)
        numbers = [c.number("value", *here, "effect_size"), c.number("value", *here, "detectable"),
                   c.number("count", *here, "needed")]  # fmt: skip
        numbers += [
            c.number("signed", *here, "policies", one) if one in pair["policies"] else tag("span", NONE)
            for one in named
        ]
        cells = [tag("td", number, class_="right") for number in numbers]
        rows.append(tag("tr", tag("td", pair["measure"]), tag("td", name(pair["run"])), *cells))
    return _folded("Sight and policies", heads, rows, numeric=range(2, len(heads)))


def _folded(label: str, heads: tuple[str, ...], rows: list[Markup], *, numeric: range | tuple[int, ...]) -> Markup:
    head = [tag("th", one, scope="col", class_="right" if at in numeric else None) for at, one in enumerate(heads)]
    table = tag("table", tag("thead", tag("tr", *head)), tag("tbody", *rows))
    return tag("details", tag("summary", f"{label}: {len(rows)} rows"), box(table, label=label))


def _inputs(c: Content) -> Markup:
    heads = ("Run", "Documents", "Queries", "Judged", "Tied", "Queries missing", "Queries without judgments")
    rows = []
    for at, run in enumerate(c.at("input", "runs")):
        here = ("input", "runs", at)
        counts = [c.number("count", *here, key) for key in ("documents", "queries", "judged", "tied")]
        counts += [
            tag("span", str(len(run[key])), title=", ".join(run[key][:20]) or None) for key in ("missing", "left_out")
        ]
        rows.append(
            tag("tr", tag("th", name(run["run"]), scope="row"), *[tag("td", one, class_="right") for one in counts])
        )
    head = [tag("th", one, scope="col", class_="right" if at else None) for at, one in enumerate(heads)]
    judged = tag("p", c.number("count", "input", "judged_queries"), " judged queries")
    return together(judged, box(tag("table", tag("thead", tag("tr", *head)), tag("tbody", *rows)), label="Inputs"))


def _remarks(c: Content) -> Markup | None:
    texts = dict.fromkeys(note["text"] for note in [*c.data["notes"], *c.at("input", "notes")])
    length = c.at("page", "text_length")
    if length and c.at("page", "texts"):
        texts[f"texts of documents are shown up to their first {length} characters"] = None
    if not texts:
        return None
    return tag("ul", *[tag("li", text) for text in texts], class_="remarks")
