"""The claims of DPoP proofs (RFC 9449 §4.3): for this request, and of this time."""

import math
import re
import sys
from typing import Final, NamedTuple, TypeGuard

from ..tokens.claims import utf16_units
from ..tokens.strict_json import JsonObject
from ..wire.web_address import parse_web_address

PROOF_CHARACTERS_MAX: Final = 4096
PROOF_AGE_SECONDS_MAX: Final = 60
"""The distance of `iat` from the present time, before it."""
PROOF_AHEAD_SECONDS_MAX: Final = 10
"""A proof occupies memory until it is too old, so one of a clock that goes further ahead is not taken."""
_ID_UNITS_MAX = 256

# RFC 3986 §2, and the bar.
_URI_CHARACTERS = re.compile(r"[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=%|-]+")
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
_UNRESERVED = re.compile(r"[A-Za-z0-9._~-]")
# A router may not resolve it as an address is read here, and would choose another route than the one the proof is for.
_DOT_SEGMENT = re.compile(r"/(?:\.|%2e){1,2}(?:/|\Z)", re.IGNORECASE)
_QUERY = re.compile(r"[?#].*", re.DOTALL)


class ProofTimes(NamedTuple):
    jti: str
    until: int
    """The last time at which the proof is accepted, in ms since 1970."""


def _normalize_escape(escape: "re.Match[str]") -> str:
    character = chr(int(escape[0][1:], 16))
    return character if _UNRESERVED.fullmatch(character) else escape[0].upper()


def _normal_address(text: str) -> str | None:
    """Without query and fragment, in normal form (RFC 3986 §6.2.2, §6.2.3); None if it is no address."""
    address = parse_web_address(text) if _URI_CHARACTERS.fullmatch(text) else None
    if address is None or address.has_user:
        return None
    return address.origin + _ESCAPE.sub(_normalize_escape, address.path)


def _is_address(htu: object, url: str) -> bool:
    if not isinstance(htu, str) or _DOT_SEGMENT.search(url):
        return False
    called = _normal_address(url)
    return called is not None and _normal_address(htu) == called


def _is_time(value: object) -> TypeGuard[int | float]:
    """A number that is finite, as each reader of JSON reads it. `true` is none."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def _last_instant(claims: JsonObject, now_ms: int) -> int | str:
    """The last time that `iat` and `exp` allow, or what is wrong with them. `exp` and `nbf` are optional."""
    iat = claims.get("iat")
    if not _is_time(iat):
        return "iat is missing, or no time"
    seconds_max = PROOF_AHEAD_SECONDS_MAX if 1000 * iat > now_ms else PROOF_AGE_SECONDS_MAX
    if abs(now_ms - 1000 * iat) > 1000 * seconds_max:
        return f"iat is more than {seconds_max} s from the time of this service"
    until = math.floor(1000 * iat) + 1000 * PROOF_AGE_SECONDS_MAX
    # RFC 7519 §4.1.4, §4.1.5: if present, they must be respected.
    if "exp" in claims:
        exp = claims["exp"]
        if not _is_time(exp) or now_ms >= 1000 * exp:
            return "exp has passed, or is no time"
        until = min(until, math.ceil(min(1000 * exp, until + 1)) - 1)
    if "nbf" in claims:
        nbf = claims["nbf"]
        if not _is_time(nbf) or now_ms < 1000 * (nbf - PROOF_AHEAD_SECONDS_MAX):
            return "nbf lies in the future, or is no time"
    return until


def check_proof_claims(claims: JsonObject, method: str, url: str, now_ms: int) -> ProofTimes | str:
    """What counts of the claims of a proof for this request at this time, or what is wrong with them, to end a sentence."""
    # The query is the caller's, in whatever characters, and no part of what is compared.
    address = _QUERY.sub("", url)
    if claims.get("htm") != method:
        return f"htm is not {method}"
    if not _is_address(claims.get("htu"), address):
        return f"htu is not {address}"
    jti = claims.get("jti")
    if not isinstance(jti, str) or not 0 < utf16_units(jti) <= _ID_UNITS_MAX:
        return f"jti is not 1 to {_ID_UNITS_MAX} characters"
    until = _last_instant(claims, now_ms)
    return until if isinstance(until, str) else ProofTimes(jti, until)
