"""Families of models, by their names: a judge rates the rankers of its own family too high."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

FAMILIES: dict[str, tuple[str, ...]] = {
    "llama": ("llama", "vicuna", "alpaca", "hermes", "nemotron"),
    "qwen": ("qwen", "qwq"),
    "gpt": ("gpt", "chatgpt", "o1", "o3", "o4", "davinci", "text-embedding-3", "text-embedding-ada"),
    "claude": ("claude",),
    "gemini": ("gemini", "gemma", "palm", "gecko"),
    "mistral": ("mistral", "mixtral", "ministral", "magistral", "zephyr", "sfr-embedding"),
    "t5": ("t5", "flan", "ul2", "gtr"),
    "bert": ("bert", "minilm", "electra", "ance", "splade", "tas-b", "colbert"),
    "bge": ("bge",),
    "e5": ("e5",),
    "deepseek": ("deepseek",),
    "phi": ("phi",),
    "cohere": ("cohere", "command", "aya", "rerank-v3", "embed-v3"),
    "glm": ("glm", "chatglm"),
    "yi": ("yi",),
    "smollm": ("smollm",),
    "granite": ("granite", "slate"),
    "falcon": ("falcon",),
    "jamba": ("jamba",),
    "grok": ("grok",),
    "kimi": ("kimi", "moonshot"),
}
"""Words of model names, in lower case. A word counts at the head of a part of the name, after one of the prefixes, or,
from five letters on, anywhere. A family that is missing here is not flagged."""

INSIDE = 5
PREFIXES = ("mono", "duo", "rank", "list", "distil", "ro", "de", "al", "mini", "tiny", "sci", "col", "x", "m", "chat")


@dataclass(frozen=True)
class Circular:
    """A ranker that is of the judge's family."""

    ranker: str
    families: tuple[str, ...]


def families(name: str) -> tuple[str, ...]:
    """Families that a model's name speaks of, in the order of the table; none where it is not known.

    >>> families("meta-llama/Llama-3-8B-Instruct"), families("castorini/monot5-base"), families("bm25")
    (('llama',), ('t5',), ())
    """
    parts = re.findall(r"[a-z0-9.]+(?:-[a-z0-9.]+)*", name.lower().replace("_", "-"))
    return tuple(
        family for family, words in FAMILIES.items() if any(_in(word, part) for word in words for part in parts)
    )


def _in(word: str, part: str) -> bool:
    start = "|".join(PREFIXES)
    inside = ".*" if len(word) >= INSIDE else f"(?:.*[^a-z0-9])?(?:{start})?"
    return re.match(rf"{inside}{re.escape(word)}(?![a-z]{{2}})", part) is not None


def circular(judge: str, rankers: Iterable[str]) -> tuple[Circular, ...]:
    """Rankers, or generators, that share a family with the judge.

    >>> circular("gpt-4o", ["rankgpt", "bm25"])
    (Circular(ranker='rankgpt', families=('gpt',)),)
    """
    own = set(families(judge))
    found = ((ranker, tuple(family for family in families(ranker) if family in own)) for ranker in rankers)
    return tuple(Circular(ranker, shared) for ranker, shared in found if shared)
