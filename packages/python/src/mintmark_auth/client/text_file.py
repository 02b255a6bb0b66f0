"""Small files with a secret, read for each token, so that a replaced file needs no restart."""

import errno
import json
import os
import stat
import time
from typing import Final, TypeAlias

from .errors import Fault

StrPath: TypeAlias = str | os.PathLike[str]

FILE_BYTES_MAX: Final = 65_536
_SECONDS_MAX = 5.0
# The time between two looks whether somebody has written into a pipe.
_POLL_SECONDS = 0.02
# Without O_NONBLOCK to open a pipe waits for a writer. Windows has none, and adds O_BINARY.
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


def _read_some(file: int, left: int) -> bytes | None:
    """None if a pipe is empty for now."""
    try:
        return os.read(file, left)
    except BlockingIOError:
        return None


def _read_bytes(path: StrPath, deadline: float) -> bytes:
    file = os.open(path, _FLAGS)
    try:
        is_pipe = stat.S_ISFIFO(os.fstat(file).st_mode)
        read = bytearray()
        while len(read) <= FILE_BYTES_MAX:
            if time.monotonic() > deadline:
                raise TimeoutError
            chunk = _read_some(file, FILE_BYTES_MAX + 1 - len(read))
            # A pipe that nobody has opened yet looks like one that has ended.
            if chunk is None or (not chunk and not read and is_pipe):
                time.sleep(_POLL_SECONDS)
            elif not chunk:
                break
            else:
                read += chunk
        return bytes(read)
    finally:
        os.close(file)


def name_of(path: StrPath) -> str:
    return f"the file {json.dumps(os.fspath(path))}"


def read_text_file(path: StrPath, seconds: float) -> str:
    """Its text without the space around it. Raises Fault where there is none within 5 s, or more than 64 KiB."""
    seconds = min(seconds, _SECONDS_MAX)
    try:
        read = _read_bytes(path, time.monotonic() + seconds)
    except TimeoutError:
        raise Fault(f"{name_of(path)} was not read to its end within {round(seconds * 1000)} ms") from None
    except (OSError, ValueError) as fault:
        number = fault.errno if isinstance(fault, OSError) else None
        raise Fault(f"{name_of(path)} cannot be read ({errno.errorcode.get(number or 0, 'unknown error')})") from None
    if len(read) > FILE_BYTES_MAX:
        raise Fault(f"{name_of(path)} has more than {FILE_BYTES_MAX} bytes")
    try:
        text = read.decode("utf-8-sig").strip()
    except UnicodeDecodeError:
        raise Fault(f"{name_of(path)} is not UTF-8") from None
    if not text:
        raise Fault(f"{name_of(path)} is empty")
    return text
