"""A verifier that follows a feed, and a service that fails on order: what has ended is refused, whatever goes wrong."""

import asyncio
import multiprocessing
import os
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, get_args

import pytest
from issuer import AUDIENCE, digest
from publisher import API_KEY, FEED_PATH, Fault, Publisher

from mintmark_auth import Hooks, Refused, Verifier
from mintmark_auth.feed.feed import Feed

FAULTS = [fault for fault in get_args(Fault) if fault not in ("none", "no_stream")]


class Following:
    """A verifier of a publisher."""

    def __init__(self, publisher: Publisher, **options: Any) -> None:
        self.publisher = publisher
        self.problems: list[str] = []
        hooks = Hooks(failed=self.problems.append)
        self.verifier = Verifier(
            publisher.issuer, AUDIENCE, **{"api_key": API_KEY, "hooks": hooks, "when_stale": "refuse", **options}
        )

    def __enter__(self) -> "Following":
        assert self.verifier.ready().is_fresh, self.problems
        return self

    def __exit__(self, *_: object) -> None:
        self.verifier.close()

    @property
    def feed(self) -> Feed:
        feed = self.verifier._core.feed
        assert feed is not None
        return feed

    def say(self, token: str) -> str:
        try:
            return self.verifier.verify(token).by
        except Refused as refused:
            return refused.refusal

    def until(self, token: str, expected: str, *others: str) -> None:
        """Fails at what is neither expected nor one of the others."""
        give_up = time.monotonic() + 15
        while (said := self.say(token)) != expected:
            assert said in others, f"{said}, and not {expected}: {self.problems}"
            assert time.monotonic() < give_up, f"never {expected}: {self.problems}"
            time.sleep(0.002)


def wait_for(condition: Callable[[], object]) -> None:
    give_up = time.monotonic() + 15
    while not condition():
        assert time.monotonic() < give_up
        time.sleep(0.002)


def test_a_token_that_ends_is_refused_and_others_are_not(publisher: Publisher) -> None:
    with Following(publisher) as following:
        one, other = publisher.issue(), publisher.issue()
        assert following.say(one) == following.say(one) == "feed"
        publisher.end(one)
        following.until(one, "revoked", "feed")
        assert following.say(other) == "feed"
        assert following.verifier.status().transport == "stream"
    assert following.say(other) == "closed"


def test_a_snapshot_holds_what_ended_before(publisher: Publisher) -> None:
    ended = [publisher.issue() for _ in range(5)]  # two segments, and one position beyond them
    for one in ended:
        publisher.end(one)
    with Following(publisher) as following:
        for one in ended:
            following.until(one, "revoked")
        assert following.verifier.status().position == 5


@pytest.mark.parametrize("fault", FAULTS)
def test_through_a_fault_nothing_that_ended_is_accepted_and_after_it_all_goes_on(publisher: Publisher, fault: Fault) -> None:
    with Following(publisher, max_staleness=0.5) as following:
        one, other = publisher.issue(), publisher.issue()
        following.until(other, "feed", "stale")
        publisher.fail(fault)
        publisher.end(one)
        ended_at = time.monotonic()
        while time.monotonic() < ended_at + 1.2:
            said, at = following.say(one), time.monotonic()
            assert said in ("feed", "stale", "revoked")
            assert said != "feed" or at < ended_at + 0.6
            time.sleep(0.005)
        publisher.fail("none")
        following.until(one, "revoked", "stale")
        following.until(other, "feed", "stale")


@pytest.mark.parametrize("raised", [SystemExit, asyncio.CancelledError])
def test_no_hook_ends_what_follows(publisher: Publisher, raised: type[BaseException]) -> None:
    def fail(_: object) -> None:
        raise raised

    with Following(publisher, max_staleness=0.5, hooks=Hooks(changed=fail, failed=fail)) as following:
        publisher.fail("unavailable")
        wait_for(lambda: not following.verifier.status().is_fresh)
        publisher.fail("none")
        one = publisher.issue()
        following.until(one, "feed", "stale", "keys_unavailable")
        publisher.end(one)
        following.until(one, "revoked", "feed")


