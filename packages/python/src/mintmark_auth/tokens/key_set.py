"""The key set of the issuer (RFC 7517 §5): held, read again before it is old, and once more for a key that is not in it."""

import json
import threading
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from ..wire.clock import Clock, Instant, ms_between
from ..wire.http import HttpClient, Request, describe_fault, outcome_of
from ..wire.threads import Job, Steps, Wait
from .public_keys import Algorithm, Verify, is_algorithm, is_kid, load_public_key
from .strict_json import is_json_array, is_json_object, parse_object

KEYS_MAX: Final = 64
_KEY_SET_BYTES_MAX = 262_144
# Mintmark publishes a key before it signs with it, for longer than this.
_FRESH_MS = 300_000
# The pause after a reading that failed.
_RETRY_MS = 5000
# The time between readings that unknown key ids cause, which any caller can make up. Two in a row are allowed once.
UNKNOWN_KID_COOLDOWN_MS: Final = 16_000
_UNKNOWN_KID_BURST = 2
# The exponent that every RSA key of Mintmark has: under 1 anybody could sign.
_RSA_EXPONENT = "AQAB"

Missing: TypeAlias = Literal["unknown", "pending", "unavailable"]
"""`pending`: others' key ids had the set read a moment ago, so it may not be read again yet: a new key may be missing."""


class VerificationKey(NamedTuple):
    alg: Algorithm
    verify: Verify
    text: str
    """The JWK as text, by which another key under the same id is recognized."""


class _Held(NamedTuple):
    keys: Mapping[str, VerificationKey]
    since: Instant
    """When the request was sent."""
    demand: int
    """How often others had demanded a reading when it began."""
    generation: int
    """Grows when a key that was held is gone or is another: what was verified by it must be verified again."""


_Reading: TypeAlias = Job[_Held]


def _load_key(jwk: Any) -> tuple[str, VerificationKey] | None:
    """A key that is not for signatures of Mintmark, or cannot be used here, is left out: tokens under it are refused."""
    if not is_json_object(jwk) or not is_algorithm(jwk.get("alg")) or not is_kid(jwk.get("kid")):
        return None
    if jwk.get("use", "sig") != "sig" or (jwk.get("kty") == "RSA" and jwk.get("e") != _RSA_EXPONENT):
        return None
    verify = load_public_key(jwk, jwk["alg"])
    return None if verify is None else (jwk["kid"], VerificationKey(jwk["alg"], verify, json.dumps(jwk)))


def parse_key_set(text: bytes) -> Mapping[str, VerificationKey]:
    """The keys by their ids. Raises ValueError for what is no key set, or one without a key that can be used."""
    members = (parse_object(text) or {}).get("keys")
    if not is_json_array(members) or len(members) > KEYS_MAX:
        raise ValueError("The answer is not a key set.")
    keys = [key for key in map(_load_key, members) if key is not None]
    by_kid = dict(keys)
    if not by_kid:
        raise ValueError("The key set holds no key that can be used.")
    if len(by_kid) < len(keys):
        raise ValueError("Two keys of the key set have one kid.")
    return MappingProxyType(by_kid)


