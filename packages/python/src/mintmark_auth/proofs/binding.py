"""Whether the caller holds the key that the token is bound to (RFC 9449 §7.1, RFC 8705 §3)."""

from collections.abc import Callable

from ..tokens.claims import Claims
from ..verify.asked import Asked
from ..verify.refusals import Refusal
from ..wire.http import describe_fault
from ..wire.threads import Failed, Job, Steps, Wait, Workers
from .certificate import thumbprint_of
from .dpop import check_proof
from .replays import ProcessMemory, ProofMemory, Proven, Seen

# What a store of the program's own may take: one that hangs is given up then.
_STORE_SECONDS_MAX = 5.0


class Bindings:
    """Checks proofs and certificates. A store of the program's own gets its own threads: if it hangs, nothing else does."""

    def __init__(self, proofs: ProofMemory | None, report: Callable[[str], None]) -> None:
        self._proofs = proofs
        self._memory = ProcessMemory()
        self._workers = Workers()
        self._report = report

    def close(self) -> None:
        self._workers.close()

    def check(self, token: str, claims: Claims, asked: Asked, now_ms: int | None) -> Steps[Refusal | None]:
        """Why a token that is bound, or came by the scheme DPoP, is refused; None where its caller holds the key."""
        cnf = claims.get("cnf")
        if cnf is not None and "jkt" in cnf:
            if asked.dpop is None:
                return Refusal("wrong_scheme", "The token is bound to a DPoP key and came without a proof.")
            if now_ms is None:
                return Refusal("stale", "A clock of this machine was set, so no proof can be judged.")
            proven = check_proof(asked.dpop, token, claims["client_id"], cnf["jkt"], now_ms)
            return proven if isinstance(proven, Refusal) else (yield from self._remember(proven, now_ms))
        if asked.dpop is not None:
            return Refusal("wrong_scheme", "The token came by the scheme DPoP and is not bound to a key.")
        if cnf is None:
            return None
        if asked.certificate is None:
            return Refusal("wrong_certificate", "The request has no certificate.")
        if thumbprint_of(asked.certificate) != cnf["x5t#S256"]:
            return Refusal("wrong_certificate", "The certificate of the request is another one.")
        return None

    def _remember(self, proven: Proven, now_ms: int) -> Steps[Refusal | None]:
        try:
            store = self._proofs
            seen = self._memory(proven, now_ms) if store is None else (yield from self._ask(store, proven, now_ms))
        except Exception as fault:
            self._report(f"The store of proofs failed: {describe_fault(fault)}")
            return Refusal("proofs_unavailable", "The store of proofs failed.")
        if seen == "first":
            return None
        if seen == "again":
            return Refusal("replayed_proof", "The proof came before.")
        return Refusal("proofs_unavailable", "There is no room to remember the proof.")

    def _ask(self, store: ProofMemory, proven: Proven, now_ms: int) -> Steps[Seen]:
        job: Job[Seen] = Job(self._workers, lambda _: store(proven, now_ms), _STORE_SECONDS_MAX)
        job.start()
        yield Wait(job.future, _STORE_SECONDS_MAX)
        if not job.future.done():
            raise TimeoutError(f"No answer came within {round(_STORE_SECONDS_MAX * 1000)} ms.")
        outcome = job.future.result()
        if isinstance(outcome, Failed):
            raise RuntimeError(type(outcome.fault).__name__) from outcome.fault
        if outcome not in ("first", "again", "full"):
            raise ValueError("It answered none of: first, again, full.")
        return outcome
