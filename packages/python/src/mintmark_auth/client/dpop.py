"""Proofs that the sender of a token holds the key to which it is bound (RFC 9449), and the nonces that servers demand."""

import re
import threading
import uuid
from typing import Final, NamedTuple

from ..proofs.dpop import digest_of
from ..wire.clock import Clock
from ..wire.web_address import WebAddress
from .signing_key import SigningKey, make_signing_key

NONCES_MAX: Final = 100
"""How many are kept, one for each server."""
_NONCE = re.compile(r"[\x21\x23-\x5b\x5d-\x7e]{1,512}")


class Proof(NamedTuple):
    text: str
    """The value of the header `DPoP`."""
    nonce: str | None
    """What it was made with."""


class Prover:
    """Makes its key with the first proof, and keeps it: nothing prints it or writes it down."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._key: tuple[SigningKey, dict[str, str]] | None = None
        # By origin (RFC 9449 §8.2), the one that was learned longest ago first.
        self._nonces: dict[str, str] = {}

    def _held_key(self) -> tuple[SigningKey, dict[str, str]]:
        with self._lock:
            if self._key is None:
                self._key = make_signing_key()
            return self._key

    def prove(self, method: str, address: WebAddress, token: str | None = None) -> Proof:
        """At the token endpoint no token goes with it."""
        key, jwk = self._held_key()
        claims = {
            "jti": str(uuid.uuid4()),
            "htm": method,
            # Without query and fragment (§4.2).
            "htu": address.origin + address.path,
            "iat": self._clock.wall_ms() // 1000,
        }
        if token is not None:
            claims["ath"] = digest_of(token)
        with self._lock:
            nonce = self._nonces.get(address.origin)
        if nonce is not None:
            claims["nonce"] = nonce
        return Proof(key.sign_jws({"typ": "dpop+jwt", "jwk": jwk}, claims), nonce)

    def learn(self, address: WebAddress, nonce: str | None, proof: Proof) -> bool:
        """Keeps the nonce of an answer for the next proof to this server. False where it brought none, or the one that its
        request had: others may have learned it meanwhile, and this request still has to be sent with it."""
        if nonce is None or not _NONCE.fullmatch(nonce):
            return False
        with self._lock:
            self._nonces.pop(address.origin, None)
            self._nonces[address.origin] = nonce
            if len(self._nonces) > NONCES_MAX:
                del self._nonces[next(iter(self._nonces))]
        return nonce != proof.nonce
