"""The checkup: every check of the registry over one set of judgments and its runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from rankgauge.checkup import decisions, grades, ids, judgments, matches, pool, results, texts
from rankgauge.checkup.evidence import Evidence, default_measures
from rankgauge.checkup.findings import SEVERITIES, Checkup, Finding, NotChecked
from rankgauge.checkup.limits import CheckupLimits
from rankgauge.checkup.registry import CHECKS, Check
from rankgauge.conventions import convention
from rankgauge.engines.memory import AnyQrels, AnyRun, as_measures, as_qrels, as_runs
from rankgauge.errors import Fault, InputError
from rankgauge.measures import Measure
from rankgauge.records import Run

THEMES = (judgments, grades, pool, matches, results, decisions, texts, ids)
"""The modules whose checks are made, in the order in which their findings are listed."""
DEFAULT_MEASURES = ("nDCG@10", "AP", "RR", "R@100")


def checks() -> tuple[Check, ...]:
    """Return every check, theme by theme, in the order in which they are made."""
    order = [theme.__name__.rpartition(".")[2] for theme in THEMES]
    return tuple(sorted(CHECKS.values(), key=lambda check: order.index(check.theme)))


def doctor(
    qrels: AnyQrels,
    runs: AnyRun | Mapping[str, AnyRun] | Sequence[Run] = (),
    *,
    measures: str | Measure | Sequence[str | Measure] = DEFAULT_MEASURES,
    queries: Mapping[str, str] | None = None,
    texts: Mapping[str, str] | None = None,
    limits: CheckupLimits | None = None,
) -> Checkup:
    """Look whether judgments are fit to decide anything: what is wrong or weak, where, and what to do.

    Parameters
    ----------
    qrels : Qrels, or {query: {doc: grade}}
    runs : one run, several, {name: run}; some checks need one, some need two
    measures : those that decisions will rest on; the first cutoff among them is where unjudged documents matter
    queries : {query: text}, for near-duplicate queries
    texts : {document: text}, for copies and texts judged differently
    limits : thresholds

    Raises
    ------
    InputError
        For inputs that cannot be read for sure.
    MeasureError
        For a measure that does not exist.

    >>> doctor({"q1": {"a": 1}, "q2": {"b": 0}}).named("no-relevant")[0].says
    '1 query of 2 without a document of grade 1 or higher'
    """
    chosen = default_measures(tuple(as_measures(measures, convention("default"))))
    evidence = Evidence(
        qrels=as_qrels(qrels),
        runs=tuple(as_runs(runs)) if runs else (),
        measures=chosen,
        limits=limits or CheckupLimits(),
        queries=_table(queries),
        texts=_table(texts),
    )
    said = [item for check in checks() for item in check.of(evidence)]
    findings = [item for item in said if isinstance(item, Finding)]
    return Checkup(
        findings=tuple(sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity))),
        not_checked=tuple(item for item in said if isinstance(item, NotChecked)),
        qrels=evidence.qrels.name,
        queries=evidence.Q,
        judgments=len(evidence.flat),
        runs=tuple(run.name for run in evidence.runs),
        measures=tuple(map(str, chosen)),
        cutoff=evidence.cutoff,
        notes=(*evidence.qrels.notes, *(note for run in evidence.runs for note in run.notes)),
    )


def _table(texts: Mapping[str, str] | None) -> pl.DataFrame | None:
    if texts is None:
        return None
    for id_, text in texts.items():
        if not (isinstance(id_, str) and isinstance(text, str)):
            got = f"{type(id_).__name__} and {type(text).__name__} ({id_!r})"
            raise InputError(Fault("texts", "ids and texts as strings", got, "pass {id: text}"))
    schema = {"id": pl.String, "text": pl.String}
    return pl.DataFrame({"id": list(texts), "text": list(texts.values())}, schema=schema)
