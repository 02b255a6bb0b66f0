"""DPoP proofs as a resource server checks them (RFC 9449 §4.3, §7): of this request, token, and key of the token."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ..tokens.compact_jws import CompactReader, encode_base64url
from ..tokens.public_keys import Algorithm, has_private_member, is_algorithm, load_public_key
from ..tokens.strict_json import JsonObject, is_json_object
from ..verify.refusals import Refusal
from .proof_claims import PROOF_CHARACTERS_MAX, check_proof_claims
from .replays import Proven

# Asymmetric all (RFC 9449 §4.3), with the `kty` of each; `EdDSA` is the older name of Ed25519 (RFC 9864).
_KINDS: Final[Mapping[Algorithm, str]] = {"ES256": "EC", "Ed25519": "OKP", "EdDSA": "OKP", "RS256": "RSA", "PS256": "RSA"}
PROOF_ALGORITHMS: Final[tuple[Algorithm, ...]] = tuple(_KINDS)

# The members of a thumbprint (RFC 7638 §3.2, RFC 8037 §2), in their order.
_THUMBPRINT_MEMBERS: Final[Mapping[str, tuple[str, ...]]] = {
    "EC": ("crv", "kty", "x", "y"),
    "OKP": ("crv", "kty", "x"),
    "RSA": ("e", "kty", "n"),
}


@dataclass(frozen=True, slots=True)
class Presented:
    """A request that came by the scheme DPoP, and its proof."""

    method: str
    """In capital letters."""
    url: str
    """As it was sent: its query and fragment are ignored."""
    proof: str | None = None
    """The header `DPoP`; None where there is none."""


_reader = CompactReader(PROOF_CHARACTERS_MAX)


def _bad(reason: str) -> Refusal:
    return Refusal("bad_proof", reason)


def digest_of(text: str) -> str:
    """SHA-256 in base64url, as `ath` has it (RFC 9449 §4.2)."""
    return encode_base64url(hashlib.sha256(text.encode()).digest())


def thumbprint_of(jwk: JsonObject) -> str | None:
    """RFC 7638 §3; None where a member is missing or no text."""
    members = {name: jwk.get(name) for name in _THUMBPRINT_MEMBERS.get(jwk["kty"], ())}
    if not members or not all(isinstance(value, str) and value for value in members.values()):
        return None
    try:
        return digest_of(json.dumps(members, ensure_ascii=False, separators=(",", ":")))
    except UnicodeEncodeError:  # half of a surrogate pair, which no key has
        return None


def check_proof(presented: Presented, token: str, client_id: str, jkt: str, now_ms: int) -> Proven | Refusal:
    """Whether the caller holds the key of the token. Whether the proof came before is for its `jti` to say."""
    if presented.proof is None:
        return _bad("The request has no DPoP proof.")
    jws = _reader.read(presented.proof)
    if jws is None:
        return _bad(f"The proof is not one compact JWS of at most {PROOF_CHARACTERS_MAX} characters.")
    alg, jwk = jws.header.get("alg"), jws.header.get("jwk")
    if jws.header.get("typ") != "dpop+jwt":
        return _bad("typ is not dpop+jwt.")
    if not is_algorithm(alg) or alg not in _KINDS or not is_json_object(jwk) or jwk.get("kty") != _KINDS[alg]:
        return _bad("jwk is no public key for alg.")
    if has_private_member(jwk):
        return _bad("jwk holds a private key.")
    times = check_proof_claims(jws.payload, presented.method, presented.url, now_ms)
    if isinstance(times, str):
        return _bad(f"The proof was refused: {times}.")
    if jws.payload.get("ath") != digest_of(token):
        return _bad("ath is not the digest of the access token.")
    # The service took a key of exactly these texts when it bound the token, so its strength needs no second look.
    if thumbprint_of(jwk) != jkt:
        return Refusal("wrong_key", "The token is bound to another key.")
    verify = load_public_key(jwk, alg)
    if verify is None or not verify(jws.signature, jws.signed):
        return _bad("The signature of the proof does not verify.")
    return Proven(times.jti, jkt, client_id, times.until)
