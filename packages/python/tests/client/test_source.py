"""When a token is fetched, kept, replaced and given up: by threads and loops together, with a clock that tests move."""

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from email.utils import formatdate
from typing import Any

import pytest
from service import Answer, Handler
from token_service import SECRET, Chance, Tokens, good_token, refused, reply, unavailable

from mintmark_auth.client import AccessToken, TokenRefused, TokenSource, TokenUnavailable
from mintmark_auth.wire.threads import THREADS_MAX, finish


def wait_until(is_so: object, what: str) -> None:
    assert callable(is_so)
    give_up = time.monotonic() + 10
    while not is_so():
        assert time.monotonic() < give_up, what
        time.sleep(0.001)


def wait_for_another(source: TokenSource, token: AccessToken) -> None:
    wait_until(lambda: source.get_token().value != token.value, "The token was not replaced.")


def test_50_threads_and_3_loops_wait_for_one_request(tokens: Tokens) -> None:
    source, go_on = tokens.source(), threading.Event()

    def answer_late(handler: Handler) -> Answer | None:
        assert go_on.wait(10)
        return good_token()(handler)

    tokens.answer_with(answer_late)

    async def ask() -> list[AccessToken]:
        return await asyncio.gather(*(source.aget_token() for _ in range(10)))

    with ThreadPoolExecutor(53) as pool:
        threads = [pool.submit(source.get_token) for _ in range(50)]
        loops = [pool.submit(asyncio.run, ask()) for _ in range(3)]
        wait_until(lambda: tokens.requests, "Nothing was requested.")
        go_on.set()
        got = [one.result(10).value for one in threads]
        got += [token.value for loop in loops for token in loop.result(10)]
    assert len(got) == 80
    assert len(set(got)) == 1
    assert len(tokens.requests) == 1


def test_a_caller_for_whom_a_token_came_meanwhile_asks_for_no_other(tokens: Tokens) -> None:
    source = tokens.source()
    late = source._cache.get()
    token = source.get_token()
    assert finish(late) is token
    assert len(tokens.requests) == 1


def test_callers_one_after_another_share_a_token_however_they_ask(tokens: Tokens) -> None:
    source = tokens.source()
    first = source.get_token()
    assert [asyncio.run(source.aget_token()) is first for _ in range(3)] == [True] * 3
    source.invalidate(first)
    values = {asyncio.run(source.aget_token()).value for _ in range(3)}
    assert len(values) == 1
    assert first.value not in values
    assert len(tokens.requests) == 2


@pytest.mark.parametrize("kind", ["asyncio", "uvloop"])
def test_one_source_serves_one_loop_after_another(tokens: Tokens, kind: str) -> None:
    run: Any = pytest.importorskip(kind).run
    source, values = tokens.source(), set[str]()
    for _ in range(3):
        token: AccessToken = run(source.aget_token())
        values.add(token.value)
        source.invalidate(token)
    assert len(values) == len(tokens.requests) == 3


def test_from_memory_a_token_is_there_at_once(tokens: Tokens) -> None:
    source = tokens.source()
    token = source.get_token()
    with pytest.raises(StopIteration) as end:
        source.aget_token().send(None)
    assert end.value.value is token


def test_the_loop_goes_on_meanwhile_and_a_caller_that_goes_away_spoils_nothing(tokens: Tokens) -> None:
    source, begun, go_on = tokens.source(), threading.Event(), threading.Event()

    def answer_late(handler: Handler) -> Answer | None:
        begun.set()
        assert go_on.wait(10)
        return good_token()(handler)

    tokens.answer_with(answer_late)

    async def ask() -> None:
        impatient, patient = (asyncio.create_task(source.aget_token()) for _ in range(2))
        await asyncio.to_thread(begun.wait, 10)
        impatient.cancel()
        with pytest.raises(asyncio.CancelledError):
            await impatient
        assert not patient.done()
        go_on.set()
        assert (await patient).value.startswith("token.number.")

    asyncio.run(ask())
    assert len(tokens.requests) == 1


