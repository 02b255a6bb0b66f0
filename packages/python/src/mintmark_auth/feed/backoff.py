"""How long to wait before something is asked again, in seconds."""

from random import SystemRandom

from ..wire.http import RequestFailure

# Of the system: children of a fork would else all wait for equally long.
_chance = SystemRandom()
_FIRST = 0.5
_MAX = 10.0


def spread(least: float, most: float) -> float:
    """By chance, so that followers that failed at one moment do not all ask at one moment."""
    return _chance.uniform(least, most)


def backoff_seconds(failures: int, at_least: float = 0) -> float:
    """After so many failures in a row, at least 1: doubled each time."""
    full = min(_MAX, _FIRST * float(1 << min(failures - 1, 10)))
    return max(at_least, full / 2) + spread(0, full / 2)


def retry_after_of(fault: Exception) -> float:
    """What the service stated; 0 where it stated nothing."""
    return (fault.retry_after if isinstance(fault, RequestFailure) else None) or 0