class _Allowance:
    """How many readings unknown key ids may cause: two at once, then one each UNKNOWN_KID_COOLDOWN_MS."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._left = _UNKNOWN_KID_BURST
        self._since = clock.now()

    def take(self) -> bool:
        earned = self._clock.ms_since(self._since) // UNKNOWN_KID_COOLDOWN_MS
        if earned > 0 or self._left == _UNKNOWN_KID_BURST:
            self._since = self._clock.now()
        self._left = min(_UNKNOWN_KID_BURST, self._left + earned)
        if self._left == 0:
            return False
        self._left -= 1
        return True


def _is_changed(before: Mapping[str, VerificationKey], after: Mapping[str, VerificationKey]) -> bool:
    """Whether a key that was held is gone, or is another."""
    return any(kid not in after or after[kid].text != key.text for kid, key in before.items())


class KeySet:
    """One reading at a time for all who need it. What is held is one reference: it is read without a lock."""

    def __init__(
        self, url: str, age_ms_max: int, *, client: HttpClient, clock: Clock, report: Callable[[str], None]
    ) -> None:
        # A cache on the way may hold the set for minutes; this verifier knows when it needs another.
        self._request = Request(url, _KEY_SET_BYTES_MAX, headers={"cache-control": "no-cache"})
        self._age_ms_max = age_ms_max
        self._fresh_ms = min(_FRESH_MS, age_ms_max // 2)
        self._client, self._clock, self._report = client, clock, report
        self._lock = threading.Lock()
        self._held: _Held | None = None
        self._reading: _Reading | None = None
        self._failed_at: Instant | None = None
        self._allowance = _Allowance(clock)
        self._demands = 0

    def generation(self) -> int:
        held = self._held
        return 0 if held is None else held.generation

    def age_ms(self) -> int | None:
        """How old the set is; None where none is held."""
        held = self._held
        return None if held is None else self._clock.ms_since(held.since)

    def is_too_old(self) -> bool:
        """Whether the set is too old to accept anything by it."""
        held = self._held
        return held is None or not self._is_believed(held, self._clock.ms_since(held.since))

    def _is_believed(self, held: _Held, age_ms: int) -> bool:
        return held.demand == self._demands and age_ms <= self._age_ms_max

    def distrust(self) -> None:
        """A key may be in other hands: nothing is verified by the set until it is read again, as soon as that may be."""
        with self._lock:
            self._demands += 1
        self._join(self._may_retry)

    def refresh(self) -> None:
        """Reads the set in the background where it is older than it should be."""
        age_ms = self.age_ms()
        if (age_ms is None or age_ms > self._fresh_ms) and self._may_retry():
            self._join(lambda: True)

    def vouches_for(self, generation: int, now: Instant) -> bool:
        """Whether what was verified in this generation still is. Reads the set in the background, as `refresh` does."""
        held = self._held
        if held is None:
            return False
        age_ms = ms_between(held.since, now)
        if age_ms > self._fresh_ms:
            self.refresh()
        return generation == held.generation and self._is_believed(held, age_ms)

    def peek(self, kid: str) -> VerificationKey | None:
        """The key of this id, where it is held and believed: what `find` would find without waiting."""
        held = self._held
        return held.keys.get(kid) if held is not None and self.vouches_for(held.generation, self._clock.now()) else None

    def find(self, kid: str) -> Steps[VerificationKey | Missing]:
        """The key of this id. Reads the set where it is not held, is too old, or has no such key and may be read again."""
        # A reading under way may have begun before the demand, and then does not meet it: a second one has to follow.
        for _ in range(2):
            if self.is_too_old():
                yield from self.load()
        held = self._held
        if held is None or self.is_too_old():
            return "unavailable"
        self.refresh()
        known = held.keys.get(kid)
        if known is not None:
            return known
        reading = self._join(self._allowance.take)
        if reading is None:
            return "pending"
        yield from self._await(reading)
        held = self._held
        return "unavailable" if held is None or self.is_too_old() else held.keys.get(kid, "unknown")

    def load(self) -> Steps[None]:
        """Joins the reading under way, or begins one unless the last one failed a moment ago. A failure is reported."""
        reading = self._join(self._may_retry)
        if reading is not None:
            yield from self._await(reading)

    def _may_retry(self) -> bool:
        failed_at = self._failed_at
        return failed_at is None or self._clock.ms_since(failed_at) >= _RETRY_MS

    def _join(self, may_begin: Callable[[], bool]) -> _Reading | None:
        """The reading under way, else a new one where that is allowed. One whose time is over is given up."""
        with self._lock:
            reading = self._reading
            if reading is not None and reading.seconds_left() > 0:
                return reading
            if not may_begin():
                return None
            since, demand = self._clock.now(), self._demands
            reading = self._client.prepare(self._request, lambda text: _Held(parse_key_set(text), since, demand, 0))
            self._reading = reading
        reading.future.add_done_callback(lambda _: self._end(reading))
        reading.start()
        return reading

    def _await(self, reading: _Reading) -> Steps[None]:
        yield Wait(reading.future, reading.seconds_left())
        # Its thread may not have come to this yet; or it has not ended in its time, and is given up.
        self._end(reading)

    def _end(self, reading: _Reading) -> None:
        """Takes what a reading brought, once."""
        with self._lock:
            if self._reading is not reading:
                return
            self._reading = None
            try:
                self._hold(outcome_of(reading, self._request))
                return
            except Exception as fault:
                self._failed_at = self._clock.now()
                problem = f"The key set could not be read: {describe_fault(fault)}"
        self._report(problem)

    def _hold(self, found: _Held) -> None:
        before = self._held
        generation = 0 if before is None else before.generation + _is_changed(before.keys, found.keys)
        self._held = found._replace(generation=generation)
        self._failed_at = None
