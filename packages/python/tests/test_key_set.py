"""The key set: held, read again before it is old, kept through an outage, and read once for a key that is not in it."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from conftest import Setting, refusal_of, short_requests, wait_for_reading
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from issuer import Key, encode, key_set_of
from service import KEYS_PATH, Answer, Handle, free_port

from mintmark_auth import Hooks, Verifier
from mintmark_auth.tokens import key_set
from mintmark_auth.tokens.compact_jws import decode_canonical


def keys_of(verifier: Verifier) -> key_set.KeySet:
    return verifier._core.key_set


def test_a_verifier_requests_nothing_until_a_token_comes_and_the_keys_once_then(setting: Setting) -> None:
    verifier = setting.verifier()
    assert setting.key_readings == 0
    for n in range(3):
        assert verifier.verify(setting.mint(seq=n)).by == "signature"
    assert setting.key_readings == 1
    assert setting.service.received[0].headers["cache-control"] == "no-cache"
    assert "x-api-key" not in setting.service.received[0].headers


def test_an_unknown_kid_of_50_threads_is_one_reading(setting: Setting) -> None:
    verifier = setting.verifier()
    verifier.verify(setting.mint())
    newer = Key("key-2")
    begun, go_on = threading.Event(), threading.Event()

    setting.publish_late(go_on, setting.key, newer, begun=begun)
    token = setting.mint(newer)
    with ThreadPoolExecutor(50) as pool:
        calls = [pool.submit(verifier.verify, token) for _ in range(50)]
        assert begun.wait(10)
        # All of them wait for the one reading before it ends.
        reading = keys_of(verifier)._reading
        assert reading is not None
        while len(reading.future._waiters) < 50:
            time.sleep(0.001)
        go_on.set()
        assert all(call.result(10).claims["sub"] == "agent-1" for call in calls)
    assert setting.key_readings == 2


def test_unknown_kids_cause_two_readings_then_one_each_16_seconds(setting: Setting) -> None:
    verifier = setting.verifier()
    verifier.verify(setting.mint())

    def forged(n: int) -> str:
        return refusal_of(lambda: verifier.verify(setting.mint(Key(f"made-up-{n}")))).refusal

    assert [forged(n) for n in range(4)] == ["unknown_key", "unknown_key", "key_pending", "key_pending"]
    setting.clock.pass_time(15.9)
    assert forged(4) == "key_pending"
    setting.clock.pass_time(0.1)
    assert [forged(5), forged(6)] == ["unknown_key", "key_pending"]
    assert setting.key_readings == 4
    # A known key is not concerned.
    verifier.verify(setting.mint())


def test_a_token_of_a_pending_key_is_refused_for_its_time_first(setting: Setting) -> None:
    verifier = setting.verifier()
    verifier.verify(setting.mint())
    for n in range(2):
        refusal_of(lambda n=n: verifier.verify(setting.mint(Key(f"made-up-{n}"))))  # type: ignore[misc]
    now = setting.clock.wall_ms // 1000
    assert refusal_of(lambda: verifier.verify(setting.mint(Key("x"), iat=now - 9, exp=now - 1))).refusal == "expired"
    assert refusal_of(lambda: verifier.verify(setting.mint(Key("x"), scope="other"), scopes=["db:read"])).status == 503


def test_keys_are_kept_through_an_outage_until_they_are_too_old(setting: Setting) -> None:
    verifier = setting.verifier(max_key_age=1000)
    verifier.verify(setting.mint())
    setting.service.answer(KEYS_PATH, Answer(status=500))
    setting.clock.pass_time(1000)
    verifier.verify(setting.mint())
    wait_for_reading(keys_of(verifier))
    assert setting.problems == ["The key set could not be read: The service responded 500."]
    setting.clock.pass_time(0.001)
    assert refusal_of(lambda: verifier.verify(setting.mint())).refusal == "keys_unavailable"
    assert setting.key_readings == 2
    # It is tried again after a pause, and heals.
    setting.publish(setting.key)
    setting.clock.pass_time(4.999)
    verifier.verify(setting.mint())


def test_a_failed_reading_is_repeated_after_a_pause_alone(setting: Setting) -> None:
    setting.service.answer(KEYS_PATH, Answer(status=500))
    verifier = setting.verifier()
    for _ in range(3):
        assert refusal_of(lambda: verifier.verify(setting.mint())).refusal == "keys_unavailable"
    assert setting.key_readings == 1
    setting.clock.pass_time(5)
    setting.publish(setting.key)
    verifier.verify(setting.mint())


def test_a_cached_token_is_verified_again_when_its_key_is_another(setting: Setting) -> None:
    verifier = setting.verifier()
    token = setting.mint(exp=setting.clock.wall_ms // 1000 + 1000)
    assert verifier.verify(token) is verifier.verify(token)
    setting.publish(Key(setting.key.kid))
    setting.clock.pass_time(301)
    verifier.verify(token)
    wait_for_reading(keys_of(verifier))
    assert keys_of(verifier).generation() == 1
    assert refusal_of(lambda: verifier.verify(token)).refusal == "bad_signature"


def test_a_new_key_beside_the_old_one_leaves_what_is_cached(setting: Setting) -> None:
    verifier = setting.verifier()
    token, newer = setting.mint(), Key("key-2")
    before = verifier.verify(token)
    setting.publish(newer, setting.key)
    verifier.verify(setting.mint(newer))
    assert keys_of(verifier).generation() == 0
    assert verifier.verify(token) is before


BAD_ANSWERS = {
    "redirect": Answer(status=302, headers={"location": "/elsewhere"}),
    "html": Answer(b"<html>"),
    "compressed": Answer(b"\x1f\x8b", headers={"content-encoding": "gzip"}),
    "no keys": Answer(b'{"keys":[]}'),
    "too many keys": Answer(b'{"keys":[' + b"{}," * 64 + b"{}]}"),
    "a repeated member": Answer(b'{"keys":[],"keys":[]}'),
}


@pytest.mark.parametrize("answer", BAD_ANSWERS.values(), ids=BAD_ANSWERS)
def test_what_is_no_key_set_is_not_believed(setting: Setting, answer: Answer) -> None:
    setting.service.answer(KEYS_PATH, answer)
    refused = refusal_of(lambda: setting.verifier().verify(setting.mint()))
    assert (refused.refusal, refused.status, refused.retry_after) == ("keys_unavailable", 503, 1)
    assert setting.problems[0].startswith("The key set could not be read: ")
    assert setting.key_readings == len(setting.service.received) == 1


def test_a_redirect_is_not_followed_though_keys_are_there(setting: Setting) -> None:
    setting.service.answer("/elsewhere", key_set_of(setting.key))
    setting.service.answer(KEYS_PATH, Answer(status=302, headers={"location": "/elsewhere"}))
    assert refusal_of(lambda: setting.verifier().verify(setting.mint())).refusal == "keys_unavailable"
    assert setting.service.requests_of("/elsewhere") == 0


def test_a_key_set_is_read_to_its_limit_and_no_further(setting: Setting) -> None:
    body = key_set_of(setting.key)
    setting.service.answer(KEYS_PATH, body + b" " * (262_144 - len(body)))
    setting.verifier().verify(setting.mint())
    setting.service.answer(KEYS_PATH, body + b" " * (262_145 - len(body)))
    assert refusal_of(lambda: setting.verifier().verify(setting.mint())).refusal == "keys_unavailable"
    assert setting.problems[0].endswith("the answer has more than 262144 bytes")


def test_a_signature_has_one_form(setting: Setting) -> None:
    """r and s of 32 bytes each: no zeros between or around, and no DER."""
    verifier, token = setting.verifier(), setting.mint()
    signed, _, part = token.rpartition(".")
    signature = decode_canonical(part)
    assert signature is not None
    r, s = signature[:32], signature[32:]
    der = encode_dss_signature(int.from_bytes(r), int.from_bytes(s))
    order = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
    beyond = (int.from_bytes(s) + order).to_bytes(33)
    for other in (
        r + b"\0" + s,
        b"\0" + r + s,
        signature + b"\0",
        r + beyond,
        der,
        r,
        bytes(64),
        b"\xff" * 64,
        r + bytes(32),
    ):
        assert refusal_of(lambda it=other: verifier.verify(f"{signed}.{encode(it)}")).refusal == "bad_signature"  # type: ignore[misc]
    assert verifier.verify(token).by == "signature"


def test_a_service_that_is_away_is_named_by_its_error(setting: Setting) -> None:
    problems: list[str] = []
    verifier = Verifier(f"http://127.0.0.1:{free_port()}", "x", mode="offline", hooks=Hooks(failed=problems.append))
    assert verifier.ready().keys_age is None
    assert problems == ["The key set could not be read: The request failed: ECONNREFUSED"]


HANGS: dict[str, Handle] = {
    "no answer": lambda handler: handler.hang(),
    "a dripping head": lambda handler: handler.drip(b"HTTP/1.1 200 OK\r\nx: ", b"x"),
    "a dripping body": lambda handler: handler.drip(b"HTTP/1.1 200 OK\r\ncontent-length: 9000\r\n\r\n", b" "),
    "empty chunks": lambda handler: handler.drip(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
}


@pytest.mark.parametrize("name", HANGS)
def test_an_answer_without_an_end_is_given_up_in_time(monkeypatch: pytest.MonkeyPatch, setting: Setting, name: str) -> None:
    short_requests(monkeypatch, 0.3)
    setting.service.answer(KEYS_PATH, HANGS[name])
    verifier = setting.verifier()
    since = time.monotonic()
    assert refusal_of(lambda: verifier.verify(setting.mint())).refusal == "keys_unavailable"
    assert 0.25 < time.monotonic() - since < 0.6
    assert setting.problems == ["The key set could not be read: The request failed: no whole answer within 300 ms"]
    # The next work that needs a thread ends the one that still waits.
    setting.publish(setting.key)
    setting.clock.pass_time(5)
    verifier.verify(setting.mint())
    assert name == "no answer" or setting.service.cut.wait(5)
