"""A revocation feed as docs/apis/feed-protocol.md describes it, with its faults."""

import base64
import json
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal
from urllib.parse import parse_qs, urlsplit

from issuer import Key, key_set_of, mint
from service import INTROSPECTION_PATH, KEYS_PATH, Answer, Handle, Handler, Received, Service, running_service

API_KEY = "mma_secret"
FEED_PATH = "/oauth/revocation-feed"
Fault = Literal[
    "none", "hang", "unavailable", "cut", "garbage", "wrong_type", "wrong_issuer", "wrong_key", "gap", "no_stream"
]


class _Routes(dict[str, Handle]):
    """Every path goes to the publisher."""

    def __init__(self, publisher: "Publisher") -> None:
        super().__init__()
        self._publisher = publisher

    def __missing__(self, path: str) -> Handle:
        return self._publisher.answer


class Publisher:
    """One service with a feed. A test ends tokens, and has it fail."""

    def __init__(self, service: Service) -> None:
        self.service, self.issuer = service, service.issuer
        service.answers = _Routes(self)
        self.key, self.other_key = Key(), Key("key-2")
        self.published = [self.key]
        self.epoch = str(uuid.uuid4())
        self.facts: list[dict[str, Any]] = []
        self.fault: Fault = "none"
        self.ahead = 0.0
        self.active: set[str] = set()
        self.reports: list[dict[str, Any]] = []
        self._changed = threading.Condition()

    def issue(self, **claims: Any) -> str:
        jti = f"{int(self.now() * 1000):012x}"
        tail = uuid.uuid4().hex
        own = {
            "jti": f"{jti[:8]}-{jti[8:]}-7{tail[:3]}-a{tail[3:6]}-{tail[6:18]}",
            "credential_id": "c",
            "seq": 10,
            **claims,
        }
        token = mint(self.key, self.issuer, self.now(), **own)
        self.active.add(token)
        return token

    def now(self) -> float:
        return time.time() + self.ahead

    def end(self, token: str) -> None:
        claims = json.loads(base64.urlsafe_b64decode(token.split(".")[1] + "=="))
        tail = bytes.fromhex(claims["jti"].replace("-", ""))[8:]
        self.active.discard(token)
        self.publish({"ended": {str(claims["exp"]): _encode(tail)}, "cut_offs": []})

    def cut_off(self, **cut_off: Any) -> None:
        self.publish({"ended": {}, "cut_offs": [{"until": int(self.now()) + 3600, **cut_off}]})

    def publish(self, facts: dict[str, Any]) -> None:
        with self._changed:
            self.facts = [*self.facts, facts]
            self._changed.notify_all()

    def start_over(self) -> None:
        with self._changed:
            self.epoch, self.facts = str(uuid.uuid4()), []
            self._changed.notify_all()

    def fail(self, fault: Fault) -> None:
        with self._changed:
            self.fault = fault
            self._changed.notify_all()

    def answer(self, handler: Handler) -> Answer | None:
        received: Received = self.service.received[-1]
        url = urlsplit(handler.path)
        if url.path == KEYS_PATH:
            return Answer(key_set_of(*self.published))
        if handler.headers.get("x-api-key") != API_KEY:
            return Answer(status=401)
        if url.path == INTROSPECTION_PATH:
            return self._introspect(received.body.decode().removeprefix("token="))
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        return self._fail(handler) or self._answer_feed(handler, url.path.removeprefix(FEED_PATH), query, received.body)

    def _introspect(self, token: str) -> Answer:
        if token not in self.active:
            return Answer(b'{"active":false}')
        return Answer(
            json.dumps({"active": True, **json.loads(base64.urlsafe_b64decode(token.split(".")[1] + "=="))}).encode()
        )

    def _fail(self, handler: Handler) -> Answer | None:
        if self.fault == "hang":
            handler.hang()
        if self.fault == "cut":
            handler.wfile.write(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\neyJ")
            handler.close_connection = True
            handler.connection.close()
        return Answer(status=503, headers={"retry-after": "0"}) if self.fault == "unavailable" else None

    def _answer_feed(self, handler: Handler, what: str, query: dict[str, str], body: bytes) -> Answer | None:
        epoch, facts = self.epoch, self.facts
        if what == "":
            return Answer(json.dumps({"epoch": epoch, "position": len(facts), "now": int(self.now() * 1000)}).encode())
        if what == "/positions":
            self.reports.append(json.loads(body))
            return Answer(status=204)
        if what == "/snapshot":
            held = len(facts) // 2 * 2
            return self._document({"position": held, "segments": [[n, n + 2] for n in range(0, held, 2)]})
        if what.startswith("/segments/"):
            start, end = map(int, what.rpartition("/")[2].split("-"))
            return self._changes(start, end)
        position = int(query["position"])
        if query["epoch"] != epoch or position > len(facts):
            return Answer(status=409)
        if what == "/stream":
            if self.fault == "no_stream":
                return Answer(status=404)
            self._stream(handler, epoch, position)
            return None
        self._wait(epoch, position, float(query["wait"]))
        return self._changes(position, len(self.facts)) if epoch == self.epoch else Answer(status=409)

    def _wait(self, epoch: str, position: int, seconds: float) -> None:
        with self._changed:
            self._changed.wait_for(lambda: (epoch, position) != (self.epoch, len(self.facts)), seconds)

    def _stream(self, handler: Handler, epoch: str, position: int) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")
        while not self.service.ended.is_set() and self.fault == "none":
            if epoch != self.epoch:
                handler.wfile.write(b"event: epoch_changed\ndata: {}\n\n")
                return
            facts = self.facts
            if len(facts) > position:
                answer = self._changes(position, len(facts))
                position = len(facts)
                handler.wfile.write(b"event: changes\ndata: " + answer.body + b"\n\n")
            else:
                head = {"epoch": epoch, "position": position, "now": int(self.now() * 1000)}
                handler.wfile.write(f"event: heartbeat\ndata: {json.dumps(head)}\n\n".encode())
            self._wait(epoch, position, 0.2)

    def _changes(self, start: int, end: int) -> Answer:
        some = self.facts[start:end]
        ended: dict[str, bytes] = {}
        for exp, tails in [pair for one in some for pair in one["ended"].items()]:
            ended[exp] = ended.get(exp, b"") + base64.urlsafe_b64decode(tails + "=")
        off = 1 if self.fault == "gap" else 0
        return self._document(
            {
                "from": start + off,
                "to": end + off,
                "ended": {exp: _encode(tails) for exp, tails in ended.items()},
                "cut_offs": [cut_off for one in some for cut_off in one["cut_offs"]],
            }
        )

    def _document(self, members: dict[str, Any]) -> Answer:
        issuer = "https://elsewhere.example" if self.fault == "wrong_issuer" else self.issuer
        typ = "at+jwt" if self.fault == "wrong_type" else "revocations+jwt"
        key = self.other_key if self.fault == "wrong_key" else self.key
        payload = {"iss": issuer, "epoch": self.epoch, "now": int(self.now() * 1000), **members}
        text = key.sign(json.dumps({"alg": "ES256", "kid": self.key.kid, "typ": typ}), json.dumps(payload))
        return Answer(b"\xff\x00" * 100 if self.fault == "garbage" else text.encode())


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


@contextmanager
def running_publisher() -> Iterator[Publisher]:
    with running_service() as service:
        yield Publisher(service)
