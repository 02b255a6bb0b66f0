"""What a verifier asks of the feed: whether a token has ended, and what time it is at the service."""

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from ..tokens.claims import Claims, TimeRange
from ..tokens.key_set import KeySet
from ..wire.clock import Clock, Instant
from ..wire.http import HttpClient
from ..wire.threads import make_future, start_thread
from .follower import Follower
from .held_feed import FeedEvents, HeldFeed
from .reports import Reports
from .requests import FeedAccess, FeedRequests
from .subject import subjects_of
from .verdict import Judged, Verdict

if TYPE_CHECKING:
    from concurrent.futures import Future

_ANY_TIME: Final = TimeRange(float("-inf"), float("inf"))


class Feed:
    """Follows from the first `start` on. To judge takes no lock."""

    def __init__(
        self,
        access: FeedAccess,
        *,
        client: HttpClient,
        clock: Clock,
        key_set: KeySet,
        report: Callable[[str], None],
        changed: Callable[[], None],
    ) -> None:
        self._staleness_ms_max = access.staleness_ms_max
        events = FeedEvents(report, key_set.distrust, self._note)
        self.held: Final = HeldFeed(FeedRequests(access, client, key_set), clock, access.staleness_ms_max, events)
        self.reports: Reports | None = None if access.name is None else Reports(self.held, access, client)
        self._changed = changed
        self._waiting: list[Future[None]] = []
        self._lock = threading.Lock()
        reporting = [] if self.reports is None else [self.reports.run]
        self._to_start: list[Callable[[], None]] = [*Follower(self.held).runs, *reporting]

    def start(self) -> None:
        """Begins to follow, once: on daemon threads, bound to no event loop. Raises RuntimeError where none can be started;
        what is left is started by the next call."""
        if not self._to_start:
            return
        with self._lock:
            while self._to_start and not self.held.closed.is_set():
                start_thread(self._to_start[0], "mintmark-auth-feed")
                del self._to_start[0]

    def close(self) -> None:
        """Ends what runs in the background."""
        self.held.closed.set()
        self.held.end_following()
        if self.reports is not None:
            self.reports.end()
        self._end_waiting()

    def is_fresh(self) -> bool:
        """Whether the feed alone decides now."""
        return self.held.facts is not None and self.held.staleness.ms(self.held.clock.now()) <= self._staleness_ms_max

    def arrival(self) -> "Future[None]":
        """Done when it is so, or the feed is closed."""
        future: Future[None] = make_future()
        with self._lock:
            self._waiting.append(future)
        self._end_waiting()
        return future

    def leave(self, arrival: "Future[None]") -> None:
        """Nobody waits for it any more."""
        with self._lock:
            if arrival in self._waiting:
                self._waiting.remove(arrival)

    def _end_waiting(self) -> None:
        if not self.is_fresh() and not self.held.closed.is_set():
            return
        with self._lock:
            waiting, self._waiting = self._waiting, []
        for future in waiting:
            future.set_result(None)

    def time(self, now: Instant) -> TimeRange:
        """The time of the service at this instant. Never before a time by which facts were forgotten."""
        time, facts = self.held.staleness.service_time(now) or _ANY_TIME, self.held.facts
        forgotten_ms = 0 if facts is None else facts.service_ms
        if forgotten_ms <= time.earliest_ms:
            return time
        return TimeRange(forgotten_ms, max(time.latest_ms, forgotten_ms))

    def judge(self, claims: Claims, judged: Judged, now: Instant) -> Verdict | None:
        """What the facts say of a token; None where they are too stale."""
        facts = self.held.facts
        if facts is None or self.held.staleness.ms(now) > self._staleness_ms_max:
            return None
        # What was confirmed just now may be the position of other facts.
        if self.held.facts is not facts:
            return None
        # Before the facts are looked at: what comes meanwhile makes another version.
        version = facts.version
        if judged.clear is version:
            return Verdict.CLEAR
        verdict = facts.judge_young(claims)
        if verdict is None:
            if judged.subjects is None:
                judged.subjects = subjects_of(claims, judged.kid)
            verdict = facts.judge(judged.subjects)
        if verdict is Verdict.CLEAR:
            judged.clear = version
        return verdict

    def _note(self) -> None:
        if self.reports is not None:
            self.reports.note()
        self._end_waiting()
        self._changed()
