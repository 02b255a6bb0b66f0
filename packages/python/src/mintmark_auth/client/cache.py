"""Keeps one token and replaces it in time: one request for all who wait; a token that is still valid is handed out while it
is replaced, and while that fails."""

import contextlib
import math
import threading
import time
from random import SystemRandom
from typing import Final, NamedTuple, TypeAlias

from ..wire.http import RequestFailure
from ..wire.threads import Failed, Job, Steps, Wait, start_thread
from .access_token import AccessToken
from .agent import Connected
from .errors import Fault, TokenRefused, TokenUnavailable
from .options import Grant
from .request import Obtained, obtain

# A token is replaced at a share of its life between these, another for each token, so that a fleet does not ask at once.
REFRESH_SHARE_MIN: Final = 0.7
REFRESH_SHARE_MAX: Final = 0.85
# The time before its end from which a token is not returned any more: it must still arrive. It is a tenth of a short life.
MARGIN_MS: Final = 5000
MARGIN_SHARE: Final = 0.1
# The pause after a failure without `Retry-After`, doubled by each failure after it.
PAUSE_MS_MIN: Final = 500
PAUSE_MS_MAX: Final = 30_000
# Clients that got the same time do not come back in the same moment.
SPREAD_SHARE: Final = 0.1
# A resource server that refuses every token costs no more than one new token in so long.
RENEWAL_MS_MIN: Final = 10_000
# Of the system: children of a fork would else all wait for equally long.
_chance = SystemRandom()

TokenError: TypeAlias = TokenRefused | TokenUnavailable
Fetch: TypeAlias = Job[AccessToken]


class _Kept(NamedTuple):
    obtained: Obtained
    refresh_after_ms: float
    usable_ms: float


class _Failure(NamedTuple):
    error: TokenError
    counted_ms: int
    pause_ms: float
    times: int


def _pause_after(error: TokenError, count: int) -> float:
    if isinstance(error, TokenUnavailable) and error.retry_after is not None:
        return error.retry_after * 1000 * (1 + SPREAD_SHARE * _chance.random())
    longest = min(PAUSE_MS_MIN * (1 << min(count - 1, 16)), PAUSE_MS_MAX)
    return longest * (0.5 + _chance.random() / 2)


def _again(error: TokenError, seconds_left: int | None = None) -> TokenError:
    """Another one for each caller: it gets the traceback of its caller, and none of a frame that holds a secret.

    seconds_left: Of the pause, which may be longer than the service stated.
    """
    if isinstance(error, TokenRefused):
        return TokenRefused(error.error, error.description, error.status)
    stated = [seconds for seconds in (error.retry_after, seconds_left) if seconds is not None]
    return TokenUnavailable(error.reason, min(stated, default=None))


