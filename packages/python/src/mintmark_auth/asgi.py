"""A guard for ASGI 3 applications, such as those of Starlette and Litestar. It needs no framework."""

from collections.abc import Awaitable, Callable, Collection, Mapping, MutableMapping
from functools import partial
from typing import Any, Final, TypeAlias

from .guards.authorized import aauthorize, verified_of
from .guards.guard import Guard, escape_path, make_guard, read_request
from .guards.metadata import make_metadata
from .guards.responses import Answer, answer_of
from .proofs.certificate import Certificate
from .verify.decide import Verified
from .verify.refusals import Refused
from .verify.verifier import Verifier

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
ASGIApp: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

POLICY_VIOLATION: Final = 1008
"""The code that a websocket is closed with (RFC 6455 §7.4.1)."""


def verified(request: Any) -> Verified:
    """The verified token of a scope, or of an object that has one as its `scope`. Raises LookupError where no guard saw it:
    a route without its guard must not pass for one with it."""
    return verified_of(getattr(request, "scope", request))


def values_of(scope: Scope, name: str) -> list[str]:
    """The values of all lines of a header, by its name in small letters."""
    return [value.decode("latin-1") for key, value in scope["headers"] if key.lower() == name.encode()]


def _target_of(scope: Scope) -> str:
    raw: bytes | None = scope.get("raw_path")
    return escape_path(scope["path"]) if raw is None else raw.decode("latin-1")


def _certificate_of(scope: Scope) -> Certificate | None:
    """By the extension `tls` of ASGI: PEM, the caller's first."""
    extensions: Mapping[str, Any] = scope.get("extensions") or {}
    tls: Mapping[str, Any] = extensions.get("tls") or {}
    chain: Collection[str] = tls.get("client_cert_chain") or ()
    return None if tls.get("client_cert_error") is not None else next(iter(chain), None)


async def authorize_scope(guard: Guard, scope: Scope, scopes: Collection[str] = ()) -> Verified:
    """The token of a request, or of a handshake of a websocket, which is a GET of https (RFC 6455 §4.1). Raises Refused."""
    method, target, certificate = scope.get("method", "GET"), _target_of(scope), _certificate_of(scope)
    request = read_request(guard, method, target, partial(values_of, scope), certificate=certificate, scopes=scopes)
    return await aauthorize(guard.verifier, scope, request)


def can_deny(scope: Scope) -> bool:
    """Whether a websocket can be refused by a response of HTTP."""
    return "websocket.http.response" in (scope.get("extensions") or {})


async def _respond(answer: Answer, scope: Scope, send: Send) -> None:
    protocol = "http" if scope["type"] == "http" else "websocket.http"
    headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in answer.headers]
    if answer.body:
        headers.append((b"content-length", b"%d" % len(answer.body)))
    await send({"type": f"{protocol}.response.start", "status": answer.status, "headers": headers})
    body = b"" if scope.get("method") == "HEAD" else answer.body
    await send({"type": f"{protocol}.response.body", "body": body})


async def _refuse(refused: Refused, scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket" and (await receive())["type"] != "websocket.connect":
        return
    if scope["type"] == "http" or can_deny(scope):
        await _respond(answer_of(refused), scope, send)
    else:
        # Before it was accepted: the server responds with 403.
        await send({"type": "websocket.close", "code": POLICY_VIOLATION, "reason": refused.body["error_description"]})


def publish(app: ASGIApp, verifier: Verifier, *, metadata: Mapping[str, object] | None = None) -> ASGIApp:
    """Serves the metadata of the protected resource (RFC 9728 §3) and responds to its preflights; the verifier follows from
    the start of the server. Guards nothing. Put it around the application that has the root of the server.

    metadata: Members beside those that follow from the verifier (RFC 9728 §2).
    """
    published = make_metadata("publish", verifier, metadata)
    if not callable(app):
        raise TypeError("publish: the app is not an ASGI application.")

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await verifier.aready(0)
        elif scope["type"] == "http":
            answer = published.answer(scope["method"], _target_of(scope), scope.get("root_path", ""))
            if answer is not None:
                return await _respond(answer, scope, send)
        return await app(scope, receive, send)

    return serve


def protect(
    app: ASGIApp,
    verifier: Verifier,
    *scopes: str,
    base_url: str | None = None,
    metadata: Mapping[str, object] | None = None,
) -> ASGIApp:
    """Calls the application only with a verified token that carries all scopes, and see `publish`. A websocket is refused
    before it is accepted; later nothing closes it, or a long response, when its token ends. Preflights have no token: put a
    middleware for CORS around it. Raises TypeError or ValueError for arguments that are not as they should be.

    base_url: What DPoP proofs have before the path that this server sees; the origin of the audience unless given.
    """
    guard = make_guard("protect", verifier, scopes, base_url)
    if not callable(app):
        raise TypeError("protect: the app is not an ASGI application.")

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return await app(scope, receive, send)
        if scope["type"] not in ("http", "websocket"):
            raise NotImplementedError("protect: it is not known how to guard this type of ASGI scope.")
        own = dict(scope)
        try:
            await authorize_scope(guard, own)
        except Refused as refused:
            return await _refuse(refused, scope, receive, send)
        return await app(own, receive, send)

    return publish(serve, verifier, metadata=metadata)
