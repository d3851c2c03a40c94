"""The verdicts, first of all: one plain sentence per run, what it rests on and what to do."""

from __future__ import annotations

from rankgauge.report.comparison import MARKS
from rankgauge.report.page.markup import Markup, name, tag, together
from rankgauge.report.page.numbers import Content

CLASSES = {
    "better": "better",
    "worse": "worse",
    "equivalent": "equivalent",
    "no difference seen": "unseen",
    "not comparable offline": "refused",
}
SAYS = {
    "better": "better: the difference is more than chance, and the unjudged documents do not undo it",
    "worse": "worse: the same, downwards",
    "equivalent": "equivalent: a difference that matters is ruled out",
    "no difference seen": "no difference seen: there may be one, but these queries cannot tell",
    "not comparable offline": "not comparable offline: too much of what the runs show was never judged, or is missing",
}


def mark(word: str) -> Markup:
    """Write a verdict's mark and word; the mark tells verdicts apart without colour."""
    sign = tag("span", MARKS[word], class_="mark", aria_hidden="true")
    return tag("span", sign, " ", tag("span", word, class_="word"), class_=f"verdict-word is-{CLASSES[word]}")


def summary(c: Content) -> Markup:
    """Write one card per run, in the order of the runs."""
    places = {(pair["measure"], pair["run"]): at for at, pair in enumerate(c.data["pairs"])}
    cards = [_card(c, at, places[verdict["measure"], verdict["run"]]) for at, verdict in enumerate(c.data["verdicts"])]
    return tag(
        "section",
        tag("h2", "Verdict" if len(cards) == 1 else "Verdicts", id="verdict-title", class_="unseen-title"),
        tag("div", *cards, class_="cards"),
        id="verdict",
        aria_labelledby="verdict-title",
    )


def _card(c: Content, at: int, pair: int) -> Markup:
    verdict = c.at("verdicts", at)
    word = verdict["verdict"]
    return tag(
        "article",
        tag(
            "h3",
            tag("span", MARKS[word], class_="badge", aria_hidden="true"),
            tag("span", tag("span", name(verdict["run"]), class_="who"), " ", tag("span", word, class_="word")),
        ),
        tag("p", verdict["sentence"], class_="sentence"),
        _figures(c, pair),
        tag(
            "div",
            _list("Why", verdict["because"], c.at("page", "runs")),
            _list("What to do", verdict["do"], c.at("page", "runs")),
            class_="reasons",
        ),
        class_=f"verdict is-{CLASSES[word]}",
        data_verdict=word,
    )


def _figures(c: Content, pair: int) -> Markup:
    """The four numbers that the sentence rests on."""
    at = ("pairs", pair)
    found = c.at(*at)
    counts = together(*_separated(c.number("count", *at, key) for key in ("wins", "ties", "losses")))
    return tag(
        "dl",
        _figure(f"{found['measure']}, {found['baseline']}", c.number("value", *at, "baseline_mean")),
        _figure(f"{found['measure']}, {found['run']}", c.number("value", *at, "run_mean")),
        _figure("Difference", c.number("signed", *at, "difference")),
        _figure("Queries won / tied / lost", counts),
        class_="figures",
    )


def _separated(parts: object) -> list[str]:
    first, *rest = list(parts)  # type: ignore[call-overload]
    return [first, *(piece for part in rest for piece in (" / ", part))]


def _figure(label: str, number: Markup) -> Markup:
    return tag("div", tag("dt", label), tag("dd", number))


def _list(title: str, said: list[str], runs: list[str]) -> Markup | None:
    if not said:
        return None
    return tag("div", tag("h4", title), tag("ul", *[tag("li", _sentence(one, runs)) for one in said]))


def _sentence(text: str, runs: list[str]) -> str:
    """Begin with a capital, unless a run's name stands there."""
    named = any(text.startswith(run) for run in runs)
    return text if named else text[:1].upper() + text[1:]
