"""OpenAI-compatible servers on loopback, friendly and hostile, that do as they are told."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Body = dict[str, Any]


@dataclass
class Says:
    """One answer of a server."""

    text: str | None = "ok"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    finish: str = "stop"
    refusal: str | None = None
    delay: float = 0.0
    usage: tuple[int, int] | None = (10, 5)
    logprobs: Any = None
    raw: bytes | None = None
    error: Body | None = None


@dataclass
class Server:
    """A server, and what it was asked."""

    address: str
    asked: list[Body]
    at: list[float]
    headers: list[dict[str, str]]
    most_at_once: int = 0

    def texts(self) -> list[str]:
        """The last message of each call."""
        return [body["messages"][-1]["content"] for body in self.asked]


@contextmanager
def server(answer: Callable[[Body, int], Says | str]) -> Iterator[Server]:
    """Serve chat completions: `answer` gets a body, and how often this same body came before."""
    running, lock = [0], threading.Lock()
    leaving = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            with lock:
                before = sum(one["messages"] == body["messages"] for one in told.asked)
                told.asked.append(body)
                told.at.append(time.monotonic())
                told.headers.append({name.lower(): value for name, value in self.headers.items()})
                running[0] += 1
                told.most_at_once = max(told.most_at_once, running[0])
            try:
                found = answer(body, before)
                self.reply(Says(found) if isinstance(found, str) else found, body)
            except (BrokenPipeError, ConnectionResetError):
                pass
            finally:
                with lock:
                    running[0] -= 1

        def reply(self, says: Says, body: Body) -> None:
            leaving.wait(says.delay)
            sent = says.raw if says.raw is not None else json.dumps(written(says, body)).encode()
            self.send_response(says.status)
            for name, value in {"content-type": "application/json", **says.headers}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(sent)))
            self.end_headers()
            self.wfile.write(sent)

        def log_message(self, *args: Any) -> None:
            pass

    class Quiet(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 128

        def handle_error(self, *args: Any) -> None:
            pass

    with Quiet(("127.0.0.1", 0), Handler) as http:
        told = Server(f"http://127.0.0.1:{http.server_address[1]}/v1", [], [], [])
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield told
        finally:
            leaving.set()
            http.shutdown()
            thread.join()


def written(says: Says, body: Body) -> Body:
    """An answer as the protocol has it."""
    if says.status != 200:
        return {"error": says.error or {"message": says.text, "type": "error"}}
    message = {"role": "assistant", "content": says.text, "refusal": says.refusal}
    choice = {"index": 0, "message": message, "finish_reason": says.finish, "logprobs": says.logprobs}
    found: Body = {"id": "x", "object": "chat.completion", "created": 0, "model": body["model"], "choices": [choice]}
    if says.usage is not None:
        asked, answered = says.usage
        found["usage"] = {"prompt_tokens": asked, "completion_tokens": answered, "total_tokens": asked + answered}
    return found
