"""The client: requests to replies, each paid once, a bounded number at a time, within a budget."""

from __future__ import annotations

import asyncio
import os
import random
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from rankgauge.errors import Fault, MethodError
from rankgauge.judges.asking import Failed, Message, Reason, Reply, Request
from rankgauge.judges.ledger import Entry, Ledger, key_of, known
from rankgauge.judges.pace import Pace
from rankgauge.judges.prices import Price
from rankgauge.judges.transport import Again, Endpoint, Function, Rejected, Transport, tokens_of

Outcome = Reply | Failed
Told = Callable[[int, int, float], None]
"""Hears how many requests are done, how many there are, and what was spent so far."""

TRIES = 3
COMPLAINTS = 10
"""Times that a server may say "too many requests" to one call; only other failures use up tries."""
FIRST_WAIT, LONGEST_WAIT = 0.5, 30.0
ENDS: Mapping[str, Reason] = {"length": "truncated", "refusal": "refused", "content_filter": "filtered"}


@dataclass(frozen=True)
class Manner:
    """How calls are made.

    Attributes
    ----------
    at_once : calls at a time, at most
    tries : of one call that fails by a time limit or by the server's fault
    budget : what may be spent, in the price's currency; None: no limit
    """

    at_once: int = 8
    tries: int = TRIES
    budget: float | None = None


@dataclass(frozen=True)
class Estimate:
    """What requests would take at most.

    Attributes
    ----------
    calls : to be made, without those that the ledger knows
    known : answered already
    tokens_in : as estimated from the texts
    tokens_out : at most
    cost : at most, None where the price is not known
    """

    calls: int
    known: int
    tokens_in: int
    tokens_out: int
    cost: float | None


@dataclass(eq=False)
class Client:
    """A language model that is asked through a ledger.

    Parameters
    ----------
    transport : the way to the model; None: only what the ledger knows is answered
    address : where the calls in the ledger went, for a client without a way
    """

    name: str
    transport: Transport | None
    ledger: Ledger = field(default_factory=Ledger)
    price: Price | None = None
    manner: Manner = field(default_factory=Manner)
    address: str = ""
    told: Told | None = None

    def __post_init__(self) -> None:
        if self.transport is not None:
            self.address = self.transport.address
        if self.manner.budget is not None and self.price is None:
            raise MethodError(f"budget: expected a price for {self.name!r}, got none; say what its tokens cost")
        self.spent, self._held = 0.0, 0.0

    def estimate(self, requests: Sequence[Request]) -> Estimate:
        """Say what the requests would take at most, without making them."""
        new = {key: one for key, one in self._keyed(requests).items() if self.ledger.get(key) is None}
        tokens_in, tokens_out = sum(map(_asked, new.values())), sum(2 * one.max_tokens for one in new.values())
        cost = None if self.price is None else self.price.of(tokens_in, tokens_out)
        return Estimate(len(new), len(self._keyed(requests)) - len(new), tokens_in, tokens_out, cost)

    def ask(self, requests: Sequence[Request]) -> list[Outcome]:
        """Answer each request, in this order; equal ones are asked once.

        Works beside a running event loop. On Ctrl-C the calls that run are given up, and what was answered is kept.

        Raises
        ------
        EngineError
            For what no further try and no other request mends: a wrong key, an unknown model.
        """
        keyed = self._keyed(requests)
        found: dict[str, Outcome] = {}
        for key, request in keyed.items():
            entry = self.ledger.get(key)
            if entry is not None:
                found[key] = _outcome(known(entry), request)
            elif self.transport is None:
                found[key] = Failed("not_in_replay", request.prompt)
        missing = {key: request for key, request in keyed.items() if key not in found}
        if missing:
            _in_a_thread(lambda: self._ask_all(missing, found, len(keyed)))
        return [found[self._key(request)] for request in requests]

    def _key(self, request: Request) -> str:
        return key_of(self.address, self.name, request)

    def _keyed(self, requests: Sequence[Request]) -> dict[str, Request]:
        return {self._key(request): request for request in requests}

    async def _ask_all(self, missing: Mapping[str, Request], found: dict[str, Outcome], total: int) -> None:
        """Work through the calls with as many hands as may be busy at a time, all on one list."""
        assert self.transport is not None
        pace, left = Pace(self.manner.at_once), iter(missing.items())

        async def hand() -> None:
            for key, request in left:
                found[key] = await self._ask(request, pace)
                if self.told is not None:
                    self.told(len(found), total, self.spent)

        hands = [asyncio.create_task(hand()) for _ in range(min(self.manner.at_once, len(missing)))]
        try:
            await asyncio.gather(*hands)
        finally:
            for one in hands:
                one.cancel()
            await asyncio.gather(*hands, return_exceptions=True)
            await self.transport.close()

    async def _ask(self, request: Request, pace: Pace) -> Outcome:
        """One request to its end; an answer that was cut is asked for once more, with twice the room."""
        found = await self._entry(request, pace)
        if isinstance(found, Entry) and found.finish == "length" and not request.one_token:
            longer = await self._entry(replace(request, max_tokens=2 * request.max_tokens), pace)
            if isinstance(longer, Entry):
                found = _together(found, longer)
        if isinstance(found, Failed):
            return found
        self.ledger.put(self.address, self.name, request, found)
        return _outcome(found, request)

    async def _entry(self, request: Request, pace: Pace) -> Entry | Failed:
        """Try until there is an answer, or no hope."""
        most = 0.0 if self.price is None else self.price.of(_asked(request), request.max_tokens)
        failures = complaints = 0
        while True:
            async with pace.turn():
                if self.manner.budget is not None and self.spent + self._held + most > self.manner.budget:
                    return Failed("budget", f"{self.spent:.4f} spent of {self.manner.budget:g}")
                self._held += most
                try:
                    assert self.transport is not None
                    return self._paid(await self.transport.send(request), pace)
                except Rejected as rejected:
                    return Failed("rejected", str(rejected))
                except Again as again:
                    failures += again.reason != "rate_limit"
                    complaints += again.reason == "rate_limit"
                    wait = again.wait or _backoff(failures + complaints)
                    if again.reason == "rate_limit":
                        pace.too_fast(wait)
                    failed = Failed(again.reason, again.said)
                finally:
                    self._held -= most
            if failures >= self.manner.tries or complaints >= COMPLAINTS:
                return failed
            await asyncio.sleep(wait)

    def _paid(self, entry: Entry, pace: Pace) -> Entry:
        pace.went_well()
        reply = entry.reply
        cost = 0.0 if self.price is None else self.price.of(reply.tokens_in, reply.tokens_out)
        self.spent += cost
        return replace(entry, reply=replace(reply, cost=cost))


