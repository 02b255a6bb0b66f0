"""All facts of an epoch up to a position, and what they say of a token."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, NamedTuple

from .cut_offs import CutOffs
from .document import CUT_OFFS_MAX, TAIL_BYTES, Changes, CutOff, Place
from .ended_tails import ENDS_MAX, EndedTails
from .subject import Subject, tail_of
from .verdict import Verdict


class Applied(Enum):
    """What became of a document."""

    APPLIED = "applied"
    """The position is now the document's."""
    HELD = "held"
    """It was there before."""
    GAP = "gap"
    """Facts before it are missing."""
    FOREIGN = "foreign"
    """It is of another epoch."""
    FULL = "full"
    """There is no room for it."""


class Sizes(NamedTuple):
    """How many facts there are."""

    ends: int
    cut_offs: int
    bytes: int
    """What ends take, about."""


@dataclass(frozen=True, slots=True)
class FactBounds:
    """How many facts are held."""

    ends_max: int = ENDS_MAX
    cut_offs_max: int = CUT_OFFS_MAX


_BOUNDS: Final = FactBounds()


def _concerns_key(cut_off: CutOff) -> bool:
    """One with conditions that are not known may name a key too."""
    return cut_off.conditions is None or "key" in cut_off.conditions


class Facts:
    """Reads by any thread; written by one at a time."""

    def __init__(self, epoch: str, bounds: FactBounds = _BOUNDS) -> None:
        self.epoch: Final = epoch
        self.position: int = 0
        self.version: object = object()
        """Another one after the facts of a document were added, and of other facts: a token that was clear at a version that
        was read before it was judged is clear as long as that version stays."""
        self.service_ms: int = 0
        """The largest time that the service stated, in ms since 1970."""
        self.key_cut_offs: int = 0
        """Cut-offs of signing keys that came so far."""
        self._bounds = bounds
        self._ends = EndedTails()
        self._cut_offs = CutOffs()
        self._dropped_before = 0

    @property
    def place(self) -> Place:
        """How far they are."""
        return Place(self.epoch, self.position)

    def pass_time(self, now_ms: int) -> None:
        """Forgets what is over at this time of the service. The largest so far counts."""
        self.service_ms = max(self.service_ms, now_ms)
        # What expires at second N is over as soon as the time is later than N, so the time is rounded up.
        second = -(-self.service_ms // 1000)
        if second <= self._dropped_before:
            return
        self._dropped_before = second  # before anything is dropped: see `_judged`
        self._ends.drop_before(second)
        self._cut_offs.drop_before(second)

    def _is_full(self, changes: Changes) -> bool:
        ends = sum(len(tails) // TAIL_BYTES for _, tails in changes.ended)
        bounds = self._bounds
        return self._ends.size + ends > bounds.ends_max or self._cut_offs.size + len(changes.cut_offs) > bounds.cut_offs_max

    def apply(self, changes: Changes) -> Applied:
        """Takes a document, or none of it."""
        if changes.epoch != self.epoch:
            return Applied.FOREIGN
        if changes.start > self.position:
            return Applied.GAP
        self.pass_time(changes.now)
        if changes.end < self.position:
            return Applied.HELD
        if self._is_full(changes):
            return Applied.FULL
        for exp, tails in changes.ended:
            self._ends.add(exp, tails)
        self._cut_offs.add_all(changes.cut_offs)
        self.key_cut_offs += sum(map(_concerns_key, changes.cut_offs))
        if changes.ended or changes.cut_offs:
            self.version = object()
        applied = Applied.APPLIED if changes.end > self.position else Applied.HELD
        self.position = changes.end
        return applied

    def judge_young(self, claims: Mapping[str, Any]) -> Verdict | None:
        """Judges a token without ancestors that is younger than every cut-off, as most new ones are; None for any other."""
        if "lineage" in claims or not self._cut_offs.are_all_before(claims.get("seq")):
            return None
        exp = claims["exp"]
        return self._judged(exp, Verdict.ENDED if self._ends.has(exp, tail_of(claims["jti"])) else Verdict.CLEAR)

    def judge(self, subjects: Sequence[Subject]) -> Verdict:
        """The worst verdict on a token and its ancestors."""
        return self._judged(subjects[0].exp, max(map(self._judge_one, subjects)))

    def _judge_one(self, subject: Subject) -> Verdict:
        ended = self._ends.has(subject.exp, tail_of(subject.id))
        return Verdict.ENDED if ended else self._cut_offs.judge(subject)

    def _judged(self, exp: int, verdict: Verdict) -> Verdict:
        """While this thread looked, another may have dropped what covered a token that expires now."""
        return Verdict.ENDED if exp < self._dropped_before else verdict

    def sizes(self) -> Sizes:
        """What is held."""
        return Sizes(self._ends.size, self._cut_offs.size, self._ends.bytes())
