"""The real service, where `npm run test:python` started one."""

import asyncio
import json
import os
import time
from typing import Any
from urllib.parse import urlencode

import pytest
import urllib3
from conftest import refusal_of

from mintmark_auth import Verifier

GIVEN = json.loads(os.environ.get("MINTMARK_SERVICE", "{}"))
pytestmark = pytest.mark.skipif(not GIVEN, reason="npm run test:python starts the service.")


def post(path: str, **form: str) -> Any:
    credentials = {"client_id": GIVEN["clientId"], "client_secret": GIVEN["clientSecret"]}
    headers = {"content-type": "application/x-www-form-urlencoded"}
    answer = urllib3.request("POST", GIVEN["issuer"] + path, body=urlencode(credentials | form), headers=headers)
    assert answer.status == 200, answer.data
    return answer.json() if answer.data else None


def get_token(**asked: str) -> str:
    token: str = post("/oauth/token", grant_type="client_credentials", **asked)["access_token"]
    return token


def test_tokens_are_verified_until_they_are_revoked_or_as_offline_until_they_expire() -> None:
    token = get_token()
    introspecting = Verifier(GIVEN["issuer"], GIVEN["audience"], mode="introspect", api_key=GIVEN["apiKey"])
    offline = Verifier(GIVEN["issuer"], GIVEN["audience"], mode="offline")
    assert introspecting.verify(token).by == "introspection"
    verified = offline.verify(token)
    assert verified.by == "signature"
    assert verified.claims["client_id"] == GIVEN["clientId"]
    assert asyncio.run(offline.averify(token)) is verified
    post("/oauth/revoke", token=token)
    assert refusal_of(lambda: introspecting.verify(token)).refusal == "inactive"
    assert offline.verify(token) is verified
    introspecting.close()
    offline.close()


def test_the_feed_says_at_once_what_ended() -> None:
    token, other = get_token(), get_token()
    verifier = Verifier(GIVEN["issuer"], GIVEN["audience"], api_key=GIVEN["apiKey"], when_stale="refuse")
    assert verifier.ready().is_fresh
    assert verifier.verify(token).by == "feed"
    position = verifier.status().position
    post("/oauth/revoke", token=token)
    give_up = time.monotonic() + 10
    while verifier.status().position == position:
        assert time.monotonic() < give_up, verifier.status()
    assert refusal_of(lambda: verifier.verify(token)).refusal == "revoked"
    assert verifier.verify(other).by == "feed"
    assert verifier.status().transport == "stream"
    verifier.close()


def test_a_key_that_may_not_introspect_is_no_verdict() -> None:
    verifier = Verifier(GIVEN["issuer"], GIVEN["audience"], mode="introspect", api_key="mma_none")
    refused = refusal_of(lambda: verifier.verify(get_token()))
    assert refused.reason == "Introspection failed: The service responded 401."
    verifier.close()
