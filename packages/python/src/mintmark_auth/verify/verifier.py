"""The public face of a verifier: what it is asked, what it answers, and what it says of itself."""

import os
import threading
import weakref
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Final, Literal, NoReturn

from ..proofs.certificate import Certificate
from ..proofs.dpop import PROOF_ALGORITHMS, Presented
from ..proofs.replays import ProofMemory
from ..tokens.public_keys import ALGORITHMS, Algorithm
from ..wire.clock import Clock
from ..wire.http import describe_fault
from ..wire.threads import Steps, Wait, afinish, finish, is_on_loop
from .asked import Asked, IncomingRequest, Misuse, take_asked, take_request
from .authorization import parse_authorization
from .decide import Core, Decided, Verified
from .journal import Hooks
from .options import KEY_AGE_USUAL, STALENESS_USUAL, Mode, Settings, WhenStale, parse_options
from .refusals import Refusal, RefusalContext, Refused, Scheme
from .status import Resource, Status

if TYPE_CHECKING:
    from ssl import SSLContext

_PROOF_ALGORITHMS: Final = " ".join(PROOF_ALGORITHMS)
_READY_SECONDS_MAX = 3600
_NO_HOOKS: Final = Hooks()
_BLOCKS_A_LOOP = "verify() had to wait on a thread that runs an event loop, and blocked it: await averify() there."


