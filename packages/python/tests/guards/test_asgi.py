"""The guard for ASGI: around an application of Starlette, and by the messages of ASGI themselves."""

import asyncio
import base64
import hashlib
import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from guarding import (
    ALGORITHMS,
    CASES,
    METADATA_PATH,
    METADATA_URL,
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
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket

from mintmark_auth import Verifier
from mintmark_auth.asgi import ASGIApp, Message, Scope, protect, publish, verified

DENIAL: dict[str, Any] = {"websocket.http.response": {}}


@pytest.fixture
def scene() -> Iterator[Scene]:
    with open_scene() as opened:
        yield opened


async def whoami(request: Request) -> JSONResponse:
    return JSONResponse(verified(request).claims["sub"])


async def greet(websocket: WebSocket) -> None:
    await websocket.accept()
    await websocket.send_text(verified(websocket).claims["sub"])
    await websocket.close()


def application() -> ASGIApp:
    return Starlette(routes=[Route(PATH, whoami), Mount("/v1/mounted", Starlette(routes=[Route("/deep", whoami)]))])


def open_app(verifier: Verifier) -> Ask:
    return ask_of(protect(application(), verifier, NEEDED))


def ask_of(app: ASGIApp, path: str = PATH) -> Ask:
    client = TestClient(app)

    def ask(lines: Lines) -> Reply:
        answer = client.get(path, headers=as_bytes(lines))
        return Reply(answer.status_code, dict(answer.headers), answer.json())

    return ask


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_guarded_application(scene: Scene, case: Any) -> None:
    case(scene, open_app)


def test_the_metadata_is_public_and_nothing_else_is(scene: Scene) -> None:
    client = TestClient(protect(application(), scene.verifier()))

    def ask(method: str) -> Reply:
        answer = client.request(method, METADATA_PATH + "?a=b")
        return Reply(answer.status_code, dict(answer.headers), answer.json() if answer.content else None)

    check_metadata(scene, ask)
    for method, path in [("POST", METADATA_PATH), ("GET", METADATA_PATH + "/"), ("OPTIONS", PATH), ("GET", "/")]:
        assert client.request(method, path).status_code == 401, path
    head = client.head(PATH)
    length = str(len(client.get(PATH).content))
    assert (head.status_code, head.content, head.headers["content-length"]) == (401, b"", length)


def test_metadata_has_further_members(scene: Scene) -> None:
    verifier = scene.verifier()
    app = publish(application(), verifier, metadata={"resource_name": "Örders", "scopes_supported": ["db:read"]})
    client = TestClient(app)
    assert client.get(METADATA_PATH).json()["resource_name"] == "Örders"
    # It guards nothing: a handler that asks for the token sees that.
    with pytest.raises(LookupError, match="not verified"):
        client.get(PATH)


def test_a_server_may_put_its_root_before_the_path_of_the_metadata(scene: Scene) -> None:
    client = TestClient(protect(application(), scene.verifier()))
    scope = {**handshake([]), "type": "http", "method": "GET"}
    for root, path, status in [
        ("/gate", "/gate" + METADATA_PATH, 200),
        ("/gate", METADATA_PATH, 200),
        ("/", METADATA_PATH, 200),
        ("/gate", "/other" + METADATA_PATH, 401),
    ]:
        scope |= {"root_path": root, "path": path, "raw_path": path.encode()}
        assert asyncio.run(exchange(client.app, scope))[0]["status"] == status, path


async def exchange(app: ASGIApp, scope: Scope, *received: Message) -> list[Message]:
    sent: list[Message] = []
    waiting = list(received)

    async def receive() -> Message:
        return waiting.pop(0)

    async def send(message: Message) -> None:
        sent.append(message)

    await app(scope, receive, send)
    return sent


def handshake(lines: Lines, **changed: Any) -> Scope:
    headers = [(name.encode(), value.encode()) for name, value in lines]
    return {"type": "websocket", "path": PATH, "raw_path": PATH.encode(), "headers": headers, "query_string": b"", **changed}


def test_a_websocket_is_refused_before_it_is_accepted(scene: Scene) -> None:
    app = protect(Starlette(routes=[WebSocketRoute(PATH, greet)]), scene.fresh(), NEEDED)
    connect = {"type": "websocket.connect"}
    with TestClient(app).websocket_connect(PATH, headers=dict(bearer(scene.publisher.issue()))) as websocket:
        assert websocket.receive_text() == "agent-1"
    start, body = asyncio.run(exchange(app, handshake([], extensions=DENIAL), connect))
    assert (start["type"], start["status"]) == ("websocket.http.response.start", 401)
    challenge = f'Bearer scope="{NEEDED}", resource_metadata="{METADATA_URL}"'
    assert dict(start["headers"])[b"www-authenticate"] == challenge.encode()
    assert body["type"] == "websocket.http.response.body"
    assert json.loads(body["body"])["error"] == "invalid_token"
    for scope in handshake([]), handshake([], extensions=None), handshake(bearer("abc"), extensions={"tls": {}}):
        [closed] = asyncio.run(exchange(app, scope, connect))
        assert (closed["type"], closed["code"]) == ("websocket.close", 1008)
    assert asyncio.run(exchange(app, handshake([]), {"type": "websocket.disconnect", "code": 1006})) == []
    token = scene.bound()
    lines = [("authorization", f"DPoP {token}"), ("dpop", scene.prove(token))]
    accepted = asyncio.run(exchange(app, handshake(lines), connect, {"type": "websocket.disconnect"}))
    assert accepted[0]["type"] == "websocket.accept"


def test_the_verifier_follows_from_the_start_and_the_application_has_its_own(scene: Scene) -> None:
    verifier = scene.verifier()
    seen: list[str] = []

    async def lifespan(scope: Scope, receive: Any, send: Any) -> None:
        seen.append(scope["type"])
        assert (await receive())["type"] == "lifespan.startup"
        await send({"type": "lifespan.startup.complete"})

    app = protect(lifespan, verifier, NEEDED)
    sent = asyncio.run(exchange(app, {"type": "lifespan"}, {"type": "lifespan.startup"}))
    assert (seen, sent) == (["lifespan"], [{"type": "lifespan.startup.complete"}])
    assert becomes_fresh(verifier)


def test_a_start_does_not_wait_for_a_service_that_hangs(scene: Scene) -> None:
    scene.publisher.fail("hang")

    async def start() -> float:
        loop = asyncio.get_running_loop()
        before = loop.time()
        await exchange(protect(application(), scene.verifier()), {"type": "lifespan"}, {"type": "lifespan.startup"},
                       {"type": "lifespan.shutdown"})  # fmt: skip
        return loop.time() - before

    assert asyncio.run(start()) < 2


@pytest.mark.parametrize("kind", ["webtransport", "", "HTTP"])
def test_what_it_cannot_guard_is_not_passed_on(scene: Scene, kind: str) -> None:
    called: list[Scope] = []

    async def app(scope: Scope, receive: Any, send: Any) -> None:
        called.append(scope)

    with pytest.raises(NotImplementedError, match="type of ASGI scope"):
        asyncio.run(exchange(protect(app, scene.verifier()), {"type": kind, "headers": []}))
    assert called == []


def test_guards_within_guards_take_one_proof_and_each_checks_its_scopes(scene: Scene) -> None:
    verifier = scene.fresh()
    for inner, status in [("mail:send", 200), ("db:admin", 403)]:
        ask = ask_of(protect(protect(application(), verifier, inner), verifier, NEEDED))
        token = scene.bound()
        reply = ask([("authorization", f"DPoP {token}"), ("dpop", scene.prove(token, jti=inner))])
        assert reply.status == status, reply
    assert f'scope="{inner}"' in reply.headers["www-authenticate"]
    assert reply.headers["www-authenticate"].startswith("DPoP ")


def test_a_scope_that_was_copied_for_another_request_does_not_pass_with_it(scene: Scene) -> None:
    verifier = scene.fresh()
    guarded = protect(application(), verifier, NEEDED)

    async def batch(scope: Scope, receive: Any, send: Any) -> None:
        await guarded({**scope, "headers": [(b"authorization", b"Bearer abc")]}, receive, send)

    assert ask_of(protect(batch, verifier, NEEDED))(bearer(scene.publisher.issue())).status == 401


def test_a_proof_is_of_the_path_as_it_was_sent(scene: Scene) -> None:
    verifier = scene.fresh()
    asked = 0

    def status(app: ASGIApp, raw_path: str | None, proven: str, path: str = PATH) -> int:
        nonlocal asked
        asked += 1
        token = scene.bound()
        lines = [("authorization", f"DPoP {token}"), ("dpop", scene.prove(token, htu=proven, jti=str(asked)))]
        headers = [(name.encode(), value.encode()) for name, value in lines]
        scope = {"type": "http", "method": "GET", "path": path, "headers": headers, "query_string": b""}
        if raw_path is not None:
            scope["raw_path"] = raw_path.encode()
        answer: int = asyncio.run(exchange(app, scope))[0]["status"]
        return answer

    app = protect(application(), verifier)
    base = "https://orders.example"
    assert status(app, PATH, base + PATH) == 200
    assert status(app, None, base + PATH) == 200
    assert status(app, f"http://other.example{PATH}", base + PATH) == 200
    assert status(app, "/v1/a%2Fb", base + "/v1/a%2Fb", "/v1/a/b") == 404
    assert status(app, "/v1/a%2Fb", base + "/v1/a/b", "/v1/a/b") == 401
    assert status(app, "/v1/x/../orders", base + PATH) == 401
    assert status(app, "*", base + "/") == 401
    # A fragment is in no target, and routers differ in whether it is in the path.
    assert status(app, f"{PATH}#x", base + PATH) == 401
    assert status(app, f"{PATH}?a=b#x", base + PATH) == 200
    assert status(app, f"/{PATH}", base + PATH) == 401
    assert status(app, f"/{PATH}", f"{base}/{PATH}") == 200
    assert status(app, f"http://caller@orders.example{PATH}", base + PATH) == 401
    for escaped, path in (
        ("/v1/a:b;c@d", "/v1/a:b;c@d"),
        ("/v1/%C3%A4%20b%3Fc", "/v1/\xe4 b?c"),
        ("/v1/%ED%A0%80", "/v1/\ud800"),
    ):
        assert status(app, None, base + escaped, path) == 404, path
    assert status(app, "/v1/mounted/deep", base + "/v1/mounted/deep", "/v1/mounted/deep") == 200
    behind = protect(application(), verifier, base_url="https://gate.example/api")
    assert status(behind, PATH, "https://gate.example/api" + PATH) == 200
    assert status(behind, PATH, base + PATH) == 401


def test_the_certificate_of_the_connection_counts(scene: Scene) -> None:
    der = b"any bytes are a certificate to a thumbprint"
    thumbprint = base64.urlsafe_b64encode(hashlib.sha256(der).digest()).rstrip(b"=").decode()
    pem = f"-----BEGIN CERTIFICATE-----\n{base64.b64encode(der).decode()}\n-----END CERTIFICATE-----\n"
    app = protect(application(), scene.fresh())
    lines = bearer(scene.publisher.issue(cnf={"x5t#S256": thumbprint}))
    for tls, status in [
        ({"client_cert_chain": [pem], "client_cert_error": None}, 200),
        ({"client_cert_chain": [pem], "client_cert_error": "self-signed"}, 401),
        ({"client_cert_chain": []}, 401),
        ({"client_cert_chain": None}, 401),
        (None, 401),
    ]:
        scope = {**handshake(lines), "type": "http", "method": "GET", "extensions": None if tls is None else {"tls": tls}}
        assert asyncio.run(exchange(app, scope))[0]["status"] == status, tls


def test_a_mistake_is_an_error_where_the_guard_is_written(scene: Scene) -> None:
    verifier, loose = scene.verifier(), protect
    wrong: list[tuple[tuple[Any, ...], dict[str, Any], str]] = [
        ((application(), None), {}, "not a Verifier"),
        ((verifier, application()), {}, "not a Verifier"),
        ((None, verifier), {}, "not an ASGI application"),
        ((application(), verifier, ["db:read"]), {}, "scope is not a string"),
        ((application(), verifier, None), {}, "scope is not a string"),
        ((application(), verifier, "a b"), {}, "not one scope item"),
        ((application(), verifier, ""), {}, "not one scope item"),
        ((application(), verifier), {"scopes": ["db:read"]}, "unexpected keyword"),
        ((application(), verifier), {"base_url": "https://a.example/"}, "base_url is not"),
        ((application(), verifier), {"base_url": "a.example"}, "base_url is not"),
        ((application(), verifier), {"base_url": b"https://a.example"}, "base_url is not"),
        ((application(), verifier), {"metadata": {"x": object()}}, "JSON"),
    ]
    for given, named, message in wrong:
        with pytest.raises((TypeError, ValueError), match=message):
            loose(*given, **named)


def test_an_audience_that_is_no_url_has_no_metadata_and_takes_no_proof(scene: Scene) -> None:
    verifier = Verifier(scene.publisher.issuer, "orders", mode="offline")
    scene.made.append(verifier)
    client = TestClient(protect(application(), verifier))
    assert client.get(METADATA_PATH).status_code == 401
    assert client.get(PATH, headers=dict(bearer(scene.publisher.issue(aud="orders")))).status_code == 200
    token = scene.publisher.issue(aud="orders", cnf={"jkt": scene.holder.thumbprint})
    headers = {"authorization": f"DPoP {token}", "dpop": scene.prove(token, htu=f"http://testserver{PATH}")}
    refused = client.get(PATH, headers=headers)
    assert (refused.status_code, refused.headers["www-authenticate"]) == (
        401,
        'DPoP error="invalid_dpop_proof", error_description="The DPoP proof is not valid for this request.", '
        f'algs="{ALGORITHMS}"',
    )


def test_a_second_line_of_proofs_is_400(scene: Scene) -> None:
    ask, token = open_app(scene.fresh()), scene.bound()
    proofs = [("dpop", scene.prove(token, jti=jti)) for jti in "ab"]
    assert ask([("authorization", f"DPoP {token}"), *proofs]).status == 400
    assert ask([("authorization", f"DPoP {token}"), proofs[0]]).status == 200


def test_neither_the_core_nor_this_guard_imports_a_framework() -> None:
    frameworks = {"starlette", "fastapi", "flask", "django", "mcp"}
    program = f"import sys, mintmark_auth, mintmark_auth.asgi; print({frameworks} & sys.modules.keys())"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, check=True).stdout.strip() == b"set()"


def test_a_response_to_head_has_no_body_also_where_the_server_would_send_one(scene: Scene) -> None:
    app = protect(application(), scene.verifier())
    for path, status in (PATH, 401), (METADATA_PATH, 200):
        scope = {**handshake([]), "type": "http", "method": "HEAD", "path": path, "raw_path": path.encode()}
        start, body = asyncio.run(exchange(app, scope))
        assert (start["status"], body["body"]) == (status, b"")
