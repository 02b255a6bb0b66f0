"""A service on loopback that answers as a test says, with its faults."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEYS_PATH = "/.well-known/jwks.json"
INTROSPECTION_PATH = "/oauth/introspect/v2"


@dataclass
class Received:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Answer:
    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


Handle = Callable[["Handler"], Answer | None]
"""None where the handler has answered, or will not."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Head and body are two writes.
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        service: Service = self.server.service  # type: ignore[attr-defined]
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        service.received.append(Received(self.command, self.path, {k.lower(): v for k, v in self.headers.items()}, body))
        answer = service.answers[self.path](self)
        if answer is None:
            self.close_connection = True
            return
        self.send_response(answer.status)
        self.send_header("content-length", str(len(answer.body)))
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer.body)

    do_POST = do_GET  # noqa: N815

    def log_message(self, *args: Any) -> None:
        pass

    def hang(self) -> None:
        """Answers nothing until the test ends."""
        service: Service = self.server.service  # type: ignore[attr-defined]
        service.ended.wait(30)

    def drip(self, head: bytes, drop: bytes) -> None:
        """Sends a beginning, then a piece every 20 ms until the caller has enough or the test ends."""
        service: Service = self.server.service  # type: ignore[attr-defined]
        try:
            self.wfile.write(head)
            while not service.ended.wait(0.02):
                self.wfile.write(drop)
        except OSError:
            service.cut.set()


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    block_on_close = False

    def handle_error(self, *args: Any) -> None:
        """A caller went away, as it may."""


class Service:
    def __init__(self) -> None:
        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.service = self  # type: ignore[attr-defined]
        self.issuer = f"http://127.0.0.1:{self.server.server_port}"
        self.received: list[Received] = []
        self.answers: dict[str, Handle] = {}
        self.ended = threading.Event()
        self.cut = threading.Event()
        """The caller ended a connection to which something was still sent."""

    def answer(self, path: str, answer: Answer | bytes | Handle) -> None:
        whole = Answer(answer) if isinstance(answer, bytes) else answer
        self.answers[path] = (lambda _: whole) if isinstance(whole, Answer) else whole

    def answer_json(self, path: str, value: object) -> None:
        self.answer(path, json.dumps(value).encode())

    def requests_of(self, path: str) -> int:
        return sum(request.path == path for request in self.received)


@contextmanager
def running_service() -> Iterator[Service]:
    service = Service()
    thread = threading.Thread(target=service.server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield service
    finally:
        service.ended.set()
        service.server.shutdown()
        service.server.server_close()
        thread.join()


def free_port() -> int:
    """One at which nothing answers."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