def test_a_token_is_replaced_beside_its_use_at_70_to_85_percent_of_its_life(tokens: Tokens) -> None:
    for chance, share in ((0.0, 0.7), (0.999999, 0.85)):
        tokens.chance.value = chance
        source = tokens.source()
        first, asked = source.get_token(), len(tokens.requests)
        tokens.clock.pass_time(300 * share - 0.01)
        assert source.get_token() is first
        assert len(tokens.requests) == asked
        tokens.clock.pass_time(0.02)
        assert source.get_token() is first
        wait_for_another(source, first)
        assert len(tokens.requests) == asked + 1


def test_while_it_is_replaced_it_is_handed_out_and_only_one_asks(tokens: Tokens) -> None:
    source, go_on = tokens.source(), threading.Event()
    first = source.get_token()

    def answer_late(handler: Handler) -> Answer | None:
        assert go_on.wait(10)
        return good_token()(handler)

    tokens.answer_with(answer_late)
    tokens.clock.pass_time(220)
    assert all(source.get_token() is first for _ in range(50))
    assert asyncio.run(source.aget_token()) is first
    wait_until(lambda: len(tokens.requests) == 2, "Nothing was requested.")
    go_on.set()
    wait_for_another(source, first)
    assert len(tokens.requests) == 2


@pytest.mark.parametrize(("lifetime", "last"), [(300, 295), (10, 9)])
def test_a_token_is_not_handed_out_in_its_last_seconds(tokens: Tokens, lifetime: int, last: int) -> None:
    tokens.answer_with(good_token(expires_in=lifetime))
    source = tokens.source()
    first = source.get_token()
    tokens.answer_with(reply(503, {}))
    tokens.clock.pass_time(last - 0.001)
    assert source.get_token() is first
    wait_until(lambda: tokens.failures, "No failure was reported.")
    tokens.clock.pass_time(0.001)
    unavailable(source.get_token)


def test_a_refresh_that_fails_is_reported_and_keeps_retry_after_while_the_token_is_handed_out(tokens: Tokens) -> None:
    source = tokens.source()
    first = source.get_token()
    tokens.answer_with(reply(503, {"error": "temporarily_unavailable"}, retry_after="20"))
    tokens.clock.pass_time(250)
    assert source.get_token() is first
    wait_until(lambda: tokens.failures, "No failure was reported.")
    [failure] = tokens.failures
    assert isinstance(failure, TokenUnavailable)
    assert failure.retry_after == 20
    tokens.clock.pass_time(19)
    assert source.get_token() is first
    tokens.answer_with(good_token())
    tokens.clock.pass_time(1)
    assert source.get_token() is first
    wait_for_another(source, first)
    assert len(tokens.requests) == 3


def test_a_function_that_raises_where_a_failure_is_reported_ends_nothing(
    tokens: Tokens, caplog: pytest.LogCaptureFixture
) -> None:
    called = threading.Event()

    def fail(_: Exception) -> None:
        called.set()
        raise RuntimeError("of the caller")

    source = tokens.source(on_refresh_failure=fail)
    first = source.get_token()
    tokens.answer_with(reply(500, {}))
    tokens.clock.pass_time(250)
    assert source.get_token() is first
    assert called.wait(10)
    tokens.answer_with(good_token())
    tokens.clock.pass_time(1)
    wait_for_another(source, first)
    assert caplog.records == []


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize(
    ("header", "seconds"), [("7", 7), ("300", 300), ("301", 300), ("9" * 21, 300), ("0", 1), ("date", 40), ("no", None)]
)
def test_retry_after_is_kept_with_at_most_300_s(tokens: Tokens, status: int, header: str, seconds: int | None) -> None:
    text = formatdate(tokens.clock.wall_ms / 1000 + 40, usegmt=True) if header == "date" else header
    tokens.answer_with(reply(status, {"error": "too_many_requests"}, retry_after=text))
    source = tokens.source()
    assert unavailable(source.get_token).retry_after == seconds
    if seconds is None:
        return
    tokens.answer_with(good_token())
    assert unavailable(source.get_token).retry_after == seconds
    tokens.clock.pass_time(seconds - 0.001)
    failure = unavailable(lambda: asyncio.run(source.aget_token()))
    assert (failure.retry_after, str(failure).endswith(" Ask again in 1 s.")) == (1, True)
    assert len(tokens.requests) == 1
    tokens.clock.pass_time(0.001)
    source.get_token()


