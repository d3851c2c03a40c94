"""Prompts that ask for an answer from passages, or from what the model knows."""

from __future__ import annotations

from collections.abc import Sequence

from rankgauge.judges.asking import Message
from rankgauge.judges.fencing import fence
from rankgauge.judges.prompting import Prompt

DECLINED = "NO-RESPONSE"
"""What the model is told to say instead of an answer."""


def messages(question: str, passages: Sequence[str], how: Prompt) -> tuple[Message, ...]:
    """Ask a question with passages, or without any: then from what the model knows."""
    if not passages:
        return Message("system", how.sections["closed"]), Message("user", how.fill("alone", question=question))
    listed = [how.fill("passage", number=str(slot), passage=fence(text).text) for slot, text in enumerate(passages, 1)]
    asked = how.fill("asked", passages="\n\n".join(listed), question=question)
    return Message("system", how.sections["system"]), Message("user", asked)


def declines(text: str) -> bool:
    """Whether an answer is the one that was asked for where there is none, or empty.

    >>> declines(" no-response."), declines("No response was given by the king.")
    (True, False)
    """
    return text.strip().strip(".!'\"*`").upper() in (DECLINED, "")
