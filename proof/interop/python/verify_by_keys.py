"""Checks Mintmark's access tokens by the published keys with PyJWT: a revoked token passes until its exp."""

from collections.abc import Callable

import jwt
from key_set import KeySet


def make_check(issuer: str, resource: str) -> Callable[[str], dict]:
    """The function gives the claims of a token of this issuer for this resource, or raises jwt.InvalidTokenError or KeysUnread."""
    keys = KeySet(issuer)

    def check(token: str) -> dict:
        kid = jwt.get_unverified_header(token).get("kid")
        key = next((key for key in keys.current(kid) if key["kid"] == kid), None)
        if key is None:
            raise jwt.InvalidTokenError("no key has this kid")
        decoded = jwt.decode_complete(
            token,
            jwt.PyJWK(key),
            algorithms=["ES256", "RS256"],
            issuer=issuer,
            audience=resource,
            leeway=2,
            options={"require": ["exp", "sub", "client_id"]},
        )
        if decoded["header"].get("typ") != "at+jwt":
            raise jwt.InvalidTokenError("not an access token")
        if "cnf" in decoded["payload"]:
            raise jwt.InvalidTokenError("the token is bound to a key, whose proof is not checked here")
        return decoded["payload"]

    return check
