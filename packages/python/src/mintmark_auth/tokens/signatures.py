"""What the service signs, before and after its signature is verified: strict, and of one type each."""

from typing import NamedTuple

from ..verify.refusals import Refusal
from ..wire.threads import Steps
from .compact_jws import CompactReader
from .key_set import KeySet
from .public_keys import Algorithm, is_algorithm, is_kid
from .strict_json import JsonObject

_HEADER_MEMBERS = 3


class Unverified(NamedTuple):
    """Read, and not verified: nothing in it is believed."""

    payload: JsonObject
    kid: str
    alg: Algorithm
    signature: bytes
    signed: bytes


class SignedReader:
    """Reads texts whose header has exactly `alg`, `kid` and `typ`, and that type: all else in a header is refused."""

    def __init__(self, typ: str, characters_max: int) -> None:
        self._typ = typ
        self._compact = CompactReader(characters_max)
        self._malformed = Refusal(
            "malformed", f"The text is not a compact JWS in its canonical form of at most {characters_max} characters."
        )

    def read(self, text: str) -> Unverified | Refusal:
        jws = self._compact.read(text)
        if jws is None:
            return self._malformed
        alg, kid, typ = jws.header.get("alg"), jws.header.get("kid"), jws.header.get("typ")
        if typ != self._typ:
            return Refusal("wrong_type", f"typ is not {self._typ}.")
        if not is_algorithm(alg):
            return Refusal("wrong_algorithm", "alg is none that is accepted.")
        if not is_kid(kid) or len(jws.header) != _HEADER_MEMBERS:
            return Refusal("malformed", "The header does not hold exactly alg, kid and typ.")
        return Unverified(jws.payload, kid, alg, jws.signature, jws.signed)


def signature_refusal(key_set: KeySet, read: Unverified) -> Steps[Refusal | None]:
    """Why the signature of a text is not that of a key of the issuer; None where it is."""
    found = key_set.peek(read.kid) or (yield from key_set.find(read.kid))
    if found == "unavailable":
        return Refusal("keys_unavailable", "The key set of the issuer cannot be had.")
    if found == "pending":
        return Refusal("key_pending", "The key set was read a moment ago, and has no such kid.")
    if found == "unknown":
        return Refusal("unknown_key", "No key of the issuer has the kid.")
    if found.alg != read.alg:
        return Refusal("wrong_algorithm", f"alg is not {found.alg}, which the key is for.")
    if not found.verify(read.signature, read.signed):
        return Refusal("bad_signature", "The signature does not verify.")
    return None
