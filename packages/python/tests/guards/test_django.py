"""The guards for Django and REST framework: by WSGI behind the server of Python, which decodes paths, and by ASGI."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from types import SimpleNamespace
from typing import Any, cast
from wsgiref.simple_server import WSGIRequestHandler, make_server

import django
import pytest
from django.conf import settings

settings.configure(
    ALLOWED_HOSTS=["*"],
    SECRET_KEY="only of this test",
    MIDDLEWARE=["django.middleware.common.CommonMiddleware"],
    INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth", "rest_framework"],
    LOGGING_CONFIG=None,
)
django.setup()

from asgiref.sync import iscoroutinefunction  # noqa: E402
from django.core.asgi import get_asgi_application  # noqa: E402
from django.core.cache import cache  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.http import HttpRequest, JsonResponse  # noqa: E402
from django.test import AsyncRequestFactory, Client, RequestFactory, override_settings  # noqa: E402
from django.urls import path, re_path  # noqa: E402
from django.utils.decorators import method_decorator  # noqa: E402
from django.views import View  # noqa: E402
from django.views.decorators.csrf import csrf_exempt  # noqa: E402
from guarding import (  # noqa: E402
    CASES,
    METADATA_PATH,
    METADATA_URL,
    NEEDED,
    PATH,
    Lines,
    Reply,
    Scene,
    as_bytes,
    bearer,
    check_metadata,
    open_scene,
)
from rest_framework.authentication import BaseAuthentication  # noqa: E402
from rest_framework.decorators import api_view, authentication_classes  # noqa: E402
from rest_framework.exceptions import NotAuthenticated  # noqa: E402
from rest_framework.permissions import IsAuthenticated  # noqa: E402
from rest_framework.request import Request  # noqa: E402
from rest_framework.response import Response  # noqa: E402
from rest_framework.throttling import UserRateThrottle  # noqa: E402
from rest_framework.views import APIView  # noqa: E402
from serving import ask_at, serving  # noqa: E402
from starlette.testclient import TestClient  # noqa: E402

from mintmark_auth import Verified, Verifier  # noqa: E402
from mintmark_auth.django import metadata_view, require_token, token_authentication, verified  # noqa: E402

AnyView = Callable[..., Any]


class QuietHandler(WSGIRequestHandler):
    def log_message(self, *args: Any) -> None:
        pass


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as opened:
        yield opened


@pytest.fixture
def scene() -> Iterator[Scene]:
    with open_scene() as opened:
        yield opened


class Urls:
    """As a module of URLs is."""

    def __init__(self, urlpatterns: Sequence[Any]) -> None:
        self.urlpatterns = list(urlpatterns)


def route(stack: ExitStack, *urlpatterns: Any) -> None:
    stack.enter_context(override_settings(ROOT_URLCONF=Urls(urlpatterns)))


def whoami(request: Any) -> JsonResponse:
    return JsonResponse(verified(request).claims["sub"], safe=False)


def sync_view(verifier: Verifier) -> AnyView:
    return require_token(verifier, NEEDED)(whoami)


def async_view(verifier: Verifier) -> AnyView:
    @require_token(verifier, NEEDED)
    async def view(request: HttpRequest) -> JsonResponse:
        return whoami(request)

    return view


def class_of_views(verifier: Verifier) -> AnyView:
    @method_decorator(require_token(verifier, NEEDED), name="dispatch")
    class Orders(View):
        def get(self, request: HttpRequest) -> JsonResponse:
            return whoami(request)

    return Orders.as_view()


def class_of_async_views(verifier: Verifier) -> AnyView:
    @method_decorator(require_token(verifier, NEEDED), name="dispatch")
    class Orders(View):
        async def get(self, request: HttpRequest) -> JsonResponse:
            return whoami(request)

    return Orders.as_view()


def guarded_class_of_async_views(verifier: Verifier) -> AnyView:
    class Orders(View):
        async def get(self, request: HttpRequest) -> JsonResponse:
            return whoami(request)

    return require_token(verifier, NEEDED)(Orders.as_view())


def method_of_views(verifier: Verifier) -> AnyView:
    class Orders(View):
        @method_decorator(require_token(verifier, NEEDED))
        def get(self, request: HttpRequest) -> JsonResponse:
            return whoami(request)

    return Orders.as_view()


def view_of_rest_framework(verifier: Verifier) -> AnyView:
    @api_view(["GET"])
    @authentication_classes([])
    @require_token(verifier, NEEDED)
    def view(request: Request) -> JsonResponse:
        return whoami(request)

    return view


def authenticated(verifier: Verifier) -> AnyView:
    class Orders(APIView):
        authentication_classes = (token_authentication(verifier, NEEDED),)

        def get(self, request: Request) -> Response:
            assert isinstance(request.auth, Verified)
            assert verified(request) is request.auth
            return Response(request.user.pk)

    return Orders.as_view()


VIEWS: dict[str, Callable[[Verifier], AnyView]] = {
    make.__name__: make
    for make in (
        sync_view,
        async_view,
        class_of_views,
        class_of_async_views,
        guarded_class_of_async_views,
        method_of_views,
        view_of_rest_framework,
        authenticated,
    )
}

Ask = Callable[..., Reply]


def by_wsgi(stack: ExitStack) -> Ask:
    server = make_server("127.0.0.1", 0, get_wsgi_application(), handler_class=QuietHandler)
    stack.enter_context(serving(server))
    return lambda path, lines=(), method="GET": ask_at(server.server_port, path, lines, method)


def by_asgi(_: ExitStack) -> Ask:
    application: Any = get_asgi_application()
    client = TestClient(application)

    def ask(path: str, lines: Lines = (), method: str = "GET") -> Reply:
        answer = client.request(method, path, headers=as_bytes(lines))
        return Reply(answer.status_code, dict(answer.headers), answer.json() if answer.content else None)

    return ask


SERVERS = {"wsgi": by_wsgi, "asgi": by_asgi}


@pytest.mark.parametrize("serve", SERVERS.values(), ids=SERVERS)
@pytest.mark.parametrize("make", VIEWS.values(), ids=VIEWS)
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_guarded_view(scene: Scene, stack: ExitStack, case: Any, make: Any, serve: Any) -> None:
    def open_app(verifier: Verifier) -> Callable[[Lines], Reply]:
        route(stack, path(PATH[1:], make(verifier)))
        ask: Ask = serve(stack)
        return lambda lines: ask(PATH, lines)

    case(scene, open_app)


@pytest.mark.parametrize("serve", SERVERS.values(), ids=SERVERS)
def test_any_second_line_beside_a_good_token_is_400(scene: Scene, stack: ExitStack, serve: Any) -> None:
    route(stack, path(PATH[1:], sync_view(scene.fresh())))
    ask: Ask = serve(stack)
    line = bearer(scene.publisher.issue())
    for second in ("Basic YTpi", "", "Bearer x"):
        for lines in ([*line, ("authorization", second)], [("authorization", second), *line]):
            assert ask(PATH, lines).status == 400, lines
    bound = scene.bound()
    proofs = [("dpop", scene.prove(bound, jti=jti)) for jti in "ab"]
    assert ask(PATH, [("authorization", f"DPoP {bound}"), *proofs]).status == 400


@pytest.mark.parametrize("serve", SERVERS.values(), ids=SERVERS)
def test_the_metadata_stands_at_its_path_alone(scene: Scene, stack: ExitStack, serve: Any) -> None:
    view = metadata_view(scene.verifier(), metadata={})
    assert view.login_required is False  # type: ignore[attr-defined]
    route(stack, re_path(r"^\.well-known/oauth-protected-resource", view))
    ask: Ask = serve(stack)
    check_metadata(scene, lambda method: ask(METADATA_PATH, method=method))
    assert "content-type" not in ask(METADATA_PATH, method="OPTIONS").headers
    client = Client()
    assert [client.get(METADATA_PATH + more).status_code for more in ("", "?x=1", "/x", "x")] == [200, 200, 404, 404]
    assert client.post(METADATA_PATH).status_code == 404
    assert client.get("/gate" + METADATA_PATH, SCRIPT_NAME="/gate", PATH_INFO=METADATA_PATH).status_code == 200
    below = TestClient(cast(Any, get_asgi_application()), root_path="/gate")
    assert below.get("/gate" + METADATA_PATH).status_code == 200


@pytest.mark.parametrize("serve", SERVERS.values(), ids=SERVERS)
def test_a_proof_is_for_the_path_as_it_was_sent(scene: Scene, stack: ExitStack, serve: Any) -> None:
    route(stack, re_path("", sync_view(scene.fresh())))
    ask: Ask = serve(stack)
    token = scene.bound()

    def say(htu: str, called: str) -> int:
        proof = scene.prove(token, htu=f"https://orders.example{htu}", jti=htu + called)
        return ask(called, [("authorization", f"DPoP {token}"), ("dpop", proof)]).status

    for same in ("/v1/a%20b", "/v1/%C3%A4", "/v1/%E2%82%AC", "/v1/a:b;c=d", "/v1/a%3Fb"):
        assert say(same, same + "?page=2") == 200, same
    assert say("/v1/b", "/v1/a") == 401
    # Where the server has decoded it, nobody knows any more.
    assert say("/v1/a%2Fb", "/v1/a%2Fb") == (200 if serve is by_asgi else 401)
    assert say("/v1/a/b", "/v1/a%2Fb") == (401 if serve is by_asgi else 200)


def test_guards_one_after_another_take_one_proof(scene: Scene, stack: ExitStack) -> None:
    verifier = scene.fresh()
    twice = require_token(verifier)(require_token(verifier, NEEDED)(whoami))
    admin = require_token(verifier)(require_token(verifier, "db:admin")(whoami))
    route(
        stack,
        path("v1/orders", twice),
        path("v1/admin", admin),
        path("v1/both", require_token(verifier)(authenticated(verifier))),
    )
    token = scene.bound()

    def ask(where: str) -> Any:
        proof = scene.prove(token, htu=f"https://orders.example{where}", jti=where)
        return Client().get(where, headers={"authorization": f"DPoP {token}", "dpop": proof})

    assert [ask(where).status_code for where in ("/v1/orders", "/v1/both", "/v1/admin")] == [200, 200, 403]


def test_a_view_without_a_guard_finds_no_token(scene: Scene, stack: ExitStack) -> None:
    route(stack, path("open", whoami))
    with pytest.raises(LookupError, match="This request was not verified"):
        Client().get("/open", headers={"authorization": f"Bearer {scene.publisher.issue()}"})


def test_authentication_of_rest_framework_gives_challenges_and_users(scene: Scene, stack: ExitStack) -> None:
    verifier = scene.fresh()

    class Other(BaseAuthentication):
        """As SessionAuthentication is: without a challenge, which would make 403 of all 401."""

        def authenticate(self, request: Request) -> None:
            return None

    class Orders(APIView):
        authentication_classes = (
            Other,
            token_authentication(verifier, NEEDED, user=lambda it: SimpleNamespace(own=it.claims["sub"])),
        )

        def get(self, request: Request) -> Response:
            caller: Any = request.user
            return Response(caller.own)

    class Denied(APIView):
        authentication_classes = (token_authentication(verifier, NEEDED),)
        permission_classes = (IsAuthenticated,)

        def get(self, request: Request) -> Response:
            raise NotAuthenticated

    route(stack, path("orders", Orders.as_view()), path("denied", Denied.as_view()))
    good = {"authorization": f"Bearer {scene.publisher.issue()}"}
    challenge = f'Bearer scope="{NEEDED}", resource_metadata="{METADATA_URL}"'
    assert Client().get("/orders", headers=good).json() == "agent-1"
    for refused in (Client().get("/orders"), Client().get("/denied"), Client().get("/denied", headers=good)):
        assert (refused.status_code, refused.headers["www-authenticate"]) == (401, challenge)


def test_throttles_of_rest_framework_count_by_the_subject(scene: Scene, stack: ExitStack) -> None:
    class OncePerMinute(UserRateThrottle):
        rate = "1/min"

    class Orders(APIView):
        authentication_classes = (token_authentication(scene.fresh(), NEEDED),)
        throttle_classes = (OncePerMinute,)

        def get(self, request: Request) -> Response:
            return Response(request.user.pk)

    route(stack, path("orders", Orders.as_view()))
    stack.callback(cache.clear)

    def ask(subject: str) -> int:
        headers = {"authorization": f"Bearer {scene.publisher.issue(sub=subject)}"}
        return Client().get("/orders", headers=headers).status_code

    assert [ask(subject) for subject in ("agent-1", "agent-2", "agent-1")] == [200, 200, 429]


def test_the_check_against_csrf_comes_before_the_guard(scene: Scene, stack: ExitStack) -> None:
    verifier = scene.fresh()
    exempt = csrf_exempt(require_token(verifier)(whoami))
    within = require_token(verifier)(csrf_exempt(whoami))
    route(stack, path("checked", require_token(verifier)(whoami)), path("exempt", exempt), path("within", within),
          path("rest", authenticated_post(verifier)))  # fmt: skip
    stack.enter_context(override_settings(MIDDLEWARE=["django.middleware.csrf.CsrfViewMiddleware"]))
    client = Client(enforce_csrf_checks=True)
    headers = {"authorization": f"Bearer {scene.publisher.issue()}"}
    asked = {name: client.post(f"/{name}", headers=headers).status_code for name in ("checked", "exempt", "within", "rest")}
    assert asked == {"checked": 403, "exempt": 200, "within": 200, "rest": 200}
    assert [client.post(f"/{name}").status_code for name in ("exempt", "within", "rest")] == [401, 401, 401]


def authenticated_post(verifier: Verifier) -> AnyView:
    class Orders(APIView):
        authentication_classes = (token_authentication(verifier, NEEDED),)

        def post(self, request: Request) -> Response:
            return Response(request.user.pk)

    return Orders.as_view()


def test_a_view_keeps_its_name_and_arguments(scene: Scene) -> None:
    @require_token(scene.fresh())
    def order(request: HttpRequest, number: int, *, kind: str) -> JsonResponse:
        """Shows an order."""
        return JsonResponse([number, kind], safe=False)

    async def later(request: HttpRequest) -> JsonResponse:
        return whoami(request)

    guarded = require_token(scene.fresh())(later)
    headers = {"authorization": f"Bearer {scene.publisher.issue()}"}
    assert (order.__name__, order.__doc__) == ("order", "Shows an order.")
    assert order(RequestFactory().get("/", headers=headers), 7, kind="a").content == b'[7, "a"]'
    assert iscoroutinefunction(guarded)
    assert asyncio.run(guarded(AsyncRequestFactory().get("/", headers=headers))).status_code == 200


def test_a_mistake_is_an_error_where_it_is_written(scene: Scene) -> None:
    verifier: Any = scene.verifier(mode="offline")
    makers: list[Any] = [require_token, token_authentication]
    for make in makers:
        for given in ((), (None,), (whoami,), (NEEDED, verifier)):
            with pytest.raises(TypeError):
                make(*given)
        for scope in (None, ["db:read"], b"db:read"):
            with pytest.raises(TypeError, match=rf"^{make.__name__}: a scope is not a string"):
                make(verifier, scope)
        with pytest.raises(ValueError, match=rf"^{make.__name__}: a scope is not one scope item"):
            make(verifier, "db:read mail:send")
    for view in (View, None, "view"):
        with pytest.raises(TypeError, match=r"^require_token: the view is not a function"):
            require_token(verifier)(view)  # type: ignore[type-var]
    with pytest.raises(TypeError, match=r"^metadata_view: "):
        metadata_view(None)  # type: ignore[arg-type]


def test_a_guard_on_a_method_without_method_decorator_lets_nothing_pass(scene: Scene, stack: ExitStack) -> None:
    verifier = scene.fresh()

    class Orders(View):
        @require_token(verifier)
        def get(self, request: HttpRequest) -> JsonResponse:
            return JsonResponse({})

    route(stack, path("orders", Orders.as_view()))
    with pytest.raises(TypeError, match="On a method use method_decorator"):
        Client().get("/orders", headers={"authorization": f"Bearer {scene.publisher.issue()}"})
