"""The claims of an access token (RFC 9068 §2.2) in the form that Mintmark gives them: anything else is refused."""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeAlias

from ..verify.refusals import Refusal
from .strict_json import JsonObject, is_json_array, is_json_object

Claims: TypeAlias = Mapping[str, Any]
"""As RFC 9068 §2.2 has them, with the own claims of the agent. `exp` and `iat` are in seconds since 1970."""

ANCESTORS_MAX: Final = 8
"""The most parent edges that a token may have."""
AUDIENCES_MAX: Final = 8
SCOPE_ITEMS_MAX: Final = 16
_TEXT_UNITS_MAX = 2048
# The largest integer that each reader of JSON reads exactly (RFC 8259 §6).
_COUNT_MAX = 2**53 - 1
# A verifier whose clock is behind may see a token before it was issued.
_CLOCK_TOLERANCE_MS = 60_000

_THUMBPRINT = re.compile(r"[A-Za-z0-9_-]{43}")
# UUIDv7 (RFC 9562 §5.7) in small letters.
_TOKEN_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
# RFC 6749 §3.3.
SCOPE_ITEM: Final = r"[\x21\x23-\x5b\x5d-\x7e]+"
_SCOPE = re.compile(rf"{SCOPE_ITEM}(?: {SCOPE_ITEM}){{0,{SCOPE_ITEMS_MAX - 1}}}")

_Form: TypeAlias = Callable[[object], bool]


def utf16_units(text: str) -> int:
    """The length as JavaScript counts it, whose limits these are: characters beyond the first 65,536 are two."""
    return len(text) if text.isascii() else len(text) + sum(character > "\uffff" for character in text)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= _TEXT_UNITS_MAX and utf16_units(value) <= _TEXT_UNITS_MAX


def is_count(value: object) -> bool:
    """An integer from 0 that JSON can carry exactly. `1.0` and `1e3` are such; `true`, an `int` to Python, is none."""
    if type(value) is int:
        return 0 <= value <= _COUNT_MAX
    return type(value) is float and value.is_integer() and 0 <= value <= _COUNT_MAX


def _is_token_id(value: object) -> bool:
    return isinstance(value, str) and _TOKEN_ID.fullmatch(value) is not None


def _is_audience(value: object) -> bool:
    return _is_text(value) or (is_json_array(value) and 0 < len(value) <= AUDIENCES_MAX and all(map(_is_text, value)))


def _is_scope(value: object) -> bool:
    return isinstance(value, str) and (value == "" or _SCOPE.fullmatch(value) is not None)


def _is_actor(value: object, depth: int = 0) -> bool:
    if not is_json_object(value) or depth > ANCESTORS_MAX or not _is_text(value.get("sub")):
        return False
    return "act" not in value or _is_actor(value["act"], depth + 1)


def _is_ancestor(value: object) -> bool:
    return (
        is_json_object(value)
        and _is_token_id(value.get("id"))
        and is_count(value.get("exp"))
        and is_count(value.get("seq"))
        and all(_is_text(value.get(name)) for name in ("agent_id", "credential_id", "kid"))
    )


def _is_lineage(value: object) -> bool:
    return is_json_array(value) and 0 < len(value) <= ANCESTORS_MAX and all(map(_is_ancestor, value))


def _is_confirmation(value: object) -> bool:
    """One key, of a kind that can be checked: one bound in a way unknown here must not pass as a bearer token."""
    if not is_json_object(value) or len(value) != 1:
        return False
    [(method, thumbprint)] = value.items()
    is_known = method in ("jkt", "x5t#S256")
    return is_known and isinstance(thumbprint, str) and _THUMBPRINT.fullmatch(thumbprint) is not None


_REQUIRED: Final[Mapping[str, _Form]] = {
    "iss": _is_text,
    "sub": _is_text,
    "aud": _is_audience,
    "client_id": _is_text,
    "iat": is_count,
    "exp": is_count,
    "jti": _is_token_id,
}
_OPTIONAL: Final[Mapping[str, _Form]] = {
    "nbf": is_count,
    "scope": _is_scope,
    "seq": is_count,
    "act": _is_actor,
    "credential_id": _is_text,
    "lineage": _is_lineage,
    "cnf": _is_confirmation,
}


def _find_wrong(payload: JsonObject) -> str | None:
    for name, is_good in _REQUIRED.items():
        if not is_good(payload.get(name)):
            return name
    for name, is_good in _OPTIONAL.items():
        if name in payload and not is_good(payload[name]):
            return name
    return None


def audiences_of(claims: Claims) -> Collection[str]:
    audience: str | Collection[str] = claims["aud"]
    return (audience,) if isinstance(audience, str) else audience


def scopes_of(claims: Claims) -> tuple[str, ...]:
    scope: str = claims.get("scope", "")
    return tuple(scope.split(" ")) if scope else ()


def read_claims(payload: JsonObject, issuer: str, audiences: Collection[str]) -> Claims | Refusal:
    """The claims of a payload, or which of them is not as it should be. Its times are compared by `Validity`."""
    # First, so that a token of another service is called that, whatever else it holds.
    if payload.get("iss") != issuer:
        return Refusal("wrong_issuer", f"iss is not {issuer}.")
    wrong = _find_wrong(payload)
    if wrong is not None:
        return Refusal("bad_claims", f"The claim {wrong} is missing or is not of its form.")
    if payload["exp"] <= payload["iat"]:
        return Refusal("bad_claims", "The claim exp is not after iat.")
    if not any(audience in audiences for audience in audiences_of(payload)):
        return Refusal("wrong_audience", f"aud holds none of: {', '.join(audiences)}.")
    return payload


@dataclass(slots=True)
class TimeRange:
    """Between these the present time lies, in ms since 1970. They differ where the clocks of this machine do: one of them
    was set, or stood still while the machine was suspended. Not frozen for the reason that an Instant is not."""

    earliest_ms: float
    latest_ms: float


_EXPIRED: Final = Refusal("expired", "exp has passed.")
_NOT_YET_VALID: Final = Refusal("not_yet_valid", "iat or nbf is to come.")
UNTIMELY: Final = Refusal("stale", "A clock of this machine was set, so whether the token has expired is not known.")


class Validity(NamedTuple):
    """When a token is valid, in ms since 1970: `starts_ms <= now < ends_ms`."""

    starts_ms: int
    ends_ms: int

    def refusal_in(self, now: TimeRange) -> Refusal | None:
        """Why the token is not valid at any time of the range; None where it is at each; `UNTIMELY` where that depends."""
        if self.starts_ms <= now.earliest_ms and now.latest_ms < self.ends_ms:
            return None
        refused = self._refusal_at(now.latest_ms)
        return refused if self._refusal_at(now.earliest_ms) is refused else UNTIMELY

    def _refusal_at(self, now_ms: float) -> Refusal | None:
        if now_ms >= self.ends_ms:
            return _EXPIRED
        return _NOT_YET_VALID if now_ms < self.starts_ms else None


def validity_of(claims: Claims) -> Validity:
    return Validity(max(claims["iat"], claims.get("nbf", 0)) * 1000 - _CLOCK_TOLERANCE_MS, claims["exp"] * 1000)


def freeze(value: Any) -> Any:
    """A copy of what JSON holds in which nothing can be changed: it is handed out again for the next request."""
    if is_json_object(value):
        return MappingProxyType({name: freeze(member) for name, member in value.items()})
    if is_json_array(value):
        return tuple(map(freeze, value))
    return value
