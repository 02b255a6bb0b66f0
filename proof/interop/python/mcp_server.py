"""An MCP server that takes only Mintmark's tokens for itself."""

import httpx2
from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import AccessToken, TokenVerifier
from mcp.server.auth.settings import AuthSettings
from mcp.server.mcpserver import MCPServer
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send


class Introspection(TokenVerifier):
    """A revoked token is refused at once. The API key carries the permission tokens:introspect."""

    def __init__(self, issuer: str, resource: str, api_key: str) -> None:
        self.address, self.resource, self.api_key = f"{issuer}/oauth/introspect/v2", resource, api_key

    async def verify_token(self, token: str) -> AccessToken | None:
        async with httpx2.AsyncClient(headers={"X-API-Key": self.api_key}) as client:
            answer = (await client.post(self.address, data={"token": token})).raise_for_status().json()
        # Without proof of its key, a bound token may be stolen.
        if not answer["active"] or "cnf" in answer:
            return None
        audience = [answer["aud"]] if isinstance(answer["aud"], str) else answer["aud"]
        return AccessToken(
            token=token,
            client_id=answer["client_id"],
            subject=answer["sub"],
            scopes=answer["scope"].split(),
            expires_at=answer["exp"],
            resource=self.resource if self.resource in audience else audience[0],
        )


def make_server(issuer: str, resource: str, api_key: str) -> MCPServer:
    """The resource is the server's public URL, the one that agents are given."""
    server = MCPServer(
        "example",
        token_verifier=Introspection(issuer, resource, api_key),
        auth=AuthSettings(
            issuer_url=issuer,
            resource_server_url=resource,
            required_scopes=["db:read"],
            validate_token_resource=True,
        ),
    )

    @server.tool(description="For whom the agent calls: a person, or itself")
    def whoami() -> str:
        caller = get_access_token()
        return caller.subject or "" if caller else ""

    return server


def make_app(issuer: str, resource: str, api_key: str) -> ASGIApp:
    """The server as an ASGI application. Of two Authorization lines the SDK reads one, and what stands behind it may read the other."""
    app = make_server(issuer, resource, api_key).streamable_http_app()

    async def refuse_two_lines(scope: Scope, receive: Receive, send: Send) -> None:
        names = [name for name, _ in scope.get("headers", [])]
        refused = PlainTextResponse("invalid_request", 400)
        await (refused if names.count(b"authorization") > 1 else app)(scope, receive, send)

    return refuse_two_lines
