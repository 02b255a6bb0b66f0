"""Tokens and key sets as the service makes them, with keys of a test, and proofs of its callers."""

import base64
import hashlib
import json
import time
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256

AUDIENCE = "https://orders.example/v1"
TOKEN_ID = "01a20846-fe7b-7abc-a1b2-c3d4e5f60718"


def encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def digest(text: str) -> str:
    return encode(hashlib.sha256(text.encode()).digest())


class Key:
    """An ES256 key."""

    def __init__(self, kid: str = "key-1") -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        numbers = self._key.public_key().public_numbers()
        self.kid = kid
        self.jwk = {"crv": "P-256", "kty": "EC", "x": encode(numbers.x.to_bytes(32)), "y": encode(numbers.y.to_bytes(32))}
        self.thumbprint = digest(json.dumps(self.jwk, separators=(",", ":")))

    @property
    def published(self) -> dict[str, str]:
        return {**self.jwk, "alg": "ES256", "kid": self.kid, "use": "sig"}

    def sign(self, header: str, payload: str) -> str:
        signed = f"{encode(header.encode())}.{encode(payload.encode())}"
        r, s = decode_dss_signature(self._key.sign(signed.encode(), ec.ECDSA(SHA256())))
        return f"{signed}.{encode(r.to_bytes(32) + s.to_bytes(32))}"


def claims_of(issuer: str, now: float, **changed: Any) -> dict[str, Any]:
    iat = int(now)
    claims = {
        "iss": issuer,
        "sub": "agent-1",
        "aud": AUDIENCE,
        "client_id": "billing",
        "iat": iat,
        "exp": iat + 300,
        "jti": TOKEN_ID,
        "scope": "db:read mail:send",
        **changed,
    }
    return {name: value for name, value in claims.items() if value is not None}


def mint(key: Key, issuer: str, now: float | None = None, **changed: Any) -> str:
    """An access token. A claim that is None is left out."""
    header = json.dumps({"alg": "ES256", "kid": key.kid, "typ": "at+jwt"})
    return key.sign(header, json.dumps(claims_of(issuer, time.time() if now is None else now, **changed)))


def prove(key: Key, token: str, now: float, **changed: Any) -> str:
    """A DPoP proof for GET https://orders.example/v1/orders."""
    header = {"typ": "dpop+jwt", "alg": "ES256", "jwk": key.jwk}
    claims = {
        "jti": "proof-1",
        "htm": "GET",
        "htu": "https://orders.example/v1/orders",
        "iat": int(now),
        "ath": digest(token),
        **changed,
    }
    return key.sign(json.dumps(header), json.dumps(claims))


def key_set_of(*keys: Key) -> bytes:
    return json.dumps({"keys": [key.published for key in keys]}).encode()
