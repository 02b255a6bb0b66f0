"""Mode `introspect`: one call to the service for each token, and an answer that must be about it."""

import base64
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from conftest import API_KEY, Setting, refusal_of, short_requests
from issuer import AUDIENCE, Key, mint
from service import INTROSPECTION_PATH, Answer, Handle, Handler

from mintmark_auth import Verified, Verifier
from mintmark_auth.wire.threads import THREADS_MAX, Failed, Job, Workers


def test_each_token_is_asked_about_each_time_and_its_keys_are_not_read(setting: Setting) -> None:
    verifier, token = setting.verifier(mode="introspect"), setting.mint()
    setting.introspect_as_active()
    for _ in range(2):
        verified = verifier.verify(token, scopes=["db:read"])
        assert (verified.by, verified.scopes) == ("introspection", ("db:read", "mail:send"))
    assert [(it.method, it.path, it.body) for it in setting.service.received] == [
        ("POST", INTROSPECTION_PATH, b"token=" + token.encode())
    ] * 2
    headers = setting.service.received[0].headers
    assert headers["x-api-key"] == API_KEY
    assert headers["content-type"] == "application/x-www-form-urlencoded"
    setting.service.answer_json(INTROSPECTION_PATH, {"active": False})
    assert refusal_of(lambda: verifier.verify(token)).refusal == "inactive"


def test_what_is_no_token_for_this_api_is_not_asked_about(setting: Setting) -> None:
    verifier = setting.verifier(mode="introspect")
    assert refusal_of(lambda: verifier.verify("x.y")).refusal == "malformed"
    assert refusal_of(lambda: verifier.verify(setting.mint(aud="https://other.example"))).refusal == "wrong_audience"
    assert setting.service.received == []


def test_the_service_knows_the_time_better(setting: Setting) -> None:
    verifier, token = setting.verifier(mode="introspect"), setting.mint()
    setting.introspect_as_active()
    setting.clock.pass_time(301)
    verifier.verify(token)


def test_the_scope_is_compared_last(setting: Setting) -> None:
    verifier = setting.verifier(mode="introspect")
    setting.service.answer_json(INTROSPECTION_PATH, {"active": False})
    assert refusal_of(lambda: verifier.verify(setting.mint(), scopes=["x"])).refusal == "inactive"
    setting.introspect_as_active()
    refused = refusal_of(lambda: verifier.verify(setting.mint(), scopes=["x"]))
    assert (refused.refusal, refused.status, refused.reason) == ("insufficient_scope", 403, "The token lacks: x.")


@pytest.mark.parametrize(
    "changed",
    [
        {"sub": "agent-2"},
        {"sub": None},
        {"exp": 1},
        {"exp": True},
        {"scope": "db:read"},
        {"scope": None},
        {"jti": "other"},
        {"jti": False},
    ],
    ids=str,
)
def test_an_answer_about_another_token_is_not_believed(setting: Setting, changed: dict[str, Any]) -> None:
    setting.introspect_as_active(**changed)
    refused = refusal_of(lambda: setting.verifier(mode="introspect").verify(setting.mint()))
    assert (refused.refusal, refused.reason) == ("introspection_unavailable", "The answer is about another token.")


def test_true_is_not_one(setting: Setting) -> None:
    """As it is to Python."""
    token = mint(setting.key, setting.service.issuer, 0, iat=0, exp=1, scope=None)
    setting.introspect_as_active(exp=1.0, scope=None)
    setting.verifier(mode="introspect").verify(token)
    setting.introspect_as_active(exp=True, scope=None)
    assert refusal_of(lambda: setting.verifier(mode="introspect").verify(token)).status == 503


BAD_ANSWERS = {
    "active as a number": Answer(b'{"active":1}'),
    "active as a text": Answer(b'{"active":"false"}'),
    "no object": Answer(b"[]"),
    "active twice": Answer(b'{"active":false,"active":true}'),
    "no JSON": Answer(b"<html>"),
    "invalid UTF-8": Answer(b'{"active":false,"x":"\xff"}'),
    "redirect": Answer(status=307, headers={"location": "/elsewhere"}),
    "unauthorized": Answer(b'{"active":true}', 401),
    "too long": Answer(b'{"active":false}' + b" " * 65_521),
}


def test_the_longest_answer_is_read(setting: Setting) -> None:
    setting.service.answer(INTROSPECTION_PATH, b'{"active":false}' + b" " * 65_520)
    assert refusal_of(lambda: setting.verifier(mode="introspect").verify(setting.mint())).refusal == "inactive"