def test_clients_that_got_the_same_retry_after_do_not_come_back_in_one_moment(tokens: Tokens) -> None:
    tokens.chance.value = 0.5
    tokens.answer_with(reply(503, {}, retry_after="100"))
    source = tokens.source()
    unavailable(source.get_token)
    tokens.answer_with(good_token())
    tokens.clock.pass_time(104.999)
    unavailable(source.get_token)
    tokens.clock.pass_time(0.001)
    source.get_token()


def test_a_caller_in_the_pause_waits_no_longer_than_the_service_says_or_than_the_pause_lasts(
    tokens: Tokens,
) -> None:
    tokens.chance.value = 0.999999
    tokens.answer_with(reply(503, {}, retry_after="300"))
    source = tokens.source()
    assert [unavailable(source.get_token).retry_after for _ in range(2)] == [300, 300]
    tokens.clock.pass_time(100)
    assert unavailable(source.get_token).retry_after == 230


@pytest.mark.parametrize(("status", "body", "kind"), [(500, {}, TokenUnavailable), (401, {"error": "x"}, TokenRefused)])
def test_the_pause_doubles_up_to_30_s_and_a_success_ends_it(
    tokens: Tokens, status: int, body: object, kind: type[Exception]
) -> None:
    tokens.chance.value = 0.999999
    tokens.answer_with(reply(status, body))
    source = tokens.source()
    for n, pause in enumerate([0.5, 1, 2, 4, 8, 16, 30, 30]):
        for _ in range(2):
            with pytest.raises(kind):
                source.get_token()
            assert len(tokens.requests) == n + 1
            tokens.clock.pass_time(pause / 2 - 0.005)
        tokens.clock.pass_time(0.01)
    tokens.answer_with(good_token())
    first = source.get_token()
    tokens.answer_with(reply(status, body))
    source.invalidate(first)
    for _ in range(2):
        with pytest.raises(kind):
            source.get_token()
        tokens.clock.pass_time(0.5)
    assert len(tokens.requests) == 11


def test_a_wall_clock_that_is_set_makes_no_token_live_longer(tokens: Tokens) -> None:
    source = tokens.source()
    first = source.get_token()
    tokens.clock.wall_ms -= 86_400_000
    tokens.clock.pass_time(294.999)
    assert source.get_token() is first
    wait_for_another(source, first)
    second = source.get_token()
    tokens.clock.wall_ms += 86_400_000
    assert source.get_token() is not second
    assert len(tokens.requests) == 3


def test_an_answer_that_takes_longer_than_its_token_lives_is_not_taken(tokens: Tokens) -> None:
    def answer_late(handler: Handler) -> Answer | None:
        tokens.clock.pass_time(31)
        return good_token(expires_in=30)(handler)

    tokens.answer_with(answer_late)
    assert unavailable(tokens.source().get_token).reason == "the answer took longer than the token lives"


def test_a_lifetime_counts_for_a_day_at_most(tokens: Tokens) -> None:
    tokens.answer_with(good_token(expires_in=1e300))
    source = tokens.source()
    token = source.get_token()
    assert token.expires_at.timestamp() == tokens.clock.wall_ms / 1000 + 86_400
    tokens.clock.pass_time(86_400)
    assert source.get_token() is not token


def test_a_token_says_what_it_is(tokens: Tokens) -> None:
    token = tokens.source().get_token()
    assert (token.token_type, token.scopes, token.authorization) == ("Bearer", ("db:read",), f"Bearer {token.value}")
    assert token.expires_at.timestamp() == tokens.clock.wall_ms / 1000 + 300
    assert token.expires_at.tzinfo is not None
    tokens.answer_with(good_token(scope=None))
    assert tokens.source(scopes=["db:read", "x:y"]).get_token().scopes == ("db:read", "x:y")
    with pytest.raises(AttributeError):
        token.value = "x"  # type: ignore[misc]


