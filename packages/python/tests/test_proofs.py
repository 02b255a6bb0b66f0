"""Tokens that are bound to a key or a certificate, and proofs that come again."""

import asyncio
import hashlib
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from conftest import NOW, Setting, refusal_of
from issuer import Key, digest, encode, prove

from mintmark_auth import IncomingRequest, Presented, Proven, Refused, Seen, Verified, Verifier
from mintmark_auth.proofs import binding
from mintmark_auth.proofs.replays import ProcessMemory

URL = "https://orders.example/v1/orders"


class Caller:
    """Has a token that is bound to its key."""

    def __init__(self, setting: Setting) -> None:
        self.setting, self.key = setting, Key("holder")
        self.token = setting.mint(cnf={"jkt": self.key.thumbprint})

    def present(self, **claims: Any) -> Presented:
        return Presented("GET", URL, prove(self.key, self.token, self.setting.clock.wall_ms / 1000, **claims))

    def call(self, verifier: Verifier, **claims: Any) -> Verified:
        return verifier.verify(self.token, dpop=self.present(**claims))


@pytest.fixture
def caller(setting: Setting) -> Caller:
    return Caller(setting)


def test_a_proof_is_taken_once_also_by_many_at_once(setting: Setting, caller: Caller) -> None:
    verifier, presented = setting.verifier(), caller.present()

    def outcome(_: int) -> str:
        try:
            return verifier.verify(caller.token, dpop=presented).by
        except Refused as refused:
            return refused.refusal

    with ThreadPoolExecutor(20) as pool:
        assert sorted(pool.map(outcome, range(20))) == ["replayed_proof"] * 19 + ["signature"]
    # Another id is another proof, and the cached token asks for one each time.
    caller.call(verifier, jti="proof-2")
    assert refusal_of(lambda: verifier.verify(caller.token)).refusal == "wrong_scheme"


def test_a_proof_is_good_from_10_seconds_ahead_until_it_is_60_seconds_old(setting: Setting, caller: Caller) -> None:
    verifier = setting.verifier()
    now = int(NOW)
    for n, (iat, is_good) in enumerate([(now + 10, True), (now + 11, False), (now - 60, True), (now - 61, False)]):
        if is_good:
            caller.call(verifier, jti=str(n), iat=iat)
        else:
            assert refusal_of(lambda iat=iat: caller.call(verifier, iat=iat)).refusal == "bad_proof"  # type: ignore[misc]


@pytest.mark.parametrize(
    "claims",
    [
        {"iat": True},
        {"iat": 10**400},
        {"iat": None},
        {"exp": 10**400},
        {"exp": False},
        {"exp": None},
        {"nbf": "1"},
        {"nbf": NOW + 11},
        {"jti": ""},
        {"jti": "x" * 257},
        {"jti": "\U0001f600" * 129},
        {"htm": "get"},
        {"htu": "https://orders.example/v1/other"},
        {"htu": "https://orders.example/v1/orders\n"},
        {"htu": None},
        {"ath": "x"},
    ],
    ids=str,
)
def test_a_proof_of_other_claims_is_refused(setting: Setting, caller: Caller, claims: dict[str, Any]) -> None:
    assert refusal_of(lambda: caller.call(setting.verifier(), **claims)).refusal == "bad_proof"


@pytest.mark.parametrize("claims", [{"exp": 1e307}, {"exp": NOW + 0.5}, {"iat": NOW + 0.25}, {"nbf": NOW + 10}], ids=str)
def test_times_of_a_proof_may_be_fractions(setting: Setting, caller: Caller, claims: dict[str, Any]) -> None:
    caller.call(setting.verifier(), **claims)


def test_a_header_of_a_request_is_read(setting: Setting, caller: Caller) -> None:
    verifier, presented = setting.verifier(), caller.present()
    request = IncomingRequest("GET", URL + "?page=2", f"DPoP {caller.token}", presented.proof, ["db:read"])
    assert verifier.authorize(request).scopes == ("db:read", "mail:send")
    refused = refusal_of(lambda: verifier.authorize(request))
    assert refused.refusal == "replayed_proof"
    assert refused.challenge is not None
    assert refused.challenge.startswith('DPoP error="invalid_dpop_proof"')
    bearer = IncomingRequest("GET", URL, f"Bearer {caller.token}")
    assert refusal_of(lambda: verifier.authorize(bearer)).refusal == "wrong_scheme"


