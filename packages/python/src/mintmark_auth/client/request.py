"""One request for a token: with client credentials alone (RFC 6749 §4.4), or with a token that was received (RFC 8693)."""

import math
import sys
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

from ..wire.clock import Instant
from ..wire.http import parse_retry_after
from ..wire.threads import Job
from ..wire.web_address import WebAddress
from .access_token import AccessToken, TokenType, is_token_text
from .agent import Answer, Connected
from .credentials import Authentication, Occasion
from .errors import TokenRefused, TokenUnavailable, harmless
from .options import Grant

RETRY_AFTER_MAX: Final = 300
"""Seconds."""
LIFETIME_SECONDS_MAX: Final = 86_400
"""A token is replaced after a day, whatever the service says."""
_EXCHANGE: Final = "urn:ietf:params:oauth:grant-type:token-exchange"
_ACCESS_TOKEN: Final = "urn:ietf:params:oauth:token-type:access_token"  # noqa: S105


class Obtained(NamedTuple):
    token: AccessToken
    lifetime_ms: float
    sent_at: Instant
    """When the request for it was sent: its life began later."""


class _Exchange(NamedTuple):
    answer: Answer
    at: Instant
    is_new_nonce: bool
    secrets: tuple[str, ...]


def _body_of(grant: Grant, authentication: Authentication) -> bytes:
    fields = [*authentication.fields.items()]
    if grant.subject_token is None:
        fields += [("grant_type", "client_credentials")]
    else:
        fields += [("grant_type", _EXCHANGE), ("subject_token", grant.subject_token), ("subject_token_type", _ACCESS_TOKEN)]
    if grant.scopes:
        fields += [("scope", " ".join(grant.scopes))]
    return urlencode([*fields, *(("resource", resource) for resource in grant.resources)]).encode()


def _send(connected: Connected, grant: Grant, endpoint: WebAddress, job: Job[Any]) -> _Exchange:
    settings, clock, prover = connected.settings, connected.clock, connected.prover
    occasion = Occasion(settings.client_id, settings.destination.issuer, clock.wall_ms(), job.seconds_left())
    authentication = settings.credential.authenticate(occasion)
    headers = {"content-type": "application/x-www-form-urlencoded"}
    proof = None if prover is None else prover.prove("POST", endpoint)
    if proof is not None:
        headers["dpop"] = proof.text
    at = clock.now()
    answer = connected.send(job, endpoint.href, headers, _body_of(grant, authentication))
    nonce = answer.headers.get("dpop-nonce")
    is_new_nonce = prover is not None and proof is not None and prover.learn(endpoint, nonce, proof)
    return _Exchange(answer, at, is_new_nonce, (*authentication.secrets, grant.subject_token or ""))


def _wrong(why: str) -> TokenUnavailable:
    return TokenUnavailable(f"the token endpoint does not answer as one should: {why}")


def _error_of(exchange: _Exchange, wall_ms: int) -> TokenRefused | TokenUnavailable:
    status, headers, _ = exchange.answer
    members = exchange.answer.parse()
    error, description = members.get("error"), members.get("error_description")
    code = harmless(error, exchange.secrets) if isinstance(error, str) else ""
    if status == 429 or status >= 500:
        wait = parse_retry_after(headers.get("retry-after"), wall_ms / 1000, RETRY_AFTER_MAX)
        reason = f"the token endpoint answers {status} {code}".rstrip()
        return TokenUnavailable(reason, None if wait is None else math.ceil(wait))
    if not code or status < 400:
        return _wrong(f"status {status}, and no error of OAuth")
    return TokenRefused(code, harmless(description, exchange.secrets) if isinstance(description, str) else None, status)


def _needs_nonce(answer: Answer) -> bool:
    return answer.status in (400, 401) and answer.parse().get("error") == "use_dpop_nonce"


def _lifetime_of(given: Any) -> float:
    is_number = isinstance(given, (int, float)) and not isinstance(given, bool)
    if not is_number or not 0 < given <= sys.float_info.max:
        raise _wrong("expires_in is not a positive number")
    return float(min(given, LIFETIME_SECONDS_MAX))


def obtain(connected: Connected, grant: Grant, job: Job[Any]) -> Obtained:
    """Raises TokenRefused or TokenUnavailable for an answer that has none; and Fault, RequestFailure or TimeoutError where
    there was no answer."""
    endpoint = connected.find_endpoint(job)
    exchange = _send(connected, grant, endpoint, job)
    # RFC 9449 §8: once more with the nonce that it brought.
    if exchange.is_new_nonce and _needs_nonce(exchange.answer):
        exchange = _send(connected, grant, endpoint, job)
    if not 200 <= exchange.answer.status < 300:
        raise _error_of(exchange, connected.clock.wall_ms())
    members = exchange.answer.parse()
    value, kind, scope = members.get("access_token"), members.get("token_type"), members.get("scope")
    if not is_token_text(value):
        raise _wrong("it holds no access token")
    wanted: TokenType = "Bearer" if connected.prover is None else "DPoP"
    # RFC 9449 §5: a token that is not bound is no answer to a request with a proof.
    if not isinstance(kind, str) or kind.lower() != wanted.lower():
        raise _wrong(f"its token is not of the type {wanted}")
    seconds = _lifetime_of(members.get("expires_in"))
    expires_at = datetime.fromtimestamp(exchange.at.wall_ms / 1000, UTC) + timedelta(seconds=seconds)
    # RFC 6749 §5.1: where it names none, those that were asked for.
    scopes = tuple(scope.split()) if isinstance(scope, str) else grant.scopes
    return Obtained(AccessToken(value, wanted, expires_at, scopes), seconds * 1000, exchange.at)
