"""Charts of a classification: ROC and precision-recall, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import altair as alt
import numpy as np
import numpy.typing as npt

from rankgauge.errors import Fault, InputError
from rankgauge.measures.classification import Classification, Curve
from rankgauge.report.charts import GREY, INK, PALETTE, THEME

SIDE = 340
MOST_POINTS = 500
LINE, MARK = PALETTE[0], PALETTE[1]


def curves_chart(result: Classification) -> alt.HConcatChart:
    """Draw the ROC curve beside the PR curve; one that is undefined is left out.

    A curve of more than 500 points is drawn through 500 of them; the areas are those of all.
    Raises InputError when both curves are undefined.
    """
    charts = []
    if result.roc is not None:
        charts.append(roc_chart(result, result.roc))
    if result.pr is not None:
        charts.append(pr_chart(result, result.pr))
    if not charts:
        got = f"{result.negatives} negative items"
        raise InputError(Fault("labels", "a positive item, without which there is no curve", got))
    chart: alt.HConcatChart = alt.hconcat(*charts).configure(**THEME)
    return chart


def roc_chart(result: Classification, curve: Curve) -> alt.LayerChart:
    """ROC curve with the diagonal of chance; a point marks the threshold in use."""
    plane = _Plane("False positive rate", "True positive rate (recall)")
    chance = plane.dashes((0.0, 0.0), (1.0, 1.0))
    line = plane.line(curve, "linear")
    here = plane.operating(result.confusion.fpr, result.confusion.recall, result.threshold)
    title = f"ROC curve, AUC = {result.roc_auc:.4f}"
    subtitle = f"{result.positives:,} positive, {result.negatives:,} negative; dashed: chance"
    return _titled([chance, line, *here], title, subtitle)


def pr_chart(result: Classification, curve: Curve) -> alt.LayerChart:
    """PR curve in steps, as AP sums it, with the prevalence; a point marks the threshold in use."""
    plane = _Plane("Recall", "Precision")
    floor = plane.dashes((0.0, result.prevalence), (1.0, result.prevalence))
    line = plane.line(curve, "step-before")
    here = plane.operating(result.confusion.recall, result.confusion.precision, result.threshold)
    title = f"Precision–recall curve, AP = {result.average_precision:.4f}"
    return _titled([floor, line, *here], title, f"dashed: chance, the prevalence {result.prevalence:.4f}")


def _titled(layers: list[alt.Chart], title: str, subtitle: str) -> alt.LayerChart:
    head = alt.TitleParams(title, subtitle=subtitle)
    return alt.LayerChart(layer=layers, width=SIDE, height=SIDE, title=head)


@dataclass(frozen=True)
class _Plane:
    """The unit square that a curve is drawn in, and the marks on it."""

    x: str
    y: str

    def _chart(self, rows: list[dict[str, Any]]) -> alt.Chart:
        scale, axis = alt.Scale(domain=[0, 1], nice=False), alt.Axis(format=".1f", tickCount=5)
        x = alt.X("x:Q", title=self.x, scale=scale, axis=axis)
        y = alt.Y("y:Q", title=self.y, scale=scale, axis=axis)
        chart: alt.Chart = alt.Chart(alt.InlineData(values=rows)).encode(x=x, y=y)
        return chart

    def line(self, curve: Curve, interpolate: Any) -> alt.Chart:
        """Draw the curve, with each point's threshold as a tooltip."""
        rows = [
            {"x": round(x, 5), "y": round(y, 5), "i": i, "t": f"{t:.6g}"}
            for i, (x, y, t) in enumerate(_spread(curve).tolist())
        ]
        tooltip = [
            alt.Tooltip("t:N", title="Threshold"),
            alt.Tooltip("x:Q", title=self.x, format=".4f"),
            alt.Tooltip("y:Q", title=self.y, format=".4f"),
        ]
        unseen = alt.OverlayMarkDef(opacity=0, size=80)
        mark = self._chart(rows).mark_line(
            color=LINE, strokeWidth=2.5, strokeJoin="round", interpolate=interpolate, point=unseen
        )
        ordered: alt.Chart = mark.encode(order=alt.Order("i:Q"), tooltip=tooltip)
        return ordered

    def dashes(self, start: tuple[float, float], end: tuple[float, float]) -> alt.Chart:
        """Draw a straight dashed line."""
        rows = [{"x": x, "y": y} for x, y in (start, end)]
        mark: alt.Chart = self._chart(rows).mark_line(color=GREY, strokeDash=[5, 4], strokeWidth=1.2)
        return mark

    def operating(self, x: float | None, y: float | None, threshold: float) -> list[alt.Chart]:
        """Mark the threshold in use, its words below and towards the middle; nothing if undefined."""
        if x is None or y is None:
            return []
        base = self._chart([{"x": x, "y": y}])
        place: dict[str, Any] = {"align": "left", "dx": 9} if x <= 0.5 else {"align": "right", "dx": -9}
        words = {"text": f"threshold {threshold:g}", "fontSize": 12, "dy": 15 if y > 0.15 else -15, **place}
        return [
            base.mark_text(**words, stroke="white", strokeWidth=8, strokeJoin="round"),
            base.mark_text(**words, color=INK),
            base.mark_point(filled=True, size=90, color=MARK, opacity=1, stroke="white", strokeWidth=1.5),
        ]


def _spread(curve: Curve) -> npt.NDArray[np.float64]:
    """Points to draw, float[<= MOST_POINTS, 3]: all, or some at even distances along the curve."""
    points = np.column_stack([curve.x, curve.y, curve.thresholds])
    if len(points) <= MOST_POINTS:
        return points
    walked = np.cumsum(np.abs(np.diff(points[:, :2], axis=0, prepend=points[:1, :2])).sum(axis=1))
    return points[np.unique(np.searchsorted(walked, np.linspace(0, walked[-1], MOST_POINTS)))]
