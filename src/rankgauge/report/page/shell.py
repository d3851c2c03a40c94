"""What every page shares: head, policy, sections and their list, the JSON object, and saving."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from os import PathLike
from pathlib import Path

from rankgauge.errors import Fault, InputError
from rankgauge.report.page.data import script_json
from rankgauge.report.page.markup import Child, Markup, tag
from rankgauge.report.page.numbers import Content

PAGE = resources.files("rankgauge.report.page")


@dataclass(frozen=True)
class Section:
    """One section: its id and title for the list of contents, and its markup."""

    id: str
    title: str
    markup: Markup


def section(id: str, title: str, lead: str | Markup | None, *content: Child) -> Section:
    """Write a section under a heading."""
    said = lead if isinstance(lead, Markup) else tag("p", lead, class_="lead") if lead else None
    heading = tag("h2", title, id=f"{id}-title")
    return Section(id, title, tag("section", heading, said, *content, id=id, aria_labelledby=f"{id}-title"))


def contents(sections: Sequence[Section]) -> Markup:
    """Write the list of sections."""
    links = [tag("li", tag("a", one.title, href=f"#{one.id}")) for one in sections]
    return tag("nav", tag("ul", *links), aria_label="Sections")


def document(c: Content, body: Sequence[Markup], *, title: str, version: str, parts: Sequence[str]) -> str:
    """Write a page whose style and script are the packaged files of these names; some pages have no script."""
    style = "".join(packaged(f"{part}.css") for part in parts)
    script = packaged(f"{parts[-1]}.js") if (PAGE / f"{parts[-1]}.js").is_file() else ""
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=_policy(style, script)),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="generator", content=f"rankgauge {version}"),
        tag("title", title),
        tag("style", Markup(style)),
    )
    data = tag("script", Markup(script_json(c.data)), type="application/json", id="data")
    run = tag("script", Markup(script)) if script else None
    return f"<!DOCTYPE html>\n{tag('html', head, tag('body', *body, data, run), lang='en')}\n"


def footer(version: str) -> Markup:
    """Write the page's last line."""
    said = ". This page is complete in itself: it loads nothing and sends nothing."
    return tag("footer", tag("p", "Made with rankgauge ", version, said))


def save(path: str | PathLike[str], written: str) -> None:
    """Write a page into a file. Raises InputError for a path that cannot be written."""
    target = Path(path)
    try:
        target.write_text(written, encoding="utf-8")
    except OSError as error:
        raise InputError(Fault(str(target), "a place to write the report", f"{error.strerror}")) from error


def packaged(file: str) -> str:
    """Read a file that lies beside this module."""
    return (PAGE / file).read_text("utf-8")


def _policy(style: str, script: str) -> str:
    """What the browser may do: run this script, apply this style, and nothing else; no network."""
    return (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
