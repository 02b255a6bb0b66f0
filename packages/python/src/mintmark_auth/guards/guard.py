"""What a route requires, checked where it is written: a mistake is an error there, never a route that any token passes."""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

from ..proofs.certificate import Certificate
from ..tokens.claims import SCOPE_ITEM
from ..verify.asked import IncomingRequest
from ..verify.verifier import Verifier
from ..wire.web_address import is_base_address, parse_web_address

# Origin form and absolute form (RFC 9112 §3.2). In the second nothing stands before the path but scheme, host and port.
_ORIGIN: Final = r"https?://[\w.~:\[\]-]+"
_TARGET = re.compile(rf"(?:{_ORIGIN})?(/[^?#]*)(?:\?.*)?", re.IGNORECASE | re.ASCII | re.DOTALL)
# Absolute form of the root. A query without a path is none: routers find different paths in it.
_ROOT = re.compile(_ORIGIN, re.IGNORECASE | re.ASCII)
# What a path keeps as it is (RFC 3986 §3.3).
_PATH_SAFE: Final = "/!$&'()*+,;=:@~"
# A scheme without a token: the verifier refuses it as invalid_request, and its hooks learn of it.
_NOT_ONE_TOKEN = "Bearer"  # noqa: S105


@dataclass(frozen=True, slots=True)
class Guard:
    verifier: Verifier
    scopes: tuple[str, ...]
    """Items of `scope`, all of which the token must carry."""
    base: str
    """What stands before the path in the URL that callers write; empty where nobody knows."""


def check_verifier(where: str, verifier: object) -> Verifier:
    """Raises TypeError for what is no Verifier, as where arguments were given in another order."""
    if not isinstance(verifier, Verifier):
        raise TypeError(f"{where}: the verifier is not a Verifier.")
    return verifier


def _check_scope(where: str, scope: object) -> str:
    if not isinstance(scope, str):
        raise TypeError(f"{where}: a scope is not a string. Give each as an argument of its own, such as 'db:read'.")
    if not re.fullmatch(SCOPE_ITEM, scope):
        raise ValueError(f"{where}: a scope is not one scope item, such as 'db:read'.")
    return str(scope)


def _base_of(where: str, verifier: Verifier, base_url: object) -> str:
    if base_url is None:
        address = parse_web_address(verifier.resource.audience)
        return "" if address is None else address.origin
    text = base_url if isinstance(base_url, str) else ""
    address = parse_web_address(text)
    if address is None or address.has_user or text.endswith("/") or not is_base_address(text):
        raise ValueError(f"{where}: base_url is not a URL without a slash at its end, such as https://api.example.com/api.")
    return address.origin + ("" if address.path == "/" else address.path)


def make_guard(where: str, verifier: Verifier, scopes: Collection[str] = (), base_url: str | None = None) -> Guard:
    """Raises TypeError or ValueError, which begin with `where`, for the first part that is not as it should be.

    base_url: What DPoP proofs have before the path that this server sees, such as https://api.example.com/api where a proxy
        removes /api. The origin of the audience unless given; where that is no URL either, no proof is accepted.
    """
    checked = check_verifier(where, verifier)
    return Guard(checked, tuple(_check_scope(where, scope) for scope in scopes), _base_of(where, checked, base_url))


def escape_path(path: str | bytes) -> str:
    """A path that a server has decoded, as callers usually write it. A DPoP proof then fits where its `htu` has no escapes
    but those that a path needs: one for `/a%2Fb` is refused, and one for `/a/b` is accepted for both, which are one path
    for an application behind such a server."""
    return quote(path.encode("utf-8", "surrogatepass") if isinstance(path, str) else path, safe=_PATH_SAFE) or "/"


def path_of(target: str) -> str | None:
    """The path of a target of a request, as text: not decoded, since routers differ in where its dot segments lead. None for
    any other form, such as `*`."""
    found = _TARGET.fullmatch(target)
    if found is not None:
        return found[1]
    return "/" if _ROOT.fullmatch(target) else None


def read_request(
    guard: Guard,
    method: str,
    target: str,
    lines_of: Callable[[str], Sequence[str]],
    *,
    certificate: Certificate | None = None,
    scopes: Collection[str] = (),
) -> IncomingRequest:
    """The request, for `authorize`. Neither Host nor a header of a proxy counts: callers choose those.

    target: As it was sent, with or without its query.
    lines_of: The values of all lines of a header, by its name in small letters. A second line of a credential is refused
        with 400: other code may read it.
    certificate: That of the caller's TLS connection. Never from a header that a caller can send.
    scopes: Those that this request needs beside those of the guard.
    """
    path = path_of(target)
    authorization, dpop = (lines_of(name) for name in ("authorization", "dpop"))
    is_repeated = len(authorization) > 1 or len(dpop) > 1
    return IncomingRequest(
        method,
        # No proof is of an empty URL, or of one without an origin.
        "" if path is None else f"{guard.base}{path}",
        _NOT_ONE_TOKEN if is_repeated else next(iter(authorization), None),
        next(iter(dpop), None),
        (*guard.scopes, *scopes),
        certificate,
    )
