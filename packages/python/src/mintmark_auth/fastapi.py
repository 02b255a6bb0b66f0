"""A dependency for FastAPI: `Security(RequireToken(verifier), scopes=["db:read"])` returns the Verified."""

from collections.abc import Mapping
from typing import cast

from fastapi import FastAPI, HTTPException, Request, Response, WebSocketException
from fastapi.openapi.models import HTTPBearer
from fastapi.openapi.models import SecurityBase as SecurityScheme
from fastapi.security import SecurityScopes
from fastapi.security.base import SecurityBase
from starlette.requests import HTTPConnection

from .asgi import POLICY_VIOLATION, authorize_scope, can_deny, publish, verified
from .guards.guard import make_guard
from .guards.metadata import make_metadata
from .guards.responses import answer_of
from .verify.decide import Verified
from .verify.refusals import Refused
from .verify.verifier import Verifier

__all__ = ["RequireToken", "TokenRefused", "install", "verified"]


class TokenRefused(HTTPException):
    """A refusal as FastAPI answers it also without `install`: the same status, challenge and Retry-After, and a body whose
    member `detail` has the error."""

    def __init__(self, refused: Refused) -> None:
        headers = {name: value for name, value in answer_of(refused).headers if name != "content-type"}
        super().__init__(refused.status, dict(refused.body), headers)
        self.refused: Refused = refused


class RequireToken(SecurityBase):
    """Requires a token that carries the scopes of the route and of all that depends on this: `Security` adds them up. In
    OpenAPI it is a bearer scheme.

    base_url: What DPoP proofs have before the path that this server sees; the origin of the audience unless given.
    scheme_name: That of OpenAPI: verifiers of several issuers need several.
    """

    def __init__(self, verifier: Verifier, *, base_url: str | None = None, scheme_name: str = "Mintmark") -> None:
        self._guard = make_guard("RequireToken", verifier, (), base_url)
        resource = verifier.resource
        description = f"An access token of {resource.issuer} for {resource.audience}."
        self.model: SecurityScheme = HTTPBearer(bearerFormat="JWT", description=description)
        self.scheme_name: str = scheme_name

    async def __call__(self, connection: HTTPConnection, scopes: SecurityScopes) -> Verified:
        try:
            return await authorize_scope(self._guard, connection.scope, scopes.scopes)
        except Refused as refused:
            if connection.scope["type"] == "websocket" and not can_deny(connection.scope):
                raise WebSocketException(POLICY_VIOLATION, refused.body["error_description"]) from refused
            raise TokenRefused(refused) from refused


async def _respond(_: Request, fault: Exception) -> Response:
    answer = answer_of(fault.refused if isinstance(fault, TokenRefused) else cast(Refused, fault))
    return Response(answer.body, answer.status, dict(answer.headers))


def install(app: FastAPI, verifier: Verifier, *, metadata: Mapping[str, object] | None = None) -> None:
    """Serves the metadata of the protected resource (RFC 9728 §3), lets the verifier follow from the start of the server,
    and responds to refusals in full. It guards nothing: each route needs RequireToken.

    metadata: Members beside those that follow from the verifier (RFC 9728 §2).
    """
    make_metadata("install", verifier, metadata)
    if not isinstance(app, FastAPI):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError("install: the app is not a FastAPI.")
    for refusal in (TokenRefused, Refused):
        app.add_exception_handler(refusal, _respond)
    app.add_middleware(publish, verifier=verifier, metadata=metadata)
