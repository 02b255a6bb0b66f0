"""A server as people run it: a process of its own."""

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).parent


@contextmanager
def running_server(command: list[str], given: Mapping[str, str], log: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """A process that serves a module of this folder, with these variables of its environment."""
    environ = {**os.environ, **given, "HOME": str(log.parent)}
    with log.open("wb") as output:
        server = subprocess.Popen(command, cwd=HERE, env=environ, stdout=output, stderr=output)
    try:
        yield server
    finally:
        server.kill()
        server.wait()
