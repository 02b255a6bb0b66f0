"""How a client says who it is at the token endpoint: a secret, an assertion that it signs, a token of its platform, or the
certificate of its TLS connection."""

import os
import re
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeAlias, TypeGuard

from .errors import Fault
from .signing_key import SigningKey, parse_jwk, read_signing_key
from .text_file import StrPath, name_of, read_text_file

_ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
_ASSERTION_SECONDS = 60
# Secrets that were imported from elsewhere may hold more than RFC 6749 Appendix A.2 allows.
_SECRET = re.compile(r"[^\x00-\x1f\x7f-\x9f\ud800-\udfff]{1,8192}")
_JWT = re.compile(r"[A-Za-z0-9._-]+")
_ONE_LINE = "is not one line of 1 to 8192 characters"


class Occasion(NamedTuple):
    """A request that is authenticated."""

    client_id: str | None
    issuer: str
    wall_ms: int
    seconds_left: float


class Authentication(NamedTuple):
    fields: Mapping[str, str]
    secrets: tuple[str, ...] = ()
    """What no message may repeat."""


Authenticate: TypeAlias = Callable[[Occasion], Authentication]
"""Called for each request: an assertion may be used once, and files may have changed. Raises Fault."""


@dataclass(frozen=True, slots=True)
class Credential:
    authenticate: Authenticate
    certificate: tuple[StrPath, StrPath] | None = None
    """The files of the certificate and of its key, both PEM, for the TLS connection (RFC 8705 §2)."""


def _named(client_id: str | None) -> dict[str, str]:
    return {} if client_id is None else {"client_id": client_id}


def _by_secret(read: Callable[[Occasion], str]) -> Authenticate:
    def authenticate(occasion: Occasion) -> Authentication:
        secret = read(occasion)
        if not _SECRET.fullmatch(secret):
            raise Fault(f"the client secret {_ONE_LINE}")
        return Authentication({**_named(occasion.client_id), "client_secret": secret}, (secret,))

    return authenticate


def _by_assertion(make: Callable[[Occasion], str]) -> Authenticate:
    def authenticate(occasion: Occasion) -> Authentication:
        assertion = make(occasion)
        fields = {"client_assertion_type": _ASSERTION_TYPE, "client_assertion": assertion}
        return Authentication({**_named(occasion.client_id), **fields}, (assertion,))

    return authenticate


def _sign_assertion(key: SigningKey, occasion: Occasion) -> str:
    """RFC 7523 §3: issued by the client, of itself, for this service, once."""
    now = occasion.wall_ms // 1000
    claims = {
        "iss": occasion.client_id,
        "sub": occasion.client_id,
        "aud": occasion.issuer,
        "jti": str(uuid.uuid4()),
        "iat": now,
        "exp": now + _ASSERTION_SECONDS,
    }
    return key.sign_jws({} if key.kid is None else {"kid": key.kid}, claims)


def _read_workload_token(path: StrPath, seconds: float) -> str:
    token = read_text_file(path, seconds)
    if not _JWT.fullmatch(token):
        raise Fault(f"{name_of(path)} holds no JWT")
    return token


def _take_secret(secret: Any) -> Credential:
    if not isinstance(secret, str) or not _SECRET.fullmatch(secret):
        raise ValueError(f"client_secret {_ONE_LINE}.")
    return Credential(_by_secret(lambda _: secret))


def _is_mapping(value: object) -> TypeGuard[Mapping[str, Any]]:
    return isinstance(value, Mapping)


def _is_pair(value: object) -> TypeGuard[tuple[Any, Any]]:
    return isinstance(value, (tuple, list)) and len(value) == 2  # pyright: ignore[reportUnknownArgumentType]


def _take_key(jwk: object) -> Credential:
    if not _is_mapping(jwk):
        raise ValueError("private_key is not a JWK. Give a mapping, such as json.loads() returns.")
    try:
        key = parse_jwk(jwk)
    except ValueError as fault:
        raise ValueError(f"private_key is a JWK of another kind; {fault}.") from None
    return Credential(_by_assertion(lambda occasion: _sign_assertion(key, occasion)))


def _is_path(value: object) -> TypeGuard[StrPath]:
    return isinstance(value, (str, os.PathLike))


def _take_path(name: str, path: object) -> StrPath:
    if not _is_path(path) or not os.fspath(path):
        raise ValueError(f"{name} is not the path of a file.")
    return path


def _take_secret_file(given: Any) -> Credential:
    path = _take_path("client_secret_file", given)
    return Credential(_by_secret(lambda occasion: read_text_file(path, occasion.seconds_left)))


def _take_key_file(given: Any) -> Credential:
    path = _take_path("private_key_file", given)
    return Credential(
        _by_assertion(lambda occasion: _sign_assertion(read_signing_key(path, occasion.seconds_left), occasion))
    )


def _take_workload_token_file(given: Any) -> Credential:
    path = _take_path("workload_token_file", given)
    return Credential(_by_assertion(lambda occasion: _read_workload_token(path, occasion.seconds_left)))


def _take_certificate(given: object) -> Credential:
    if not _is_pair(given):
        raise ValueError("client_certificate is not the paths of a certificate and of its key, both PEM.")
    certificate, key = (_take_path("client_certificate", path) for path in given)
    return Credential(lambda occasion: Authentication(_named(occasion.client_id)), (certificate, key))


_TAKERS: Final[Mapping[str, Callable[[Any], Credential]]] = {
    "client_secret": _take_secret,
    "client_secret_file": _take_secret_file,
    "private_key": _take_key,
    "private_key_file": _take_key_file,
    "workload_token_file": _take_workload_token_file,
    "client_certificate": _take_certificate,
}


def parse_credential(given: Mapping[str, object]) -> Credential:
    """Raises ValueError unless exactly one is given, and for one that can be none."""
    found = [name for name in _TAKERS if given[name] is not None]
    if len(found) != 1:
        raise ValueError(f"{len(found)} credentials are given. Give exactly one of {', '.join(_TAKERS)}.")
    return _TAKERS[found[0]](given[found[0]])
