"""Gets Mintmark's access tokens with Authlib."""

import httpx2
from authlib.integrations.httpx_client import AssertionClient, OAuth2Client
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
JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer"
ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token"
ID_TOKEN = "urn:ietf:params:oauth:token-type:id_token"
ID_JAG = "urn:ietf:params:oauth:token-type:id-jag"


def exchange_token(client: OAuth2Client, received: str, token_type: str = ACCESS_TOKEN, **asked: str) -> dict:
    """Exchanges a token that was received for one to send on (RFC 8693), or a person's ID token. Asks for resource="https://…"."""
    return client.fetch_token(grant_type=EXCHANGE, subject_token=received, subject_token_type=token_type, **asked)


def fetch_id_jag(provider: OAuth2Client, id_token: str, issuer: str, **asked: str) -> str:
    """Gets an ID-JAG for the issuer, by the agent's client at the provider where the person signed in."""
    answer = exchange_token(provider, id_token, ID_TOKEN, requested_token_type=ID_JAG, audience=issuer, **asked)
    return answer["access_token"]


def present_id_jag(client: OAuth2Client, id_jag: str, **asked: str) -> dict:
    """Gets a token for an ID-JAG (RFC 7523), which works once: fetch another to renew the token."""
    return client.fetch_token(grant_type=JWT_BEARER, assertion=id_jag, **asked)


def make_workload(issuer: str, named: str, subject: str, key: dict, **options: object) -> AssertionClient:
    """A program that signs who it is with a key of its own, and needs no secret. Authlib sends no resource.

    Give it no claims: it would put one jti there and send that each time, which a server that takes each jti once refuses.
    """
    # By default Authlib names the token endpoint as audience.
    own = {"audience": issuer, "key": key, "header": {"alg": key["alg"], "kid": key["kid"]}}
    return AssertionClient(discover(issuer)["token_endpoint"], named, subject, **own, **options)


def fetch_token(client: OAuth2Client, **asked: str) -> dict:
    """Asks for scope="db:read" and resource="https://…", or for the agent's defaults where neither is given."""
    return client.fetch_token(grant_type="client_credentials", **asked)
