"""Proofs that came, so that none is taken twice (RFC 9449 §11.1): by default in the memory of this process."""

import threading
from dataclasses import dataclass
from typing import Final, Literal, Protocol, TypeAlias

PROOFS_REMEMBERED_MAX: Final = 100_000
PROOFS_OF_ONE_CLIENT_MAX: Final = 25_000
"""The most proofs of one client, so that an agent with many keys cannot fill the memory of all."""

Seen: TypeAlias = Literal["first", "again", "full"]


@dataclass(frozen=True, slots=True)
class Proven:
    """A proof that is good, unless it came before."""

    jti: str
    """The id, to be refused when it comes again."""
    jkt: str
    """The thumbprint of the key, under which the id counts."""
    client_id: str
    """The client of the token."""
    until: int
    """The last time at which the proof is accepted, in ms since 1970."""


class ProofMemory(Protocol):
    """Remembers proofs. It is called on threads of the verifier, and given up after 5 s, so it may be a shared store."""

    def __call__(self, proof: Proven, now_ms: int, /) -> Seen:
        """Remembers a proof. `first`: it was not there. What it raises becomes the refusal `proofs_unavailable`."""
        ...


class ProcessMemory:
    """The memory of this process."""

    def __init__(self, proofs_max: int = PROOFS_REMEMBERED_MAX, of_one_client_max: int = PROOFS_OF_ONE_CLIENT_MAX) -> None:
        self._proofs_max, self._of_one_client_max = proofs_max, of_one_client_max
        self._lock = threading.Lock()
        self._proofs: dict[tuple[str, str], Proven] = {}
        self._counts: dict[str, int] = {}
        self._forgotten_at_ms: int | None = None

    def __call__(self, proof: Proven, now_ms: int, /) -> Seen:
        key = (proof.jkt, proof.jti)
        with self._lock:
            if key in self._proofs:
                return "again"
            if self._is_full(proof.client_id):
                self._forget_old(now_ms)
            if self._is_full(proof.client_id):
                return "full"
            self._proofs[key] = proof
            self._counts[proof.client_id] = self._counts.get(proof.client_id, 0) + 1
            return "first"

    def _is_full(self, client_id: str) -> bool:
        return len(self._proofs) >= self._proofs_max or self._counts.get(client_id, 0) >= self._of_one_client_max

    def _forget_old(self, now_ms: int) -> None:
        """Only where room is needed, and once a second at most: it reads all of them."""
        if self._forgotten_at_ms is not None and abs(now_ms - self._forgotten_at_ms) < 1000:
            return
        self._forgotten_at_ms = now_ms
        for key in [key for key, proof in self._proofs.items() if proof.until < now_ms]:
            client_id = self._proofs.pop(key).client_id
            self._counts[client_id] -= 1
            if self._counts[client_id] == 0:
                del self._counts[client_id]
