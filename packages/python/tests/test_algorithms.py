"""Each algorithm verifies what its key signed, under its own name alone."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from conftest import Setting
from cryptography.hazmat.primitives.asymmetric import ed25519, padding, rsa
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from issuer import claims_of, encode
from service import KEYS_PATH

from mintmark_auth import Refused

mldsa = pytest.importorskip("cryptography.hazmat.primitives.asymmetric.mldsa")

Signer = tuple[dict[str, Any], Callable[[bytes], bytes]]


def rsa_signer(sign: Callable[[rsa.RSAPrivateKey, bytes], bytes], bits: int = 2048, e: str | None = None) -> Signer:
    key = rsa.generate_private_key(65_537, bits)
    n = key.public_key().public_numbers().n.to_bytes(bits // 8)
    return {"kty": "RSA", "n": encode(n), "e": e or "AQAB"}, lambda signed: sign(key, signed)


def pss(salt: int) -> Callable[[rsa.RSAPrivateKey, bytes], bytes]:
    return lambda key, signed: key.sign(signed, padding.PSS(padding.MGF1(SHA256()), salt), SHA256())


def pkcs1(key: rsa.RSAPrivateKey, signed: bytes) -> bytes:
    return key.sign(signed, padding.PKCS1v15(), SHA256())


def ed25519_signer() -> Signer:
    key = ed25519.Ed25519PrivateKey.generate()
    return {"kty": "OKP", "crv": "Ed25519", "x": encode(key.public_key().public_bytes_raw())}, key.sign


def ml_dsa_signer() -> Signer:
    key = mldsa.MLDSA65PrivateKey.generate()
    public = key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    return {"kty": "AKP", "pub": encode(public)}, key.sign


def outcome(setting: Setting, signer: Signer, alg: str, published: str | None = None, **members: Any) -> str:
    """`signature` where the token is accepted, else the refusal."""
    jwk, sign = signer
    key = {**jwk, "alg": published or alg, "kid": "k", "use": "sig", **members}
    setting.service.answer_json(KEYS_PATH, {"keys": [key, setting.key.published]})
    header = {"alg": alg, "kid": "k", "typ": "at+jwt"}
    payload = claims_of(setting.service.issuer, setting.clock.wall_ms / 1000)
    signed = ".".join(encode(json.dumps(part).encode()) for part in (header, payload))
    try:
        return setting.verifier().verify(f"{signed}.{encode(sign(signed.encode()))}").by
    except Refused as refused:
        return refused.refusal


SIGNERS: dict[str, Callable[[], Signer]] = {
    "RS256": lambda: rsa_signer(pkcs1),
    "PS256": lambda: rsa_signer(pss(32)),
    "EdDSA": ed25519_signer,
    "Ed25519": ed25519_signer,
    "ML-DSA-65": ml_dsa_signer,
}


@pytest.mark.parametrize("alg", SIGNERS)
def test_a_key_verifies_what_it_signed(setting: Setting, alg: str) -> None:
    signer = SIGNERS[alg]()
    assert outcome(setting, signer, alg) == "signature"
    jwk, sign = signer
    assert outcome(setting, (jwk, lambda signed: sign(signed + b"x")), alg) == "bad_signature"
    assert outcome(setting, (jwk, lambda _: b"x"), alg) == "bad_signature"


@pytest.mark.parametrize(("alg", "published"), [("RS256", "PS256"), ("PS256", "RS256"), ("Ed25519", "EdDSA")])
def test_a_key_is_for_one_algorithm(setting: Setting, alg: str, published: str) -> None:
    assert outcome(setting, SIGNERS[alg](), alg, published) == "wrong_algorithm"


def test_the_salt_is_as_long_as_the_digest(setting: Setting) -> None:
    assert outcome(setting, rsa_signer(pss(20)), "PS256") == "bad_signature"


def test_what_is_no_key_for_its_algorithm_is_left_out(setting: Setting) -> None:
    signer = ed25519_signer()
    assert outcome(setting, signer, "Ed25519", crv="Ed448") == "unknown_key"
    assert outcome(setting, signer, "Ed25519", d="AA") == "unknown_key"
    assert outcome(setting, signer, "Ed25519", use="enc") == "unknown_key"
    assert outcome(setting, signer, "Ed25519", key_ops=["sign"]) == "unknown_key"
    assert outcome(setting, signer, "Ed25519", key_ops=["verify"]) == "signature"
    assert outcome(setting, signer, "Ed25519", x=signer[0]["x"] + "=") == "unknown_key"
    assert outcome(setting, ml_dsa_signer(), "ML-DSA-65", pub="AAAA") == "unknown_key"
    assert outcome(setting, rsa_signer(pkcs1, 1024), "RS256") == "unknown_key"
    # Its length as text is enough, its value is not.
    jwk, sign = rsa_signer(pkcs1, 1024)
    padded = encode(bytes(192) + (int.from_bytes(b"\xff" * 128) - 1).to_bytes(128))
    assert outcome(setting, (jwk, sign), "RS256", n=padded) == "unknown_key"
    assert outcome(setting, rsa_signer(pkcs1), "RS256", e="AQ") == "unknown_key"
    assert outcome(setting, rsa_signer(pkcs1), "RS256", e="AAEAAQ") == "unknown_key"
