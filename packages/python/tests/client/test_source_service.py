"""Tokens of the real service, where `npm run test:python` started one: every credential, exchange, proofs, revocation."""

import asyncio
import json
import os
import ssl
import threading
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx
import pytest
import urllib3
from clocks import TestClock
from conftest import refusal_of
from service import Answer, Handler, running_service
from token_service import refused, unavailable

from mintmark_auth import IncomingRequest, Presented, Refused, Verified, Verifier
from mintmark_auth import httpx as for_httpx
from mintmark_auth.client import AccessToken, TokenRefused, TokenSource
from mintmark_auth.client import source as source_module

GIVEN = json.loads(os.environ.get("MINTMARK_SERVICE", "{}"))
pytestmark = pytest.mark.skipif("keys" not in GIVEN, reason="npm run test:python starts the service.")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> TestClock:
    """Of sources; the service has its own."""
    clock = TestClock(time.time())
    monkeypatch.setattr(source_module, "Clock", clock.clock)
    return clock


def source_of(client_id: str | None = None, **options: Any) -> TokenSource:
    if client_id is None:
        client_id, options = GIVEN["clientId"], {"client_secret": GIVEN["clientSecret"], **options}
    return TokenSource(GIVEN["issuer"], client_id, **options)


def verify(token: AccessToken, audience: str | None = None) -> Verified:
    verifier = Verifier(GIVEN["issuer"], audience or GIVEN["audience"], mode="introspect", api_key=GIVEN["apiKey"])
    try:
        return verifier.verify(token.value)
    finally:
        verifier.close()


def revoke(token: AccessToken) -> None:
    form = {"client_id": GIVEN["clientId"], "client_secret": GIVEN["clientSecret"], "token": token.value}
    headers = {"content-type": "application/x-www-form-urlencoded"}
    assert urllib3.request("POST", f"{GIVEN['issuer']}/oauth/revoke", body=urlencode(form), headers=headers).status == 200


def test_a_source_gets_an_active_token_for_what_was_asked() -> None:
    token = source_of(scopes=["db:read", "db:write"], resource="https://orders.example").get_token()
    verified = verify(token, "https://orders.example")
    assert verified.claims["client_id"] == GIVEN["clientId"]
    assert verified.scopes == token.scopes == ("db:read", "db:write")
    assert 295 <= token.expires_at.timestamp() - time.time() <= 300
    both = source_of(resource=["https://a.example", "https://b.example"]).get_token()
    assert verify(both, "https://b.example").claims["aud"] == ("https://a.example", "https://b.example")


def test_a_secret_is_read_from_a_file_anew(tmp_path: Path, clock: TestClock) -> None:
    path = tmp_path / "secret"
    path.write_text("mmc_of_nobody\n")
    source = source_of(GIVEN["clientId"], client_secret_file=path)
    error = refused(source.get_token)
    assert (error.error, error.status) == ("invalid_client", 401)
    assert error.description == (
        "Client authentication failed: send client_id and client_secret of an enabled agent, in the form or by HTTP Basic."
    )
    path.write_text(GIVEN["clientSecret"])
    clock.pass_time(0.5)  # the pause after a refusal
    assert verify(source.get_token()).claims["client_id"] == GIVEN["clientId"]


@pytest.mark.parametrize("alg", ["ES256", "ES384", "RS256", "PS256", "EdDSA"])
def test_a_private_key_signs_an_assertion_of_each_algorithm(alg: str, tmp_path: Path) -> None:
    [agent] = [agent for agent in GIVEN["keys"] if agent["alg"] == alg]
    as_jwk, as_pem = tmp_path / "key.jwk", tmp_path / "key.pem"
    as_jwk.write_text(json.dumps(agent["jwk"]))
    as_pem.write_text(agent["pem"])
    ways: list[dict[str, Any]] = [{"private_key": agent["jwk"]}, {"private_key_file": as_jwk}]
    # PEM does not say that an RSA key is for PS256.
    ways += [] if alg == "PS256" else [{"private_key_file": as_pem}]
    for way in ways:
        source = source_of(agent["clientId"], **way)
        source.invalidate(source.get_token())  # each assertion is taken once
        assert verify(source.get_token()).claims["client_id"] == agent["clientId"]
    other = next(one for one in GIVEN["keys"] if one["alg"] != alg)
    assert refused(source_of(agent["clientId"], private_key=other["jwk"]).get_token).error == "invalid_client"


def test_a_token_of_the_platform_needs_no_client_id(tmp_path: Path) -> None:
    path = tmp_path / "workload"
    path.write_text(GIVEN["workload"]["token"])
    source = TokenSource(GIVEN["issuer"], workload_token_file=path)
    assert verify(source.get_token()).claims["client_id"] == GIVEN["workload"]["clientId"]


