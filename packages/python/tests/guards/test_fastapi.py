"""The dependency for FastAPI."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from typing import Annotated, Any

import pytest
from fastapi import APIRouter, Depends, FastAPI, HTTPException, Request, Security, WebSocket
from fastapi.responses import PlainTextResponse
from fastapi.testclient import TestClient
from guarding import (
    CASES,
    METADATA_PATH,
    NEEDED,
    PATH,
    Ask,
    Lines,
    Reply,
    Scene,
    as_bytes,
    bearer,
    becomes_fresh,
    check_metadata,
    open_scene,
)
from starlette.testclient import WebSocketDenialResponse
from starlette.websockets import WebSocketDisconnect

from mintmark_auth import Verified, Verifier
from mintmark_auth.fastapi import RequireToken, install, verified


@pytest.fixture
def scene() -> Iterator[Scene]:
    with open_scene() as opened:
        yield opened


def application(verifier: Verifier) -> FastAPI:
    app, require = FastAPI(), RequireToken(verifier)

    @app.get(PATH)
    async def whoami(caller: Annotated[Verified, Security(require, scopes=[NEEDED])]) -> str:
        return str(caller.claims["sub"])

    @app.get("/v1/sync")
    def whoami_in_a_thread(caller: Annotated[Verified, Security(require, scopes=[NEEDED])]) -> str:
        return str(caller.claims["sub"])

    @app.get("/v1/any")
    async def any_token(caller: Annotated[Verified, Depends(require)]) -> str:
        return caller.by

    @app.websocket("/v1/socket")
    async def greet(websocket: WebSocket, caller: Annotated[Verified, Security(require, scopes=[NEEDED])]) -> None:
        await websocket.accept()
        await websocket.send_text(verified(websocket).claims["sub"])
        await websocket.close()

    return app


def open_at(path: str) -> Any:
    def open_app(verifier: Verifier) -> Ask:
        app = application(verifier)
        install(app, verifier)
        client = TestClient(app)

        def ask(lines: Lines) -> Reply:
            answer = client.get(path, headers=as_bytes(lines))
            return Reply(answer.status_code, dict(answer.headers), answer.json())

        return ask

    return open_app


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_guarded_route(scene: Scene, case: Any) -> None:
    case(scene, open_at(PATH))


def test_a_guarded_route_in_a_thread(scene: Scene) -> None:
    for name in "good_tokens_pass", "a_missing_scope_is_403_and_named", "a_revoked_token_is_401":
        CASES[name](scene, open_at("/v1/sync"))


def test_install_serves_the_metadata_before_all_routes(scene: Scene) -> None:
    verifier = scene.verifier()
    app = FastAPI()

    @app.get("/{path:path}")
    async def catch_all(path: str) -> str:
        return path

    install(app, verifier)
    client = TestClient(app)

    def ask(method: str) -> Reply:
        answer = client.request(method, METADATA_PATH)
        return Reply(answer.status_code, dict(answer.headers), answer.json() if answer.content else None)

    check_metadata(scene, ask)
    assert client.get("/x").json() == "x"
    assert METADATA_PATH not in client.get("/openapi.json").text
    with TestClient(app):
        assert becomes_fresh(verifier)


def test_without_install_a_refusal_has_the_same_status_and_headers(scene: Scene) -> None:
    client = TestClient(application(scene.fresh()))
    refused = client.get(PATH)
    assert refused.status_code == 401
    body = {"error": "invalid_token", "error_description": "The request needs an access token."}
    assert refused.json() == {"detail": body}
    assert refused.headers["www-authenticate"].startswith(f'Bearer scope="{NEEDED}", resource_metadata=')
    assert client.get(PATH, headers=dict(bearer(scene.publisher.issue(scope="")))).status_code == 403
    scene.publisher.fail("unavailable")
    stale = TestClient(application(scene.verifier())).get(PATH, headers=dict(bearer(scene.publisher.issue())))
    assert (stale.status_code, stale.headers["retry-after"]) == (503, "1")
    assert "www-authenticate" not in stale.headers


def test_the_scopes_of_all_dependents_are_required(scene: Scene) -> None:
    verifier = scene.fresh()
    require = RequireToken(verifier)

    async def caller(found: Annotated[Verified, Security(require, scopes=["db:read"])]) -> str:
        return str(found.claims["sub"])

    router = APIRouter(prefix="/v1", dependencies=[Security(require, scopes=["mail:send"])])

    @router.get("/orders")
    async def orders(who: Annotated[str, Security(caller, scopes=["db:write"])]) -> str:
        return who

    app = FastAPI(dependencies=[Depends(require)])
    app.include_router(router)
    install(app, verifier)
    client = TestClient(app)
    for n, (scope, named) in enumerate(
        [
            ("db:read db:write mail:send", None),
            ("db:read db:write", "mail:send"),
            ("db:read mail:send", "db:write db:read"),
            ("db:write mail:send", "db:write db:read"),
        ]
    ):
        # One proof, though three dependencies ask for the token.
        bound = scene.publisher.issue(scope=scope, cnf={"jkt": scene.holder.thumbprint})
        proof = scene.prove(bound, jti=str(n))
        for headers in {"authorization": f"DPoP {bound}", "dpop": proof}, dict(bearer(scene.publisher.issue(scope=scope))):
            answer = client.get(PATH, headers=headers)
            assert answer.status_code == (200 if named is None else 403), answer.text
            assert named is None or f'scope="{named}"' in answer.headers["www-authenticate"]


def test_a_dependency_can_be_replaced_in_tests_and_no_handler_of_the_app_opens_a_route(scene: Scene) -> None:
    verifier, app, called = scene.fresh(), FastAPI(), []
    require = RequireToken(verifier)

    async def swallow() -> AsyncIterator[None]:
        with suppress(Exception):
            yield

    @app.exception_handler(Exception)
    @app.exception_handler(HTTPException)
    async def as_text(_: Request, fault: Exception) -> PlainTextResponse:
        return PlainTextResponse(type(fault).__name__, getattr(fault, "status_code", 500))

    @app.get(PATH, dependencies=[Depends(swallow)])
    async def orders(caller: Annotated[Verified, Security(require, scopes=[NEEDED])]) -> str:
        called.append(caller)
        return "orders"

    client = TestClient(app, raise_server_exceptions=False)
    refused = client.get(PATH)
    assert refused.status_code >= 400
    assert called == []
    found = verifier.verify(scene.publisher.issue())
    app.dependency_overrides[require] = lambda: found
    assert client.get(PATH).json() == "orders"
    assert called == [found]


def test_openapi_shows_a_bearer_scheme_and_the_scopes(scene: Scene) -> None:
    verifier = scene.verifier()
    described = TestClient(application(verifier)).get("/openapi.json").json()
    scheme = described["components"]["securitySchemes"]["Mintmark"]
    assert (scheme["type"], scheme["scheme"], scheme["bearerFormat"]) == ("http", "bearer", "JWT")
    assert scene.publisher.issuer in scheme["description"]
    assert described["paths"][PATH]["get"]["security"] == [{"Mintmark": [NEEDED]}]
    assert described["paths"]["/v1/any"]["get"]["security"] == [{"Mintmark": []}]
    assert "parameters" not in described["paths"][PATH]["get"]


@pytest.mark.parametrize("is_installed", [True, False])
def test_a_websocket_is_refused_before_it_is_accepted(scene: Scene, is_installed: bool) -> None:
    verifier = scene.fresh()
    app = application(verifier)
    if is_installed:
        install(app, verifier)
    client = TestClient(app)
    with client.websocket_connect("/v1/socket", headers=dict(bearer(scene.publisher.issue()))) as websocket:
        assert websocket.receive_text() == "agent-1"
    with pytest.raises(WebSocketDenialResponse) as denied, client.websocket_connect("/v1/socket"):
        pass
    assert denied.value.status_code == 401
    assert denied.value.headers["www-authenticate"].startswith("Bearer scope=")

    async def without_denial(scope: Any, receive: Any, send: Any) -> None:
        await app({**scope, "extensions": {}}, receive, send)

    with pytest.raises(WebSocketDisconnect) as closed, TestClient(without_denial).websocket_connect("/v1/socket"):
        pass
    assert (closed.value.code, closed.value.reason) == (1008, "The request needs an access token.")


def test_a_refusal_of_a_handler_is_answered_too(scene: Scene) -> None:
    verifier, app = scene.fresh(), FastAPI()

    @app.get("/v1/form")
    async def of_a_form(token: str) -> str:
        return (await verifier.averify(token)).by

    install(app, verifier)
    answer = TestClient(app).get("/v1/form?token=abc")
    assert (answer.status_code, answer.json()["error"]) == (401, "invalid_token")


def test_a_mistake_is_an_error_where_it_is_written(scene: Scene) -> None:
    verifier, app = scene.verifier(), FastAPI()
    require: Any = RequireToken
    put: Any = install
    wrong: list[tuple[Callable[[], Any], str]] = [
        (lambda: require(None), "not a Verifier"),
        (lambda: require(), "verifier"),
        (lambda: require(verifier, "db:read"), "positional"),
        (lambda: require(verifier, scopes=["db:read"]), "scopes"),
        (lambda: put(app, None), "not a Verifier"),
        (lambda: put(verifier, app), "not a Verifier"),
        (lambda: put(object(), verifier), "not a FastAPI"),
        (lambda: put(app, verifier, metadata={"x": object()}), "JSON"),
    ]
    for call, message in wrong:
        with pytest.raises((TypeError, ValueError), match=message):
            call()


def test_a_proxy_in_front_may_remove_a_part_of_the_path(scene: Scene) -> None:
    verifier, app = scene.fresh(), FastAPI()
    require = RequireToken(verifier, base_url="https://gate.example/api")

    @app.get("/orders", dependencies=[Security(require)])
    async def orders() -> str:
        return "orders"

    client = TestClient(app, root_path="/api")
    for n, (htu, status) in enumerate([("https://gate.example/api/orders", 200), ("https://gate.example/orders", 401)]):
        token = scene.bound()
        proof = scene.prove(token, htu=htu, jti=str(n))
        assert client.get("/orders", headers={"authorization": f"DPoP {token}", "dpop": proof}).status_code == status, htu
