"""The published keys of Mintmark, kept while the service is away: then for an hour."""

import json
import time
import urllib.request

ANSWER_SECONDS = 2
READ_AGAIN_SECONDS = 300
KEPT_SECONDS = 3600
APART_SECONDS = 30


class KeysUnread(Exception):
    """The token was not checked: respond with 503, not with 401."""


class KeySet:
    def __init__(self, issuer: str) -> None:
        self.url = f"{issuer}/.well-known/jwks.json"
        self.keys, self.read_at, self.tried_at = [], float("-inf"), float("-inf")

    def current(self, kid: str | None = None) -> list[dict]:
        """The keys. They are read again where they are old, or none has this kid; a reading that fails changes nothing."""
        now = time.monotonic()
        if now - self.tried_at > APART_SECONDS and (not self._has(kid) or now - self.read_at > READ_AGAIN_SECONDS):
            self._read(now)
        # After a reading that failed, a key that is not here may be a new one.
        is_said = self._has(kid) or self.read_at == self.tried_at
        if now - self.read_at > KEPT_SECONDS or not is_said:
            raise KeysUnread(self.url)
        return self.keys

    def _has(self, kid: str | None) -> bool:
        return kid is None or any(key["kid"] == kid for key in self.keys)

    def _read(self, now: float) -> None:
        self.tried_at = now
        try:
            with urllib.request.urlopen(self.url, timeout=ANSWER_SECONDS) as answer:
                self.keys, self.read_at = json.load(answer)["keys"], now
        except (OSError, ValueError, KeyError):
            pass
