"""Validators for Authlib's ResourceProtector: by the published keys, or by asking Mintmark."""

import functools

import httpx2
from authlib.oauth2.rfc6750 import InvalidTokenError
from authlib.oauth2.rfc7662 import IntrospectTokenValidator
from authlib.oauth2.rfc9068 import JWTBearerTokenValidator
from key_set import KeySet


def refuse_bound(token: dict) -> None:
    """A token that is bound to a key may be stolen: Authlib checks no proof of it."""
    if "cnf" in token:
        raise InvalidTokenError()


class KeysValidator(JWTBearerTokenValidator):
    """No request a token, and a revoked token passes until its exp. Raises KeysUnread where the token was not checked."""

    def __init__(self, issuer: str, resource_server: str) -> None:
        super().__init__(issuer, resource_server)
        self.keys = KeySet(issuer)

    def get_jwks(self) -> dict:
        return {"keys": self.keys.current()}

    def authenticate_token(self, token_string: str) -> dict:
        token = super().authenticate_token(token_string)
        # The service's clock may be ahead of this one's: Authlib would refuse a new token for its iat.
        token.validate = functools.partial(token.validate, leeway=2)
        return token

    def validate_token(self, token: dict, scopes: list[str] | None, request: object, **more: object) -> None:
        refuse_bound(token)
        super().validate_token(token, scopes, request, **more)


class MintmarkValidator(IntrospectTokenValidator):
    """A revoked token is refused at once. The API key carries the permission tokens:introspect."""

    def __init__(self, issuer: str, resource: str, api_key: str) -> None:
        super().__init__()
        self.issuer, self.resource, self.api_key = issuer, resource, api_key

    def introspect_token(self, token_string: str) -> dict:
        return (
            httpx2.post(
                f"{self.issuer}/oauth/introspect/v2",
                headers={"X-API-Key": self.api_key},
                data={"token": token_string},
                timeout=5,
            )
            .raise_for_status()
            .json()
        )

    def validate_token(self, token: dict, scopes: list[str] | None, request: object) -> None:
        super().validate_token(token, scopes, request)
        refuse_bound(token)
        audience = token["aud"]
        # Authlib's own validator does not look at the audience.
        if self.resource not in ([audience] if isinstance(audience, str) else audience):
            raise InvalidTokenError()
