"""What is asked of a language model, and what comes back: a reply, or why there is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

Role = Literal["system", "user", "assistant"]
Reason = Literal[
    "timeout", "rate_limit", "server", "rejected", "refused", "filtered", "truncated", "unparseable", "budget",
    "not_in_replay",
]  # fmt: skip
"""Why there is no label.

`timeout`, `rate_limit`, `server`: no answer after all tries; `rejected`: the server takes no such request, as one that
is too long; `refused`: the model declines; `filtered`: the provider's filter; `truncated`: it ran out of tokens twice;
`unparseable`: an answer that is not what was asked for (the text is kept); `budget`: it was not asked, the money was
spent; `not_in_replay`: it was not asked before."""


@dataclass(frozen=True)
class Message:
    """One message of a conversation."""

    role: Role
    content: str


@dataclass(frozen=True)
class Request:
    """One call, with all that its answer depends on.

    Attributes
    ----------
    prompt : name and version of the prompt, as "relevance/en@1"
    schema : JSON schema that the answer must follow; None: free text
    temperature, max_tokens : of the sampling
    logprobs : how many alternatives of each token are asked for; 0: none
    sample : number of the answer, where the same is asked several times
    """

    messages: tuple[Message, ...]
    prompt: str
    schema: Mapping[str, Any] | None = None
    temperature: float = 0.0
    max_tokens: int = 512
    logprobs: int = 0
    sample: int = 0

    @property
    def one_token(self) -> bool:
        """Whether all that is wanted is the first token and its alternatives."""
        return self.logprobs > 0 and self.max_tokens == 1


@dataclass(frozen=True)
class Token:
    """A token of an answer: its text, its log-probability, and those of its alternatives."""

    text: str
    logprob: float
    others: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Reply:
    """What came back.

    Attributes
    ----------
    tokens : the answer's tokens with log-probabilities, where they were asked for and given
    tokens_in, tokens_out : as the server counts them
    cost : in the price table's currency; 0 where the price is not known
    seconds : that the call took; 0 where the answer was known
    known : whether it came from the ledger, and was not paid again
    """

    text: str
    tokens: tuple[Token, ...] = ()
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    seconds: float = 0.0
    known: bool = False


@dataclass(frozen=True)
class Failed:
    """No reply: the reason, and what was received, if anything. It is never a grade."""

    reason: Reason
    said: str = ""


class Model(Protocol):
    """A language model that answers requests: `judges.client` makes one of an address, a function or a ledger."""

    @property
    def name(self) -> str:
        """What labels are signed with."""
        ...

    def ask(self, requests: Sequence[Request]) -> list[Reply | Failed]:
        """Answer each request, in this order; a failure is a value, and ends nothing."""
        ...
