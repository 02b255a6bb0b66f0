"""The official SDK of the Model Context Protocol, unmodified, with this package for its tokens."""

import asyncio
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
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
    check_metadata,
    open_scene,
)
from issuer import AUDIENCE
from mcp.server import MCPServer
from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.settings import AuthSettings
from pydantic import AnyHttpUrl
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from mintmark_auth import Refused, Verifier
from mintmark_auth.mcp import McpVerifier, protect_mcp

HOST = "http://127.0.0.1:8000"
ACT = {"sub": "agent-2", "act": {"sub": "agent-3"}}


@pytest.fixture
def scene() -> Iterator[Scene]:
    with open_scene() as opened:
        yield opened


def open_app(verifier: Verifier) -> Ask:
    async def whoami(request: Request) -> JSONResponse:
        access = get_access_token()
        assert access is not None
        assert request.user.access_token == access
        assert request.auth.scopes == access.scopes
        return JSONResponse(access.subject)

    client = TestClient(protect_mcp(Starlette(routes=[Route(PATH, whoami)]), verifier, NEEDED))

    def ask(lines: Lines) -> Reply:
        answer = client.get(PATH, headers=as_bytes(lines))
        return Reply(answer.status_code, dict(answer.headers), answer.json())

    return ask


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_guarded_server(scene: Scene, case: Any) -> None:
    case(scene, open_app)


def server(**options: Any) -> MCPServer[Any]:
    made: MCPServer[Any] = MCPServer("orders", **options)

    @made.tool()
    def whoami() -> str:
        access = get_access_token()
        return "nobody" if access is None else access.model_dump_json()

    return made


class Client:
    def __init__(self, client: TestClient, headers: dict[str, str]) -> None:
        self.client, self.headers = client, {"accept": "application/json, text/event-stream", **headers}

    def send(self, method: str, params: dict[str, Any] | None = None) -> Any:
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params or {}}
        if not method.startswith("notifications/"):
            message["id"] = 1
        return self.client.post("/mcp", json=message, headers=self.headers)

    def open(self) -> None:
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        answer = self.send("initialize", hello)
        assert answer.status_code == 200, answer.text
        self.headers["mcp-session-id"] = answer.headers["mcp-session-id"]
        self.headers["mcp-protocol-version"] = "2025-06-18"
        assert self.send("notifications/initialized").status_code == 202

    def whoami(self) -> Any:
        answer = self.send("tools/call", {"name": "whoami", "arguments": {}})
        assert answer.status_code == 200, answer.text
        return json.loads(answer.json()["result"]["content"][0]["text"])


@contextmanager
def running(app: Any) -> Iterator[TestClient]:
    with TestClient(app, base_url=HOST, raise_server_exceptions=False) as client:
        yield client


def own_middleware(scene: Scene, verifier: Verifier) -> MCPServer[Any]:
    settings = AuthSettings(
        issuer_url=AnyHttpUrl(scene.publisher.issuer),
        resource_server_url=AnyHttpUrl(AUDIENCE),
        required_scopes=[NEEDED],
        validate_token_resource=True,
    )
    return server(auth=settings, token_verifier=McpVerifier(verifier))


@pytest.mark.parametrize("guard", ["of this package", "of the SDK"])
def test_tools_read_the_token(scene: Scene, guard: str) -> None:
    verifier = scene.fresh()
    if guard == "of this package":
        app: Any = protect_mcp(server().streamable_http_app(json_response=True), verifier, NEEDED)
    else:
        app = own_middleware(scene, verifier).streamable_http_app(json_response=True)
    token = scene.publisher.issue(act=ACT, tenant="acme")
    with running(app) as http:
        client = Client(http, dict(bearer(token)))
        client.open()
        access = client.whoami()
        claims = access.pop("claims")
        assert access == {
            "token": token,
            "client_id": "billing",
            "scopes": ["db:read", "mail:send"],
            "expires_at": claims["exp"],
            "resource": AUDIENCE,
            "subject": "agent-1",
        }
        assert (claims["iss"], claims["act"], claims["tenant"]) == (scene.publisher.issuer, ACT, "acme")
        # The next token of the same agent goes on with the session; that of another person of the same client does not.
        client.headers.update(bearer(scene.publisher.issue(scope="db:read")))
        assert client.whoami()["scopes"] == ["db:read"]
        client.headers.update(bearer(scene.publisher.issue(sub="agent-9")))
        assert client.send("tools/call", {"name": "whoami", "arguments": {}}).status_code == 404


