"""Why a token is refused, as a closed set, and what each refusal is on the wire: status, challenge and body."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal, NamedTuple, TypeAlias

RefusalCode: TypeAlias = Literal[
    "missing_token",
    "invalid_request",
    "malformed",
    "wrong_type",
    "wrong_algorithm",
    "unknown_key",
    "bad_signature",
    "bad_claims",
    "wrong_issuer",
    "wrong_audience",
    "expired",
    "not_yet_valid",
    "revoked",
    "inactive",
    "wrong_scheme",
    "wrong_key",
    "bad_proof",
    "replayed_proof",
    "wrong_certificate",
    "insufficient_scope",
    "keys_unavailable",
    "key_pending",
    "stale",
    "introspection_unavailable",
    "proofs_unavailable",
    "fault",
    "closed",
    "misuse",
]
RefusalStatus: TypeAlias = Literal[400, 401, 403, 500, 503]
Scheme: TypeAlias = Literal["Bearer", "DPoP"]


class _Row(NamedTuple):
    status: RefusalStatus
    # The errors of RFC 6750 §3.1 and RFC 9449 §7.1; None where a request without a token learns of none.
    error: Literal["invalid_request", "invalid_token", "insufficient_scope", "invalid_dpop_proof"] | None
    # For the caller, who learns no more than it needs: ASCII without `"` and `\` (RFC 6750 §3).
    description: str


def _invalid_token(description: str = "The access token is not valid here.") -> _Row:
    return _Row(401, "invalid_token", description)


_NOT_VALID = _invalid_token()
_UNAVAILABLE = _Row(503, None, "The token cannot be checked at the moment. Try again.")

_ROWS: Final[Mapping[RefusalCode, _Row]] = {
    # The request has no token.
    "missing_token": _Row(401, None, "The request needs an access token."),
    # The header Authorization is not a scheme and one token.
    "invalid_request": _Row(
        400, "invalid_request", "The header Authorization must hold Bearer or DPoP and one access token."
    ),
    # The text is not a compact JWS in its one spelling, is too long, or its header has other members.
    "malformed": _NOT_VALID,
    # `typ` is not `at+jwt` (RFC 9068 §2.1).
    "wrong_type": _NOT_VALID,
    # `alg` is none that is accepted, or not that of the key.
    "wrong_algorithm": _NOT_VALID,
    # No key of the issuer has this `kid`.
    "unknown_key": _NOT_VALID,
    "bad_signature": _NOT_VALID,
    # A claim is missing, or is of another form than RFC 9068 §2.2 and Mintmark give it.
    "bad_claims": _NOT_VALID,
    "wrong_issuer": _NOT_VALID,
    "wrong_audience": _NOT_VALID,
    "expired": _invalid_token("The access token has expired."),
    # `nbf` or `iat` is in the future.
    "not_yet_valid": _NOT_VALID,
    # The revocation feed says that the token, or a token that it was got from, has ended.
    "revoked": _NOT_VALID,
    # Introspection says that the token is not active.
    "inactive": _NOT_VALID,
    # Bound to a key and presented by the scheme Bearer, or not bound and presented by DPoP (RFC 9449 §7.2).
    "wrong_scheme": _invalid_token("The access token does not fit the scheme."),
    # The proof is of another key than the one that the token is bound to.
    "wrong_key": _invalid_token("The proof is not of the key of the access token."),
    "bad_proof": _Row(401, "invalid_dpop_proof", "The DPoP proof is not valid for this request."),
    # A proof with this `jti` came before (RFC 9449 §11.1).
    "replayed_proof": _Row(401, "invalid_dpop_proof", "The DPoP proof was used before."),
    # The token is bound to a certificate (RFC 8705 §3), and the request came with another one or with none.
    "wrong_certificate": _invalid_token("The access token is bound to another certificate."),
    "insufficient_scope": _Row(403, "insufficient_scope", "The access token does not cover the scope of this request."),
    # The key set of the issuer cannot be had, or what is held of it is too old.
    "keys_unavailable": _UNAVAILABLE,
    # The key set had no such key a moment ago, and may not be read again yet: the key may be new, or made up.
    "key_pending": _UNAVAILABLE,
    # The revocation feed is stale, or holds a fact that this version cannot compare.
    "stale": _UNAVAILABLE,
    # Introspection was needed and gave no answer that can be believed.
    "introspection_unavailable": _UNAVAILABLE,
    # Proofs cannot be remembered: there is no room, or the store that was given failed.
    "proofs_unavailable": _UNAVAILABLE,
    # A fault of the verifier itself, which is reported.
    "fault": _UNAVAILABLE,
    # `close()` was called.
    "closed": _UNAVAILABLE,
    # The program asked for what there is not, such as scopes that are no list: `reason` names it.
    "misuse": _Row(500, None, "The server cannot check access tokens: its own request for it is wrong."),
}

_RETRY_AFTER_SECONDS = 1
# `error` of bodies, where the challenge has none (RFC 6749 §4.1.2.1).
_UNNAMED: Final[Mapping[int, str]] = {500: "server_error", 503: "temporarily_unavailable"}
# RFC 6750 §3: no other characters in error, error_description and scope. They come from the program, not from callers.
_NOT_IN_PARAMETER = re.compile(r"[^\x20\x21\x23-\x5b\x5d-\x7e]")


class Refusal(NamedTuple):
    """A refusal before it is known how it is sent."""

    code: RefusalCode
    reason: str


@dataclass(frozen=True, slots=True)
class RefusalContext:
    """What a challenge names beside the error."""

    # The address of the protected resource metadata (RFC 9728 §5.1).
    resource_metadata: str | None
    # What the request needs (RFC 6750 §3).
    scopes: tuple[str, ...]
    scheme: Scheme
    # DPoP algorithms, by spaces (RFC 9449 §7.1).
    proof_algorithms: str


class Refused(Exception):
    """The token is refused: respond with `status`, `challenge` as `WWW-Authenticate`, `retry_after`, and `body` as JSON."""

    refusal: RefusalCode
    """The exact cause, for logs and metrics. The challenge shows the caller less."""
    reason: str
    """What was wrong, for a log: never the token, a secret or a key."""
    status: RefusalStatus
    """The HTTP status to respond with."""
    challenge: str | None
    """The value of `WWW-Authenticate` (RFC 6750 §3); None with 500 and 503."""
    retry_after: int | None
    """Seconds for `Retry-After`; None but with 503."""
    body: Mapping[str, str]
    """`error` and `error_description`, as RFC 6749 §5.2 has them."""

    def __init__(self, refusal: RefusalCode, reason: str, context: RefusalContext) -> None:
        # The arguments as they are: an exception is pickled by them.
        super().__init__(refusal, reason, context)
        row = _ROWS[refusal]
        self.refusal = refusal
        self.reason = reason
        self.status = row.status
        self.challenge = None if row.status >= 500 else _challenge_of(row, context)
        self.retry_after = _RETRY_AFTER_SECONDS if row.status == 503 else None
        error = row.error or _UNNAMED.get(row.status, "invalid_token")
        self.body = MappingProxyType({"error": error, "error_description": row.description})

    def __str__(self) -> str:
        return f"{self.refusal}: {self.reason}"

    def __reduce__(self) -> tuple[type["Refused"], tuple[object, ...]]:
        return Refused, self.args


def _parameter(name: str, value: str | None) -> list[str]:
    allowed = _NOT_IN_PARAMETER.sub("", value or "")
    return [f'{name}="{allowed}"'] if allowed else []


def _challenge_of(row: _Row, context: RefusalContext) -> str:
    named = " ".join(context.scopes) if row.error in (None, "insufficient_scope") else None
    parameters = [
        *_parameter("error", row.error),
        *_parameter("error_description", row.error and row.description),
        *_parameter("scope", named),
        *_parameter("resource_metadata", context.resource_metadata),
        *(_parameter("algs", context.proof_algorithms) if context.scheme == "DPoP" and row.status == 401 else []),
    ]
    return f"{context.scheme} {', '.join(parameters)}".rstrip()
