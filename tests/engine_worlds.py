"""Documents with strange ids and near vectors, for engines that run elsewhere; and servers that speak as they do."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np

Answer = Callable[[str, str, Any], tuple[int, Any]]

IDS = ["doc-7", "007", "7", "-5", "638727826393444353", "18446744073709551616", "ключ é"]
ANGLES = np.linspace(0, 1.2, len(IDS))
VECTORS = np.column_stack([np.cos(ANGLES), np.sin(ANGLES), np.zeros(len(IDS))]).astype(np.float32)
COSINES = VECTORS @ VECTORS[0]


class Ahead:
    """Every query is the first document's vector."""

    name, dimension = "ahead", 3

    def embed(self, texts, *, kind):
        return np.repeat(VECTORS[:1], len(texts), axis=0)


@contextmanager
def speaking(
    answer: Callable[[str, str, Any], tuple[int, Any]], headers: dict[str, str] | None = None
) -> Iterator[str]:
    """A server here whose answers, status and JSON, are given by a function of method, path and body."""

    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            length = int(self.headers.get("content-length") or 0)
            body = self.rfile.read(length)
            status, said = answer(self.command, self.path, json.loads(body) if body else None)
            content = json.dumps(said).encode()
            self.send_response(status)
            for name, value in {"content-type": "application/json", **(headers or {})}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = _answer

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
