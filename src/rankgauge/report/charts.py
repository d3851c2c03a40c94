"""What all charts share: the look, and saving as SVG, PNG, HTML or Vega-Lite."""

from __future__ import annotations

import json
from html import escape
from os import PathLike
from pathlib import Path
from typing import Any, Protocol

import vl_convert

from rankgauge.errors import Fault, InputError

FONT = "'DejaVu Sans', 'Noto Sans', 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'Liberation Sans', sans-serif"

INK, GREY, GRID = "#222222", "#6b6b6b", "#e4e4e4"

# Okabe & Ito (2008): told apart by readers with any colour vision; yellow is left out, pale on white.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")

THEME: dict[str, Any] = {
    "font": FONT,
    "background": "white",
    "padding": 16,
    "title": {"fontSize": 15, "fontWeight": 600, "color": INK, "anchor": "start", "offset": 12,
              "subtitleFontSize": 12, "subtitleColor": GREY, "subtitlePadding": 5},
    "axis": {"labelFontSize": 12, "titleFontSize": 13, "titleFontWeight": 400, "labelColor": INK,
             "titleColor": INK, "gridColor": GRID, "domainColor": GREY, "tickColor": GREY, "titlePadding": 8,
             "labelFlush": False},
    "legend": {"labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": 400, "labelColor": INK},
    "range": {"category": list(PALETTE)},
    "view": {"stroke": None},
    "concat": {"spacing": 48},
}  # fmt: skip

PAGE = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>{title}</title>
<script>{libraries}</script></head>
<body><div id="chart"></div>
<script>vegaEmbed("#chart", {spec}, {{"renderer": "svg", "actions": {{"editor": false}}}});</script>
</body>
</html>
"""


class Chart(Protocol):
    """Whatever can say itself in Vega-Lite, as every altair chart can."""

    def to_dict(self) -> dict[str, Any]:
        """Give the Vega-Lite specification."""
        ...


def save_chart(chart: Chart, path: str | PathLike[str], *, title: str = "rankgauge") -> None:
    """Write a chart as .svg, .png, .html or .json (Vega-Lite), told by the path's suffix.

    The HTML page holds its libraries and needs no network. `title` names that page.
    """
    target = Path(path)
    content = _content(chart.to_dict(), target, title)
    try:
        if isinstance(content, bytes):
            target.write_bytes(content)
        else:
            target.write_text(content, encoding="utf-8")
    except OSError as error:
        raise InputError(Fault(str(target), "a place to write a chart", f"{error.strerror}")) from error


def _content(spec: dict[str, Any], target: Path, title: str) -> str | bytes:
    match target.suffix.lower():
        case ".svg":
            return vl_convert.vegalite_to_svg(spec)
        case ".png":
            return vl_convert.vegalite_to_png(spec, scale=2)
        case ".html":
            libraries = vl_convert.javascript_bundle()  # type: ignore[call-arg]  # its stub is too strict
            return PAGE.format(title=escape(title), libraries=libraries, spec=_script_json(spec))
        case ".json":
            return json.dumps(spec, ensure_ascii=False, indent=2) + "\n"
    advice = "name a file ending in .svg, .png, .html or .json"
    raise InputError(Fault(str(target), "the suffix of a chart", repr(target.suffix), advice))


def _script_json(spec: dict[str, Any]) -> str:
    """JSON that no text inside can break out of its script element."""
    return json.dumps(spec, ensure_ascii=False).replace("<", "\\u003c")
