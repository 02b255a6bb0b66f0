"""What tests share: a service on loopback, a clock that is moved, and verifiers that end with their test."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from clocks import TestClock
from issuer import AUDIENCE, Key, key_set_of, mint
from publisher import Publisher, running_publisher
from service import INTROSPECTION_PATH, KEYS_PATH, Answer, Handler, Service, running_service
from token_service import tokens as tokens

from mintmark_auth import Hooks, Refused, Verified, Verifier
from mintmark_auth.tokens.key_set import KeySet
from mintmark_auth.verify import verifier as verifier_module

NOW = 1_795_435_200.0
API_KEY = "mma_secret"


@pytest.fixture(autouse=True)
def no_proxy_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture
def service() -> Iterator[Service]:
    with running_service() as running:
        yield running


@pytest.fixture
def publisher() -> Iterator[Publisher]:
    with running_publisher() as running:
        yield running


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> TestClock:
    """The clock of every verifier that is made in the test."""
    clock = TestClock(NOW)
    monkeypatch.setattr(verifier_module, "Clock", clock.clock)
    return clock


@dataclass
class Setting:
    """A service that publishes a key, and verifiers of it."""

    service: Service
    clock: TestClock
    key: Key
    problems: list[str] = field(default_factory=list)
    made: list[Verifier] = field(default_factory=list)

    def verifier(self, **options: Any) -> Verifier:
        hooks = Hooks(failed=self.problems.append)
        verifier = Verifier(
            self.service.issuer, AUDIENCE, **{"mode": "offline", "api_key": API_KEY, "hooks": hooks, **options}
        )
        self.made.append(verifier)
        return verifier

    def mint(self, key: Key | None = None, **changed: Any) -> str:
        return mint(key or self.key, self.service.issuer, self.clock.wall_ms / 1000, **changed)

    def publish(self, *keys: Key) -> None:
        self.service.answer(KEYS_PATH, key_set_of(*keys))

    def publish_late(self, go_on: threading.Event, *keys: Key, begun: threading.Event | None = None) -> None:
        """Publishes keys, and answers only once it may; `begun` is set by the first request."""

        def answer(_: Handler) -> Answer:
            if begun is not None:
                begun.set()
            assert go_on.wait(10)
            return Answer(key_set_of(*keys))

        self.service.answer(KEYS_PATH, answer)

    def introspect_as_active(self, **changed: Any) -> None:
        """The service says of the token of `mint` that it is active."""
        claims = {"sub": "agent-1", "exp": int(NOW) + 300, "scope": "db:read mail:send", "active": True, **changed}
        self.service.answer_json(INTROSPECTION_PATH, {k: v for k, v in claims.items() if v is not None})

    @property
    def key_readings(self) -> int:
        return self.service.requests_of(KEYS_PATH)


@pytest.fixture
def setting(service: Service, clock: TestClock) -> Iterator[Setting]:
    made = Setting(service, clock, Key())
    made.publish(made.key)
    yield made
    for verifier in made.made:
        verifier.close()


def refusal_of(call: Callable[[], Verified]) -> Refused:
    with pytest.raises(Refused) as refused:
        call()
    return refused.value


def short_requests(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Requests of verifiers that are made from now on may take only so long."""
    from mintmark_auth.wire.http import Request

    original = Request.__init__

    def shortened(self: Request, *args: Any, **options: Any) -> None:
        original(self, *args, **{**options, "seconds_max": seconds})

    monkeypatch.setattr(Request, "__init__", shortened)


def wait_for_reading(keys: KeySet) -> None:
    """Waits for the reading under way, if there is one."""
    reading = keys._reading
    if reading is not None:
        reading.future.result(5)
