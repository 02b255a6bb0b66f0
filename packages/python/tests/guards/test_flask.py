"""The guard for Flask, behind the server of Werkzeug."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import flask
import pytest
from flask.views import MethodView
from guarding import CASES, METADATA_PATH, NEEDED, PATH, Ask, Lines, Reply, Scene, bearer, check_metadata, open_scene
from serving import ask_at, serving
from werkzeug.serving import make_server

from mintmark_auth import Refused, Verifier
from mintmark_auth.flask import install, require_token, verified
from mintmark_auth.guards.guard import make_guard
from mintmark_auth.guards.wsgi import read_environ, target_of


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as opened:
        yield opened


@pytest.fixture
def scene() -> Iterator[Scene]:
    with open_scene() as opened:
        yield opened


def answer_sub() -> Any:
    return flask.jsonify(verified().claims["sub"])


def view() -> Callable[[], Any]:
    """Another one each time: a view that a guard calls may not be open elsewhere."""
    return lambda: answer_sub()


def sync_view(verifier: Verifier) -> flask.Flask:
    app = flask.Flask("sync")
    app.get(PATH)(require_token(verifier, NEEDED)(view()))
    return app


def async_view(verifier: Verifier) -> flask.Flask:
    app = flask.Flask("async")

    @app.get(PATH)
    @require_token(verifier, NEEDED)
    async def whoami_async() -> Any:
        return answer_sub()

    return app


def whole_blueprint(verifier: Verifier) -> flask.Flask:
    app, orders = flask.Flask("blueprint"), flask.Blueprint("orders", "orders", url_prefix="/v1")

    @orders.before_request
    @require_token(verifier, NEEDED)
    def guard() -> None:
        """Requires a token for all views of the blueprint."""

    orders.get("/orders")(answer_sub)
    app.register_blueprint(orders)
    return app


def class_of_views(verifier: Verifier) -> flask.Flask:
    class Orders(MethodView):
        decorators = [require_token(verifier, NEEDED)]  # noqa: RUF012

        async def get(self) -> Any:
            return answer_sub()

    app = flask.Flask("class")
    app.add_url_rule(PATH, view_func=Orders.as_view("orders"))
    return app


APPLICATIONS: dict[str, Callable[[Verifier], flask.Flask]] = {
    make.__name__: make for make in (sync_view, async_view, whole_blueprint, class_of_views)
}


def serve(stack: ExitStack, app: flask.Flask) -> int:
    server = make_server("127.0.0.1", 0, app, threaded=True)
    stack.enter_context(serving(server))
    return server.server_port


@pytest.mark.parametrize("make", APPLICATIONS.values(), ids=APPLICATIONS)
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_guarded_view(scene: Scene, stack: ExitStack, case: Any, make: Any) -> None:
    def open_app(verifier: Verifier) -> Ask:
        port = serve(stack, make(verifier))

        def ask(lines: Lines) -> Reply:
            return ask_at(port, PATH, lines)

        return ask

    case(scene, open_app)


def test_any_second_line_beside_a_good_token_is_400(scene: Scene, stack: ExitStack) -> None:
    port, line = serve(stack, sync_view(scene.fresh())), bearer(scene.publisher.issue())
    for second in ("Basic YTpi", "", "Bearer x"):
        for lines in ([*line, ("authorization", second)], [("authorization", second), *line]):
            assert ask_at(port, PATH, lines).status == 400, lines
    bound = scene.bound()
    proofs = [("dpop", scene.prove(bound, jti=jti)) for jti in "ab"]
    assert ask_at(port, PATH, [("authorization", f"DPoP {bound}"), *proofs]).status == 400


def test_a_proof_is_of_the_path_in_any_form_of_a_target(scene: Scene, stack: ExitStack) -> None:
    port, token, ours = serve(stack, sync_view(scene.fresh())), scene.bound(), "https://orders.example"
    for n, (target, proven, status) in enumerate(
        [
            (PATH, ours + PATH, 200),
            (f"{PATH}?a=//b#c", ours + PATH, 200),
            (f"{PATH}#x", ours + PATH, 401),
            (f"http://evil.example{PATH}", ours + PATH, 200),
            (f"http://evil.example{PATH}", f"http://evil.example{PATH}", 401),
            (f"http://caller@evil.example{PATH}", ours + PATH, 401),
        ]
    ):
        lines = [("authorization", f"DPoP {token}"), ("dpop", scene.prove(token, htu=proven, jti=str(n)))]
        assert ask_at(port, target, lines).status == status, target


def test_the_metadata_stands_before_all_guards(scene: Scene, stack: ExitStack) -> None:
    verifier, app = scene.verifier(), flask.Flask("guarded")
    app.before_request(require_token(verifier)(lambda: None))
    install(app, verifier)
    port = serve(stack, app)
    check_metadata(scene, lambda method: ask_at(port, METADATA_PATH, method=method))
    assert "content-type" not in ask_at(port, METADATA_PATH, method="OPTIONS").headers
    assert ask_at(port, METADATA_PATH + "/x").status == 401
    environ = {"SCRIPT_NAME": "/gate", "REQUEST_URI": "/gate" + METADATA_PATH}
    assert app.test_client().get(METADATA_PATH, environ_overrides=environ).status_code == 200
    assert ask_at(port, METADATA_PATH, method="POST").status == 401


def test_install_adds_members_and_answers_refusals_of_views(scene: Scene) -> None:
    verifier, app = scene.fresh(), flask.Flask("own")
    install(app, verifier, metadata={"resource_name": "Orders"})

    @app.get(PATH)
    def view() -> str:
        return verifier.verify(flask.request.args["token"], scopes=["db:admin"]).by

    client = app.test_client()
    published = client.get(METADATA_PATH).json
    assert published is not None
    assert published["resource_name"] == "Orders"
    answer = client.get(f"{PATH}?token={scene.publisher.issue()}")
    assert (answer.status_code, answer.headers["cache-control"]) == (403, "no-store")
    assert 'scope="db:admin"' in answer.headers["www-authenticate"]


def test_guards_of_a_blueprint_and_a_view_take_one_proof(scene: Scene) -> None:
    verifier = scene.fresh()
    app = whole_blueprint(verifier)
    for path, scope in (("/v1/admin", "db:admin"), ("/v1/mail", "mail:send")):
        app.add_url_rule(path, path, require_token(verifier, scope)(view()))
    app.before_request(require_token(verifier)(lambda: None))
    client, token = app.test_client(), scene.bound()

    def ask(path: str) -> Any:
        proof = scene.prove(token, htu=f"https://orders.example{path}", jti=path)
        return client.get(path, headers={"authorization": f"DPoP {token}", "dpop": proof})

    assert [ask(path).status_code for path in (PATH, "/v1/mail")] == [200, 200]
    refused = ask("/v1/admin")
    assert refused.status_code == 403
    assert 'scope="db:admin"' in refused.headers["www-authenticate"]


def test_a_guard_of_another_verifier_verifies_again(scene: Scene) -> None:
    ours, other = scene.fresh(), Verifier(scene.publisher.issuer, "https://other.example", mode="offline")
    app = flask.Flask("two")
    app.get(PATH)(require_token(ours)(require_token(other, base_url="https://orders.example")(view())))
    token = scene.publisher.issue()
    assert app.test_client().get(PATH, headers=bearer(token)).status_code == 401
    other.close()


def test_a_guard_above_the_route_is_an_error_and_never_an_open_route(scene: Scene) -> None:
    verifier, seen = scene.fresh(), []
    app, orders = flask.Flask("order"), flask.Blueprint("orders", "orders")

    @require_token(verifier, NEEDED)
    @app.get("/view")
    def view() -> str:
        seen.append("view")
        return "open"

    @require_token(verifier, NEEDED)
    @orders.get("/async")
    async def of_blueprint() -> str:
        seen.append("async")
        return "open"

    hooked = flask.Blueprint("hooked", "hooked")

    @require_token(verifier, NEEDED)
    @hooked.before_request
    def hook() -> None:
        seen.append("hook")

    hooked.get("/hooked")(lambda: "open")
    guarded = flask.Blueprint("guarded", "guarded")
    guarded.before_request(require_token(verifier)(lambda: None))

    @require_token(verifier, "db:admin")
    @guarded.get("/admin")
    def admin() -> str:
        seen.append("admin")
        return "open"

    for blueprint in (orders, hooked, guarded):
        app.register_blueprint(blueprint)
    app.add_url_rule("/free", "free", lambda: "free")
    app.testing = True
    for path in ("/view", "/async", "/hooked", "/admin"):
        with pytest.raises(RuntimeError, match="require_token stands above the route of"):
            app.test_client().get(path, headers=bearer(scene.publisher.issue()))
    app.testing = False
    assert app.test_client().get("/view").status_code == 500
    assert app.test_client().get("/free").text == "free"
    assert seen == []


def test_a_view_of_any_kind_that_no_guard_calls_is_left_alone(scene: Scene) -> None:
    @dataclass
    class Show:
        """Equal by its text, so it has no hash."""

        text: str

        def __call__(self) -> str:
            return self.text

    app = flask.Flask("free")
    app.add_url_rule("/", "root", Show("free"))
    app.add_url_rule("/guarded", "guarded", require_token(scene.fresh())(Show("guarded")))
    app.testing = True
    assert app.test_client().get("/").text == "free"
    assert app.test_client().get("/guarded", headers=bearer(scene.publisher.issue())).text == "guarded"
    assert app.test_client().get("/guarded").status_code == 401
    assert app.test_client().options("/guarded").status_code == 200
    head = app.test_client().head("/guarded")
    assert (head.status_code, head.data) == (401, b"")


def test_a_view_without_a_guard_finds_no_token(scene: Scene) -> None:
    app = sync_view(scene.fresh())
    app.testing = True
    app.add_url_rule("/open", "open", answer_sub)
    with app.app_context():  # which requests share
        client = app.test_client()
        assert client.get(PATH, headers=bearer(scene.publisher.issue())).status_code == 200
        with pytest.raises(LookupError, match="This request was not verified"):
            client.get("/open", headers=bearer(scene.publisher.issue()))


def test_a_view_keeps_its_name_and_arguments_and_raises_what_it_raises(scene: Scene) -> None:
    def order(number: int) -> str:
        """Shows an order."""
        if number == 0:
            raise Refused(*scene_refusal)
        return str(number)

    with pytest.raises(Refused) as caught:
        scene.verifier(mode="offline").verify(None)
    scene_refusal = caught.value.args
    guarded = require_token(scene.fresh())(order)
    assert (guarded.__name__, guarded.__doc__) == ("order", "Shows an order.")
    app = flask.Flask("arguments")
    app.testing = True
    app.get("/orders/<int:number>")(guarded)
    client, headers = app.test_client(), bearer(scene.publisher.issue())
    assert client.get("/orders/7", headers=headers).text == "7"
    with pytest.raises(Refused):
        client.get("/orders/0", headers=headers)


def test_a_mistake_is_an_error_where_it_is_written(scene: Scene) -> None:
    verifier: Any = scene.verifier(mode="offline")
    for given in ((), (None,), (answer_sub,), (NEEDED, verifier)):
        with pytest.raises(TypeError):
            require_token(*given)
    for scopes in ((None,), (["db:read"],), (b"db:read",)):
        with pytest.raises(TypeError, match=r"^require_token: a scope is not a string"):
            require_token(verifier, *scopes)
    for scope in ("", "db:read mail:send"):
        with pytest.raises(ValueError, match=r"^require_token: a scope is not one scope item"):
            require_token(verifier, scope)
    for view in (MethodView, None, "view"):
        with pytest.raises(TypeError, match=r"^require_token: the view is not a function"):
            require_token(verifier)(view)  # type: ignore[type-var]
    with pytest.raises(TypeError):
        install(verifier, flask.Flask("order"))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^install: the app is not"):
        install(None, verifier)  # type: ignore[arg-type]
    # The hook is missing: nothing passes.
    app = flask.Flask("hook")
    app.before_request(require_token(verifier))  # type: ignore[type-var]
    app.add_url_rule("/", "root", lambda: "open")
    assert app.test_client().get("/").status_code == 500


TARGETS: dict[str, tuple[dict[str, str], str]] = {
    "by most servers": ({"REQUEST_URI": "/v1/a%2Fb?x=1", "PATH_INFO": "/v1/a/b"}, "/v1/a%2Fb"),
    "by gunicorn": ({"RAW_URI": "/v1/%61", "PATH_INFO": "/v1/a"}, "/v1/%61"),
    "in absolute form": ({"REQUEST_URI": "http://evil.example/v1/a", "PATH_INFO": "/v1/a"}, "/v1/a"),
    "decoded": ({"PATH_INFO": "/v1/\xc3\xa4 b?c%41"}, "/v1/%C3%A4%20b%3Fc%2541"),
    "mounted": ({"SCRIPT_NAME": "/v1", "PATH_INFO": "/a;b=c:d"}, "/v1/a;b=c:d"),
    "mounted at its end": ({"SCRIPT_NAME": "/v1", "PATH_INFO": ""}, "/v1"),
    "the root": ({"PATH_INFO": ""}, "/"),
    "dot segments": ({"PATH_INFO": "/admin/../v1"}, "/admin/../v1"),
}


@pytest.mark.parametrize(("environ", "path"), TARGETS.values(), ids=TARGETS)
def test_the_url_is_that_of_the_audience_and_the_path_as_it_was_sent(environ: dict[str, str], path: str) -> None:
    verifier = Verifier("https://tokens.example", "https://orders.example/v1", mode="offline")
    environ = {"REQUEST_METHOD": "GET", "HTTP_HOST": "evil.example", "wsgi.url_scheme": "http", **environ}
    for base_url in (None, "https://api.example/api"):
        request = read_environ(make_guard("test", verifier, (), base_url), environ, target_of(environ))
        assert request.url == (base_url or "https://orders.example") + path


def test_a_certificate_of_the_server_counts_and_no_header_or_variable_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CLIENT_CERT", "OF THE PROCESS")
    guard = make_guard("test", Verifier("https://tokens.example", "https://orders.example", mode="offline"))
    for given, expected in (
        ({"SSL_CLIENT_CERT": "PEM"}, "PEM"),
        ({"SSL_CLIENT_CERT": ""}, None),
        ({"SSL_CLIENT_CERT": "OF THE PROCESS"}, None),
        ({"HTTP_SSL_CLIENT_CERT": "PEM"}, None),
    ):
        assert read_environ(guard, {"REQUEST_METHOD": "GET", **given}, "/").certificate == expected