def test_a_received_token_is_exchanged_for_one_on_behalf_of_its_subject() -> None:
    received = source_of(resource=GIVEN["audience"]).get_token()
    relay = GIVEN["relay"]
    own = source_of(relay["clientId"], client_secret=relay["clientSecret"])
    other = own.on_behalf_of(received.value, resource=GIVEN["audience"], scopes=["db:read"])
    claims = verify(other.get_token()).claims
    assert claims["sub"] == verify(received).claims["sub"]
    assert claims["act"]["sub"] == relay["agentId"]
    assert verify(own.get_token()).claims["sub"] == relay["agentId"]
    same = source_of(
        relay["clientId"], client_secret=relay["clientSecret"], subject_token=received.value, scopes=["db:read"]
    )
    assert verify(same.get_token()).claims["act"]["sub"] == relay["agentId"]


def test_a_certificate_gets_a_token_and_a_replaced_one_is_presented(tmp_path: Path, clock: TestClock) -> None:
    certified = GIVEN["certified"]
    certificate, key = tmp_path / "certificate.pem", tmp_path / "key.pem"
    context = ssl.create_default_context(cadata=certified["authority"])
    source = TokenSource(
        certified["issuer"],
        certified["clientId"],
        client_certificate=(certificate, key),
        ssl_context=context,
        resource="https://orders.example",
    )
    key.write_text(certified["key"])
    assert "cannot be read (ENOENT)" in unavailable(source.get_token).reason
    certificate.write_text(certified["authority"])
    clock.pass_time(0.5)
    assert "are no certificate with its key, both PEM" in unavailable(source.get_token).reason
    certificate.write_text(certified["cert"])
    clock.pass_time(1)
    token = source.get_token()
    verifier = Verifier(certified["issuer"], "https://orders.example", mode="offline", ssl_context=context)
    assert refusal_of(lambda: verifier.verify(token.value)).refusal == "wrong_certificate"
    assert verifier.verify(token.value, certificate=certified["cert"]).claims["client_id"] == certified["clientId"]
    verifier.close()
    without = TokenSource(
        certified["issuer"],
        certified["clientId"],
        client_secret="x",
        ssl_context=ssl.create_default_context(cadata=certified["authority"]),
    )
    assert refused(without.get_token).error == "invalid_client"


def test_with_dpop_the_token_is_bound_to_the_key_of_the_source_and_a_resource_server_takes_its_proofs() -> None:
    source = source_of(dpop=True, resource=GIVEN["audience"])
    verifier = Verifier(GIVEN["issuer"], GIVEN["audience"], mode="introspect", api_key=GIVEN["apiKey"])
    with running_service() as resource:

        def answer(handler: Handler) -> Answer:
            url, headers = resource.issuer + handler.path, handler.headers
            request = IncomingRequest(handler.command, url, headers["authorization"], headers["dpop"])
            try:
                return Answer(verifier.authorize(request).by.encode())
            except Refused as refused:
                return Answer(refused.refusal.encode(), refused.status, {"www-authenticate": refused.challenge or ""})

        resource.answer("/v1?page=2", answer)
        auth = for_httpx.Auth(source, origins=[resource.issuer])
        with httpx.Client(auth=auth, verify=False) as client:
            for method in ("GET", "POST"):
                response = client.request(method, f"{resource.issuer}/v1?page=2")
                assert (response.status_code, response.text) == (200, "introspection")
            first = source.get_token()
            assert first.token_type == "DPoP"
            presented = Presented("GET", f"{resource.issuer}/v1")
            assert refusal_of(lambda: verifier.verify(first.value, dpop=presented)).refusal == "bad_proof"
            assert refusal_of(lambda: verifier.verify(first.value)).refusal == "wrong_scheme"
            revoke(first)
            assert client.get(f"{resource.issuer}/v1?page=2").text == "introspection"
        second = source.get_token()
        assert second.value != first.value
        statuses = [received.headers["authorization"] for received in resource.received]
        assert statuses == [first.authorization] * 3 + [second.authorization]
    verifier.close()


def test_a_revoked_token_that_is_invalidated_is_replaced() -> None:
    source = source_of()
    first = source.get_token()
    revoke(first)
    assert source.get_token() is first
    source.invalidate(first)
    assert refusal_of(lambda: verify(first)).refusal == "inactive"
    assert verify(source.get_token()).by == "introspection"


def test_a_scope_that_the_agent_may_not_have_is_refused_with_the_code_of_the_service() -> None:
    error = refused(source_of(scopes=["payments:write"]).get_token)
    assert (error.error, error.status) == ("invalid_scope", 400)
    assert str(error).startswith("The token was refused: invalid_scope (")
    assert refused(source_of(resource="not a uri").get_token).error == "invalid_target"


def test_threads_and_loops_share_one_token_of_the_service() -> None:
    source, got = source_of(), list[str]()

    async def ask() -> None:
        got.extend(token.value for token in await asyncio.gather(*(source.aget_token() for _ in range(10))))

    threads = [threading.Thread(target=lambda: asyncio.run(ask())) for _ in range(3)]
    threads += [threading.Thread(target=lambda: got.append(source.get_token().value)) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(got), len(set(got))) == (50, 1)


def test_a_client_that_is_unknown_is_refused_as_one_whose_secret_is_wrong() -> None:
    errors = [
        refused(source_of(client_id, client_secret="x").get_token) for client_id in ("no-such-agent", GIVEN["clientId"])
    ]
    assert len({str(error) for error in errors}) == 1
    assert isinstance(errors[0], TokenRefused)
