"""What @mintmark/verify answers, row by row: the tables that it writes for other languages."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from clocks import TestClock

from mintmark_auth import IncomingRequest, Presented, Refused, Verified, Verifier
from mintmark_auth.verify import verifier as verifier_module
from mintmark_auth.verify.refusals import RefusalContext
from mintmark_auth.wire.http import HttpClient

TESTKIT = Path(__file__).parents[3] / "testkit"
VECTORS = json.loads((TESTKIT / "forgeries" / "vectors.json").read_text())
REFUSALS = json.loads((TESTKIT / "refusals" / "refusals.json").read_text())["cases"]


def name_of(row: dict[str, Any]) -> str:
    return (
        "-".join(str(row[member]) for member in ("group", "alg", "name") if member in row).encode("unicode_escape").decode()
    )


def verifier_of(monkeypatch: pytest.MonkeyPatch, body: str, **options: Any) -> Verifier:
    """A verifier at the time of the table, whose every request has this answer."""
    monkeypatch.setattr(verifier_module, "Clock", TestClock(VECTORS["now"]).clock)
    sent = body.encode("utf-8", "surrogatepass")
    monkeypatch.setattr(HttpClient, "_exchange", lambda _self, _request, _job, receive: receive(sent))
    return Verifier(VECTORS["issuer"], VECTORS["audience"], mode="offline", **options)


def refusal_of(error: Refused) -> tuple[str, str | None]:
    return error.refusal, error.challenge and error.challenge.partition(" ")[0]


def expected_of(row: dict[str, Any]) -> tuple[str, str | None]:
    is_challenged = row["refusal"] is not None and REFUSED_STATUS[row["refusal"]] < 500
    usual = "DPoP" if "dpop" in row else "Bearer"
    return row["refusal"], row.get("challenge_scheme", usual) if is_challenged else None


REFUSED_STATUS = {case["code"]: case["status"] for case in REFUSALS}


def thaw(value: Any) -> Any:
    """What was frozen, as JSON has it."""
    if hasattr(value, "items"):
        return {name: thaw(member) for name, member in value.items()}
    return [thaw(item) for item in value] if isinstance(value, tuple) else value


def test_the_tables_are_there() -> None:
    assert len(VECTORS["tokens"]) > 500
    assert len(REFUSALS) > 100


def certificate_of(row: dict[str, Any]) -> str | bytes | None:
    length = row.get("filled_to", 0)
    if "certificate_der" in row:
        return base64.b64decode(row["certificate_der"]).ljust(length)
    certificate: str | None = row.get("certificate")
    return None if certificate is None else certificate.ljust(length)


def decide(verifier: Verifier, row: dict[str, Any]) -> Verified | Refused:
    dpop = Presented(**row["dpop"]) if "dpop" in row else None
    try:
        return verifier.verify(row["token"], scopes=row.get("scopes", ()), dpop=dpop, certificate=certificate_of(row))
    except Refused as refused:
        return refused


def code_of(decided: Verified | Refused) -> str | None:
    return decided.refusal if isinstance(decided, Refused) else None


@pytest.mark.parametrize("row", VECTORS["tokens"], ids=name_of)
def test_a_token_is_judged_as_by_the_model(monkeypatch: pytest.MonkeyPatch, row: dict[str, Any]) -> None:
    options = {"algorithms": row["algorithms"]} if "algorithms" in row else {}
    verifier = verifier_of(monkeypatch, json.dumps(VECTORS["jwks"]), **options)
    decided = decide(verifier, row)
    assert code_of(decided) == row["refusal"], decided
    if isinstance(decided, Refused):
        assert refusal_of(decided) == expected_of(row)
    elif "claims" in row:
        assert thaw(decided.claims) == row["claims"]
        assert list(decided.scopes) == row["granted"]
    assert code_of(decide(verifier, row)) == row.get("again", row["refusal"])
    for call in row.get("then", []):
        assert code_of(decide(verifier, {"token": row["token"], **call})) == call["refusal"], call


@pytest.mark.parametrize("row", VECTORS["requests"], ids=name_of)
def test_a_request_is_judged_as_by_the_model(monkeypatch: pytest.MonkeyPatch, row: dict[str, Any]) -> None:
    verifier = verifier_of(monkeypatch, json.dumps(VECTORS["jwks"]))
    request = IncomingRequest(row["method"], row["url"], row["authorization"], row["proof"], row.get("scopes", ()))
    if row["refusal"] is None:
        verifier.authorize(request)
    else:
        with pytest.raises(Refused) as refused:
            verifier.authorize(request)
        assert refusal_of(refused.value) == expected_of(row)


@pytest.mark.parametrize("row", VECTORS["key_sets"], ids=name_of)
def test_a_key_set_is_read_as_by_the_model(monkeypatch: pytest.MonkeyPatch, row: dict[str, Any]) -> None:
    genuine = next(it for it in VECTORS["tokens"] if it["alg"] == row["alg"])
    verifier = verifier_of(monkeypatch, row["body"].ljust(row.get("filled_to", 0)))
    if row["refusal"] is None:
        verifier.verify(genuine["token"])
    else:
        with pytest.raises(Refused) as refused:
            verifier.verify(genuine["token"])
        assert refused.value.refusal == row["refusal"]


@pytest.mark.parametrize("case", REFUSALS, ids=lambda case: f"{case['code']}-{case['scheme']}-{len(case['scopes'])}")
def test_a_refusal_is_sent_byte_for_byte_as_by_the_model(case: dict[str, Any]) -> None:
    context = RefusalContext(case["resource_metadata"], tuple(case["scopes"]), case["scheme"], case["proof_algorithms"])
    refused = Refused(case["code"], "why", context)
    sent = (refused.status, refused.challenge, refused.retry_after, dict(refused.body))
    assert sent == (case["status"], case["challenge"], case["retry_after"], case["body"])