class TokenCache:
    """Of one source in one process."""

    def __init__(self, connected: Connected, grant: Grant) -> None:
        self.connected = connected
        self._grant = grant
        self._clock = connected.clock
        self._lock = threading.Lock()
        # Read without the lock: each is replaced as a whole.
        self._kept: _Kept | None = None
        self._failure: _Failure | None = None
        self._fetch: Fetch | None = None
        self._renewed_ms = -math.inf

    def get(self) -> Steps[AccessToken]:
        """Raises TokenRefused or TokenUnavailable."""
        began, seconds_max = time.monotonic(), self.connected.settings.timeout
        while True:
            joined = self._join()
            if isinstance(joined, AccessToken):
                return joined
            yield Wait(joined.future, min(joined.seconds_left(), began + seconds_max - time.monotonic()))
            outcome = joined.future.result() if joined.future.done() else Failed(TimeoutError())
            if isinstance(outcome, Failed):
                self.connected.workers.end_late()
                raise _again(self._settle(joined, outcome.fault))
            # Before this caller woke, another may have had it, and invalidated it; or it has ended by now.
            token = self.recall()
            if token is not None:
                return token
            if time.monotonic() - began >= seconds_max:
                raise TokenUnavailable("each token that came was invalidated")

    def recall(self) -> AccessToken | None:
        """What is valid for now, and is replaced in time; None where a request is needed."""
        kept = self._kept
        age_ms = math.inf if kept is None else self._age_ms(kept)
        if kept is None or age_ms >= kept.usable_ms:
            return None
        if age_ms >= kept.refresh_after_ms:
            self._refresh_aside()
        return kept.obtained.token

    def drop(self, token: AccessToken) -> None:
        """It is not handed out again."""
        with self._lock:
            if self._is_current(token):
                self._kept = None

    def renew(self, token: AccessToken) -> bool:
        """Drops it for a resource server that refused it; False where that came too soon after another one."""
        with self._lock:
            # Where another request has replaced it by now, the new one costs nothing.
            if not self._is_current(token):
                return True
            now_ms = self._clock.counted_ms()
            if now_ms - self._renewed_ms < RENEWAL_MS_MIN:
                return False
            self._renewed_ms, self._kept = now_ms, None
            return True

    def _is_current(self, token: AccessToken) -> bool:
        return self._kept is not None and self._kept.obtained.token.value == token.value

    def _age_ms(self, kept: _Kept) -> int:
        """By the clock that advanced further: no token lives longer when a clock was set back or stood still."""
        return self._clock.ms_since(kept.obtained.sent_at)

    def _pause_left_ms(self) -> float:
        """By the clock that only counts: another one that is set forth must not make a fleet ask at once."""
        failure = self._failure
        return 0 if failure is None else failure.pause_ms - (self._clock.counted_ms() - failure.counted_ms)

    def _join(self) -> AccessToken | Fetch:
        """The request under way, or a new one; a token where one came meanwhile. Raises the last error in its pause."""
        self._end_late()
        with self._lock:
            kept, fetch, failure = self._kept, self._fetch, self._failure
            if kept is not None and self._age_ms(kept) < kept.usable_ms:
                return kept.obtained.token
            if fetch is not None:
                return fetch
            left_ms = self._pause_left_ms()
            if failure is not None and left_ms > 0:
                raise _again(failure.error, max(1, math.ceil(left_ms / 1000)))
            fetch = self._fetch = self._make_fetch()
        # Without the lock: where no thread can be had it has failed by then.
        fetch.start()
        return fetch

    def _may_ask(self) -> bool:
        return self._fetch is None and self._pause_left_ms() <= 0

    def _refresh_aside(self) -> None:
        self._end_late()
        if not self._may_ask():
            return
        with self._lock:
            if not self._may_ask():
                return
            fetch = self._fetch = self._make_fetch()
        fetch.future.add_done_callback(lambda done: self._report(fetch, done.result()))
        fetch.start()

    def _report(self, fetch: Fetch, outcome: AccessToken | Failed) -> None:
        if isinstance(outcome, Failed):
            error = self._settle(fetch, outcome.fault)
            # Neither on a worker, which it may hold, nor on the thread of a caller, which this may be.
            with contextlib.suppress(RuntimeError):  # no thread is to be had
                start_thread(lambda: self._hand_over(_again(error)), "mintmark-auth-refresh")

    def _hand_over(self, error: TokenError) -> None:
        # A fault of the function itself has nowhere to go.
        with contextlib.suppress(BaseException):
            self.connected.settings.on_refresh_failure(error)

    def _make_fetch(self) -> Fetch:
        return Job(self.connected.workers, self._run, self.connected.settings.timeout)

    def _run(self, fetch: Fetch) -> AccessToken:
        try:
            return self._keep(fetch, obtain(self.connected, self._grant, fetch))
        except Exception as fault:
            raise self._settle(fetch, fault) from None

    def _keep(self, fetch: Fetch, obtained: Obtained) -> AccessToken:
        lifetime_ms = obtained.lifetime_ms
        share = REFRESH_SHARE_MIN + (REFRESH_SHARE_MAX - REFRESH_SHARE_MIN) * _chance.random()
        kept = _Kept(obtained, lifetime_ms * share, lifetime_ms - min(MARGIN_MS, lifetime_ms * MARGIN_SHARE))
        if self._age_ms(kept) >= kept.usable_ms:
            raise TokenUnavailable("the answer took longer than the token lives")
        with self._lock:
            if self._fetch is not fetch:
                raise TimeoutError  # its callers have given up
            self._kept, self._failure, self._fetch = kept, None, None
        return obtained.token

    def _settle(self, fetch: Fetch, fault: BaseException) -> TokenError:
        """What a request failed by. Only the first to say so counts: the request itself, or a caller that gave it up."""
        error = self._error_of(fetch, fault)
        with self._lock:
            if self._fetch is fetch:
                count = 1 if self._failure is None else self._failure.times + 1
                self._failure = _Failure(_again(error), self._clock.counted_ms(), _pause_after(error, count), count)
                self._fetch = None
        return error

    def _error_of(self, fetch: Fetch, fault: BaseException) -> TokenError:
        if isinstance(fault, (TokenRefused, TokenUnavailable)):
            return fault
        if isinstance(fault, TimeoutError) or (isinstance(fault, RequestFailure) and fetch.seconds_left() <= 0):
            return TokenUnavailable(f"no whole answer within {self.connected.settings.timeout:g} s")
        if isinstance(fault, (Fault, RequestFailure)):
            return TokenUnavailable(str(fault).removeprefix("The request failed: "))
        # What nobody foresaw. Its message may hold a secret.
        return TokenUnavailable(f"a fault of the client, {type(fault).__name__}")

    def _end_late(self) -> None:
        fetch = self._fetch
        if fetch is not None and fetch.seconds_left() <= 0:
            self.connected.workers.end_late()
            self._settle(fetch, TimeoutError())
