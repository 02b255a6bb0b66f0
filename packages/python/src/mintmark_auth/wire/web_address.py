"""Addresses of http and https as browsers and Node read them (WHATWG URL), which must name a host (RFC 9110 §4.2)."""

import ipaddress
import re
from typing import Final, NamedTuple
from urllib.parse import quote, unquote_to_bytes

_ADDRESS = re.compile(
    r"(?P<scheme>https?)://(?:(?P<user>[^/?#\\@]*)@)?(?P<host>\[[0-9a-f:.]+\]|[^/?#\\@:\[\]]+)"
    r"(?::(?P<port>[0-9]*))?(?P<path>[/\\][^?#]*)?(?P<search>\?[^#]*)?(?:#.*)?",
    re.IGNORECASE | re.DOTALL | re.ASCII,
)
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_PORT_MAX = 65_535
_FORBIDDEN_IN_HOST = re.compile(r"[\x00-\x20\"#%/:<>?@\[\\\]^`{|}\x7f]")
_NUMBER = re.compile(r"0x[0-9a-f]*|[0-9]+")
_ZEROS = re.compile(r"(?:(?<![0-9a-f])0(?::|\Z)){2,}")
_LOOPBACK = re.compile(r"localhost|127(?:\.[0-9]{1,3}){3}|\[::1\]")
_NOT_BASE = re.compile(r"[?#\\\s\x00-\x1f\x7f-\x9f]")
# What a path keeps as it is; all else is written as an escape.
_PATH_SAFE = "/%!$&'()*+,;=:@~|[]-._"
_HERE = frozenset({".", "%2e"})
_UP = frozenset({"..", ".%2e", "%2e.", "%2e%2e"})


class WebAddress(NamedTuple):
    scheme: str
    host: str
    port: str
    """With its colon; empty where it is that of the scheme."""
    path: str
    search: str
    has_user: bool

    @property
    def origin(self) -> str:
        return f"{self.scheme}://{self.host}{self.port}"

    @property
    def href(self) -> str:
        """The whole of it, without user and fragment."""
        return self.origin + self.path + self.search

    @property
    def is_loopback(self) -> bool:
        return _LOOPBACK.fullmatch(self.host) is not None

    @property
    def is_protected(self) -> bool:
        """Whether nobody on the way can read or replace what is sent (RFC 6749 §3.2, RFC 6750 §5.3)."""
        return self.scheme == "https" or self.is_loopback


def _parse_number(text: str) -> int:
    """A part of an IPv4 address. Raises ValueError for what is none."""
    if not _NUMBER.fullmatch(text):
        raise ValueError("not a number")
    if text.startswith("0x"):
        return int(text[2:] or "0", 16)
    return int(text, 8 if text.startswith("0") else 10)


def _parse_ipv4(parts: list[str]) -> str:
    if len(parts) > 4:
        raise ValueError("too many parts")
    numbers = [_parse_number(part) for part in parts]
    if any(number > 255 for number in numbers[:-1]) or numbers[-1] >= 256 ** (5 - len(numbers)):
        raise ValueError("too large")
    whole = numbers[-1] + sum(number * 256 ** (3 - n) for n, number in enumerate(numbers[:-1]))
    return str(ipaddress.IPv4Address(whole))


def _parse_ipv6(text: str) -> str:
    """In the form of RFC 5952 §4, but with no part in dots: the first of the longest runs of zeros is left out."""
    value = int(ipaddress.IPv6Address(text))
    words = ":".join(f"{value >> 16 * n & 0xFFFF:x}" for n in reversed(range(8)))
    longest = max(_ZEROS.finditer(words), key=lambda run: run[0].count("0"), default=None)
    if longest is None:
        return f"[{words}]"
    return f"[{words[: longest.start()].removesuffix(':')}::{words[longest.end() :]}]"


def _parse_host(text: str) -> str:
    """Raises ValueError for what is no host."""
    if text.startswith("["):
        return _parse_ipv6(text[1:-1])
    host = unquote_to_bytes(text).decode()
    host = (host if host.isascii() else host.encode("idna").decode()).lower()
    if host == "" or _FORBIDDEN_IN_HOST.search(host):
        raise ValueError("not a host")
    parts = host.removesuffix(".").split(".")
    # The last part decides whether it is an IPv4 address.
    return _parse_ipv4(parts) if _NUMBER.fullmatch(parts[-1]) else host


def _parse_path(text: str) -> str:
    """Without dot segments (RFC 3986 §5.2.4)."""
    segments = quote(text.replace("\\", "/"), safe=_PATH_SAFE).split("/")[1:]
    kept: list[str] = []
    for n, segment in enumerate(segments):
        is_last = n == len(segments) - 1
        if segment.lower() in _UP:
            del kept[-1:]
        elif segment.lower() not in _HERE:
            kept.append(segment)
            continue
        if is_last:
            kept.append("")
    return "/" + "/".join(kept)


def parse_web_address(text: str) -> WebAddress | None:
    """The address; None where the text is none of http or https."""
    found = _ADDRESS.fullmatch(text)
    if found is None:
        return None
    scheme = found["scheme"].lower()
    port = int(found["port"]) if found["port"] and len(found["port"]) <= 6 else None
    if (found["port"] and port is None) or (port or 0) > _PORT_MAX:
        return None
    try:
        host = _parse_host(found["host"])
        path = _parse_path(found["path"] or "/")
        search = quote(found["search"] or "", safe=_PATH_SAFE + "?\\^`{}")
    except ValueError:
        return None
    named_port = "" if port is None or port == _DEFAULT_PORTS[scheme] else f":{port}"
    return WebAddress(scheme, host, named_port, path, "" if search == "?" else search, bool(found["user"]))


def is_base_address(text: str) -> bool:
    """Whether a path can be added to this text of an address."""
    return _NOT_BASE.search(text) is None
