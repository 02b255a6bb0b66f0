"""The service that is asked, and the way to it: the options that a verifier and a source of tokens share."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .web_address import is_base_address, parse_web_address

if TYPE_CHECKING:
    from ssl import SSLContext


@dataclass(frozen=True, slots=True)
class Destination:
    issuer: str
    is_insecure: bool
    """Whether http beyond loopback is allowed."""
    ssl_context: "SSLContext | None"
    proxy: str | None = field(repr=False)
    """Its address may hold a password."""


def _parse_issuer(issuer: object, is_insecure: bool, danger: str) -> str:
    # As URL of WHATWG does, and no more: what else surrounds it is refused.
    address = parse_web_address(issuer.strip(" \n")) if isinstance(issuer, str) else None
    if address is None or not isinstance(issuer, str):
        raise ValueError("issuer is not a URL. Give the base URL of the service, such as https://tokens.example.com.")
    # What fails says the whole address, in a log too.
    if address.has_user:
        raise ValueError("issuer holds a user name or a password. Give the URL without.")
    if issuer.endswith("/") or not is_base_address(issuer):
        raise ValueError(
            "issuer ends with a slash, or has a query, a fragment, a space or a backslash. "
            "Give it exactly as the service states it in iss."
        )
    if not (address.is_protected or is_insecure):
        raise ValueError(f"issuer is not https. Over http anybody on the way could {danger}; only loopback is allowed.")
    return issuer


def parse_destination(issuer: object, options: Mapping[str, Any], danger: str) -> Destination:
    """Raises ValueError for the first that is not as it should be.

    danger: What a stranger on the way could do over http.
    """
    insecure, ssl_context, proxy = options["insecure"], options["ssl_context"], options["proxy"]
    if insecure not in (None, "http"):
        raise ValueError("insecure is not one of http.")
    # By its method: the module ssl is loaded with the first request only.
    if ssl_context is not None and not hasattr(ssl_context, "wrap_socket"):
        raise ValueError("ssl_context is not an SSLContext.")
    if proxy is not None and (not isinstance(proxy, str) or parse_web_address(proxy) is None):
        raise ValueError("proxy is not a URL of http or https.")
    is_insecure = insecure is not None
    return Destination(_parse_issuer(issuer, is_insecure, danger), is_insecure, ssl_context, proxy)
