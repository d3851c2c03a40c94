"""Ways to a language model: an OpenAI-compatible address, or a function."""

from __future__ import annotations

import asyncio
import inspect
import math
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from rankgauge._extras import optional
from rankgauge.errors import EngineError, Fault
from rankgauge.judges.asking import Message, Reason, Reply, Request, Token
from rankgauge.judges.ledger import Entry

Structure = Literal["json_schema", "json_object", "prompt"]
LADDER: tuple[Structure, ...] = ("json_schema", "json_object", "prompt")
PER_TOKEN = 4
"""Characters per token where nobody has counted them."""
LONGEST_WAIT = 120.0
OPTIONAL = ("max_tokens", "temperature", "seed", "logprobs", "top_logprobs")


class Again(Exception):
    """A call that may be made again: why, and after how many seconds at least."""

    def __init__(self, reason: Reason, said: str, wait: float = 0.0) -> None:
        self.reason, self.said, self.wait = reason, said, wait
        super().__init__(said)


class Rejected(Exception):
    """A request that the server does not take, and will not take later."""


class Transport(Protocol):
    """Sends one request."""

    @property
    def address(self) -> str:
        """Where it goes: part of a call's key."""
        ...

    async def send(self, request: Request) -> Entry:
        """Return the answer. Raises Again for what may pass, Rejected, and EngineError for what ends everything."""
        ...

    async def close(self) -> None:
        """End connections."""
        ...


def tokens_of(text: str) -> int:
    """Estimate the tokens of a text: a quarter of its characters, each of CJK's counted as one."""
    wide = sum(ord(letter) > 0x2E80 for letter in text)
    return wide + math.ceil((len(text) - wide) / PER_TOKEN)


@dataclass(eq=False)
class Endpoint:
    """An OpenAI-compatible address (OpenAI, vLLM, Ollama, llama.cpp, OpenRouter, ...).

    Structure is asked for by a JSON schema; a server that refuses that is asked for a JSON object, and one that refuses
    this for nothing but what the prompt says. What it took is remembered. A parameter that the server names as one that
    it does not know is left out from then on (`left_out`).

    Parameters
    ----------
    key : the API key; servers that want none take any
    patience : seconds that an answer may take
    """

    url: str
    model: str
    key: str = "none"
    patience: float = 60.0

    def __post_init__(self) -> None:
        self._openai = optional("openai", "a judge at an address", "judge")
        self._client: Any = None
        self._rung = 0
        self.left_out: set[str] = set()

    @property
    def address(self) -> str:
        """The address without a slash at its end."""
        return self.url.rstrip("/")

    async def send(self, request: Request) -> Entry:
        """Ask once; down the ladder of structures as far as the server wants."""
        if self._client is None:
            self._client = self._openai.AsyncOpenAI(
                base_url=self.address, api_key=self.key, max_retries=0, timeout=self.patience
            )
        begun, rung = time.monotonic(), self._rung
        while True:
            try:
                found = await self._once(self._body(request, LADDER[rung]))
            except self._openai.APIStatusError as error:
                if not self._of_request(error):
                    raise self._meaning(error) from None
                if error.param in OPTIONAL and error.param not in self.left_out:
                    self.left_out.add(error.param)
                elif request.schema is not None and rung < len(LADDER) - 1:
                    rung += 1
                else:
                    raise Rejected(_said(error)) from None
            except Exception as error:
                raise self._meaning(error) from None
            else:
                self._rung = max(self._rung, rung)
                if not found.choices:
                    raise Again("server", "an answer without a choice")
                return _entry(found, request, time.monotonic() - begun)

    @staticmethod
    def _of_request(error: Any) -> bool:
        """Whether the request is what the server does not like; some say so with 500."""
        return error.status_code in (400, 422) or (error.status_code == 500 and "response_format" in str(error))

    async def _once(self, body: Mapping[str, Any]) -> Any:
        """One call; the client's own time limit begins anew with every byte."""
        return await asyncio.wait_for(self._client.chat.completions.create(**body), self.patience)

    async def close(self) -> None:
        """End connections."""
        if self._client is not None:
            await self._client.close()
            self._client = None

    def _body(self, request: Request, structure: Structure) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self.model, "temperature": request.temperature, "max_tokens": request.max_tokens,
            "messages": [{"role": one.role, "content": one.content} for one in request.messages],
        }  # fmt: skip
        if request.sample:
            body["seed"] = request.sample
        if request.logprobs:
            body |= {"logprobs": True, "top_logprobs": request.logprobs}
        if request.schema is not None and structure == "json_schema":
            schema = {"name": "answer", "strict": True, "schema": dict(request.schema)}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        elif request.schema is not None and structure == "json_object":
            body["response_format"] = {"type": "json_object"}
        if "max_tokens" in self.left_out:
            body["max_completion_tokens"] = body["max_tokens"]
        return {name: value for name, value in body.items() if name not in self.left_out}

    def _meaning(self, error: Exception) -> Exception:
        """What an error means: once more, or never."""
        openai = self._openai
        if isinstance(error, openai.RateLimitError):
            return Again("rate_limit", _said(error), _retry_after(error))
        if isinstance(error, openai.APITimeoutError | TimeoutError):
            return Again("timeout", f"no answer within {self.patience:g} s")
        if isinstance(error, openai.InternalServerError | openai.ConflictError):
            return Again("server", _said(error), _retry_after(error))
        if isinstance(error, openai.APIConnectionError | openai.APIResponseValidationError | ValueError | TypeError):
            return Again("server", _said(error))
        if isinstance(error, openai.APIError):
            return EngineError(self._fault("an answer", error))
        return error

    def _fault(self, expected: str, error: Exception) -> Fault:
        return Fault(self.address, expected, _said(error), "check the address, the key and the model's name")


