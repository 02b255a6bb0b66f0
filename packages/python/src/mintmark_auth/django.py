"""Guards for the views of Django and of Django REST framework, and the metadata of the API."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final

from asgiref.sync import iscoroutinefunction
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse

from .guards.authorized import authorize, verified_of
from .guards.guard import escape_path, make_guard
from .guards.metadata import make_metadata
from .guards.responses import Answer, answer_of
from .guards.wsgi import Environ, Framework, View, guard_view, read_environ, sent_target_of
from .proofs.dpop import PROOF_ALGORITHMS
from .verify.decide import Verified
from .verify.refusals import RefusalContext, Refused
from .verify.verifier import Verifier

if TYPE_CHECKING:
    from rest_framework.authentication import BaseAuthentication
    from rest_framework.request import Request


def _own(request: Any) -> HttpRequest:
    """That of Django, where REST framework has one around it."""
    own = getattr(request, "_request", request)
    if not isinstance(own, HttpRequest):
        raise TypeError("require_token: the first argument of the view is not a request. On a method use method_decorator.")
    return own


def verified(request: "HttpRequest | Request") -> Verified:
    """The verified token of a request. Raises LookupError where no guard saw it."""
    return verified_of(_own(request).META)


def _target_of(request: HttpRequest) -> str:
    """As `target_of` of WSGI, but for the path in META, which Django has decoded once more."""
    raw: bytes | None = getattr(request, "scope", {}).get("raw_path")
    target = sent_target_of(request.META) if raw is None else raw.decode("latin-1")
    return target or escape_path(request.path)


def _read(request: object = None, *_: object) -> tuple[Environ, str]:
    own = _own(request)
    return own.META, _target_of(own)


def _respond(answer: Answer) -> HttpResponse:
    response = HttpResponse(answer.body, status=answer.status)
    del response["content-type"]
    for name, value in answer.headers:
        response[name] = value
    return response


def _is_async(view: Any) -> bool:
    """Also `dispatch` of a class with async handlers, which is not async itself; method_decorator gives it in a partial."""
    owner = getattr(getattr(view, "func", view), "__self__", None)
    # Not that of Python, which before 3.12 does not know what Django marks.
    is_marked = iscoroutinefunction(view)  # pyright: ignore[reportDeprecated]
    return is_marked or getattr(owner, "view_is_async", False) is True


_DJANGO: Final = Framework(_read, _respond, _is_async)


def require_token(verifier: Verifier, *scopes: str, base_url: str | None = None) -> Callable[[View], View]:
    """Calls the view, sync or async, only with a verified token that carries all scopes; see `verified`. For a class of
    views: `@method_decorator(require_token(…), name="dispatch")`. Django's check against CSRF comes before it: a view that
    no browser calls by its cookies may be `csrf_exempt`. Raises TypeError or ValueError for arguments that are not as they
    should be.

    base_url: What DPoP proofs have before the path that this server sees; the origin of the audience unless given.
    """
    guard = make_guard("require_token", verifier, scopes, base_url)
    return lambda view: guard_view(guard, _DJANGO, view)


def metadata_view(
    verifier: Verifier, *, metadata: Mapping[str, object] | None = None
) -> Callable[[HttpRequest], HttpResponse]:
    """Serves the metadata of the protected resource (RFC 9728 §3) at its path, and 404 at others. In the `urlpatterns` of
    the root: `re_path(r"^\\.well-known/oauth-protected-resource", metadata_view(verifier))`.

    metadata: Members beside those that follow from the verifier (RFC 9728 §2).
    """
    published = make_metadata("metadata_view", verifier, metadata)

    @login_not_required
    def view(request: HttpRequest) -> HttpResponse:
        answer = published.answer(request.method or "", _target_of(request), request.META.get("SCRIPT_NAME", ""))
        if answer is None:
            raise Http404
        return _respond(answer)

    return view


# Headers that REST framework sends itself, by its renderer and by members of an exception.
_CARRIED: Final = frozenset({"content-type", "www-authenticate", "retry-after"})


@dataclass(frozen=True, slots=True)
class Caller:
    """`request.user` of REST framework, as the token names it: no model of users is asked."""

    verified: Verified
    is_authenticated: ClassVar[bool] = True
    is_anonymous: ClassVar[bool] = False

    @property
    def pk(self) -> str:
        """`sub`. Throttles count by it."""
        subject: str = self.verified.claims["sub"]
        return subject


def token_authentication(
    verifier: Verifier, *scopes: str, base_url: str | None = None, user: Callable[[Verified], object] = Caller
) -> "type[BaseAuthentication]":
    """A class for `authentication_classes` of REST framework. `request.auth` is the Verified, `request.user` what `user`
    makes of it. It refuses a request without a token too, which REST framework lets pass unless a permission forbids it: put
    it last where there are several. Raises TypeError or ValueError as `require_token` does."""
    from rest_framework.authentication import BaseAuthentication
    from rest_framework.exceptions import APIException

    guard = make_guard("token_authentication", verifier, scopes, base_url)
    # Of a request without a token.
    context = RefusalContext(verifier.resource.metadata_url, guard.scopes, "Bearer", " ".join(PROOF_ALGORITHMS))
    challenge = Refused("missing_token", "The request has no token.", context).challenge

    class TokenRefused(APIException):
        """Not AuthenticationFailed: with that the challenge would be the one of the first authentication class."""

        def __init__(self, refused: Refused) -> None:
            super().__init__(dict(refused.body))
            self.status_code, self.auth_header, self.wait = refused.status, refused.challenge, refused.retry_after

    class TokenAuthentication(BaseAuthentication):
        def authenticate(self, request: "Request") -> tuple[Any, Verified]:
            try:
                environ, target = _read(request)
                found = authorize(verifier, environ, read_environ(guard, environ, target))
            except Refused as refused:
                view = request.parser_context.get("view")
                if view is not None:  # what an exception of REST framework cannot carry
                    view.headers.update((name, value) for name, value in answer_of(refused).headers if name not in _CARRIED)
                raise TokenRefused(refused) from refused
            return user(found), found

        def authenticate_header(self, request: "Request") -> str:
            return challenge or ""

    return TokenAuthentication
