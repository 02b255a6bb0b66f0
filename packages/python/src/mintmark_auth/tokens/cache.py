"""The cache of verified tokens, by their exact text, so that only what may have changed is checked again."""

import threading
from typing import Final, Generic, TypeVar

E = TypeVar("E")

CACHED_TOKENS_MAX: Final = 20_000
CACHED_BYTES_MAX: Final = 33_554_432
"""The bytes of all texts together, with what is stored beside each."""
# Claims as objects and the entry itself, about, beside the characters.
_BYTES_BESIDE = 4096
# Tokens are distinguished by the end of their signature: to hash a whole text takes as long as to parse it.
_NAME_CHARACTERS = 43


def _size_of(token: str) -> int:
    return len(token) + _BYTES_BESIDE


class TokenCache(Generic[E]):
    """Two halves. When the younger one is full, the older one is dropped as a whole: with it what was not used since the
    younger one was begun. Of two texts that end alike the last one stays. To find a recent one takes no lock."""

    def __init__(self, tokens_max: int = CACHED_TOKENS_MAX, bytes_max: int = CACHED_BYTES_MAX) -> None:
        self._tokens_max = tokens_max // 2
        self._bytes_max = bytes_max // 2
        self._lock = threading.Lock()
        self._young: dict[str, tuple[str, E]] = {}
        self._old: dict[str, tuple[str, E]] = {}
        self._young_bytes = 0

    def __len__(self) -> int:
        return len(self._young) + len(self._old)

    def get(self, token: str) -> E | None:
        name = token[-_NAME_CHARACTERS:]
        found = self._young.get(name)
        if found is not None:
            return found[1] if found[0] == token else None
        found = self._old.get(name)
        if found is None or found[0] != token:
            return None
        self.add(token, found[1])
        return found[1]

    def add(self, token: str, entry: E) -> None:
        name, size = token[-_NAME_CHARACTERS:], _size_of(token)
        with self._lock:
            self._remove(name)
            if len(self._young) >= self._tokens_max or self._young_bytes + size > self._bytes_max:
                self._old, self._young, self._young_bytes = self._young, {}, 0
            if size <= self._bytes_max:
                self._young[name] = (token, entry)
                self._young_bytes += size

    def forget(self, token: str) -> None:
        if self.get(token) is not None:
            with self._lock:
                self._remove(token[-_NAME_CHARACTERS:])

    def _remove(self, name: str) -> None:
        self._old.pop(name, None)
        removed = self._young.pop(name, None)
        if removed is not None:
            self._young_bytes -= _size_of(removed[0])