def test_a_verifier_that_cannot_have_a_stream_keeps_up_by_heads(publisher: Publisher) -> None:
    publisher.fault = "no_stream"
    with Following(publisher, max_staleness=0.5) as following:
        one = publisher.issue()
        following.until(one, "feed", "stale")
        publisher.end(one)
        following.until(one, "revoked", "feed", "stale")


def test_a_stale_verifier_asks_the_service(publisher: Publisher) -> None:
    with Following(publisher, max_staleness=0.3, when_stale="introspect") as following:
        one, other = publisher.issue(), publisher.issue()
        publisher.fail("unavailable")
        wait_for(lambda: not following.verifier.status().is_fresh)
        publisher.active.discard(one)
        assert following.say(other) == "introspection"
        assert following.say(one) == "inactive"


def test_it_starts_over(publisher: Publisher) -> None:
    with Following(publisher) as following:
        one = publisher.issue()
        publisher.end(one)
        following.until(one, "revoked", "feed")
        publisher.start_over()
        following.until(one, "feed", "revoked", "stale")  # in the new epoch it never ended
        publisher.end(one)
        following.until(one, "revoked", "feed")


def test_a_signing_key_that_was_cut_off_is_not_believed_until_the_set_is_read_again(publisher: Publisher) -> None:
    with Following(publisher) as following:
        one = publisher.issue()
        assert following.say(one) == "feed"
        forged = publisher.issue(seq=1_000_000)
        publisher.published = [publisher.other_key]
        publisher.cut_off(seq=500, key="x" * 10 + "A")
        following.until(one, "unknown_key", "feed", "keys_unavailable")
        assert following.say(forged) in ("unknown_key", "key_pending")


def test_cut_offs_that_are_not_known_here_are_asked_about(publisher: Publisher) -> None:
    with Following(publisher) as following:
        one = publisher.issue()
        publisher.cut_off(seq=500, moon="full")
        following.until(one, "stale", "feed")
        assert following.say(publisher.issue(seq=500)) == "feed"


def test_a_clock_that_is_ahead_expires_no_token(publisher: Publisher) -> None:
    publisher.ahead = -600
    with Following(publisher) as following:
        assert following.say(publisher.issue()) == "feed"
        over = int(publisher.now()) - 5
        assert following.say(publisher.issue(exp=over, iat=over - 300)) == "expired"


def test_a_named_verifier_reports_its_position_and_its_uses(publisher: Publisher) -> None:
    with Following(publisher, name="orders-1") as following:
        one = publisher.issue()
        assert following.say(one) == "feed"
        publisher.end(publisher.issue())
        wait_for(lambda: publisher.reports and publisher.reports[-1]["position"] == 1)
        use = {"agent_id": "agent-1", "count": 1}
        assert publisher.reports[-1] == {"name": "orders-1", "epoch": publisher.epoch, "position": 1, "uses": [use]}


def test_readers_in_threads_never_accept_after_they_refused(publisher: Publisher) -> None:
    with Following(publisher) as following:
        tokens = [publisher.issue() for _ in range(40)]
        faults: list[str] = []
        done = threading.Event()

        def read() -> None:
            seen: set[str] = set()
            while not done.is_set():
                for token in tokens:
                    if following.say(token) == "revoked":
                        seen.add(token)
                    elif token in seen:
                        faults.append(token)

        readers = [threading.Thread(target=read) for _ in range(4)]
        for reader in readers:
            reader.start()
        for token in tokens:
            publisher.end(token)
        for token in tokens:
            following.until(token, "revoked", "feed")
        done.set()
        for reader in readers:
            reader.join()
        assert faults == []


