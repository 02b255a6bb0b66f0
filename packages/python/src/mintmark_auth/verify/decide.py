"""Decides on one token: by its text, its times, its binding, its revocation and its scope, in this order."""

import threading
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from ..feed.verdict import Judged, Verdict
from ..proofs.binding import Bindings
from ..tokens.cache import TokenCache
from ..tokens.claims import UNTIMELY, Claims, TimeRange, Validity, freeze, read_claims, scopes_of, validity_of
from ..tokens.compact_jws import COMPACT_CHARACTERS_MAX
from ..tokens.introspection import Introspection
from ..tokens.key_set import KeySet
from ..tokens.signatures import SignedReader, Unverified, signature_refusal
from ..wire.clock import Clock, Instant
from ..wire.http import HttpClient
from ..wire.threads import Steps
from .asked import Asked, plain_text
from .journal import Journal
from .options import Settings
from .refusals import Refusal

if TYPE_CHECKING:
    from ..feed.feed import Feed


@dataclass(frozen=True, slots=True)
class Verified:
    """A token that was accepted. Nothing in it can be changed: the next request with the token gets the same one."""

    claims: Claims
    """As RFC 9068 §2.2 has them, with the own claims of the agent; objects are read-only mappings, arrays are tuples."""
    scopes: tuple[str, ...]
    """The items of `scope`."""
    by: Literal["feed", "introspection", "signature"]
    """What said that the token has not been revoked; `signature`: nothing did."""


Decided: TypeAlias = Verified | Refusal


@dataclass(frozen=True, slots=True)
class _Entry:
    """A token whose text was found good: only times, binding, revocation and scope are checked again."""

    answer: Verified
    """What it is accepted with where nothing is asked of the service."""
    judged: Judged
    generation: int
    """That of the key set that verified the signature."""
    validity: Validity
    is_bound: bool
    """To a key or a certificate, so that each request must show that it has it."""
    doubt: Refusal | None
    """Why this verifier alone cannot accept it; None for each that is kept."""

    @property
    def claims(self) -> Claims:
        return self.answer.claims

    def introspected(self) -> Verified:
        """What it is accepted with where the service just said that it is active."""
        return self.answer if self.answer.by == "introspection" else replace(self.answer, by="introspection")


_CLOSED: Final = Refusal("closed", "The verifier was closed.")
_MISSING: Final = Refusal("missing_token", "There is no token.")
_CHANGED: Final = Refusal("keys_unavailable", "The key set has changed while the request was checked.")
_REVOKED: Final = Refusal("revoked", "The revocation feed says that the token has ended.")
_STALE: Final = Refusal("stale", "The revocation feed is staler than allowed.")
_UNKNOWN: Final = Refusal("stale", "The revocation feed holds a fact that cannot be compared with the token here.")

# How far the clocks of this machine may differ while proofs are judged by them: nothing else knows the time of a proof.
_CLOCKS_APART_MS_MAX = 5000
# Strangers can make up key ids, and with each have the service asked: so many of them wait for it at once.
DOUBTS_AT_ONCE_MAX: Final = 8


