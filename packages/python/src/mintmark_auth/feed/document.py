"""Documents of the revocation feed (docs/apis/feed-protocol.md): read whole before any of it counts.

What has another form is refused as a whole: the verifier then becomes stale, and says so, where it would otherwise guess.
Other members are ignored: a new kind of fact comes as a condition of a cut-off that is not known here.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeGuard

from ..tokens.compact_jws import decode_canonical
from ..tokens.strict_json import is_json_array, is_json_object

SEGMENTS_MAX: Final = 10_000
CUT_OFFS_MAX: Final = 100_000
TAIL_BYTES: Final = 8
_PATTERN_CHARACTERS_MAX: Final = 2048
_SAFE_INTEGER_MAX: Final = 2**53 - 1
_EPOCH: Final = re.compile(r"[A-Za-z0-9._-]{1,128}")
_DIGEST: Final = re.compile(r"[A-Za-z0-9_-]{10}[AEIMQUYcgkosw048]")
_SECONDS: Final = re.compile(r"0|[1-9][0-9]{0,11}")


class Unreadable(Exception):
    """What a document is not, for a log."""


@dataclass(frozen=True, slots=True)
class Place:
    """How far facts are."""

    epoch: str
    position: int


@dataclass(frozen=True, slots=True)
class Head:
    """The present state of the feed; `now` is the time of the service in ms since 1970."""

    epoch: str
    position: int
    now: int

    @property
    def place(self) -> Place:
        """How far facts are that hold all that there is."""
        return Place(self.epoch, self.position)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A head, and the ranges of positions whose segments bring a follower there."""

    head: Head
    segments: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class CutOff:
    """An act that ended many tokens: those issued before `seq` that fit its conditions."""

    seq: int
    until: int
    """Seconds since 1970, at which the last of these tokens has expired."""
    conditions: Mapping[str, object] | None
    """None where one is unknown here, or has another form: then it is unknown which tokens it covers."""


@dataclass(frozen=True, slots=True)
class Changes:
    """The facts from one position to another."""

    epoch: str
    now: int
    start: int
    end: int
    ended: tuple[tuple[int, bytes], ...]
    """Tails of ids, eight bytes each, by the second at which those tokens expire."""
    cut_offs: tuple[CutOff, ...]

    @property
    def place(self) -> Place:
        """Where a follower is that has applied them."""
        return Place(self.epoch, self.end)


def _is_epoch(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and _EPOCH.fullmatch(value) is not None


def _is_count(value: object) -> TypeGuard[int]:
    return type(value) is int and 0 <= value <= _SAFE_INTEGER_MAX


def _is_digest(value: object) -> bool:
    return isinstance(value, str) and _DIGEST.fullmatch(value) is not None


def _is_pattern(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= _PATTERN_CHARACTERS_MAX


def _is_true(value: object) -> bool:
    return value is True


def _list_of(is_good: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: is_json_array(value) and all(map(is_good, value))


_CONDITIONS: Final[Mapping[str, Callable[[object], bool]]] = {
    "agent": _is_digest,
    "agents": _list_of(_is_digest),
    "subject": _is_digest,
    "issuer": _is_digest,
    "credential": _is_digest,
    "key": _is_digest,
    "scope": _is_pattern,
    "keep_scopes": _list_of(_is_pattern),
    "audience": _is_digest,
    "keep_audiences": _list_of(_is_digest),
    "before": _is_count,
    "root": _is_digest,
    "from_another": _is_true,
    "opened": _is_true,
}
"""The conditions that this version knows."""


def read_head(value: object) -> Head:
    """Reads the head, or the data of a heartbeat. It is not signed: it grants nothing, it only says what is missing."""
    if not is_json_object(value):
        raise Unreadable("The head is no JSON object.")
    epoch, position, now = value.get("epoch"), value.get("position"), value.get("now")
    if not (_is_epoch(epoch) and _is_count(position) and _is_count(now)):
        raise Unreadable("The head lacks epoch, position or now, or one has another form.")
    return Head(epoch, position, now)


def _read_range(value: object) -> tuple[int, int]:
    if is_json_array(value) and len(value) == 2:
        start, end = value
        if _is_count(start) and _is_count(end) and start < end:
            return start, end
    raise Unreadable("A segment is no range of positions.")


def read_snapshot(payload: Mapping[str, object]) -> Snapshot:
    """Reads the payload of a snapshot, whose signature and `iss` are good."""
    head, segments = read_head(payload), payload.get("segments")
    if not is_json_array(segments) or len(segments) > SEGMENTS_MAX:
        raise Unreadable("The snapshot has no list of segments.")
    ranges = tuple(map(_read_range, segments))
    ends = [0, *(end for _, end in ranges)]
    if [start for start, _ in ranges] != ends[:-1] or ends[-1] != head.position:
        raise Unreadable("The segments are no chain from 0 to the position.")
    return Snapshot(head, ranges)


def _read_conditions(conditions: Mapping[str, object]) -> Mapping[str, object] | None:
    if not all(name in _CONDITIONS and _CONDITIONS[name](value) for name, value in conditions.items()):
        return None
    if "root" not in conditions:
        return conditions
    tail = decode_canonical(str(conditions["root"])) or b""
    return {**conditions, "root": int.from_bytes(tail)}


def _read_cut_off(value: object) -> CutOff:
    if is_json_object(value):
        conditions = dict(value)
        seq, until = conditions.pop("seq", None), conditions.pop("until", None)
        if _is_count(seq) and _is_count(until):
            return CutOff(seq, until, _read_conditions(conditions))
    raise Unreadable("cut_offs is not an array of objects with seq and until.")


def _read_tails(second: str, tails: object) -> tuple[int, bytes]:
    if _SECONDS.fullmatch(second) and isinstance(tails, str):
        decoded = b"" if tails == "" else decode_canonical(tails)
        if decoded is not None and len(decoded) % TAIL_BYTES == 0:
            return int(second), decoded
    raise Unreadable("ended does not hold tails under seconds.")


def read_changes(payload: Mapping[str, object]) -> Changes:
    """Reads the payload of a segment or of changes, whose signature and `iss` are good."""
    epoch, now = payload.get("epoch"), payload.get("now")
    if not (_is_epoch(epoch) and _is_count(now)):
        raise Unreadable("The document lacks epoch or now, or one has another form.")
    start, end = payload.get("from"), payload.get("to")
    if not (_is_count(start) and _is_count(end) and start <= end):
        raise Unreadable("from and to are no range.")
    ended, cut_offs = payload.get("ended"), payload.get("cut_offs")
    if not is_json_object(ended):
        raise Unreadable("ended does not hold tails under seconds.")
    if not is_json_array(cut_offs) or len(cut_offs) > CUT_OFFS_MAX:
        raise Unreadable("cut_offs is not an array of objects with seq and until.")
    tails = tuple(_read_tails(second, value) for second, value in ended.items())
    return Changes(epoch, now, start, end, tails, tuple(map(_read_cut_off, cut_offs)))
