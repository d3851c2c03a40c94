"""What ranx writes and no other tool: {query: {document: number}} as CBOR in LZ4 frames."""

from __future__ import annotations

from collections.abc import Iterator

from rankgauge._extras import optional
from rankgauge.errors import Fault, FormatError
from rankgauge.formats._bytes import Source
from rankgauge.formats._rows import Rows
from rankgauge.formats.nested import nested_rows
from rankgauge.records import Run

_WHAT = "the .lz4 format of ranx"


def read(source: Source, *, holds: str) -> Rows:
    """Read the CBOR that lay in the LZ4 frames."""
    cbor = optional("cbor2", _WHAT, "ranx")
    try:
        nested = cbor.loads(source.data)
    except (cbor.CBORDecodeError, ValueError, EOFError) as error:
        fault = Fault(source.label, "CBOR as ranx writes it", f"broken content ({error})", "copy or write it again")
        raise FormatError(fault) from None
    if not isinstance(nested, dict):
        raise FormatError(Fault(source.label, "a map of query to documents", type(nested).__name__))
    return nested_rows(source, nested, holds=holds)


def content(run: Run) -> Iterator[bytes]:
    """Content of the file that ranx reads: an LZ4 frame inside an LZ4 frame."""
    cbor, frame = optional("cbor2", _WHAT, "ranx"), optional("lz4.frame", _WHAT, "ranx")
    yield frame.compress(frame.compress(cbor.dumps(run.to_dict())))
