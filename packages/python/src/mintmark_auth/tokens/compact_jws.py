"""The strict reader of compact JWS (RFC 7515 §3.1, §7.1): a text that passes has one spelling and one meaning."""

import binascii
import re
from typing import Final, NamedTuple

from .strict_json import JsonObject, parse_object

COMPACT_CHARACTERS_MAX: Final = 16_000
"""Longer texts are not read."""

# Each would change what is signed or how it is read (RFC 7515 §4.1.11, RFC 7797 §3, RFC 7516 §4.1.3).
_FORBIDDEN_HEADERS: Final = frozenset({"crit", "b64", "zip"})

_COMPACT = re.compile(r"([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)")
_BASE64URL = re.compile(r"[A-Za-z0-9_-]+")
# In a last group of two characters the last one carries two bits, in one of three four: the others are zero.
_LAST_OF_GROUP: Final = (None, "", "AQgw", "AEIMQUYcgkosw048")
_PADDING: Final = (b"", b"", b"==", b"=")
_ALPHABET = bytes.maketrans(b"-_", b"+/")


class CompactJws(NamedTuple):
    header: JsonObject
    payload: JsonObject
    signature: bytes
    """Decoded; of any length."""
    signed: bytes
    """What the signature is of: header and payload as they are written."""


def _decode(part: str) -> bytes | None:
    """The bytes of a part whose characters are known to be of the alphabet; None where it has surplus bits."""
    over = len(part) % 4
    last = _LAST_OF_GROUP[over]
    if last is not None and part[-1] not in last:
        return None
    return binascii.a2b_base64(part.encode().translate(_ALPHABET) + _PADDING[over])


def decode_canonical(part: str) -> bytes | None:
    """The bytes of base64url without padding, white space or surplus bits; None for any other text."""
    return _decode(part) if _BASE64URL.fullmatch(part) else None


def encode_base64url(data: bytes) -> str:
    return binascii.b2a_base64(data, newline=False).rstrip(b"=").decode().translate({43: "-", 47: "_"})


def _decode_object(part: str) -> JsonObject | None:
    text = _decode(part)
    return None if text is None else parse_object(text)


class CompactReader:
    """Reads texts that nobody has verified. Reads a header anew only where it differs from the last one: all tokens of a
    key have the same."""

    def __init__(self, characters_max: int) -> None:
        self._characters_max = characters_max
        # Replaced as a whole, so that no thread sees the text of one and the members of another.
        self._last: tuple[str, JsonObject] = ("", {})

    def read(self, text: str) -> CompactJws | None:
        """None for what is not in the only form that is allowed."""
        if len(text) > self._characters_max:
            return None
        parts = _COMPACT.fullmatch(text)
        if parts is None:
            return None
        signature = _decode(parts[3])
        header = None if signature is None else self._read_header(parts[1])
        payload = None if header is None else _decode_object(parts[2])
        if signature is None or header is None or payload is None:
            return None
        return CompactJws(header, payload, signature, text[: parts.end(2)].encode())

    def _read_header(self, part: str) -> JsonObject | None:
        text, known = self._last
        if part == text:
            return known
        header = _decode_object(part)
        if header is None or not _FORBIDDEN_HEADERS.isdisjoint(header):
            return None
        self._last = (part, header)
        return header
