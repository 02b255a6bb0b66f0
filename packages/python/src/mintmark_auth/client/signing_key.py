"""Private keys that sign assertions and proofs: a JWK (RFC 7517), or PEM."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256, SHA384
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from ..tokens.compact_jws import decode_canonical, encode_base64url
from ..tokens.strict_json import parse_object
from .errors import Fault
from .text_file import StrPath, name_of, read_text_file

JWK: TypeAlias = Mapping[str, Any]

Sign: TypeAlias = Callable[[bytes], bytes]

EXPECTED: Final = "expected a private key for ES256, ES384, EdDSA, RS256 or PS256"
# RFC 7518 §3.3.
_RSA_BITS_MIN = 2048
_CURVES: Final[Mapping[str, ec.EllipticCurve]] = {"P-256": ec.SECP256R1(), "P-384": ec.SECP384R1()}
# By the name of the curve: the algorithm, its hash, and the bytes of r and of s (RFC 7518 §3.4).
_ECDSA: Final = {"secp256r1": ("ES256", ec.ECDSA(SHA256()), 32), "secp384r1": ("ES384", ec.ECDSA(SHA384()), 48)}
_PADDINGS: Final = {"RS256": padding.PKCS1v15(), "PS256": padding.PSS(mgf=padding.MGF1(SHA256()), salt_length=32)}


@dataclass(frozen=True, slots=True)
class SigningKey:
    alg: str
    sign: Sign = field(repr=False)
    kid: str | None = None

    def sign_jws(self, header: Mapping[str, object], claims: Mapping[str, object]) -> str:
        """A compact JWS (RFC 7515 §3.1)."""
        parts = ({"alg": self.alg, **header}, claims)
        signed = ".".join(encode_base64url(json.dumps(part, separators=(",", ":")).encode()) for part in parts)
        return f"{signed}.{encode_base64url(self.sign(signed.encode()))}"


def signing_key_of(key: object, alg: object = None, kid: str | None = None) -> SigningKey:
    """Raises ValueError for a key that is not for the algorithm, or for none that is known here."""
    own: str | None = None
    if isinstance(key, ec.EllipticCurvePrivateKey) and key.curve.name in _ECDSA:
        own, ecdsa, size = _ECDSA[key.curve.name]

        def sign(data: bytes) -> bytes:
            return b"".join(number.to_bytes(size) for number in decode_dss_signature(key.sign(data, ecdsa)))

    elif isinstance(key, rsa.RSAPrivateKey) and key.key_size >= _RSA_BITS_MIN:
        own = "PS256" if alg == "PS256" else "RS256"

        def sign(data: bytes) -> bytes:
            return key.sign(data, _PADDINGS[own or ""], SHA256())

    elif isinstance(key, ed25519.Ed25519PrivateKey):
        own, sign = "EdDSA", key.sign
    else:
        raise ValueError(EXPECTED)
    if alg not in (None, own):
        raise ValueError(EXPECTED)
    return SigningKey(own, sign, kid)


def make_signing_key() -> tuple[SigningKey, dict[str, str]]:
    """A new key for ES256, and the JWK of its public half."""
    key = ec.generate_private_key(ec.SECP256R1())
    point = key.public_key().public_numbers()
    x, y = (encode_base64url(number.to_bytes(32)) for number in (point.x, point.y))
    return signing_key_of(key), {"kty": "EC", "crv": "P-256", "x": x, "y": y}


def _key_of(jwk: JWK) -> object:
    def octets(name: str) -> bytes:
        value = decode_canonical(jwk[name])
        if value is None:
            raise ValueError(name)
        return value

    def number(name: str) -> int:
        return int.from_bytes(octets(name))

    match jwk["kty"]:
        case "EC":
            public = ec.EllipticCurvePublicNumbers(number("x"), number("y"), _CURVES[jwk["crv"]])
            return ec.EllipticCurvePrivateNumbers(number("d"), public).private_key()
        case "RSA":
            modulus = rsa.RSAPublicNumbers(number("e"), number("n"))
            p, q, d, dp, dq, qi = map(number, ("p", "q", "d", "dp", "dq", "qi"))
            return rsa.RSAPrivateNumbers(p, q, d, dp, dq, qi, modulus).private_key()
        case "OKP" if jwk["crv"] == "Ed25519":
            return ed25519.Ed25519PrivateKey.from_private_bytes(octets("d"))
        case _:
            return None


def parse_jwk(jwk: JWK) -> SigningKey:
    """Raises ValueError for what is no key for signatures. The message holds no part of it."""
    try:
        kid = jwk.get("kid")
        return signing_key_of(_key_of(jwk), jwk.get("alg"), kid if isinstance(kid, str) else None)
    except Exception:  # what a library says of a key may repeat a part of it
        raise ValueError(EXPECTED) from None


def _parse_pem(text: str) -> SigningKey:
    try:
        return signing_key_of(load_pem_private_key(text.encode(), None))
    except Exception:
        raise ValueError(EXPECTED) from None


def read_signing_key(path: StrPath, seconds: float) -> SigningKey:
    """A JWK, or PEM. Raises Fault where it is neither."""
    text = read_text_file(path, seconds)
    jwk = parse_object(text.encode())
    try:
        return _parse_pem(text) if jwk is None else parse_jwk(jwk)
    except ValueError:
        raise Fault(f"{name_of(path)} holds no key that is known here; {EXPECTED} as a JWK or PEM") from None
