"""For tests of an API: an issuer in memory, whose tokens your own verifier accepts until they are revoked. No network."""

import json
import secrets
import threading
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Final

from .client.signing_key import make_signing_key
from .feed.document import Changes, Head
from .feed.facts import Facts
from .feed.feed import Feed
from .feed.subject import tail_of
from .verify.decide import Core
from .verify.options import Settings
from .verify.verifier import Verifier
from .wire.clock import Clock
from .wire.destination import Destination
from .wire.http import HttpClient, Request, RequestFailure
from .wire.threads import Job

_KID: Final = "testing"


class TestIssuer:
    """Issues tokens, signed by a key of its own, for verifiers that know it alone:

    issuer = TestIssuer("https://tokens.example.com")
    issuer.serve(verifier)
    token = issuer.token(audience="https://orders.example/v1", scopes=["orders:read"])
    issuer.revoke(token)  # refused from now on
    """

    __test__: ClassVar[bool] = False  # nothing that pytest should collect

    def __init__(self, issuer: str = "https://tokens.example.com") -> None:
        """issuer: As the verifier has it, exactly as in `iss`."""
        self.issuer: Final = issuer
        self._key, self._jwk = make_signing_key()
        # One thread may come again: by a hook of the verifier.
        self._lock = threading.RLock()
        self._ended: list[tuple[int, bytes]] = []
        self._facts = Facts(secrets.token_hex(8))
        self._live: dict[str, Mapping[str, Any]] = {}

    def serve(self, verifier: Verifier) -> None:
        """From now on this verifier asks this issuer and nobody else. Raises ValueError where it has another `issuer`, or
        does not accept ES256."""
        if verifier.resource.issuer != self.issuer:
            raise ValueError(f"serve: the verifier has the issuer {verifier.resource.issuer}: make a TestIssuer with it.")
        if self._key.alg not in verifier._settings.algorithms:  # pyright: ignore[reportPrivateUsage]
            raise ValueError(f"serve: the verifier does not accept {self._key.alg}, by which tokens are signed here.")
        verifier._replace_core(partial(_Core, self))  # pyright: ignore[reportPrivateUsage]

    def verifier(self, audience: str | Sequence[str], *, api_key: str = "mma_testing", **options: Any) -> Verifier:
        """A verifier that is served, with further options of `Verifier`."""
        verifier = Verifier(self.issuer, audience, api_key=api_key, **options)
        self.serve(verifier)
        return verifier

    def token(
        self,
        *,
        audience: str | Sequence[str],
        sub: str = "agent-1",
        scopes: Sequence[str] = (),
        lifetime: float = 300,
        **claims: object,
    ) -> str:
        """An access token (RFC 9068). Raises ValueError where `scopes` is one string.

        lifetime: Seconds until it expires, at a full second; negative for one that has expired.
        claims: Others, such as `act`, `cnf` or those of the agent; None leaves one out.
        """
        if isinstance(scopes, str):
            raise ValueError("token: scopes is a list of scope items, such as ['orders:read'].")
        now_ms = _now_ms()
        exp = now_ms // 1000 + int(lifetime)
        payload = {
            "iss": self.issuer,
            "sub": sub,
            "aud": audience if isinstance(audience, str) else list(audience),
            "client_id": sub,
            "iat": min(now_ms // 1000, exp - 1),
            "exp": exp,
            "jti": _make_token_id(now_ms),
            "scope": " ".join(scopes),
            "seq": 1,
            "credential_id": "testing",
            **claims,
        }
        payload = {name: value for name, value in payload.items() if value is not None}
        token = self._key.sign_jws({"kid": _KID, "typ": "at+jwt"}, payload)
        self._live[token] = payload
        return token

    def revoke(self, token: str) -> None:
        """Ends a token, at once for all verifiers that are served. Raises ValueError for one that is not live."""
        with self._lock:
            claims = self._live.pop(token, {})
            if "jti" not in claims or "exp" not in claims:
                raise ValueError("revoke: this issuer has no such token, or has revoked it.")
            self._ended.append((claims["exp"], tail_of(claims["jti"]).to_bytes(8)))
            self._apply(self._ended[-1:])

    def _apply(self, ended: Sequence[tuple[int, bytes]]) -> None:
        facts = self._facts
        facts.apply(Changes(facts.epoch, _now_ms(), facts.position, facts.position + 1, tuple(ended), ()))

    def _bring_up_to_date(self, feed: Feed) -> None:
        held = feed.held
        with self._lock:
            # A test may set its clock back. What is forgotten by time is forgotten for good, so all of it begins anew.
            if _now_ms() < self._facts.service_ms:
                self._facts = Facts(secrets.token_hex(8))
                self._apply(self._ended)
            if held.facts is not self._facts:
                held.forget(held.facts)
                held.hold(self._facts)
            held.take_head(Head(self._facts.epoch, self._facts.position, _now_ms()), held.clock.now())

    def _answer(self, request: Request) -> object:
        path = request.url.removeprefix(self.issuer)
        if path == "/.well-known/jwks.json":
            return {"keys": [{**self._jwk, "kid": _KID, "alg": self._key.alg, "use": "sig"}]}
        if path == "/oauth/introspect/v2":
            claims = self._live.get((request.body or b"").decode().removeprefix("token="))
            is_active = claims is not None and _now_ms() < claims["exp"] * 1000
            return {"active": True, **claims} if claims is not None and is_active else {"active": False}
        raise RequestFailure("The service responded 404.", 404)


class _Client(HttpClient):
    def __init__(self, issuer: TestIssuer, destination: Destination) -> None:
        super().__init__(destination)
        self._issuer = issuer

    def _exchange(self, request: Request, job: Job[Any], receive: Callable[[bytes], None]) -> None:
        receive(json.dumps(self._issuer._answer(request)).encode())  # pyright: ignore[reportPrivateUsage]


class _Core(Core):
    def __init__(self, issuer: TestIssuer, settings: Settings, clock: Clock, changed: Callable[[], None]) -> None:
        self._issuer = issuer
        super().__init__(settings, clock, changed)

    def _make_client(self) -> HttpClient:
        return _Client(self._issuer, self._settings.destination)

    def follow(self) -> None:
        if self.feed is not None and not self.is_closed:
            self._issuer._bring_up_to_date(self.feed)  # pyright: ignore[reportPrivateUsage]


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def _make_token_id(now_ms: int) -> str:
    """A UUID of version 7 (RFC 9562 §5.7), as the service makes them."""
    return str(uuid.UUID(int=now_ms << 80 | 7 << 76 | secrets.randbits(12) << 64 | 2 << 62 | secrets.randbits(62)))
