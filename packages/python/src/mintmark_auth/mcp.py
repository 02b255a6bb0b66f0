"""For servers of the Model Context Protocol with its SDK for Python: a token verifier, and a guard that sends the challenges
which the SDK's own cannot: of a step up, of DPoP, and 503 with Retry-After."""

import json
from collections.abc import Mapping
from typing import Any

from mcp.server.auth.middleware.auth_context import AuthContextMiddleware
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken, TokenVerifier
from starlette.authentication import AuthCredentials

from .asgi import ASGIApp, Receive, Scope, Send, protect, values_of, verified
from .guards.guard import check_verifier
from .verify.authorization import Authorization, parse_authorization
from .verify.decide import Verified
from .verify.refusals import Refused
from .verify.verifier import Verifier


def _access_token(verifier: Verifier, token: str, found: Verified) -> AccessToken:
    """The SDK knows sessions by client, `iss` and subject: without the last two, persons of a client would share them."""
    claims: dict[str, Any] = json.loads(json.dumps(found.claims, default=dict))
    audience, ours = claims["aud"], verifier.resource.audience
    return AccessToken(
        token=token,
        client_id=claims["client_id"],
        scopes=list(found.scopes),
        expires_at=int(claims["exp"]),
        resource=ours if ours in ([audience] if isinstance(audience, str) else audience) else None,
        subject=claims["sub"],
        claims=claims,
    )


class McpVerifier(TokenVerifier):
    """For the SDK's own middleware, which takes bearer tokens: one that is bound to a key or a certificate is refused. It
    requires no scopes: give `required_scopes` to the SDK. Of two lines of Authorization the SDK reads the first;
    `protect_mcp` refuses both."""

    def __init__(self, verifier: Verifier) -> None:
        self._verifier = check_verifier("McpVerifier", verifier)

    async def verify_token(self, token: str) -> AccessToken | None:
        """None for a token that is not valid. Raises Refused where it cannot be checked: the SDK responds with 500, since
        after 401 all clients would log in again."""
        try:
            return _access_token(self._verifier, token, await self._verifier.averify(token))
        except Refused as refused:
            if refused.status >= 500:
                raise
            return None


def protect_mcp(
    app: ASGIApp,
    verifier: Verifier,
    *scopes: str,
    base_url: str | None = None,
    metadata: Mapping[str, object] | None = None,
) -> ASGIApp:
    """In place of the SDK's own middleware: make the server without `auth` and `token_verifier`. Tools read the token by the
    SDK's `get_access_token`. Arguments and the rest are as with `protect` of `mintmark_auth.asgi`."""
    with_context = AuthContextMiddleware(app)

    async def identify(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan":
            authorization = parse_authorization(values_of(scope, "authorization")[0])
            if not isinstance(authorization, Authorization):
                raise LookupError("protect_mcp: a verified request has no token.")
            access = _access_token(verifier, authorization.token, verified(scope))
            scope = {**scope, "user": AuthenticatedUser(access), "auth": AuthCredentials(access.scopes)}
        await with_context(scope, receive, send)

    if not callable(app):
        raise TypeError("protect_mcp: the app is not an ASGI application.")
    return protect(identify, verifier, *scopes, base_url=base_url, metadata=metadata)
