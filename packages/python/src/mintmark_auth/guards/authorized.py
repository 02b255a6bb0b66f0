"""What was verified of a request, noted beside it: in the scope of ASGI, or in the environ of WSGI."""

from collections.abc import Mapping, MutableMapping
from dataclasses import replace
from typing import Any, Final, NamedTuple

from ..verify.asked import IncomingRequest
from ..verify.decide import Verified, scope_refusal
from ..verify.verifier import Verifier

# No header can have this name, and no caller can send what stands under it.
_NOTE: Final = "mintmark_auth.authorized"


class _Authorized(NamedTuple):
    verifier: Verifier
    request: IncomingRequest
    """Without scopes."""
    verified: Verified


def verified_of(scope_or_environ: Mapping[str, Any]) -> Verified:
    """Raises LookupError where no guard saw it: a route without its guard must not pass for one with it."""
    noted = scope_or_environ.get(_NOTE)
    if not isinstance(noted, _Authorized):
        raise LookupError("This request was not verified: put a guard before its handler.")
    return noted.verified


def _recall(verifier: Verifier, scope_or_environ: Mapping[str, Any], request: IncomingRequest) -> Verified | None:
    """What an earlier guard has verified for this very request: its proof counts once (RFC 9449 §11.1), and only scopes are
    left to check. One that was copied for another request does not pass with it. Raises Refused."""
    noted = scope_or_environ.get(_NOTE)
    if not isinstance(noted, _Authorized) or noted[:2] != (verifier, replace(request, scopes=())):
        return None
    verified = noted.verified
    refusal = scope_refusal(verified, request.scopes)
    if refusal is not None:
        is_bound_to_key = "jkt" in verified.claims.get("cnf", {})
        refuse = verifier._refuse  # pyright: ignore[reportPrivateUsage]
        refuse(refusal, "DPoP" if is_bound_to_key else "Bearer", tuple(request.scopes))
    return verified


def _note(
    verifier: Verifier, scope_or_environ: MutableMapping[str, Any], request: IncomingRequest, verified: Verified
) -> Verified:
    scope_or_environ[_NOTE] = _Authorized(verifier, replace(request, scopes=()), verified)
    return verified


def authorize(verifier: Verifier, scope_or_environ: MutableMapping[str, Any], request: IncomingRequest) -> Verified:
    """Raises Refused."""
    recalled = _recall(verifier, scope_or_environ, request)
    return recalled or _note(verifier, scope_or_environ, request, verifier.authorize(request))


async def aauthorize(verifier: Verifier, scope_or_environ: MutableMapping[str, Any], request: IncomingRequest) -> Verified:
    """The same, and never blocks the event loop on the network."""
    recalled = _recall(verifier, scope_or_environ, request)
    return recalled or _note(verifier, scope_or_environ, request, await verifier.aauthorize(request))
