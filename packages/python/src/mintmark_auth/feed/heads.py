"""Asks for the head again and again: only an answer to a request that was sent lately confirms a position. Where it is
ahead of what is known here, the rest is fetched."""

import threading
from collections.abc import Callable

from ..wire.clock import Instant
from ..wire.http import describe_fault
from ..wire.threads import start_thread
from .backoff import backoff_seconds, retry_after_of, spread
from .document import Head, Place
from .facts import Applied
from .held_feed import HeldFeed
from .requests import Asking, StartOver

# The interval between requests, as a share of the allowed staleness.
_INTERVAL_SHARE = 1 / 3
# The most requests for the head that have no response yet.
_UNDER_WAY_MAX = 3
# What the head reports may be under way on the stream.
_CATCH_UP_SECONDS = 0.1
_CATCH_UP_ROUNDS_MAX = 1000


class CatchUp:
    """Fetches what is missing, once at a time."""

    def __init__(self, feed: HeldFeed) -> None:
        self._feed = feed
        self._under_way = threading.Lock()

    def begin(self) -> None:
        """Fetches on a thread."""
        self._start(self._run)

    def begin_soon(self, head: Head) -> None:
        """Fetches after a pause, and only if the facts are still behind the head."""

        def run() -> None:
            self._feed.closed.wait(_CATCH_UP_SECONDS)
            if self._feed.is_behind(head):
                self._run()

        self._start(run)

    def _start(self, run: Callable[[], None]) -> None:
        try:
            start_thread(run, "mintmark-auth-catch-up")
        except RuntimeError as fault:  # there is no memory for one, or the interpreter ends
            self._report(fault)

    def _run(self) -> None:
        if not self._under_way.acquire(blocking=False):
            return
        facts = self._feed.facts
        try:
            self._fetch()
        except Exception as fault:
            if isinstance(fault, StartOver):
                self._feed.forget(facts)
            self._report(fault)
            # Who asks during this pause joins this run, so that no request is sent before the time that the service stated.
            self._feed.closed.wait(retry_after_of(fault))
        finally:
            self._under_way.release()

    def _fetch(self) -> None:
        for _ in range(_CATCH_UP_ROUNDS_MAX):
            facts = self._feed.facts
            if facts is None or self._feed.closed.is_set():
                return
            sent_at = self._feed.clock.now()
            changes = self._feed.requests.ask_changes(facts.place, 0).wait()
            if self._feed.take_answer(facts, changes, sent_at) is not Applied.APPLIED:
                return

    def _report(self, fault: Exception) -> None:
        self._feed.events.report(f"Changes could not be fetched: {describe_fault(fault)}")


class Heads:
    """Asks until the feed is closed."""

    def __init__(self, feed: HeldFeed, catch_up: CatchUp) -> None:
        self._feed, self._catch_up = feed, catch_up
        self._counting = threading.Lock()
        self._under_way = 0
        self._failures = 0
        self._retry_after = 0.0

    def run(self) -> None:
        """Asks in this thread; answers are taken on workers."""
        feed = self._feed
        while not feed.closed.is_set():
            feed.requests.end_late()
            try:
                if self._under_way < _UNDER_WAY_MAX:
                    self._ask()
            except Exception as fault:
                self._fail(fault)
            feed.closed.wait(feed.max_staleness_ms / 1000 * _INTERVAL_SHARE * spread(0.8, 1))
            if self._failures > 0:
                feed.closed.wait(backoff_seconds(self._failures, self._retry_after))

    def _ask(self) -> None:
        sent_at, held = self._feed.clock.now(), self._feed.place()
        asking = self._feed.requests.ask_head()
        self._count(1)
        asking.job.future.add_done_callback(lambda _: self._take(asking, held, sent_at))

    def _take(self, asking: Asking[Head], held: Place | None, sent_at: Instant) -> None:
        self._count(-1)
        try:
            head = asking.outcome()
            self._failures = 0
            # Positions never fall in an epoch: history was rewritten, or this is not the answer to the request. The answer
            # to a request for changes says whether to start over.
            if held is not None and held.epoch == head.epoch and head.position < held.position:
                self._catch_up.begin()
            elif self._feed.take_head(head, sent_at):
                self._catch_up.begin_soon(head)
        except Exception as fault:
            self._fail(fault)

    def _fail(self, fault: Exception) -> None:
        self._failures += 1
        self._retry_after = retry_after_of(fault)
        self._feed.events.report(f"The head of the feed could not be had: {describe_fault(fault)}")

    def _count(self, change: int) -> None:
        with self._counting:
            self._under_way += change
