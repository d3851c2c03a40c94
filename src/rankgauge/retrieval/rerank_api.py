"""A reranker behind HTTP: Cohere's rerank API, which Jina, vLLM, llama.cpp's server, Infinity and others speak too."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rankgauge._extras import optional
from rankgauge.errors import EngineError, Fault, InputError
from rankgauge.records._columns import FloatArray
from rankgauge.retrieval._onnx import texts_of

KEY = "RANKGAUGE_RERANK_KEY"
"""Environment variable that holds the key; without one, none is sent."""
SCHEMES = ("http://", "https://")
AGAIN = (408, 429, 500, 502, 503, 504)
"""Answers that may be others the next time."""
SAID = 200
"""Characters of a server's own words that are passed on."""


@dataclass(frozen=True, eq=False)
class RerankAPI:
    """A rerank API. Calls from several threads may overlap.

    Attributes
    ----------
    url : where requests are sent
    model : what the API is asked for; empty where the server has but one
    client : an `httpx.Client`, which holds the key
    batch : texts per request; more of them are sent in several
    timeout : seconds that a request may take
    patience : seconds that a call of `scores` may take, retries and waits included
    attempts : how often a request is sent at most
    wait : seconds before the second attempt; doubled each time, with a random part of as much
    more : further fields of the request (`max_tokens_per_doc`)
    """

    url: str
    model: str
    client: Any
    batch: int = 1000
    timeout: float = 10.0
    patience: float = 30.0
    attempts: int = 3
    wait: float = 0.2
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The model and the host."""
        host = str(self.client.build_request("POST", self.url).url.netloc.decode())
        return f"{self.model}@{host}" if self.model else host

    def scores(self, query: str, texts: Sequence[str]) -> FloatArray:
        """Scores float64[n], finite, in the order of the texts.

        Raises
        ------
        EngineError
            For an API that cannot be reached in time, refuses, or does not give one finite score for each text.
        """
        listed, until = texts_of(texts, self.name), time.monotonic() + self.patience
        parts = [listed[low : low + self.batch] for low in range(0, len(listed), self.batch)]
        found: list[FloatArray] = [self._scores(query, part, until) for part in parts]
        return np.concatenate(found) if found else np.zeros(0)

    def _scores(self, query: str, texts: list[str], until: float) -> FloatArray:
        body = {"query": query, "documents": texts, "top_n": len(texts), **self.more}
        answer = self._asked(body | ({"model": self.model} if self.model else {}), until)
        scores = np.full(len(texts), np.nan)
        try:
            for item in answer.json()["results"]:
                place = item["index"]
                if place not in range(len(texts)) or not np.isnan(scores[place]):
                    raise ValueError(f"index {place!r}")
                scores[place] = float(item["relevance_score"])
        except (ValueError, KeyError, TypeError) as error:
            got = f"{answer.text[:SAID]!r} ({type(error).__name__}: {error})"
            raise EngineError(
                Fault(self.url, "results with index and relevance_score", got, "is it the url?")
            ) from None
        if not np.isfinite(scores).all():
            got = f"{int(np.isfinite(scores).sum())} of {len(texts)}"
            raise EngineError(Fault(self.url, "a finite score for each text", got))
        return scores

    def _asked(self, body: Mapping[str, Any], until: float) -> Any:
        """Send a request, again where that may help and there is time."""
        httpx = optional("httpx", "a rerank API", "rerank-api")
        stamina = optional("stamina", "a rerank API", "rerank-api")
        tries = stamina.retry_context(
            _again(httpx, until), attempts=self.attempts, timeout=self.patience, wait_initial=self.wait,
            wait_jitter=self.wait, wait_max=self.patience,
        )  # fmt: skip
        try:
            for attempt in tries:
                with attempt:
                    left = max(0.001, min(self.timeout, until - time.monotonic()))
                    answer = self.client.post(self.url, json=body, timeout=left)
                    answer.raise_for_status()
        except httpx.HTTPStatusError as error:
            said = error.response.text[:SAID]
            raise EngineError(Fault(self.url, "scores", f"{error.response.status_code}: {said!r}")) from None
        except httpx.HTTPError as error:
            raise EngineError(Fault(self.url, "scores", f"{type(error).__name__}: {error}")) from None
        return answer


def load_rerank_api(url: str, *, key: str | None = None, model: str = "", **how: Any) -> RerankAPI:
    """Make a client of a rerank API; nothing is sent yet.

    Parameters
    ----------
    url : str
        Of the endpoint (`https://api.cohere.com/v2/rerank`); the model may stand behind `#`.
    key : str, optional
        Sent as a bearer token; that of the environment variable `RANKGAUGE_RERANK_KEY`, if not given.
    how
        Further attributes of `RerankAPI`.
    """
    address, _, behind = url.partition("#")
    if not address.startswith(SCHEMES):
        raise InputError(Fault(url, "an address that begins with http:// or https://", repr(address)))
    httpx = optional("httpx", "a rerank API", "rerank-api")
    key = os.environ.get(KEY, "") if key is None else key
    client = httpx.Client(headers={"Authorization": f"Bearer {key}"} if key else {})
    return RerankAPI(address, model or behind, client, **how)


def _again(httpx: Any, until: float) -> Callable[[Exception], bool | float]:
    """Tell which failures are worth another try: in how many seconds, or True for the usual wait."""

    def decide(error: Exception) -> bool | float:
        if not isinstance(error, httpx.HTTPStatusError):
            return isinstance(error, httpx.TransportError) and time.monotonic() < until
        if error.response.status_code not in AGAIN:
            return False
        told = error.response.headers.get("Retry-After", "")
        if not told.isdecimal():
            return time.monotonic() < until
        return float(told) if time.monotonic() + float(told) < until else False

    return decide
