"""A clock that tests move."""

from mintmark_auth.wire.clock import Clock, Instant


class TestClock:
    """Stands still until it is moved."""

    __test__ = False

    def __init__(self, seconds: float) -> None:
        self.counted_ms = 5_000_000
        self.wall_ms = int(seconds * 1000)

    def pass_time(self, seconds: float) -> None:
        """Both clocks."""
        self.counted_ms += int(seconds * 1000)
        self.wall_ms += int(seconds * 1000)

    def clock(self) -> Clock:
        return Clock(lambda: Instant(self.counted_ms, self.wall_ms))