def test_only_the_token_that_is_handed_out_is_invalidated(tokens: Tokens) -> None:
    source = tokens.source()
    first = source.get_token()
    source.invalidate(first)
    second = source.get_token()
    source.invalidate(first)
    assert source.get_token() is second
    assert len(tokens.requests) == 2
    for wrong in (first.value, None):
        with pytest.raises(TypeError, match="not an AccessToken"):
            source.invalidate(wrong)  # type: ignore[arg-type]


def test_each_caller_gets_an_error_of_its_own(tokens: Tokens) -> None:
    go_on = threading.Event()

    def refuse_late(handler: Handler) -> Answer | None:
        assert go_on.wait(10)
        return reply(400, {"error": "invalid_scope", "error_description": "No such scope."})(handler)

    tokens.answer_with(refuse_late)
    source = tokens.source()
    with ThreadPoolExecutor(5) as pool:
        waiting = [pool.submit(refused, source.get_token) for _ in range(5)]
        wait_until(lambda: tokens.requests, "Nothing was requested.")
        go_on.set()
        assert len({id(one.result(10)) for one in waiting}) == 5
    first, second = refused(source.get_token), refused(source.get_token)
    assert first is not second
    assert str(first) == str(second) == "The token was refused: invalid_scope (No such scope.)."
    assert (first.error, first.description, first.status) == ("invalid_scope", "No such scope.", 400)
    assert len(tokens.requests) == 1


def test_a_source_on_behalf_of_a_subject_has_the_credential_and_a_token_of_its_own(tokens: Tokens) -> None:
    source = tokens.source(scopes=["a:b"], resource="https://one.example")
    own = source.get_token()
    other = source.on_behalf_of("eyJ.received.x", resource=["https://two.example", "https://three.example"])
    assert other.get_token() is not own
    assert source.get_token() is own
    assert tokens.forms[1] == {
        "client_id": ["reports"],
        "client_secret": [SECRET],
        "grant_type": ["urn:ietf:params:oauth:grant-type:token-exchange"],
        "subject_token": ["eyJ.received.x"],
        "subject_token_type": ["urn:ietf:params:oauth:token-type:access_token"],
        "resource": ["https://two.example", "https://three.example"],
    }
    assert tokens.forms[0]["scope"] == ["a:b"]
    assert tokens.forms[0]["grant_type"] == ["client_credentials"]
    # The metadata is read once for both.
    assert tokens.service.requests_of("/.well-known/oauth-authorization-server") == 1
    with pytest.raises(ValueError, match="subject_token is None"):
        source.on_behalf_of(None, resource="x")  # type: ignore[arg-type]


def test_tokens_of_a_fleet_are_not_replaced_in_one_moment() -> None:
    from mintmark_auth.client import cache

    assert not isinstance(cache._chance, Chance)
    assert len({cache._chance.random() for _ in range(20)}) > 1


def test_who_wakes_late_gets_no_token_that_was_invalidated_or_has_ended(tokens: Tokens) -> None:
    source = tokens.source()
    steps = source._cache.get()
    next(steps).future.result(5)
    token = source.get_token()
    source.invalidate(token)
    another = next(steps)
    another.future.result(5)
    with pytest.raises(StopIteration) as end:
        next(steps)
    assert end.value.value is source.get_token() is not token


def test_a_failed_refresh_is_handed_over_on_a_thread_of_its_own(tokens: Tokens) -> None:
    heard: list[str] = []

    def leave(_: Exception) -> None:
        heard.append(threading.current_thread().name)
        raise SystemExit

    source = tokens.source(on_refresh_failure=leave)
    others = [source.on_behalf_of(f"eyJ.{n}.x", resource="https://two.example") for n in range(THREADS_MAX + 1)]
    for other in others:
        other.get_token()
    tokens.answer_with(reply(500, {}))
    tokens.clock.pass_time(250)
    for other in others:
        other.get_token()
    wait_until(lambda: len(heard) == len(others), "A failure was not handed over.")
    assert set(heard) == {"mintmark-auth-refresh"}
    tokens.answer_with(good_token())
    # No thread was lost by it.
    source.get_token()


def test_what_goes_to_this_machine_goes_by_no_proxy(tokens: Tokens, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may be of http because nobody else can read it."""
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    tokens.source().get_token()
