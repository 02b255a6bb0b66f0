"""Cut-offs: which tokens an act that ended many covers (docs/apis/feed-protocol.md, "Cut-offs")."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from .document import CutOff
from .subject import Subject, issued_ms_of
from .verdict import Verdict


def _matches(pattern: str, item: str) -> bool:
    return pattern in ("*", item) or (pattern.endswith(":*") and item.startswith(pattern[:-1]))


def _is_any(items: Sequence[str] | None, is_hit: Callable[[str], bool]) -> bool | None:
    return None if items is None else any(map(is_hit, items))


def _is_kept(patterns: Iterable[str], item: str) -> bool:
    return any(_matches(pattern, item) for pattern in patterns)


_CHECKS: Final[Mapping[str, Callable[[Any, Subject], bool | None]]] = {
    "agent": lambda digest, it: it.agent == digest,
    "agents": lambda digests, it: it.agent in digests,
    "subject": lambda digest, it: it.subject == digest,
    "issuer": lambda digest, it: it.issuer == digest,
    "credential": lambda digest, it: None if it.credential is None else it.credential == digest,
    "key": lambda digest, it: it.key == digest,
    "scope": lambda pattern, it: _is_any(it.scopes, lambda item: _matches(pattern, item)),
    "keep_scopes": lambda patterns, it: _is_any(it.scopes, lambda item: not _is_kept(patterns, item)),
    "audience": lambda digest, it: _is_any(it.audiences, lambda item: item == digest),
    "keep_audiences": lambda digests, it: _is_any(it.audiences, lambda item: item not in digests),
    "before": lambda ms, it: issued_ms_of(it.id) < ms,
    "root": lambda tail, it: it.root == tail,
    "from_another": lambda _, it: it.is_from_another,
    "opened": lambda _, it: True,
}
"""Whether a condition holds; None where the subject does not say."""


def _judge_by_conditions(conditions: Mapping[str, object], subject: Subject) -> Verdict:
    held = [_CHECKS[name](value, subject) for name, value in conditions.items()]
    if False in held:
        return Verdict.CLEAR
    return Verdict.UNKNOWN if "opened" in conditions or None in held else Verdict.ENDED


def judge_by_cut_off(cut_off: CutOff, subject: Subject) -> Verdict:
    """What one cut-off says of one token."""
    if subject.seq is not None and subject.seq >= cut_off.seq:
        return Verdict.CLEAR
    if cut_off.conditions is None:
        return Verdict.UNKNOWN if subject.exp <= cut_off.until else Verdict.CLEAR
    verdict = _judge_by_conditions(cut_off.conditions, subject)
    return Verdict.UNKNOWN if verdict is Verdict.ENDED and subject.seq is None else verdict


_ANCHORS: Final = ("agent", "subject", "issuer", "credential", "key", "root")
"""Most cut-offs have one condition, and of these there are many: each is found by its value."""


class CutOffs:
    """Reads by any thread; written by one at a time."""

    def __init__(self) -> None:
        self._anchored: dict[str, dict[object, CutOff]] = {name: {} for name in _ANCHORS}
        self._others: dict[str, CutOff] = {}
        """By their text: a document may be applied twice. Replaced, never changed."""
        self._seq_max = 0

    @property
    def size(self) -> int:
        """How many there are."""
        return len(self._others) + sum(map(len, self._anchored.values()))

    def add_all(self, cut_offs: Iterable[CutOff]) -> None:
        """Adds those of one document."""
        others: dict[str, CutOff] = {}
        for cut_off in cut_offs:
            # First: what a reader finds before the rest is there counts for the version before alone.
            self._seq_max = max(self._seq_max, cut_off.seq)
            match list((cut_off.conditions or {}).items()):
                case [(name, value)] if name in self._anchored:
                    self._add_anchored(self._anchored[name], value, cut_off)
                case _:
                    others[repr(cut_off)] = cut_off
        if others:
            self._others = {**self._others, **others}

    @staticmethod
    def _add_anchored(found: dict[object, CutOff], value: object, cut_off: CutOff) -> None:
        """Of two on one anchor the larger `seq` covers the tokens of both, and is kept as long as either."""
        there = found.get(value, cut_off)
        seq, until = max(cut_off.seq, there.seq), max(cut_off.until, there.until)
        found[value] = CutOff(seq, until, cut_off.conditions)

    def _judge_by_anchor(self, anchor: str, subject: Subject) -> Verdict:
        found, value = self._anchored[anchor], getattr(subject, anchor)
        if value is not None:
            cut_off = found.get(value)
            return Verdict.CLEAR if cut_off is None else judge_by_cut_off(cut_off, subject)
        is_any = any(judge_by_cut_off(cut_off, subject) is not Verdict.CLEAR for cut_off in list(found.values()))
        return Verdict.UNKNOWN if is_any else Verdict.CLEAR

    def are_all_before(self, seq: int | None) -> bool:
        """Whether none can cover a token with this number, whatever else it is."""
        return seq is not None and seq >= self._seq_max

    def judge(self, subject: Subject) -> Verdict:
        """The worst that any says."""
        if self.are_all_before(subject.seq):
            return Verdict.CLEAR
        by_anchors = (self._judge_by_anchor(anchor, subject) for anchor in _ANCHORS)
        by_others = (judge_by_cut_off(cut_off, subject) for cut_off in self._others.values())
        return max(*by_anchors, *by_others)

    def drop_before(self, second: int) -> None:
        """Forgets those whose `until` is before this second."""
        for found in self._anchored.values():
            for value in [value for value, cut_off in found.items() if cut_off.until < second]:
                del found[value]
        if any(cut_off.until < second for cut_off in self._others.values()):
            self._others = {name: cut_off for name, cut_off in self._others.items() if cut_off.until >= second}
