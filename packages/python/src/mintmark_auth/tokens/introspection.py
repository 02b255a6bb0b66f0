"""Asks the service whether a token is active (RFC 7662): at every request anew, and never from a cache."""

from collections.abc import Callable

from ..verify.refusals import Refusal
from ..wire.clock import Clock
from ..wire.http import HttpClient, Request, RequestFailure, describe_fault
from ..wire.threads import Steps
from .claims import Claims
from .strict_json import JsonObject, parse_object

_ANSWER_BYTES_MAX = 65_536
_SECONDS_MAX = 5.0


def _is_same(one: object, other: object) -> bool:
    """As JSON has it: `true` is not 1, as it is to Python."""
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def _is_about(answer: JsonObject, claims: Claims) -> bool:
    """Whether it is about this token: a cache or a proxy may have mixed up two. `jti` may be absent (RFC 7662 §2.2)."""
    scope = answer.get("scope")
    return (
        _is_same(answer.get("sub"), claims["sub"])
        and _is_same(answer.get("exp"), claims["exp"])
        and _is_same("" if scope is None else scope, claims.get("scope", ""))
        and ("jti" not in answer or _is_same(answer["jti"], claims["jti"]))
    )


def _judge(answer: JsonObject | None, claims: Claims) -> Refusal | None:
    active = None if answer is None else answer.get("active")
    if active is False:
        return Refusal("inactive", "The service says that the token is not active.")
    if answer is None or active is not True:
        return Refusal("introspection_unavailable", "The answer is not one of introspection.")
    if not _is_about(answer, claims):
        return Refusal("introspection_unavailable", "The answer is about another token.")
    return None


class Introspection:
    def __init__(
        self,
        url: str,
        api_key: str,
        *,
        age_ms_max: int,
        client: HttpClient,
        clock: Clock,
        report: Callable[[str], None],
    ) -> None:
        self._url, self._client, self._clock, self._report = url, client, clock, report
        self._seconds_max = min(_SECONDS_MAX, age_ms_max / 1000)
        self._headers = {
            "x-api-key": api_key,
            "content-type": "application/x-www-form-urlencoded",
            "accept": "application/json",
        }

    def check(self, token: str, claims: Claims) -> Steps[Refusal | None]:
        """Why the token is refused; None where the service just said that it is active. `claims` are those of its text."""
        since = self._clock.now()
        # A token that was read has no character that a form would escape.
        body = b"token=" + token.encode()
        request = Request(self._url, _ANSWER_BYTES_MAX, "POST", self._headers, body, seconds_max=self._seconds_max)
        try:
            answer = yield from self._client.send(request)
            # Timers stand still while the machine is suspended: an answer from before says nothing of now.
            if self._clock.ms_since(since) > request.seconds_max * 1000:
                raise RequestFailure("The answer is too old.")
        except Exception as fault:
            reason = f"Introspection failed: {describe_fault(fault)}"
            self._report(reason)
            return Refusal("introspection_unavailable", reason)
        return _judge(parse_object(answer), claims)
