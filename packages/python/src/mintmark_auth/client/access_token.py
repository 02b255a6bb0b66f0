"""An access token as its holder has it. It is a secret, so it prints itself without its text."""

import re
from datetime import datetime
from typing import Literal, NoReturn, TypeAlias, TypeGuard

from .errors import REDACTED

TokenType: TypeAlias = Literal["Bearer", "DPoP"]

# RFC 6750 §2.1: nothing that a header cannot carry.
_TOKEN = re.compile(r"[A-Za-z0-9._~+/-]+=*")


def is_token_text(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and _TOKEN.fullmatch(value) is not None


class AccessToken:
    """An access token. Nothing prints its text, which is `value`: not repr(), a format, a log or a pickle."""

    __slots__ = ("__weakref__", "_expires_at", "_scopes", "_token_type", "_value")

    def __init__(self, value: str, token_type: TokenType, expires_at: datetime, scopes: tuple[str, ...]) -> None:
        self._value = value
        self._token_type: TokenType = token_type
        self._expires_at = expires_at
        self._scopes = scopes

    @property
    def value(self) -> str:
        """The text of the token."""
        return self._value

    @property
    def token_type(self) -> TokenType:
        """`Bearer` (RFC 6750), or `DPoP` where it is bound to the key of its source (RFC 9449)."""
        return self._token_type

    @property
    def expires_at(self) -> datetime:
        """The expiry in UTC by the clock of this machine; that of the service may differ."""
        return self._expires_at

    @property
    def scopes(self) -> tuple[str, ...]:
        """What was granted."""
        return self._scopes

    @property
    def authorization(self) -> str:
        """The value of the header `Authorization`."""
        return f"{self._token_type} {self._value}"

    def __repr__(self) -> str:
        return f"AccessToken({REDACTED}, {self._token_type!r}, {self._expires_at.isoformat()!r}, {self._scopes!r})"

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError("An AccessToken is a secret and is not pickled or copied: get one where it is needed.")
