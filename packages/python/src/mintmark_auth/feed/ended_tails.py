"""Tokens that ended one by one: the tails of their ids under the second at which they expire.

A second holds sorted runs of 8 bytes a tail. A document adds a run; the last two are merged while the one before is not
twice as long, so that there are few of them and an entry takes about 8 bytes. A reader sees the runs before or after.
"""

import sys
from array import array
from bisect import bisect_left
from collections.abc import Iterable
from heapq import heappop, heappush
from typing import Final

ENDS_MAX: Final = 4_000_000
"""The most ends; beyond them a follower takes no more, becomes stale and says so."""
_SECOND_BYTES: Final = 200
"""What a second takes beside its tails, about."""


def _contains(runs: "Iterable[array[int]]", tail: int) -> bool:
    for run in runs:
        at = bisect_left(run, tail)
        if at < len(run) and run[at] == tail:
            return True
    return False


def _read_run(tails: bytes) -> "array[int]":
    run = array("Q", tails)
    if sys.byteorder == "little":
        run.byteswap()
    return run


def _merged(runs: "tuple[array[int], ...]") -> "tuple[array[int], ...]":
    while len(runs) > 1 and len(runs[-2]) < 2 * len(runs[-1]):
        *others, one, two = runs
        runs = (*others, array("Q", sorted([*one, *two])))
    return runs


class EndedTails:
    """Reads by any thread; written by one at a time."""

    def __init__(self) -> None:
        self._runs: dict[int, tuple[array[int], ...]] = {}
        self._seconds: list[int] = []  # a heap
        self._dropped_before = 0
        self.size: int = 0

    def add(self, exp: int, tails: bytes) -> None:
        """Adds tails, eight bytes each, of tokens that expire in this second; those that are there change nothing."""
        if exp < self._dropped_before:
            return
        runs = self._runs.get(exp, ())
        new = array("Q", sorted(tail for tail in set(_read_run(tails)) if not _contains(runs, tail)))
        if not new:
            return
        if not runs:
            heappush(self._seconds, exp)
        self._runs[exp] = _merged((*runs, new))
        self.size += len(new)

    def has(self, exp: int, tail: int) -> bool:
        """Whether a token with this expiry and this tail of its id has ended."""
        return _contains(self._runs.get(exp, ()), tail)

    def drop_before(self, second: int) -> None:
        """Forgets what expired before this second."""
        self._dropped_before = max(self._dropped_before, second)
        while self._seconds and self._seconds[0] < second:
            self.size -= sum(map(len, self._runs.pop(heappop(self._seconds))))

    def bytes(self) -> int:
        """What all of it takes, about."""
        return self.size * 8 + len(self._seconds) * _SECOND_BYTES
