"""What happens, as lines of JSON."""

from __future__ import annotations

import datetime as dt
import json
import logging
import sys
from typing import Any, TextIO

from rankgauge.service.background import Background

LEVELS = {logging.WARNING: "warning", logging.ERROR: "error", logging.CRITICAL: "error"}


class Journal:
    """Writes events, one JSON object a line, from a thread: a stream that blocks holds up no request."""

    def __init__(self, stream: TextIO | None = None, *, waiting: int = 10_000) -> None:
        self._stream = stream or sys.stderr
        self.lines = Background[dict[str, Any]]("journal", self._write, waiting=waiting)

    def tell(self, event: str, *, level: str = "info", **facts: Any) -> None:
        """Write an event; facts that are None are left out."""
        self.lines.put({"time": dt.datetime.now(dt.UTC), "level": level, "event": event, **facts})

    def close(self) -> None:
        """Write what waits."""
        self.lines.close()

    def _write(self, block: list[dict[str, Any]]) -> None:
        said = ({name: value for name, value in one.items() if value is not None} for one in block)
        self._stream.write("".join(json.dumps(one, ensure_ascii=False, default=_text) + "\n" for one in said))
        self._stream.flush()


class ServerLog(logging.Handler):
    """Passes on what the server's own code says."""

    def __init__(self, journal: Journal) -> None:
        super().__init__(logging.WARNING)
        self.journal = journal

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record as an event."""
        trace = self.format(record) if record.exc_info else None
        level = LEVELS.get(record.levelno, "info")
        self.journal.tell("server", level=level, message=record.getMessage(), trace=trace)


def _text(value: Any) -> str:
    return value.isoformat(timespec="milliseconds") if isinstance(value, dt.datetime) else str(value)
