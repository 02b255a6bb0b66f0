"""Gets Mintmark's access tokens with Authlib."""

import httpx2
from authlib.integrations.httpx_client import OAuth2Client
from authlib.oauth2.rfc8414 import AuthorizationServerMetadata


def discover(issuer: str) -> AuthorizationServerMetadata:
    """Reads and checks the metadata of the issuer."""
    answer = httpx2.get(f"{issuer}/.well-known/oauth-authorization-server").raise_for_status()
    metadata = AuthorizationServerMetadata(answer.json())
    metadata.validate()
    if metadata.issuer != issuer:
        raise ValueError(f"The metadata is of {metadata.issuer}")
    return metadata


def make_client(issuer: str, client_id: str, client_secret: str) -> OAuth2Client:
    """A client for httpx2; its requests carry the token that it fetched last."""
    return OAuth2Client(client_id, client_secret, token_endpoint=discover(issuer)["token_endpoint"])


EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token"


def exchange_token(client: OAuth2Client, received: str, **asked: str) -> dict:
    """Exchanges a token that was received for one to send on (RFC 8693), for resource="https://…"."""
    return client.fetch_token(
        grant_type=EXCHANGE, subject_token=received, subject_token_type=ACCESS_TOKEN, **asked
    )


def fetch_token(client: OAuth2Client, **asked: str) -> dict:
    """Asks for scope="db:read" and resource="https://…", or for the agent's defaults where neither is given."""
    return client.fetch_token(grant_type="client_credentials", **asked)
