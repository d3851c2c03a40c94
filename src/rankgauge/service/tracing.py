"""Which trace a request belongs to: W3C Trace Context, level 1."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass

TRACEPARENT = re.compile(r"([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?")
REQUEST_ID = re.compile(r"[A-Za-z0-9._:/+=-]{1,128}")
ZERO = "0"


@dataclass(frozen=True)
class Trace:
    """A trace, the caller's span in it (none, if it began here), and our own."""

    trace: str
    span: str
    parent: str = ""
    flags: str = "00"

    @classmethod
    def of(cls, header: str | None) -> Trace:
        """Go on with the caller's trace; without a valid header, a new one begins.

        >>> Trace.of("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01").trace
        '4bf92f3577b34da6a3ce929d0e0e4736'
        """
        found = TRACEPARENT.fullmatch(header.strip()) if header else None
        if found is None or not _valid(*found.groups()):
            return cls(secrets.token_hex(16), secrets.token_hex(8))
        return cls(found[2], secrets.token_hex(8), found[3], found[4])

    def header(self) -> str:
        """The `traceparent` of the answer: the same trace, our span."""
        return f"00-{self.trace}-{self.span}-{self.flags}"


def _valid(version: str, trace: str, parent: str, flags: str, more: str | None) -> bool:
    # A later version may add fields, this one may not.
    return version != "ff" and bool(trace.strip(ZERO) and parent.strip(ZERO)) and not (version == "00" and more)


def request_id_of(header: str | None, trace: Trace) -> str:
    """The caller's name for the request, if it is a harmless one; else our span.

    >>> request_id_of("a b", Trace("1", "2")), request_id_of("order-17", Trace("1", "2"))
    ('2', 'order-17')
    """
    return header if header and REQUEST_ID.fullmatch(header) else trace.span
