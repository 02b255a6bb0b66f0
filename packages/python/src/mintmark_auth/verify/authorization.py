"""The header Authorization of a request to a resource server (RFC 6750 §2.1, RFC 9449 §7.1)."""

import re
from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

from .refusals import Scheme

_SCHEMES: Final[Mapping[str, Scheme]] = {"bearer": "Bearer", "dpop": "DPoP"}
# `b64token` of RFC 6750 §2.1.
_TOKEN = re.compile(r"[A-Za-z0-9_.~+/-]+=*")


class Authorization(NamedTuple):
    scheme: Scheme
    token: str


def parse_authorization(header: str | None) -> Authorization | Literal["none", "malformed"]:
    """`none`: no header, or a scheme that is not for access tokens. `malformed`: more, or less, than one token."""
    if header is None:
        return "none"
    name, _, rest = header.partition(" ")
    scheme = _SCHEMES.get(name.lower())
    if scheme is None:
        return "none"
    token = rest.lstrip(" ")
    return Authorization(scheme, token) if _TOKEN.fullmatch(token) else "malformed"
