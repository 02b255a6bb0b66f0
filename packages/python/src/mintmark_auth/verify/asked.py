"""What a program asks of a verifier, checked with each request: a mistake must not ask for less."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final, TypeGuard

from ..proofs.certificate import Certificate
from ..proofs.dpop import Presented

_ITEMS_MAX = 10_000
_STRINGS: Final = frozenset((str,))
_EXPECTED_SCOPES = "a list of scope items, such as ['db:read']"


class Misuse(Exception):
    """What was asked cannot be decided on. The message repeats no value."""


@dataclass(frozen=True, slots=True)
class IncomingRequest:
    """A request as a framework has it. A header that came twice is for the caller to refuse."""

    method: str
    url: str
    """As callers write it: the origin of the audience, and the path of the request."""
    authorization: str | None = None
    """The header `Authorization`; None where there is none."""
    proof: str | None = None
    """The header `DPoP`."""
    scopes: Collection[str] = ()
    certificate: Certificate | None = None


@dataclass(slots=True)
class Asked:
    """What a token is asked for, read once: what the program does with its own objects later changes nothing. Not frozen for
    the reason that an Instant is not."""

    scopes: tuple[str, ...] = ()
    dpop: Presented | None = None
    certificate: Certificate | None = None


NO_SCOPES: Final = ()
NOTHING: Final = Asked()


def plain_text(text: str) -> str:
    """The same text without methods of a subclass, which might compare as they like."""
    return str.__str__(text)


def is_list(value: object) -> TypeGuard[Collection[Any]]:
    """Whether it holds items, in whatever order, and is no text."""
    return isinstance(value, (tuple, list, set, frozenset))


def _take_scopes(where: str, scopes: object) -> tuple[str, ...]:
    """Copies of the items. One that no token can carry is refused with 403, so its characters need no check."""
    if not is_list(scopes):
        raise Misuse(f"{where}: scopes is not {_EXPECTED_SCOPES}.")
    if len(scopes) > _ITEMS_MAX:
        raise Misuse(f"{where}: scopes has more than {_ITEMS_MAX} items.")
    items = tuple(scopes)
    if set(map(type, items)) <= _STRINGS:
        return items
    if not all(isinstance(item, str) for item in items):
        raise Misuse(f"{where}: scopes is not {_EXPECTED_SCOPES}.")
    return tuple(map(plain_text, items))


def _take_text(where: str, name: str, value: object) -> str:
    if not isinstance(value, str):
        raise Misuse(f"{where}: {name} is not a string.")
    return plain_text(value)


def _take_optional_text(where: str, name: str, value: object) -> str | None:
    return None if value is None else _take_text(where, name, value)


def _take_certificate(where: str, value: object) -> Certificate | None:
    if value is None or isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return plain_text(value)
    if isinstance(value, bytearray):
        return bytes(value)
    raise Misuse(f"{where}: certificate is not DER in bytes, or PEM in a string.")


def _take_presented(where: str, dpop: object) -> Presented | None:
    if dpop is None:
        return None
    if not isinstance(dpop, Presented):
        raise Misuse(f"{where}: dpop is not a Presented of method, url and proof.")
    inside = f"{where}: dpop"
    return Presented(
        _take_text(inside, "method", dpop.method),
        _take_text(inside, "url", dpop.url),
        _take_optional_text(inside, "proof", dpop.proof),
    )


def take_asked(scopes: object, dpop: object, certificate: object) -> Asked:
    """Raises Misuse for the first part that is not as it should be."""
    if dpop is None and certificate is None and scopes is NO_SCOPES:
        return NOTHING
    try:
        return Asked(
            _take_scopes("verify", scopes), _take_presented("verify", dpop), _take_certificate("verify", certificate)
        )
    except Misuse:
        raise
    except Exception:
        # What an object of the program raises may hold a secret.
        raise Misuse("verify: the arguments cannot be read.") from None


def take_request(request: object) -> IncomingRequest:
    """Raises Misuse for the first part that is not as it should be."""
    if not isinstance(request, IncomingRequest):
        raise Misuse("authorize: the request is not an IncomingRequest.")
    try:
        return IncomingRequest(
            _take_text("authorize", "method", request.method),
            _take_text("authorize", "url", request.url),
            _take_optional_text("authorize", "authorization", request.authorization),
            _take_optional_text("authorize", "proof", request.proof),
            _take_scopes("authorize", request.scopes),
            _take_certificate("authorize", request.certificate),
        )
    except Misuse:
        raise
    except Exception:
        raise Misuse("authorize: the request cannot be read.") from None
