"""APIs for the servers of the tests: one of FastAPI and one of MCP, guarded by a verifier that is made at import."""

import os
from typing import Annotated

from fastapi import FastAPI, Security
from mcp.server import MCPServer
from mcp.server.auth.middleware.auth_context import get_access_token

from mintmark_auth import Verified, Verifier
from mintmark_auth.fastapi import RequireToken, install
from mintmark_auth.mcp import protect_mcp

verifier = Verifier(os.environ["ISSUER"], os.environ["AUDIENCE"], api_key=os.environ["API_KEY"], when_stale="refuse")

api = FastAPI()
install(api, verifier)


@api.get("/orders")
def read_orders(caller: Annotated[Verified, Security(RequireToken(verifier), scopes=["db:read"])]) -> str:
    return str(caller.claims["sub"])


tools = MCPServer("orders")


@tools.tool()
def whoami() -> str:
    access = get_access_token()
    return "nobody" if access is None else str(access.subject)


mcp = protect_mcp(tools.streamable_http_app(), verifier, "db:read")
