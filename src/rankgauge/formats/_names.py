"""Names that columns go by: how a header line is recognised and what each column is taken for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from rankgauge.errors import Fault, InputError, did_you_mean

ROLES: Mapping[str, tuple[str, ...]] = {
    "query": ("queryid", "qid", "topicid", "topic", "querynumber", "query", "querytext", "q"),
    "doc": ("docid", "docno", "documentid", "corpusid", "did", "pid", "passageid", "chunkid", "doc", "document"),
    "score": ("score", "relevancescore", "sim", "similarity", "similarityscore"),
    "grade": ("grade", "rel", "relevance", "rating", "label", "judgment", "judgement", "gain", "score"),
    "rank": ("rank", "modelrank", "position", "docposition", "pos"),
    "subtopic": ("subtopic", "subtopicid", "intent", "aspect"),
}
_JUDGMENTS = frozenset(ROLES["grade"]) - {"score"}


def bare(name: str) -> str:
    """Reduce a column's name to what it is compared by.

    >>> bare(" Query-ID"), bare("doc_id")
    ('queryid', 'docid')
    """
    return re.sub(r"[\s_.\-]", "", name.strip().strip('"').lower())


def looks_like_header(fields: Sequence[str]) -> bool:
    """Whether at least two of the fields are names that columns go by, and not ids that data have too.

    >>> looks_like_header(["query-id", "0", "corpus-id", "score"]), looks_like_header(["q", "Q0", "d", "1", "x", "t"])
    (True, False)
    """
    known = {name for names in ROLES.values() for name in names} | {"iter", "iteration", "tag", "runid"}
    return sum(bare(field) in known - {"q"} for field in fields) >= 2


def is_header(fields: Sequence[str]) -> bool:
    """Whether the fields name a query, a document, and a grade, score or rank."""
    names = {bare(field) for field in fields}
    value = {*ROLES["score"], *ROLES["grade"], *ROLES["rank"]}
    return all(names & wanted for wanted in (set(ROLES["query"]), set(ROLES["doc"]), value))


def assigned(found: Sequence[str], columns: Mapping[str, str] | None, *, holds: str, where: str) -> dict[str, str]:
    """Say which column plays which role: {role: column}, from the caller's `columns`, then from known names.

    A log's rows carry their judgments: roles query, doc, grade, and what decides, rank or score (a score holds,
    unless only the rank is named).

    Raises InputError for a column that is not there, and for a query, document or value that none names.
    """
    given = _given(found, columns or {}, holds, where)
    if holds == "log":
        return _of_log(found, given, where)
    value = "grade" if holds == "qrels" else "score"
    roles = ["query", "doc", value, *(["subtopic"] if holds == "qrels" else ["rank"])]
    chosen = {role: given.get(role) or _by_name(found, role, set(given.values())) for role in roles}
    taken = {role: column for role, column in chosen.items() if column is not None}
    lacking = [role for role in ("query", "doc") if role not in taken]
    if value not in taken and "rank" not in taken:
        lacking.append(value if value == "grade" else "score or rank")
    names = {bare(column) for column in found}
    if (
        holds == "qrels"
        and "grade" not in given
        and names & set(ROLES["rank"])
        and bare(taken.get("grade", "")) == "score"
    ):
        lacking.append("grade")
    if lacking:
        raise InputError(_lacking(found, lacking, holds, where))
    if holds == "run" and "rank" in given and "score" not in given:
        taken.pop("score", None)
    return taken


def _of_log(found: Sequence[str], given: Mapping[str, str], where: str) -> dict[str, str]:
    """Roles in a log; "relevance_score" is its grade, unless another column is."""
    used = set(given.values())
    grade = given.get("grade") or _grade_of_log(found, used, where)
    used |= {grade or ""}
    rank = given.get("rank") or _by_name(found, "rank", used)
    score = given.get("score") or (None if "rank" in given else _by_name(found, "score", used))
    if grade is None and score is not None and rank is not None and "score" not in given:
        advice = f"say which: --columns grade={score} (the rank then decides), or score={score},grade=NAME"
        got = f"{score!r}, which could be the score or the grade"
        raise InputError(Fault(where, "a column of grades", got, advice))
    chosen = {role: given.get(role) or _by_name(found, role, used) for role in ("query", "doc")}
    chosen |= {"rank": rank} if score is None else {"score": score}
    chosen["grade"] = grade
    taken = {role: column for role, column in chosen.items() if column is not None}
    lacking = ["score or rank" if role == "rank" else role for role in chosen if role not in taken]
    if lacking:
        raise InputError(_lacking(found, lacking, "log", where))
    return taken


def _grade_of_log(found: Sequence[str], used: Iterable[str], where: str) -> str | None:
    """The one column with a name that only grades have, or else the one that logs call so."""
    free = [column for column in found if column not in set(used)]
    named = [column for column in free if bare(column) in _JUDGMENTS]
    if len(named) > 1:
        got = " and ".join(map(repr, named))
        raise InputError(Fault(where, "one column of grades", got, f"name it: --columns grade={named[0]}"))
    return next((column for column in (*named, *free) if bare(column) in {*_JUDGMENTS, "relevancescore"}), None)


def _given(found: Sequence[str], columns: Mapping[str, str], holds: str, where: str) -> dict[str, str]:
    given = {}
    for role, column in columns.items():
        # A grade may be called a score: BEIR's header does.
        role = "grade" if holds == "qrels" and role == "score" else role
        if role not in ROLES:
            raise InputError(Fault("columns", f"one of {', '.join(ROLES)}", repr(role), "write query=..., doc=..."))
        if column not in found:
            near = did_you_mean(column, found).removeprefix("; ")
            got = f"the columns {', '.join(map(repr, found))}"
            raise InputError(Fault(where, f"a column {column!r} for {role}", got, near))
        given[role] = column
    return given


def _by_name(found: Sequence[str], role: str, used: Iterable[str]) -> str | None:
    used = set(used)
    by_bare = {bare(column): column for column in reversed(found) if column not in used}
    return next((by_bare[name] for name in ROLES[role] if name in by_bare), None)


def _lacking(found: Sequence[str], lacking: Sequence[str], holds: str, where: str) -> Fault:
    names = {bare(column) for column in found}
    got = f"the columns {', '.join(map(repr, found))}"
    example = ",".join(f"{role.split()[0]}=NAME" for role in lacking)
    advice = f"name them: --columns {example}, or columns={{...}}"
    if holds == "run" and names & _JUDGMENTS:
        advice = f"these look like judgments, not results; {advice}"
    if holds == "qrels" and names & set(ROLES["rank"]):
        advice = f"this looks like a run, not judgments; {advice}"
    return Fault(where, f"columns for {', '.join(lacking)}", got, advice)
