"""What the threads of a follower share: the facts that it holds, and how far and how stale they are."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from ..wire.clock import Clock, Instant
from ..wire.http import RequestFailure
from .document import Changes, Head, Place
from .facts import Applied, Facts
from .requests import FeedRequests
from .staleness import Staleness

Transport: TypeAlias = Literal["stream", "long poll", "none"]


@dataclass(frozen=True, slots=True)
class FeedEvents:
    """What others do when something happens here."""

    report: Callable[[str], None]
    """Receives each problem."""
    distrust_keys: Callable[[], None]
    """A signing key was cut off: an attacker who has it can write any `seq` into a token."""
    changed: Callable[[], None]
    """Epoch or position are others than before, or the position was confirmed."""


class HeldFeed:
    """Threads of the follower write, one at a time; threads that verify read `facts` and `staleness`, and take no lock."""

    def __init__(self, requests: FeedRequests, clock: Clock, max_staleness_ms: float, events: FeedEvents) -> None:
        self.requests: Final = requests
        self.clock: Final = clock
        self.max_staleness_ms: Final = max_staleness_ms
        self.events: Final = events
        self.staleness: Final = Staleness(clock)
        self.facts: Facts | None = None
        """None until a snapshot is applied as a whole."""
        self.transport: Transport = "none"
        self.progress: int = 0
        """Answers that brought something: after one the next failure is the first again."""
        self.closed: Final = threading.Event()
        self._writing = threading.Lock()
        self.end_following: Callable[[], None] = _nothing
        """Ends the stream that is under way for these facts."""

    def place(self) -> Place | None:
        """How far the facts are; None while there are none."""
        facts = self.facts
        return None if facts is None else facts.place

    def is_behind(self, head: Head) -> bool:
        """Whether there are facts, and the head is beyond them or of another epoch."""
        place = self.place()
        return place is not None and (place.epoch != head.epoch or place.position < head.position)

    def forget(self, facts: Facts | None) -> None:
        """Starts over, unless others have replaced these facts: nothing is known any more, and nothing confirmed."""
        with self._writing:
            if self.facts is not facts:
                return
            self.facts = None
            self.staleness.reset()
        self.end_following()
        self.events.changed()

    def hold(self, facts: Facts) -> None:
        """Takes the facts of a whole snapshot."""
        if facts.key_cut_offs > 0:
            self.events.distrust_keys()
        with self._writing:
            self.facts = facts
            self.staleness.reach(facts.place)
            self.progress += 1
        self.events.changed()

    def take_changes(self, facts: Facts, changes: Changes) -> Applied:
        """Apply a document to these facts, unless others have replaced them. Raises where they must be read anew."""
        with self._writing:
            if self.facts is not facts:
                return Applied.FOREIGN
            before = facts.key_cut_offs
            applied = facts.apply(changes)
            if facts.key_cut_offs > before:
                self.events.distrust_keys()  # before its position is confirmed
            if applied is Applied.APPLIED:
                self.progress += 1
                self.staleness.reach(facts.place)
        if applied is Applied.FOREIGN:
            raise RequestFailure("A document is of another epoch.")
        if applied is Applied.FULL:
            raise RequestFailure("The feed holds more facts than there is room for.")
        if applied is Applied.APPLIED:
            self.events.changed()
        return applied

    def take_answer(self, facts: Facts, changes: Changes, sent_at: Instant) -> Applied:
        """Takes the answer to a request for changes. One that brings nothing confirms its position, as a head does."""
        applied = self.take_changes(facts, changes)
        if changes.start == changes.end:
            with self._writing:
                if self.facts is not facts:
                    return applied
                self.staleness.note(changes.place, self.staleness.date_of(changes, sent_at), facts.place)
                self.staleness.learn(changes)
                self.progress += 1
            self.events.changed()
        return applied

    def take_head(self, head: Head, sent_at: Instant | None) -> bool:
        """Takes a head, or a heartbeat, which has no request of its own: it may have been kept on its way.

        Returns whether changes are to be fetched: the facts are behind it, or it is of another epoch, and the answer will
        say whether to start over.
        """
        with self._writing:
            facts = self.facts
            is_foreign = facts is not None and facts.epoch != head.epoch
            if sent_at is not None:
                made_at = self.staleness.date_of(head, sent_at)
                if not is_foreign:
                    self.staleness.note_time(head, made_at)
                self.staleness.note(head.place, made_at, None if facts is None else facts.place)
            if is_foreign:
                return True
            self.staleness.learn(head)
            if facts is not None:
                facts.pass_time(head.now)
        self.events.changed()
        return facts is not None and head.position > facts.position


def _nothing() -> None:
    pass
