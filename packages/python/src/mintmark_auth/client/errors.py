"""Why there is no token: refused, which asking again does not change, or unavailable, which passes."""

import json
import re
from collections.abc import Iterable
from typing import Final
from urllib.parse import quote, quote_plus

REDACTED: Final = "[redacted]"
_DESCRIPTION_CHARACTERS_MAX = 500
_NOT_PRINTABLE = re.compile(r"[^\x20-\x7e]+")


class TokenRefused(Exception):
    """The token endpoint refused the request (RFC 6749 §5.2). Asking again will not help before something is changed."""

    def __init__(self, error: str, description: str | None, status: int) -> None:
        # The arguments as they are: an exception is pickled by them.
        super().__init__(error, description, status)
        self.error = error
        """The code, such as `invalid_client`, `invalid_scope` or `unauthorized_client`."""
        self.description = description
        """A text for people, without secrets; it may change. None where the service sent none."""
        self.status = status
        """The HTTP status of the answer, of 400 to 499."""

    def __str__(self) -> str:
        return f"The token was refused: {self.error}{f' ({self.description})' if self.description else ''}."


class TokenUnavailable(Exception):
    """No token can be had for now: the network, the time, a limit, or a service that does not answer as it should."""

    def __init__(self, reason: str, retry_after: int | None = None) -> None:
        super().__init__(reason, retry_after)
        self.reason = reason
        """What went wrong, without what to do. Holds no secret."""
        self.retry_after = retry_after
        """The seconds after which to ask again, at most 300; until then calls fail without a request."""

    def __str__(self) -> str:
        advice = "" if self.retry_after is None else f" Ask again in {self.retry_after} s."
        return f"No token can be had: {self.reason}.{advice}"


class Fault(Exception):
    """What prevented a request. The message names the place, and repeats nothing that may be secret."""


def _spellings(secret: str) -> dict[str, None]:
    """As it is, and as forms, addresses and JSON hold it."""
    form = quote_plus(secret, safe="*").replace("~", "%7E")
    texts = (json.dumps(secret), json.dumps(secret, ensure_ascii=False))
    quoted = (quote(secret, safe=safe) for safe in ("", "!'()*"))
    return dict.fromkeys((secret, form, quote_plus(secret), *quoted, *(text[1:-1] for text in texts)))


def harmless(text: str, secrets: Iterable[str] = ()) -> str:
    """A text of others as it may stand in a message: one line of printable ASCII, of at most 500 characters, without these
    secrets: a service may repeat what it was sent."""
    for secret in filter(None, secrets):
        for spelling in _spellings(secret):
            text = text.replace(spelling, REDACTED)
    return _NOT_PRINTABLE.sub(" ", text[:_DESCRIPTION_CHARACTERS_MAX]).strip()