class Core:
    """All that a verifier holds in one process. A child of a fork gets another one: nothing in it is shared."""

    def __init__(self, settings: Settings, clock: Clock, changed: Callable[[], None]) -> None:
        self._settings, self._clock = settings, clock
        self.journal: Journal = Journal(settings.hooks, clock)
        self._client = self._make_client()
        # With threads of its own: however many introspections hang, keys and heads are asked for.
        self._introspection_client = self._make_client()
        self.key_set: KeySet = KeySet(
            f"{settings.destination.issuer}/.well-known/jwks.json",
            settings.key_age_ms_max,
            client=self._client,
            clock=clock,
            report=self._report,
        )
        self._introspection = Introspection(
            f"{settings.destination.issuer}/oauth/introspect/v2",
            settings.api_key,
            age_ms_max=settings.staleness_ms_max,
            client=self._introspection_client,
            clock=clock,
            report=self._report,
        )
        self._bindings = Bindings(settings.proofs, self._report)
        self._reader = SignedReader("at+jwt", COMPACT_CHARACTERS_MAX)
        self.cache: TokenCache[_Entry] = TokenCache()
        self._doubts = threading.Semaphore(DOUBTS_AT_ONCE_MAX)
        self.feed: Feed | None = self._make_feed(changed) if settings.mode == "feed" else None
        self.is_closed: bool = False

    def _make_client(self) -> HttpClient:
        return HttpClient(self._settings.destination)

    def _make_feed(self, changed: Callable[[], None]) -> "Feed":
        from ..feed.feed import Feed
        from ..feed.requests import FeedAccess

        settings = self._settings
        return Feed(
            FeedAccess(settings.destination.issuer, settings.api_key, settings.name, settings.staleness_ms_max),
            client=self._client,
            clock=self._clock,
            key_set=self.key_set,
            report=self._report,
            changed=changed,
        )

    def follow(self) -> None:
        """Follows the feed from now on, where there is one. Raises RuntimeError where no thread can be started."""
        if self.feed is not None and not self.is_closed:
            self.feed.start()

    def close(self) -> None:
        self.is_closed = True
        if self.feed is not None:
            self.feed.close()
        self._bindings.close()
        self._introspection_client.close()
        self._client.close()

    def recall(self, token: object, asked: Asked) -> Decided | None:
        """What `decide` would say of a token that was accepted before and is still good, without a step; None for others."""
        if type(token) is not str or asked.dpop is not None or self.is_closed:
            return None
        entry = self.cache.get(token)
        if (
            entry is None
            or entry.is_bound
            or entry.validity.refusal_in(self._time(now := self._clock.now())) is not None
            or (self.feed is not None and self.feed.judge(entry.claims, entry.judged, now) is not Verdict.CLEAR)
            # Last: a key is distrusted before the position of its cut-off is confirmed.
            or not self.key_set.vouches_for(entry.generation, now)
        ):
            return None
        return scope_refusal(entry.answer, asked.scopes) or entry.answer

    def decide(self, token: object, asked: Asked) -> Steps[Decided]:
        """The token, or why it is refused."""
        if self.is_closed:
            return _CLOSED
        text = plain_text(token) if isinstance(token, str) else ""
        if text == "":
            return _MISSING
        entry = self.cache.get(text)
        if entry is None or not self.key_set.vouches_for(entry.generation, self._clock.now()):
            read = yield from self._read(text)
            if isinstance(read, Refusal):
                return read
            entry = read
        untimely = self._untimely(entry)
        if untimely is not None and untimely is not UNTIMELY:
            if untimely.code == "expired":
                self.cache.forget(text)
            return untimely
        if entry.is_bound or asked.dpop is not None:
            refused = yield from self._check_binding(text, entry, asked)
            if refused is not None:
                return refused
            untimely = self._untimely(entry)
            if untimely is not None and untimely is not UNTIMELY:
                return untimely
        doubt = entry.doubt or untimely
        checked = yield from self._check_revocation(text, entry) if doubt is None else self._resolve(doubt, text, entry)
        # By scope last, so that nothing is waited for between what the service says and the answer.
        return checked if isinstance(checked, Refusal) else scope_refusal(checked, asked.scopes) or checked

    def _read(self, token: str) -> Steps[_Entry | Refusal]:
        """Reads and verifies a text that is not in the cache. In mode `introspect` the service alone verifies."""
        read = self._reader.read(token)
        if isinstance(read, Refusal):
            return read
        if read.alg not in self._settings.algorithms:
            return Refusal("wrong_algorithm", "alg is none that this verifier accepts.")
        claims = read_claims(read.payload, self._settings.destination.issuer, self._settings.audiences)
        if isinstance(claims, Refusal):
            return claims
        if self._settings.mode == "introspect":
            return _entry_of(claims, "introspection", read.kid, 0, None)
        return (yield from self._verify(token, read, claims))

    def _verify(self, token: str, read: Unverified, claims: Claims) -> Steps[_Entry | Refusal]:
        generation = self.key_set.generation()
        refused = yield from signature_refusal(self.key_set, read)
        if generation != self.key_set.generation():
            # To find the key may have changed the set: then once more, by the set that is there now.
            return (yield from self._verify(token, read, claims))
        if refused is not None and refused.code != "key_pending":
            return refused
        by: Final = "signature" if self.feed is None else "feed"
        entry = _entry_of(claims, by, read.kid, generation, refused)
        if refused is None:
            self.cache.add(token, entry)
        return entry

    def _untimely(self, entry: _Entry) -> Refusal | None:
        """In mode `introspect` the service knows the time better."""
        if self._settings.mode == "introspect":
            return None
        return entry.validity.refusal_in(self._time(self._clock.now()))

    def _time(self, now: Instant) -> TimeRange:
        """The time of the service in mode `feed`, else of this machine."""
        return TimeRange(now.wall_ms, now.wall_ms) if self.feed is None else self.feed.time(now)

    def _proof_time_ms(self) -> int | None:
        """A time to judge a proof by; None where a clock was set, and the service has not yet said how late it is."""
        time = self._time(self._clock.now())
        if time.latest_ms == float("inf"):
            return self._clock.wall_ms()
        return None if time.latest_ms - time.earliest_ms > _CLOCKS_APART_MS_MAX else int(time.latest_ms)

    def _check_binding(self, token: str, entry: _Entry, asked: Asked) -> Steps[Refusal | None]:
        refused = yield from self._bindings.check(token, entry.claims, asked, self._proof_time_ms())
        if refused is not None:
            return refused
        # What was good before something was waited for may be so no more.
        if self.is_closed:
            return _CLOSED
        is_verified_here = self._settings.mode != "introspect" and entry.doubt is None
        if is_verified_here and not self.key_set.vouches_for(entry.generation, self._clock.now()):
            return _CHANGED
        return None

    def _check_revocation(self, token: str, entry: _Entry) -> Steps[Decided]:
        """Whether the token has been revoked, by what the mode asks."""
        if self._settings.mode == "offline":
            return entry.answer
        if self.feed is None:
            return (yield from self._introspect(token, entry))
        verdict = self.feed.judge(entry.claims, entry.judged, now := self._clock.now())
        if verdict is Verdict.CLEAR:
            return entry.answer if self.key_set.vouches_for(entry.generation, now) else _CHANGED
        if verdict is Verdict.ENDED:
            return _REVOKED
        if self._settings.when_stale == "introspect":
            return (yield from self._introspect(token, entry))
        return _STALE if verdict is None else _UNKNOWN

    def _introspect(self, token: str, entry: _Entry) -> Steps[Decided]:
        return (yield from self._introspection.check(token, entry.claims)) or entry.introspected()

    def _resolve(self, doubt: Refusal, token: str, entry: _Entry) -> Steps[Decided]:
        """Asks the service about what this verifier cannot know, in mode `feed` unless it is set to refuse then."""
        is_refused = self.feed is None or self._settings.when_stale == "refuse"
        if is_refused or not self._doubts.acquire(blocking=False):
            return doubt
        try:
            return (yield from self._introspect(token, entry))
        finally:
            self._doubts.release()

    def _report(self, problem: str) -> None:
        # What is interrupted by close() has no fault.
        if not self.is_closed:
            self.journal.report(problem)


def _entry_of(
    claims: Claims, by: Literal["feed", "introspection", "signature"], kid: str, generation: int, doubt: Refusal | None
) -> _Entry:
    answer = Verified(freeze(claims), scopes_of(claims), by)
    return _Entry(answer, Judged(kid), generation, validity_of(claims), "cnf" in claims, doubt)


def scope_refusal(verified: Verified, scopes: Collection[str]) -> Refusal | None:
    """Why a token that is good does not suffice."""
    missing = [item for item in scopes if item not in verified.scopes]
    return Refusal("insufficient_scope", f"The token lacks: {' '.join(missing)}.") if missing else None
