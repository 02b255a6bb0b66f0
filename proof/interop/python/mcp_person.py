"""An agent that calls an MCP server for a person who signed in: their provider gives it an ID-JAG for each token (SEP-990)."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager

import httpx2
from mcp import ClientSession
from mcp.client.auth import TokenStorage
from mcp.client.auth.extensions.identity_assertion import IdentityAssertionOAuthProvider
from mcp_agent import open_session

FetchIdJag = Callable[[str, str], Awaitable[str]]


def id_jags(token_endpoint: str, client_id: str, client_secret: str, id_token: str) -> FetchIdJag:
    """Fetches ID-JAGs from the provider, by the agent's client there. When the ID token has expired, the person signs in again."""

    async def fetch(audience: str, resource: str) -> str:
        fields = {
            "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange",
            "requested_token_type": "urn:ietf:params:oauth:token-type:id-jag",
            "subject_token": id_token,
            "subject_token_type": "urn:ietf:params:oauth:token-type:id_token",
            "audience": audience,
            "resource": resource,
            "client_id": client_id,
            "client_secret": client_secret,
        }
        async with httpx2.AsyncClient() as client:
            answer = await client.post(token_endpoint, data=fields)
        return answer.raise_for_status().json()["access_token"]

    return fetch


def connect(
    server_url: str, issuer: str, client_id: str, client_secret: str, fetch_id_jag: FetchIdJag, storage: TokenStorage
) -> AbstractAsyncContextManager[ClientSession]:
    """Opens a session. The storage is this person's alone. The issuer alone sees the secret and the ID-JAGs."""
    auth = IdentityAssertionOAuthProvider(server_url, storage, client_id, client_secret, issuer, fetch_id_jag)
    return open_session(server_url, auth)
