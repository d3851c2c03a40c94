"""Traces: a caller's is gone on with, whatever is not one begins anew."""

from __future__ import annotations

import re

import pytest

from rankgauge.service.tracing import Trace, request_id_of

TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"


def test_the_callers_trace_and_flags_are_kept_and_the_span_is_ours():
    found = Trace.of(f"00-{TRACE}-{SPAN}-01")
    assert (found.trace, found.parent, found.flags) == (TRACE, SPAN, "01")
    assert re.fullmatch(f"00-{TRACE}-[0-9a-f]{{16}}-01", found.header())
    assert found.span != SPAN


def test_a_later_version_may_say_more():
    assert Trace.of(f"01-{TRACE}-{SPAN}-01-more").trace == TRACE


@pytest.mark.parametrize(
    "header",
    [
        None, "", "nonsense", f"ff-{TRACE}-{SPAN}-01", f"00-{'0' * 32}-{SPAN}-01", f"00-{TRACE}-{'0' * 16}-01",
        f"00-{TRACE.upper()}-{SPAN}-01", f"00-{TRACE}-{SPAN}-01-more", f"00-{TRACE[:-1]}-{SPAN}-01",
    ],
)  # fmt: skip
def test_what_is_no_trace_begins_one(header):
    found = Trace.of(header)
    assert re.fullmatch("[0-9a-f]{32}", found.trace) and found.trace != TRACE
    assert (found.parent, found.flags) == ("", "00")
    assert Trace.of(header).trace != found.trace


@pytest.mark.parametrize(("given", "kept"), [("order-17", True), ("a b", False), ("x" * 129, False), ("é", False)])
def test_a_callers_name_for_a_request_is_kept_if_it_is_harmless(given, kept):
    trace = Trace.of(None)
    assert request_id_of(given, trace) == (given if kept else trace.span)
