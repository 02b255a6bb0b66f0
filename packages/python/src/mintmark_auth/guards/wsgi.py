"""Requests as WSGI has them (PEP 3333), which Flask and Django hand out, and the guard of their views."""

import functools
import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar, cast

from ..verify.asked import IncomingRequest
from ..verify.authorization import parse_authorization
from ..verify.refusals import Refused
from .authorized import aauthorize, authorize
from .guard import Guard, escape_path, read_request
from .responses import Answer, answer_of

Environ: TypeAlias = dict[str, Any]
View = TypeVar("View", bound=Callable[..., Any])

# The target as it was sent: uWSGI, mod_wsgi, waitress, Werkzeug; gunicorn. No header can have these names.
_TARGETS: Final = ("REQUEST_URI", "RAW_URI")


def sent_target_of(environ: Mapping[str, Any]) -> str | None:
    """As it was sent; None where the server does not say so."""
    found = (environ.get(name) for name in _TARGETS)
    return next((target for target in found if isinstance(target, str) and target), None)


def target_of(environ: Mapping[str, Any]) -> str:
    """As it was sent, or as callers usually write it, see `escape_path`."""
    path: str = environ.get("SCRIPT_NAME", "") + environ.get("PATH_INFO", "")
    return sent_target_of(environ) or escape_path(path.encode("latin-1"))


def _lines_of(environ: Mapping[str, Any], name: str) -> list[str]:
    """Servers join the lines of a header by commas, which neither a token nor a proof has. A server that keeps one line
    alone shows that one to the application too."""
    value: str | None = environ.get(f"HTTP_{name.upper()}")
    lines = [] if value is None else value.split(",")
    # One line of another scheme, such as Digest, may have commas.
    is_of_tokens = name != "authorization" or any(parse_authorization(line.strip(" \t")) != "none" for line in lines)
    return lines if is_of_tokens else lines[:1]


def read_environ(guard: Guard, environ: Mapping[str, Any], target: str) -> IncomingRequest:
    # PEM, by mod_ssl and by servers that are configured to: no header can have this name. wsgiref adds the variables of the
    # process, which say nothing of a connection.
    certificate = environ.get("SSL_CLIENT_CERT") or None
    if certificate == os.environ.get("SSL_CLIENT_CERT"):
        certificate = None
    return read_request(guard, environ["REQUEST_METHOD"], target, partial(_lines_of, environ), certificate=certificate)


class Framework(NamedTuple):
    """How views are called and respond."""

    read: Callable[..., tuple[Environ, str]]
    """The environ of the request and its target, by the arguments of the view."""
    respond: Callable[[Answer], Any]
    is_async: Callable[[Any], bool]


def guard_view(guard: Guard, framework: Framework, view: View) -> View:
    """The view, called only with a verified token; what it raises itself is its own. Raises TypeError for no function."""
    if isinstance(view, type) or not callable(view):
        raise TypeError("require_token: the view is not a function, but a class of views or something else.")

    def read(*args: Any) -> tuple[Environ, IncomingRequest]:
        environ, target = framework.read(*args)
        return environ, read_environ(guard, environ, target)

    async def guard_async(*args: Any, **named: Any) -> Any:
        try:
            await aauthorize(guard.verifier, *read(*args))
        except Refused as refused:
            return framework.respond(answer_of(refused))
        return await view(*args, **named)

    def guard_sync(*args: Any, **named: Any) -> Any:
        try:
            authorize(guard.verifier, *read(*args))
        except Refused as refused:
            return framework.respond(answer_of(refused))
        return view(*args, **named)

    return cast(View, functools.wraps(view)(guard_async if framework.is_async(view) else guard_sync))
