"""The issuer for tests of an API: a verifier decides on its tokens as on those of the service, and asks nobody."""

import os
import socket
import time
from collections.abc import Iterator

import pytest
from conftest import refusal_of
from issuer import AUDIENCE, Key, prove

from mintmark_auth import Hooks, Presented, Status, Verifier
from mintmark_auth.testing import TestIssuer
from mintmark_auth.verify.options import MODES


@pytest.fixture
def issuer(monkeypatch: pytest.MonkeyPatch) -> Iterator[TestIssuer]:
    connected: list[object] = []
    monkeypatch.setattr(socket.socket, "connect", lambda *to: connected.append(to))
    yield TestIssuer()
    assert connected == []


@pytest.mark.parametrize("mode", MODES)
def test_a_token_is_accepted_and_what_is_wrong_is_refused_in_each_mode(issuer: TestIssuer, mode: str) -> None:
    with_others = issuer.verifier(["https://other.example", AUDIENCE], mode=mode)
    token = issuer.token(audience=AUDIENCE, sub="agent-7", scopes=["orders:read"], own={"team": "blue"})
    verified = with_others.verify(token, scopes=["orders:read"])
    assert (verified.claims["sub"], verified.claims["own"]["team"]) == ("agent-7", "blue")
    assert refusal_of(lambda: with_others.verify(token, scopes=["orders:write"])).status == 403
    elsewhere = issuer.token(audience="https://elsewhere.example")
    assert refusal_of(lambda: with_others.verify(elsewhere)).refusal == "wrong_audience"
    expired = issuer.token(audience=AUDIENCE, lifetime=-1)
    assert refusal_of(lambda: with_others.verify(expired)).refusal == ("inactive" if mode == "introspect" else "expired")
    of_another = TestIssuer().token(audience=AUDIENCE)
    assert refusal_of(lambda: with_others.verify(of_another)).status == 401


@pytest.mark.parametrize(("mode", "refusal"), [("feed", "revoked"), ("introspect", "inactive")])
def test_a_token_that_is_revoked_is_refused_at_once_by_all(issuer: TestIssuer, mode: str, refusal: str) -> None:
    verifiers = [issuer.verifier(AUDIENCE, mode=mode) for _ in range(2)]
    for _ in range(20):
        token, other = issuer.token(audience=AUDIENCE), issuer.token(audience=AUDIENCE)
        for verifier in verifiers:
            verifier.verify(token)
        issuer.revoke(token)
        for verifier in verifiers:
            assert refusal_of(lambda: verifier.verify(token)).refusal == refusal  # noqa: B023
            verifier.verify(other)
    with pytest.raises(ValueError, match="no such token"):
        issuer.revoke(token)


def test_a_verifier_that_the_api_made_is_served_and_what_it_followed_ends(issuer: TestIssuer) -> None:
    verifier = Verifier(issuer.issuer, AUDIENCE, api_key="mma_real")
    before = verifier._core
    issuer.serve(verifier)
    assert before.is_closed
    assert verifier.ready().is_fresh
    assert verifier.verify(issuer.token(audience=AUDIENCE)).by == "feed"
    with pytest.raises(ValueError, match=r"has the issuer https://tokens\.example\.com: make"):
        TestIssuer("https://others.example").serve(verifier)
    verifier.close()
    assert refusal_of(lambda: verifier.verify(issuer.token(audience=AUDIENCE))).refusal == "closed"


def test_a_token_that_is_bound_needs_its_proof(issuer: TestIssuer) -> None:
    verifier, holder = issuer.verifier(AUDIENCE), Key("holder")
    token = issuer.token(audience=AUDIENCE, cnf={"jkt": holder.thumbprint})
    assert refusal_of(lambda: verifier.verify(token)).refusal == "wrong_scheme"
    proof = prove(holder, token, time.time())
    verifier.verify(token, dpop=Presented("GET", f"{AUDIENCE}/orders", proof))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="There is no fork.")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_child_is_served_too(issuer: TestIssuer) -> None:
    verifier, token = issuer.verifier(AUDIENCE), issuer.token(audience=AUDIENCE)
    verifier.verify(token)
    child = os.fork()
    if child == 0:
        try:
            verifier.verify(token)
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0


def test_a_string_is_no_list_of_scopes(issuer: TestIssuer) -> None:
    with pytest.raises(ValueError, match="scopes is a list"):
        issuer.token(audience=AUDIENCE, scopes="orders:read")


def test_a_clock_that_is_set_forth_and_back_changes_nothing_for_good(
    issuer: TestIssuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    verifier, read, ahead = issuer.verifier(AUDIENCE), time.time_ns, [0]
    monkeypatch.setattr(time, "time_ns", lambda: read() + ahead[0] * 1_000_000_000)
    token, ended = issuer.token(audience=AUDIENCE), issuer.token(audience=AUDIENCE)
    verifier.verify(token)
    issuer.revoke(ended)
    ahead[0] = 3600
    assert refusal_of(lambda: verifier.verify(token)).refusal == "expired"
    verifier.verify(issuer.token(audience=AUDIENCE))
    ahead[0] = 0
    verifier.verify(issuer.token(audience=AUDIENCE))
    verifier.verify(token)
    assert refusal_of(lambda: verifier.verify(ended)).refusal == "revoked"


def test_a_hook_may_ask_again(issuer: TestIssuer) -> None:
    seen: list[str] = []

    def ask_again(_: Status) -> None:
        if not seen:
            seen.append("asked")
            seen.append(verifier.verify(issuer.token(audience=AUDIENCE)).by)

    verifier = issuer.verifier(AUDIENCE, hooks=Hooks(changed=ask_again))
    verifier.verify(issuer.token(audience=AUDIENCE))
    assert seen == ["asked", "feed"]


def test_what_cannot_be_served_or_revoked_is_said_at_once(issuer: TestIssuer) -> None:
    with pytest.raises(ValueError, match="does not accept ES256"):
        issuer.verifier(AUDIENCE, algorithms=["RS256"])
    with pytest.raises(ValueError, match="no such token"):
        issuer.revoke(issuer.token(audience=AUDIENCE, jti=None))
