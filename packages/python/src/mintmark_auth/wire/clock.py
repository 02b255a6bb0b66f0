"""The clocks of this machine."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final


@dataclass(slots=True)
class Instant:
    """A moment by both clocks, to measure from. Nothing changes it; it is not frozen, because that takes as long as to read
    both clocks, for each token."""

    counted_ms: int
    """By a clock that only counts."""
    wall_ms: int
    """Since 1970, by the clock of this machine, which may be wrong and may step."""


# Where there is CLOCK_BOOTTIME, it also counts the time in which the machine is suspended.
_count_ns: Final[Callable[[], int]] = (
    partial(time.clock_gettime_ns, time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic_ns
)


def _now() -> Instant:
    return Instant(_count_ns() // 1_000_000, time.time_ns() // 1_000_000)


def ms_between(since: Instant, now: Instant) -> int:
    """At least 0; the larger of what the two clocks count: one may stand still, the other may be set back. So an error makes
    a verifier more careful, never less."""
    counted_ms, wall_ms = now.counted_ms - since.counted_ms, now.wall_ms - since.wall_ms
    ms = counted_ms if counted_ms > wall_ms else wall_ms
    return ms if ms > 0 else 0


@dataclass(frozen=True, slots=True)
class Clock:
    now: Callable[[], Instant] = _now

    def counted_ms(self) -> int:
        return self.now().counted_ms

    def wall_ms(self) -> int:
        return self.now().wall_ms

    def ms_since(self, since: Instant) -> int:
        return ms_between(since, self.now())
