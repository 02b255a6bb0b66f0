"""Verifying on event loops: never blocked, and no loop is bound to anything."""

import asyncio
import inspect
import threading

import pytest
from conftest import Setting, refusal_of
from service import INTROSPECTION_PATH

from mintmark_auth import IncomingRequest, Refused
from mintmark_auth.verify.asked import NOTHING
from mintmark_auth.wire.threads import afinish


def test_one_verifier_serves_one_loop_after_another(setting: Setting) -> None:
    verifier = setting.verifier()
    for n in range(3):
        setting.clock.pass_time(301)
        token = setting.mint(seq=n)
        assert asyncio.run(verifier.averify(token)).by == "signature"
    setting.introspect_as_active()
    introspecting = setting.verifier(mode="introspect")
    token = setting.mint(exp=1_795_435_200 + 300, iat=1_795_435_200)
    for _ in range(3):
        assert asyncio.run(introspecting.averify(token)).by == "introspection"


def test_the_loop_goes_on_while_keys_are_read(setting: Setting) -> None:
    verifier, token = setting.verifier(), setting.mint()
    go_on = threading.Event()

    setting.publish_late(go_on, setting.key)

    async def verify() -> None:
        waiting = [asyncio.create_task(verifier.averify(token)) for _ in range(20)]
        for _ in range(50):
            await asyncio.sleep(0)
        # Had one of them blocked the loop, nothing would be here to let the service answer.
        assert not any(task.done() for task in waiting)
        go_on.set()
        assert len({verified.claims["jti"] for verified in await asyncio.gather(*waiting)}) == 1

    asyncio.run(verify())
    assert setting.key_readings == 1


def test_without_a_request_it_ends_at_once(setting: Setting) -> None:
    verifier, token = setting.verifier(), setting.mint()
    verifier.ready()

    def run_once(*texts: str | None) -> None:
        """Each coroutine ends with its first step: it hands nothing to a loop."""
        for text in texts:
            with pytest.raises((StopIteration, Refused)):
                verifier.averify(text).send(None)

    run_once(token, token, None, "x.y.z", setting.mint(aud="x"))


def test_a_caller_that_goes_away_does_not_spoil_it_for_others(setting: Setting) -> None:
    verifier, token = setting.verifier(), setting.mint()
    begun, go_on = threading.Event(), threading.Event()

    setting.publish_late(go_on, setting.key, begun=begun)

    async def verify() -> None:
        impatient = asyncio.create_task(verifier.averify(token))
        patient = asyncio.create_task(verifier.averify(token))
        await asyncio.to_thread(begun.wait, 10)
        impatient.cancel()
        with pytest.raises(asyncio.CancelledError):
            await impatient
        go_on.set()
        assert (await patient).by == "signature"

    asyncio.run(verify())
    assert setting.key_readings == 1


def test_a_caller_that_goes_away_gives_back_what_it_held(setting: Setting) -> None:
    verifier, token = setting.verifier(mode="introspect"), setting.mint()
    setting.service.answer(INTROSPECTION_PATH, lambda handler: handler.hang())
    steps = verifier._core.decide(token, NOTHING)

    async def give_up() -> None:
        await asyncio.wait_for(afinish(steps), 0.05)

    with pytest.raises(TimeoutError):
        asyncio.run(give_up())
    assert inspect.getgeneratorstate(steps) == inspect.GEN_CLOSED


def test_a_loop_that_ends_while_it_waits_leaves_no_complaint(setting: Setting, caplog: pytest.LogCaptureFixture) -> None:
    verifier, token = setting.verifier(), setting.mint()
    go_on = threading.Event()

    setting.publish_late(go_on, setting.key)

    async def give_up() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(verifier.averify(token), 0.05)

    asyncio.run(give_up())
    go_on.set()
    verifier.verify(token)
    assert setting.key_readings == 1
    assert caplog.records == []


def test_verify_that_waits_on_a_loop_says_so_once(setting: Setting) -> None:
    verifier = setting.verifier(mode="introspect")
    setting.introspect_as_active()

    async def verify_in_the_wrong_way() -> None:
        verifier.verify(setting.mint())
        verifier.verify(setting.mint())

    verifier.verify(setting.mint())
    assert setting.problems == []
    asyncio.run(verify_in_the_wrong_way())
    assert len(setting.problems) == 1
    assert "averify" in setting.problems[0]


def test_aauthorize_and_aready_do_as_the_others(setting: Setting) -> None:
    verifier = setting.verifier()
    assert asyncio.run(verifier.aready()).keys_age == 0
    request = IncomingRequest("GET", "https://orders.example/v1", f"Bearer {setting.mint()}")
    assert asyncio.run(verifier.aauthorize(request)) == verifier.authorize(request)
    refused = refusal_of(lambda: asyncio.run(verifier.aauthorize(IncomingRequest("GET", "https://x", "Bearer a b"))))
    assert (refused.refusal, refused.status) == ("invalid_request", 400)
    assert refusal_of(lambda: asyncio.run(verifier.averify(None))).refusal == "missing_token"