def test_the_guard_says_what_that_of_the_sdk_cannot(scene: Scene) -> None:
    verifier = scene.fresh()
    with running(protect_mcp(server().streamable_http_app(json_response=True), verifier, NEEDED)) as http:
        refused = Client(http, dict(bearer(scene.publisher.issue(scope="mail:send")))).send("ping")
        assert refused.status_code == 403
        assert f'scope="{NEEDED}"' in refused.headers["www-authenticate"]
        bound = scene.bound()
        url = "https://orders.example/mcp"
        client = Client(http, {"authorization": f"DPoP {bound}"})
        assert client.send("ping").headers["www-authenticate"].startswith("DPoP ")
        client.headers["dpop"] = scene.prove(bound, htm="POST", htu=url)
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        assert client.send("initialize", hello).status_code == 200
        verifier.close()
        closed = Client(http, dict(bearer(scene.publisher.issue()))).send("ping")
        assert (closed.status_code, closed.headers["retry-after"]) == (503, "1")

        def ask(method: str) -> Reply:
            answer = http.request(method, METADATA_PATH)
            return Reply(answer.status_code, dict(answer.headers), answer.json() if answer.content else None)

        check_metadata(scene, ask)


def test_the_verifier_of_the_sdk_takes_bearer_tokens_and_says_where_it_cannot_check(scene: Scene) -> None:
    verifier = scene.fresh()
    own = McpVerifier(verifier)
    ended = scene.publisher.issue()
    scene.publisher.end(ended)
    time.sleep(0.1)
    for token in "abc", ended, scene.bound(), scene.publisher.issue(aud="https://other.example"):
        assert asyncio.run(own.verify_token(token)) is None
    several = asyncio.run(own.verify_token(scene.publisher.issue(aud=["https://other.example", AUDIENCE])))
    assert several is not None
    assert several.resource == AUDIENCE
    assert several.claims is not None
    assert several.claims["aud"] == ["https://other.example", AUDIENCE]
    with running(own_middleware(scene, verifier).streamable_http_app(json_response=True)) as http:
        assert Client(http, dict(bearer("abc"))).send("ping").status_code == 401
        assert Client(http, dict(bearer(scene.publisher.issue(scope="")))).send("ping").status_code == 403
        verifier.close()
        with pytest.raises(Refused) as refused:
            asyncio.run(own.verify_token(scene.publisher.issue()))
        assert refused.value.status == 503
        assert Client(http, dict(bearer(scene.publisher.issue()))).send("ping").status_code == 500


def test_a_token_for_another_resource_of_the_verifier_is_not_said_to_be_for_the_first(scene: Scene) -> None:
    verifier = Verifier(scene.publisher.issuer, [AUDIENCE, "https://second.example"], mode="offline")
    scene.made.append(verifier)
    found = asyncio.run(McpVerifier(verifier).verify_token(scene.publisher.issue(aud="https://second.example")))
    assert found is not None
    assert found.resource is None


def test_a_mistake_is_an_error_where_it_is_written(scene: Scene) -> None:
    verifier, guard, adapter = scene.verifier(), protect_mcp, McpVerifier
    wrong: list[tuple[Any, tuple[Any, ...], str]] = [
        (adapter, (None,), "not a Verifier"),
        (adapter, (verifier, NEEDED), "positional"),
        (guard, (None, verifier), "not an ASGI application"),
        (guard, (server().streamable_http_app(), None), "not a Verifier"),
        (guard, (server().streamable_http_app(), verifier, [NEEDED]), "scope is not a string"),
    ]
    for call, given, message in wrong:
        with pytest.raises((TypeError, ValueError), match=message):
            call(*given)
