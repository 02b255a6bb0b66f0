"""Reads server-sent events from the bytes of a body ("Interpreting an event stream" in the HTML standard)."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

_LINE_END: Final = re.compile(rb"\r\n|\n|\r")


class ServerEvent(NamedTuple):
    """One event."""

    event: str
    data: str


class EventTooLarge(Exception):
    """An event is larger than it may be."""


class EventReader:
    """A reader of a stream in pieces, however they are cut."""

    def __init__(self, bytes_max: int) -> None:
        self._bytes_max: Final = bytes_max
        self._parts: list[bytes] = []
        """Of the line that has not ended: a long one may come in thousands of pieces, and only the new one is searched."""
        self._has_return = False
        self._event = ""
        self._data: list[str] = []
        self._size = 0

    def read(self, piece: bytes) -> Iterator[ServerEvent]:
        """Yield the events that end in this piece."""
        # The line feed that belongs to a carriage return may come with the next piece.
        skipped = 1 if self._has_return and piece.startswith(b"\n") else 0
        if piece:
            self._has_return = piece.endswith(b"\r")
        *lines, rest = _LINE_END.split(piece[skipped:])
        for line in lines:
            whole = b"".join([*self._parts, line])
            self._parts = []
            self._count(len(line))
            event = self._take(whole.decode(errors="replace"))
            if event is not None:
                yield event
        self._parts.append(rest)
        self._count(len(rest))

    def _count(self, size: int) -> None:
        self._size += size
        if self._size > self._bytes_max:
            raise EventTooLarge(f"An event has more than {self._bytes_max} bytes.")

    def _take(self, line: str) -> ServerEvent | None:
        if line == "":
            event = ServerEvent(self._event or "message", "\n".join(self._data)) if self._data else None
            self._event, self._data, self._size = "", [], 0
            return event
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "event":
            self._event = value
        elif name == "data":
            self._data.append(value)
        return None
