"""Checks of the ids: damage on the way through other programs, and ids that look alike but are not the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import polars as pl

from rankgauge.checkup.evidence import Evidence
from rankgauge.checkup.findings import Severity
from rankgauge.checkup.registry import Found, check
from rankgauge.checkup.wording import many
from rankgauge.records._columns import in_one_form
from rankgauge.records.notes import examples

FLOAT = r"^[+-]?\d+\.0+$|^[+-]?\d(\.\d+)?[eE][+-]\d+$|^[+-]?\d\.\d+[eE]\d+$"
"""What a spreadsheet or a float column makes of a whole number: 12345.0, 1.0E+05, 1e+05, 1.2e5."""
FRAGILE = r"^[+-]?\d+[eE]\d+$|^0\d+$|^[+-]?\d{16,}$"
"""Ids that become other numbers where a program takes them for numbers: 1e5, 007, more digits than a float holds."""
MISSING = r"^(?i:nan|none|null|na|n/a|<na>|nat|undefined|#n/a)$"
SURROUNDED = r"""^[\s"'\u00a0]|[\s"'\u00a0]$"""
INVISIBLE = r"[\u{feff}\u{200b}-\u{200f}\u{2060}\u{00ad}\u{202a}-\u{202e}]|\p{Cc}"
MOJIBAKE = r"[ÃÂ][\u{80}-\u{bf}]|â€|ï»¿|\u{fffd}"
"""UTF-8 that was read as Latin-1 or Windows-1252, its byte order mark, and the sign for bytes that were lost."""


def _both(e: Evidence) -> Iterator[tuple[str, pl.Series]]:
    yield "query", e.query_ids
    yield "document", e.doc_ids


def _matching(e: Evidence, pattern: str) -> tuple[int, int, str]:
    """Number of ids that match, of all ids, and examples."""
    found, of, shown = 0, 0, []
    for kind, ids in _both(e):
        odd = e.odd_ids[kind]
        hits = odd.filter(odd.str.contains(pattern))
        found, of = found + len(hits), of + len(ids)
        if len(hits):
            shown.append(f"{kind} {examples(hits.sort().head(3))}")
    return found, of, "; ".join(shown)


def _by_pattern(e: Evidence, pattern: str, what: str, severity: str = "warning") -> Found:
    count, of, shown = _matching(e, pattern)
    grave: Severity = "ok" if not count else "info" if severity == "info" else "warning"
    return Found(grave, count, of, f"{many(count, 'id')} of {of:,}: {what}", shown)


@check(do="read the source again with ids as text; 1.0 is not 1", finds=("warning",))
def ids_as_floats(e: Evidence) -> Iterator[Found]:
    """Ids that were once whole numbers and went through a float or a spreadsheet: "12345.0", "1.0E+05"."""
    yield _by_pattern(e, FLOAT, "numbers that went through a float, by their looks")


@check(do="keep them as text on every way: spreadsheets and data frames take them for numbers", finds=("info",))
def fragile_ids(e: Evidence) -> Iterator[Found]:
    """Ids that another program would change: "1e5", "007", more than 15 digits."""
    yield _by_pattern(e, FRAGILE, "would change if read as numbers", "info")


@check(do="look at the rows: an id was probably missing", finds=("warning",))
def ids_for_nothing(e: Evidence) -> Iterator[Found]:
    """Ids that are words for nothing: "nan", "None", "NULL"."""
    yield _by_pattern(e, MISSING, "words for a missing value")


@check(do="cut them off on both sides, judgments and runs", finds=("warning",))
def ids_with_edges(e: Evidence) -> Iterator[Found]:
    """Ids with blanks or quotes around them."""
    yield _by_pattern(e, SURROUNDED, "a blank or a quote at the beginning or the end")


@check(do="remove these characters on both sides, judgments and runs", finds=("warning",))
def ids_with_invisible_characters(e: Evidence) -> Iterator[Found]:
    """Ids that hold a byte order mark, a zero-width character, a soft hyphen or a control character."""
    yield _by_pattern(e, INVISIBLE, "characters that nobody sees")


@check(do="write the source again as UTF-8: it was read in another encoding", finds=("warning",))
def ids_in_a_wrong_encoding(e: Evidence) -> Iterator[Found]:
    """Ids with the traces of a wrong encoding: "Ã©" for "é", "�"."""
    yield _by_pattern(e, MOJIBAKE, "traces of a wrong encoding")


@check(do="check that these are ids and not texts", finds=("info",))
def long_ids(e: Evidence) -> Iterator[Found]:
    """Ids so long that they may be texts."""
    found = [(kind, ids.filter(ids.str.len_bytes() > e.limits.long_id)) for kind, ids in _both(e)]
    count, of = sum(len(ids) for _, ids in found), len(e.query_ids) + len(e.doc_ids)
    example = next((f"{kind} {ids[0][:60]!r}..." for kind, ids in found if len(ids)), "")
    says = f"{many(count, 'id')} of {of:,} longer than {e.limits.long_id} bytes"
    yield Found("info" if count else "ok", count, of, says, example)


@check(do="make sure that these are different things; if not, write them in one way", finds=("warning",))
def lookalike_ids(e: Evidence) -> Iterator[Found]:
    """Ids that differ only in leading zeros, a trailing ".0", case, surrounding blanks or Unicode form."""
    groups, of = [], 0
    for kind, ids in _both(e):
        of += len(ids)
        groups += [(kind, how, found) for how, turn in ALIKE.items() if (found := _twins(e.odd_ids[kind], ids, turn))]
    count = sum(len(twins) for _, _, twins in groups)
    says = f"{many(count, 'id')} of {of:,} only look like another one"
    if groups:
        says += ": " + ", ".join(f"{len(twins):,} {kind} ids by {how}" for kind, how, twins in groups)
    example = "; ".join(f"{first!r} and {second!r}" for _, _, twins in groups[:3] for first, second in [twins[0]])
    yield Found("warning" if count else "ok", count, of, says, example)


def _twins(odd: pl.Series, ids: pl.Series, turn: Callable[[pl.Series], pl.Series]) -> list[tuple[str, str]]:
    """Pairs of another id, and one that the turn changes and makes the same; it can change the odd ids only."""
    turned = turn(odd)
    changed = (turned != odd) & (turned.str.len_bytes() > 0)
    if not changed.any():
        return []
    table = pl.DataFrame({"id": odd.filter(changed), "turned": turned.filter(changed)})
    plain = ids.filter(ids.is_in(table["turned"].implode()))
    others = pl.concat([table, pl.DataFrame({"id": plain, "turned": plain})]).unique("id")
    pairs = table.join(others, on="turned", suffix="_other").filter(pl.col("id") != pl.col("id_other"))
    pairs = pairs.sort("id", "id_other").unique("id", keep="first", maintain_order=True)
    return list(pairs.select("id_other", "id").iter_rows())


ALIKE: dict[str, Callable[[pl.Series], pl.Series]] = {
    "leading zeros": lambda ids: ids.str.replace(r"^0+(\d)", "$1"),
    "a trailing '.0'": lambda ids: ids.str.strip_suffix(".0"),
    "case": lambda ids: ids.str.to_lowercase(),
    "blanks or quotes around": lambda ids: ids.str.strip_chars(" \t\r\n\"'\u00a0\ufeff"),
    "their Unicode form": lambda ids: in_one_form(ids, "NFC"),
    "compatible Unicode characters": lambda ids: in_one_form(ids, "NFKC"),
}


@check(do="write all digits-only ids at one length, as the longest has", finds=("warning",))
def lost_zeros(e: Evidence) -> Iterator[Found]:
    """Ids of digits of which some have leading zeros and some are shorter, as if theirs were lost."""
    count, of, shown = 0, 0, []
    for kind, ids in _both(e):
        odd = e.odd_ids[kind]
        width = odd.filter(odd.str.contains(r"^0\d+$")).str.len_bytes()
        if not len(width) or width.n_unique() > 1:
            continue
        digits = ids.filter(ids.str.contains(r"^\d+$"))
        short = digits.filter(digits.str.len_bytes() < width[0])
        count, of = count + len(short), of + len(digits)
        shown += [f"{kind} {examples(short.sort().head(3))}"] if len(short) else []
    says = f"{many(count, 'id')} of digits shorter than those that begin with 0" if count else "no id is too short"
    yield Found("warning" if count else "ok", count, of or None, says, "; ".join(shown))


@check(
    do="bring judgments and runs to one form: qrels.normalized('NFC') and run.normalized('NFC')",
    finds=("warning", "info"),
)
def unicode_forms(e: Evidence) -> Iterator[Found]:
    """Ids in several Unicode forms: composed and decomposed accents, compatibility characters."""
    ids = pl.concat(list(e.odd_ids.values())).unique()
    ids = ids.filter(ids.str.len_bytes() != ids.str.len_chars())
    composed, decomposed = ids.str.normalize("NFC"), ids.str.normalize("NFD")
    accented = composed != decomposed
    loose = ids.filter(ids != composed)
    compatible = ids.filter(ids.str.normalize("NFKC") != composed)
    mixed = len(loose) > 0 and bool((accented & (ids == composed)).any())
    count = len(loose) + len(compatible.filter(~compatible.is_in(loose.implode())))
    says = f"{len(ids):,} ids are not plain ASCII: {len(loose):,} not in the form NFC, {len(compatible):,} with"
    says += " characters that NFKC would replace" + ("; both forms occur" if mixed else "")
    example = examples(pl.concat([loose.sort(), compatible.sort()]).unique(maintain_order=True).to_list())
    yield Found("warning" if mixed else "info" if count else "ok", count, len(ids), says, example)
