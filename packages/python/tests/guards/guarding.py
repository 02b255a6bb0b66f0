"""What each guard must do, in whatever framework: cases that tests run against it."""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from issuer import AUDIENCE, Key, prove
from publisher import API_KEY, Publisher, running_publisher

from mintmark_auth import Verifier

PATH = "/v1/orders"
METADATA_PATH = "/.well-known/oauth-protected-resource/v1"
METADATA_URL = f"https://orders.example{METADATA_PATH}"
NEEDED = "db:read"
ALGORITHMS = "ES256 Ed25519 EdDSA RS256 PS256"

Lines = Sequence[tuple[str, str]]


class Reply(NamedTuple):
    status: int
    headers: dict[str, str]
    """Names in small letters."""
    body: Any
    """Of JSON."""


Ask = Callable[[Lines], Reply]
"""Asks for GET /v1/orders, which needs db:read and answers `sub`."""
Open = Callable[[Verifier], Ask]
"""An application that is guarded by the verifier."""


class Scene:
    """A service with a feed, a caller that has a key, and verifiers."""

    def __init__(self, publisher: Publisher) -> None:
        self.publisher, self.holder = publisher, Key("holder")
        self.made: list[Verifier] = []

    def verifier(self, **options: Any) -> Verifier:
        options = {"api_key": API_KEY, "when_stale": "refuse", **options}
        verifier = Verifier(self.publisher.issuer, AUDIENCE, **options)
        self.made.append(verifier)
        return verifier

    def fresh(self, **options: Any) -> Verifier:
        verifier = self.verifier(**options)
        assert verifier.ready().is_fresh
        return verifier

    def bound(self) -> str:
        return self.publisher.issue(cnf={"jkt": self.holder.thumbprint})

    def prove(self, token: str, **claims: Any) -> str:
        return prove(self.holder, token, self.publisher.now(), **claims)


@contextmanager
def open_scene() -> Iterator[Scene]:
    with running_publisher() as publisher:
        scene = Scene(publisher)
        yield scene
        for verifier in scene.made:
            verifier.close()


def becomes_fresh(verifier: Verifier) -> bool:
    """Without asking it for anything: something else must have started it."""
    give_up = time.monotonic() + 5
    while not verifier.status().is_fresh and time.monotonic() < give_up:
        time.sleep(0.01)
    return verifier.status().is_fresh


def bearer(token: str) -> Lines:
    return [("authorization", f"Bearer {token}")]


def as_bytes(lines: Lines) -> list[tuple[bytes, bytes]]:
    """As they are sent."""
    return [(name.encode(), value.encode("latin-1")) for name, value in lines]


def expect(reply: Reply, status: int, challenge: str | None, error: str) -> None:
    assert reply.status == status, reply
    assert reply.headers.get("www-authenticate") == challenge
    assert reply.body["error"] == error
    assert set(reply.body) == {"error", "error_description"}
    assert reply.headers["content-type"] == "application/json"
    assert reply.headers["cache-control"] == "no-store"
    assert reply.headers.get("access-control-expose-headers") == (None if challenge is None else "WWW-Authenticate")


def _challenge(scheme: str = "Bearer", **parameters: str) -> str:
    named = {**parameters, "resource_metadata": METADATA_URL}
    if scheme == "DPoP":
        named["algs"] = ALGORITHMS
    return f"{scheme} " + ", ".join(f'{name}="{value}"' for name, value in named.items())


_NOT_VALID = _challenge(error="invalid_token", error_description="The access token is not valid here.")


def good_tokens_pass(scene: Scene, open_app: Open) -> None:
    ask = open_app(scene.fresh())
    for _ in range(2):
        assert ask(bearer(scene.publisher.issue(sub="agent-7")))[::2] == (200, "agent-7")


def no_token_is_401_and_says_what_is_needed(scene: Scene, open_app: Open) -> None:
    ask = open_app(scene.fresh())
    others = ("Basic YTpi", "Digest a, b", 'Digest a="b",c=d')
    without: list[Lines] = [[], *([("authorization", other)] for other in others)]
    for lines in without:
        expect(ask(lines), 401, _challenge(scope=NEEDED), "invalid_token")


def a_wrong_token_is_401(scene: Scene, open_app: Open) -> None:
    ask = open_app(scene.fresh())
    for token in "abc", scene.publisher.issue(aud="https://other.example"):
        expect(ask(bearer(token)), 401, _NOT_VALID, "invalid_token")


def a_revoked_token_is_401(scene: Scene, open_app: Open) -> None:
    ask, token = open_app(scene.fresh()), scene.publisher.issue()
    assert ask(bearer(token)).status == 200
    scene.publisher.end(token)
    # Within milliseconds, and later only where the machine is busy with something else.
    give_up = time.monotonic() + 5
    while ask(bearer(token)).status == 200:
        assert time.monotonic() < give_up
        time.sleep(0.001)
    expect(ask(bearer(token)), 401, _NOT_VALID, "invalid_token")


