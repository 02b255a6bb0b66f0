"""An MCP server on streamable HTTP: calling a tool needs the scope db:read."""

import os

from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.mcpserver import MCPServer
from mintmark_auth import Verifier
from mintmark_auth.mcp import protect_mcp

verifier = Verifier(
    os.environ["BASE_URL"],
    os.environ.get("AUDIENCE", "http://127.0.0.1:3006/mcp"),  # the URL that agents are given
    api_key=os.environ["ADMIN_API_KEY"],
    name="mcp-orders",
)

server = MCPServer("orders")


@server.tool(description="All orders")
def list_orders() -> str:
    caller = get_access_token()
    return f"tea; asked by {caller.client_id if caller else 'nobody'}"


app = protect_mcp(server.streamable_http_app(), verifier, "db:read")
