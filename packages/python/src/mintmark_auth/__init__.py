"""Verifies Mintmark's access tokens (RFC 9068) in Python APIs; `mintmark_auth.client` gets them for agents."""

from .proofs.certificate import Certificate
from .proofs.dpop import Presented
from .proofs.replays import ProofMemory, Proven, Seen
from .tokens.claims import Claims
from .tokens.public_keys import ALGORITHMS, Algorithm
from .verify.asked import IncomingRequest
from .verify.decide import Verified
from .verify.journal import Hooks, Problem
from .verify.options import Mode
from .verify.refusals import RefusalCode, Refused
from .verify.status import Resource, Status
from .verify.verifier import Verifier

__all__ = [
    "ALGORITHMS",
    "Algorithm",
    "Certificate",
    "Claims",
    "Hooks",
    "IncomingRequest",
    "Mode",
    "Presented",
    "Problem",
    "ProofMemory",
    "Proven",
    "RefusalCode",
    "Refused",
    "Resource",
    "Seen",
    "Status",
    "Verified",
    "Verifier",
]
