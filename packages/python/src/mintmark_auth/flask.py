"""Guards for the views and blueprints of Flask, and the metadata of the API."""

import contextlib
import inspect
import weakref
from collections.abc import Callable, Mapping
from typing import Any, Final

import flask

from .guards.authorized import verified_of
from .guards.guard import make_guard
from .guards.metadata import make_metadata
from .guards.responses import Answer, answer_of
from .guards.wsgi import Environ, Framework, View, guard_view, target_of
from .verify.decide import Verified
from .verify.refusals import Refused
from .verify.verifier import Verifier

# Functions that guards call, by their id: none of them may be what Flask calls.
_behind_guards: "weakref.WeakValueDictionary[int, Any]" = weakref.WeakValueDictionary()


def verified() -> Verified:
    """The verified token of this request. Raises LookupError where no guard saw it."""
    return verified_of(flask.request.environ)


def _respond(answer: Answer) -> flask.Response:
    response = flask.Response(answer.body, answer.status)
    response.headers.clear()
    response.headers.update(dict(answer.headers))
    return response


def _read(*_: object) -> tuple[Environ, str]:
    environ: Environ = flask.request.environ
    return environ, target_of(environ)


_FLASK: Final = Framework(_read, _respond, inspect.iscoroutinefunction)


def require_token(verifier: Verifier, *scopes: str, base_url: str | None = None) -> Callable[[View], View]:
    """Calls the view, sync or async, only with a verified token that carries all scopes; see `verified`. Put it under
    `@app.route`: where it stands above, Flask has the view without it, and all its requests fail with RuntimeError, as do
    those of a view that is guarded at one place and open at another. **The route stays open** where a decorator between the
    two leaves out functools.wraps: nothing shows then that the guard was for this view. For a whole blueprint, put it under
    `@blueprint.before_request` on a function that returns None. Raises TypeError or ValueError for arguments that are not as
    they should be.

    base_url: What DPoP proofs have before the path that this server sees; the origin of the audience unless given.
    """
    guard = make_guard("require_token", verifier, scopes, base_url)

    def decorate(view: View) -> View:
        guarded = guard_view(guard, _FLASK, view)
        function: Any = view
        while function is not None:  # other decorators may stand between
            with contextlib.suppress(TypeError):  # an object without weak references
                _behind_guards[id(function)] = function
            function = getattr(function, "__wrapped__", None)
        return guarded

    return decorate


@flask.request_started.connect
def _check_order(app: flask.Flask, **_: object) -> None:
    """Raises RuntimeError where Flask would call a function without its guard."""
    called: list[Any] = [app.view_functions.get(flask.request.endpoint or "")]
    for name in (None, *flask.request.blueprints):
        called += app.before_request_funcs.get(name, ())
    for function in called:
        if function is not None and _behind_guards.get(id(function)) is function:
            raise RuntimeError(f"require_token stands above the route of {function!r}, which is open: put it under.")


def install(app: flask.Flask, verifier: Verifier, *, metadata: Mapping[str, object] | None = None) -> None:
    """Serves the metadata of the protected resource (RFC 9728 §3) before any guard, and responds to a Refused that a view
    raises. It guards nothing: each view needs require_token.

    metadata: Members beside those that follow from the verifier (RFC 9728 §2).
    """
    published = make_metadata("install", verifier, metadata)
    if not isinstance(app, flask.Flask):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError("install: the app is not a Flask.")

    def publish() -> flask.Response | None:
        answer = published.answer(flask.request.method, target_of(flask.request.environ), flask.request.root_path)
        return None if answer is None else _respond(answer)

    app.register_error_handler(Refused, lambda refused: _respond(answer_of(refused)))
    app.before_request_funcs.setdefault(None, []).insert(0, publish)
