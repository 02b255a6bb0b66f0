"""How stale the facts may be, and what time it is at the service: both from the instant at which a request was *sent*.

When its answer arrived says nothing, because a proxy may have kept it. An answer that a cache repeats was made before that:
its time of the service says how long before.
"""

from dataclasses import dataclass
from typing import Final, NamedTuple

from ..tokens.claims import TimeRange
from ..wire.clock import Clock, Instant, ms_between
from .document import Changes, Head, Place

_PENDING_MAX: Final = 8
_CLOCK_RATE_ERROR: Final = 0.1
"""The share of the passing time by which the clocks of two machines may differ, while one of them is slewed.

Where the time of the service falls behind after all, as with a clock that was set back during a restart, it has caught up
after ten times as long.
"""


@dataclass(frozen=True, slots=True)
class _KnownTime:
    """A time of the service at an instant of ours: at least so late."""

    epoch: str
    now: int
    at_ms: int

    def at(self, ms: int, rate: float = 1) -> float:
        return self.now + (ms - self.at_ms) * rate


class _StatedTime(NamedTuple):
    now_ms: int
    sent_at: Instant
    arrived_ms: int


def _is_within(confirmed: Place, reached: Place | None) -> bool:
    return reached is not None and confirmed.epoch == reached.epoch and confirmed.position <= reached.position


class Staleness:
    """Reads by any thread; written by one at a time."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._confirmed_at: Instant | None = None
        self._pending: list[tuple[Place, Instant]] = []
        self._known: _KnownTime | None = None
        self._stated: _StatedTime | None = None

    def note(self, confirmed: Place, sent_at: Instant, reached: Place | None) -> None:
        """A head, or an answer that there is nothing after a position, and how far the facts are by now."""
        if _is_within(confirmed, reached):
            self._confirm(sent_at)
        else:
            self._pending = [*self._pending, (confirmed, sent_at)][-_PENDING_MAX:]

    def reach(self, reached: Place) -> None:
        """The facts are at this position now."""
        for confirmed, sent_at in self._pending:
            if _is_within(confirmed, reached):
                self._confirm(sent_at)
        self._pending = [one for one in self._pending if not _is_within(one[0], reached)]

    def _confirm(self, sent_at: Instant) -> None:
        if self._confirmed_at is None or sent_at.counted_ms > self._confirmed_at.counted_ms:
            self._confirmed_at = sent_at

    def learn(self, answer: Head | Changes) -> None:
        """An answer, or a heartbeat, is of this time of the service, which never falls in an epoch."""
        at_ms, known = self._clock.counted_ms(), self._known
        is_same = known is not None and known.epoch == answer.epoch
        if known is None or not is_same or answer.now >= known.at(at_ms, 1 - _CLOCK_RATE_ERROR):
            self._known = _KnownTime(answer.epoch, answer.now, at_ms)

    def date_of(self, answer: Head | Changes, sent_at: Instant) -> Instant:
        """When the request was sent, or when the response was made if that is earlier, because a cache repeats it."""
        known = self._known
        if known is None or known.epoch != answer.epoch:
            return sent_at
        behind_ms = known.at(sent_at.counted_ms) - answer.now
        if behind_ms <= abs(sent_at.counted_ms - known.at_ms) * _CLOCK_RATE_ERROR:
            return sent_at
        age_ms = int(behind_ms)
        return Instant(sent_at.counted_ms - age_ms, sent_at.wall_ms - age_ms)

    def note_time(self, head: Head, sent_at: Instant) -> None:
        """The time of the service in a head."""
        if self._stated is None or sent_at.counted_ms > self._stated.sent_at.counted_ms:
            self._stated = _StatedTime(head.now, sent_at, self._clock.counted_ms())

    def reset(self) -> None:
        """Nothing is confirmed any more."""
        self._confirmed_at = None
        self._pending = []
        self._stated = None

    def ms(self, now: Instant) -> float:
        """How long ago what is held was confirmed; infinity where nothing is."""
        confirmed_at = self._confirmed_at
        return float("inf") if confirmed_at is None else ms_between(confirmed_at, now)

    def service_time(self, now: Instant) -> TimeRange | None:
        """The time of the service, to within the duration of the request that it was stated for; None if it stated none."""
        stated = self._stated
        if stated is None:
            return None
        now_ms, sent_at, arrived_ms = stated
        return TimeRange(now_ms + now.counted_ms - arrived_ms, now_ms + ms_between(sent_at, now))
