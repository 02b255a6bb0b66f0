"""An MCP server that takes only Mintmark's tokens for itself."""

from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.mcpserver import MCPServer
from mintmark_auth import Verifier
from mintmark_auth.mcp import protect_mcp
from starlette.types import ASGIApp


def make_app(issuer: str, resource: str, api_key: str) -> ASGIApp:
    """The resource is the server's public URL, the one that agents are given. The API key has the permission tokens:introspect."""
    server = MCPServer("example")

    @server.tool(description="For whom the agent calls: a person, or itself")
    def whoami() -> str:
        caller = get_access_token()
        return caller.subject or "" if caller else ""

    return protect_mcp(server.streamable_http_app(), Verifier(issuer, resource, api_key=api_key, name="mcp"), "db:read")
