"""An agent that calls an MCP server: the SDK asks the server who issues its tokens, and gets one from there."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import httpx2
from mcp import ClientSession
from mcp.client.auth import TokenStorage
from mcp.client.auth.extensions.client_credentials import ClientCredentialsOAuthProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken


class Memory(TokenStorage):
    """Tokens are short-lived: they are worth no file."""

    tokens: OAuthToken | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return None

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        pass


@asynccontextmanager
async def open_session(server_url: str, auth: httpx2.Auth) -> AsyncIterator[ClientSession]:
    async with (
        httpx2.AsyncClient(auth=auth) as http_client,
        streamable_http_client(server_url, http_client=http_client) as streams,
        ClientSession(streams[0], streams[1]) as session,
    ):
        await session.initialize()
        yield session


def connect(
    server_url: str, issuer: str, client_id: str, client_secret: str, storage: TokenStorage
) -> AbstractAsyncContextManager[ClientSession]:
    """Opens a session. The issuer is the only authorization server that ever sees the secret."""
    auth = ClientCredentialsOAuthProvider(server_url, storage, client_id, client_secret, issuer=issuer)
    return open_session(server_url, auth)
