"""Charts of user models: attention, chance to read on and last rank read, by rank."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import numpy as np

from rankgauge.errors import ParameterError
from rankgauge.measures import Measure, Profile, profile
from rankgauge.measures._walk import HORIZON
from rankgauge.report.charts import PALETTE, THEME

WIDE, HIGH = 710, 270
NARROW, LOW = 310, 170
LABELS = 42
DOT = {"W": 52, "C": 26, "L": 26}
MOST = len(PALETTE)
WHOLE, DASHED = [1, 0], [6, 3]
STEPS = (5, 10, 20, 50, 100, 200)
PANELS = {
    "W": ("W(i): share of the reader's attention", "what the document at each rank weighs"),
    "C": ("C(i): chance to read on", "of those who reach a rank"),
    "L": ("L(i): last rank read", "of all users"),
}


def profile_chart(
    measures: Sequence[str | Measure], *, depth: int = 20, gains: Sequence[float] | None = None
) -> alt.VConcatChart:
    """Draw the users of up to seven measures: W above, C and L below.

    Parameters
    ----------
    depth : ranks to draw, up to 1000
    gains : in [0, 1], of the ranking that adaptive users follow; None: one relevant document at rank 3

    Raises
    ------
    MeasureError
        For a measure that has no user model.
    """
    if not 1 <= depth <= HORIZON:
        raise ParameterError(f"profile chart: expected a depth from 1 to {HORIZON}, got {depth}")
    found = list({p.measure: p for p in (profile(m, depth=depth, gains=gains) for m in measures)}.values())
    if not 1 <= len(found) <= MOST:
        raise ParameterError(f"profile chart: expected 1 to {MOST} measures, got {len(found)}")
    look = _Look(tuple(found), depth)
    below = alt.hconcat(look.panel("C", NARROW, LOW), look.panel("L", NARROW, LOW))
    title = alt.TitleParams("How users read a ranking", subtitle=_subtitle(found), fontSize=17, offset=22)
    stacked = alt.vconcat(look.panel("W", WIDE, HIGH), below, title=title, spacing=34)
    chart: alt.VConcatChart = stacked.configure(**THEME)
    return chart


def _subtitle(profiles: Sequence[Profile]) -> list[str]:
    said = ["The user model of each measure, rank by rank."]
    adaptive = [p for p in profiles if p.adaptive]
    if adaptive:
        said.append(f"Dashed: users who adapt to what they find, drawn for a ranking with {_ranking(adaptive[0])}.")
    return said


def _ranking(followed: Profile) -> str:
    """Say in words which gains were followed."""
    ranks = np.flatnonzero(followed.gains)
    if not len(ranks):
        return "nothing relevant"
    if len(ranks) == 1 and followed.gains[ranks[0]] == 1:
        return f"one relevant document, at rank {ranks[0] + 1}"
    return "the gains " + ", ".join(f"{followed.gains[at]:.2g} at rank {at + 1}" for at in ranks)


@dataclass(frozen=True)
class _Look:
    """The same lines in every panel."""

    profiles: tuple[Profile, ...]
    depth: int

    def panel(self, which: str, width: int, height: int) -> alt.LayerChart:
        """Draw one array of the profiles, rank by rank; the legend stands in the panel of W."""
        title, subtitle = PANELS[which]
        head = alt.TitleParams(title, subtitle=subtitle, fontSize=14, offset=10)
        share = alt.Scale(domain=[0, 1]) if which == "C" else alt.Scale(domainMin=0, nice=True)
        names = [p.measure for p in self.profiles]
        dashes = [DASHED if p.adaptive else WHOLE for p in self.profiles]
        legend = self._legend() if which == "W" else None
        percent = alt.Axis(format=".0%", tickCount=5, minExtent=LABELS, maxExtent=LABELS)
        ranks = alt.Scale(domain=[0.6, self.depth + 0.4], nice=False)
        base = alt.Chart(alt.InlineData(values=self._rows(which))).encode(
            x=alt.X("rank:Q", title="Rank i", scale=ranks, axis=self._axis()),
            y=alt.Y("value:Q", title=None, scale=share, axis=percent),
            color=alt.Color("measure:N", scale=alt.Scale(domain=names, range=list(PALETTE)), legend=legend),
        )
        dash = alt.StrokeDash("measure:N", scale=alt.Scale(domain=names, range=dashes), legend=legend)
        line = base.mark_line(strokeWidth=2.2, strokeJoin="round").encode(strokeDash=dash)
        dots = base.mark_circle(size=DOT[which], opacity=1, stroke="white", strokeWidth=1).encode(
            tooltip=_tooltip(which)
        )
        return alt.LayerChart(layer=[line, dots], width=width, height=height, title=head)

    def _rows(self, which: str) -> list[dict[str, Any]]:
        """Take the points to draw: no chance to read on from where nobody is, and one 0 where all have stopped."""
        rows = []
        for p in self.profiles:
            reached = int(np.count_nonzero(p.W)) + (which != "C")
            values = getattr(p, which)[:reached].tolist()
            rows += [{"measure": p.measure, "rank": i, "value": round(v, 6)} for i, v in enumerate(values, 1)]
        return rows

    def _legend(self) -> alt.Legend:
        return alt.Legend(
            title=None, orient="top", symbolType="stroke", symbolStrokeWidth=2.6, symbolSize=700, columnPadding=22,
            columns=5, offset=14,
        )  # fmt: skip

    def _axis(self) -> alt.Axis:
        step = 1 if self.depth <= 12 else next(s for s in STEPS if self.depth / s <= 10)
        return alt.Axis(values=[1, *range(max(step, 2), self.depth + 1, step)], grid=False, format="d")


def _tooltip(which: str) -> list[alt.Tooltip]:
    return [
        alt.Tooltip("measure:N", title="Measure"),
        alt.Tooltip("rank:Q", title="Rank"),
        alt.Tooltip("value:Q", title=which, format=".2%"),
    ]