@pytest.mark.parametrize("answer", BAD_ANSWERS.values(), ids=BAD_ANSWERS)
def test_an_answer_that_is_none_is_not_believed(setting: Setting, answer: Answer) -> None:
    setting.service.answer(INTROSPECTION_PATH, answer)
    refused = refusal_of(lambda: setting.verifier(mode="introspect").verify(setting.mint()))
    assert (refused.refusal, refused.status, refused.challenge) == ("introspection_unavailable", 503, None)
    assert len(setting.service.received) == 1
    assert API_KEY not in f"{refused!r} {setting.problems}"


HANGS: dict[str, Handle] = {
    "no answer": lambda handler: handler.hang(),
    "a dripping body": lambda handler: handler.drip(b"HTTP/1.1 200 OK\r\ncontent-length: 9000\r\n\r\n", b" "),
}


@pytest.mark.parametrize("hang", HANGS.values(), ids=HANGS)
def test_a_hung_service_is_given_up_in_time_by_many_at_once(
    monkeypatch: pytest.MonkeyPatch, setting: Setting, hang: Handle
) -> None:
    short_requests(monkeypatch, 0.4)
    verifier, token = setting.verifier(mode="introspect"), setting.mint()
    setting.service.answer(INTROSPECTION_PATH, hang)

    def refused_after(_: int) -> float:
        since = time.monotonic()
        refused = refusal_of(lambda: verifier.verify(token))
        assert refused.reason == "Introspection failed: The request failed: no whole answer within 400 ms"
        return time.monotonic() - since

    # More than there are threads.
    with ThreadPoolExecutor(20) as pool:
        assert max(pool.map(refused_after, range(20))) < 1
    assert verifier._core._introspection_client._workers._threads == 8
    setting.introspect_as_active()
    verifier.verify(token)


@pytest.mark.parametrize(("options", "seconds_max"), [({}, 5), ({"max_staleness": 2}, 2)], ids=["suspended", "stale"])
def test_an_answer_is_no_older_than_it_may_be(setting: Setting, options: dict[str, Any], seconds_max: float) -> None:
    setting.introspect_as_active()
    answer_now = setting.service.answers[INTROSPECTION_PATH]
    verifier, token, passed = setting.verifier(mode="introspect", **options), setting.mint(), [seconds_max]

    def answer(handler: Handler) -> Answer | None:
        setting.clock.pass_time(passed[0])
        return answer_now(handler)

    setting.service.answer(INTROSPECTION_PATH, answer)
    verifier.verify(token)
    passed[0] += 0.001
    assert refusal_of(lambda: verifier.verify(token)).reason == "Introspection failed: The answer is too old."


def test_a_token_that_introspection_finds_good_is_still_bound(setting: Setting) -> None:
    holder = Key("holder")
    token = setting.mint(cnf={"jkt": holder.thumbprint})
    setting.introspect_as_active()
    assert refusal_of(lambda: setting.verifier(mode="introspect").verify(token)).refusal == "wrong_scheme"
    assert setting.service.received == []


def test_a_proxy_of_the_environment_is_used_and_one_that_is_no_web_address_is_not(
    monkeypatch: pytest.MonkeyPatch, setting: Setting
) -> None:
    setting.introspect_as_active()
    issuer = "http://tokens.example:1"
    setting.service.answers[issuer + INTROSPECTION_PATH] = setting.service.answers[INTROSPECTION_PATH]
    token = mint(setting.key, issuer, setting.clock.wall_ms / 1000)

    def verify(**options: Any) -> Verified:
        fixed: dict[str, Any] = {"mode": "introspect", "api_key": "x", "insecure": "http"}
        return Verifier(issuer, AUDIENCE, **fixed, **options).verify(token)

    monkeypatch.setenv("http_proxy", setting.service.issuer.replace("//", "//agent:p%40ss@"))
    verify()
    monkeypatch.setenv("http_proxy", "socks5://127.0.0.1:1")
    assert refusal_of(verify).reason == "Introspection failed: The proxy is none of http or https."
    verify(proxy=setting.service.issuer)
    monkeypatch.setenv("no_proxy", "tokens.example")
    assert refusal_of(verify).refusal == "introspection_unavailable"
    assert [it.path for it in setting.service.received] == [issuer + INTROSPECTION_PATH] * 2
    assert [it.headers.get("proxy-authorization") for it in setting.service.received] == [
        "Basic " + base64.b64encode(b"agent:p@ss").decode(),
        None,
    ]


def test_work_that_was_given_up_waits_for_no_thread() -> None:
    """While the resolver of host names hangs, which nothing can interrupt, callers come and go."""
    go_on, workers = threading.Event(), Workers()
    for _ in range(THREADS_MAX):
        Job(workers, lambda _: go_on.wait(10), 10).start()
    given_up = [Job(workers, lambda _: None, -1) for _ in range(100)]
    for job in given_up:
        job.start()
    Job(workers, lambda _: None, 10).start()
    assert len(workers._queue) == 1
    assert all(isinstance(job.future.result(0), Failed) for job in given_up)
    go_on.set()
    workers.close()
