"""A token endpoint on loopback that answers as a test says, and sources of tokens whose clock and chance the test sets."""

import itertools
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs

import pytest
from clocks import TestClock
from service import Answer, Handle, Handler, Received, Service

from mintmark_auth.client import TokenRefused, TokenSource, TokenUnavailable
from mintmark_auth.client import cache as cache_module
from mintmark_auth.client import source as source_module
from mintmark_auth.client.access_token import AccessToken

NOW = 1_795_435_200.0
METADATA_PATH = "/.well-known/oauth-authorization-server"
TOKEN_PATH = "/oauth/token"
SECRET = 'mmc_+a/se cret="ä%us~*'

_numbers = itertools.count(1)


def reply(status: int, body: object, **headers: str) -> Handle:
    text = body if isinstance(body, str) else json.dumps(body)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda _: Answer(text.encode(), status, {"content-type": "application/json", **named})


def good_token(_headers: dict[str, str] | None = None, **more: Any) -> Handle:
    """Another token each time."""

    def answer(_: Handler) -> Answer:
        token = f"token.number.{next(_numbers)}"
        body = {"access_token": token, "token_type": "Bearer", "expires_in": 300, "scope": "db:read", **more}
        return Answer(json.dumps({k: v for k, v in body.items() if v is not None}).encode(), 200, _headers or {})

    return answer


class Chance:
    value = 0.0

    def random(self) -> float:
        return self.value


@dataclass
class Tokens:
    """The service, and sources of its tokens."""

    service: Service
    clock: TestClock
    chance: Chance
    failures: list[Exception] = field(default_factory=list)

    def source(self, **options: Any) -> TokenSource:
        given = {"client_id": "reports", "client_secret": SECRET, "on_refresh_failure": self.failures.append, **options}
        return TokenSource(given.pop("issuer", self.service.issuer), **given)

    def answer_with(self, handle: Handle) -> None:
        self.service.answer(TOKEN_PATH, handle)

    def publish(self, **metadata: Any) -> None:
        self.service.answer_json(METADATA_PATH, metadata)

    @property
    def requests(self) -> list[Received]:
        """Those of the token endpoint."""
        return [received for received in self.service.received if received.path == TOKEN_PATH]

    @property
    def forms(self) -> list[dict[str, list[str]]]:
        return [parse_qs(received.body.decode(), strict_parsing=True) for received in self.requests]


@pytest.fixture
def tokens(service: Service, monkeypatch: pytest.MonkeyPatch) -> Tokens:
    clock, chance = TestClock(NOW), Chance()
    monkeypatch.setattr(source_module, "Clock", clock.clock)
    monkeypatch.setattr(cache_module, "_chance", chance)
    made = Tokens(service, clock, chance)
    made.publish(issuer=service.issuer, token_endpoint=service.issuer + TOKEN_PATH)
    made.answer_with(good_token())
    return made


def unavailable(call: Callable[[], AccessToken]) -> TokenUnavailable:
    with pytest.raises(TokenUnavailable) as unavailable:
        call()
    return unavailable.value


def refused(call: Callable[[], AccessToken]) -> TokenRefused:
    with pytest.raises(TokenRefused) as refused:
        call()
    return refused.value
