"""Reads a snapshot: all of its segments, or nothing. The caller never gets facts in which a segment is missing."""

from ..wire.http import RequestFailure
from .facts import Applied, Facts
from .requests import FeedRequests, StartOver


def load_snapshot(requests: FeedRequests, epoch: str) -> Facts:
    """The facts of the epoch up to the position of its snapshot."""
    snapshot = requests.snapshot(epoch)
    if snapshot.head.epoch != epoch:
        raise StartOver("The snapshot is of another epoch.")
    facts = Facts(epoch)
    segments = requests.segments(epoch, snapshot.segments)
    for wanted, changes in zip(snapshot.segments, segments, strict=True):
        applied = facts.apply(changes) if (changes.start, changes.end) == wanted else Applied.GAP
        if applied is not Applied.APPLIED:
            raise RequestFailure(f"A segment of the snapshot cannot be applied: {applied.value}.")
    facts.pass_time(snapshot.head.now)
    if facts.position != snapshot.head.position:
        raise RequestFailure("The snapshot lacks a segment.")
    return facts
