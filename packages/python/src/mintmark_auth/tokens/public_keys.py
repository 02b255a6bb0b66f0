"""Public keys in JSON (RFC 7517), and what each algorithm verifies by them."""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, NamedTuple, TypeAlias, TypeGuard, get_args

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256

from .compact_jws import decode_canonical
from .strict_json import JsonObject, is_json_array

Algorithm: TypeAlias = Literal["ES256", "RS256", "PS256", "EdDSA", "Ed25519", "ML-DSA-65"]
"""RFC 7518 §3, RFC 8037, RFC 9864; ML-DSA-65 only where `cryptography` has it."""

ALGORITHMS: Final[tuple[Algorithm, ...]] = get_args(Algorithm)

# Members of private and of shared keys (RFC 7518 §6, RFC 8037 §2), and `priv` of ML-DSA.
_PRIVATE_MEMBERS: Final = frozenset({"d", "p", "q", "dp", "dq", "qi", "oth", "k", "priv"})
# One that the service gives is the RFC 7638 thumbprint; an imported key keeps its own.
_KID = re.compile(r"[\x21-\x7e]{1,128}")
_COORDINATE_BYTES = 32
_DIGEST_BYTES = 32
# RFC 7518 §3.3.
_RSA_BITS_MIN = 2048

Verify: TypeAlias = Callable[[bytes, bytes], bool]
"""Whether the signature, the first argument, is of the second one."""


def is_algorithm(name: object) -> TypeGuard[Algorithm]:
    return isinstance(name, str) and name in ALGORITHMS


def is_kid(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and _KID.fullmatch(value) is not None


def has_private_member(jwk: JsonObject) -> bool:
    return not _PRIVATE_MEMBERS.isdisjoint(jwk)


def _bytes_of(jwk: JsonObject, name: str, length: int | None = None) -> bytes:
    text = jwk.get(name)
    value = decode_canonical(text) if isinstance(text, str) else None
    if value is None or (length is not None and len(value) != length):
        raise ValueError(f"{name} of the key is not of its form.")
    return value


def _number_of(jwk: JsonObject, name: str) -> int:
    return int.from_bytes(_bytes_of(jwk, name))


def _verify_by(verify: Callable[..., object], *parameters: Any) -> Verify:
    def is_signed(signature: bytes, signed: bytes) -> bool:
        try:
            verify(signature, signed, *parameters)
        except InvalidSignature:
            return False
        return True

    return is_signed


_ES256: Final = ec.ECDSA(SHA256())


def _es256(jwk: JsonObject) -> Verify:
    x, y = (int.from_bytes(_bytes_of(jwk, name, _COORDINATE_BYTES)) for name in ("x", "y"))
    verify = _verify_by(ec.EllipticCurvePublicNumbers(x, y, ec.SECP256R1()).public_key().verify, _ES256)

    def is_signed(signature: bytes, signed: bytes) -> bool:
        # r and s as they are (RFC 7518 §3.4), where OpenSSL takes DER. It refuses those out of range.
        if len(signature) != 2 * _COORDINATE_BYTES:
            return False
        r, s = int.from_bytes(signature[:_COORDINATE_BYTES]), int.from_bytes(signature[_COORDINATE_BYTES:])
        return verify(encode_dss_signature(r, s), signed)

    return is_signed


def _rsa_key(jwk: JsonObject) -> rsa.RSAPublicKey:
    key = rsa.RSAPublicNumbers(_number_of(jwk, "e"), _number_of(jwk, "n")).public_key()
    if key.key_size < _RSA_BITS_MIN:
        raise ValueError("The key is too short.")
    return key


def _rs256(jwk: JsonObject) -> Verify:
    return _verify_by(_rsa_key(jwk).verify, padding.PKCS1v15(), SHA256())


def _ps256(jwk: JsonObject) -> Verify:
    pss = padding.PSS(mgf=padding.MGF1(SHA256()), salt_length=_DIGEST_BYTES)
    return _verify_by(_rsa_key(jwk).verify, pss, SHA256())


def _ed25519(jwk: JsonObject) -> Verify:
    return _verify_by(ed25519.Ed25519PublicKey.from_public_bytes(_bytes_of(jwk, "x")).verify)


def _ml_dsa_65(jwk: JsonObject) -> Verify:
    # Older versions have no such module, and some builds no such algorithm: then the key cannot be used.
    from cryptography.hazmat.primitives.asymmetric import mldsa

    return _verify_by(mldsa.MLDSA65PublicKey.from_public_bytes(_bytes_of(jwk, "pub")).verify)


class _Row(NamedTuple):
    kind: str
    """`kty`, and `crv` where there is one."""
    load: Callable[[JsonObject], Verify]


_ROWS: Final[Mapping[Algorithm, _Row]] = {
    "ES256": _Row("EC P-256", _es256),
    "RS256": _Row("RSA", _rs256),
    "PS256": _Row("RSA", _ps256),
    "EdDSA": _Row("OKP Ed25519", _ed25519),
    "Ed25519": _Row("OKP Ed25519", _ed25519),
    "ML-DSA-65": _Row("AKP", _ml_dsa_65),
}


def _kind_of(jwk: JsonObject) -> str:
    kty, crv = jwk.get("kty"), jwk.get("crv")
    return f"{kty} {crv}" if isinstance(crv, str) and kty != "RSA" else str(kty)


def load_public_key(jwk: JsonObject, alg: Algorithm) -> Verify | None:
    """What verifies by this key; None where it is none for the algorithm, or cannot be had here."""
    if _kind_of(jwk) != _ROWS[alg].kind or has_private_member(jwk):
        return None
    key_ops = jwk.get("key_ops", ["verify"])
    # RFC 7517 §4.3: no value is there twice.
    if not is_json_array(key_ops) or key_ops.count("verify") != 1:
        return None
    try:
        return _ROWS[alg].load(jwk)
    except Exception:  # whatever a library says of a key that it cannot read: the key is left out
        return None
