"""Follows the revocation feed: the snapshot, then the stream; long polls where a proxy keeps the stream."""

from collections.abc import Callable
from typing import Final

from ..wire.clock import Clock, Instant
from ..wire.http import RequestFailure, describe_fault
from ..wire.threads import Failed, Job, block
from .backoff import backoff_seconds, retry_after_of
from .event_stream import EventReader, ServerEvent
from .facts import Applied, Facts
from .heads import CatchUp, Heads
from .held_feed import HeldFeed
from .load_snapshot import load_snapshot
from .requests import DOCUMENT_CHARACTERS_MAX, StartOver, as_start_over, parse_head

# `wait` of a long poll.
_WAIT_SECONDS = 20
# A service that does not wait is asked once a second.
_EMPTY_ANSWER_MS_MIN = 1000
# How long long polls first replace a stream that was buffered; twice as long each time after.
_LONG_POLL_MS_FIRST = 60_000
_LONG_POLL_MS_MAX = 600_000
STREAM_QUIET_SECONDS_MAX: Final = 3.5


class QuietStream(Exception):
    """Nothing came for so long that something on the way must keep it: a service that is alive writes each second."""


class _StreamTrust:
    """Whether a stream is tried, or one was kept lately."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._distrust_ms = _LONG_POLL_MS_FIRST // 2
        self._since: Instant | None = None

    def is_trusted(self) -> bool:
        return self._since is None or self._clock.ms_since(self._since) > self._distrust_ms

    def distrust(self) -> None:
        self._since = self._clock.now()
        self._distrust_ms = min(self._distrust_ms * 2, _LONG_POLL_MS_MAX)


class Follower:
    """One thread follows, one asks for heads. What fails is reported, and tried again."""

    def __init__(self, feed: HeldFeed) -> None:
        self._feed = feed
        self._catch_up = CatchUp(feed)
        self._heads = Heads(feed, self._catch_up)
        self._trust = _StreamTrust(feed.clock)

    @property
    def runs(self) -> tuple[Callable[[], None], ...]:
        """What runs until the feed is closed, each on a thread."""
        return self._heads.run, self._run

    def _run(self) -> None:
        feed, failures = self._feed, 0
        while not feed.closed.is_set():
            progress, at_least = feed.progress, 0.0
            try:
                self._follow_once()
            except Exception as fault:
                at_least = self._take_fault(fault)
            failures = 1 if feed.progress > progress else failures + 1
            feed.closed.wait(backoff_seconds(failures, at_least))

    def _take_fault(self, fault: Exception) -> float:
        """How long to wait at least."""
        if isinstance(fault, QuietStream):
            self._trust.distrust()
        if isinstance(fault, StartOver):
            self._feed.forget(self._feed.facts)
        self._feed.events.report(f"The feed could not be followed: {describe_fault(fault)}")
        return retry_after_of(fault)

    def _follow_once(self) -> None:
        feed = self._feed
        facts = feed.facts or self._load()
        try:
            if self._trust.is_trusted():
                feed.transport = "stream"
                self._follow_stream(facts)
            else:
                feed.transport = "long poll"
                self._follow_by_polls(facts)
        except Exception:
            # Who forgot these facts ended what was under way for them: that is no fault to report.
            if not self._is_over(facts):
                raise
        finally:
            feed.transport = "none"

    def _load(self) -> Facts:
        sent_at = self._feed.clock.now()
        head = self._feed.requests.ask_head().wait()
        self._feed.take_head(head, sent_at)
        facts = load_snapshot(self._feed.requests, head.epoch)
        self._feed.hold(facts)
        return facts

    def _is_over(self, facts: Facts) -> bool:
        return self._feed.closed.is_set() or self._feed.facts is not facts

    def _follow_stream(self, facts: Facts) -> None:
        reader = EventReader(DOCUMENT_CHARACTERS_MAX)

        def receive(piece: bytes) -> None:
            for event in reader.read(piece):
                if self._is_over(facts):
                    raise RequestFailure("The facts were forgotten.")
                job.extend(STREAM_QUIET_SECONDS_MAX)
                self._take_event(facts, event)

        job: Job[None] = self._feed.requests.stream(facts.place, STREAM_QUIET_SECONDS_MAX, receive)
        self._feed.end_following = job.end_wait
        job.start()
        block(job.future)
        outcome = job.future.result()
        if isinstance(outcome, Failed):
            if job.seconds_left() <= 0:
                raise QuietStream(f"No event came for {STREAM_QUIET_SECONDS_MAX} s.")
            fault = outcome.fault
            raise as_start_over(fault) if isinstance(fault, RequestFailure) else fault

    def _take_event(self, facts: Facts, event: ServerEvent) -> None:
        if event.event == "epoch_changed":
            raise StartOver("The stream says so.")
        if event.event == "heartbeat":
            self._feed.progress += 1
            # It confirms nothing: it may have been kept on its way. It can show that something is missing.
            if self._feed.take_head(parse_head(event.data.encode()), None):
                self._catch_up.begin()
        elif event.event == "changes":
            changes = self._feed.requests.read_document(event.data)
            if self._feed.take_changes(facts, changes) is Applied.GAP:
                self._catch_up.begin()

    def _follow_by_polls(self, facts: Facts) -> None:
        feed = self._feed
        while not self._is_over(facts) and not self._trust.is_trusted():
            sent_at = feed.clock.now()
            asking = feed.requests.ask_changes(facts.place, _WAIT_SECONDS)
            feed.end_following = asking.job.end_wait
            changes = asking.wait()
            applied = feed.take_answer(facts, changes, sent_at)
            left_ms = _EMPTY_ANSWER_MS_MIN - feed.clock.ms_since(sent_at)
            if applied is not Applied.APPLIED and left_ms > 0:
                feed.closed.wait(left_ms / 1000)
