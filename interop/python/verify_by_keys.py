"""Checks Mintmark's access tokens by the published keys with PyJWT: a revoked token passes until its exp."""

from collections.abc import Callable

import jwt


def make_check(issuer: str, resource: str) -> Callable[[str], dict]:
    """The function gives the claims of a token of this issuer for this resource, or raises jwt.InvalidTokenError."""
    keys = jwt.PyJWKClient(f"{issuer}/.well-known/jwks.json")

    def check(token: str) -> dict:
        decoded = jwt.decode_complete(
            token,
            keys.get_signing_key_from_jwt(token),
            algorithms=["ES256", "RS256"],
            issuer=issuer,
            audience=resource,
            options={"require": ["exp", "sub", "client_id"]},
        )
        if decoded["header"].get("typ") != "at+jwt":
            raise jwt.InvalidTokenError("not an access token")
        return decoded["payload"]

    return check