def test_a_certificate_is_compared_by_its_digest(setting: Setting) -> None:
    der = b"\x30\x03\x02\x01\x05" * 20
    pem = f"-----BEGIN CERTIFICATE-----\n{encode(der).replace('-', '+').replace('_', '/')}\n-----END CERTIFICATE-----\n"
    token = setting.mint(cnf={"x5t#S256": encode(hashlib.sha256(der).digest())})
    verifier = setting.verifier()
    certificates: tuple[Any, ...] = (
        der,
        bytearray(der),
        pem,
        "text before\n" + pem + pem.replace("M", "N"),
    )
    for certificate in certificates:
        verifier.verify(token, certificate=certificate)
    wrong = (None, b"", b"x", "", "x", pem.replace("BEGIN", "BEGUN"), b"x" * 65_537, "-----BEGIN CERTIFICATE-----" * 3000)
    for certificate in wrong:
        assert refusal_of(lambda it=certificate: verifier.verify(token, certificate=it)).refusal == "wrong_certificate"  # type: ignore[misc]


def stored(*answers: object) -> Any:
    """A store of the program's own that answers so, in turn."""
    left = list(answers)
    threads: set[str] = set()

    def remember(proof: Proven, now_ms: int, /) -> Seen:
        threads.add(threading.current_thread().name)
        answer = left.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        assert isinstance(proof, Proven)
        return answer  # type: ignore[return-value]

    remember.threads = threads  # type: ignore[attr-defined]
    return remember


def test_a_store_of_the_program_is_asked_on_another_thread_and_its_faults_are_refusals(
    setting: Setting, caller: Caller
) -> None:
    store = stored("first", "again", "full", "yes", None, ValueError("secret"), SystemExit(1))
    verifier = setting.verifier(proofs=store)
    assert caller.call(verifier).by == "signature"
    outcomes = [refusal_of(lambda: caller.call(verifier)).refusal for _ in range(6)]
    assert outcomes == ["replayed_proof"] + ["proofs_unavailable"] * 5
    assert "secret" not in str(setting.problems)
    assert store.threads == {"mintmark-auth"}


def test_a_store_that_hangs_is_given_up_in_time(monkeypatch: pytest.MonkeyPatch, setting: Setting, caller: Caller) -> None:
    monkeypatch.setattr(binding, "_STORE_SECONDS_MAX", 0.1)
    go_on = threading.Event()
    verifier = setting.verifier(proofs=lambda *_: "first" if go_on.wait(10) else "full")
    assert refusal_of(lambda: caller.call(verifier)).refusal == "proofs_unavailable"
    go_on.set()
    assert asyncio.run(verifier.averify(caller.token, dpop=caller.present())).by == "signature"


def test_what_changes_while_the_store_answers_counts(setting: Setting, caller: Caller) -> None:
    def remember(*_: object) -> str:
        setting.clock.pass_time(301)
        return "first"

    assert refusal_of(lambda: caller.call(setting.verifier(proofs=remember))).refusal == "expired"

    def close(*_: object) -> str:
        closed.close()
        return "first"

    closed = setting.verifier(proofs=close)
    caller.token = setting.mint(cnf={"jkt": caller.key.thumbprint})
    assert refusal_of(lambda: caller.call(closed)).refusal == "closed"


def proof(jti: str, client_id: str = "a", until: int = 100) -> Proven:
    return Proven(jti, "key", client_id, until)


def test_the_memory_forgets_what_is_too_old_where_it_needs_room() -> None:
    memory = ProcessMemory(proofs_max=3, of_one_client_max=2)
    assert [memory(proof("1"), 0), memory(proof("1"), 0), memory(proof("2"), 0), memory(proof("3"), 0)] == [
        "first",
        "again",
        "first",
        "full",
    ]
    assert [memory(proof("1", "b"), 0), memory(proof("4", "b"), 0), memory(proof("5", "c"), 0)] == ["again", "first", "full"]
    # Once a second at most.
    assert memory(proof("5", "c"), 999) == "full"
    assert memory(proof("5", "c"), 1000) == "first"
    assert memory(proof("1"), 1000) == "first"


def test_a_thumbprint_is_of_the_members_of_its_kind() -> None:
    from mintmark_auth.proofs.dpop import thumbprint_of

    key = Key()
    assert thumbprint_of({**key.jwk, "alg": "ES256"}) == digest(json.dumps(key.jwk, separators=(",", ":")))
    assert thumbprint_of({**key.jwk, "x": "\ud800"}) is None
    assert thumbprint_of({**key.jwk, "x": ""}) is None
    # RFC 8037 appendix A.3.
    okp = {"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}
    assert thumbprint_of(okp) == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"
