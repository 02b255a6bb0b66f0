"""The options of a source of tokens, checked once: a mistake is an error that names it, before anything is sent."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from inspect import iscoroutinefunction
from typing import Any, Final, NoReturn, TypeGuard

from ..tokens.claims import SCOPE_ITEM
from ..wire.destination import Destination, parse_destination
from .access_token import is_token_text
from .credentials import Credential, parse_credential

TIMEOUT_MIN: Final = 0.001
TIMEOUT_MAX: Final = 300
TIMEOUT_USUAL: Final = 10
"""Seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Options of an agent that are as they should be."""

    destination: Destination
    client_id: str | None
    credential: Credential
    dpop: bool
    timeout: float
    on_refresh_failure: Callable[[Exception], object]


@dataclass(frozen=True, slots=True)
class Grant:
    """What is asked for."""

    resources: tuple[str, ...]
    scopes: tuple[str, ...]
    subject_token: str | None

    def __repr__(self) -> str:
        return f"Grant({self.resources!r}, {self.scopes!r})"


def _fail(what: str) -> NoReturn:
    raise ValueError(f"TokenSource: {what}")


def _is_list(value: object) -> TypeGuard[Sequence[Any]]:
    return isinstance(value, (tuple, list))


def _parse_texts(name: str, given: object, expected: str, is_good: Callable[[str], object]) -> tuple[str, ...]:
    if _is_list(given) and all(isinstance(one, str) and is_good(one) for one in given):
        return tuple(given)
    _fail(f"{name} is not {expected}.")


def parse_grant(resource: object, scopes: object, subject_token: object) -> Grant:
    """Raises ValueError for the first that is not as it should be."""
    resources = [resource] if isinstance(resource, str) else resource
    # Its text is not repeated: it is a secret, whatever is wrong with it.
    if subject_token is not None and not is_token_text(subject_token):
        _fail("subject_token is not the text of a token (RFC 6750).")
    return Grant(
        _parse_texts("resource", resources, "a URI, or a list of URIs", bool),
        _parse_texts("scopes", scopes, "a list of scope items, such as ['db:read']", re.compile(SCOPE_ITEM).fullmatch),
        subject_token,
    )


def _parse_timeout(seconds: Any) -> float:
    is_number = isinstance(seconds, (int, float)) and not isinstance(seconds, bool)
    if not is_number or not TIMEOUT_MIN <= seconds <= TIMEOUT_MAX:
        _fail(f"timeout is not a number of seconds from {TIMEOUT_MIN} to {TIMEOUT_MAX}.")
    return float(seconds)


def _check_rest(client_id: object, given: Mapping[str, Any]) -> None:
    if client_id is not None and (not isinstance(client_id, str) or not client_id):
        _fail("client_id is not a string that is not empty.")
    if client_id is None and given["workload_token_file"] is None:
        _fail("client_id is missing. Only with workload_token_file it may be.")
    if not isinstance(given["dpop"], bool):
        _fail("dpop is not True or False.")
    if not callable(given["on_refresh_failure"]) or iscoroutinefunction(given["on_refresh_failure"]):
        _fail("on_refresh_failure is not a plain function.")


def parse_settings(issuer: object, client_id: str | None, given: Mapping[str, Any]) -> Settings:
    """Raises ValueError for the first option that is not as it should be."""
    try:
        destination = parse_destination(issuer, given, "read the credential")
        credential = parse_credential(given)
    except ValueError as fault:
        _fail(str(fault))
    _check_rest(client_id, given)
    return Settings(
        destination=destination,
        client_id=client_id,
        credential=credential,
        dpop=given["dpop"],
        timeout=_parse_timeout(given["timeout"]),
        on_refresh_failure=given["on_refresh_failure"],
    )