def open_model(
    *,
    url: str | None = None,
    model: str = "",
    function: Callable[[Sequence[Message]], Any] | None = None,
    ledger: str | os.PathLike[str] | Ledger | None = None,
    key: str | None = None,
    price: Price | None = None,
    patience: float = 60.0,
    manner: Manner | None = None,
    told: Told | None = None,
) -> Client:
    """Open a language model: at an address, as a function, or as a replay of what a ledger knows.

    Parameters
    ----------
    url : of an OpenAI-compatible server, as http://localhost:8000/v1
    model : its name there; of a function, what it is called
    function : takes messages, returns the answer's text
    ledger : where calls are kept; None: in memory. Without `function`, and with `replay:URL` as the address, it alone
        answers
    key : API key

    Raises
    ------
    MethodError
        For neither an address nor a function, for both, and for a model without a name.

    >>> judge = open_model(function=lambda messages: "yes", model="agreeable")
    >>> judge.ask([Request((Message("user", "Is it?"),), "test@1")])[0].text
    'yes'
    """
    if (url is None) == (function is None):
        raise MethodError("model: expected an address or a function, got neither or both")
    if not model:
        raise MethodError("model: expected its name, got none; labels are signed with it")
    kept = ledger if isinstance(ledger, Ledger) else Ledger(ledger)
    manner = manner or Manner()
    if url is not None and url.startswith("replay:"):
        return Client(model, None, kept, price, manner, url.removeprefix("replay:").rstrip("/"), told)
    way: Transport
    if function is not None:
        way = Function(function, model)
    else:
        assert url is not None
        if not url.startswith(("http://", "https://")):
            raise MethodError(str(Fault("model", "an address as http://localhost:8000/v1", repr(url))))
        way = Endpoint(url, model, key or "none", patience)
    return Client(model, way, kept, price, manner, told=told)


def _outcome(entry: Entry, request: Request) -> Outcome:
    """A reply, or what the answer is instead; a first token that was asked for is not cut."""
    reason = ENDS.get(entry.finish)
    if reason is None or (reason == "truncated" and request.one_token):
        return entry.reply
    return Failed(reason, entry.reply.text)


def _together(short: Entry, longer: Entry) -> Entry:
    """The longer answer; both were paid."""
    a, b = short.reply, longer.reply
    paid = replace(b, tokens_in=a.tokens_in + b.tokens_in, tokens_out=a.tokens_out + b.tokens_out,
                   cost=a.cost + b.cost, seconds=a.seconds + b.seconds)  # fmt: skip
    return replace(longer, reply=paid)


def _asked(request: Request) -> int:
    return sum(tokens_of(message.content) for message in request.messages)


def _backoff(tries: int) -> float:
    """Seconds before the next try, twice as long each time, a random half of it less."""
    return min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** (tries - 1)) * random.uniform(0.5, 1.0)


def _in_a_thread(work: Callable[[], Any]) -> None:
    """Run a coroutine in a loop of its own, also where a loop runs already; Ctrl-C ends it, and then raises."""
    loop, raised = asyncio.new_event_loop(), list[BaseException]()

    def run() -> None:
        try:
            loop.run_until_complete(task)
        except BaseException as error:
            raised.append(error)
        finally:
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.close()

    task = loop.create_task(work())
    thread = threading.Thread(target=run, name="judge", daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(0.1)
    except KeyboardInterrupt:
        loop.call_soon_threadsafe(task.cancel)
        thread.join()
        raise
    if raised:
        raise raised[0]
