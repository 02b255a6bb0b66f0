"""Whether a request came with the certificate that a token is bound to (RFC 8705 §3)."""

import binascii
import hashlib
import re
from typing import Final, TypeAlias

from ..tokens.claims import utf16_units
from ..tokens.compact_jws import encode_base64url

Certificate: TypeAlias = bytes | str
"""DER in bytes; or PEM with one certificate or more, of which the first is the caller's."""

CERTIFICATE_BYTES_MAX: Final = 65_536
_PEM = re.compile(r"-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----", re.ASCII)
_SPACES_AND_PADDING = re.compile(r"[\s=]", re.ASCII)


def _der_of_pem(pem: str) -> bytes | None:
    start = pem.find("-----BEGIN CERTIFICATE-----")
    found = _PEM.match(pem, start) if start >= 0 else None
    if found is None:
        return None
    base64 = _SPACES_AND_PADDING.sub("", found[1])
    return binascii.a2b_base64(base64 + "=" * (-len(base64) % 4))


def thumbprint_of(certificate: Certificate) -> str | None:
    """SHA-256 of its DER in base64url; None for what is no certificate."""
    length = utf16_units(certificate) if isinstance(certificate, str) else len(certificate)
    if length > CERTIFICATE_BYTES_MAX:
        return None
    try:
        der = _der_of_pem(certificate) if isinstance(certificate, str) else certificate
    except ValueError:
        return None
    return encode_base64url(hashlib.sha256(der).digest()) if der else None