@dataclass(eq=False)
class Function:
    """A function of the messages, which returns the answer's text; it may be `async`.

    Parameters
    ----------
    named : what is called, as part of a call's key: name it anew when it changes
    """

    function: Callable[[Sequence[Message]], str | Reply | Awaitable[str | Reply]]
    named: str = "function"

    @property
    def address(self) -> str:
        """The function's name."""
        return f"python:{self.named}"

    async def send(self, request: Request) -> Entry:
        """Call it; in a thread, unless it is `async`."""
        begun = time.monotonic()
        if inspect.iscoroutinefunction(self.function):
            found = await self.function(request.messages)
        else:
            found = await asyncio.to_thread(self.function, request.messages)
        if isinstance(found, Reply):
            return Entry(found)
        asked = sum(tokens_of(message.content) for message in request.messages)
        return Entry(Reply(str(found), (), asked, tokens_of(str(found)), seconds=time.monotonic() - begun))

    async def close(self) -> None:
        """There is nothing to end."""


def _entry(found: Any, request: Request, seconds: float) -> Entry:
    """Read an answer; servers differ in what they leave out."""
    choice = found.choices[0]
    message, usage = choice.message, found.usage
    text = message.content or ""
    refusal = getattr(message, "refusal", None)
    finish = "refusal" if refusal else str(choice.finish_reason or "stop")
    asked = usage.prompt_tokens if usage else sum(tokens_of(one.content) for one in request.messages)
    said = usage.completion_tokens if usage else tokens_of(text)
    return Entry(Reply(refusal or text, _tokens(choice.logprobs), asked, said, seconds=seconds), finish)


def _tokens(found: Any) -> tuple[Token, ...]:
    """Tokens with their probabilities; llama.cpp's Python server writes them as completions once had them."""
    if found is None:
        return ()
    if found.content:
        return tuple(
            Token(one.token, one.logprob, {top.token: top.logprob for top in one.top_logprobs}) for one in found.content
        )
    old = found.model_extra or {}
    columns = (old.get(name) or () for name in ("tokens", "token_logprobs", "top_logprobs"))
    return tuple(
        Token(token, float(logprob), dict(others or {})) for token, logprob, others in zip(*columns, strict=False)
    )


def _retry_after(error: Any) -> float:
    """Seconds that the server asks for; its date is not read: that takes two clocks that agree."""
    try:
        return min(LONGEST_WAIT, max(0.0, float(error.response.headers.get("retry-after", 0))))
    except (AttributeError, ValueError):
        return 0.0


def _said(error: Exception) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= 300 else f"{text[:297]}..."
