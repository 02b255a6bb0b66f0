"""Guards behind uvicorn, beside the real service: a token is accepted until it is revoked, and the refusal is exact."""

import asyncio
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest
from guarding import Reply, bearer
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from server_process import running_server
from service import free_port
from serving import ask_at
from test_service import GIVEN, get_token, post

pytestmark = pytest.mark.skipif(not GIVEN, reason="npm run test:python starts the service.")

METADATA_PATH = "/.well-known/oauth-protected-resource"
NOT_VALID = (
    'Bearer error="invalid_token", error_description="The access token is not valid here.", '
    'resource_metadata="{audience}' + METADATA_PATH + '"'
)
STEP_UP = (
    'Bearer error="insufficient_scope", error_description="The access token does not cover the scope of this request.", '
    'scope="db:read", resource_metadata="{audience}' + METADATA_PATH + '"'
)


def is_ready(port: int, path: str, token: str) -> bool:
    """Whether it listens and knows what was revoked."""
    try:
        return ask_at(port, path, bearer(token)).status != 503
    except ConnectionError:
        return False


@contextmanager
def serving(app: str, path: str, log: Path, *options: str) -> Iterator[int]:
    """The port at which it answers."""
    port, token = free_port(), get_token()
    given = {"ISSUER": GIVEN["issuer"], "AUDIENCE": GIVEN["audience"], "API_KEY": GIVEN["apiKey"]}
    command = [sys.executable, "-m", "uvicorn", f"guards.guarded:{app}", "--port", str(port), *options]
    with running_server(command, given, log) as server:
        give_up = time.monotonic() + 20
        while not is_ready(port, path, token):
            assert time.monotonic() < give_up, log.read_text()
            assert server.poll() is None, log.read_text()
            time.sleep(0.05)
        yield port
    assert "Traceback" not in log.read_text()


def refused_within_a_second(ask: Callable[[], Reply]) -> Reply:
    give_up = time.monotonic() + 1
    reply = ask()
    while reply.status == 200 and time.monotonic() < give_up:
        reply = ask()
    return reply


def test_a_route_of_fastapi_accepts_a_token_until_it_is_revoked(tmp_path: Path) -> None:
    token, narrow = get_token(), get_token(scope="db:write")
    with serving("api", "/orders", tmp_path / "log", "--root-path", "/v1") as port:
        assert ask_at(port, METADATA_PATH).body["authorization_servers"] == [GIVEN["issuer"]]
        good = ask_at(port, "/orders", bearer(token))
        assert good[::2] == (200, GIVEN["clientId"])
        lacking = ask_at(port, "/orders", bearer(narrow))
        assert (lacking.status, lacking.headers["www-authenticate"]) == (403, STEP_UP.format(**GIVEN))
        post("/oauth/revoke", token=token)
        reply = refused_within_a_second(lambda: ask_at(port, "/orders", bearer(token)))
        assert (reply.status, reply.headers["www-authenticate"]) == (401, NOT_VALID.format(**GIVEN))
        assert reply.body == {"error": "invalid_token", "error_description": "The access token is not valid here."}


def test_a_server_of_mcp_accepts_a_token_of_its_own_client_until_it_is_revoked(tmp_path: Path) -> None:
    token, narrow = get_token(), get_token(scope="db:write")
    seen: list[httpx2.Response] = []

    async def note(response: httpx2.Response) -> None:
        seen.append(response)

    async def call(port: int) -> None:
        headers, hooks = dict(bearer(token)), {"response": [note]}
        async with httpx2.AsyncClient(headers=headers, event_hooks=hooks, timeout=10) as http:
            transport = streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=http)
            async with Client(transport) as client:
                answer = await client.call_tool("whoami")
                assert answer.structured_content == {"result": GIVEN["clientId"]}
                await asyncio.to_thread(post, "/oauth/revoke", token=token)
                give_up = time.monotonic() + 1
                while seen[-1].status_code < 400 and time.monotonic() < give_up:
                    try:
                        await client.call_tool("whoami")
                    except Exception:  # the SDK has several for it
                        break

    with serving("mcp", "/", tmp_path / "log") as port:
        assert ask_at(port, METADATA_PATH).body["resource"] == GIVEN["audience"]
        anonymous = ask_at(port, "/mcp", method="POST")
        challenge = f'Bearer scope="db:read", resource_metadata="{GIVEN["audience"]}{METADATA_PATH}"'
        assert (anonymous.status, anonymous.headers["www-authenticate"]) == (401, challenge)
        lacking = ask_at(port, "/mcp", bearer(narrow), "POST")
        assert (lacking.status, lacking.headers["www-authenticate"]) == (403, STEP_UP.format(**GIVEN))
        asyncio.run(call(port))
        refused = next(one for one in seen if one.status_code >= 400)
        assert (refused.status_code, refused.headers["www-authenticate"]) == (401, NOT_VALID.format(**GIVEN))