def a_missing_scope_is_403_and_named(scene: Scene, open_app: Open) -> None:
    ask = open_app(scene.fresh())
    description = "The access token does not cover the scope of this request."
    challenge = _challenge(error="insufficient_scope", error_description=description, scope=NEEDED)
    expect(ask(bearer(scene.publisher.issue(scope="mail:send"))), 403, challenge, "insufficient_scope")


def a_bound_token_needs_its_scheme_and_a_proof_of_this_request(scene: Scene, open_app: Open) -> None:
    ask, token = open_app(scene.fresh()), scene.bound()
    dpop = ("authorization", f"DPoP {token}")
    wrong = {"error": "invalid_dpop_proof", "error_description": "The DPoP proof is not valid for this request."}
    expect(ask([dpop]), 401, _challenge("DPoP", **wrong), "invalid_dpop_proof")
    elsewhere = scene.prove(token, htu="https://orders.example/v1/others", jti="a")
    expect(ask([dpop, ("dpop", elsewhere)]), 401, _challenge("DPoP", **wrong), "invalid_dpop_proof")
    mismatch = {"error": "invalid_token", "error_description": "The access token does not fit the scheme."}
    expect(ask(bearer(token)), 401, _challenge("DPoP", **mismatch), "invalid_token")
    # The caller chooses these: they say nothing of the URL that the proof is for.
    forged = [("host", "evil.example"), ("x-forwarded-host", "evil.example"), ("x-forwarded-proto", "http")]
    evil = scene.prove(token, htu="http://evil.example/v1/orders", jti="b")
    assert ask([*forged, dpop, ("dpop", evil)]).status == 401
    proof = scene.prove(token)
    assert ask([*forged, dpop, ("dpop", proof)])[::2] == (200, "agent-1")
    replayed = {"error": "invalid_dpop_proof", "error_description": "The DPoP proof was used before."}
    expect(ask([dpop, ("dpop", proof)]), 401, _challenge("DPoP", **replayed), "invalid_dpop_proof")


def a_stale_verifier_is_503_with_retry_after(scene: Scene, open_app: Open) -> None:
    scene.publisher.fail("unavailable")
    ask = open_app(scene.verifier())
    reply = ask(bearer(scene.publisher.issue()))
    expect(reply, 503, None, "temporarily_unavailable")
    assert reply.headers["retry-after"] == "1"


def a_second_line_of_credentials_is_400(scene: Scene, open_app: Open) -> None:
    ask = open_app(scene.fresh())
    token, description = scene.publisher.issue(), "The header Authorization must hold Bearer or DPoP and one access token."
    challenge = _challenge(error="invalid_request", error_description=description)
    expect(ask([*bearer(token), *bearer(token)]), 400, challenge, "invalid_request")
    expect(ask([("authorization", "Bearer a b")]), 400, challenge, "invalid_request")
    bound = scene.bound()
    proofs = [("dpop", scene.prove(bound, jti=jti)) for jti in "ab"]
    assert ask([("authorization", f"DPoP {bound}"), *proofs]).status == 400


def bytes_that_no_token_has_are_refused(scene: Scene, open_app: Open) -> None:
    ask = open_app(scene.fresh())
    for value, status in [("Bearer \xe4\xff", 400), ("Bearer", 400), ("Bearer\ta", 401), ("\xe4", 401), ("", 401)]:
        reply = ask([("authorization", value)])
        assert reply.status == status, value
        assert reply.headers["www-authenticate"].startswith("Bearer ")


CASES: dict[str, Callable[[Scene, Open], None]] = {
    case.__name__: case
    for case in (
        good_tokens_pass,
        no_token_is_401_and_says_what_is_needed,
        a_wrong_token_is_401,
        a_revoked_token_is_401,
        a_missing_scope_is_403_and_named,
        a_bound_token_needs_its_scheme_and_a_proof_of_this_request,
        a_stale_verifier_is_503_with_retry_after,
        a_second_line_of_credentials_is_400,
        bytes_that_no_token_has_are_refused,
    )
}


def check_metadata(scene: Scene, ask: Callable[[str], Reply]) -> None:
    """`ask` asks for the metadata with a method and without a token. A HEAD and an OPTIONS give None as body."""
    read = ask("GET")
    assert read.status == 200
    assert read.headers["content-type"] == "application/json"
    assert read.headers["cache-control"] == "public, max-age=300"
    assert read.headers["access-control-allow-origin"] == "*"
    assert read.body == {
        "resource": AUDIENCE,
        "authorization_servers": [scene.publisher.issuer],
        "bearer_methods_supported": ["header"],
        "dpop_signing_alg_values_supported": ALGORITHMS.split(),
    }
    head = ask("HEAD")
    assert (head.status, head.body) == (200, None)
    assert head.headers["content-length"] == str(len(json.dumps(read.body, separators=(",", ":"))))
    preflight = ask("OPTIONS")
    assert (preflight.status, preflight.body) == (204, None)
    assert preflight.headers["access-control-allow-methods"] == "GET, HEAD"
    assert preflight.headers["access-control-allow-headers"] == "*"
    assert preflight.headers["access-control-max-age"] == "86400"
    assert preflight.headers["cache-control"] == "no-store"
