"""JSON with one meaning: valid UTF-8, no object with two members of one name (RFC 7515 §4, RFC 7519 §4), not too deep."""

import json
import re
from typing import Any, Final, NoReturn, TypeAlias, TypeGuard

JsonObject: TypeAlias = dict[str, Any]

DEPTH_MAX: Final = 16
# Beyond the range of floats, and below what Python reads as an integer by default.
_DIGITS_MAX = 400

# An unclosed string, which valid JSON has not, goes on to the end: the search never starts again inside of it.
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*(?:"|\\?\Z)', re.DOTALL)
_NO_BRACKETS = re.compile(rb"[^\[\]{}]+")


def is_json_object(value: object) -> TypeGuard[JsonObject]:
    return isinstance(value, dict)


def is_json_array(value: object) -> TypeGuard[list[Any]]:
    return isinstance(value, list)


def _require_unique(pairs: list[tuple[str, Any]]) -> JsonObject:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("An object has two members of one name.")
    return members


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON.")


def _parse_long_int(digits: str) -> int | float:
    return int(digits) if len(digits) <= _DIGITS_MAX else float(digits)


_decode = json.JSONDecoder(object_pairs_hook=_require_unique, parse_constant=_refuse_constant).decode
# Slower, for a text with an integer that Python refuses to read for its length: elsewhere it is one beyond all limits.
_decode_long = json.JSONDecoder(
    object_pairs_hook=_require_unique, parse_constant=_refuse_constant, parse_int=_parse_long_int
).decode


def _is_too_deep(text: bytes) -> bool:
    """Counted before the text is parsed, lest it exhaust the stack. Right for valid JSON; any other is refused anyway."""
    if text.count(b"{") + text.count(b"[") <= DEPTH_MAX:
        return False
    depth = 0
    for bracket in _NO_BRACKETS.sub(b"", _STRING.sub(b"", text)):
        depth += 1 if bracket in b"[{" else -1
        if depth > DEPTH_MAX:
            return True
    return False


def parse_object(text: bytes) -> JsonObject | None:
    """The object; None for any other text. Of two members of one name some parsers keep the first, others the last."""
    if _is_too_deep(text):
        return None
    try:
        decoded = text.decode()
        try:
            value = _decode(decoded)
        except json.JSONDecodeError:
            return None
        except ValueError:
            value = _decode_long(decoded)
    except ValueError:
        return None
    return value if is_json_object(value) else None