class Verifier:
    """Verifies access tokens (RFC 9068). One for each API, made at import if you like: works from first use, once in each
    process, in all threads and on all event loops."""

    def __init__(
        self,
        issuer: str,
        audience: str | Sequence[str],
        *,
        api_key: str | None = None,
        mode: Mode = "feed",
        max_staleness: float = STALENESS_USUAL,
        when_stale: WhenStale = "introspect",
        algorithms: Collection[Algorithm] = ALGORITHMS,
        max_key_age: float = KEY_AGE_USUAL,
        resource_metadata: str | None = None,
        proofs: ProofMemory | None = None,
        insecure: Literal["http"] | None = None,
        name: str | None = None,
        hooks: Hooks = _NO_HOOKS,
        ssl_context: "SSLContext | None" = None,
        proxy: str | None = None,
    ) -> None:
        """Raises ValueError for the first option that is wrong. Requests nothing, starts no thread.

        issuer: The base URL of the service, exactly as in `iss`: `https`, or `http` on loopback.
        audience: What `aud` must hold: one of these, each exactly. The first is the resource of the metadata.
        api_key: An API key with the permission `tokens:introspect`. All modes but `offline` need it.
        mode: `feed`, `offline` or `introspect`, see `Mode`.
        max_staleness: The seconds of staleness beyond which the feed alone accepts nothing, from 0.2 to 3600. No answer of
            introspection is older.
        when_stale: What is done then: `introspect` or `refuse`, see `WhenStale`.
        algorithms: Those that are accepted; all of the service unless given.
        max_key_age: Keys older than so many seconds are not believed while the service does not answer.
        resource_metadata: The address of the metadata in challenges; from the first audience unless given.
        proofs: Remembers DPoP proofs; share its store among processes. In memory unless given.
        insecure: `http` accepts an http issuer beyond loopback, in a network where nobody else can answer for it: the keys
            come from there.
        name: How operators see this verifier.
        hooks: Functions for metrics and logs.
        ssl_context: What connections to the service are verified by.
        proxy: The proxy to the service; that of the environment unless given.
        """
        options = {
            "api_key": api_key,
            "mode": mode,
            "max_staleness": max_staleness,
            "when_stale": when_stale,
            "algorithms": algorithms,
            "max_key_age": max_key_age,
            "resource_metadata": resource_metadata,
            "proofs": proofs,
            "insecure": insecure,
            "name": name,
            "hooks": hooks,
            "ssl_context": ssl_context,
            "proxy": proxy,
        }
        self._settings = parse_options(issuer, audience, options)
        self._clock = Clock()
        self.resource: Resource = Resource(self._settings.audiences[0], issuer, self._settings.resource_metadata)
        """Audience, issuer and metadata of the API."""
        self._has_warned_of_loop = False
        self._renewing = threading.Lock()
        self._pid = os.getpid()
        self._make_core: Callable[[Settings, Clock, Callable[[], None]], Core] = Core
        self._core = Core(self._settings, self._clock, self._note_change)
        _verifiers.add(self)

    def verify(
        self,
        token: str | None,
        *,
        scopes: Collection[str] = (),
        dpop: Presented | None = None,
        certificate: Certificate | None = None,
    ) -> Verified:
        """The token, if it is good and carries all scopes. Raises Refused within seconds, and nothing else but what Python
        raises anywhere, such as RecursionError. Waits for the network only where keys or the mode need it.

        dpop: The request and its proof, where the token came by the scheme DPoP (RFC 9449 §7.1); None for Bearer.
        certificate: That of the caller's TLS connection, where there is one (RFC 8705 §3).
        """
        try:
            asked = take_asked(scopes, dpop, certificate)
            core = self._present()
            decided = core.recall(token, asked)
            if decided is None:
                decided = finish(core.decide(token, asked), self._warn_of_loop)
        except Exception as fault:
            self._refuse_fault(fault)
        return self._settle(decided, asked)

    async def averify(
        self,
        token: str | None,
        *,
        scopes: Collection[str] = (),
        dpop: Presented | None = None,
        certificate: Certificate | None = None,
    ) -> Verified:
        """The same, and never blocks the event loop on the network: without a request it ends at once."""
        try:
            asked = take_asked(scopes, dpop, certificate)
            core = self._present()
            decided = core.recall(token, asked)
            if decided is None:
                decided = await afinish(core.decide(token, asked))
        except Exception as fault:
            self._refuse_fault(fault)
        return self._settle(decided, asked)

    def authorize(self, request: IncomingRequest) -> Verified:
        """Verifies the token of a request, by its scheme (RFC 6750 §2.1, RFC 9449 §7.1). Raises what
        `verify` does."""
        try:
            token, asked = self._read_request(request)
            core = self._present()
            decided = core.recall(token, asked)
            if decided is None:
                decided = finish(core.decide(token, asked), self._warn_of_loop)
        except Exception as fault:
            self._refuse_fault(fault)
        return self._settle(decided, asked)

    async def aauthorize(self, request: IncomingRequest) -> Verified:
        """The same, and never blocks the event loop on the network."""
        try:
            token, asked = self._read_request(request)
            core = self._present()
            decided = core.recall(token, asked)
            if decided is None:
                decided = await afinish(core.decide(token, asked))
        except Exception as fault:
            self._refuse_fault(fault)
        return self._settle(decided, asked)

    def ready(self, timeout: float = 10) -> Status:
        """Begins to follow the feed, or reads the keys, as the mode needs it; returns when that is there, or after so many
        seconds. Raises ValueError for what is no time."""
        finish(_within(self._prepare(), _parse_timeout(timeout)))
        return self.status()

    async def aready(self, timeout: float = 10) -> Status:
        """The same, and never blocks the event loop."""
        await afinish(_within(self._prepare(), _parse_timeout(timeout)))
        return self.status()

    def status(self) -> Status:
        """How it is now."""
        core, settings = self._core, self._settings
        age_ms = core.key_set.age_ms()
        journal = core.journal
        held = None if core.feed is None else core.feed.held
        place = None if held is None else held.place()
        stale_ms = float("inf") if held is None else held.staleness.ms(self._clock.now())
        facts = None if held is None else held.facts
        return Status(
            name=settings.name,
            mode=settings.mode,
            epoch=None if place is None else place.epoch,
            position=None if place is None else place.position,
            staleness=None if stale_ms == float("inf") else stale_ms / 1000,
            is_fresh=place is not None and stale_ms <= settings.staleness_ms_max,
            transport="none" if held is None else held.transport,
            facts=None if facts is None else facts.sizes(),
            keys_age=None if age_ms is None else age_ms / 1000,
            cached_tokens=len(core.cache),
            failures=journal.failures,
            last_failure=journal.last,
        )

    def close(self) -> None:
        """Ends the background; every token is refused from then on."""
        self._core.close()

    def __repr__(self) -> str:
        return f"Verifier({self.resource.issuer!r}, {list(self._settings.audiences)!r}, mode={self._settings.mode!r})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("A Verifier has threads and connections of its own: make one in each process, do not pickle it.")

    def _renew(self) -> None:
        """Sets fields alone: it runs in a child right after the fork, where other threads may have left any lock locked."""
        core = self._make_core(self._settings, self._clock, self._note_change)
        core.is_closed = self._core.is_closed
        self._core, self._pid = core, os.getpid()

    def _replace_core(self, make_core: Callable[[Settings, Clock, Callable[[], None]], Core]) -> None:
        """For tests of an API: what it holds, and whom it asks, is another from now on."""
        replaced, self._make_core = self._core, make_core
        self._renew()
        replaced.close()

    def _present(self) -> Core:
        """The core of this process, also where a server forked without the hooks of Python. Follows from now on."""
        if self._pid != os.getpid():
            with self._renewing:
                if self._pid != os.getpid():
                    self._renew()
        core = self._core
        core.follow()
        return core

    def _note_change(self) -> None:
        if self._settings.hooks.changed is not None:
            self._core.journal.notify(self._settings.hooks.changed, self.status())

    def _warn_of_loop(self) -> None:
        """Says once that a wait blocks an event loop."""
        if not self._has_warned_of_loop and is_on_loop():
            self._has_warned_of_loop = True
            self._core.journal.report(_BLOCKS_A_LOOP)

    def _prepare(self) -> Steps[None]:
        core = self._present()
        if core.is_closed or self._settings.mode == "introspect":
            return
        if core.feed is not None:
            arrival = core.feed.arrival()
            try:
                yield Wait(arrival, _READY_SECONDS_MAX)
            finally:
                core.feed.leave(arrival)
        elif core.key_set.is_too_old():
            yield from core.key_set.load()
        # Where no token comes nothing else reads them again.
        core.key_set.refresh()

    def _read_request(self, request: IncomingRequest) -> tuple[str | None, Asked]:
        taken = take_request(request)
        scopes = tuple(taken.scopes)
        authorization = parse_authorization(taken.authorization)
        if authorization == "malformed":
            self._refuse(Refusal("invalid_request", "The header Authorization does not hold one token."), "Bearer", scopes)
        if authorization == "none":
            return None, Asked(scopes, None, taken.certificate)
        is_dpop = authorization.scheme == "DPoP"
        presented = Presented(taken.method, taken.url, taken.proof) if is_dpop else None
        return authorization.token, Asked(scopes, presented, taken.certificate)

    def _settle(self, decided: Decided, asked: Asked) -> Verified:
        if isinstance(decided, Refusal):
            is_bound_to_key = asked.dpop is not None or decided.code == "wrong_scheme"
            self._refuse(decided, "DPoP" if is_bound_to_key else "Bearer", asked.scopes)
        feed = self._core.feed
        if feed is not None and feed.reports is not None:
            feed.reports.count(decided.claims)
        verified_hook = self._settings.hooks.verified
        if verified_hook is not None:
            self._core.journal.notify(verified_hook, decided)
        return decided

    def _refuse(self, refusal: Refusal, scheme: Scheme, scopes: tuple[str, ...]) -> NoReturn:
        context = RefusalContext(self._settings.resource_metadata, scopes, scheme, _PROOF_ALGORITHMS)
        refused = Refused(refusal.code, refusal.reason, context)
        if self._settings.hooks.refused is not None:
            self._core.journal.notify(self._settings.hooks.refused, refused)
        raise refused

    def _refuse_fault(self, fault: Exception) -> NoReturn:
        """What nobody foresaw is a refusal too. A request that cannot be decided on is a mistake of the program."""
        if isinstance(fault, Refused):
            raise fault
        is_misuse = isinstance(fault, Misuse)
        reason = str(fault) if is_misuse else f"A fault of the verifier: {describe_fault(fault)}"
        self._core.journal.report(reason)
        self._refuse(Refusal("misuse" if is_misuse else "fault", reason), "Bearer", ())


def _parse_timeout(timeout: object) -> float:
    if isinstance(timeout, (int, float)) and not isinstance(timeout, bool) and 0 <= timeout <= _READY_SECONDS_MAX:
        return timeout
    raise ValueError(f"ready: timeout is not a number of seconds from 0 to {_READY_SECONDS_MAX}.")


def _within(steps: Steps[None], seconds: float) -> Steps[None]:
    """The first wait of the steps, cut short; what they wait for goes on."""
    for wait in steps:
        yield wait._replace(seconds=min(wait.seconds, seconds))
        if not wait.future.done():
            return


_verifiers: "weakref.WeakSet[Verifier]" = weakref.WeakSet()


def _renew_all() -> None:
    for verifier in list(_verifiers):
        verifier._renewing = threading.Lock()  # pyright: ignore[reportPrivateUsage]
        verifier._renew()  # pyright: ignore[reportPrivateUsage]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_all)