class Paused:
    """Calls a method of an object, and stops the thread of `start` right before it until that may go on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, owner: object, name: str) -> None:
        self._call = getattr(owner, name)
        self._arrived, self._may_go_on = threading.Event(), threading.Event()
        self._thread: threading.Thread | None = None
        monkeypatch.setattr(owner, name, self._pause)

    def _pause(self, *args: Any) -> Any:
        if threading.current_thread() is self._thread:
            self._arrived.set()
            assert self._may_go_on.wait(15)
        return self._call(*args)

    def start(self, work: Callable[[], object]) -> None:
        self._thread = threading.Thread(target=work)
        self._thread.start()
        assert self._arrived.wait(15)

    def end(self) -> None:
        self._may_go_on.set()
        assert self._thread is not None
        self._thread.join(15)


def test_facts_of_one_epoch_are_not_judged_by_the_freshness_of_the_next(
    monkeypatch: pytest.MonkeyPatch, publisher: Publisher
) -> None:
    with Following(publisher, max_staleness=0.5) as following:
        one, said = publisher.issue(), list[str]()
        following.until(one, "feed", "stale")
        publisher.fail("unavailable")
        publisher.end(one)
        following.until(one, "stale", "feed")
        paused = Paused(monkeypatch, following.feed.held.staleness, "ms")  # the facts were looked up
        paused.start(lambda: said.append(following.say(one)))
        ended = publisher.facts
        publisher.start_over()
        publisher.publish(ended[0])
        publisher.fail("none")
        following.until(one, "revoked", "stale")
        paused.end()
        assert said[0] != "feed"


def test_a_token_that_was_vouched_for_before_its_key_was_cut_off_is_not_accepted_after(
    monkeypatch: pytest.MonkeyPatch, publisher: Publisher
) -> None:
    with Following(publisher, max_staleness=0.5) as following:
        forged, said = publisher.issue(seq=1_000_000), list[str]()
        following.until(forged, "feed", "stale")
        publisher.fail("unavailable")
        following.until(forged, "stale", "feed")
        paused = Paused(monkeypatch, following.feed, "judge")
        paused.start(lambda: said.append(following.say(forged)))
        publisher.published = [publisher.other_key]
        publisher.cut_off(seq=500, key=digest(publisher.key.kid)[:10] + "A")
        publisher.fail("none")
        wait_for(lambda: following.verifier.status().position == 1 and following.verifier.status().is_fresh)
        paused.end()
        assert said[0] != "feed"


def say_in_child(following: Following, token: str, pipe: Connection) -> None:
    following.until(token, "feed", "stale")
    pipe.send(following.verifier.status().position)
    following.until(token, "revoked", "feed")
    pipe.send("revoked")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="There is no fork.")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_child_of_a_fork_follows_by_itself_and_its_parent_goes_on(publisher: Publisher) -> None:
    with Following(publisher) as following:
        one, other = publisher.issue(), publisher.issue()
        assert following.say(one) == "feed"
        here, there = multiprocessing.Pipe(duplex=False)
        with here, there:
            child = multiprocessing.get_context("fork").Process(target=say_in_child, args=(following, one, there))
            child.start()
            assert here.poll(10), "The child hangs."
            assert here.recv() == 0
            publisher.end(one)
            assert here.poll(10), "The child learns of nothing."
            child.join(10)
        assert child.exitcode == 0
        following.until(one, "revoked", "feed")
        assert following.say(other) == "feed"


def test_event_loops_share_one_follower(publisher: Publisher) -> None:
    with Following(publisher) as following:
        one = publisher.issue()

        async def ask() -> str:
            await following.verifier.aready()
            return (await following.verifier.averify(one)).by

        assert [asyncio.run(ask()) for _ in range(3)] == ["feed"] * 3
        assert publisher.service.requests_of(f"{FEED_PATH}/snapshot?epoch={publisher.epoch}") == 1
